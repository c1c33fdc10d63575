//! Why an account cannot be used.

use std::{io, path::PathBuf};

use greenroom_core::Platform;
use greenroom_persona::is_variable_name;

use super::usual_variable;

/// Why an account cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// A setting is missing.
    #[error(
        "account {account}: {platform} needs `{key}`, {example}; `greenroom connect {platform}` asks for it"
    )]
    Missing {
        /// The account.
        account: String,
        /// Its platform.
        platform: Platform,
        /// The setting.
        key: &'static str,
        /// An example value.
        example: &'static str,
    },
    /// The platform cannot have this channel.
    #[error("account {account}: `channels`: {channel} is no channel of {platform}; write it as in {example}")]
    NoChannel {
        /// The account.
        account: String,
        /// Its platform.
        platform: Platform,
        /// The channel as the settings write it.
        channel: String,
        /// An example of a channel.
        example: &'static str,
    },
    /// The environment variable of a secret is not set.
    #[error(
        "account {account}: the environment variable {} is not set; set it to {what} of the account \
         (docs/platforms/{platform}.md says how to get it)",
        shown(variable)
    )]
    NotSet {
        /// The account.
        account: String,
        /// Its platform.
        platform: Platform,
        /// The variable.
        variable: String,
        /// The kind of secret, as `the token`.
        what: &'static str,
    },
    /// The variable's name does not contain the platform, so the variable may hold a secret of another program.
    #[error(
        "account {account}: {} does not name {platform}, so it may be a secret of something else; put the secret \
         into a variable with {platform} in its name, as {}",
        shown(variable),
        usual_variable(*platform)
    )]
    ForeignVariable {
        /// The account.
        account: String,
        /// Its platform.
        platform: Platform,
        /// The variable.
        variable: String,
    },
    /// The file of a secret cannot be read.
    #[error("account {account}: cannot read {}: {source}", path.display())]
    Unreadable {
        /// The account.
        account: String,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Other users can read the file of a secret.
    #[error("account {account}: others can read {}; run chmod 600 on it", path.display())]
    Exposed {
        /// The account.
        account: String,
        /// The file.
        path: PathBuf,
    },
    /// The secret may not be sent to this server in this way.
    #[error("account {account}: {server} {why}")]
    Server {
        /// The account.
        account: String,
        /// The server.
        server: String,
        /// What is wrong, and what to do.
        why: &'static str,
    },
    /// Another setting is wrong.
    #[error("account {account}: {why}")]
    Setting {
        /// The account.
        account: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// This build does not contain the adapter.
    #[error(
        "account {account}: this build has no adapter for {platform}; install the released program, or build with --features {platform}"
    )]
    NotBuilt {
        /// The account.
        account: String,
        /// Its platform.
        platform: Platform,
    },
}

/// The name of a variable; not what may be a secret that was pasted in its place (X5).
fn shown(variable: &str) -> &str {
    if is_variable_name(variable) {
        variable
    } else {
        "(hidden, as it may be the secret and not its variable's name)"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pasted token was in the log of `serve` and in the output of `doctor`.
    #[test]
    fn x5_a_secret_in_place_of_its_variable_is_not_shown() {
        for pasted in
            ["MTI3_discord_SECRETCANARY", "123456789:AAH-SECRETCANARY", "hunterCANARY", "canary_discord"]
        {
            let (account, platform, variable) = (String::new(), Platform::Discord, pasted.to_owned());
            let not_set = AccountError::NotSet {
                account: account.clone(),
                platform,
                variable: variable.clone(),
                what: "",
            };
            let foreign = AccountError::ForeignVariable { account, platform, variable };
            for error in [not_set, foreign] {
                assert!(!error.to_string().to_lowercase().contains("canary"), "{error}");
                assert!(error.to_string().contains("hidden"), "{error}");
            }
        }
        let variable = "DISCORD_TOKEN".to_owned();
        let error =
            AccountError::NotSet { account: String::new(), platform: Platform::Discord, variable, what: "" };
        assert!(error.to_string().contains("variable DISCORD_TOKEN is not set"), "{error}");
    }
}
