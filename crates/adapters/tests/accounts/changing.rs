//! Edits and deletions of messages, and what they do to replies and memories here and on the platform.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Author, Edit, Event, Message, Outcome, Place, Request, Taken};
use greenroom_persona::AccountSettings;

use crate::{
    house::{House, message, name, says, settings},
    paper::{Paper, PaperAdapter},
    taking::notices,
};

#[tokio::test]
async fn ad1_an_edited_message_is_answered_as_it_is_now_and_the_old_reply_is_deleted() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "Say: tea")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let forged = Message { author: Author::person("mallory", "Ann"), ..message("e1", "Say: forged") };
    for (edit, taken) in [
        (forged, Taken::Ignored),
        (message("e1", "Say: tea"), Taken::Duplicate),
        (message("e9", "Say: unknown"), Taken::Ignored),
        (message("e1", "Say: coffee"), Taken::Stored),
    ] {
        assert_eq!(paper.happens(Event::Edited(Edit { message: edit })).await.unwrap(), taken);
    }
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["tea", "coffee"]);
    assert_eq!(house.history("tea").await, ["Say: coffee", "coffee"]);
    let deleted =
        |paper: &Paper| paper.requests().iter().any(|request| matches!(request, Request::Delete { .. }));
    paper.until(deleted).await;
}

/// Regression: an edit of an older message erased the memories of its old text, and Greenroom learned nothing from the
/// new text.
#[tokio::test]
async fn ad1_an_older_message_that_is_edited_is_learned_from_and_not_answered() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("vesper"), name("mnemo")];
    let settings = AccountSettings { personas, answers_per_person: 6, ..settings() };
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let adapter = Arc::new(PaperAdapter(paper.clone()));
    let house = House::open(directory, adapter, settings, vec!["vesper", "mnemo"]).await;
    let cat = |name: &str| format!("@mnemo Remember that my cat is called {name}.");
    paper.happens(says("e1", &cat("Pip"))).await.unwrap();
    let unanswered = Message { addressed: false, ..message("e2", "What a day") };
    paper.happens(Event::Message(unanswered)).await.unwrap();
    paper.happens(says("e3", "@mnemo Say: hello")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    house.until_open(|open| open.is_empty()).await;
    assert!(house.memories("mnemo").await.concat().contains("Pip"));
    let edit = |id: &str, text: &str| Event::Edited(Edit { message: message(id, text) });
    // the personas that answered the old text learn from the new text, whether or not it names them
    for (id, text, learned) in [
        ("e1", "Remember that my cat is called Tom.".to_owned(), &["Tom"][..]),
        ("e2", "@mnemo Remember that my dog is called Rex.".to_owned(), &["Tom", "Rex"]),
        ("e1", cat("Kit"), &["Kit", "Rex"]),
        ("e1", cat("Nil"), &["Rex"]),
    ] {
        assert_eq!(paper.happens(edit(id, &text)).await.unwrap(), Taken::Stored);
        let memories = house.memories("mnemo").await;
        assert!(memories.len() == learned.len(), "{text}: {memories:?}");
        assert!(learned.iter().all(|name| memories.concat().contains(name)), "{text}: {memories:?}");
    }
    assert_eq!(paper.posts().len(), 2, "none of them is answered");
}

