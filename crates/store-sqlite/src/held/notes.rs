//! What writes mean for what is held.

use std::sync::Arc;

use greenroom_core::{ChannelKey, Memory, Message, MessageId};
use greenroom_store::{Embedded, ItemId, NewVector, VectorSpace};

use super::State;
use crate::{inbox::Received, plans::Planned};

impl State {
    /// A message was accepted, with the vector it got or without.
    pub(crate) fn received(&mut self, received: &Received, vector: Option<&Embedded>) {
        if received.duplicate {
            return;
        }
        let message = &received.message;
        self.said(message, None, received.end);
        if let Some(planned) = &received.planned {
            self.planned(message.id, &message.channel, vector, planned);
        }
    }

    /// A message was stored, with its vector or without.
    pub(crate) fn said(&mut self, message: &Arc<Message>, vector: Option<Embedded>, end: i64) {
        self.pasts.said(message);
        self.news.said(message, vector, end);
    }

    /// Turns were planned that answer a message, which may have got its vector with that.
    pub(crate) fn planned(
        &mut self,
        message: MessageId,
        channel: &ChannelKey,
        vector: Option<&Embedded>,
        planned: &Planned,
    ) {
        if let Some(vector) = vector {
            self.news.embedded(ItemId::Message(message), 1, vector.clone(), planned.embedded);
        }
        self.news.planned(planned.end);
        if planned.moved {
            self.pasts.changed(channel);
        }
    }

    /// A memory was written. Where the journal ends, unless an expired one had to go for it.
    pub(crate) fn remembered(&mut self, memory: &Memory, end: Option<i64>) {
        self.memories.changed(&[memory.id]);
        match end {
            Some(end) => self.news.remembered(memory, end),
            // that is an erasure
            None => self.forget(),
        }
    }

    /// Vectors were written.
    pub(crate) fn embedded(&mut self, space: &VectorSpace, vectors: &[NewVector], end: i64) {
        for new in vectors {
            let embedded = Embedded { space: space.clone(), vector: new.vector.clone() };
            self.news.embedded(new.item, new.version, embedded, end);
        }
    }
}
