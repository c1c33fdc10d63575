//! Events that a platform delivers again after a restart although the store no longer has them: commands, deleted
//! messages and forgotten messages. XMPP, Slack and Discord read the last minutes twice when they catch up.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Author, Edit, Event, Message, Place, Taken, note_erasure};
use greenroom_core::Timestamp;
use greenroom_store::{AccountStore, Erase, EraseStore, Quotes};

use crate::{
    house::{House, key, message, now, says},
    paper::{Paper, PaperAdapter},
    taking::notices,
};

async fn restarted(house: House, paper: &Arc<Paper>) -> House {
    house.until_open(|open| open.is_empty()).await;
    house.killed(Arc::new(PaperAdapter(paper.clone()))).await
}

/// A message of Ann with the time at which she sent it.
fn at(said_at: Timestamp, id: &str, text: &str) -> Message {
    Message { said_at: Some(said_at), ..message(id, text) }
}

async fn takes(paper: &Paper, message: &Message) -> Taken {
    paper.happens(Event::Message(message.clone())).await.unwrap()
}

/// Regression (openclaw#122886): after a restart, commands and deleted messages took effect again.
#[tokio::test]
async fn ad3_a_command_or_a_deleted_message_that_comes_again_has_no_effect() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let deleted = Event::Deleted { place: Place::chat("tea"), event_id: "e1".into(), by: None };
    for event in [says("e1", "Say: secret"), says("c1", "/quiet 1h"), says("c2", "/quiet off")] {
        paper.happens(event).await.unwrap();
    }
    paper.until(|paper| notices(paper).len() == 2).await;
    assert_eq!(paper.happens(deleted).await.unwrap(), Taken::Stored);
    let house = restarted(house, &paper).await;
    let posts = paper.posts().len();
    for event in [says("e1", "Say: secret"), says("c1", "/quiet 1h"), says("c2", "/quiet off")] {
        assert_eq!(paper.happens(event).await.unwrap(), Taken::Ignored);
    }
    paper.happens(says("e2", "Say: two")).await.unwrap();
    paper.until(|paper| paper.texts().contains(&"two".to_owned())).await;
    assert_eq!((notices(&paper).len(), paper.posts().len()), (2, posts + 1));
    assert_eq!(house.history("tea").await, ["Say: two", "two"]);
}

#[tokio::test]
async fn ad6_what_a_person_said_before_they_were_forgotten_stays_forgotten() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let minute_ago = now().before(Duration::from_secs(60));
    let (ann, bo) = (
        at(minute_ago, "e1", "Say: from ann"),
        Message { author: Author::person("bo", "Bo"), ..at(minute_ago, "e2", "Say: from bo") },
    );
    for message in [&ann, &bo] {
        assert_eq!(takes(&paper, message).await, Taken::Stored);
    }
    paper.until(|paper| paper.posts().len() == 2).await;
    takes(&paper, &at(now(), "c1", "/forget-me yes")).await;
    paper.until(|paper| notices(paper).len() == 1).await;
    let house = restarted(house, &paper).await;
    assert_eq!(takes(&paper, &ann).await, Taken::Ignored);
    assert_eq!(takes(&paper, &bo).await, Taken::Duplicate);
    // Ann's new messages are stored
    assert_eq!(takes(&paper, &at(now(), "e3", "Say: new")).await, Taken::Stored);
    paper.until(|paper| paper.posts().len() == 3).await;
    assert_eq!(paper.texts(), ["from ann", "from bo", "new"]);
    // an operator erases one message, and then the whole chat
    let said = house.store.message_of_event(&key("tea"), "e2").await.unwrap().unwrap();
    let what = Erase::Message(said.id);
    note_erasure(&*house.store, &what, None, now()).await.unwrap();
    house.store.erase(&what, Quotes::Stay).await.unwrap();
    let house = restarted(house, &paper).await;
    assert_eq!(takes(&paper, &bo).await, Taken::Ignored);
    let what = Erase::Channel(key("tea"));
    note_erasure(&*house.store, &what, None, now()).await.unwrap();
    house.store.erase(&what, Quotes::Go).await.unwrap();
    let house = restarted(house, &paper).await;
    for message in [&ann, &bo] {
        assert_eq!(takes(&paper, message).await, Taken::Ignored);
    }
    assert!(house.history("tea").await.is_empty());
}

