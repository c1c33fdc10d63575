//! Probes: model servers on this machine, and the models of an endpoint.

use std::time::Duration;

use greenroom_models::{Endpoint, ListedModel, ModelError, Timeouts, list_models};

use crate::model_choice::LocalServer;

/// The default address of llama.cpp's server.
const LLAMA_CPP: &str = "http://127.0.0.1:8080/v1";
/// The default port of Ollama.
const OLLAMA_PORT: u16 = 11434;
/// The time that a server on this machine has to answer.
const FIND_TIMEOUT: Duration = Duration::from_millis(200);

/// The time that an endpoint has to list its models: in general, and before the prompt of a chat.
pub const LIST_TIMEOUT: Duration = Duration::from_secs(3);
/// See [`LIST_TIMEOUT`].
pub const PROMPT_LIST_TIMEOUT: Duration = Duration::from_secs(1);

/// The first server on this machine that lists models: Ollama, then llama.cpp. Both are asked concurrently.
/// `ollama_host` is Ollama's environment variable.
pub async fn find_server(ollama_host: Option<&str>) -> Option<LocalServer> {
    let find = async |server: &'static str, base_url: String| {
        let endpoint = Endpoint::new(&base_url, None, Timeouts::default()).ok()?;
        // another program may listen at this port: only a list of models counts
        let models = list_models(&endpoint, FIND_TIMEOUT).await.ok()?;
        Some(LocalServer { server, base_url, models })
    };
    let (ollama, llama) =
        tokio::join!(find("Ollama", ollama_url(ollama_host)), find("llama.cpp", LLAMA_CPP.to_owned()));
    ollama.or(llama)
}

/// The URL of Ollama. `OLLAMA_HOST` is a host, a host and a port, or a URL. It is the address that the server listens
/// at, so the address of all interfaces means this machine.
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

/// The models of an endpoint, asked for within `limit`.
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
