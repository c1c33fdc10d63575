//! The values of `Host` and `Origin` that a request may have (X4).
//!
//! A page of a foreign site can point its own name at this machine (DNS rebinding), or send a request here. In either
//! case the browser sends the foreign name in `Host` or in `Origin`.

use std::net::{IpAddr, SocketAddr};

use greenroom_persona::ServerSettings;
use http::{
    HeaderMap, HeaderName, StatusCode,
    header::{HOST, ORIGIN},
};

use crate::ApiError;

/// The default port of `http`, which browsers leave out.
const HTTP_PORT: u16 = 80;

/// The hosts and origins of this server, in lower case, with their ports.
#[derive(Debug)]
pub struct AllowedHosts {
    hosts: Vec<String>,
    /// Whether any `Host` is allowed. A server in a network has names that only its settings could know; there
    /// every request needs a key, which a foreign page does not have.
    any_host: bool,
    origins: Vec<String>,
}

impl AllowedHosts {
    /// The hosts of a server that listens at `address`: the names of this machine, the address, and the hosts of the
    /// settings.
    pub fn new(address: SocketAddr, settings: &ServerSettings) -> Self {
        let port = address.port();
        let own = match address.ip() {
            ip if ip.is_unspecified() => None,
            IpAddr::V6(ip) => Some(format!("[{ip}]")),
            IpAddr::V4(ip) => Some(ip.to_string()),
        };
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into_iter().chain(own);
        let mut hosts: Vec<String> = own.clone().map(|host| format!("{host}:{port}")).collect();
        if port == HTTP_PORT {
            hosts.extend(own);
        }
        hosts.extend(settings.hosts.iter().map(|host| host.to_ascii_lowercase()));
        Self {
            hosts,
            any_host: !address.ip().is_loopback() && settings.hosts.is_empty(),
            origins: settings.origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
        }
    }

    /// Checks the `Host` and the `Origin` of a request.
    ///
    /// # Errors
    /// 403 for a foreign one.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = only(headers, &HOST).unwrap_or_default();
        if host.is_empty() || !(self.any_host || self.hosts.contains(&host)) {
            return Err(foreign(
                "foreign_host",
                "the name in `Host` is none of this server's; if a proxy stands in front of it, add the name \
                 to server.hosts in greenroom.toml",
            ));
        }
        if !headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let origin = only(headers, &ORIGIN).unwrap_or_default();
        let ours = origin
            .split_once("://")
            .is_some_and(|(scheme, authority)| matches!(scheme, "http" | "https") && authority == host);
        if ours || self.origins.contains(&origin) {
            return Ok(());
        }
        Err(foreign(
            "foreign_origin",
            "pages of the site in `Origin` may not call this server; if they should, add the site to \
             server.origins in greenroom.toml",
        ))
    }
}

/// The value of a header that occurs once, in lower case.
fn only(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    Some(value.to_str().ok()?.trim().to_ascii_lowercase())
}

fn foreign(code: &'static str, message: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(
        allowed: &AllowedHosts,
        host: Option<&'static str>,
        origin: Option<&'static str>,
    ) -> &'static str {
        let value = |name, value: Option<&'static str>| Some((name, http::HeaderValue::from_static(value?)));
        let headers = [value(HOST, host), value(ORIGIN, origin)].into_iter().flatten().collect();
        allowed.check(&headers).map_or_else(|error| error.code, |()| "")
    }

    fn names(address: &str, hosts: &[&str], origins: &[&str]) -> AllowedHosts {
        let own = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        AllowedHosts::new(
            address.parse().unwrap(),
            &ServerSettings { hosts: own(hosts), origins: own(origins), ..Default::default() },
        )
    }

    #[test]
    fn x4_on_loopback_a_request_names_this_machine_and_the_port() {
        let allowed = names("127.0.0.1:7420", &[], &[]);
        for host in ["localhost:7420", "127.0.0.1:7420", "[::1]:7420", "LocalHost:7420"] {
            assert_eq!(code(&allowed, Some(host), None), "", "{host}");
        }
        for host in ["evil.example:7420", "localhost", "localhost:7421", "127.0.0.1.evil.example:7420", ""] {
            assert_eq!(code(&allowed, Some(host), None), "foreign_host", "{host}");
        }
        assert_eq!(code(&allowed, None, None), "foreign_host");
    }

    #[test]
    fn x4_the_page_that_asks_is_our_own_or_named_in_the_settings() {
        let allowed = names("127.0.0.1:7420", &["greenroom.example"], &["https://App.example"]);
        let from = |origin| code(&allowed, Some("localhost:7420"), Some(origin));
        for origin in ["http://localhost:7420", "https://app.example"] {
            assert_eq!(from(origin), "", "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://localhost:3000",
            "http://localhost",
            "https://app.example:8443",
            "file://",
            "ftp://localhost:7420",
        ] {
            assert_eq!(from(origin), "foreign_origin", "{origin}");
        }
        let proxied = |origin| code(&allowed, Some("greenroom.example"), Some(origin));
        assert_eq!(proxied("https://greenroom.example"), "");
        assert_eq!(proxied("https://evil.example"), "foreign_origin");
    }

    #[test]
    fn x4_in_a_network_the_settings_say_the_names_or_any_will_do() {
        let any = names("0.0.0.0:7420", &[], &[]);
        assert_eq!(code(&any, Some("10.1.2.3:7420"), None), "");
        assert_eq!(code(&any, Some("10.1.2.3:7420"), Some("https://evil.example")), "foreign_origin");
        let named = names("0.0.0.0:80", &["greenroom.example"], &[]);
        for host in ["greenroom.example", "localhost", "127.0.0.1:80"] {
            assert_eq!(code(&named, Some(host), None), "", "{host}");
        }
        assert_eq!(code(&named, Some("10.1.2.3"), None), "foreign_host");
    }

    #[test]
    fn x4_a_header_that_comes_twice_is_refused() {
        let allowed = names("127.0.0.1:7420", &[], &[]);
        let mut headers = HeaderMap::new();
        headers.append(HOST, "localhost:7420".parse().unwrap());
        headers.append(HOST, "evil.example".parse().unwrap());
        assert_eq!(allowed.check(&headers).unwrap_err().code, "foreign_host");
    }
}
