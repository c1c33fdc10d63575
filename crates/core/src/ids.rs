//! Ids as types, so that the compiler refuses a persona's name where a channel's key belongs. Text ids share their
//! text (`Arc<str>`), because nearly every message and event holds some.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Platform, is_unseen, visible};

/// Why a text is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// A persona's name has a character outside `a-z 0-9 - _`, is empty or is too long.
    #[error(
        "`{0}` is not a persona name: use 1 to 64 of a-z, 0-9, `-` and `_`, beginning with a letter or a digit"
    )]
    PersonaName(String),
    /// A channel's key is not `provider:chat_id[:thread]`.
    #[error(
        "`{}` is not a channel: write provider:chat_id or provider:chat_id:thread, as in terminal:default, \
         at most 256 bytes without spaces, control and invisible characters",
        visible(.0)
    )]
    ChannelKey(String),
    /// A user's id is empty, too long or holds a control character or an invisible one.
    #[error(
        "`{}` is not a user id: use 1 to {} characters, none of them a control character or invisible",
        visible(.0),
        UserId::MAX_CHARS
    )]
    UserId(String),
    /// A person without a platform.
    #[error("`{0}` is not a person on a platform: write provider:id, as in discord:42")]
    UserRef(String),
    /// A memory's id is not `m` and a number.
    #[error("`{0}` is not a memory id: write m12 or 12, as `greenroom memory list` shows them")]
    MemoryId(String),
    /// An item's id is neither a memory's nor a message's.
    #[error(
        "`{0}` is neither a memory nor a message: write m12 or msg:4, as `greenroom memory search` shows them"
    )]
    ItemId(String),
    /// A turn's id is not a UUID.
    #[error("`{0}` is not a turn id: it should be a UUID")]
    TurnId(String),
}

/// Serialises through `Display` and `FromStr`, and compares as text.
macro_rules! text_id {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// The unique name of a persona, also the stem of its file: 1 to 64 of `a-z 0-9 - _` (WB12).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, pattern = "^[a-z0-9][a-z0-9_-]{0,63}$", examples("ada"))]
pub struct PersonaName(Arc<str>);

impl PersonaName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `ada`, the sample persona: the default where a command names none.
impl Default for PersonaName {
    fn default() -> Self {
        Self("ada".into())
    }
}

impl FromStr for PersonaName {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let begins = s.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if begins && s.len() <= 64 && s.chars().all(fits) {
            Ok(Self(s.into()))
        } else {
            Err(IdError::PersonaName(s.to_owned()))
        }
    }
}

impl fmt::Display for PersonaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
text_id!(PersonaName);

/// One place of conversation: `provider:chat_id[:thread]`.
///
/// The chat id may itself hold no `:`; a thread may. At most 256 bytes, no control and no invisible characters: two names
/// that look alike would be two places.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(
    value_type = String,
    pattern = r"^[^:\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+:[^:\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+(:[^\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+)?$",
    examples("api:ann", "discord:42:7")
)]
pub struct ChannelKey(Arc<str>);

impl ChannelKey {
    /// The channel of a turn whose messages come with the request. No text parses to this key, so no message and no
    /// memory belongs to it. A person named there is a person of the API.
    pub fn nowhere() -> Self {
        Self("api:".into())
    }
    /// A key of the same platform that no text parses to. No message and no memory belongs to it.
    pub fn nowhere_beside(&self) -> Self {
        Self(format!("{}:", self.provider()).into())
    }
    /// The whole key, as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// The platform, as `terminal` or `discord`.
    pub fn provider(&self) -> &str {
        self.part(0)
    }
    /// The platform's id of the chat.
    pub fn chat_id(&self) -> &str {
        self.part(1)
    }
    /// The thread within the chat, if any.
    pub fn thread(&self) -> Option<&str> {
        Some(self.part(2)).filter(|t| !t.is_empty())
    }
    /// Whether it is [`ChannelKey::nowhere`].
    pub fn is_nowhere(&self) -> bool {
        &*self.0 == "api:"
    }
    /// Whether an adapter has to deliver replies to the channel. The person who talks in a channel of the API also
    /// reads it there, so the outbox owes it nothing.
    pub fn is_delivered_to(&self) -> bool {
        self.platform() != Some(Platform::Api)
    }
    fn part(&self, n: usize) -> &str {
        self.0.splitn(3, ':').nth(n).unwrap_or_default()
    }
}

impl FromStr for ChannelKey {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let parts: Vec<&str> = s.splitn(3, ':').collect();
        let clean = s.len() <= 256 && !s.chars().any(|c| c.is_control() || c.is_whitespace() || is_unseen(c));
        if clean && parts.len() >= 2 && parts.iter().all(|p| !p.is_empty()) {
            Ok(Self(s.into()))
        } else {
            Err(IdError::ChannelKey(s.to_owned()))
        }
    }
}

impl fmt::Display for ChannelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
text_id!(ChannelKey);

/// A person, as the platform names them; unique together with the provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(
    value_type = String,
    pattern = r"^[^\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[^\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff][^\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]*$",
    max_length = 256,
    examples("ann")
)]
pub struct UserId(Arc<str>);

