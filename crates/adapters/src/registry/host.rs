//! The server of an account, and the check whether it is on this machine.

use std::net::IpAddr;

use greenroom_core::Platform;
use greenroom_persona::AccountSettings;

/// The domain of an XMPP account's address. It is the server if the settings name none.
pub(super) fn domain(settings: &AccountSettings) -> Option<&str> {
    let user = settings.user.as_deref().filter(|_| settings.platform == Platform::Xmpp)?;
    let (_, domain) = user.split_once('@')?;
    domain.split('/').next().filter(|domain| !domain.is_empty())
}

/// Whether a server is on this machine: `localhost:6667`, `http://127.0.0.1:8008`, `[::1]:6667`.
///
/// Addresses are parsed again where they are dialled, by parsers that differ: `127.0.0.1:1@host`, `[::1]@host` and
/// `http:host://127.0.0.1` lead elsewhere. So only the plain form counts: scheme, host, port, path (X5).
pub(crate) fn is_local(server: &str) -> bool {
    let rest = match server.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) => rest,
        Some(_) => return false,
        None => server,
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let (host, after) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or_default(),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    (after.is_empty() || after.strip_prefix(':').is_some_and(is_port))
        && (host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}

#[cfg(test)]
mod tests {
    use greenroom_persona::AccountSettings;

    use super::*;
    use crate::{Account, AccountError};

    #[test]
    fn x5_an_address_that_leads_elsewhere_is_not_on_this_machine() {
        for server in [
            "http://[::1]@evil.example:80",
            "http://127.0.0.1:1@evil.example",
            "http://127.0.0.1:x@evil.example",
            "http://localhost@evil.example",
            "http:evil.example://127.0.0.1",
            "http://evil.example\\@127.0.0.1/",
            "http://127.0.0.1\t@evil.example",
            "http://[::1].evil.example",
            "http://[::1",
            "127.0.0.1:1@evil.example:6697",
            "http:///evil.example",
            "",
        ] {
            assert!(!is_local(server), "{server}");
            for platform in [Platform::Telegram, Platform::Discord, Platform::Slack] {
                let server = Some(server.to_owned());
                let settings =
                    AccountSettings { name: "one".into(), platform, server, ..AccountSettings::default() };
                assert!(matches!(Account::read(&settings), Err(AccountError::Server { .. })));
            }
        }
        for server in
            ["LOCALHOST", "http://[::1]", "[::1]:1", "http://127.0.0.1:80/x@y", "xmpps://localhost:1"]
        {
            assert!(is_local(server), "{server}");
        }
    }
}
