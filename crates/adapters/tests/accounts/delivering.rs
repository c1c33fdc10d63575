//! Delivery of replies: order, attempts, uncertain sends, crashes.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{AccountState, Faces, Outcome, Request};
use greenroom_core::{Entropy, SystemEntropy, TurnId, Usage};
use greenroom_persona::AccountSettings;
use greenroom_store::{DeliveryState, NewTurn, TurnCommit, prelude::*};

use crate::{
    house::{House, key, name, now, says, settings, within},
    paper::{Paper, PaperAdapter, Terms},
    taking::notices,
};

#[tokio::test]
async fn ad1_replies_arrive_in_order_each_bound_to_its_message() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    for n in 0..5 {
        paper.happens(says(&format!("e{n}"), &format!("Say: {n}"))).await.unwrap();
        paper.until(|paper| paper.posts().len() > n).await;
    }
    let posts = paper.posts();
    let told: Vec<_> =
        posts.iter().map(|post| (post.text.as_str(), post.reply_to.as_deref(), &post.face.persona)).collect();
    let ada = name("ada");
    assert_eq!(
        told,
        [("0", "e0"), ("1", "e1"), ("2", "e2"), ("3", "e3"), ("4", "e4")].map(|(text, event)| (
            text,
            Some(event),
            &ada
        ))
    );
    house.until_open(|open| open.is_empty()).await;
}

/// A persona's answer to another persona's reply refers to that reply by the platform's id, on the account that sent
/// it.
#[tokio::test]
async fn ad1_a_reply_to_a_persona_is_bound_to_the_last_part_of_its_reply() {
    let paper = Arc::new(Paper::on(Terms { longest: 30, ..Terms::default() }));
    let personas = vec![name("ada"), name("vesper")];
    let house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    paper.will([1, 2].map(|n| Outcome::Done { event_id: Some(format!("part{n}")) }));
    let asks = "@ada Say: That is a long story. (at)vesper Say: yes";
    paper.happens(says("e1", asks)).await.unwrap();
    paper.until(|paper| paper.posts().len() == 3).await;
    house.until_open(|open| open.is_empty()).await;
    let bound: Vec<_> = paper.posts().into_iter().map(|post| (post.face.persona, post.reply_to)).collect();
    let (ada, vesper) = (name("ada"), name("vesper"));
    assert_eq!(bound, [(ada.clone(), Some("e1".into())), (ada, None), (vesper, Some("part2".into()))]);
}

#[tokio::test]
async fn ad1_a_reply_to_a_persona_whose_reply_was_refused_is_bound_to_nothing() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("ada"), name("vesper")];
    let _house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    paper.will([Outcome::Refused("no rights".into())]);
    paper.happens(says("e1", "@ada Say: (at)vesper Say: yes")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!((paper.posts()[1].face.persona.as_str(), &paper.posts()[1].reply_to), ("vesper", &None));
}

#[tokio::test]
async fn ad1_a_long_reply_is_sent_in_parts_and_goes_on_where_it_stopped() {
    let paper = Arc::new(Paper::on(Terms { longest: 20, ..Terms::default() }));
    let house = House::on(&paper).await;
    paper.will([
        Outcome::Done { event_id: Some("one".into()) },
        Outcome::Failed("a hiccup".into()),
        Outcome::RetryAfter(Duration::from_millis(5)),
    ]);
    paper.happens(says("e1", "Say: First sentence. Second sentence. Third.")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 5).await;
    house.until_open(|open| open.is_empty()).await;
    let sent: Vec<_> = paper.posts().into_iter().map(|post| (post.text, post.reply_to)).collect();
    let (first, second) =
        (("First sentence.".to_owned(), Some("e1".to_owned())), ("Second sentence.".to_owned(), None));
    assert_eq!(sent, [first, second.clone(), second.clone(), second, ("Third.".to_owned(), None)]);
    let posts = paper.posts();
    let keys: Vec<_> = posts.iter().map(|post| &post.key).collect();
    assert_eq!((keys[1], keys[1]), (keys[2], keys[3]), "the same part has the same key at each attempt");
    assert!(keys[0] != keys[1] && keys[3] != keys[4] && keys[0].len() == 24);
}

/// Regression: sixty lines of code on IRC kept a persona busy for two minutes.
#[tokio::test]
async fn ad1_an_answer_of_many_lines_ends_with_a_note_and_its_reader_is_told_the_rest() {
    let paper = Arc::new(Paper::on(Terms { lines: false, ..Terms::default() }));
    let house = House::with(&paper, AccountSettings { lines_per_answer: 4, ..settings() }).await;
    let lines: Vec<String> = (1..=14).map(|n| format!("line {n}")).collect();
    paper.happens(says("e1", &format!("Say: {}", lines[..4].join("\n")))).await.unwrap();
    paper.until(|paper| paper.posts().len() == 4).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), lines[..4], "as many as are permitted are all said");
    paper.happens(says("e2", &format!("Say: {}", lines.join("\n")))).await.unwrap();
    paper.until(|paper| paper.posts().len() == 8).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts()[4..], ["line 1", "line 2", "line 3", "… (11 more lines: !more)"]);
    assert_eq!(house.history("tea").await[3], lines.join("\n"), "nothing is lost");
    let mut told = Vec::new();
    for (n, page) in ["!more", "!more 2", "!more 3"].into_iter().enumerate() {
        paper.happens(says(&format!("c{n}"), page)).await.unwrap();
        paper.until(|paper| notices(paper).len() > n).await;
        told.push(notices(&paper)[n].clone());
    }
    assert_eq!(told[0], format!("{}\n… (4 more lines: !more 2)", lines[3..10].join("\n")));
    assert_eq!(told[1], lines[10..].join("\n"));
    assert_eq!(told[2], "No answer here has more lines.");
}

