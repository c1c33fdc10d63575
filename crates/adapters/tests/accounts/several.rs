//! Several personas and people in one chat: which persona answers, and who is listed as present.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{
    AccountState, Accounts, AccountsOptions, Author, AuthorKind, Event, Message, Outcome, Person, Place,
    Taken, memberships, stored_status,
};
use greenroom_core::{ChannelKey, Platform, Timestamp};
use greenroom_persona::AccountSettings;
use greenroom_runtime::{ChatLocks, HeldLock, NotLocked, OwnedChats};

use crate::{
    house::{House, message, name, says, settings, within},
    paper::{Paper, PaperAdapter},
    taking::notices,
};

/// Regression: no persona of a bot answered a message that was addressed only to the bot itself.
#[tokio::test]
async fn ad2_who_writes_to_the_bot_and_names_no_persona_is_answered_by_one() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("vesper"), name("ada")];
    let house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    let direct =
        |id: &str, text: &str| Message { place: Place::chat("ann"), group: false, ..message(id, text) };
    for (said, who) in [
        (message("e1", "Say: in the group"), "vesper"),
        (direct("e2", "Say: alone"), "vesper"),
        (direct("e3", "@ada Say: you too?"), "ada"),
        (direct("e4", "Say: go on"), "ada"),
        (message("e5", "Say: again in the group"), "vesper"),
    ] {
        let before = paper.posts().len();
        paper.happens(Event::Message(said)).await.unwrap();
        paper.until(|paper| paper.posts().len() > before).await;
        assert_eq!(paper.posts()[before].face.persona, name(who));
        house.until_open(|open| open.is_empty()).await;
    }
    paper.happens(says("e7", "!why")).await.unwrap();
    paper.until(|_| !notices(&paper).is_empty()).await;
    let why = notices(&paper).concat();
    assert!(why.contains("the message is for the bot and names no persona"), "{why}");
    let unaddressed = Message { addressed: false, ..message("e6", "Say: to all of you") };
    paper.happens(Event::Message(unaddressed)).await.unwrap();
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.posts().len(), 5, "what is said to nobody is for the room");
}

/// Regression: a recreated XMPP room gives the same people other ids, and `!who` listed both ids.
#[tokio::test]
async fn ad6_who_lists_the_people_who_are_there_where_the_platform_says_so() {
    let paper = Arc::new(Paper::new());
    let _house = House::on(&paper).await;
    let person = |id: &str| Person { id: id.into(), name: "Ann".into() };
    let says = |id: &str, author: &str, text: &str| {
        let author = Author { person: person(author), kind: AuthorKind::Person };
        Event::Message(Message { author, ..message(id, text) })
    };
    let joined = |id: &str| Event::Joined { place: Place::chat("tea"), person: person(id) };
    let people = async |event: &str| {
        let before = notices(&paper).len();
        paper.happens(says(event, "ann#2", "!who")).await.unwrap();
        paper.until(|_| notices(&paper).len() > before).await;
        notices(&paper).pop().unwrap().lines().find(|line| line.starts_with("People")).unwrap().to_owned()
    };
    paper.happens(says("e1", "ann#1", "Say: one")).await.unwrap();
    paper.happens(says("e2", "ann#2", "Say: two")).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(people("w1").await, "People: Ann, Ann (2)", "both have spoken, and nothing else is known");
    paper.happens(joined("ann#2")).await.unwrap();
    paper
        .happens(Event::Joined {
            place: Place::chat("tea"),
            person: Person { id: "bo".into(), name: "Bo".into() },
        })
        .await
        .unwrap();
    assert_eq!(people("w2").await, "People: Ann, Bo");
    paper
        .happens(Event::Left {
            place: Place::chat("tea"),
            person: Person { id: "bo".into(), name: "Bo".into() },
        })
        .await
        .unwrap();
    assert_eq!(people("w3").await, "People: Ann");
}

