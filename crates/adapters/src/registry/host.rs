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

/// Whether a server is on this machine: `localhost:6667`, `http://127.0.0.1:8008`, `[::1]:6667`. The text must be of just
/// this form: clients read `http://[::1]@example.org` and `http:example.org://localhost` as addresses of another machine
/// (X5).
pub(crate) fn is_local(server: &str) -> bool {
    let authority = match server.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            rest.split(['/', '?', '#']).next().unwrap_or_default()
        }
        Some(_) => return false,
        None => server,
    };
    let (host, after) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, after)) => (host, after),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let ends = after.is_empty() || after.strip_prefix(':').is_some_and(is_port);
    let is_loopback = || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    ends && (host.eq_ignore_ascii_case("localhost") || is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: the tokens of an account went to another machine, because a client reads what stands before `@` as a
    /// name and a password.
    #[test]
    fn x5_an_address_that_only_looks_like_this_machine_is_not_local() {
        for (server, local) in [
            ("http://[::1]", true),
            ("http://[::1]:80/x@y", true),
            ("wss://LOCALHOST:8008?x", true),
            ("127.0.0.2", true),
            ("http://[::1]@example.org:80", false),
            ("http://127.0.0.1:x@example.org", false),
            ("ws://127.0.0.1:8@example.org/", false),
            ("http://localhost\\@example.org", false),
            ("http://local\thost", false),
            ("http:example.org://localhost", false),
            ("http:////example.org", false),
            ("[::1]example.org", false),
            ("localhost/.example.org:6667", false),
            ("localhost#.example.org:6667", false),
            ("", false),
        ] {
            assert_eq!(is_local(server), local, "{server}");
        }
    }
}