/// Regression (openclaw#22780): a reply was posted twice after the answer of the platform was lost.
#[tokio::test]
async fn ad1_a_send_whose_answer_was_lost_is_uncertain_and_not_sent_again() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.will([Outcome::Uncertain("the connection broke".into())]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    let open = house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Uncertain)).await;
    assert_eq!(open[0].why.as_deref(), Some("the connection broke"));
    paper.happens(says("e2", "Say: two")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["one", "two"], "it holds nothing up and is not repeated");
    let status = &house.accounts.status().await.unwrap()[0];
    assert_eq!((status.uncertain, status.failed.len(), status.as_user.as_deref()), (1, 1, Some("paper")));
    assert!(house.accounts.resend(open[0].id).await.unwrap());
    paper.until(|paper| paper.posts().len() == 3).await;
    assert_eq!(paper.texts()[2], "one");
    house.until_open(|open| open.is_empty()).await;
    assert!(!house.accounts.resend(open[0].id).await.unwrap());
}

/// A platform that recognises an idempotency key posts once. The part is therefore sent until the answer arrives.
#[tokio::test]
async fn ad1_a_send_whose_answer_was_lost_is_repeated_under_its_key() {
    let paper = Arc::new(Paper::on(Terms { key_lives: Some(Duration::from_secs(900)), ..Terms::default() }));
    let house = House::on(&paper).await;
    paper.will([Outcome::Uncertain("the connection broke".into())]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    house.until_open(|open| open.is_empty()).await;
    let posts = paper.posts();
    assert_eq!(posts[0].key, posts[1].key);
}

/// Regression: the replies of an account that no longer runs came first in the queue. After 1,024 of them no other
/// account of the platform delivered anything.
#[tokio::test]
async fn ad3_what_waits_for_an_account_that_does_not_run_holds_no_other_one_up() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    for n in 0..1030 {
        let author = greenroom_core::Author::User { id: "ann".parse().unwrap(), name: "Ann".into() };
        let asked = greenroom_core::Message::new(key(&format!("other{n}")), "e1", author, "hello");
        let asked = house.store.accept(asked).await.unwrap().message;
        // the chat belonged to an account that has been removed
        let id = TurnId(SystemEntropy.uuid());
        let turn = NewTurn { id, persona: name("vesper"), at: now(), begins: true };
        house.store.plan_turns(asked.id, vec![turn].into()).await.unwrap();
        let reply = TurnCommit {
            text: "late".into(),
            at: now(),
            usage: Usage { prompt_tokens: 1, completion_tokens: 1, estimated: true, cost_micros: 0 },
            receipt: None,
            vector: None,
            sources: Default::default(),
            unhandled: false,
        };
        house.store.commit_turn(id, reply).await.unwrap();
    }
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.texts() == ["one"]).await;
}

/// Regression: a delivery that panicked blocked its channel until the next start, and no log said so.
#[tokio::test]
async fn ad1_a_delivery_that_panics_is_repeated_under_its_key_or_uncertain_and_holds_nothing_up() {
    for key_lives in [None, Some(Duration::from_secs(900))] {
        let paper = Arc::new(Paper::on(Terms { key_lives, ..Terms::default() }));
        let house = House::on(&paper).await;
        paper.will_panic(1);
        paper.happens(says("e1", "Say: one")).await.unwrap();
        paper.happens(says("e2", "Say: two")).await.unwrap();
        paper.until(|paper| paper.texts().contains(&"two".to_owned())).await;
        let open =
            house.until_open(|open| open.iter().all(|one| one.state == DeliveryState::Uncertain)).await;
        match key_lives {
            None => assert_eq!((paper.texts(), open.len()), (vec!["one".into(), "two".into()], 1)),
            Some(_) => {
                let posts = paper.posts();
                assert_eq!(
                    (paper.texts(), open.len()),
                    (["one", "one", "two"].map(String::from).to_vec(), 0)
                );
                assert_eq!(posts[0].key, posts[1].key);
            }
        }
    }
}

#[tokio::test]
async fn ad1_settings_may_have_an_uncertain_send_repeated() {
    let paper = Arc::new(Paper::new());
    let house = House::with(&paper, AccountSettings { resend_uncertain: true, ..settings() }).await;
    paper.will([Outcome::Uncertain("the connection broke".into())]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["one", "one"]);
    house.until_open(|open| open.is_empty()).await;
}

