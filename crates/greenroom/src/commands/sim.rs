//! `greenroom sim`: creates, checks, runs and compares scenarios.

mod diff;

use std::{
    fs,
    io::{self, IsTerminal, Write},
    num::NonZero,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use greenroom_core::{Usage, real_time};
use greenroom_models::ModelError;
use greenroom_persona::{ModelSettings, Persona, Price};
use greenroom_runtime::{ModelSource, ResolvedModel};
use greenroom_sim::{
    EndReason, LiveAgents, Options, Outcome as RunResult, Scenario, SimError, branch, check, check_is_free,
    checked, moment, replay, resume, run, samples, scenario_schema, write_report, write_sample, write_tables,
};
use serde_json::json;

use self::diff::different;
use crate::{
    cli::{SimArgs, SimCommand},
    commands::{chat::signals::Signals, models::fetch_demonstration},
    failure::{Outcome, usage},
    model_choice::{BUILT_IN_MODEL, Configured, Sourced, Target},
    term::{count, harmless, print_json},
    wiring::{App, Models},
};

/// The interval at which progress is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// A run that starts an event later than this prints a warning.
const LATE_MS: i64 = 10 * 60_000;

/// Runs the command.
pub async fn run_command(app: &App, command: SimCommand) -> anyhow::Result<Outcome> {
    match command {
        SimCommand::New { name, directory } => new(name.as_deref(), directory),
        SimCommand::Check { schema: true, .. } => {
            write!(io::stdout(), "{}", scenario_schema())?;
            Ok(Outcome::Done)
        }
        SimCommand::Check { scenario, json, .. } => print_problems(&scenario.unwrap_or_default(), json),
        SimCommand::Run { scenario, out, seed, mut sets, agents, how } => {
            sets.extend(seed.map(|seed| format!("seed={seed}")));
            let parsed = parsed(&scenario)?;
            let is_model_given = how.models.model.is_some() || how.models.base_url.is_some();
            if parsed.population.is_some() && (is_model_given || !agents.is_empty()) {
                return Err(usage(
                    "the agents of a population follow its rule, and no model plays them; leave out --model, --base-url and --agents",
                ));
            }
            let live_agents = match (agents.is_empty(), is_model_given) {
                (false, _) => LiveAgents::Named(agents),
                (true, true) => LiveAgents::All,
                (true, false) => LiveAgents::AsWritten,
            };
            // checked before a model is searched or fetched
            out.as_deref().map_or(Ok(()), check_is_free)?;
            let with_changes = checked(&scenario, &sets, &live_agents)?;
            let asks_model = live_agents != LiveAgents::AsWritten || with_changes.asks_model();
            let options = Options { live_agents, ..options(app, &how, asks_model, None).await? };
            let out = out.map_or_else(|| free_directory(&scenario, &parsed.name), Ok)?;
            let running = run(&scenario, &sets, &out, &options);
            finish(app, &out, &how, with_progress(&options, running).await?)
        }
        SimCommand::Resume { run, retry_failed, how } => resume_run(app, &run, &how, retry_failed).await,
        SimCommand::Replay { run, threads, json } => {
            let options = Options {
                threads: threads.map_or(Options::default().threads, NonZero::get),
                ..Options::default()
            };
            let outcome = with_progress(&options, replay(&run, &options)).await?;
            finish(app, &run, &SimArgs { json, ..SimArgs::default() }, outcome)
        }
        SimCommand::Branch { run, at, sets, out, how } => {
            let at = moment(&at)
                .ok_or_else(|| usage(format!("--at {at}: write a time from the start, as 90m")))?;
            let is_new = !out.exists();
            let branched = branch(&run, at, &sets, &out)?;
            let resumed = resumed(app, (&branched, &out), &how, false).await;
            // a run that failed before it began leaves no directory
            let is_before_the_run =
                |error: &anyhow::Error| error.downcast_ref().is_none_or(SimError::is_before_the_run);
            if is_new
                && resumed.as_ref().is_err_and(is_before_the_run)
                && let Err(error) = fs::remove_dir_all(&out)
            {
                tracing::warn!(%error, "{} of the branch that has not begun is left", out.display());
            }
            finish(app, &out, &how, resumed?)
        }
        SimCommand::Diff { a, b, json } => different(&a, &b, json),
        SimCommand::Report { run, json } => {
            let (report, tables) = (write_report(&run)?, write_tables(&run)?);
            match json {
                true => print_json(&json!({ "report": report, "tables": tables }))?,
                false => {
                    writeln!(io::stdout(), "{}", report.display())?;
                    stderr_line!(
                        "{} in {}",
                        count(tables.len(), "table", "tables"),
                        run.join("tables").display()
                    );
                }
            }
            Ok(Outcome::Done)
        }
    }
}

fn scenario_text(scenario: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(scenario).map_err(|error| {
        usage(format!("{}: {error}; `greenroom sim new` writes a scenario", scenario.display()))
    })?;
    greenroom_sim::text(scenario, bytes).map_err(|error| usage(error.to_string()))
}

fn parsed(scenario: &Path) -> anyhow::Result<Scenario> {
    let text = scenario_text(scenario)?;
    Ok(Scenario::parse(&scenario.display().to_string(), &text).map_err(SimError::Scenario)?)
}

fn new(name: Option<&str>, directory: Option<PathBuf>) -> anyhow::Result<Outcome> {
    let Some(name) = name else {
        for sample in samples() {
            writeln!(io::stdout(), "{:10}  {}", sample.name, sample.about)?;
        }
        return Ok(Outcome::Done);
    };
    let Some(sample) = samples().iter().find(|sample| sample.name == name) else {
        let known: Vec<_> = samples().iter().map(|sample| sample.name).collect();
        return Err(usage(format!("there is no scenario `{name}`; there are: {}", known.join(", "))));
    };
    let file = write_sample(sample, &directory.unwrap_or_else(|| name.into()))?;
    writeln!(io::stdout(), "{}", file.display())?;
    Ok(Outcome::Done)
}

fn print_problems(scenario: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    // as with `sim run`, a file that cannot be read is a usage error
    scenario_text(scenario)?;
    let problems = check(scenario)?;
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    match as_json {
        true => print_json(&problems)?,
        false => {
            for problem in &problems {
                writeln!(io::stdout(), "{}", harmless(&problem.to_string()))?;
            }
            let warnings = match problems.len() - errors {
                0 => String::new(),
                warnings => format!(", {}", count(warnings, "warning", "warnings")),
            };
            stderr_line!("{}{warnings}", count(errors, "problem", "problems"));
        }
    }
    Ok(if errors == 0 { Outcome::Done } else { Outcome::Failed })
}

async fn resume_run(
    app: &App,
    directory: &Path,
    how: &SimArgs,
    retry_failed: bool,
) -> anyhow::Result<Outcome> {
    let run = greenroom_sim::Run::open(directory)?;
    if let Some(outcome) = run.outcome(directory).filter(|_| !retry_failed) {
        stderr_line!("{} has ended already, and nothing was asked", directory.display());
        return finish(app, directory, how, outcome);
    }
    finish(app, directory, how, resumed(app, (&run, directory), how, retry_failed).await?)
}

async fn resumed(
    app: &App,
    (run, directory): (&greenroom_sim::Run, &Path),
    how: &SimArgs,
    retry_failed: bool,
) -> anyhow::Result<RunResult> {
    let asks_model = run.asks_model()? && (retry_failed || !run.is_recorded(directory));
    let options = options(app, how, asks_model, run.asked_model()).await?;
    let options = Options { retry_failed, ..options };
    with_progress(&options, resume(directory, &options)).await
}

/// Creates `runs/NAME-1`, or the directory with the first free number. Runs that begin at the same time get one each.
fn free_directory(scenario: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let slug: String =
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let stem = scenario.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let slug = if slug.is_empty() { stem.unwrap_or_default() } else { slug };
    let runs = Path::new("runs");
    fs::create_dir_all(runs).with_context(|| runs.display().to_string())?;
    let mut number = 1_u32;
    loop {
        let directory = runs.join(format!("{slug}-{number}"));
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error).with_context(|| directory.display().to_string()),
        }
    }
}

