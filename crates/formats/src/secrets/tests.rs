//! Tests of credentials in all known forms and places.

use super::*;
use serde_json::json;

#[test]
fn pf3_credentials_are_removed_and_their_places_are_named() {
    let mut data = json!({
        "settings": { "OPENAI_API_KEY": "canary-canary", "model": "small" },
        "plugins": ["sk-canary-canary-canary", "web"],
        "token_budget": 500, "key": ["castle"], "secret": "he is the king's lost brother",
    });
    assert_eq!(remove(&mut data), ["plugins[0]", "settings.OPENAI_API_KEY"]);
    assert!(!data.to_string().contains("canary"));
    assert_eq!(data["key"], json!(["castle"]));
    assert!(data["secret"].is_string() && data["settings"]["model"] == "small");
}

#[test]
fn pf3_a_credential_is_found_by_any_name_of_its_map_and_in_any_text() {
    let secret = "sk-ant-canary-canary-canary";
    let mut data = json!({
        "settings": {
            "credentials": { "u": "canary-1", "story": "what is hidden", "by": "greed" }, "EMAIL_PASS": "canary-1234",
            "cookie": "canary=1234", "dbUrl": "postgres://ann:canary@host/db", "compass": "northwest",
        },
        "Secrets": { "k": "canary-1" }, "more": { "secret": [{ "k": "canary-1" }] },
        "mcp_servers": { "a": { "url": "https://u:canary@host/" }, "b": { "url": "https://host/" } },
        "extensions": { "headers": { "Authorization": "Bearer canary-canary" } },
        "webhook": "https://discord.com/api/webhooks/123/canary",
        "system": format!("Use the key `{secret}` now, and never {secret}."),
    });
    let places = remove(&mut data);
    assert!(!data.to_string().contains("canary"), "{data}");
    assert_eq!(places.len(), 10, "{places:?}");
    assert_eq!(data["settings"]["credentials"]["story"], "what is hidden");
    assert_eq!(data["settings"]["compass"], "northwest");
    assert_eq!(data["mcp_servers"]["b"]["url"], "https://host/");
    assert_eq!(data["system"], "Use the key `[removed]` now, and never [removed].");
}

#[test]
fn pf3_a_credential_behind_a_name_and_one_that_is_repeated_are_removed() {
    let secret = "sk-proj-canary-canary-canary";
    let mut data = json!({
        "body": format!("OPENAI_API_KEY={secret}\nkey:{secret} https://host/?key={secret}&a=1 [{secret}]"),
        "front": { "API_KEY": "canary-value-7", "stop_token": "assistant" },
        "story": "You are an assistant.",
        "front_text": "description: Use: it\nAPI_KEY: canary-value-7\n",
    });
    assert_eq!(remove(&mut data), ["body", "front.API_KEY", "front.stop_token"]);
    assert!(!data.to_string().contains("canary"), "{data}");
    assert_eq!(data["story"], "You are an assistant.");
    assert_eq!(data["front_text"], "description: Use: it\nAPI_KEY: [removed]\n");
    assert_eq!(
        data["body"],
        "OPENAI_API_KEY=[removed]\nkey:[removed] https://host/?key=[removed]&a=1 [[removed]]"
    );
}