/// Regression: `!why` explained a message that a limit held back with "one persona is here", or with the decision about
/// an earlier message.
#[tokio::test]
async fn ad6_why_says_what_held_a_message_back() {
    let paper = Arc::new(Paper::new());
    let few = AccountSettings {
        answers_per_person: 1,
        messages_per_person: 6,
        new_chats_per_hour: 1,
        ..settings()
    };
    let house = House::with(&paper, few).await;
    let why = async |said: Message| {
        let before = notices(&paper).len();
        let asks =
            Message { text: "!why".into(), event_id: format!("why-{}", said.event_id), ..said.clone() };
        paper.happens(Event::Message(said)).await.unwrap();
        paper.happens(Event::Message(asks)).await.unwrap();
        paper.until(|_| notices(&paper).len() > before).await;
        notices(&paper).pop().unwrap()
    };
    let by = |id: &str, who: &str| Message { author: Author::person(who, who), ..message(id, "Say: x") };
    assert_eq!(why(by("e1", "ann")).await, "There was nothing to decide: it was for Ada alone.");
    assert!(why(by("e2", "ann")).await.contains("all the answers that are given to one person in an hour"));
    let late = Message { said_at: Some(Timestamp(1)), ..by("e3", "bo") };
    assert!(why(late).await.contains("came too late to be answered"));
    let elsewhere = Message { place: Place::chat("den"), ..by("e4", "bo") };
    assert!(why(elsewhere).await.contains("as many chats have begun as may begin in an hour"));
    for n in 0..4 {
        paper.happens(Event::Message(by(&format!("m{n}"), "cy"))).await.unwrap();
        paper.happens(Event::Message(by(&format!("n{n}"), "cy"))).await.unwrap();
    }
    let asks = Message { text: "!why".into(), ..by("e9", "bo") };
    paper.happens(Event::Message(asks)).await.unwrap();
    paper.until(|_| notices(&paper).len() == 5).await;
    assert!(notices(&paper).pop().unwrap().contains("has said all that is kept of one person in an hour"));
    house.until_open(|open| open.is_empty()).await;
}

/// Regression: `wick: hello` after `!leave wick` was answered on IRC only.
#[tokio::test]
async fn rm1_a_persona_that_was_let_go_comes_back_when_it_is_called() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("ada"), name("vesper")];
    let house = House::with(&paper, AccountSettings { personas, ..settings() }).await;
    for (id, text, posts) in [
        ("e1", "vesper: Say: here", 1),
        ("e2", "!leave vesper", 1),
        ("e3", "Vesper was here. Say: merely named", 1),
        ("e4", "vesper: Say: back", 2),
    ] {
        let said = Message { addressed: false, ..message(id, text) };
        paper.happens(Event::Message(said)).await.unwrap();
        paper.until(|paper| paper.posts().len() == posts).await;
    }
    house.until_open(|open| open.is_empty()).await;
    assert_eq!(paper.texts(), ["here", "back"]);
    assert_eq!(paper.posts()[1].face.persona, name("vesper"));
}

/// Regression: the answer to a command was lost if the homeserver asked the account to wait.
#[tokio::test]
async fn ad6_a_command_is_answered_when_the_platform_permits_it() {
    let paper = Arc::new(Paper::new());
    let _house = House::on(&paper).await;
    paper.will_tell([1, 2].map(|n| Outcome::RetryAfter(Duration::from_millis(n))));
    paper.happens(says("e1", "!who")).await.unwrap();
    paper.until(|_| notices(&paper).len() == 3).await;
    paper.happens(says("e2", "!who")).await.unwrap();
    paper.until(|_| notices(&paper).len() == 4).await;
}

/// The locks as a second process sees them while another process runs the account `paper`.
struct Second;

impl ChatLocks for Second {
    fn lock(&self, channel: &ChannelKey) -> Result<HeldLock, NotLocked> {
        match channel.as_str() {
            "account:paper" => Err(NotLocked::Elsewhere("another process has it".into())),
            _ => Ok(Box::new(())),
        }
    }
}

