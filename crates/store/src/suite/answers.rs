//! Which turns answer a message: of several attempts the newest, of a burst the turn of its last message.

use greenroom_core::{ErrorCode, TurnId};

use super::{given::*, turns::failed};
use crate::{Erase, Quotes, Store, StoreError, TurnEnd, TurnState};

/// One turn per persona: of several attempts the newest, of a burst the turn that answers it.
pub async fn gr6_the_turns_that_answer_a_message_are_found(store: &dyn Store) {
    let (one, two) = (say(store, "one").await, say(store, "two").await);
    let (first, second, kit) = (planned("ada"), planned("ada"), planned("kit"));
    let [first_id, second_id, kit_id] = [&first, &second, &kit].map(|turn| turn.id);
    store.plan_turns(one.id, vec![first, kit].into()).await.unwrap();
    store.plan_turns(two.id, vec![second].into()).await.unwrap();
    let ids = async |message| -> Vec<TurnId> {
        store.answers(message).await.unwrap().into_iter().map(|turn| turn.id).collect()
    };
    assert_eq!(ids(one.id).await, [first_id, kit_id]);

    let coalesced = TurnEnd { state: TurnState::Coalesced, code: None, ..failed(0) };
    assert!(matches!(store.end_turn(first_id, coalesced).await, Err(StoreError::Invalid(_))));
    store.coalesce_turn(second_id, one.id, later(0)).await.unwrap_err();
    store.coalesce_turn(first_id, two.id, later(0)).await.unwrap();
    assert_eq!(ids(one.id).await, [second_id, kit_id]);
    store.end_turn(second_id, failed(1)).await.unwrap();
    let again = planned("ada");
    let again_id = again.id;
    store.plan_turns(two.id, vec![again].into()).await.unwrap();
    assert_eq!(ids(two.id).await, [again_id]);
    let stored = store.turn(second_id).await.unwrap().unwrap();
    assert_eq!(stored.message.as_deref(), Some("the model did not answer"));
    assert_eq!(ids(greenroom_core::MessageId(999)).await, []);
}

/// After the turn of a burst failed and was retried, the newest attempt answers every message of the burst (finding
/// A2).
pub async fn gr6_a_burst_is_answered_by_the_newest_try(store: &dyn Store) {
    let (one, two) = (say(store, "one").await, say(store, "two").await);
    let turns = [planned("ada"), planned("ada"), planned("ada")];
    let [first, failed_id, again] = [&turns[0], &turns[1], &turns[2]].map(|turn| turn.id);
    let [one_turn, two_turn, again_turn] = turns;
    store.plan_turns(one.id, vec![one_turn].into()).await.unwrap();
    store.plan_turns(two.id, vec![two_turn].into()).await.unwrap();
    store.coalesce_turn(first, two.id, later(0)).await.unwrap();
    store.end_turn(failed_id, failed(1)).await.unwrap();
    store.plan_turns(two.id, vec![again_turn].into()).await.unwrap();
    for message in [one.id, two.id] {
        let answers = store.answers(message).await.unwrap();
        assert_eq!(answers.iter().map(|turn| turn.id).collect::<Vec<_>>(), [again]);
    }
}

/// When a burst is coalesced with a later burst, the turn of the very last message answers all of them.
pub async fn gr6_a_burst_that_is_tried_again_with_a_later_message_is_answered_by_that(store: &dyn Store) {
    let said = [say(store, "one").await, say(store, "two").await, say(store, "three").await];
    let turns = [planned("ada"), planned("ada"), planned("ada"), planned("ada")];
    let ids = [0, 1, 2, 3].map(|n: usize| turns[n].id);
    let [one, two, two_again, three] = turns;
    for (message, turn) in said.iter().zip([one, two, three]) {
        store.plan_turns(message.id, vec![turn].into()).await.unwrap();
    }
    store.coalesce_turn(ids[0], said[1].id, later(0)).await.unwrap();
    store.end_turn(ids[1], failed(1)).await.unwrap();
    store.plan_turns(said[1].id, vec![two_again].into()).await.unwrap();
    store.coalesce_turn(ids[2], said[2].id, later(2)).await.unwrap();
    for message in &said {
        let answers = store.answers(message.id).await.unwrap();
        assert_eq!(answers.iter().map(|turn| turn.id).collect::<Vec<_>>(), [ids[3]]);
    }
}

/// When the last message of a burst is erased, the turns of the others count as failed. No later turn answers them.
pub async fn gr10_a_burst_whose_last_message_is_erased_is_answered_by_nothing_else(store: &dyn Store) {
    let one = say(store, "one").await;
    let two = said_by("kit", one.channel.as_str(), "two", "two", later(1));
    let two = store.accept(two).await.unwrap().message;
    let turns = [planned("ada"), planned("ada"), planned("ada")];
    let [first, second, third] = [&turns[0], &turns[1], &turns[2]].map(|turn| turn.id);
    let [one_turn, two_turn, three_turn] = turns;
    store.plan_turns(one.id, vec![one_turn].into()).await.unwrap();
    store.plan_turns(two.id, vec![two_turn].into()).await.unwrap();
    store.coalesce_turn(first, two.id, later(2)).await.unwrap();
    store.commit_turn(second, reply("to both")).await.unwrap();
    let three = say(store, "three").await;
    store.plan_turns(three.id, vec![three_turn].into()).await.unwrap();
    store.commit_turn(third, reply("to the third")).await.unwrap();
    let kit = format!("{}:kit", one.channel.provider());
    store.erase(&Erase::Person(kit.parse().unwrap()), Quotes::Stay).await.unwrap();
    let answers = store.answers(one.id).await.unwrap();
    let found: Vec<_> = answers.iter().map(|turn| (turn.id, turn.state, turn.code, turn.reply)).collect();
    assert_eq!(found, [(first, TurnState::Failed, Some(ErrorCode::ForgottenMeanwhile), None)]);
}
