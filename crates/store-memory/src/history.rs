//! The history: the messages of each channel, with authors and sessions.

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Message, MessageId, Timestamp, UserId};
use greenroom_store::{ChannelEntry, HistoryStore, JoinReason, Result, Session};

use crate::{
    InMemoryStore,
    state::{Participation, State, chat},
};

#[async_trait]
impl HistoryStore for InMemoryStore {
    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        Ok(self.state()?.newest(channel, after, None, limit))
    }

    async fn page(
        &self,
        channel: &ChannelKey,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        Ok(self.state()?.newest(channel, None, before, limit))
    }

    async fn message(&self, id: MessageId) -> Result<Option<Message>> {
        Ok(self.state()?.message(id).map(|message| Message::clone(message)))
    }

    async fn triggers(&self, messages: &[MessageId]) -> Result<Vec<(MessageId, MessageId)>> {
        let state = self.state()?;
        let trigger = |id: &MessageId| {
            let turn = state.turns.get(&state.message(*id)?.turn_id?)?;
            Some((*id, turn.trigger))
        };
        let mut triggers: Vec<_> = messages.iter().filter_map(trigger).collect();
        triggers.sort_unstable();
        triggers.dedup();
        Ok(triggers)
    }

    async fn invited(&self, of_chat: Option<(&str, &str)>, limit: usize) -> Result<Vec<ChannelKey>> {
        let state = self.state()?;
        let ours = |key: &ChannelKey| of_chat.is_none_or(|chat| chat == (key.provider(), key.chat_id()));
        let is_invited = |one: &Participation| {
            one.is_present() && matches!(one.reasons.last(), Some((Some(JoinReason::Invited), _)))
        };
        let empty = state.channels.iter().filter(|(key, channel)| {
            ours(key) && channel.messages.is_empty() && channel.personas.values().any(is_invited)
        });
        let mut keys: Vec<_> = empty.map(|(key, _)| key.clone()).collect();
        keys.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        keys.truncate(limit);
        Ok(keys)
    }

    async fn channels(
        &self,
        of_chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>> {
        let state = self.state()?;
        let ours = |key: &ChannelKey| of_chat.is_none_or(|chat| chat == (key.provider(), key.chat_id()));
        let channels = state.channels.iter().filter(|(key, _)| ours(key));
        let entry = |(key, newest): (&ChannelKey, &MessageId)| {
            let at = state.message(*newest)?.at;
            Some(ChannelEntry { channel: key.clone(), newest: *newest, at })
        };
        let mut entries: Vec<_> = channels
            .filter_map(|(key, channel)| Some((key, channel.messages.last()?)))
            .filter(|(_, newest)| before.is_none_or(|before| **newest < before))
            .filter_map(entry)
            .collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.newest));
        entries.truncate(limit);
        Ok(entries)
    }

    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>> {
        let state = self.state()?;
        let speakers = state.channels.get(channel).into_iter().flat_map(|channel| &channel.speakers);
        let mut speakers: Vec<_> = speakers.map(|(author, speaker)| (speaker.since, author)).collect();
        speakers.sort_unstable_by_key(|(since, _)| *since);
        Ok(speakers.into_iter().map(|(_, author)| author.clone()).collect())
    }

    async fn group_since(&self, channel: &ChannelKey) -> Result<Option<MessageId>> {
        Ok(self.state()?.group_since(channel))
    }

    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>> {
        let state = self.state()?;
        let people = state.chats.get(&chat(channel)).into_iter().flat_map(|people| people.values());
        let mut sessions: Vec<_> = people.flatten().cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse((session.last_at, session.id)));
        Ok(sessions)
    }

    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>> {
        Ok(self.state()?.session(channel, user, at).cloned())
    }
}

impl State {
    /// The newest messages of a channel between two ids, oldest first.
    fn newest(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Vec<Message> {
        let messages =
            self.channels.get(channel).into_iter().flat_map(|channel| channel.messages.iter().rev());
        let mut newest: Vec<_> = messages
            .skip_while(|id| before.is_some_and(|before| **id >= before))
            .take_while(|id| after.is_none_or(|after| after < **id))
            .take(limit)
            .filter_map(|id| self.message(*id).map(|message| Message::clone(message)))
            .collect();
        newest.reverse();
        newest
    }

    /// The last session of a person that had begun by a moment.
    pub(crate) fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Option<&Session> {
        let theirs = self.chats.get(&chat(channel))?.get(user)?;
        let begun = theirs.iter().filter(|session| session.started_at <= at);
        begun.max_by_key(|session| (session.last_at, session.id))
    }
}
