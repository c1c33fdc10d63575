//! Asking around: is there a model server on this machine, and which models does an endpoint have.

use std::time::Duration;

use greenroom_models::{Endpoint, ListedModel, ModelError, Timeouts, list_models};

use crate::choose::LocalServer;

/// Where llama.cpp's server listens unless it is told otherwise.
const LLAMA_CPP: &str = "http://127.0.0.1:8080/v1";
/// The port of Ollama.
const OLLAMA_PORT: u16 = 11434;
/// How long a server on this machine may take to show itself.
const FIND: Duration = Duration::from_millis(200);

/// How long an endpoint may take to list its models: what is asked for once, a person who waits
/// for a prompt.
pub const LIST: Duration = Duration::from_secs(3);
/// See [`LIST`].
pub const LIST_FOR_A_PROMPT: Duration = Duration::from_secs(1);

/// The first server that answers with a list of models; both are asked at once. `ollama_host` is what
/// Ollama's own variable says.
pub async fn find_server(ollama_host: Option<&str>) -> Option<LocalServer> {
    let look = async |server: &'static str, base_url: String| {
        let endpoint = Endpoint::new(&base_url, None, Timeouts::default()).ok()?;
        // another program may live at this port: only a list of models counts
        let models = list_models(&endpoint, FIND).await.ok()?;
        Some(LocalServer { server, base_url, models })
    };
    let (ollama, llama) =
        tokio::join!(look("Ollama", ollama_url(ollama_host)), look("llama.cpp", LLAMA_CPP.to_owned()));
    ollama.or(llama)
}

/// Where Ollama listens: `OLLAMA_HOST` is a host, a host and a port, or a URL. It is a server's address, so
/// that of every interface is reached at this machine.
fn ollama_url(host: Option<&str>) -> String {
    let host = host.map(str::trim).filter(|host| !host.is_empty()).unwrap_or("127.0.0.1");
    let (scheme, address) = host.split_once("://").unwrap_or(("http", host));
    let address = address.trim_end_matches('/');
    let (name, port) = match address.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && !name.ends_with(':') => (name, port.to_owned()),
        _ if scheme == "https" => (address, "443".to_owned()),
        _ if host.contains("://") => (address, "80".to_owned()),
        _ => (address, OLLAMA_PORT.to_string()),
    };
    let name = if matches!(name, "" | "0.0.0.0" | "[::]" | "::") { "127.0.0.1" } else { name };
    format!("{scheme}://{name}:{port}/v1")
}

/// What an endpoint offers, asked for within `limit`.
pub async fn models_of(
    base_url: &str,
    key: Option<&str>,
    limit: Duration,
) -> Result<Vec<ListedModel>, ModelError> {
    list_models(&Endpoint::new(base_url, key, Timeouts::default())?, limit).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_ollama_is_looked_for_where_its_own_variable_says() {
        for (host, url) in [
            (None, "http://127.0.0.1:11434/v1"),
            (Some(""), "http://127.0.0.1:11434/v1"),
            (Some("0.0.0.0"), "http://127.0.0.1:11434/v1"),
            (Some("127.0.0.1:9999"), "http://127.0.0.1:9999/v1"),
            (Some("0.0.0.0:9999"), "http://127.0.0.1:9999/v1"),
            (Some(":9999"), "http://127.0.0.1:9999/v1"),
            (Some("http://gpu:9999/"), "http://gpu:9999/v1"),
            (Some("https://gpu"), "https://gpu:443/v1"),
        ] {
            assert_eq!(ollama_url(host), url);
        }
    }
}
