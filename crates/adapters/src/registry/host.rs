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
pub(crate) fn is_local(server: &str) -> bool {
    let host = server.split_once("://").map_or(server, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(host, _)| host),
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
