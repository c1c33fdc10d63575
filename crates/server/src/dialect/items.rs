//! Items of earlier replies, to which clients of the responses API refer instead of sending them again.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use greenroom_core::UserId;

use super::request::RequestMessage;

/// The bytes of items of one caller, and of all callers.
const ITEMS: (usize, usize) = (512 * 1024, 8 * 1024 * 1024);

/// The bytes of an item beside its texts.
const ITEM: usize = 256;

/// The items of replies without a channel, by their ids. Vercel's AI SDK sends `{"type": "item_reference"}` in place
/// of an earlier reply.
#[derive(Debug, Default)]
pub(crate) struct Items(Mutex<VecDeque<StoredItem>>);

#[derive(Debug)]
struct StoredItem {
    caller: UserId,
    id: String,
    message: RequestMessage,
    bytes: usize,
    /// The number of erasures when it was stored.
    forgotten: u64,
}

impl Items {
    /// Stores an item of a caller; drops the oldest beyond the limit.
    pub(crate) fn put(&self, caller: &UserId, id: String, message: RequestMessage, forgotten: u64) {
        let bytes = ITEM + id.len() + size(&message);
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.push_back(StoredItem { caller: caller.clone(), id, message, bytes, forgotten });
        let (each, all) = ITEMS;
        loop {
            let own: usize = items.iter().filter(|item| item.caller == *caller).map(|item| item.bytes).sum();
            let whole: usize = items.iter().map(|item| item.bytes).sum();
            let oldest = if own > each { items.iter().position(|item| item.caller == *caller) } else { None };
            match oldest.or_else(|| (whole > all).then_some(0)) {
                Some(oldest) => drop(items.remove(oldest)),
                None => return,
            }
        }
    }

    /// An item of a caller, unless memories or messages were forgotten since.
    pub(crate) fn get(&self, caller: &UserId, id: &str, forgotten: u64) -> Option<RequestMessage> {
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.retain(|item| item.forgotten == forgotten);
        items.iter().find(|item| item.caller == *caller && item.id == id).map(|item| item.message.clone())
    }
}

fn size(message: &RequestMessage) -> usize {
    match message {
        RequestMessage::System(text)
        | RequestMessage::User { text, .. }
        | RequestMessage::Tool { text, .. } => text.as_ref().map_or(0, String::len),
        RequestMessage::Assistant { text, calls } => {
            let called = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
            text.as_ref().map_or(0, String::len) + called
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> RequestMessage {
        RequestMessage::Assistant { text: Ok(text.into()), calls: Vec::new() }
    }

    #[test]
    fn x6_an_item_is_its_callers_alone_and_gone_when_something_is_forgotten() {
        let (items, jo, eve) = (Items::default(), "jo".parse().unwrap(), "eve".parse().unwrap());
        items.put(&jo, "msg_1".into(), said("hi"), 0);
        assert_eq!(items.get(&jo, "msg_1", 0), Some(said("hi")));
        assert_eq!(items.get(&eve, "msg_1", 0), None);
        assert_eq!(items.get(&jo, "msg_1", 1), None);
        assert!(items.0.lock().unwrap().is_empty());
    }

    #[test]
    fn x14_the_items_of_one_caller_push_out_nobody_elses() {
        let (items, jo, eve) = (Items::default(), "jo".parse().unwrap(), "eve".parse().unwrap());
        items.put(&jo, "msg_1".into(), said("hi"), 0);
        for n in 0..40 {
            items.put(&eve, format!("msg_{n}"), said(&"x".repeat(64 * 1024)), 0);
        }
        assert!(items.get(&jo, "msg_1", 0).is_some());
        assert!(items.get(&eve, "msg_0", 0).is_none() && items.get(&eve, "msg_39", 0).is_some());
        let held: usize = items.0.lock().unwrap().iter().map(|item| item.bytes).sum();
        assert!(held < ITEMS.0 + 1024, "{held}");
    }
}
