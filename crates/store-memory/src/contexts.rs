//! A channel's past from the point of view of a persona, and the summary of the part that no longer fits (FG12).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, UserRef, Viewer};
use greenroom_store::{
    AskedPast, ContextStore, HistorySummary, Linked, OTHER_CHATS, OtherChat, Past, Result, Sources,
    rules::taken_back::rest,
};

use crate::{
    InMemoryStore,
    state::{Participation, State},
};

#[async_trait]
impl ContextStore for InMemoryStore {
    async fn past(&self, asked: &AskedPast) -> Result<Past> {
        Ok(self.state()?.past(asked))
    }

    async fn other_chats(
        &self,
        persona: &PersonaName,
        account: &UserRef,
        beside: &ChannelKey,
    ) -> Result<Vec<OtherChat>> {
        Ok(self.state()?.other_chats(persona, account, beside))
    }

    async fn said_one_to_one(&self, viewer: &Viewer, messages: &[MessageId]) -> Result<Vec<Message>> {
        Ok(self.state()?.said_one_to_one(viewer, messages))
    }

    async fn take_back(&self, message: MessageId, part: &str) -> Result<()> {
        self.state()?.take_back(message, part);
        Ok(())
    }

    async fn taken_back(&self, messages: &[MessageId]) -> Result<BTreeMap<MessageId, Vec<String>>> {
        let state = self.state()?;
        let parts = |id: &MessageId| Some((*id, state.taken_back.get(id)?.iter().cloned().collect()));
        Ok(messages.iter().filter_map(parts).collect())
    }

    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>> {
        Ok(self
            .state()?
            .participation(persona, channel)
            .and_then(|participation| participation.context_start))
    }

    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()> {
        let mut state = self.state()?;
        let participation = state.participation_mut(persona, channel);
        // a late reset never moves the start of the context back
        participation.context_start = participation.context_start.max(Some(after));
        Ok(())
    }

    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>> {
        let state = self.state()?;
        let participation = state.participation(persona, channel);
        let messages = state.channels.get(channel).into_iter().flat_map(|channel| &channel.messages);
        let unsummarised = messages
            .filter(|id| after.is_none_or(|after| after < **id))
            .filter(|id| !state.is_aside(**id))
            .filter_map(|id| state.message(*id))
            .filter(|message| self::heard(participation, persona, message, heard));
        Ok(unsummarised.take(limit).map(|message| Message::clone(message)).collect())
    }

    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()> {
        let mut state = self.state()?;
        state.check_sources(&sources)?;
        if state.channels.contains_key(channel) {
            let last = &mut state.participation_mut(persona, channel).summary;
            if last.as_ref().is_none_or(|last| last.until <= summary.until) {
                *last = Some(summary);
            }
        }
        Ok(())
    }
}

impl State {
    fn past(&self, asked: &AskedPast) -> Past {
        let participation = self.participation(&asked.persona, &asked.channel);
        let context_start = participation.and_then(|participation| participation.context_start);
        let summary = participation
            .and_then(|participation| participation.summary.as_ref())
            .filter(|_| asked.summarised);
        let begin = context_start.max(summary.map(|summary| summary.until));
        let channel = self.channels.get(&asked.channel);
        let mut messages: Vec<_> = channel
            .into_iter()
            .flat_map(|channel| channel.messages.iter().rev())
            .take_while(|id| begin.is_none_or(|begin| begin < **id))
            .filter_map(|id| self.message(*id))
            .filter(|message| heard(participation, &asked.persona, message, asked.heard))
            .take(asked.limit)
            .cloned()
            .collect();
        messages.reverse();
        Past {
            messages,
            // a summary from before a reset would tell what the reset was to leave behind
            summary: summary
                .filter(|summary| context_start.is_none_or(|start| start < summary.until))
                .cloned(),
            session: asked
                .user
                .as_ref()
                .and_then(|user| self.session(&asked.channel, user, asked.now))
                .cloned(),
            linked: asked.user.as_ref().map(|user| {
                let account = UserRef::new(&asked.channel, user);
                Linked { others: self.linked(&account), account }
            }),
            presence: participation.map_or_else(Vec::new, |participation| participation.presence.clone()),
            other_chats: asked.user.as_ref().filter(|_| asked.other_chats).map(|user| {
                self.other_chats(&asked.persona, &UserRef::new(&asked.channel, user), &asked.channel)
            }),
            erased: self.erasures.end(),
        }
    }