/// The model of the settings, used for every agent that asks a model.
struct OneModel {
    models: Arc<Models>,
    /// The persona whose settings choose the model.
    persona: Persona,
}

impl ModelSource for OneModel {
    /// Timeouts and retries set in the agent's own file apply to the agent.
    fn resolve(&self, agent: &Persona, _: Option<&str>) -> Result<ResolvedModel, ModelError> {
        let mut asked = self.persona.clone();
        let usual = ModelSettings::default();
        if agent.model.timeouts != usual.timeouts {
            asked.model.timeouts = agent.model.timeouts;
        }
        if agent.model.retries != usual.retries {
            asked.model.retries = agent.model.retries;
        }
        self.models.resolve(&asked, None)
    }

    fn price(&self, model: &str) -> Option<Price> {
        self.models.price(model)
    }
}

/// Refuses to replace a named model by the built-in one, because the results would be those of another study.
fn refuse_another_model(named: Option<Sourced>, asked: Option<&str>) -> anyhow::Result<()> {
    let is_other = |model: &str| model != BUILT_IN_MODEL;
    if let Some(Sourced { value, origin }) = named.filter(|named| is_other(&named.value)) {
        return Err(usage(format!(
            "no endpoint is known that has the model `{value}` ({origin}); give --base-url URL, set OPENAI_API_KEY or start \
             a model server; without a name the built-in {BUILT_IN_MODEL} answers"
        )));
    }
    match asked.filter(|asked| is_other(asked)) {
        Some(asked) => Err(usage(format!(
            "the run has asked the model `{asked}`, and no endpoint is known that has it; name the same --model and --base-url"
        ))),
        None => Ok(()),
    }
}

