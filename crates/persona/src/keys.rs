//! Decides which key may be sent to which endpoint (X5): only to endpoints named by the source that set the key, or by
//! a stronger source.

use crate::{Secret, global::OPENAI};

/// A key and the endpoints it may be sent to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    /// The source of the key, as `OPENAI_API_KEY`.
    pub name: &'static str,
    pub secret: Secret,
    pub endpoints: Vec<String>,
}

/// The keys and endpoints of each source.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeySources {
    /// `OPENAI_API_KEY`.
    pub openai_key: Option<Secret>,
    /// `OPENAI_BASE_URL`.
    pub openai_url: Option<String>,
    /// `GREENROOM_API_KEY`.
    pub greenroom_key: Option<Secret>,
    /// `--base-url` and `GREENROOM_BASE_URL`.
    pub chosen: Vec<String>,
    /// `share_key_with` from the environment, and the endpoints it names for the models of memory.
    pub shared: Vec<String>,
    /// `api_key` of the settings file.
    pub file_key: Option<Secret>,
    /// `base_url` of the settings file.
    pub file_url: Option<String>,
    /// `share_key_with` of the settings file.
    pub file_shared: Vec<String>,
    /// The endpoints for the models of memory in the settings file: `memory.hyde.base_url` and
    /// `memory.capture.base_url`. They get the same keys as its `base_url`.
    pub file_beside: Vec<String>,
    /// Whether the settings file is a `greenroom.toml` found in the working directory. It may have come with a project,
    /// so it may only direct its own key.
    pub file_was_found: bool,
}

/// All keys, the strongest first.
pub(crate) fn keys(said: &KeySources) -> Vec<Key> {
    let openai: Vec<String> = said.openai_url.iter().cloned().chain([OPENAI.to_owned()]).collect();
    let (own_url, own_shared, own_beside) = match said.file_was_found {
        true => (None, [].as_slice(), [].as_slice()),
        false => (said.file_url.clone(), said.file_shared.as_slice(), said.file_beside.as_slice()),
    };
    let shared = [said.shared.as_slice(), own_shared].concat();
    let meant: Vec<String> = match said.chosen.is_empty() {
        true => openai.iter().cloned().chain(own_url).collect(),
        false => said.chosen.clone(),
    };
    let of_file = vec![said.file_url.clone().unwrap_or_else(|| OPENAI.into())];
    let key = |name, secret: &Option<Secret>, endpoints: Vec<String>| {
        secret.clone().map(|secret| Key { name, secret, endpoints })
    };
    [
        key("GREENROOM_API_KEY", &said.greenroom_key, [meant.as_slice(), &shared, own_beside].concat()),
        key(
            "model.api_key",
            &said.file_key,
            [of_file.as_slice(), &said.file_shared, &said.file_beside].concat(),
        ),
        key("OPENAI_API_KEY", &said.openai_key, [openai, said.chosen.clone(), shared].concat()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The key for an endpoint. Compares endpoints by scheme, host and port.
pub(crate) fn key_for<'a>(keys: &'a [Key], base_url: &str) -> Option<&'a Secret> {
    let wanted = origin(base_url);
    let is_for = |key: &&Key| key.endpoints.iter().any(|url| origin(url) == wanted);
    keys.iter().find(is_for).map(|key| &key.secret)
}

/// Scheme, host and port in lower case, without the default port.
fn origin(url: &str) -> String {
    let lower = url.trim().to_ascii_lowercase();
    let (scheme, rest) = lower.split_once("://").unwrap_or(("", &lower));
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let usual = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", authority.strip_suffix(usual).unwrap_or(authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [(&str, &str); 6] = [
        ("openai", "https://api.openai.com:443/v1"),
        ("openai-url", "https://proxy.example/v1"),
        ("chosen", "https://chosen.example/v1"),
        ("file", "https://file.example/v1"),
        ("shared", "https://shared.example/v1"),
        ("hyde", "https://hyde.example/v1"),
    ];

    /// Which endpoint gets which key, one word per endpoint. `chosen`: a flag or the environment names an endpoint.
    fn table(keys_set: &str, chosen: bool, found: bool) -> String {
        let secret = |name: &str| keys_set.contains(name).then(|| Secret::new(name));
        let said = KeySources {
            openai_key: secret("O"),
            openai_url: Some(PLACES[1].1.into()),
            greenroom_key: secret("G"),
            chosen: chosen.then(|| PLACES[2].1.to_owned()).into_iter().collect(),
            shared: Vec::new(),
            file_key: secret("F"),
            file_url: Some("HTTPS://File.example/other".into()),
            file_shared: vec![PLACES[4].1.into()],
            file_beside: vec![PLACES[5].1.into()],
            file_was_found: found,
        };
        let keys = keys(&said);
        let places = PLACES
            .iter()
            .filter_map(|(place, url)| key_for(&keys, url).map(|key| format!("{place}={}", key.expose())));
        places.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn x5_a_key_goes_to_the_endpoints_of_whoever_set_it_or_of_somebody_stronger() {
        let rows = [
            ("O", true, false, "openai=O openai-url=O chosen=O shared=O"),
            ("O", true, true, "openai=O openai-url=O chosen=O"),
            ("O", false, true, "openai=O openai-url=O"),
            ("G", true, false, "chosen=G shared=G hyde=G"),
            ("G", true, true, "chosen=G"),
            ("G", false, false, "openai=G openai-url=G file=G shared=G hyde=G"),
            ("G", false, true, "openai=G openai-url=G"),
            ("F", true, false, "file=F shared=F hyde=F"),
            ("F", false, true, "file=F shared=F hyde=F"),
            ("FGO", true, true, "openai=O openai-url=O chosen=G file=F shared=F hyde=F"),
            ("FGO", false, false, "openai=G openai-url=G file=G shared=G hyde=G"),
            ("", true, false, ""),
        ];
        for (set, chosen, found, expected) in rows {
            assert_eq!(table(set, chosen, found), expected, "{set} chosen: {chosen} found: {found}");
        }
    }

    #[test]
    fn x5_a_key_of_a_file_without_an_endpoint_is_for_openai() {
        let keys = keys(&KeySources { file_key: Some(Secret::new("F")), ..KeySources::default() });
        assert!(key_for(&keys, OPENAI).is_some());
        for other in ["http://api.openai.com/v1", "https://api.openai.com.evil.example/v1", "evil.example"] {
            assert_eq!(key_for(&keys, other), None, "{other}");
        }
    }

    #[test]
    fn x5_endpoints_are_the_same_only_with_scheme_host_and_port() {
        assert_eq!(origin("https://Models.example:443/v1/"), origin("https://models.example"));
        for other in [
            "http://models.example/v1",
            "https://models.example.evil.example/v1",
            "https://models.example:8443/v1",
        ] {
            assert_ne!(origin(other), origin("https://models.example/v1"), "{other}");
        }
    }
}
