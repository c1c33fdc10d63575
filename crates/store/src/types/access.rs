//! Access keys for programs and people (X1, X2).

use std::fmt;

use greenroom_core::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// The rights of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Acts as one person, in that person's channels.
    User,
    /// May do everything.
    Operator,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Operator => "operator",
        })
    }
}

/// The SHA-256 of a key, the only part of the key that is stored.
pub type KeyHash = [u8; 32];

/// A key to be stored.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Its purpose, in the words of its maker; may be empty.
    pub label: String,
    /// Its rights.
    pub role: Role,
    /// The person as which its holder acts.
    pub user: UserId,
    /// Its hash.
    pub hash: KeyHash,
    /// Now.
    pub at: Timestamp,
}

/// A stored key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessKey {
    /// The store's number.
    pub id: i64,
    /// Its purpose.
    pub label: String,
    /// Its rights.
    pub role: Role,
    /// The person as which its holder acts.
    pub user: UserId,
    /// Its hash.
    #[serde(skip)]
    pub hash: KeyHash,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked; from then on it is refused.
    pub revoked_at: Option<Timestamp>,
}
