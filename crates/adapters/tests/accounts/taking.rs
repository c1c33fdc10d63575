//! Incoming events: duplicates, age, senders, commands.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{
    Author, AuthorKind, CommandCall, Edit, Event, Message, Outcome, Person, Place, Request, Taken,
};
use greenroom_core::UserRef;
use greenroom_persona::AccountSettings;
use greenroom_store::{HistoryStore, LinkStore, TurnStore};

use crate::{
    house::{House, key, message, name, now, says, settings},
    paper::{Paper, PaperAdapter},
};

pub fn notices(paper: &Paper) -> Vec<String> {
    let notice = |request| match request {
        Request::Notice(notice) => Some(notice.text),
        _ => None,
    };
    paper.requests().into_iter().filter_map(notice).collect()
}

/// Regression (vercel/chat#666, agno#10073): a repeated delivery was answered twice, or dropped although the first one
/// was lost.
#[tokio::test]
async fn ad1_an_event_that_comes_again_is_answered_once() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    assert_eq!(paper.happens(says("e1", "Say: one")).await.unwrap(), Taken::Stored);
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(paper.happens(says("e1", "Say: one")).await.unwrap(), Taken::Duplicate);
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    assert_eq!(paper.happens(says("e1", "Say: one")).await.unwrap(), Taken::Duplicate);
    paper.happens(says("e2", "Say: two")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["one", "two"]);
    assert_eq!(house.history("tea").await, ["Say: one", "one", "Say: two", "two"]);
}

/// Regression (openclaw#739, #39010, #122886): old messages were answered after a restart.
#[tokio::test]
async fn ad7_what_comes_too_late_is_stored_and_not_answered() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    for (id, age) in [("e1", 7200), ("e2", 3600), ("e3", 1)] {
        let said_at = Some(now().before(Duration::from_secs(age)));
        let late = Message { said_at, ..message(id, &format!("Say: {id}")) };
        assert_eq!(paper.happens(Event::Message(late)).await.unwrap(), Taken::Stored);
    }
    paper.until(|paper| !paper.posts().is_empty()).await;
    assert_eq!(paper.texts(), ["e3"]);
    assert_eq!(house.history("tea").await, ["Say: e1", "Say: e2", "Say: e3", "e3"]);
    let first = &house.store.history(&key("tea"), None, 9).await.unwrap()[0];
    assert!(
        now().since(first.at) >= Duration::from_secs(7200),
        "it is stored with the time at which it was said"
    );
    assert_eq!(house.accounts.status().await.unwrap()[0].stale, 2);
}

/// The next process answers a message that was stored but not yet answered when the process died.
#[tokio::test]
async fn ad3_a_message_that_a_kill_left_unanswered_is_answered() {
    answered_after_kills(1).await;
}

/// Regression: the second process closed the turns of the first, and died before it answered anything.
#[tokio::test]
async fn ad3_a_message_that_two_kills_left_unanswered_is_answered() {
    answered_after_kills(2).await;
}

async fn answered_after_kills(kills: usize) {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    let stored = &house.store.history(&key("tea"), None, 9).await.unwrap()[0];
    let turn = house.store.answers(stored.id).await.unwrap().remove(0);
    assert_eq!(turn.persona, name("ada"));
    // the state that a kill between acknowledgement and answer leaves: a planned turn that never ran
    let unanswered = greenroom_core::Message {
        id: greenroom_core::MessageId::UNSTORED,
        event_id: "e2".into(),
        text: "Say: two".into(),
        at: now(),
        ..stored.clone()
    };
    let plan = greenroom_store::NewTurn {
        id: "00000000-0000-7000-8000-000000000001".parse().unwrap(),
        persona: name("ada"),
        at: now(),
        begins: true,
    };
    greenroom_store::InboxStore::accept_planned(&*house.store, unanswered, vec![plan].into()).await.unwrap();
    if kills == 2 {
        greenroom_store::InboxStore::close_unfinished(&*house.store, &key("tea"), now()).await.unwrap();
    }
    let _house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["one", "two"]);
}

