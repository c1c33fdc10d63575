//! The platforms that channels are on. A key names its platform first: `irc:libera/#tea`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ChannelKey;

/// A platform: what the provider of a channel's key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// The HTTP API. The person who talks there also reads there, so that nothing is delivered to it.
    Api,
    /// The terminal chat.
    Terminal,
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

impl Platform {
    /// Every platform that an account of the settings can be on.
    pub const ACCOUNTS: [Self; 7] =
        [Self::Irc, Self::Matrix, Self::Xmpp, Self::Telegram, Self::Discord, Self::Slack, Self::Bridge];

    /// The name in keys and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Terminal => "terminal",
            Self::Irc => "irc",
            Self::Matrix => "matrix",
            Self::Xmpp => "xmpp",
            Self::Telegram => "telegram",
            Self::Discord => "discord",
            Self::Slack => "slack",
            Self::Bridge => "bridge",
        }
    }

    /// Whether accounts of the settings deliver to its channels.
    pub fn has_accounts(self) -> bool {
        Self::ACCOUNTS.contains(&self)
    }
}

/// A text that names no platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no platform: use irc, matrix, xmpp, telegram, discord, slack or bridge")]
pub struct UnknownPlatform(String);

impl FromStr for Platform {
    type Err = UnknownPlatform;
    fn from_str(name: &str) -> Result<Self, UnknownPlatform> {
        let all = [Self::Api, Self::Terminal].into_iter().chain(Self::ACCOUNTS);
        all.into_iter()
            .find(|platform| platform.as_str() == name)
            .ok_or_else(|| UnknownPlatform(name.to_owned()))
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ChannelKey {
    /// The platform of the channel; `None` for a provider that is none of ours, as of an imported channel.
    pub fn platform(&self) -> Option<Platform> {
        self.provider().parse().ok()
    }

    /// Whether accounts of the settings deliver to the channel: it is one of a chat platform.
    pub fn has_accounts(&self) -> bool {
        self.platform().is_some_and(Platform::has_accounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad1_a_platform_is_named_by_its_provider() {
        for platform in Platform::ACCOUNTS {
            let key: ChannelKey = format!("{platform}:tea").parse().unwrap();
            assert_eq!(key.platform(), Some(platform));
            assert!(platform.has_accounts());
        }
        assert_eq!("mastodon:tea".parse::<ChannelKey>().unwrap().platform(), None);
        assert!(!Platform::Api.has_accounts() && !Platform::Terminal.has_accounts());
    }
}