/// An edit or a deletion removes all replies that the message led to, also those of personas to each other, here and on
/// the platform.
#[tokio::test]
async fn ad1_replies_to_replies_go_with_the_message_that_is_edited_or_deleted() {
    for is_edit in [true, false] {
        let paper = Arc::new(Paper::new());
        let personas = vec![name("ada"), name("vesper")];
        let house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
        paper.happens(says("e1", "@ada Say: (at)vesper Say: tea")).await.unwrap();
        paper.until(|paper| paper.posts().len() == 2).await;
        house.until_open(|open| open.is_empty()).await;
        // the platform asks the adapter to wait, so the first deletion is repeated
        paper.will_delete([Outcome::RetryAfter(Duration::from_millis(5))]);
        let change = match is_edit {
            true => Event::Edited(Edit { message: message("e1", "@ada Say: coffee") }),
            false => Event::Deleted { place: Place::chat("tea"), event_id: "e1".into(), by: None },
        };
        assert_eq!(paper.happens(change).await.unwrap(), Taken::Stored);
        let deleted = |paper: &Paper| {
            let deleted = |request| match request {
                Request::Delete { event_id, face, .. } => Some((event_id, face.unwrap().persona)),
                _ => None,
            };
            paper.requests().into_iter().filter_map(deleted).collect::<Vec<_>>()
        };
        let ids = paper.ids();
        let of = |n: usize, persona: &str| (ids[n].clone(), name(persona));
        let last = [of(0, "ada"), of(1, "vesper"), of(0, "ada")];
        paper.until(|paper| deleted(paper).len() == last.len()).await;
        assert_eq!(deleted(&paper), last);
    }
}

/// A reply that is erased here is deleted on the platform, although the process dies in between.
#[tokio::test]
async fn ad3_a_reply_is_deleted_although_the_process_dies_after_the_erasure() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "Say: secret")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let deletions =
        |paper: &Paper| paper.requests().iter().filter(|one| matches!(one, Request::Delete { .. })).count();
    paper.will_delete([Outcome::RetryAfter(Duration::from_secs(3600))]);
    let deleted = Event::Deleted { place: Place::chat("tea"), event_id: "e1".into(), by: None };
    assert_eq!(paper.happens(deleted).await.unwrap(), Taken::Stored);
    paper.until(|paper| deletions(paper) == 1).await;
    let _house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    paper.until(|paper| deletions(paper) == 2).await;
}

#[tokio::test]
async fn ad1_a_deleted_message_is_forgotten_with_its_reply() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "Say: secret")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let deleted = Event::Deleted { place: Place::chat("tea"), event_id: "e1".into(), by: None };
    assert_eq!(paper.happens(deleted.clone()).await.unwrap(), Taken::Stored);
    assert!(house.history("tea").await.is_empty());
    assert_eq!(paper.happens(deleted).await.unwrap(), Taken::Ignored);
}

#[tokio::test]
async fn ad1_a_reply_that_was_sent_while_its_message_was_edited_or_deleted_is_deleted() {
    for is_edit in [true, false] {
        let paper = Arc::new(Paper::new());
        let house = House::on(&paper).await;
        paper.hold(true);
        paper.happens(says("e1", "Say: tea")).await.unwrap();
        paper.until(|paper| paper.posts().len() == 1).await;
        let change = match is_edit {
            true => Event::Edited(Edit { message: message("e1", "Say: coffee") }),
            false => Event::Deleted { place: Place::chat("tea"), event_id: "e1".into(), by: None },
        };
        assert_eq!(paper.happens(change).await.unwrap(), Taken::Stored);
        paper.hold(false);
        let first = paper.ids().remove(0);
        let is_deleted =
            |request: &Request| matches!(request, Request::Delete { event_id, .. } if *event_id == first);
        paper.until(|paper| paper.requests().iter().any(is_deleted)).await;
        if is_edit {
            paper.until(|paper| paper.posts().len() == 2).await;
            assert_eq!(paper.texts(), ["tea", "coffee"]);
        }
        house.until_open(|open| open.is_empty()).await;
    }
}