/// Regression: every start looked up all undecided messages, however old.
#[tokio::test]
async fn ad7_what_a_crash_left_undecided_is_settled_when_nobody_waits_for_it_any_more() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let author = greenroom_core::Author::User { id: "ann".parse().unwrap(), name: "Ann".into() };
    for (id, age) in [("old", 3600), ("new", 1)] {
        let at = now().before(Duration::from_secs(age));
        let said = greenroom_core::Message::new(key("tea"), id, author.clone(), format!("@ada Say: {id}"));
        let said = greenroom_core::Message { at, ..said };
        greenroom_store::InboxStore::accept(&*house.store, said).await.unwrap();
    }
    let unfinished = async |house: &House| {
        let left = greenroom_store::InboxStore::unfinished(&*house.store, None).await.unwrap();
        left.into_iter().map(|left| left.message.event_id).collect::<Vec<_>>()
    };
    assert_eq!(unfinished(&house).await, ["old", "new"]);
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    paper.until(|paper| !paper.posts().is_empty()).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), ["new"]);
    assert!(unfinished(&house).await.is_empty());
    assert!(house.history("tea").await.contains(&"@ada Say: old".to_owned()), "it stays in the history");
}

/// Regression (hermes-agent#91481, openclaw#113694, PraisonAI#5062): two bots answered each other without end.
#[tokio::test]
async fn ad3_two_bots_do_not_talk_for_ever() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let bot = |n: usize| {
        let author = Author::bot("beep", "Beep");
        Event::Message(Message { author, ..message(&format!("b{n}"), &format!("Say: again {n}")) })
    };
    for n in 0..20 {
        paper.happens(bot(n)).await.unwrap();
    }
    // a person's message is still answered, after everything before it
    paper.happens(says("e1", "@ada Say: enough")).await.unwrap();
    paper.until(|paper| paper.texts().contains(&"enough".to_owned())).await;
    assert!(paper.posts().len() <= 5, "{:?}", paper.texts());
    assert_eq!(house.history("tea").await.iter().filter(|text| text.starts_with("Say: again")).count(), 20);
}

/// The platform marked a person as a bot by mistake, or a person took the name of a former bot.
#[tokio::test]
async fn ad3_a_sender_that_is_no_bot_any_more_counts_as_a_person() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let beep = |id: &str, kind: AuthorKind| {
        let author = Author { kind, ..Author::person("beep", "Beep") };
        Event::Message(Message { author, ..message(id, &format!("Say: {id}")) })
    };
    paper.happens(beep("b1", AuthorKind::Bot)).await.unwrap();
    paper.happens(says("c1", "/who")).await.unwrap();
    paper.happens(beep("b2", AuthorKind::Person)).await.unwrap();
    paper.happens(says("c2", "/who")).await.unwrap();
    paper.until(|paper| notices(paper).len() == 2).await;
    assert_eq!(
        notices(&paper),
        ["Personas: Ada\nPeople: Ann\nBots: Beep", "Personas: Ada\nPeople: Beep, Ann"]
    );
    // a person begins conversations anew, a bot does not
    let _house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    for id in (3..9).map(|n| format!("b{n}")) {
        paper.happens(beep(&id, AuthorKind::Person)).await.unwrap();
        paper.until(|paper| paper.texts().contains(&id)).await;
    }
}

#[tokio::test]
async fn ad1_our_own_echo_is_not_stored() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let ours = Author { kind: AuthorKind::Ourselves, ..Author::person("us", "Ada") };
    let echo = Event::Message(Message { author: ours, ..message("e1", "Say: one") });
    assert_eq!(paper.happens(echo).await.unwrap(), Taken::Ignored);
    assert_eq!(paper.happens(says("e2", " \n")).await.unwrap(), Taken::Ignored);
    assert!(house.history("tea").await.is_empty());
}

#[tokio::test]
async fn ad1_a_reply_to_a_persona_is_known_by_the_platforms_id() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("ada"), name("vesper")];
    let house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    paper.happens(says("e1", "@vesper Say: hello")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let reply = Message { reply_to: paper.ids().pop(), ..message("e2", "Say: and now?") };
    paper.happens(Event::Message(reply)).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.posts()[1].face.persona, name("vesper"));
}

/// A person may answer a post before the platform tells the adapter the post's id.
#[tokio::test]
async fn ad1_a_reply_that_comes_before_the_id_of_its_post_is_known() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("ada"), name("vesper")];
    let _house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    paper.hold(true);
    paper.happens(says("e1", "@vesper Say: hello")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    let reply = Message { reply_to: paper.ids().pop(), ..message("e2", "Say: and now?") };
    let happens = tokio::spawn({
        let paper = paper.clone();
        async move { paper.happens(Event::Message(reply)).await }
    });
    paper.until(|paper| paper.arrived() == 2).await;
    paper.hold(false);
    assert_eq!(happens.await.unwrap().unwrap(), Taken::Stored);
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.posts()[1].face.persona, name("vesper"));
}

