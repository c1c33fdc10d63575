//! Reads the settings and secrets of an account and makes its adapter. The only module that names every adapter.

mod error;
mod host;

use std::{fs, path::PathBuf, sync::Arc};

use greenroom_core::{PersonaName, Platform};
use greenroom_persona::{AccountSettings, Secret, env};

pub use self::error::AccountError;
use self::host::domain;
pub(crate) use self::host::is_local;
use crate::{Adapter, Place};

/// An account with its secrets. Its errors and its `Debug` output do not contain the secrets (X5).
#[derive(Debug, Clone)]
pub struct Account {
    /// Its settings.
    pub settings: AccountSettings,
    /// The token or password.
    pub token: Option<Secret>,
    /// The second secret, for platforms that need two.
    pub app_token: Option<Secret>,
}

impl Account {
    /// Checks the settings of an account and reads its secrets.
    ///
    /// # Errors
    /// A missing or wrong setting.
    pub fn read(settings: &AccountSettings) -> Result<Self, AccountError> {
        let AccountSettings { name, token_env, token_file, app_token_env, app_token_file, .. } = settings;
        let account = || name.clone();
        if name.is_empty() {
            let (key, example) = ("name", "what the account is called");
            return Err(AccountError::Missing {
                account: "?".into(),
                platform: settings.platform,
                key,
                example,
            });
        }
        let host = settings.server.as_deref().or_else(|| domain(settings));
        let local = host.is_none_or(is_local);
        let server = |why| AccountError::Server {
            account: account(),
            server: host.unwrap_or_default().to_owned(),
            why,
        };
        if !settings.tls && !local {
            return Err(server(
                "is not on this machine and may not be reached without encryption; remove `tls = false` (--no-tls)",
            ));
        }
        let has_one_server =
            matches!(settings.platform, Platform::Discord | Platform::Telegram | Platform::Slack);
        if has_one_server && !local {
            return Err(server(
                "would get the token of the account; remove `server`, which is for tests on this machine",
            ));
        }
        let secret = |variable: &Option<String>, file: &Option<PathBuf>, what| match (variable, file) {
            (Some(variable), _) => from_environment(settings, variable, what).map(Some),
            (None, Some(file)) => from_file(name, file).map(Some),
            (None, None) => Ok(None),
        };
        Ok(Self {
            token: secret(token_env, token_file, "the token or password")?,
            app_token: secret(app_token_env, app_token_file, "the second secret")?,
            settings: settings.clone(),
        })
    }

    /// The patterns of the channels that belong to an account.
    pub(crate) fn channels(settings: &AccountSettings) -> Vec<String> {
        let AccountSettings { platform, name, channels, .. } = settings;
        match platform {
            // ids are unique in one network or for one bot only, so the key contains the account's name
            Platform::Irc | Platform::Slack | Platform::Telegram | Platform::Bridge => {
                vec![format!("{platform}:{name}/*")]
            }
            // a room has the same key for every account; the key of a direct chat contains the account's name
            Platform::Xmpp => {
                let room = |room: &String| room.split('/').next().unwrap_or_default().to_lowercase();
                let rooms = channels.iter().filter_map(|it| Place::chat(room(it)).key(*platform).ok());
                rooms.map(|key| key.to_string()).chain([format!("{platform}:{name}/*")]).collect()
            }
            platform => vec![format!("{platform}:*")],
        }
    }

