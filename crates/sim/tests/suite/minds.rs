//! Minds of the program's own, and models.

use std::{
    collections::HashMap,
    fs,
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
use greenroom_sim::{Ended, Mind, MindCall, MindError, Options, Said, replay, resume, run};

use crate::house::{lines, options, sample};

/// A model that counts its calls and how many are under way.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
    /// Whether it is down after so many calls; 0 for never.
    fails_after: usize,
}

struct Model(Arc<Counting>);

impl ChatModel for Model {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let counting = self.0.clone();
        let answer = async move {
            let call = counting.calls.fetch_add(1, Ordering::SeqCst) + 1;
            let now = counting.now.fetch_add(1, Ordering::SeqCst) + 1;
            counting.most.fetch_max(now, Ordering::SeqCst);
            // others come in between
            for _ in 0..20 {
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
    Options { live: Some(Arc::new(model)), all_live: true, calls_at_once: 3, ..options(threads) }
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
    assert_eq!(outcome.ended, Ended::Tokens);
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
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true), "failures are recorded, too");
}

/// One of its agents waits until the other has spoken three times, later in virtual time and elsewhere.
#[derive(Default)]
struct Apart {
    spoken: AtomicUsize,
    third: tokio::sync::Notify,
}

impl Mind for Apart {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<Said, MindError>> {
        Box::pin(async {
            match call.agent.as_str() {
                "slow" if self.spoken.load(Ordering::SeqCst) < 3 => self.third.notified().await,
                "slow" => {}
                _ if self.spoken.fetch_add(1, Ordering::SeqCst) == 2 => self.third.notify_one(),
                _ => {}
            }
            Ok(Said { text: format!("I am {}.", call.me), ..Said::default() })
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
    // with a global barrier the first call would wait for ever
    let out = directory.path().join("run");
    run(&file, &[], &out, &Options { minds, ..options(1) }).await.unwrap();
    let lines = lines(&out);
    assert!(lines.is_sorted_by_key(|line| line.ms), "the trace is in order all the same");
    assert_eq!(lines.iter().filter(|line| line.text == "I am Slow.").count(), 6);
}

/// Says what it knows.
struct Own;

impl Mind for Own {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<Said, MindError>> {
        let text = format!("{} in the {} knows {:?}", call.me, call.place, call.knows);
        Box::pin(async { Ok(Said { text, ..Said::default() }) })
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