/// A reply to an unknown message waits for the sends in flight, but only for a moment.
#[tokio::test]
async fn ad1_a_reply_to_an_unknown_message_is_taken_while_a_send_hangs() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.hang(true);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    let reply = Message { reply_to: Some("unknown".into()), ..message("e2", "Say: two") };
    assert_eq!(paper.happens(Event::Message(reply)).await.unwrap(), Taken::Stored);
    assert!(house.history("tea").await.contains(&"Say: two".to_owned()));
}

#[tokio::test]
async fn s9_a_stranger_is_stored_and_answered_so_often_also_after_a_restart() {
    let paper = Arc::new(Paper::new());
    let few = AccountSettings {
        messages_per_person: 5,
        answers_per_person: 2,
        new_chats_per_hour: 1,
        ..settings()
    };
    let house = House::with(&paper, few).await;
    for n in 0..4 {
        paper.happens(says(&format!("e{n}"), &format!("Say: {n}"))).await.unwrap();
        paper.until(|paper| paper.posts().len() > n.min(1)).await;
        // a repeated event counts once
        paper.happens(says(&format!("e{n}"), &format!("Say: {n}"))).await.unwrap();
    }
    let elsewhere = |id: &str| Message {
        author: Author::person("bo", "Bo"),
        place: Place::chat("den"),
        ..message(id, "Say: x")
    };
    for id in ["e1", "e2"] {
        assert_eq!(takes(&paper, elsewhere(id)).await, Taken::Ignored, "a new chat too many in this hour");
    }
    assert_eq!((house.history("tea").await.len(), house.history("den").await.len()), (4 + 2, 0));
    assert_eq!(house.accounts.status().await.unwrap()[0].limited, 2 + 2);
    house.until_open(|open| open.is_empty()).await;
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    // the answer to an edit counts as well
    let edit = Event::Edited(Edit { message: message("e3", "Say: edited") });
    assert_eq!(paper.happens(edit).await.unwrap(), Taken::Stored);
    assert_eq!(
        takes(&paper, message("e5", "Say: 5")).await,
        Taken::Ignored,
        "more than is stored of a person"
    );
    assert_eq!(takes(&paper, elsewhere("e3")).await, Taken::Ignored);
    let bo = Message { author: Author::person("bo", "Bo"), ..message("e6", "Say: from bo") };
    assert_eq!(takes(&paper, bo).await, Taken::Stored);
    paper.until(|paper| paper.posts().len() == 3).await;
    assert_eq!(paper.texts(), ["0", "1", "from bo"]);
    assert_eq!(house.history("tea").await.len(), 6 + 2);
}

async fn takes(paper: &Paper, message: Message) -> Taken {
    paper.happens(Event::Message(message)).await.unwrap()
}

#[tokio::test]
async fn ad6_people_ask_who_is_here_and_are_forgotten() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let bo = Person { id: "bo".into(), name: "Bo".into() };
    paper.happens(Event::Joined { place: Place::chat("tea"), person: bo }).await.unwrap();
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    for (n, line) in
        ["/who", "/why", "!quiet 1h", "/quiet off", "/leave nobody", "/forget-me"].iter().enumerate()
    {
        assert_eq!(paper.happens(says(&format!("c{n}"), line)).await.unwrap(), Taken::Ignored);
        paper.until(|paper| notices(paper).len() > n).await;
    }
    let told = notices(&paper);
    assert_eq!(told[0], "Personas: Ada\nPeople: Ann, Bo");
    assert!(
        told[2].contains("quiet off")
            && told[4].starts_with("There is no persona")
            && told[5].contains("forget-me yes")
    );
    assert_eq!(house.history("tea").await, ["Say: one", "one"], "a command is no message");
    let call = CommandCall {
        place: Place::chat("tea"),
        person: Person { id: "ann".into(), name: "Ann".into() },
        line: "forget_me yes".into(),
        answer_to: Some("token".into()),
    };
    paper.happens(Event::Command(call)).await.unwrap();
    paper.until(|paper| notices(paper).len() == 7).await;
    assert!(house.history("tea").await.is_empty());
}

/// Regression: `!help` and a mistyped command went to the persona as messages. A person who had sent only commands was
/// missing from `!who`.
#[tokio::test]
async fn ad6_a_command_with_a_slip_is_no_message_and_help_lists_them() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    for (n, line) in ["!who", "/help", "!hepl", "/quite 1h"].iter().enumerate() {
        assert_eq!(paper.happens(says(&format!("c{n}"), line)).await.unwrap(), Taken::Ignored);
        paper.until(|paper| notices(paper).len() > n).await;
    }
    let told = notices(&paper);
    assert_eq!(told[0], "Personas: Ada\nPeople: Ann");
    assert!(told[1].contains("/who: who is here") && !told[1].contains("more"), "{}", told[1]);
    assert_eq!(told[2], "Did you mean /help? /help lists the commands.");
    assert_eq!(told[3], "Did you mean /quiet 1h, /quiet off? /help lists the commands.");
    paper.happens(says("e1", "!weather in Bonn")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(house.history("tea").await.len(), 2, "another word is a message");
}