/// The options of a run. `asked` is the model that the run used before.
async fn options(app: &App, how: &SimArgs, asks_model: bool, asked: Option<&str>) -> anyhow::Result<Options> {
    let mut options = Options::default();
    options.calls_at_once = how.calls_at_once.map_or(options.calls_at_once, NonZero::get);
    options.threads = how.threads.map_or(options.threads, NonZero::get);
    if asks_model {
        options.live = Some(Arc::new(chosen_model(app, asked).await?));
    }
    stop_on_signal(&options)?;
    Ok(options)
}

/// The model that the settings choose. Prints it, and fetches it if it is the built-in one.
async fn chosen_model(app: &App, asked: Option<&str>) -> anyhow::Result<OneModel> {
    app.require_valid_settings()?;
    let name = &app.settings().persona;
    let persona = app.cast.get(name).cloned();
    let persona =
        persona.ok_or_else(|| usage(format!("there is no persona {name}, whose model is asked")))?;
    let models = app.models();
    let choice = models.prepare(name).await;
    if choice.target == Target::BuiltIn {
        let named = Configured::of(&app.cast, name, false).model;
        refuse_another_model(named, asked)?;
    }
    stderr_line!("{}", app.err.dim(harmless(&choice.describe())));
    if choice.target == Target::BuiltIn {
        fetch_demonstration(app).await?;
    }
    Ok(OneModel { models, persona })
}

/// Lets Ctrl-C and SIGTERM stop the run, which can be resumed.
fn stop_on_signal(options: &Options) -> anyhow::Result<()> {
    let stop = options.stop.clone();
    let mut signals = Signals::new()?;
    tokio::spawn(async move {
        signals.next().await;
        stop.notify_one();
    });
    Ok(())
}

/// Waits for a run and shows its progress on a terminal.
async fn with_progress(
    options: &Options,
    running: impl Future<Output = Result<RunResult, SimError>>,
) -> anyhow::Result<RunResult> {
    let mut running = std::pin::pin!(running);
    if !std::io::stderr().is_terminal() {
        return Ok(running.await?);
    }
    let bar = indicatif::ProgressBar::new_spinner();
    let begun = real_time().instant();
    loop {
        tokio::select! {
            biased;
            done = &mut running => {
                bar.finish_and_clear();
                return Ok(done?);
            }
            () = real_time().sleep(SHOWN_EVERY) => {
                let progress = *options.progress.borrow();
                let took = real_time().elapsed(begun);
                let share = progress.ms as f64 / progress.end_ms.max(1) as f64;
                let left = match share > 0.01 {
                    true => format!(" · about {:.0} s left", took.as_secs_f64() * (1.0 - share).max(0.0) / share),
                    false => String::new(),
                };
                bar.set_message(format!(
                    "{} of {} · {:.0} events/s · {} · {} tokens{}{left}",
                    clock(progress.ms),
                    clock(progress.end_ms),
                    progress.events as f64 / took.as_secs_f64().max(1e-3),
                    count(progress.calls, "call", "calls"),
                    progress.usage.total(),
                    cost(&progress.usage),
                ));
                bar.tick();
            }
        }
    }
}

