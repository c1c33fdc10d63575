//! Recall with sentences of a small model (HyDE).

use std::time::Duration;

use greenroom_core::{Relation, RelationKind, Scope, TurnId};
use greenroom_persona::{MemorySettings, Profile};
use greenroom_store::prelude::*;

use super::given::{End, Mood, ada, learn, request, stage, texts, told, writer};
use crate::{RecallRequest, Recalled, Remember, SmallModel};

fn hyde() -> MemorySettings {
    MemorySettings { deadline: Duration::from_secs(60), ..Profile::Hyde.settings() }
}

fn ask<'a>(
    window: &'a [String],
    settings: &'a MemorySettings,
    model: Option<&'a SmallModel>,
) -> RecallRequest<'a> {
    RecallRequest { hyde: model, ..request(window, None, settings) }
}

/// The result as the conversation shows it; the notes are only for the receipt.
fn without_notes(recalled: &Recalled) -> Recalled {
    Recalled { notes: Vec::new(), ..recalled.clone() }
}

#[tokio::test]
async fn fg5_the_hypotheses_are_searched_for_and_not_the_question() {
    let stage = stage().await;
    learn(&stage, "jo drinks green tea").await;
    learn(&stage, "what a question").await;
    let (wrote, model) = writer("- Jo drinks tea\n\n- Jo likes green", End::Finished);
    let (window, settings) = (["what a question".to_owned()], hyde());
    let dialogue = ["user: morning".to_owned(), "user: what a question".to_owned()];
    let request = RecallRequest { dialogue: &dialogue, ..ask(&window, &settings, Some(&model)) };
    let recalled = stage.memory.recall(&ada(), &request).await.unwrap();
    assert_eq!(texts(&recalled)[0], "jo drinks green tea");
    let asked = wrote.asked.lock().unwrap().clone();
    assert!(asked.contains("user: morning\n---\nuser: what a question"), "{asked}");
    assert!(asked.contains("5 sentences"), "{asked}");
}

#[tokio::test]
async fn fg5_no_window_and_no_answer_recall_nothing() {
    let stage = stage().await;
    learn(&stage, "jo drinks tea").await;
    let settings = hyde();
    let (wrote, model) = writer("tea", End::Finished);
    let nothing = stage.memory.recall(&ada(), &ask(&[], &settings, Some(&model))).await.unwrap();
    assert_eq!((nothing, wrote.calls()), (Recalled::default(), 0));
    let (_, silent) = writer(" \n\n", End::Finished);
    let window = ["tea?".to_owned()];
    let nothing = stage.memory.recall(&ada(), &ask(&window, &settings, Some(&silent))).await.unwrap();
    assert_eq!(nothing, Recalled::default());
}

#[tokio::test]
async fn fg6_one_batch_the_best_score_an_item_all_memories_in_one_order() {
    let stage = stage().await;
    learn(&stage, "green tea").await;
    let about_jo = Remember {
        scope: Scope::User("terminal:jo".parse().unwrap()),
        ..told(&ada(), "jo drinks green tea every day")
    };
    stage.memory.remember(&ada(), about_jo).await.unwrap();
    let (_, model) = writer("tea\njo drinks green tea every day", End::Finished);
    let (window, settings, calls) = (["?!".to_owned()], hyde(), stage.embedder.calls());
    let window = [window[0].clone(), "tell me".to_owned()];
    let recalled = stage.memory.recall(&ada(), &ask(&window, &settings, Some(&model))).await.unwrap();
    assert_eq!(stage.embedder.calls(), calls + 1);
    // the note about the person is nearest and comes before the channel's knowledge
    assert_eq!(texts(&recalled), ["jo drinks green tea every day", "green tea"]);
    assert!((recalled.items[0].score - 1.0).abs() < 1e-3);
}

#[tokio::test]
async fn fg8_a_model_that_hangs_costs_no_more_than_the_deadline() {
    let stage = stage().await;
    learn(&stage, "jo drinks tea").await;
    let settings = MemorySettings { deadline: Duration::from_millis(20), ..hyde() };
    let window = ["what?".to_owned()];
    let (_, mute) = writer("", End::Hanging);
    let recalled = stage.memory.recall(&ada(), &ask(&window, &settings, Some(&mute))).await.unwrap();
    assert_eq!(without_notes(&recalled), Recalled::default());
    // the model took too long or, on a busy machine, a later step
    assert!(recalled.notes[0].contains("took too long"), "{:?}", recalled.notes);
}

