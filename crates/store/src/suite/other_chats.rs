//! Messages that a person sent to a persona alone in other channels (MP1).

use std::collections::BTreeSet;

use greenroom_core::{ChannelKey, Message, MessageId, Scope, Source, Tier, UserRef};

use super::given::{channel, later, past_of, persona, said_by, statement, user, viewer};
use crate::{AskedPast, Erase, NewMemory, OTHER_CHATS, OtherChat, Plan, Presence, Quotes, Store};

const CHANNELS: [&str; 8] = ["api:a", "api:b", "api:b:7", "api:c", "api:d", "irc:a", "irc:b", "irc:c"];
const USERS: [&str; 3] = ["ann", "bo", "cy"];
const PERSONAS: [&str; 2] = ["ada", "bob"];

/// Reproducible pseudo-random numbers (Knuth's MMIX generator).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A message, whether memory was switched off for it, and which personas heard it.
struct Spoken {
    message: Message,
    aside: bool,
    heard_by: Vec<&'static str>,
}

/// Whether several people have spoken in the chat of a channel.
fn is_group(spoken: &[Spoken], key: &ChannelKey) -> bool {
    let of_chat = |other: &ChannelKey| (other.provider(), other.chat_id()) == (key.provider(), key.chat_id());
    let here = spoken.iter().filter(|spoken| of_chat(&spoken.message.channel));
    here.map(|spoken| account(&spoken.message)).collect::<BTreeSet<_>>().len() > 1
}

fn account(message: &Message) -> UserRef {
    match &message.author {
        greenroom_core::Author::User { id, .. } => UserRef::new(&message.channel, id),
        greenroom_core::Author::Persona { .. } => panic!("people alone speak here"),
    }
}

/// People speak at random in chats and groups, personas come and go, accounts are linked. Each viewer gets what its
/// person told its persona alone in other channels, and nothing else.
pub async fn mp1_what_a_person_told_alone_elsewhere_is_shown_to_them_alone(store: &dyn Store) {
    let mut draw = Draw(29);
    let mut spoken: Vec<Spoken> = Vec::new();
    let mut present: BTreeSet<(&str, &str)> = BTreeSet::new();
    for n in 0..160 {
        // most chats have one person
        let at = draw.below(CHANNELS.len());
        let who = if draw.below(40) == 0 { draw.below(3) } else { at % 2 };
        let (key, next) = (CHANNELS[at], MessageId(n + 1));
        for name in PERSONAS.into_iter().filter(|_| draw.below(3) == 0).collect::<Vec<_>>() {
            if present.remove(&(name, key)) {
                store.leave(&persona(name), &channel(key), next).await.unwrap();
            } else {
                present.insert((name, key));
                store.enter(&persona(name), &channel(key), next).await.unwrap();
            }
        }
        let aside = draw.below(8) == 0;
        let new = said_by(USERS[who], key, &format!("e{n}"), &format!("word {n}"), later(n));
        let message = store
            .accept_planned(new, Plan { without_memory: aside, ..Plan::default() })
            .await
            .unwrap()
            .message;
        assert_eq!(message.id, next);
        let heard_by = PERSONAS.into_iter().filter(|name| present.contains(&(*name, key))).collect();
        spoken.push(Spoken { message, aside, heard_by });
    }
    let account_of = |key: &str, name: &str| UserRef::new(&channel(key), &user(name));
    store.link(&account_of("api:a", "ann"), &account_of("irc:a", "bo")).await.unwrap();
    let ids: Vec<_> = spoken.iter().map(|spoken| spoken.message.id).collect();
    let mut shown = 0;
    for (key, who, name) in CHANNELS
        .into_iter()
        .flat_map(|key| USERS.into_iter().flat_map(move |who| PERSONAS.map(|name| (key, who, name))))
    {
        let own = account_of(key, who);
        let mut accounts = store.linked(&own).await.unwrap();
        accounts.push(own);
        let told = |spoken: &&Spoken, groups: &[Spoken]| {
            accounts.contains(&account(&spoken.message))
                && spoken.message.channel.to_string() != key
                && spoken.heard_by.contains(&name)
                && !spoken.aside
                && !is_group(groups, &spoken.message.channel)
        };
        let one_to_one = viewer(name, key, Some(who)).one_to_one();
        let expected: Vec<_> = match is_group(&spoken, &channel(key)) {
            true => Vec::new(),
            false => spoken.iter().filter(|one| told(one, &spoken)).map(|one| one.message.clone()).collect(),
        };
        shown += expected.len();
        assert_eq!(
            store.said_one_to_one(&one_to_one, &ids).await.unwrap(),
            expected,
            "{who} with {name} in {key}"
        );
        let others_listen = one_to_one.clone().in_a_group();
        assert_eq!(store.said_one_to_one(&others_listen, &ids).await.unwrap(), []);
        let nobody = viewer(name, key, None).one_to_one();
        assert_eq!(store.said_one_to_one(&nobody, &ids).await.unwrap(), []);
        // each message belongs to a chat in the list
        let mut chats = BTreeSet::new();
        for account in &accounts {
            let others = store.other_chats(&persona(name), account, &channel(key)).await.unwrap();
            chats.extend(others.into_iter().map(|chat| chat.channel));
        }
        assert!(
            expected.iter().all(|message| chats.contains(&message.channel)),
            "{who} with {name} in {key}"
        );
        assert!(chats.iter().all(|chat| !is_group(&spoken, chat)));
    }
    assert!(shown > 100, "{shown}");
}