/// Replies wait while a platform is offline, and none is lost.
#[tokio::test]
async fn ad1_a_reply_waits_while_the_account_is_offline() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    paper.will([Outcome::Offline]);
    paper.happens(says("e1", "Say: one")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    let house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), ["one", "one"]);
}

/// A private message of a person, by default addressed to the account.
fn in_private(id: &str, who: &str, text: &str) -> Event {
    let message = Message { group: false, author: Author::person(who, who), ..message(id, text) };
    Event::Message(Message { place: Place::chat(who), ..message })
}

#[tokio::test]
async fn mp1_accounts_are_linked_by_a_code_that_is_told_in_private() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let (ann, other): (UserRef, UserRef) = ("discord:ann".parse().unwrap(), "discord:other".parse().unwrap());
    let mut count = 0;
    let mut asks = async |event: Event| {
        assert_eq!(paper.happens(event).await.unwrap(), Taken::Ignored);
        count += 1;
        paper.until(|paper| notices(paper).len() == count).await;
        notices(&paper).pop().unwrap()
    };
    let code_of = |told: &str| told.split("code is ").nth(1).map(|rest| rest[..8].to_owned()).unwrap();
    let void = code_of(&asks(in_private("1", "ann", "/link")).await);
    // the code is void, because others have read it
    assert!(asks(says("2", &format!("/link {void}"))).await.contains("private chat"));
    assert!(asks(in_private("3", "other", &format!("/link {void} yes"))).await.contains("not good"));
    let code = code_of(&asks(in_private("4", "ann", "/link")).await);
    assert!(
        asks(in_private("5", "other", &format!("/link {code}"))).await.contains("Do not go on if another")
    );
    assert_eq!(house.store.linked(&ann).await.unwrap(), [], "nothing is linked without a yes");
    assert!(asks(in_private("6", "other", &format!("/link {code} yes"))).await.contains("one person"));
    assert_eq!(house.store.linked(&ann).await.unwrap(), [other]);
    assert!(
        asks(in_private("7", "eve", &format!("/link {code} yes"))).await.contains("not good"),
        "a code is used once"
    );
    asks(in_private("8", "ann", "/unlink")).await;
    assert_eq!(house.store.linked(&ann).await.unwrap(), []);
}

#[tokio::test]
async fn ad1_a_failed_turn_is_told_to_who_asked_once_and_to_no_bot() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let robot = Message { author: Author::bot("robot", "Robot"), ..message("b1", "Ada, fail, please") };
    paper.happens(Event::Message(robot)).await.unwrap();
    paper.happens(says("e1", "Please fail")).await.unwrap();
    paper.until(|paper| !notices(paper).is_empty()).await;
    paper.happens(says("e2", "Please fail")).await.unwrap();
    paper.happens(says("e3", "Please fail")).await.unwrap();
    paper.happens(says("e4", "Say: well")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(notices(&paper), ["Ada cannot answer now. Please try again later."]);
    let told = paper.requests().into_iter().find_map(|request| match request {
        Request::Notice(notice) => Some(notice.to),
        _ => None,
    });
    assert_eq!(told.as_deref(), Some("ann"));
    assert!(
        house.history("tea").await.iter().all(|text| !text.contains("cannot answer")),
        "it is no message"
    );
}

/// Regression (openclaw#113694): a loop with another bot went on after a restart.
#[tokio::test]
async fn ad3_a_loop_of_bots_ends_although_the_process_restarts() {
    let paper = Arc::new(Paper::new());
    let mut house = House::on(&paper).await;
    for round in 0..4 {
        for n in 0..10 {
            let author = Author::bot("beep", "Beep");
            let text = format!("@ada Say: again {round}.{n}");
            let said = Message { author, ..message(&format!("b{round}.{n}"), &text) };
            paper.happens(Event::Message(said)).await.unwrap();
        }
        house.until_open(|open| open.is_empty()).await;
        house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    }
    paper.happens(says("e1", "@ada Say: enough")).await.unwrap();
    paper.until(|paper| paper.texts().contains(&"enough".to_owned())).await;
    assert!(paper.posts().len() <= 10, "40 messages of a bot were answered by {:?}", paper.texts());
}
