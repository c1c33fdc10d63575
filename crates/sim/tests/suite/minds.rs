//! Minds implemented in Rust, and live models.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::{StreamExt, future::BoxFuture, stream};
use greenroom_context::profile_for;
use greenroom_core::Usage;
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};
use greenroom_runtime::ResolvedModel;
use greenroom_sim::{
    EndReason, LineKind, LiveAgents, Mind, MindAnswer, MindCall, MindError, Options, Progress, replay,
    resume, run,
};

use crate::house::{as_killed, lines, options, sample};

/// Counts a model's calls, in total and in progress.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
    /// After this number of calls the model fails; 0 for never.
    fails_after: usize,
    /// Calls with this remainder modulo 3 take longer.
    slow: usize,
}

struct Model(Arc<Counting>);

impl ChatModel for Model {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let counting = self.0.clone();
        let answer = async move {
            let call = counting.calls.fetch_add(1, Ordering::SeqCst) + 1;
            let now = counting.now.fetch_add(1, Ordering::SeqCst) + 1;
            counting.most.fetch_max(now, Ordering::SeqCst);
            // gives other calls a chance to run in between
            let turns = if call % 3 == counting.slow { 200 } else { 20 };
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            counting.now.fetch_sub(1, Ordering::SeqCst);
            if counting.fails_after > 0 && call > counting.fails_after {
                let reason = "it is down".to_owned();
                return stream::iter(vec![Err(ModelError::Unreachable { endpoint: "test".into(), reason })]);
            }
            let last = request.messages.last().map_or(0, |message| message.content.len());
            let text = format!("I heard {last} letters of {} messages.", request.messages.len());
            let usage = Usage { prompt_tokens: 100, completion_tokens: 10, ..Usage::default() };
            let end = ModelEvent::Finished { tool_calls: Vec::new(), reason: FinishReason::Stop, usage };
            stream::iter(vec![Ok(ModelEvent::Delta(text)), Ok(end)])
        };
        stream::once(answer).flatten().boxed()
    }
}

fn live(counting: &Arc<Counting>, threads: usize) -> Options {
    let model = ResolvedModel {
        model: Arc::new(Model(counting.clone())),
        name: "gpt-4o-mini".into(),
        profile: profile_for("gpt-4o-mini", None),
    };
    Options {
        live: Some(Arc::new(model)),
        live_agents: LiveAgents::All,
        calls_at_once: 3,
        ..options(threads)
    }
}

/// A model that must not be called.
pub struct Silent;

impl ChatModel for Silent {
    fn stream(&self, _: Arc<ChatRequest>) -> ModelStream {
        stream::empty().boxed()
    }
}

#[tokio::test]
async fn sm6_a_model_plays_every_agent_and_is_not_asked_again() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let counting = Arc::new(Counting::default());
    let outcome = run(&sample("town"), &[], &out, &live(&counting, 4)).await.unwrap();
    let calls = counting.calls.load(Ordering::SeqCst);
    assert_eq!(outcome.calls, calls as u64);
    assert!(calls > 100, "{calls}");
    assert!(counting.most.load(Ordering::SeqCst) <= 3, "no more calls at once than permitted");
    let trace = fs::read(out.join("trace.jsonl")).unwrap();
    as_killed(&out);
    resume(&out, &live(&counting, 1)).await.unwrap();
    assert_eq!(counting.calls.load(Ordering::SeqCst), calls, "a resume asks nothing again");
    assert!(fs::read(out.join("trace.jsonl")).unwrap() == trace);
    assert_eq!(replay(&out, &options(2)).await.unwrap().same, Some(true), "a replay needs no model");
}

#[tokio::test]
async fn sm8_tokens_of_a_model_are_limited() {
    let directory = tempfile::tempdir().unwrap();
    let counting = Arc::new(Counting::default());
    let sets = ["stop.tokens=1100".to_owned()];
    let outcome =
        run(&sample("tea-party"), &sets, &directory.path().join("run"), &live(&counting, 2)).await.unwrap();
    assert_eq!(outcome.ended, EndReason::Tokens);
    assert!((10..20).contains(&outcome.calls), "{outcome:?}");
}

#[tokio::test]
async fn sm6_a_model_that_fails_costs_a_line_and_not_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let counting = Arc::new(Counting { fails_after: 6, ..Counting::default() });
    run(&sample("tea-party"), &[], &out, &live(&counting, 2)).await.unwrap();
    let failed = lines(&out).into_iter().filter(|line| line.text.contains("it is down")).count();
    assert!(failed > 3, "{failed}");
    assert!(
        lines(&out).iter().all(|line| !line.text.contains("the model at mind")),
        "the reason alone is told"
    );
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true), "failures are recorded, too");
}

