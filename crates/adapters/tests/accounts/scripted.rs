//! An IRC network with services and history, on paper: no package of Debian has both.

use std::sync::Arc;

use greenroom_adapters::{Account, Adapter, ConnectionState, Ended, Face, testing::Recorder};
use greenroom_persona::{AccountSettings, Secret};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
};

use crate::house::{name, within};

/// SASL PLAIN of the account `ada` with the password `secret`.
const GOOD: &str = "YWRhAGFkYQBzZWNyZXQ=";

/// Serves one connection after another. Returns what was asked for by AUTHENTICATE and CHATHISTORY.
async fn network(listener: TcpListener, asked: Arc<std::sync::Mutex<Vec<String>>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let answer = match command {
                "CAP" if rest.starts_with("LS") => {
                    ":net CAP * LS :sasl=PLAIN account-tag batch draft/chathistory message-tags server-time"
                        .into()
                }
                "CAP" if rest.starts_with("REQ") => {
                    format!(":net CAP * ACK {}", rest.trim_start_matches("REQ "))
                }
                "CAP" => ":net 001 ada :Welcome".into(),
                "AUTHENTICATE" if rest == "PLAIN" => "AUTHENTICATE +".into(),
                "AUTHENTICATE" if rest == GOOD => {
                    asked.lock().unwrap().push("signed on".into());
                    ":net 903 ada :ok".into()
                }
                "AUTHENTICATE" => ":net 904 ada :SASL authentication failed".into(),
                "JOIN" => format!(":ada!ada@here JOIN {rest}\r\n:net 366 ada {rest} :End"),
                "CHATHISTORY" => {
                    asked.lock().unwrap().push(rest.to_owned());
                    let said = |time: &str, id: &str, account: &str, text: &str| {
                        format!(
                            "@batch=b;time=2026-11-24T12:00:{time}.000Z;msgid={id}{account} :ann!ann@there PRIVMSG #tea :{text}"
                        )
                    };
                    [
                        ":net BATCH +b chathistory #tea".into(),
                        said("01", "m1", ";account=ann", "missed one"),
                        said("02", "m2", "", "missed two"),
                        ":net BATCH -b".into(),
                    ]
                    .join("\r\n")
                }
                "PING" => format!(":net PONG net {rest}"),
                _ => continue,
            };
            writer.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
        }
    }
}

fn adapter(port: u16, password: &str) -> Arc<dyn Adapter> {
    let settings = AccountSettings {
        name: "net".into(),
        server: Some(format!("127.0.0.1:{port}")),
        tls: false,
        user: Some("ada".into()),
        channels: vec!["#tea".into()],
        ..AccountSettings::default()
    };
    Account { settings, token: Some(Secret::new(password)), app_token: None }.adapter().unwrap()
}

#[tokio::test]
async fn ad7_history_is_asked_for_and_people_are_known_by_their_accounts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, asked) = (listener.local_addr().unwrap().port(), Arc::default());
    let serving = tokio::spawn(network(listener, Arc::clone(&asked)));
    let recorder = Arc::new(Recorder::new(vec![Face { persona: name("ada"), name: "Ada".into() }]));
    let twelve = "1764000000000000";
    greenroom_adapters::Inlet::keep_cursor(&*recorder, "seen_until", twelve).await.unwrap();
    let running = tokio::spawn({
        let recorder = recorder.clone();
        async move { adapter(port, "secret").run(&*recorder).await }
    });
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    assert_eq!(recorder.texts(), ["missed one", "missed two"]);
    assert!(recorder.reports().iter().any(|report| matches!(report, ConnectionState::Online { .. })));
    let events = recorder.events();
    let authors: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            greenroom_adapters::Event::Message(said) => {
                Some((said.author.person.id.as_str(), said.event_id.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(authors, [("net/ann", "m1"), ("net/~ann", "m2")], "a nick alone proves nothing");
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked, ["signed on", "AFTER #tea timestamp=2025-11-24T16:00:00.000Z 100"]);
    recorder.closing.cancel();
    assert_eq!(within(running).await.unwrap(), Ended::Stopped);
    serving.abort();
}

#[tokio::test]
async fn ad5_a_password_that_services_refuse_is_named_and_not_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(network(listener, Arc::default()));
    let found = within(adapter(port, "canary").check()).await.remove(0);
    assert!(
        !found.ok && found.text.contains("refuses the password of ada") && !found.text.contains("canary")
    );
    assert!(within(adapter(port, "secret").check()).await[0].ok);
    serving.abort();
}
