//! Logs and traces: what is written to stderr, and what is sent to an OpenTelemetry collector.
//! Neither ever holds a key, a prompt or what was said (X5).

mod export;

use std::io;

use clap::ValueEnum;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::FilterFn, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::{failure::usage, term::Color, term::Style};

/// How lines of a log are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What is wanted of it.
pub struct Wanted<'a> {
    /// What to log, as `info` or `greenroom=debug`.
    pub level: Option<&'a str>,
    /// When to use colours.
    pub color: Color,
    /// How to write lines. Only a server's have a time: who chats knows what time it is.
    pub lines: Lines,
    /// The collector traces go to.
    pub collector: Option<&'a str>,
}

/// Whose lines they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Those of a command somebody waits for.
    Command,
    /// Those of a server.
    Server(LogFormat),
}

/// What logs and sends traces; to be ended, so that the last ones are sent.
pub struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Begins to log, and to trace where there is somebody to tell.
    ///
    /// # Errors
    /// Where the level or the collector is none.
    pub fn start(wanted: &Wanted<'_>) -> anyhow::Result<Self> {
        let logs = registry().with(lines(wanted)?);
        let Some(collector) = wanted.collector else {
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

    /// Sends what is still to be sent; a collector that does not answer is not waited for long.
    pub async fn end(self) {
        let Some(provider) = self.0 else { return };
        let ended =
            tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(export::PATIENCE)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

/// Our own spans. What is logged within them is no part of a trace.
fn is_traced(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target().starts_with("greenroom")
}

fn lines(wanted: &Wanted<'_>) -> anyhow::Result<Box<dyn Layer<Registry> + Send + Sync>> {
    let level = wanted.level.unwrap_or("warn");
    if level.split(',').any(|directive| directive.trim_end().ends_with('=')) {
        return Err(usage(format!("--log {level}: a level is missing after `=`; try --log info")));
    }
    let mut filter = EnvFilter::try_new(level)
        .map_err(|error| usage(format!("--log {level}: {error}; try --log info")))?;
    // it tells of every message; whoever wants that names it
    if filter.max_level_hint() > Some(LevelFilter::WARN) && !level.contains("rmcp") {
        filter = filter.add_directive("rmcp=warn".parse()?);
    }
    let text = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(Style::stderr(wanted.color).color())
        .with_target(false);
    Ok(match wanted.lines {
        Lines::Command => text.without_time().with_filter(filter).boxed(),
        Lines::Server(LogFormat::Text) => text.with_filter(filter).boxed(),
        Lines::Server(LogFormat::Json) => text
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(true)
            .with_filter(filter)
            .boxed(),
    })
}