#[tokio::test]
async fn sm5_failed_calls_are_asked_again_when_the_model_is_back() {
    let directory = tempfile::tempdir().unwrap();
    let (out, whole) = (directory.path().join("run"), directory.path().join("whole"));
    let down = Arc::new(Counting { fails_after: 6, ..Counting::default() });
    let up = Arc::new(Counting::default());
    let outcome = run(&sample("tea-party"), &[], &out, &live(&down, 2)).await.unwrap();
    assert!(outcome.failed > 3, "{outcome:?}");
    as_killed(&out);
    let outcome = resume(&out, &live(&up, 2)).await.unwrap();
    assert!(outcome.failed > 3, "a resume alone keeps to the recording: {outcome:?}");
    assert_eq!(up.calls.load(Ordering::SeqCst), 0);
    let retry = Options { retry_failed: true, ..live(&up, 2) };
    let outcome = resume(&out, &retry).await.unwrap();
    assert_eq!(outcome.failed, 0);
    assert_eq!(up.calls.load(Ordering::SeqCst) as u64, outcome.calls - 6, "six calls had an answer");
    run(&sample("tea-party"), &[], &whole, &live(&Arc::default(), 2)).await.unwrap();
    let trace = |run: &std::path::Path| fs::read(run.join("trace.jsonl")).unwrap();
    assert!(trace(&out) == trace(&whole), "as if the model had never been down");
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true));
}

#[tokio::test]
async fn sm6_a_model_plays_the_named_agents_and_scripts_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let counting = Arc::new(Counting::default());
    let named = LiveAgents::Named(vec!["iris".into(), "otto".into()]);
    run(&sample("tea-party"), &[], &out, &Options { live_agents: named, ..live(&counting, 2) })
        .await
        .unwrap();
    let lines = lines(&out);
    let by_model = |line: &&greenroom_sim::Line| line.text.starts_with("I heard ");
    let said: Vec<_> = lines.iter().filter(|line| line.kind == LineKind::Said).collect();
    assert!(said.iter().any(|line| line.who == "iris") && said.iter().any(|line| line.who == "mina"));
    for line in &said {
        assert_eq!(by_model(line), ["iris", "otto"].contains(&line.who.as_str()), "{line:?}");
    }
    as_killed(&out);
    resume(&out, &live(&Arc::default(), 1)).await.unwrap();
    let unknown = LiveAgents::Named(vec!["iri".into()]);
    let other = directory.path().join("other");
    let options = Options { live_agents: unknown, ..live(&counting, 2) };
    let error = run(&sample("tea-party"), &[], &other, &options).await.unwrap_err().to_string();
    assert_eq!(error, "there is no agent `iri`; write `iris`");
    assert!(!other.join("run.json").exists());
}

/// Blocks the call of one agent until the other has spoken three times, later in virtual time and in another place.
#[derive(Default)]
struct Apart {
    spoken: AtomicUsize,
    third: tokio::sync::Notify,
}

impl Mind for Apart {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        Box::pin(async {
            match call.agent.as_str() {
                "slow" if self.spoken.load(Ordering::SeqCst) < 3 => self.third.notified().await,
                "slow" => {}
                _ if self.spoken.fetch_add(1, Ordering::SeqCst) == 2 => self.third.notify_one(),
                _ => {}
            }
            Ok(MindAnswer { text: format!("I am {}.", call.me), ..MindAnswer::default() })
        })
    }
}

#[tokio::test]
async fn sm7_places_without_a_common_witness_do_not_wait_for_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.toml");
    let mut text = "name = \"Apart\"\n[clock]\nend = \"2h\"\n[[mind]]\nname = \"apart\"\n".to_owned();
    for (agent, place, at) in [("slow", "attic", "1m"), ("quick", "cellar", "30m")] {
        text += &format!(
            "[[place]]\nname = \"{place}\"\n[[agent]]\nname = \"{agent}\"\nprompt = \"x\"\nat = \"{place}\"\nmind = \"apart\"\n"
        );
        text += &format!(
            "[[event]]\nat = \"{at}\"\nevery = \"20m\"\nplace = \"{place}\"\nto = \"{agent}\"\nsay = \"Who is it?\"\n"
        );
    }
    fs::write(&file, text).unwrap();
    let apart: Arc<dyn Mind> = Arc::new(Apart::default());
    let minds = HashMap::from([("apart".to_owned(), apart)]);
    // with a global barrier the first call would never end
    let out = directory.path().join("run");
    run(&file, &[], &out, &Options { minds, ..options(1) }).await.unwrap();
    let lines = lines(&out);
    assert!(lines.is_sorted_by_key(|line| line.ms), "the trace is in order all the same");
    assert_eq!(lines.iter().filter(|line| line.text == "I am Slow.").count(), 6);
}