    /// Whether both are the same account on the platform. A bridge account may be connected twice. `cast`: all
    /// personas.
    #[cfg_attr(not(feature = "irc"), expect(unused_variables, reason = "personas have nicks on IRC alone"))]
    pub fn is_same(&self, other: &Self, cast: &[PersonaName]) -> bool {
        let secret = |of: &Self| {
            of.token.as_ref().map(|token| match of.settings.platform {
                // a bot's number stays the same when its token changes
                Platform::Telegram => token.expose().split(':').next().unwrap_or_default().to_owned(),
                _ => token.expose().to_owned(),
            })
        };
        let user = |of: &Self| of.settings.user.as_ref().map(|user| user.to_lowercase());
        let alike = |one: Option<String>, other: Option<String>| one.is_some() && one == other;
        let platform = self.settings.platform;
        platform == other.settings.platform
            && match platform {
                Platform::Telegram | Platform::Discord | Platform::Slack => {
                    alike(secret(self), secret(other))
                }
                Platform::Matrix => alike(secret(self), secret(other)) || alike(user(self), user(other)),
                Platform::Xmpp => alike(user(self), user(other)),
                #[cfg(feature = "irc")]
                Platform::Irc => crate::irc::is_same(&self.settings, &other.settings, cast),
                _ => false,
            }
    }

    /// The value of a setting that the platform requires.
    ///
    /// # Errors
    /// The setting is not set.
    pub fn need<T>(
        &self,
        key: &'static str,
        example: &'static str,
        value: Option<T>,
    ) -> Result<T, AccountError> {
        let (account, platform) = (self.settings.name.clone(), self.settings.platform);
        value.ok_or(AccountError::Missing { account, platform, key, example })
    }

    /// Makes the adapter.
    ///
    /// # Errors
    /// A missing setting, or a platform whose adapter this build does not contain.
    pub fn adapter(&self) -> Result<Arc<dyn Adapter>, AccountError> {
        let (account, platform) = (self.settings.name.clone(), self.settings.platform);
        match platform {
            #[cfg(feature = "bridge")]
            Platform::Bridge => Ok(Arc::new(crate::bridge::Bridge::new(self)?)),
            #[cfg(feature = "irc")]
            Platform::Irc => Ok(Arc::new(crate::irc::Irc::new(self)?)),
            #[cfg(feature = "discord")]
            Platform::Discord => Ok(Arc::new(crate::discord::Discord::new(self)?)),
            #[cfg(feature = "matrix")]
            Platform::Matrix => Ok(Arc::new(crate::matrix::Matrix::new(self)?)),
            #[cfg(feature = "slack")]
            Platform::Slack => Ok(Arc::new(crate::slack::Slack::new(self)?)),
            #[cfg(feature = "telegram")]
            Platform::Telegram => Ok(Arc::new(crate::telegram::Telegram::new(self)?)),
            #[cfg(feature = "xmpp")]
            Platform::Xmpp => Ok(Arc::new(crate::xmpp::Xmpp::new(self)?)),
            _ => Err(AccountError::NotBuilt { account, platform }),
        }
    }
}

/// The usual environment variable for the secret of an account.
pub fn usual_variable(platform: Platform) -> &'static str {
    match platform {
        Platform::Irc => "IRC_PASSWORD",
        Platform::Matrix => "MATRIX_TOKEN",
        Platform::Xmpp => "XMPP_PASSWORD",
        Platform::Telegram => "TELEGRAM_TOKEN",
        Platform::Discord => "DISCORD_TOKEN",
        Platform::Slack => "SLACK_BOT_TOKEN",
        Platform::Bridge => "BRIDGE_SECRET",
        // these platforms have no accounts
        Platform::Api | Platform::Terminal => "",
    }
}

/// Reads a secret from the environment. The variable's name must contain the platform's name. A settings file may come
/// with a project that the user downloaded; without this rule it could send any secret of the environment to its server
/// (X5).
fn from_environment(
    settings: &AccountSettings,
    variable: &str,
    what: &'static str,
) -> Result<Secret, AccountError> {
    let (account, platform) = (settings.name.clone(), settings.platform);
    let named = variable.to_ascii_lowercase().contains(platform.as_str());
    if !named || env::VARIABLES.iter().any(|own| own.name == variable) {
        return Err(AccountError::ForeignVariable { account, platform, variable: variable.to_owned() });
    }
    let value = env::referred(variable).map(|value| Secret::new(value.trim()));
    value.ok_or_else(|| AccountError::NotSet { account, platform, variable: variable.to_owned(), what })
}

