//! Removes from an exchange what was forgotten or corrected between the reply and the capture. Otherwise the summary of
//! the session would tell it again (GR10).

use std::borrow::Cow;

use greenroom_core::{Message, MessageId};
use greenroom_store::rules::taken_back::rest;

use super::Exchange;
use crate::{Memory, MemoryError};

impl Memory {
    /// The exchange without the parts of its messages that were taken back, and without messages that say nothing else.
    /// Then it has no reply either, because the reply may repeat such a part in other words.
    pub(super) async fn without_taken_back<'a>(
        &self,
        exchange: &'a Exchange,
    ) -> Result<Cow<'a, Exchange>, MemoryError> {
        let ids: Vec<MessageId> = exchange.burst.iter().map(|message| message.id).collect();
        let gone = self.store.taken_back(&ids).await?;
        if gone.is_empty() {
            return Ok(Cow::Borrowed(exchange));
        }
        let left = |message: &Message| {
            let parts = gone.get(&message.id).map_or(&[][..], Vec::as_slice);
            Some(Message { text: rest(&message.text, parts)?, ..message.clone() })
        };
        let burst = exchange.burst.iter().filter_map(left).collect();
        Ok(Cow::Owned(Exchange { burst, reply: String::new(), ..exchange.clone() }))
    }
}