/// The chats are returned with the persona's presence there and the names of the person. If there are too many, those
/// with the most messages of the person are returned, and of equals the newer ones.
pub async fn mp1_the_other_chats_of_a_person_are_named_with_a_past(store: &dyn Store) {
    let ada = persona("ada");
    for n in 0..=OTHER_CHATS as i64 + 1 {
        let key = format!("api:c{n}");
        store.enter(&ada, &channel(&key), MessageId(n + 1)).await.unwrap();
        store.accept(said_by("ann", &key, "e1", "hello", later(n))).await.unwrap();
    }
    let last = format!("api:c{}", OTHER_CHATS + 1);
    let chats = async |key: &str, who: &str| {
        let asked = AskedPast { channel: channel(key), user: Some(user(who)), ..past_of("ada") };
        let chats = store.past(&asked).await.unwrap().other_chats.unwrap();
        let account = UserRef::new(&channel(key), &user(who));
        assert_eq!(store.other_chats(&ada, &account, &channel(key)).await.unwrap(), chats);
        chats
    };
    let others = chats(&last, "ann").await;
    assert_eq!(others.len(), OTHER_CHATS);
    let newest = OtherChat {
        channel: channel(&format!("api:c{OTHER_CHATS}")),
        presence: vec![Presence { from: MessageId(OTHER_CHATS as i64 + 1), until: None }],
        names: vec!["ann".into()],
        messages: 1,
    };
    assert_eq!(others[0], newest);
    assert!(others.iter().all(|chat| chat.channel != channel("api:c0")), "the oldest finds no place");
    assert_eq!(chats(&last, "bo").await, []);
    let asked = AskedPast { channel: channel(&last), user: None, ..past_of("ada") };
    assert_eq!(store.past(&asked).await.unwrap().other_chats, None, "there is no person");
    let asked = AskedPast { other_chats: false, user: Some(user("ann")), ..asked };
    assert_eq!(store.past(&asked).await.unwrap().other_chats, None, "nor was it asked for");
    assert_eq!(chats("irc:x", "ann").await, [], "the same name on another platform is another person");

    // the chat with the most messages comes first, while these exist
    let second = store
        .accept(said_by("ann", "api:c0", "e2", "more", later(OTHER_CHATS as i64 + 2)))
        .await
        .unwrap()
        .message;
    assert_eq!(chats(&last, "ann").await[0].channel, channel("api:c0"));
    store.erase(&Erase::Message(second.id), Quotes::Stay).await.unwrap();
    assert_eq!(chats(&last, "ann").await[0], newest);

    // a second person makes the chat a group, and a forgotten chat is no longer listed
    store.accept(said_by("bo", "api:c3", "e2", "hello", later(90))).await.unwrap();
    store.erase(&Erase::Channel(channel("api:c4")), Quotes::Stay).await.unwrap();
    let keys: BTreeSet<_> = chats(&last, "ann").await.into_iter().map(|chat| chat.channel).collect();
    assert!(!keys.contains(&channel("api:c3")) && !keys.contains(&channel("api:c4")), "{keys:?}");
    assert!(keys.contains(&channel("api:c5")));
}

/// The summary of a session names the message it was made from. It is rewritten while the session continues, and
/// expires. The person's statements stay known in their other chats until a fact learned from them is corrected.
pub async fn mp1_a_summary_that_is_written_anew_takes_nothing_back(store: &dyn Store) {
    let (here, elsewhere) = (channel("api:a"), viewer("ada", "api:b", Some("ann")).one_to_one());
    store.enter(&persona("ada"), &here, MessageId(1)).await.unwrap();
    let told = "I left the spare key under the fern";
    let message = store.accept(said_by("ann", "api:a", "e1", told, later(0))).await.unwrap().message;
    let learned = |tier: Tier, text: &str, key: &str| NewMemory {
        tier,
        source: Source { via: "session".into(), message: Some(message.id), user: None },
        key: Some(key.into()),
        ..statement("ada", Scope::Channel(here.clone()), text)
    };
    let found = async || store.said_one_to_one(&elsewhere, &[message.id]).await.unwrap().len();
    for text in [told, "They spoke of the spare key", "They spoke of the lamp"] {
        store.remember(learned(Tier::Conversation, text, "session_1_summary")).await.unwrap();
    }
    assert_eq!(found().await, 1, "written anew");
    let lived =
        NewMemory { expires_at: Some(later(5)), ..learned(Tier::Conversation, "A key", "session_2_summary") };
    store.remember(lived).await.unwrap();
    store.sweep(later(9)).await.unwrap();
    assert_eq!(found().await, 1, "expired");
    for text in [told, "the spare key is with Mo"] {
        store.remember(learned(Tier::Semantic, text, "key")).await.unwrap();
    }
    assert_eq!(found().await, 0, "corrected");
}