/// Reads a secret from a file that only its owner can read.
fn from_file(account: &str, path: &PathBuf) -> Result<Secret, AccountError> {
    let unreadable =
        |source| AccountError::Unreadable { account: account.to_owned(), path: path.clone(), source };
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(path).map_err(unreadable)?);
        if mode & 0o077 != 0 {
            return Err(AccountError::Exposed { account: account.to_owned(), path: path.clone() });
        }
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    Ok(Secret::new(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(platform: Platform) -> AccountSettings {
        AccountSettings { name: "one".into(), platform, ..AccountSettings::default() }
    }

    #[test]
    fn x5_a_settings_file_leads_no_other_secret_to_its_server() {
        for (platform, variable) in [
            (Platform::Irc, "OPENAI_API_KEY"),
            (Platform::Irc, "GREENROOM_API_KEY"),
            (Platform::Matrix, "AWS_SECRET_ACCESS_KEY"),
            (Platform::Slack, "DISCORD_TOKEN"),
        ] {
            let settings = AccountSettings { token_env: Some(variable.into()), ..settings(platform) };
            let error = Account::read(&settings).unwrap_err();
            assert!(matches!(error, AccountError::ForeignVariable { .. }), "{error}");
        }
        let elsewhere =
            AccountSettings { server: Some("https://evil.example".into()), ..settings(Platform::Telegram) };
        assert!(matches!(Account::read(&elsewhere), Err(AccountError::Server { .. })));
    }

    #[test]
    fn x5_only_a_server_on_this_machine_is_reached_without_encryption() {
        for (server, permitted) in [
            ("localhost:6667", true),
            ("127.0.0.1:6667", true),
            ("[::1]:6667", true),
            ("http://127.0.0.1:8008/x", true),
            ("irc.example:6667", false),
            ("localhost.example:6667", false),
            ("10.0.0.1", false),
        ] {
            let plain =
                AccountSettings { server: Some(server.into()), tls: false, ..settings(Platform::Irc) };
            assert_eq!(Account::read(&plain).is_ok(), permitted, "{server}");
        }
        for (user, permitted) in [("bot@localhost/a", true), ("bot@example.org", false)] {
            let plain = AccountSettings { user: Some(user.into()), tls: false, ..settings(Platform::Xmpp) };
            assert_eq!(Account::read(&plain).is_ok(), permitted, "{user}");
        }
    }

    #[test]
    fn ad5_one_account_under_two_names_is_known() {
        let account = |platform, token: &str, user: Option<&str>| Account {
            settings: AccountSettings { user: user.map(str::to_owned), ..settings(platform) },
            token: Some(Secret::new(token)),
            app_token: None,
        };
        let ann = Some("@ann:example.org");
        for (one, other, same) in [
            (account(Platform::Telegram, "42:a", None), account(Platform::Telegram, "42:b", None), true),
            (account(Platform::Telegram, "42:a", None), account(Platform::Telegram, "43:a", None), false),
            (account(Platform::Discord, "a", None), account(Platform::Discord, "a", None), true),
            (account(Platform::Discord, "a", None), account(Platform::Slack, "a", None), false),
            (account(Platform::Matrix, "a", ann), account(Platform::Matrix, "b", ann), true),
            (account(Platform::Matrix, "a", ann), account(Platform::Matrix, "a", None), true),
            (account(Platform::Xmpp, "a", Some("a@x")), account(Platform::Xmpp, "a", Some("b@x")), false),
            (account(Platform::Irc, "a", Some("ann")), account(Platform::Irc, "a", Some("ann")), false),
        ] {
            assert_eq!(one.is_same(&other, &[]), same, "{one:?} {other:?}");
        }
    }

    #[test]
    fn rm1_personas_belong_to_the_rooms_and_direct_chats_of_their_account_alone() {
        let xmpp = AccountSettings {
            channels: vec!["Tea@rooms.test/nick".into(), "den@rooms.test".into()],
            ..settings(Platform::Xmpp)
        };
        assert_eq!(Account::channels(&xmpp), ["xmpp:tea@rooms.test", "xmpp:den@rooms.test", "xmpp:one/*"]);
        assert_eq!(Account::channels(&settings(Platform::Irc)), ["irc:one/*"]);
        assert_eq!(Account::channels(&settings(Platform::Matrix)), ["matrix:*"]);
    }

    /// An IRC account that was configured twice got two nicks and answered each message twice. The `user` of one
    /// account may be the nick of a persona of the other account.
    #[cfg(feature = "irc")]
    #[test]
    fn ad5_one_nick_on_one_network_is_one_account() {
        let on = |server: &str, personas: &[&str], user: Option<&str>| Account {
            settings: AccountSettings {
                server: Some(server.into()),
                personas: personas.iter().map(|name| name.parse().unwrap()).collect(),
                user: user.map(str::to_owned),
                ..settings(Platform::Irc)
            },
            token: None,
            app_token: None,
        };
        let cast = ["ada", "bo", "kit"].map(|name| name.parse().unwrap());
        let first = on("irc.test", &["ada", "bo"], None);
        for (other, same) in [
            (on("irc.test", &["ada"], None), true),
            (on("IRC.test:6697", &["kit", "bo"], None), true),
            (on("irc.test", &[], None), true),
            (on("irc.test", &["kit"], None), false),
            (on("irc.test", &["kit"], Some("ada")), true),
            (on("irc.test", &["kit"], Some("tea")), false),
            (on("irc.test", &["ada"], Some("tea")), false),
            (on("irc.test:6698", &["ada"], None), false),
            (on("other.test", &["ada"], None), false),
        ] {
            assert_eq!(first.is_same(&other, &cast), same, "{other:?}");
            assert_eq!(other.is_same(&first, &cast), same, "{other:?}");
        }
    }

    /// `doctor` found the group `@tea`, and `serve` ignored it.
    #[cfg(feature = "telegram")]
    #[test]
    fn ad5_a_group_of_telegram_is_named_by_its_number() {
        let with = |channel: &str| Account {
            settings: AccountSettings { channels: vec![channel.to_owned()], ..settings(Platform::Telegram) },
            token: Some(Secret::new("42:a")),
            app_token: None,
        };
        assert!(with("-1001234567890").adapter().is_ok());
        for channel in ["@tea", "tea", ""] {
            let error = with(channel).adapter().err().unwrap();
            assert!(matches!(error, AccountError::NoChannel { .. }), "{error}");
        }
    }

    /// Once the error named XMPP_TOKEN while the manual named XMPP_PASSWORD.
    #[test]
    fn ad5_a_variable_is_called_as_on_the_page_of_its_platform() {
        for platform in Platform::ACCOUNTS {
            let settings = AccountSettings { token_env: Some("SECRET".into()), ..settings(platform) };
            let error = Account::read(&settings).unwrap_err().to_string();
            let variable = error.rsplit(' ').next().unwrap();
            let page = format!("{}/../../docs/platforms/{platform}.md", env!("CARGO_MANIFEST_DIR"));
            assert!(fs::read_to_string(page).unwrap().contains(variable), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn x5_the_file_of_a_secret_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        fs::write(&path, "canary\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let settings = AccountSettings { token_file: Some(path.clone()), ..settings(Platform::Irc) };
        assert!(matches!(Account::read(&settings), Err(AccountError::Exposed { .. })));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let account = Account::read(&settings).unwrap();
        assert_eq!(account.token.as_ref().map(Secret::expose), Some("canary"));
        assert!(!format!("{account:?}").contains("canary"));
    }
}
