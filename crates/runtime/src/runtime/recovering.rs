//! Recovery after a crash: turns that had not ended, and messages that were not answered.

use std::time::Duration;

use greenroom_core::{Author, ChannelKey};
use greenroom_store::{Plan, Unfinished};

use super::Runtime;
use crate::{RuntimeError, floor::DecisionRecord, mailbox::SupervisorMsg};

impl Runtime {
    /// Ends the turns that a crash left unfinished in a channel, and returns them (S1). Undecided replies go to their
    /// room. The owner of the channel calls this before its first message.
    pub async fn recover(&self, channel: &ChannelKey) -> Result<Vec<Unfinished>, RuntimeError> {
        let left = self.services.store.close_unfinished(channel, self.services.now()).await?;
        let is_reply =
            |left: &Unfinished| left.turn.is_none() && matches!(left.message.author, Author::Persona { .. });
        let (replies, left): (Vec<_>, Vec<_>) = left.into_iter().partition(is_reply);
        for Unfinished { message, .. } in replies {
            // the crash came before the room decided who answers it (RM4)
            let (_, token) = self.services.directory.admit(channel)?;
            self.tell(SupervisorMsg::Recover { reply: Box::new(message), token })?;
        }
        Ok(left)
    }

    /// What a crash left unfinished in a chat; without one, in every chat.
    pub(crate) async fn unfinished(
        &self,
        chat: Option<&ChannelKey>,
    ) -> Result<Vec<Unfinished>, RuntimeError> {
        Ok(self.services.store.unfinished(chat).await?)
    }

    /// Decides that no persona answers the messages that a crash left undecided in a chat of a platform and that are
    /// older than `within`. Nobody waits for these answers any more (AD7), and no later start looks at them again. The
    /// owner of the chat calls this.
    pub(crate) async fn settle_stale(&self, chat: &ChannelKey, within: Duration) -> Result<(), RuntimeError> {
        let since = self.services.now().before(within);
        for Unfinished { message, turn } in self.unfinished(Some(chat)).await? {
            let is_said = turn.is_none() && matches!(message.author, Author::User { .. });
            if is_said && message.at < since && message.channel.has_accounts() {
                let decision = Some(DecisionRecord::default().to_json());
                self.services.store.plan_turns(message.id, Plan { decision, ..Plan::default() }).await?;
            }
        }
        Ok(())
    }

    /// The messages of people on chat platforms within this time that crashes left unanswered.
    pub(crate) async fn unanswered_within(&self, within: Duration) -> Result<Vec<Unfinished>, RuntimeError> {
        Ok(self.services.store.unanswered_since(self.services.now().before(within)).await?)
    }
}