/// A virtual time as `1d 02:30:05`.
fn clock(ms: i64) -> String {
    let seconds = ms / 1_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let time = format!("{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60);
    if days > 0 { format!("{days}d {time}") } else { time }
}

/// The cost of calls; empty if there is none, or no price is known.
fn cost(usage: &Usage) -> String {
    match usage.cost_micros {
        0 => String::new(),
        micros => format!(" · cost {:.4}", micros as f64 / 1e6),
    }
}

/// The command that resumes a run, with the same model flags.
fn resuming(directory: &Path, how: &SimArgs, more: &str) -> String {
    let mut command = format!("greenroom sim resume {}{more}", directory.display());
    let flags = [("--model", &how.models.model), ("--base-url", &how.models.base_url)];
    for (flag, value) in flags.into_iter().filter_map(|(flag, value)| Some((flag, value.as_ref()?))) {
        command.push_str(&format!(" {flag} {value}"));
    }
    command
}

fn finish(app: &App, directory: &Path, how: &SimArgs, outcome: RunResult) -> anyhow::Result<Outcome> {
    if how.json {
        let mut value = serde_json::to_value(&outcome)?;
        value["run"] = json!(directory);
        print_json(&value)?;
    } else {
        writeln!(io::stdout(), "{}", directory.display())?;
        stderr_line!(
            "{} after {}: {} in the trace, {}, {} tokens{}",
            app.err.bold(because(outcome.ended)),
            clock(outcome.ms),
            count(outcome.lines, "line", "lines"),
            count(outcome.calls, "call", "calls"),
            outcome.usage.total(),
            cost(&outcome.usage),
        );
        if outcome.late_ms >= LATE_MS {
            stderr_line!(
                "{} events began up to {} later than planned: what is said takes its time; plan fewer events, or raise \
                 clock.words_per_minute",
                app.err.yellow("warning:"),
                clock(outcome.late_ms),
            );
        }
        if outcome.unused_calls > 0 {
            let unused = count(outcome.unused_calls, "further call was", "further calls were");
            stderr_line!(
                "{unused} made by places that were ahead, with {} tokens{}: in the recording, and not in the trace",
                outcome.unused_usage.total(),
                cost(&outcome.unused_usage),
            );
        }
    }
    if outcome.failed > 0 {
        let failed = count(outcome.failed, "answer", "answers");
        stderr_line!(
            "{} {failed} failed: see the lines `failed` of the trace; ask again: {}",
            app.err.red("error:"),
            resuming(directory, how, " --retry-failed")
        );
    }
    match (outcome.ended, outcome.same) {
        (_, Some(false)) => {
            let message =
                "the trace is another than that of the run: its trace was changed, or this program differs";
            stderr_line!("{} {message}", app.err.red("error:"));
            Ok(Outcome::Failed)
        }
        (EndReason::Interrupted, _) => {
            stderr_line!("go on with it: {}", resuming(directory, how, ""));
            Ok(Outcome::Interrupted)
        }
        // a run without any answer has failed
        _ if outcome.failed > 0 && outcome.answers == 0 => Ok(Outcome::Failed),
        _ => Ok(Outcome::Done),
    }
}

/// The reason why a run ended, for people.
fn because(ended: EndReason) -> &'static str {
    match ended {
        EndReason::Time => "at its end",
        EndReason::Quiescent => "nothing more to happen",
        EndReason::Silence => "silence",
        EndReason::Calls => "all calls used",
        EndReason::Tokens => "all tokens used",
        EndReason::Cost => "all money used",
        EndReason::Interrupted => "interrupted",
    }
}
