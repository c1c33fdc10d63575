//! Two accounts of one process in the same chats, and personas that belong to no account.

use std::sync::Arc;

use greenroom_adapters::{
    AccountState, Accounts, AccountsOptions, Author, Event, Faces, Message, Place, Taken, problems,
};
use greenroom_core::Platform;
use greenroom_persona::AccountSettings;
use greenroom_runtime::OwnedChats;

use crate::{
    house::{Free, House, message, name, says, settings},
    paper::{Paper, Terms},
    taking::notices,
};

fn papers() -> [Arc<Paper>; 2] {
    ["bot-a", "bot-b"].map(|id| {
        let own_ids = vec![id.to_owned(), format!("hook-{id}")];
        Arc::new(Paper::on(Terms { own_ids, ..Terms::default() }))
    })
}

async fn takes(paper: &Paper, message: Message) -> Taken {
    paper.happens(Event::Message(message)).await.unwrap()
}

/// Regression: one account took the replies of the other for messages of strangers, and their personas talked without
/// end.
#[tokio::test]
async fn ad3_an_account_recognises_the_replies_of_another_one() {
    let [a, b] = papers();
    let house = House::shared(&[a.clone(), b.clone()]).await;
    let said = message("e1", "@ada Say: (at)vesper Say: tea");
    assert_eq!(takes(&a, said.clone()).await, Taken::Stored);
    assert_eq!(takes(&b, said).await, Taken::Duplicate);
    b.until(|paper| paper.posts().len() == 1).await;
    house.until_open(|open| open.is_empty()).await;
    let echo = |author: Author, of: &Paper, text: &str| Message { author, ..message(&of.ids()[0], text) };
    // the post's id may come before or after the echo; the author tells it in both cases
    for (author, event_id) in
        [(Author::person("bot-a", "Ada"), "p8"), (Author::bot("hook-bot-a", "Ada"), "p9")]
    {
        let echo = Message { author, ..message(event_id, "@vesper Say: tea") };
        assert_eq!(takes(&b, echo).await, Taken::Ignored);
    }
    assert_eq!(takes(&a, echo(Author::person("bot-b", "Vesper"), &b, "tea")).await, Taken::Ignored);
    // an account that has just connected does not know its earlier webhooks
    let unknown = echo(Author::bot("old-hook", "Ada"), &a, "@vesper Say: tea");
    assert_eq!(takes(&b, unknown).await, Taken::Ignored);
    assert_eq!(house.history("tea").await, ["@ada Say: (at)vesper Say: tea", "@vesper Say: tea", "tea"]);
    let person = Author::person("bot-b", "Vesper").person;
    a.happens(Event::Joined { place: Place::chat("tea"), person }).await.unwrap();
    a.happens(says("w1", "!who")).await.unwrap();
    a.until(|paper| !notices(paper).is_empty()).await;
    assert_eq!(notices(&a), ["Personas: Ada, Vesper\nPeople: Ann"]);
}

/// Regression: the mention of an account was not answered if another account heard the message first.
#[tokio::test]
async fn ad1_a_mention_of_an_account_counts_whichever_account_hears_it_first() {
    let [a, b] = papers();
    let _house = House::shared(&[a.clone(), b.clone()]).await;
    for (n, first, second) in [(1, &a, &b), (2, &b, &a)] {
        let said = |addressed| Message {
            addressed,
            mentioned: vec!["bot-b".into()],
            ..message(&format!("e{n}"), &format!("Say: {n}"))
        };
        assert_eq!(takes(first, said(n == 2)).await, Taken::Stored);
        assert_eq!(takes(second, said(n == 1)).await, Taken::Duplicate);
        b.until(|paper| paper.posts().len() == n).await;
    }
    assert_eq!((a.posts().len(), b.texts()), (0, vec!["1".to_owned(), "2".to_owned()]));
}

