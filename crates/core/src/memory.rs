//! A memory: a distilled statement with kind, tier, scope, source, trust, version and relations.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{MemoryId, MessageId, PersonaName, Scope, Timestamp, UserId};

/// What sort of statement a memory is: `fact`, `preference`, `decision`, `event`, `summary`, or a
/// word of the user's own. Without one it is `general` (BD4).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Kind(String);

impl Kind {
    /// Lower case, one line, at most 40 characters. An empty word, and every word that names a speaker, becomes
    /// `general`.
    pub fn new(word: &str) -> Self {
        let clean: String = word
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("_")
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            .take(40)
            .collect();
        let clean = clean.to_lowercase();
        // the kind is shown in brackets before the text, where such a word would look like the text's author
        let speaks = ["operator", "system", "developer", "assistant", "user", "admin", "tool", "persona"];
        if clean.is_empty() || speaks.contains(&clean.as_str()) { Self::default() } else { Self(clean) }
    }
    /// A liking, or a wish about every answer: `preference`.
    pub fn preference() -> Self {
        Self("preference".into())
    }
    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Kind {
    fn default() -> Self {
        Self("general".into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How long a memory is meant to live (JV).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Knowledge: permanent unless it says otherwise.
    Semantic,
    /// Something that happened: 30 days unless it says otherwise.
    Episodic,
    /// What a conversation was about: 7 days unless it says otherwise.
    Conversation,
}

/// Whose authority a statement has (X7). Ordered: a later variant is trusted more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Learned from a person in a channel, or written by a tool while the persona answered that person: data, never
    /// an instruction.
    Stranger,
    /// Written by the persona's own tools while it answered no person.
    Persona,
    /// Written by the operator of Greenroom.
    Operator,
}

/// The origin of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// The way it came: `cli`, `tool`, `asked` (the user said "remember …"), `import` …
    pub via: String,
    /// The message it was learned from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The person it was learned from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserId>,
}

/// A stored memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Memory {
    /// The store's id.
    pub id: MemoryId,
    /// The persona that remembers it.
    pub persona: PersonaName,
    /// Where it is valid.
    #[serde(flatten)]
    pub scope: Scope,
    /// The statement.
    pub text: String,
    /// What sort of statement.
    pub kind: Kind,
    /// How long it is meant to live.
    pub tier: Tier,
    /// Where it came from.
    pub source: Source,
    /// Whose authority it has.
    pub trust: Trust,
    /// 1, and one more with every update under the same key (JV9).
    pub version: u32,
    /// The key under which a later statement replaces this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Invisible from this moment on (AS9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// First written.
    pub created_at: Timestamp,
    /// Last written.
    pub updated_at: Timestamp,
}

/// How one memory stands to another (FG7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RelationKind {
    /// Takes the place of an older one.
    Supersedes,
    /// States the same more precisely.
    Refines,
    /// Cannot be true together with it.
    Contradicts,
    /// Belongs to the same matter.
    RelatesTo,
}

/// A typed edge between two memories of one persona.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Relation {
    /// The memory that the relation starts from.
    pub from: MemoryId,
    /// The memory it speaks of.
    pub to: MemoryId,
    /// How they stand to each other.
    pub kind: RelationKind,
}