#[tokio::test]
async fn ad1_what_the_platform_refuses_is_kept_until_it_is_sent_again_or_dropped() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.will([Outcome::Refused("no rights".into()), Outcome::Refused("no rights".into())]);
    for n in 1..=3 {
        paper.happens(says(&format!("e{n}"), &format!("Say: {n}"))).await.unwrap();
        paper.until(|paper| paper.posts().len() == n).await;
    }
    let open = house.until_open(|open| open.len() == 2).await;
    assert!(
        open.iter().all(|one| one.state == DeliveryState::Dead && one.why.as_deref() == Some("no rights"))
    );
    assert!(house.accounts.give_up(open[0].id).await.unwrap());
    assert!(house.accounts.resend(open[1].id).await.unwrap());
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), ["1", "2", "3", "2"]);
}

/// The process dies during a send. Without a key nobody knows whether the message arrived.
#[tokio::test]
async fn ad3_a_send_that_a_kill_cut_off_is_uncertain_without_a_key_and_repeated_with_one() {
    for key_lives in [None, Some(Duration::from_secs(3600))] {
        let paper = Arc::new(Paper::on(Terms { key_lives, ..Terms::default() }));
        let house = House::on(&paper).await;
        paper.hang(true);
        paper.happens(says("e1", "Say: one")).await.unwrap();
        paper.until(|paper| paper.posts().len() == 1).await;
        paper.hang(false);
        let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
        match key_lives {
            None => {
                house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Uncertain)).await;
                assert_eq!(paper.posts().len(), 1, "it is not sent again");
            }
            Some(_) => {
                house.until_open(|open| open.is_empty()).await;
                let posts = paper.posts();
                assert_eq!(
                    (posts.len(), &posts[0].key),
                    (2, &posts[1].key),
                    "the platform knows the key again"
                );
            }
        }
    }
}

#[tokio::test]
async fn ad3_a_reply_that_waits_when_the_process_dies_is_sent_by_the_next_one() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.will([Outcome::RetryAfter(Duration::from_secs(3600))]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Waiting)).await;
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), ["one", "one"]);
}

#[tokio::test]
async fn ad4_personas_without_a_face_of_their_own_are_told_apart_by_a_prefix() {
    let paper = Arc::new(Paper::on(Terms { faces: Faces::Prefix, ..Terms::default() }));
    let personas = vec![name("ada"), name("vesper")];
    let _house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    paper.happens(says("e1", "@vesper Say: hello")).await.unwrap();
    paper.until(|paper| !paper.posts().is_empty()).await;
    assert_eq!(paper.texts()[0], "**Vesper:** hello");
}

#[tokio::test]
async fn ad1_typing_is_shown_before_a_reply() {
    let paper = Arc::new(Paper::new());
    let _house = House::on(&paper).await;
    paper.happens(says("e1", "Say: one")).await.unwrap();
    let shown = |paper: &Paper| {
        let typing = |request: &Request| matches!(request, Request::Typing { face, .. } if face.persona == name("ada"));
        paper.requests().iter().any(typing)
    };
    paper.until(shown).await;
}

/// A reply was given up at once where the platform refused the token, and the account was shown as online.
#[tokio::test]
async fn ad1_a_reply_waits_while_the_token_is_refused_and_operators_see_it() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.will([Outcome::Denied("the token was withdrawn".into())]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.iter().all(|one| one.state == DeliveryState::Waiting)).await;
    let status = house.accounts.status().await.unwrap().remove(0);
    assert_eq!((status.state, status.waiting, status.dead), (AccountState::Refused, 1, 0));
    assert_eq!(status.why.as_deref(), Some("the token was withdrawn"));
    within(async {
        while !house.store.open_deliveries(1).await.unwrap().is_empty() {
            // ends the wait for the next attempt
            house.accounts.resend(0).await.unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_eq!(paper.texts(), ["one", "one"]);
    assert_eq!(house.accounts.status().await.unwrap()[0].state, AccountState::Online);
}

/// Regression: a reply that had waited for hours was sent after a restart.
#[tokio::test]
async fn ad7_a_reply_that_is_stale_at_the_start_is_given_up_until_an_operator_resends_it() {
    let paper = Arc::new(Paper::new());
    let stale_after = Duration::from_micros(1);
    let house = House::with(&paper, AccountSettings { stale_after, ..settings() }).await;
    let waits = || Outcome::RetryAfter(Duration::from_secs(3600));
    paper.will([waits()]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Waiting)).await;
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    let open = house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Dead)).await;
    assert!(open[0].why.as_ref().unwrap().contains("stale_after"));
    assert_eq!(paper.posts().len(), 1);
    paper.will([waits()]);
    assert!(house.accounts.resend(open[0].id).await.unwrap());
    paper.until(|paper| paper.posts().len() == 2).await;
    house.until_open(|open| open.iter().any(|one| one.state == DeliveryState::Waiting)).await;
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    paper.until(|paper| paper.posts().len() == 3).await;
    house.until_open(|open| open.is_empty()).await;
}
