//! Logs on stderr, and traces to an OpenTelemetry collector. Neither contains keys, prompts or messages (X5).

mod export;

use std::io;

use clap::ValueEnum;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::{FilterExt, FilterFn},
    layer::SubscriberExt,
    registry,
    util::SubscriberInitExt,
};

use crate::{failure::usage, term::Color, term::Style};

/// The format of a server's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The settings of logs and traces.
pub struct LogSettings<'a> {
    /// The level, such as `info` or `greenroom=debug`.
    pub level: Option<&'a str>,
    /// When to use colours.
    pub color: Color,
    /// The style of a line.
    pub style: LogStyle,
    /// The collector of traces.
    pub collector: Option<&'a str>,
}

/// The style of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStyle {
    /// Without a time, for a command at a terminal.
    Command,
    /// With a time, for a server.
    Server(LogFormat),
}

/// Logs and traces. [`Telemetry::end`] sends the last traces.
pub struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Begins to log, and to trace if there is a collector.
    ///
    /// # Errors
    /// For an invalid level or collector.
    pub fn start(settings: &LogSettings<'_>) -> anyhow::Result<Self> {
        let logs = registry().with(log_layer(settings)?);
        let Some(collector) = settings.collector else {
            logs.init();
            return Ok(Self(None));
        };
        let provider = export::provider(collector)?;
        let traces = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("greenroom"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(FilterFn::new(is_traced).with_max_level_hint(LevelFilter::INFO));
        logs.with(traces).init();
        Ok(Self(Some(provider)))
    }

    /// Sends the last traces. Gives up after 3 seconds if the collector does not answer.
    pub async fn end(self) {
        let Some(provider) = self.0 else { return };
        let ended =
            tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(export::TIMEOUT)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

/// Greenroom's own spans, without the log lines in them.
fn is_traced(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target().starts_with("greenroom")
}

/// The levels of a log.
const LEVELS: &str = "error, warn, info, debug, trace and off";

/// A word of `--log` that is neither a level nor a `target=level` pair. `tracing` would take it for the name of a
/// target.
fn unknown_level(level: &str) -> Option<&str> {
    let mut words = level.split(',').map(str::trim).filter(|word| !word.is_empty());
    // the fields of a span contain commas
    if level.contains('[') {
        return None;
    }
    words.find(|word| !word.contains('=') && word.parse::<LevelFilter>().is_err())
}

/// Whether a line may contain a frame of a WebSocket. The first frame to Discord contains the bot's token (X5).
fn shows_frames(target: &str, level: Level) -> bool {
    let library = target.split("::").next().unwrap_or_default();
    matches!(library, "tungstenite" | "tokio_tungstenite") && level > Level::INFO
}

fn log_layer(settings: &LogSettings<'_>) -> anyhow::Result<Box<dyn Layer<Registry> + Send + Sync>> {
    let level = settings.level.unwrap_or("warn");
    if level.split(',').any(|directive| directive.trim_end().ends_with('=')) {
        return Err(usage(format!("--log {level}: a level is missing after `=`; try --log info")));
    }
    if let Some(word) = unknown_level(level) {
        return Err(usage(format!(
            "--log {level}: `{word}` is no level; the levels are {LEVELS}, and `greenroom=debug` is that of one part"
        )));
    }
    let mut filter = EnvFilter::try_new(level)
        .map_err(|error| usage(format!("--log {level}: {error}; try --log info")))?;
    // rmcp logs every message; name it in the level to see them
    if filter.max_level_hint() > Some(LevelFilter::WARN) && !level.contains("rmcp") {
        filter = filter.add_directive("rmcp=warn".parse()?);
    }
    let filter = filter.and(FilterFn::new(|metadata| !shows_frames(metadata.target(), *metadata.level())));
    let text = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        // otherwise a failed write to standard error would be reported there with `eprintln!`, which panics
        .log_internal_errors(false)
        .with_ansi(Style::stderr(settings.color).color())
        .with_target(false);
    Ok(match settings.style {
        LogStyle::Command => text.without_time().with_filter(filter).boxed(),
        LogStyle::Server(LogFormat::Text) => text.with_filter(filter).boxed(),
        LogStyle::Server(LogFormat::Json) => text
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(true)
            .with_filter(filter)
            .boxed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_frames_with_tokens_are_not_logged() {
        assert!(shows_frames("tungstenite::protocol", Level::TRACE));
        assert!(shows_frames("tokio_tungstenite::compat", Level::DEBUG));
        assert!(!shows_frames("tungstenite::protocol", Level::WARN));
        assert!(!shows_frames("greenroom_adapters::websocket", Level::TRACE));
    }

    #[test]
    fn a_word_that_is_no_level_is_found() {
        for good in
            ["debug", "WARN", "off", "greenroom=debug", "info, rmcp=debug", "", "info,[turn{a,b}]=debug"]
        {
            assert_eq!(unknown_level(good), None, "{good}");
        }
        for (bad, word) in [("loud", "loud"), ("degub", "degub"), ("rmcp=debug,greenroom", "greenroom")] {
            assert_eq!(unknown_level(bad), Some(word), "{bad}");
        }
    }
}