/// Answers only after 4,095 events have finished.
struct Patient(tokio::sync::watch::Receiver<Progress>);

impl Mind for Patient {
    fn answer<'a>(&'a self, _: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        let mut progress = self.0.clone();
        Box::pin(async move {
            // this many events may run ahead of the first
            let ended = progress.wait_for(|progress| progress.events >= 4_095).await;
            ended.map_err(|error| MindError(error.to_string()))?;
            Ok(MindAnswer { text: "At last.".into(), ..MindAnswer::default() })
        })
    }
}

#[tokio::test]
async fn sm7_a_place_that_all_others_are_far_ahead_of_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (directory.path().join("s.toml"), directory.path().join("run"));
    let text = "name = \"Behind\"\n[clock]\nend = \"2h\"\n[[mind]]\nname = \"patient\"\n\
        [[place]]\nname = \"attic\"\n[[place]]\nname = \"yard\"\n\
        [[agent]]\nname = \"slow\"\nprompt = \"x\"\nat = \"attic\"\nmind = \"patient\"\n\
        [[event]]\nat = \"1s\"\nevery = \"30m\"\nplace = \"attic\"\nto = \"slow\"\nsay = \"Who is it?\"\n\
        [[encounter]]\nevery = \"1s\"\nplaces = [\"yard\"]\nsay = \"{{ me }}?\"\n";
    fs::write(&file, text).unwrap();
    let options = options(2);
    let patient: Arc<dyn Mind> = Arc::new(Patient(options.progress.subscribe()));
    let minds = HashMap::from([("patient".to_owned(), patient)]);
    run(&file, &[], &out, &Options { minds, ..options }).await.unwrap();
    let answers = lines(&out).iter().filter(|line| line.text == "At last.").count();
    assert_eq!(answers, 4, "one each half hour");
}

/// Answers with what the agent knows.
struct Own;

impl Mind for Own {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        let text = format!("{} in the {} knows {:?}", call.me, call.place, call.knows);
        Box::pin(async { Ok(MindAnswer { text, ..MindAnswer::default() }) })
    }
}

#[tokio::test]
async fn sm6_a_mind_of_the_program_answers_beside_scripts() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let minds: HashMap<String, Arc<dyn Mind>> =
        HashMap::from([("iris".to_owned(), Arc::new(Own) as Arc<dyn Mind>)]);
    run(&sample("tea-party"), &[], &out, &Options { minds, ..options(2) }).await.unwrap();
    let lines = lines(&out);
    assert!(lines.iter().any(|line| line.text == "Iris in the parlour knows [\"bridge\"]"), "{lines:?}");
    assert!(lines.iter().any(|line| line.who == "pearl" && line.text.contains("bridge")));
}

/// Forty agents, each in its own place, with events at the same times.
fn many(directory: &Path) -> PathBuf {
    let file = directory.join("many.toml");
    let mut text = "name = \"Many\"\n[clock]\nend = \"2h\"\n".to_owned();
    for n in 0..40 {
        text += &format!(
            "[[place]]\nname = \"p{n}\"\n[[agent]]\nname = \"a{n}\"\nprompt = \"x\"\nat = \"p{n}\"\n\
             [[event]]\nat = \"1m\"\nevery = \"10m\"\nplace = \"p{n}\"\nto = \"a{n}\"\nsay = \"Who is it?\"\n"
        );
    }
    fs::write(&file, text).unwrap();
    file
}

/// Places that run ahead of the first spend from what is left of a limit. Only the events in progress can exceed the
/// limit. Each call that was sent is recorded and counted.
#[tokio::test]
async fn sm8_places_spend_no_more_ahead_than_is_left_and_every_call_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let file = many(directory.path());
    for (n, limit) in ["stop.tokens=330", "stop.tokens=3300", "stop.calls=5"].into_iter().enumerate() {
        let out = directory.path().join(format!("run-{n}"));
        let counting = Arc::new(Counting::default());
        let options = Options { calls_at_once: 32, ..live(&counting, 16) };
        let outcome = run(&file, &[limit.to_owned()], &out, &options).await.unwrap();
        let sent = counting.calls.load(Ordering::SeqCst) as u64;
        assert_eq!(sent, outcome.calls + outcome.unused_calls, "{limit}: {outcome:?}");
        assert!(outcome.unused_calls <= 1, "{limit}: {outcome:?}");
        assert_eq!(replay(&out, &self::options(4)).await.unwrap().same, Some(true), "{limit}");
    }
}

