//! Accounts in `greenroom.toml`: the chat platforms that `greenroom serve` connects to (AD1, AD5).

use std::{path::PathBuf, time::Duration};

use greenroom_core::{PersonaName, Platform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{duration, persona::NAME_PATTERN};

/// The pattern of an account's name, which becomes a part of file names and channel keys.
pub(crate) const ACCOUNT_PATTERN: &str = "^[a-z0-9][a-z0-9_-]{0,31}$";
/// The pattern of an environment variable's name.
pub(crate) const VARIABLE_PATTERN: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// An account on a chat platform. Secrets are in the environment or in a file of the owner alone, never here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["platform"]))]
pub struct AccountSettings {
    /// What the account is called, as `libera`. Two accounts have two names.
    #[schemars(regex(pattern = ACCOUNT_PATTERN))]
    pub name: String,
    /// The platform.
    #[schemars(with = "AccountPlatform")]
    pub platform: Platform,
    /// Whether `serve` connects it.
    pub enabled: bool,
    /// The server: `irc.libera.chat:6697`, `https://matrix.org`. Platforms with one server of their own need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub server: Option<String>,
    /// Whether the connection is encrypted. Only a server on this machine may be reached without.
    pub tls: bool,
    /// A file of certificates that are trusted beside those of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
    /// The account's name on the platform: a nick, a Matrix id, a JID.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub user: Option<String>,
    /// The channels it joins, as the platform names them: `#tea`.
    #[schemars(inner(length(min = 1, max = 200)))]
    pub channels: Vec<String>,
    /// The personas that belong to its channels; all that the cast has where this is empty.
    #[schemars(with = "Vec<String>", inner(regex(pattern = NAME_PATTERN)))]
    pub personas: Vec<PersonaName>,
    /// How several personas are told apart on this account.
    pub faces: FaceSetting,
    /// The environment variable of its token or password.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = VARIABLE_PATTERN))]
    pub token_env: Option<String>,
    /// A file with its token or password, readable by its owner alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub token_file: Option<PathBuf>,
    /// The environment variable of a second secret: the app token of Slack, the signing secret of a bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = VARIABLE_PATTERN))]
    pub app_token_env: Option<String>,
    /// The same in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub app_token_file: Option<PathBuf>,
    /// Messages older than this when they arrive are stored and not answered (AD7).
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub stale_after: Duration,
    /// Whether a reply is sent again when it is uncertain whether it arrived: it may then appear twice.
    pub resend_uncertain: bool,
    /// What the person who asked is told when a turn fails, with `{persona}` in place of its name; nothing where it is empty.
    #[schemars(length(max = 300))]
    pub failure_notice: String,
    /// Chats of people that the account has not met which may begin in an hour; what is said in further ones is ignored.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub new_chats_per_hour: u32,
    /// Messages of one person that are answered in an hour; further ones are stored and not answered.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub answers_per_person: u32,
    /// Messages of one person, or of a bot, that are stored in an hour; further ones are ignored.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub messages_per_person: u32,
    /// The lines of an answer on IRC, where each is a message; `!more` tells further ones. All are said where it is 0.
    #[schemars(range(max = 1_000_000))]
    pub lines_per_answer: u32,
}

impl Default for AccountSettings {
    /// IRC with TLS, every persona, 10 minutes; in an hour 60 new chats, and per person 60 answers and 1,000 messages;
    /// 12 lines per answer.
    fn default() -> Self {
        Self {
            name: String::new(),
            platform: Platform::Irc,
            enabled: true,
            server: None,
            tls: true,
            ca_file: None,
            user: None,
            channels: Vec::new(),
            personas: Vec::new(),
            faces: FaceSetting::Own,
            token_env: None,
            token_file: None,
            app_token_env: None,
            app_token_file: None,
            stale_after: Duration::from_secs(600),
            resend_uncertain: false,
            failure_notice: "{persona} cannot answer now. Please try again later.".into(),
            new_chats_per_hour: 60,
            answers_per_person: 60,
            messages_per_person: 1000,
            lines_per_answer: 12,
        }
    }
}

/// How several personas of one account are told apart (AD4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaceSetting {
    /// Each under a name of its own, where the platform can: on IRC a connection each.
    #[default]
    Own,
    /// By a prefix to what they say.
    Prefix,
}

/// The platforms of accounts, for the schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code, reason = "describes the values alone")]
enum AccountPlatform {
    /// Internet Relay Chat.
    Irc,
    /// Matrix.
    Matrix,
    /// XMPP, also called Jabber.
    Xmpp,
    /// Telegram.
    Telegram,
    /// Discord.
    Discord,
    /// Slack.
    Slack,
    /// The signed bridge for other platforms.
    Bridge,
}
