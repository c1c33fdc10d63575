//! Keys that let programs and people in (X1, X2).

use std::fmt;

use greenroom_core::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Talks, as one person, in that person's channels.
    User,
    /// Does everything.
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

/// The SHA-256 of a key: all that is kept of it.
pub type KeyHash = [u8; 32];

/// A key to be kept.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What it is for, in the words of its maker; may be empty.
    pub label: String,
    /// What it may do.
    pub role: Role,
    /// The person it speaks as.
    pub user: UserId,
    /// Its hash.
    pub hash: KeyHash,
    /// Now.
    pub at: Timestamp,
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessKey {
    /// The store's number.
    pub id: i64,
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub role: Role,
    /// The person it speaks as.
    pub user: UserId,
    /// Its hash.
    #[serde(skip)]
    pub hash: KeyHash,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it lets nobody in.
    pub revoked_at: Option<Timestamp>,
}