/// A run that ends by a limit leaves calls of places that were ahead of its end. The trace does not contain them, and a
/// replay does not need them.
#[tokio::test]
async fn sm4_a_run_that_ended_by_a_limit_is_replayed() {
    let directory = tempfile::tempdir().unwrap();
    for (n, limit) in
        ["stop.calls=1", "stop.calls=7", "stop.tokens=900", "stop.silence=\"20m\""].iter().enumerate()
    {
        let out = directory.path().join(format!("run-{n}"));
        run(&sample("town"), &[(*limit).to_owned()], &out, &live(&Arc::default(), 4)).await.unwrap();
        for threads in [1, 2, 16] {
            let replayed = replay(&out, &options(threads)).await.unwrap();
            assert_eq!(replayed.same, Some(true), "{limit}, {threads} threads");
        }
    }
}

/// A conversation outgrows its context, and a slow model summarises it. The trace is the same whichever calls are slow
/// (SM3).
#[tokio::test]
async fn sm3_a_history_is_summarised_within_the_event_that_outgrew_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("long.toml");
    let mut text = "name = \"Long\"\n[clock]\nend = \"3h\"\n[[place]]\nname = \"hall\"\n".to_owned();
    for name in ["ada", "bea", "cid"] {
        text += &format!("[[agent]]\nname = \"{name}\"\nprompt = \"x\"\nat = \"hall\"\n");
    }
    text += "[[encounter]]\nevery = \"2m\"\nplaces = [\"hall\"]\nsay = \"{{ me }}, say something to {{ others }}.\"\n";
    fs::write(&file, text).unwrap();
    let mut traces = Vec::new();
    for n in 0..3 {
        let counting = Arc::new(Counting { slow: n, ..Counting::default() });
        let model = ResolvedModel {
            model: Arc::new(Model(counting)),
            name: "small".into(),
            profile: profile_for("small", Some(1_500)),
        };
        let options = Options { live: Some(Arc::new(model)), live_agents: LiveAgents::All, ..options(2) };
        let out = directory.path().join(format!("run-{n}"));
        run(&file, &[], &out, &options).await.unwrap();
        assert_eq!(replay(&out, &self::options(1)).await.unwrap().same, Some(true));
        traces.push(fs::read_to_string(out.join("trace.jsonl")).unwrap());
    }
    let calls = fs::read_to_string(directory.path().join("run-0/calls.jsonl")).unwrap();
    assert!(calls.contains("ummar"), "a history was summarised");
    assert!(traces.iter().all(|trace| *trace == traces[0]));
}

/// One place has an event each minute. The events of the other places come long after the limit is reached. What these
/// places spend ahead of the end is at most a tenth of the limit.
#[tokio::test]
async fn sm8_a_run_spends_at_most_a_tenth_more_than_its_limit() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("late.toml");
    let mut text = "name = \"Late\"\n[clock]\nend = \"4h\"\n".to_owned();
    for n in 0..40 {
        let at = if n == 0 { "at = \"1m\"\nevery = \"1m\"" } else { "at = \"3h\"" };
        text += &format!(
            "[[place]]\nname = \"p{n}\"\n[[agent]]\nname = \"a{n}\"\nprompt = \"x\"\nat = \"p{n}\"\n\
             [[event]]\n{at}\nplace = \"p{n}\"\nto = \"a{n}\"\nsay = \"Who is it?\"\n"
        );
    }
    fs::write(&file, text).unwrap();
    for threads in [1, 4] {
        let out = directory.path().join(format!("run-{threads}"));
        let counting = Arc::new(Counting::default());
        let outcome =
            run(&file, &["stop.calls=40".to_owned()], &out, &live(&counting, threads)).await.unwrap();
        let sent = counting.calls.load(Ordering::SeqCst) as u64;
        assert_eq!((outcome.calls, sent), (40, outcome.calls + outcome.unused_calls), "{outcome:?}");
        assert!(sent <= 44, "{sent} calls with {threads} threads");
        assert_eq!(outcome.unused_usage.total() > 0, outcome.unused_calls > 0, "{outcome:?}");
    }
}
