//! Texts that quote an erased text (GR10): they are found, and erased as well if that is wanted.

use greenroom_core::{ErrorCode, Scope, Source, Tier, Trust};

use super::{
    erase::{CHAT, answer, hear, in_chat, remembered, said_in},
    given::*,
};
use crate::{Erase, ItemId, NewMemory, Quotes, Store, TurnState};

/// Replies to others and memories that quote a person are found, and are erased if that is wanted.
pub async fn gr10_what_quotes_a_person_is_found_and_goes_if_that_is_wanted(store: &dyn Store) {
    hear(store, "bo", CHAT, "remember that my boat is called Petrel", 0).await;
    let kits = hear(store, "kit", CHAT, "what do you know of the boat of Bo?", 1).await;
    let (turn, quoting) =
        answer(store, "ada", kits.id, "He says it is called Petrel, a fine name.", "system").await;
    let other = hear(store, "kit", "discord:43", "and the weather?", 2).await;
    answer(store, "ada", other.id, "It is raining, and a petrel is a bird.", "system").await;
    let rumour = NewMemory {
        trust: Trust::Stranger,
        ..statement("ada", Scope::Global, "Kit knows it is called Petrel")
    };
    let rumour = store.remember(rumour).await.unwrap().id;
    store.remember(statement("ada", Scope::Global, "An operator: it is called Petrel")).await.unwrap();

    // a summary is erased with Bo, and its words about others are no quotation of him
    let summary = NewMemory {
        tier: Tier::Conversation,
        source: Source { via: "session".into(), message: None, user: Some("bo".parse().unwrap()) },
        trust: Trust::Stranger,
        ..statement("ada", in_chat(), "Bo spoke of boats. ada: It is raining, and a petrel is a bird.")
    };
    store.remember(summary).await.unwrap();

    let bo = Erase::Person("discord:bo".parse().unwrap());
    let quotes = store.quoting(&bo).await.unwrap();
    let found: Vec<_> = quotes.iter().map(|quote| (quote.item, quote.words.as_str())).collect();
    assert_eq!(
        found,
        [(ItemId::Message(quoting), "is called petrel"), (ItemId::Memory(rumour), "is called petrel")]
    );
    assert_eq!((quotes[0].persona.as_str(), quotes[0].channel.as_ref()), ("ada", Some(&channel(CHAT))));
    assert_eq!(store.quoting(&Erase::Person("discord:nobody".parse().unwrap())).await.unwrap(), []);

    let receipt = store.erase(&bo, Quotes::Go).await.unwrap();
    assert_eq!((receipt.messages, receipt.memories), (2, 2));
    assert_eq!(said_in(store, CHAT).await, ["what do you know of the boat of Bo?"]);
    let turn = store.turn(turn).await.unwrap().unwrap();
    let failed = (TurnState::Failed, Some(ErrorCode::ForgottenMeanwhile), None);
    assert_eq!((turn.state, turn.code, turn.reply), failed, "it may be answered anew");
    assert_eq!(said_in(store, "discord:43").await.len(), 2);
    assert_eq!(remembered(store, "ada").await, ["An operator: it is called Petrel"]);
}

/// A name alone is a quotation. The name of a persona is none.
pub async fn gr10_a_name_alone_is_a_quotation_and_a_personas_is_none(store: &dyn Store) {
    hear(store, "bo", CHAT, "remember, Ada: my boat is called Petrel", 0).await;
    let kits = hear(store, "kit", CHAT, "and the boat?", 1).await;
    let (_, quoting) = answer(store, "ada", kits.id, "Petrel!", "system").await;
    let other = hear(store, "kit", "discord:43", "who are you?", 2).await;
    answer(store, "ada", other.id, "Ada.", "system").await;
    let quotes = store.quoting(&Erase::Person("discord:bo".parse().unwrap())).await.unwrap();
    let found: Vec<_> = quotes.iter().map(|quote| (quote.item, quote.words.as_str())).collect();
    assert_eq!(found, [(ItemId::Message(quoting), "petrel")]);
}

/// What a platform may deliver again of an erased person: their messages since a moment, and no replies.
pub async fn x15_the_events_that_an_erasure_removes_are_told(store: &dyn Store) {
    let old = hear(store, "bo", CHAT, "good morning", 0).await;
    let new = hear(store, "bo", "discord:43", "good night", 60).await;
    answer(store, "ada", new.id, "Sleep well.", "system").await;
    hear(store, "kit", CHAT, "hello", 60).await;
    let bo = Erase::Person("discord:bo".parse().unwrap());
    let events = async |since| store.events_to_erase(&bo, since).await.unwrap();
    assert_eq!(events(old.at).await.len(), 2);
    assert_eq!(events(new.at).await, [(new.channel.clone(), new.event_id.clone())]);
}

/// A person's own erasure covers their chat: quotations elsewhere, and global ones, stay.
pub async fn x15_of_a_persons_own_only_what_quotes_them_in_their_chat_goes(store: &dyn Store) {
    hear(store, "bo", CHAT, "remember that my boat is called Petrel", 0).await;
    let kits = hear(store, "kit", "discord:42:7", "what do you know of the boat of Bo?", 1).await;
    let (_, quoting) = answer(store, "ada", kits.id, "He says it is called Petrel.", "system").await;
    let elsewhere = hear(store, "kit", "discord:43", "and the boat?", 2).await;
    answer(store, "ada", elsewhere.id, "The boat is called Petrel, he says.", "system").await;
    for scope in [in_chat(), Scope::Global] {
        let rumour = NewMemory { trust: Trust::Stranger, ..statement("ada", scope, "It is called Petrel") };
        store.remember(rumour).await.unwrap();
    }
    let own = Erase::Own { person: "discord:bo".parse().unwrap(), chat: channel(CHAT) };
    let quotes = store.quoting(&own).await.unwrap();
    assert_eq!(quotes.len(), 2, "a thread is of the chat: {quotes:?}");
    assert_eq!(quotes[0].item, ItemId::Message(quoting));
    let receipt = store.erase(&own, Quotes::Go).await.unwrap();
    assert_eq!((receipt.messages, receipt.memories), (2, 1));
    assert_eq!(said_in(store, "discord:42:7").await, ["what do you know of the boat of Bo?"]);
    assert_eq!(said_in(store, "discord:43").await.len(), 2);
    assert_eq!(remembered(store, "ada").await, ["It is called Petrel"]);
}