#[tokio::test]
async fn fg9_the_same_turn_costs_no_call_and_a_new_one_does_also_after_a_failure() {
    let stage = stage().await;
    learn(&stage, "jo drinks tea").await;
    let (window, settings) = (["what?".to_owned()], hyde());
    for end in [End::Finished, End::Broken] {
        let (wrote, model) = writer("jo drinks", end);
        let request = ask(&window, &settings, Some(&model));
        let before = stage.embedder.calls();
        let first = stage.memory.recall(&ada(), &request).await.unwrap();
        let calls = (wrote.calls(), stage.embedder.calls());
        let ada_here = ada();
        let (again, once_more) =
            tokio::join!(stage.memory.recall(&ada_here, &request), stage.memory.recall(&ada_here, &request));
        assert_eq!((&again.unwrap(), &once_more.unwrap()), (&first, &first));
        assert_eq!((wrote.calls(), stage.embedder.calls()), calls);
        assert_eq!(calls, (1, before + usize::from(end == End::Finished)));
        let anew = RecallRequest { turn_id: TurnId(uuid::Uuid::now_v7()), ..request };
        stage.memory.recall(&ada(), &anew).await.unwrap();
        assert_eq!(wrote.calls(), 2);
    }
}

#[tokio::test]
async fn fg10_without_embedder_or_model_nothing_is_recalled() {
    let stage = stage().await;
    learn(&stage, "jo drinks tea").await;
    let (window, settings) = (["jo drinks tea".to_owned()], hyde());
    let (wrote, model) = writer("jo drinks tea", End::Finished);
    let blind = || stage.without_embedder();
    for (memory, model, said) in
        [(blind(), Some(&model), true), (stage.memory.clone(), None, true), (blind(), None, false)]
    {
        let recalled = memory.recall(&ada(), &ask(&window, &settings, model)).await.unwrap();
        assert_eq!(recalled, Recalled::default());
        // the flag prevents a second warning
        assert_eq!(memory.shared.warned_of_half.load(std::sync::atomic::Ordering::Relaxed), said);
    }
    assert_eq!(wrote.calls(), 0);
}

#[tokio::test]
async fn fg11_no_failure_is_seen_and_words_do_not_step_in() {
    let stage = stage().await;
    learn(&stage, "jo drinks tea").await;
    let (window, settings) = (["jo drinks tea".to_owned()], hyde());
    let (_, broken) = writer("jo dri", End::Broken);
    let recalled = stage.memory.recall(&ada(), &ask(&window, &settings, Some(&broken))).await.unwrap();
    assert_eq!(without_notes(&recalled), Recalled::default());
    assert!(recalled.notes[0].contains("broke off"), "the receipt says it (A11): {:?}", recalled.notes);
    let (_, model) = writer("jo drinks tea", End::Finished);
    for mood in [Mood::Down, Mood::NotANumber, Mood::ShortList] {
        stage.embedder.feel(mood);
        let recalled = stage.memory.recall(&ada(), &ask(&window, &settings, Some(&model))).await.unwrap();
        assert_eq!(without_notes(&recalled), Recalled::default(), "{mood:?}");
        assert!(recalled.notes[0].starts_with("nothing was recalled by meaning"), "{:?}", recalled.notes);
    }
}

/// The scenario of the original project, step by step.
#[tokio::test]
async fn fg18_three_memories_two_hypotheses_two_hits_and_a_neighbour() {
    let stage = stage().await;
    // 1 to 3: three memories with vectors, in the index
    let first = learn(&stage, "alpha alpha beta").await;
    let second = learn(&stage, "gamma delta").await;
    let third = learn(&stage, "omega").await;
    stage.memory.ready(&ada()).await.unwrap();
    // 4: two hypotheses, top 2, one hop
    let (wrote, model) = writer("alpha beta\ngamma", End::Finished);
    let mut settings = hyde();
    (settings.hyde.top_k, settings.hops) = (1, 1);
    // 5: an edge from the first to the third
    let edge = Relation { from: first, to: third, kind: RelationKind::RelatesTo };
    stage.store.relate(&ada(), edge).await.unwrap();
    // 6: two found by cosine, the third by its edge
    let window = ["what now?".to_owned()];
    let request = ask(&window, &settings, Some(&model));
    let recalled = stage.memory.recall(&ada(), &request).await.unwrap();
    let ids: Vec<_> = recalled.items.iter().map(|item| (item.item.id(), item.via)).collect();
    use greenroom_store::ItemId::Memory;
    assert_eq!(ids, [(Memory(first), None), (Memory(second), None), (Memory(third), Some(first))]);
    assert!(recalled.items.windows(2).all(|pair| pair[0].score >= pair[1].score));
    // 7: the same turn again
    let calls = (wrote.calls(), stage.embedder.calls());
    assert_eq!(stage.memory.recall(&ada(), &request).await.unwrap(), recalled);
    assert_eq!((wrote.calls(), stage.embedder.calls()), calls);
    // 8: the next turn
    let next = RecallRequest { turn_id: TurnId(uuid::Uuid::now_v7()), ..request };
    assert_eq!(stage.memory.recall(&ada(), &next).await.unwrap(), recalled);
    assert_eq!((wrote.calls(), stage.embedder.calls()), (calls.0 + 1, calls.1 + 1));
    // 9 and 10: every memory becomes an entry, best first; the assembler takes what fits
    let block = crate::render(&recalled, &settings, &crate::TimeZone::UTC);
    let said = format!("{block:?}");
    for text in ["alpha alpha beta", "omega", "gamma delta"] {
        assert!(said.contains(text), "{said}");
    }
}
