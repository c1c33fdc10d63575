//! Tokens appear in no error and in no log (X5).

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use greenroom_adapters::{Account, Ended, Outcome};
use greenroom_persona::Secret;
use tracing_subscriber::fmt::MakeWriter;

use crate::stage::{Connected, OnDiscord, OnSlack, OnTelegram, Stage, recorder, within};

/// A token that must never appear.
const CANARY: &str = "xoxb-7000:canary-of-a-token";

/// The log of a test.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

async fn a_token_is_shown_nowhere<S: Stage>() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let stage = S::open().await;
    let token = Some(Secret::new(CANARY));
    // Slack recognises the kind of a token by its prefix
    let app_token = Some(Secret::new(format!("xapp-{CANARY}")));
    let account = Account { token, app_token, ..stage.account() };
    let mut shown = format!("{account:?}");

    let adapter = Connected::with(&account, &recorder());
    shown += &format!("{:?}", adapter.adapter.check().await);
    let outcome = adapter.post(&stage.place(), "x", "1").await;
    // the reply waits for a good token
    assert!(matches!(outcome, Outcome::Denied(_)), "{outcome:?}");
    shown += &format!("{outcome:?}");
    let ended = within(adapter.ended()).await;
    assert!(matches!(ended, Ended::Refused(_)), "{ended:?}");
    shown += &format!("{ended:?}");

    stage.kill().await;
    let adapter = account.adapter().unwrap();
    let ended = within(adapter.run(recorder().as_ref())).await;
    assert!(matches!(ended, Ended::Broken(_)), "{ended:?}");
    shown += &format!("{ended:?} {:?}", adapter.check().await);
    let post = crate::stage::message(&stage.place(), "x", "1");
    let outcome = adapter.perform(greenroom_adapters::Request::Post(post)).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    shown += &format!("{outcome:?}");

    shown += &String::from_utf8_lossy(&log.0.lock().unwrap());
    assert!(!shown.contains("canary"), "{shown}");
}

#[tokio::test]
async fn x5_discords_token_is_shown_nowhere() {
    a_token_is_shown_nowhere::<OnDiscord>().await;
}

#[tokio::test]
async fn x5_telegrams_token_is_shown_nowhere() {
    a_token_is_shown_nowhere::<OnTelegram>().await;
}

#[tokio::test]
async fn x5_slacks_tokens_are_shown_nowhere() {
    a_token_is_shown_nowhere::<OnSlack>().await;
}
