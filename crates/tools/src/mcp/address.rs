//! The addresses that a server may have: checked when connecting, for every resolved name and every redirect (X10).
//!
//! The operator wrote the address in the persona's file and approved it; nothing that a server or a name server sends
//! may lead beyond it.

use std::net::{IpAddr, Ipv6Addr};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::{Action, Attempt, Policy},
};

/// Redirects followed within one host.
const HOPS: usize = 3;

/// Resolves names and keeps the permitted addresses. An IP address in the file is not resolved, so an operator who
/// writes `169.254.…` into a file gets that address.
pub(super) struct Guarded;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (may, may_not): (Vec<_>, Vec<_>) =
                found.partition(|address| may_be(name.as_str(), address.ip()));
            match may_not.first() {
                Some(refused) if may.is_empty() => Err(format!(
                    "{} is {}, which no name may be; write the address itself if it is meant",
                    name.as_str(),
                    refused.ip()
                )
                .into()),
                _ => Ok(Box::new(may.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether a name may have this address. Link-local addresses and those of cloud metadata are never allowed. Loopback
/// addresses are allowed only for names of this machine, so that no foreign name server directs Greenroom to local
/// services.
fn may_be(name: &str, address: IpAddr) -> bool {
    let local = name == "localhost" || name.ends_with(".localhost");
    match address {
        IpAddr::V4(v4) => {
            // 100.100.100.200 is the metadata address of Alibaba's cloud
            let metadata = v4.is_link_local() || v4.octets() == [100, 100, 100, 200];
            let nowhere = v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast();
            !metadata && !nowhere && (local || !v4.is_loopback())
        }
        IpAddr::V6(v6) => match embedded(v6) {
            Some(v4) => may_be(name, v4),
            None => {
                // fd00:ec2::/32 is where Amazon's do
                let metadata = v6.is_unicast_link_local() || v6.segments()[..2] == [0xfd00, 0x0ec2];
                let nowhere = v6.is_unspecified() || v6.is_multicast();
                !metadata && !nowhere && (local || !v6.is_loopback())
            }
        },
    }
}

/// The IPv4 address inside an IPv6 address: mapped, or behind the well-known prefix of NAT64.
fn embedded(v6: Ipv6Addr) -> Option<IpAddr> {
    let nat64 = v6.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let low = || {
        let [.., a, b, c, d] = v6.octets();
        std::net::Ipv4Addr::new(a, b, c, d)
    };
    v6.to_ipv4_mapped().or_else(|| nat64.then(low)).map(IpAddr::V4)
}

/// Follows a redirect within the same host and port, but never from TLS to plain text.
pub(super) fn redirects() -> Policy {
    Policy::custom(|attempt: Attempt<'_>| -> Action {
        let from = attempt.previous().last();
        if attempt.previous().len() > HOPS {
            attempt.error("it redirects in circles")
        } else if from.is_some_and(|from| stays(from, attempt.url())) {
            attempt.follow()
        } else {
            attempt.error("it redirects to another host; put the right address into the persona's file")
        }
    })
}

fn stays(from: &Url, to: &Url) -> bool {
    from.scheme() == to.scheme()
        && from.host() == to.host()
        && from.port_or_known_default() == to.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x10_no_name_is_the_link_a_cloud_s_metadata_or_in_secret_this_machine() {
        for address in [
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "127.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "::ffff:127.0.0.1",
            "64:ff9b::a9fe:a9fe",
        ] {
            assert!(!may_be("evil.example", address.parse().unwrap()), "{address}");
        }
        for address in ["93.184.216.34", "192.168.1.7", "172.17.0.2", "2001:db8::1"] {
            assert!(may_be("tools.example", address.parse().unwrap()), "{address}");
        }
        assert!(may_be("localhost", "127.0.0.1".parse().unwrap()));
        assert!(may_be("tools.localhost", "::1".parse().unwrap()));
        assert!(!may_be("localhost", "169.254.169.254".parse().unwrap()));
    }

    #[test]
    fn x10_a_redirect_stays_with_its_host_port_and_scheme() {
        let stays = |from: &str, to: &str| stays(&from.parse().unwrap(), &to.parse().unwrap());
        assert!(stays("https://a.example/mcp", "https://a.example/mcp/"));
        assert!(stays("https://a.example/mcp", "https://a.example:443/x"));
        for to in
            ["http://a.example/", "https://b.example/", "https://a.example:8443/", "https://169.254.169.254/"]
        {
            assert!(!stays("https://a.example/mcp", to), "{to}");
        }
    }
}