/// Invented credentials; none of them is valid.
#[test]
fn pf3_credentials_of_other_makes_are_removed_from_any_text() {
    let pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIODcanarycanarycanarycanary0123456789abcdef\n-----END EC PRIVATE KEY-----";
    let words = "abandon canary cable dance eager fabric gadget habit icon jacket kernel label";
    let makes = [
        "AIzaSyCanary0123456789Canary0123456789x".to_owned(),
        "eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlY2FuYXJ5".to_owned(),
        "1234567890:AAcanarycanarycanarycanarycanary012".to_owned(),
        "ghs_canarycanarycanary0123".to_owned(),
        "5Kcanary2222222222222222222222222222222222222222222".to_owned(),
        format!("xprvcanary{}", "9s21ZrQH143K".repeat(8)),
        pem.to_owned(),
        pem.replace('\n', "\\n"),
    ];
    for make in &makes {
        for text in [
            format!("Use {make}."),
            format!("KEY={make}&x"),
            format!("密钥是{make}。"),
            format!("**{make}**"),
        ] {
            let mut data = json!({ "body": text });
            assert_eq!(remove(&mut data), ["body"], "{text}");
            assert!(!data.to_string().to_lowercase().contains("canary"), "{data}");
        }
    }
    for text in [
        format!("My seed phrase is: {words}"),
        format!("Mnemonic: `{words}` and more"),
        "- API key: canary7Qz04Kd2mV9x1".to_owned(),
        "password = \"canary7Qz04Kd2mV9x1\"".to_owned(),
    ] {
        let mut data = json!({ "body": text });
        assert_eq!(remove(&mut data), ["body"], "{text}");
        assert!(!data.to_string().contains("canary"), "{data}");
    }
}

#[test]
fn pf3_credentials_in_lists_and_maps_of_any_kind_are_removed() {
    let words = "abandon canary cable dance eager fabric gadget habit icon jacket kernel label";
    let mut data = json!({
        "wallet": { "privateKey": (0..64).collect::<Vec<u8>>(), "seed_phrase": words, "address": "0x12ab" },
        "mnemonic": words.split(' ').collect::<Vec<_>>(),
        "credentials": [{ "user": "ann" }, ["canary-12345"]],
        "password": 13371337, "keys": { "sk-canary-canary-canary": "openai" },
    });
    assert_eq!(remove(&mut data).len(), 6, "{data}");
    assert!(!data.to_string().contains("canary") && !data.to_string().contains("1337"), "{data}");
    assert_eq!(data["wallet"]["address"], "0x12ab");
}

#[test]
fn pf3_ordinary_text_keeps_its_words() {
    let kept = json!({
        "a": "The password is whatever the innkeeper says. Token: a small brass coin. Secret: see chapter-12.",
        "b": "const token = process.env.GITHUB_TOKEN; secretName: my-app-secret-2024; password: ${DB_PASSWORD}",
        "c": "Search for `-----BEGIN PRIVATE KEY-----` in the repository, and report it.",
        "d": "commit 3201dc12ab3201dc12ab3201dc12ab3201dc12ab, 0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
        "keys": ["token", "the secret garden"], "secret": "he is the king's lost brother, and only the old cook knows it",
        "max_tokens": 4096, "API_KEY": "${API_KEY}", "seed": 12345, "token_budget": 512,
        "mnemonic": "Roy of the stars: red, orange, yellow",
    });
    let mut data = kept.clone();
    assert_eq!(remove(&mut data), Vec::<String>::new());
    assert_eq!(data, kept);
}

#[test]
fn pf3_only_the_secrets_of_a_server_are_removed() {
    let mut data = json!({ "mcp_servers": [{
        "server_name": "files", "server_url": "https://host/mcp?api_key=canary7Qz04Kd2mV9x1&v=2", "auth_header": "Authorization",
        "auth_token": "canary-1234", "custom_headers": { "X-Api-Key": "canary-5678", "Accept": "application/json" },
        "stdio_config": { "command": "npx", "args": ["-y", "--api-key", "canary-9012", "--token=canary-3456", "--root", "documents"],
            "env": { "GITHUB_TOKEN": "canary-7890", "LOG_LEVEL": "debugging" } }
    }] });
    assert_eq!(remove(&mut data).len(), 6, "{data}");
    let server = &data["mcp_servers"][0];
    assert!(!data.to_string().contains("canary"), "{data}");
    assert_eq!((&server["server_name"], &server["auth_header"]), (&"files".into(), &"Authorization".into()));
    assert_eq!(server["server_url"], "https://host/mcp?api_key=[removed]&v=2");
    assert_eq!(
        server["stdio_config"]["args"],
        json!(["-y", "--api-key", "", "--token=[removed]", "--root", "documents"])
    );
    assert_eq!(server["stdio_config"]["env"], json!({ "LOG_LEVEL": "debugging" }));
}