/// A bridge need not say when something was said, and repeats what was not acknowledged.
#[tokio::test]
async fn ad6_what_a_person_said_stays_forgotten_also_where_a_delivery_has_no_time() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    takes(&paper, &message("e1", "Say: secret")).await;
    paper.until(|paper| paper.posts().len() == 1).await;
    takes(&paper, &message("c1", "/forget-me yes")).await;
    paper.until(|paper| notices(paper).len() == 1).await;
    let house = restarted(house, &paper).await;
    assert_eq!(takes(&paper, &message("e1", "Say: secret")).await, Taken::Ignored);
    assert_eq!(takes(&paper, &message("e2", "Say: new")).await, Taken::Stored);
    paper.until(|paper| paper.texts().contains(&"new".to_owned())).await;
    assert_eq!(house.history("tea").await, ["Say: new", "new"]);
}

/// The clock of a platform differs from that of this machine: the request to forget is compared by the same clock.
#[tokio::test]
async fn s5_after_a_request_to_forget_a_platform_with_a_slow_clock_is_heard() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let there = || now().before(Duration::from_secs(90));
    takes(&paper, &at(there(), "e1", "Say: old")).await;
    paper.until(|paper| paper.posts().len() == 1).await;
    let before = at(there(), "e2", "Say: never delivered before");
    takes(&paper, &at(there(), "c1", "/forget-me yes")).await;
    paper.until(|paper| notices(paper).len() == 1).await;
    assert_eq!(takes(&paper, &at(there(), "e3", "Say: new")).await, Taken::Stored);
    assert_eq!(takes(&paper, &before).await, Taken::Ignored);
    paper.until(|paper| paper.texts().contains(&"new".to_owned())).await;
    assert_eq!(house.history("tea").await, ["Say: new", "new"]);
}

/// Forgetting a person also erases the text of an edit whose message has not arrived yet.
#[tokio::test]
async fn ad6_an_edit_that_came_before_its_message_is_forgotten() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let edit = |text: &str| Event::Edited(Edit { message: at(now(), "e1", text) });
    assert_eq!(paper.happens(edit("Say: secret")).await.unwrap(), Taken::Ignored);
    takes(&paper, &at(now(), "c1", "/forget-me yes")).await;
    paper.until(|paper| notices(paper).len() == 1).await;
    assert_eq!(takes(&paper, &at(now(), "e1", "Say: old")).await, Taken::Stored);
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(house.history("tea").await, ["Say: old", "old"]);
}

/// The same person also uses the API, and erases their own messages of the chat there.
#[tokio::test]
async fn ad6_what_a_person_erased_as_their_own_stays_forgotten() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let minute_ago = now().before(Duration::from_secs(60));
    let (ann, bo) = (
        at(minute_ago, "e1", "Say: from ann"),
        Message { author: Author::person("bo", "Bo"), ..at(minute_ago, "e2", "Say: from bo") },
    );
    for message in [&ann, &bo] {
        assert_eq!(takes(&paper, message).await, Taken::Stored);
    }
    paper.until(|paper| paper.posts().len() == 2).await;
    let what = Erase::Own { person: "discord:ann".parse().unwrap(), chat: key("tea") };
    note_erasure(&*house.store, &what, None, now()).await.unwrap();
    assert_eq!(house.store.erase(&what, Quotes::Stay).await.unwrap().messages, 2);
    assert_eq!((takes(&paper, &ann).await, takes(&paper, &bo).await), (Taken::Ignored, Taken::Duplicate));
    let elsewhere = Message { place: Place::chat("den"), ..ann };
    assert_eq!(takes(&paper, &elsewhere).await, Taken::Stored);
}
