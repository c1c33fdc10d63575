//! People who use existing clients: WeeChat for IRC and matrix-nio for Matrix. For XMPP, every test on Prosody uses
//! slixmpp.

use std::{fs, path::PathBuf, process::Stdio, time::Duration};

use serde_json::Value;

use crate::{
    house::within,
    irc, matrix,
    servers::{
        irc::{Kind, Server},
        matrix::Synapse,
    },
};

/// The current content of a text file; empty if there is no file.
fn text_of(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

async fn until_it_has(path: &PathBuf, wished: &str) {
    within(async {
        while !text_of(path).contains(wished) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

/// The test writes to WeeChat's pipe, and reads from WeeChat's log what a person would see.
#[tokio::test]
async fn ad2_a_person_at_weechat_talks_with_personas_on_inspircd() {
    let server = Server::start(Kind::Inspircd).await;
    let _house = irc::house(irc::settings(&server)).await;
    let directory = tempfile::tempdir().unwrap();
    let (pipe, logs) = (directory.path().join("pipe"), directory.path().join("logs"));
    let add = format!("/server add net 127.0.0.1/{} -notls -nicks=ann -autojoin=#tea", server.port);
    let commands = [
        "/set logger.file.flush_delay 0".to_owned(),
        format!("/set fifo.file.path {}", pipe.display()),
        add,
        "/connect net".to_owned(),
    ];
    let _weechat = tokio::process::Command::new("weechat-headless")
        .arg("--dir")
        .arg(directory.path())
        .args(commands.iter().flat_map(|command| ["--run-command", command]))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("this test needs weechat-headless: scripts/test installs it");
    let (tea, ada) = (logs.join("irc.net.#tea.weechatlog"), logs.join("irc.net.ada.weechatlog"));
    until_it_has(&tea, "ann").await;
    fs::write(&pipe, "irc.net.#tea *vesper: Say: one\n").unwrap();
    until_it_has(&tea, "vesper\tone\n").await;
    fs::write(&pipe, "irc.net.#tea */msg ada Say: two\n").unwrap();
    until_it_has(&ada, "ada\ttwo\n").await;
    assert_eq!(text_of(&tea).matches("\tone\n").count(), 1);
}

#[tokio::test]
async fn ad2_a_person_at_matrix_nio_talks_with_a_persona_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, _) = (synapse.person("bot").await, synapse.person("eve").await);
    let _house = matrix::house(&synapse, &bot).await;
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let tools = here.join("../../target/tools/nio");
    assert!(tools.exists(), "this test needs matrix-nio: scripts/test installs it");
    let eve = tokio::process::Command::new("python3")
        .arg(here.join("tests/servers/nio_person.py"))
        .args([&synapse.url(), "@eve:test", "secret", "@bot:test", "Say: **one**"])
        .env("PYTHONPATH", tools)
        .kill_on_drop(true)
        .output();
    let told = within(eve).await.unwrap();
    let heard: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(heard["content"]["body"], "one");
    assert_eq!(heard["content"]["formatted_body"], "<p><b>one</b></p>");
}