/// Regression: a second `serve` on the same data directory stored "another process has the account" over the state from
/// the process that runs the account.
#[tokio::test]
async fn ad8_the_state_of_an_account_is_that_of_the_process_that_has_it() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let both = [settings(), AccountSettings { name: "second".into(), ..settings() }];
    let stored = async |wished: [AccountState; 2]| {
        within(async {
            loop {
                let status = stored_status(&*house.store, &both).await.unwrap();
                if status[1].state == wished[1] {
                    assert_eq!(status[0].state, wished[0]);
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    };
    within(async {
        while stored_status(&*house.store, &both).await.unwrap()[0].state != AccountState::Online {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let options = AccountsOptions {
        runtime: house.runtime.clone(),
        store: house.store.clone(),
        chats: Arc::new(OwnedChats::new(Second)),
        default_persona: name("ada"),
    };
    let adapter = || Arc::new(PaperAdapter(Arc::new(Paper::new())));
    let accounts: Vec<(_, Arc<dyn greenroom_adapters::Adapter>)> =
        both.iter().map(|settings| (settings.clone(), adapter() as _)).collect();
    let second = Accounts::run(options, accounts);
    // states are stored in the order of the accounts, so the first account's state would have been stored by then
    stored([AccountState::Online, AccountState::Online]).await;
    assert_eq!(second.status().await.unwrap()[0].state, AccountState::Elsewhere);
    second.shutdown().await;
}

/// Ada's and Bo's own nicks: what Dora tells Ada's is not told to Bo.
#[test]
fn rm1_a_private_chat_with_a_personas_own_nick_is_for_that_persona_alone() {
    let personas = ["ada", "bo"].map(|name| name.parse().unwrap()).to_vec();
    for platform in [Platform::Irc, Platform::Xmpp] {
        let account = AccountSettings {
            platform,
            name: "one".into(),
            personas: personas.clone(),
            ..AccountSettings::default()
        };
        let entries = memberships(&[account]);
        let members = |channel: &str| {
            let channel = format!("{platform}:one/{channel}").parse().unwrap();
            let of_each = entries.iter().filter(|entry| entry.matches(&channel));
            of_each.flat_map(|entry| entry.members_of(&channel)).map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(members("dora:ada"), ["ada"]);
        assert_eq!(members("dora:bo"), ["bo"]);
        assert_eq!(members("dora"), ["ada", "bo"], "the account has one nick for both");
        assert_eq!(members("dora:another"), ["ada", "bo"]);
    }
}

/// Regression: a bot's `!help` was answered each time, and its `!quiet` silenced the room.
#[tokio::test]
async fn ad3_a_command_of_a_bot_is_a_message() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    for (id, line) in [("b1", "!help"), ("b2", "!quiet")] {
        let author = Author::bot("beep", "Beep");
        let said = Message { author, addressed: false, ..message(id, line) };
        assert_eq!(paper.happens(Event::Message(said)).await.unwrap(), Taken::Stored);
    }
    paper.happens(says("e1", "@ada Say: still here")).await.unwrap();
    paper.until(|paper| paper.texts().contains(&"still here".to_owned())).await;
    house.until_open(|open| open.is_empty()).await;
    assert!(notices(&paper).is_empty());
}

/// Regression: each thread of a known chat counted as a new chat, and its messages were not stored.
#[tokio::test]
async fn s9_a_thread_of_a_known_chat_is_no_new_chat() {
    let paper = Arc::new(Paper::new());
    let house = House::with(&paper, AccountSettings { new_chats_per_hour: 1, ..settings() }).await;
    let takes = async |place: Place, id: &str| {
        let said = Message { place, ..message(id, &format!("Say: {id}")) };
        paper.happens(Event::Message(said)).await.unwrap()
    };
    assert_eq!(takes(Place::chat("tea"), "e1").await, Taken::Stored);
    for thread in ["t1", "t2"] {
        assert_eq!(takes(Place::thread("tea", thread), thread).await, Taken::Stored);
    }
    assert_eq!(takes(Place::thread("den", "t1"), "e2").await, Taken::Ignored);
    paper.until(|paper| paper.posts().len() == 3).await;
    let _house = house.killed(Arc::new(PaperAdapter(paper.clone()))).await;
    assert_eq!(takes(Place::thread("tea", "t3"), "e3").await, Taken::Stored);
    assert_eq!(takes(Place::chat("den"), "e4").await, Taken::Ignored);
}