impl UserId {
    /// The characters of the longest id. An id of Matrix may have 255 bytes.
    pub const MAX_CHARS: usize = 256;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserId {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let is_long = s.chars().nth(Self::MAX_CHARS).is_some();
        if s.trim().is_empty() || is_long || s.chars().any(|c| c.is_control() || is_unseen(c)) {
            Err(IdError::UserId(s.to_owned()))
        } else {
            Ok(Self(s.into()))
        }
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
text_id!(UserId);

/// A person on their platform, `provider:id`: two platforms may give two people the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String)]
pub struct UserRef(Arc<str>);

impl UserRef {
    /// The person whom the platform of `channel` calls `user`.
    pub fn new(channel: &ChannelKey, user: &UserId) -> Self {
        Self(format!("{}:{user}", channel.provider()).into())
    }
    /// The platform.
    pub fn provider(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }
    /// The whole reference, as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserRef {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        match s.split_once(':') {
            Some((provider, user)) if !provider.is_empty() => user.parse::<UserId>().map(|_| Self(s.into())),
            _ => Err(IdError::UserRef(s.to_owned())),
        }
    }
}

impl fmt::Display for UserRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
text_id!(UserRef);

/// A stored message, shown as `msg:34`; grows with time within a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct MessageId(pub i64);

impl MessageId {
    /// Later than every stored message: the id of a message that is only previewed.
    pub const UNSTORED: Self = Self(i64::MAX);
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::UNSTORED { f.write_str("msg:new") } else { write!(f, "msg:{}", self.0) }
    }
}

/// A stored memory, shown as `m12`. The id of a forgotten memory is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, pattern = "^m?[1-9][0-9]{0,17}$", examples("m12"))]
pub struct MemoryId(pub i64);

impl FromStr for MemoryId {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let digits = s.strip_prefix('m').unwrap_or(s);
        match digits.parse() {
            Ok(n) if n > 0 => Ok(Self(n)),
            _ => Err(IdError::MemoryId(s.to_owned())),
        }
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}
text_id!(MemoryId);

/// One persona's answer to one trigger message. A UUID v7, so that ids sort by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, format = "uuid")]
pub struct TurnId(pub Uuid);

impl FromStr for TurnId {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        s.parse().map(Self).map_err(|_| IdError::TurnId(s.to_owned()))
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
text_id!(TurnId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wb12_a_persona_name_is_lower_case_and_short() {
        assert!("ada".parse::<PersonaName>().is_ok());
        for bad in ["", "Ada", "a b", "../ada", "-a", "é"] {
            assert!(bad.parse::<PersonaName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_channel_key_has_provider_chat_and_perhaps_a_thread() {
        let key: ChannelKey = "discord:42:7".parse().unwrap();
        assert_eq!((key.provider(), key.chat_id(), key.thread()), ("discord", "42", Some("7")));
        let key: ChannelKey = "terminal:default".parse().unwrap();
        assert_eq!(key.thread(), None);
        for bad in ["terminal", "terminal:", ":x", "a:b:", "a: b"] {
            assert!(bad.parse::<ChannelKey>().is_err(), "{bad}");
        }
    }

    /// B5: an id shows all its characters, so that none looks like another.
    #[test]
    fn x7_no_id_has_characters_that_are_not_seen() {
        for hidden in ['\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ad}', '\u{e0041}'] {
            let error = format!("api:d{hidden}en").parse::<ChannelKey>().unwrap_err().to_string();
            assert!(error.contains(&format!("d\\u{{{:x}}}en", u32::from(hidden))), "{error}");
            assert!(format!("an{hidden}n").parse::<UserId>().is_err(), "{hidden:?}");
        }
        // Persian needs a joiner
        assert!("api:می\u{200c}خواهم".parse::<ChannelKey>().is_ok());
    }

    /// The limit was 200 bytes, and the description of the API said 200 characters.
    #[test]
    fn ad3_a_user_id_is_as_long_as_its_description_says_in_any_script() {
        for (letter, count, fits) in
            [("a", 256, true), ("é", 256, true), ("茶", 256, true), ("é", 257, false)]
        {
            let id = letter.repeat(count);
            assert_eq!(id.parse::<UserId>().is_ok(), fits, "{count} of {letter}");
        }
        let error = "a".repeat(257).parse::<UserId>().unwrap_err().to_string();
        assert!(error.contains("1 to 256 characters"), "{error}");
        let schema = serde_json::to_value(<UserId as utoipa::PartialSchema>::schema()).unwrap();
        assert_eq!(schema["maxLength"], UserId::MAX_CHARS);
    }

    proptest! {
        #[test]
        fn ids_parse_what_they_show(s in "\\PC{0,40}", n in 1i64..) {
            if let Ok(id) = s.parse::<ChannelKey>() { prop_assert_eq!(id.to_string(), s.clone()); }
            if let Ok(id) = s.parse::<PersonaName>() { prop_assert_eq!(id.to_string(), s.clone()); }
            prop_assert_eq!(MemoryId(n).to_string().parse::<MemoryId>(), Ok(MemoryId(n)));
        }
    }
}
