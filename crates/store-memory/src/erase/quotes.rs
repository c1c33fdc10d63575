//! Finds texts that quote erased texts and would themselves stay.

use std::collections::BTreeSet;

use greenroom_core::{Author, ChannelKey, MessageId, PersonaName, Scope, Tier, Trust};
use greenroom_store::{
    Erase, ItemId, Quote,
    rules::quotes::{Common, FORGOTTEN, OTHERS, Runs},
};

use super::ItemsToErase;
use crate::state::{State, same_chat};

impl State {
    /// The quotations of the texts that an erasure removes: replies to others, then memories, the newest first.
    pub(super) fn quoting(&self, what: &Erase) -> Vec<Quote> {
        if matches!(what, Erase::Older { .. }) {
            return Vec::new();
        }
        let doomed = self.doomed(what);
        let runs = Runs::of(self.forgotten_texts(&doomed).into_iter());
        if runs.is_empty() {
            return Vec::new();
        }
        let common = Common::of(self.texts_of_others(&doomed.messages));
        let within = match what {
            Erase::Own { chat, .. } => Some(chat),
            _ => None,
        };
        let quote = |item, persona: &PersonaName, channel: Option<&ChannelKey>, text: &str| {
            let (persona, channel) = (persona.clone(), channel.cloned());
            let words = runs.quoted(text, &common)?;
            Some(Quote { item, persona, channel, text: text.to_owned(), words })
        };
        let in_reach = |channel: &ChannelKey| within.is_none_or(|chat| same_chat(channel, chat));
        let messages = self.messages.values().rev().map(|said| &said.message);
        let replies = messages.filter_map(|message| match &message.author {
            Author::Persona { name } if !doomed.messages.contains(&message.id) => Some((message, name)),
            _ => None,
        });
        let replies = replies.filter(|(message, _)| in_reach(&message.channel)).take(OTHERS);
        let memories = self.memories.values().rev().filter(|memory| {
            let in_reach = match &memory.scope {
                Scope::Channel(channel) => in_reach(channel),
                Scope::Global | Scope::User(_) | Scope::Private(_) => within.is_none(),
            };
            // an operator's memory never counts as a quotation
            in_reach && memory.trust != Trust::Operator && !doomed.memories.contains(&memory.id)
        });
        let quotes = replies.filter_map(|(message, name)| {
            quote(ItemId::Message(message.id), name, Some(&message.channel), &message.text)
        });
        let noted = memories.take(OTHERS).filter_map(|memory| {
            let channel = match &memory.scope {
                Scope::Channel(channel) => Some(channel),
                Scope::Global | Scope::User(_) | Scope::Private(_) => None,
            };
            quote(ItemId::Memory(memory.id), &memory.persona, channel, &memory.text)
        });
        quotes.chain(noted).collect()
    }

    /// The texts to forget, without messages of personas. Summaries of conversations are left out, because they contain
    /// words of others too; the original texts are in the list anyway.
    fn forgotten_texts(&self, doomed: &ItemsToErase) -> Vec<&str> {
        let messages = doomed.messages.iter().rev().filter_map(|id| self.message(*id));
        let of_people = messages.filter(|message| matches!(message.author, Author::User { .. }));
        let memories = doomed.memories.iter().rev().filter_map(|id| self.memories.get(id));
        let statements = memories.filter(|memory| memory.tier != Tier::Conversation);
        let texts = of_people.map(|message| message.text.as_str()).take(FORGOTTEN);
        texts.chain(statements.map(|memory| memory.text.as_str()).take(FORGOTTEN)).collect()
    }

    /// Texts of others: of people, and of personas before the first of these messages. Also the names of personas: a text
    /// that addresses one quotes nobody.
    fn texts_of_others(&self, doomed: &BTreeSet<MessageId>) -> impl Iterator<Item = &str> {
        let first = doomed.first().copied().unwrap_or(MessageId(i64::MAX));
        let others = self.messages.values().rev().map(|said| &said.message).filter(move |message| {
            let earlier = matches!(message.author, Author::User { .. }) || message.id < first;
            earlier && !doomed.contains(&message.id)
        });
        let personas = self.messages.values().filter_map(|said| match &said.message.author {
            Author::Persona { name } => Some(name.as_str()),
            _ => None,
        });
        others.take(OTHERS).map(|message| message.text.as_str()).chain(personas)
    }
}