/// Regression: each account of a room answered the same command.
#[tokio::test]
async fn ad6_a_command_that_two_accounts_hear_runs_once() {
    let [a, b] = papers();
    let _house = House::shared(&[a.clone(), b.clone()]).await;
    let count = |a: &Paper, b: &Paper| notices(a).len() + notices(b).len();
    for n in 0..20 {
        let asks = || says(&format!("c{n}"), "!who");
        let (one, other) = tokio::join!(a.happens(asks()), b.happens(asks()));
        assert_eq!((one.unwrap(), other.unwrap()), (Taken::Ignored, Taken::Ignored));
    }
    a.happens(says("last-a", "!help")).await.unwrap();
    b.happens(says("last-b", "!help")).await.unwrap();
    let told = |paper: &Paper| notices(paper).iter().any(|text| text.contains("leave NAME"));
    a.until(told).await;
    b.until(told).await;
    assert_eq!(count(&a, &b), 20 + 2);
}

/// Regression: a persona that the account does not name was called, answered, and its replies were delivered nowhere.
#[tokio::test]
async fn ad4_a_persona_of_no_account_is_delivered_by_the_account_in_the_chat() {
    for (faces, text) in [(Faces::Own, "hello"), (Faces::Connected, "**Vesper:** hello")] {
        let paper = Arc::new(Paper::on(Terms { faces, ..Terms::default() }));
        let house = House::on(&paper).await;
        let said = Message { addressed: false, ..message("e1", "@vesper Say: hello") };
        assert_eq!(takes(&paper, said).await, Taken::Stored);
        paper.until(|paper| paper.posts().len() == 1).await;
        let post = paper.posts().remove(0);
        assert_eq!((post.face.persona, post.face.name.as_str()), (name("vesper"), "Vesper"));
        assert_eq!(post.text, text);
        house.until_open(|open| open.is_empty()).await;
    }
}

/// Regression: a persona that does not exist in `personas`, or in a mention, made an account connect again and again.
#[tokio::test]
async fn ad5_a_persona_that_does_not_exist_is_left_out_and_doctor_says_so() {
    let paper = Arc::new(Paper::new());
    let personas = vec![name("nobody"), name("ada")];
    let wrong = AccountSettings { personas, ..settings() };
    let house = House::with(&paper, wrong.clone()).await;
    assert_eq!(takes(&paper, message("e1", "Say: one")).await, Taken::Stored);
    let mentions = vec![name("nobody")];
    assert_eq!(takes(&paper, Message { mentions, ..message("e2", "Say: two") }).await, Taken::Stored);
    paper.until(|paper| paper.posts().len() == 2).await;
    house.until_open(|open| open.is_empty()).await;
    let found = problems(&[wrong], &[name("ada")]);
    assert!(found.iter().any(|error| error.to_string().contains("there is no persona nobody")), "{found:?}");
}

/// Regression: `serve` ran only one of two accounts with one name, and said that another process had the other one.
#[tokio::test]
async fn ad5_a_second_account_with_the_same_name_does_not_run_and_says_so() {
    let paper = Arc::new(Paper::new());
    let house = House::on(&paper).await;
    let account = |server: &str, personas| AccountSettings {
        name: "one".into(),
        platform: Platform::Irc,
        server: Some(server.into()),
        personas,
        ..AccountSettings::default()
    };
    let nobody = AccountSettings { name: "two".into(), ..account("localhost:3", vec![name("nobody")]) };
    let all = [account("localhost:1", Vec::new()), account("localhost:2", Vec::new()), nobody];
    let options = AccountsOptions {
        runtime: house.runtime.clone(),
        store: house.store.clone(),
        chats: Arc::new(OwnedChats::new(Free)),
        default_persona: name("ada"),
    };
    let accounts = Accounts::start(options, &all);
    let status = accounts.status().await.unwrap();
    let why = |n: usize| status[n].why.clone().unwrap_or_default();
    assert_eq!(status.len(), 3);
    assert_ne!(status[0].state, AccountState::Invalid);
    assert!(status[1].state == AccountState::Invalid && why(1).contains("another account has this name"));
    assert!(status[2].state == AccountState::Invalid && why(2).contains("there is no persona nobody"));
    accounts.shutdown().await;
}