/// A platform that redelivers events may deliver an edit or a deletion before its message.
#[tokio::test]
async fn ad1_an_edit_or_a_deletion_that_comes_before_its_message_counts() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let edited = Event::Edited(Edit { message: message("e1", "Say: coffee") });
    let deleted = |id: &str| Event::Deleted { place: Place::chat("tea"), event_id: id.into(), by: None };
    for change in [edited, deleted("e2")] {
        assert_eq!(paper.happens(change).await.unwrap(), Taken::Ignored);
    }
    assert_eq!(paper.happens(says("e1", "Say: tea")).await.unwrap(), Taken::Stored);
    assert_eq!(paper.happens(says("e2", "Say: secret")).await.unwrap(), Taken::Ignored);
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(house.history("tea").await, ["Say: coffee", "coffee"]);
    // a deleted message is redelivered
    assert_eq!(paper.happens(deleted("e1")).await.unwrap(), Taken::Stored);
    assert_eq!(paper.happens(says("e1", "Say: tea")).await.unwrap(), Taken::Ignored);
    assert!(house.history("tea").await.is_empty());
}

/// The text of a deleted reply is shown to no model again. Its question stays, and is not answered again.
#[tokio::test]
async fn ad1_a_reply_that_a_moderator_deletes_is_forgotten() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "Say: secret")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let reply = paper.ids().remove(0);
    let deleted = |by: Option<&str>| Event::Deleted {
        place: Place::chat("tea"),
        event_id: reply.clone(),
        by: by.map(str::to_owned),
    };
    let unproven = paper.happens(deleted(Some("mallory"))).await.unwrap();
    assert_eq!(unproven, Taken::Ignored, "the platform does not say that mallory may");
    assert_eq!(house.history("tea").await, ["Say: secret", "secret"]);
    assert_eq!(paper.happens(deleted(None)).await.unwrap(), Taken::Stored);
    assert_eq!(house.history("tea").await, ["Say: secret"]);
    let _house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    paper.happens(says("e2", "Say: two")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["secret", "two"]);
}

/// Regression: a message that was corrected into `!forget-me yes` went to the persona, and erased nothing.
#[tokio::test]
async fn ad6_a_message_that_becomes_a_command_runs_once() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "ada: forget-me yes")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let edit = |author: &str| {
        let author = Author::person(author, "Ann");
        Event::Edited(Edit { message: Message { author, ..message("e1", "!forget-me yes") } })
    };
    assert_eq!(paper.happens(edit("mallory")).await.unwrap(), Taken::Ignored);
    assert_eq!(house.history("tea").await.len(), 2);
    for _ in 0..2 {
        assert_eq!(paper.happens(edit("ann")).await.unwrap(), Taken::Ignored);
    }
    assert_eq!(paper.happens(says("e1", "ada: forget-me yes")).await.unwrap(), Taken::Ignored);
    assert_eq!(paper.happens(says("c1", "!help")).await.unwrap(), Taken::Ignored);
    paper.until(|paper| notices(paper).iter().any(|text| text.contains("leave NAME"))).await;
    assert_eq!(notices(&paper).iter().filter(|text| text.starts_with("Forgotten")).count(), 1);
    assert!(house.history("tea").await.is_empty());
    assert_eq!(paper.posts().len(), 1, "no persona sees a command");
}

/// Regression: nothing happened when a mistyped command was corrected.
#[tokio::test]
async fn ad6_a_command_that_is_corrected_is_a_new_command_or_a_message() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("c1", "!hepl")).await.unwrap();
    paper.until(|paper| notices(paper).len() == 1).await;
    let edit = |text: &str| Event::Edited(Edit { message: message("c1", text) });
    for _ in 0..2 {
        assert_eq!(paper.happens(edit("!help")).await.unwrap(), Taken::Ignored);
        paper.until(|paper| notices(paper).len() == 2).await;
    }
    assert_eq!(paper.happens(edit("Say: hello")).await.unwrap(), Taken::Stored);
    assert_eq!(paper.happens(edit("Say: hello")).await.unwrap(), Taken::Duplicate);
    assert_eq!(paper.happens(says("c1", "!hepl")).await.unwrap(), Taken::Ignored);
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(house.history("tea").await, ["Say: hello", "hello"]);
    assert_eq!(notices(&paper).len(), 2);
}