    /// See [`ContextStore::other_chats`].
    fn other_chats(&self, persona: &PersonaName, account: &UserRef, beside: &ChannelKey) -> Vec<OtherChat> {
        let mut chats: Vec<OtherChat> = Vec::new();
        let talks = self.talks.get(account).into_iter().flatten();
        let others = talks.filter(|(_, (channel, _))| channel != beside && !self.is_group(channel));
        let mut heard: Vec<_> = others
            .filter_map(|(since, (channel, author))| {
                let said = self.channels.get(channel)?.speakers.get(author)?.messages;
                let presence = &self.participation(persona, channel)?.presence;
                (!presence.is_empty()).then_some((said, *since, channel, author, presence))
            })
            .collect();
        heard.sort_unstable_by_key(|(said, since, ..)| Reverse((*said, *since)));
        for (said, _, channel, author, presence) in heard.into_iter().take(OTHER_CHATS) {
            let (name, said) = (author.name().to_owned(), i64::try_from(said).unwrap_or(i64::MAX));
            match chats.iter_mut().find(|chat| chat.channel == *channel) {
                Some(known) => {
                    known.names.push(name);
                    known.messages += said;
                }
                None => chats.push(OtherChat {
                    channel: channel.clone(),
                    presence: presence.clone(),
                    names: vec![name],
                    messages: said,
                }),
            }
        }
        chats
    }

    /// See [`ContextStore::said_one_to_one`].
    fn said_one_to_one(&self, viewer: &Viewer, messages: &[MessageId]) -> Vec<Message> {
        let own = viewer.user_ref().filter(|_| viewer.is_one_to_one() && !self.is_group(viewer.channel()));
        let Some(own) = own else { return Vec::new() };
        let linked = self.linked(&own);
        let told = |message: &Message| {
            let Author::User { id, .. } = &message.author else { return false };
            let account = UserRef::new(&message.channel, id);
            (account == own || linked.contains(&account))
                && message.channel != *viewer.channel()
                && !self.is_group(&message.channel)
                && !self.is_aside(message.id)
                && self.witnessed(viewer.persona(), message)
        };
        let ids: BTreeSet<_> = messages.iter().collect();
        let known = ids.into_iter().filter_map(|id| self.message(*id));
        let told = known.filter(|message| told(message));
        told.filter_map(|message| {
            let gone: Vec<&String> = self.taken_back.get(&message.id).into_iter().flatten().collect();
            Some(Message { text: rest(&message.text, &gone)?, ..Message::clone(message) })
        })
        .collect()
    }

    /// Whether a channel is known as a group.
    fn is_group(&self, channel: &ChannelKey) -> bool {
        self.channels.get(channel).is_some_and(|channel| channel.group_since.is_some())
    }

    /// Whether a persona was present for a message (GR2).
    pub(crate) fn witnessed(&self, persona: &PersonaName, message: &Message) -> bool {
        self.participation(persona, &message.channel)
            .is_some_and(|participation| participation.witnessed(message.id))
    }

    /// Whether a message, or the one that it replies to, is excluded from summaries (BD6).
    fn is_aside(&self, id: MessageId) -> bool {
        let Some(said) = self.messages.get(&id) else { return false };
        let turn = said.message.turn_id.and_then(|turn| self.turns.get(&turn));
        let trigger = turn.and_then(|turn| self.messages.get(&turn.trigger));
        said.aside || trigger.is_some_and(|trigger| trigger.aside)
    }
}

/// Whether a persona heard a message: its own, or one for which it was present. Without `alone`, true for every message
/// (GR2).
fn heard(
    participation: Option<&Participation>,
    persona: &PersonaName,
    message: &Message,
    alone: bool,
) -> bool {
    let own = matches!(&message.author, Author::Persona { name } if name == persona);
    own || !alone || participation.is_some_and(|participation| participation.witnessed(message.id))
}
