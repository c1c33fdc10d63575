//! Images of messages are fetched from the platform, within limits, and from no other address (AD2).

use greenroom_adapters::Account;
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, Secret};

use crate::stage::{Connected, OnDiscord, OnSlack, OnTelegram, Stage, messages, online, recorder, within};

const MB: usize = 1 << 20;

/// Sends a message with files, and returns the result of fetching each file.
async fn fetched<S: Stage>(stage: &S, share: impl FnOnce(&S)) -> Vec<Result<Vec<u8>, String>> {
    let recorder = recorder();
    stage.limit_rates(false);
    let connected = Connected::start(stage, &recorder);
    online(&recorder).await;
    share(stage);
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    let files = messages(&recorder).remove(0).attachments;
    let mut fetched = Vec::new();
    for file in files {
        fetched.push(connected.adapter.fetch(file.source.as_deref().unwrap_or_default(), MB).await);
    }
    fetched
}

const FILES: [(&str, &str); 2] = [("cat.png", "image/png"), ("huge.png", "image/png")];

fn is_png(bytes: &Result<Vec<u8>, String>) -> bool {
    bytes.as_ref().is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"))
}

#[tokio::test]
async fn ad2_an_image_is_fetched_from_discord() {
    let files = fetched(&OnDiscord::open().await, |stage| {
        stage.fake.say_more(stage.channel, stage.person, "look", None, &FILES);
    })
    .await;
    assert!(is_png(&files[0]));
    assert_eq!(files[1], Err("it is larger than 1 MB".into()));
}

#[tokio::test]
async fn ad2_an_image_is_fetched_from_slack() {
    let files = fetched(&OnSlack::open().await, |stage| {
        stage.fake.share(&stage.channel, &stage.person, "look", &FILES);
    })
    .await;
    assert!(is_png(&files[0]));
    assert_eq!(files[1], Err("it is larger than 1 MB".into()));
    let stage = OnSlack::open().await;
    stage.fake.remove_scope("files:read");
    let files = fetched(&stage, |stage| {
        stage.fake.share(&stage.channel, &stage.person, "look", &FILES[..1]);
    })
    .await;
    assert!(files[0].as_ref().is_err_and(|why| why.contains("lacks the scope files:read")), "{files:?}");
}

#[tokio::test]
async fn ad2_an_image_is_fetched_from_telegram() {
    let files = fetched(&OnTelegram::open().await, |stage| {
        stage.fake.photo(stage.chat, stage.person, "look");
    })
    .await;
    assert!(is_png(&files[0]));
    let stage = OnTelegram::open().await;
    let unknown = stage.account().adapter().unwrap().fetch("unknown", MB).await.unwrap_err();
    assert!(unknown.contains("invalid file_id") && !unknown.contains(&stage.fake.token()), "{unknown}");
}

/// The sender of a message chooses the address of a file. The adapter must send neither a token nor a request to a
/// foreign address.
#[tokio::test]
async fn x3_nothing_is_fetched_from_an_address_of_a_stranger() {
    let account = |platform: Platform, server: Option<&str>| {
        let settings = AccountSettings {
            name: "one".into(),
            platform,
            server: server.map(str::to_owned),
            user: Some("bot@example.org".into()),
            ..AccountSettings::default()
        };
        let secret = Some(Secret::new("0123456789abcdef"));
        Account { settings, token: secret.clone(), app_token: secret }.adapter().unwrap()
    };
    let addresses = [
        "https://evil.example/cat.png",
        "http://127.0.0.1:1/cat.png",
        "http://169.254.169.254/latest/meta-data",
        "https://localhost/cat.png",
        "https://cdn.discordapp.com.evil.example/cat.png",
        "https://files.slack.com@evil.example/cat.png",
        "https://upload.example.org.evil.example/cat.png",
        "https://evilexample.org/cat.png",
        "http://bridge.example/cat.png",
        "https://bridge.example:8443/cat.png",
        "file:///etc/passwd",
        "mxc:nothing",
        "",
    ];
    for (platform, server) in [
        (Platform::Discord, None),
        (Platform::Slack, None),
        (Platform::Xmpp, None),
        (Platform::Matrix, Some("https://matrix.example")),
        (Platform::Bridge, Some("https://bridge.example/greenroom")),
        (Platform::Irc, Some("irc.example:6697")),
    ] {
        let adapter = account(platform, server);
        for address in addresses {
            let why = adapter.fetch(address, MB).await.unwrap_err();
            assert!(
                why.contains("it is not") || why.contains("cannot be fetched"),
                "{platform} {address}: {why}"
            );
        }
    }
}
