//! Chats and threads of a platform as channel keys: `provider:chat[:thread]`.

use greenroom_core::{ChannelKey, IdError, Platform, is_unseen};

/// A chat of a platform, or a thread in a chat. A thread is a channel of its own and shares the lock of its chat.
///
/// Ids are the platform's. If they are unique in one network only, as on IRC, the adapter puts the account's name in
/// front: `libera/#tea`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The platform's id of the chat.
    pub chat: String,
    /// The platform's id of the thread. `None` for the chat itself.
    pub thread: Option<String>,
}

/// A place that has no channel key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{platform} has a chat whose id is empty or too long: {source}")]
pub struct PlaceError {
    /// The platform.
    platform: Platform,
    /// What is wrong with the key.
    source: IdError,
}

impl Place {
    /// A chat.
    pub fn chat(chat: impl Into<String>) -> Self {
        Self { chat: chat.into(), thread: None }
    }

    /// A thread of a chat.
    pub fn thread(chat: impl Into<String>, thread: impl Into<String>) -> Self {
        Self { chat: chat.into(), thread: Some(thread.into()) }
    }

    /// The key of the channel. Percent-encodes (`%3A`) `:`, `%`, white space, control and invisible characters of ids.
    ///
    /// # Errors
    /// An id that is empty, or a key of more than 256 bytes.
    pub fn key(&self, platform: Platform) -> Result<ChannelKey, PlaceError> {
        let chat = escaped(&self.chat);
        let key = match &self.thread {
            Some(thread) => format!("{platform}:{chat}:{}", escaped(thread)),
            None => format!("{platform}:{chat}"),
        };
        key.parse().map_err(|source| PlaceError { platform, source })
    }

    /// The place of a channel.
    pub fn of(channel: &ChannelKey) -> Self {
        Self { chat: unescaped(channel.chat_id()), thread: channel.thread().map(unescaped) }
    }
}

/// Percent-encodes the characters of an id that separate the parts of a key (`:`, `%`) or that readers cannot see.
pub(crate) fn escaped(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for c in id.chars() {
        if c == ':' || c == '%' || c.is_whitespace() || c.is_control() || is_unseen(c) {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    out
}

fn unescaped(id: &str) -> String {
    let (bytes, mut out, mut at) = (id.as_bytes(), Vec::with_capacity(id.len()), 0);
    while at < bytes.len() {
        let code = id.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ad1_a_thread_is_a_channel_of_its_own() {
        let matrix = Place::thread("!abc:example.org", "$event one");
        let key = matrix.key(Platform::Matrix).unwrap();
        assert_eq!(key.as_str(), "matrix:!abc%3Aexample.org:$event%20one");
        assert_eq!(Place::of(&key), matrix);
        assert_eq!(Place::chat("libera/#tea").key(Platform::Irc).unwrap().as_str(), "irc:libera/#tea");
        assert!(Place::chat("").key(Platform::Irc).is_err());
    }

    proptest! {
        #[test]
        fn ad1_every_place_is_found_again_by_its_key(chat in "\\PC{1,30}|[%: \\x00-\\x20a]{1,20}", thread in "(\\PC{1,10})?") {
            let place = Place { chat, thread: Some(thread).filter(|thread| !thread.is_empty()) };
            prop_assert_eq!(Place::of(&place.key(Platform::Matrix).unwrap()), place);
        }
    }
}
