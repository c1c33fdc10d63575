//! Tests on a scripted IRC network with services and history. No package of Debian has both.

use std::sync::{Arc, Mutex};

use greenroom_adapters::{
    Account, Adapter, ConnectionState, Ended, Event, Face, Inlet, LookedBack, Outcome, Place, Post, Request,
    testing::Recorder,
};
use greenroom_core::Timestamp;
use greenroom_persona::{AccountSettings, FaceSetting, Secret};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::house::{name, within};

/// SASL PLAIN of the account `ada` with the password `secret`.
const GOOD: &str = "YWRhAGFkYQBzZWNyZXQ=";

/// The network's answer to a line: nick of the connection, command, rest of the line.
type Answer = dyn Fn(&str, &str, &str) -> Option<String> + Send + Sync;

/// Serves every connection. It handles the registration itself, and passes other lines to `answer`: nick, command,
/// rest.
async fn network(listener: TcpListener, answer: Arc<Answer>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(connection(stream, answer.clone()));
    }
}

async fn connection(stream: TcpStream, answer: Arc<Answer>) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut nick = String::new();
    while let Ok(Some(line)) = lines.next_line().await {
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match command {
            "NICK" => {
                nick = rest.to_owned();
                continue;
            }
            "CAP" if rest.starts_with("LS") => {
                ":net CAP * LS :sasl=PLAIN account-notify account-tag batch draft/chathistory extended-join message-tags server-time"
                    .into()
            }
            "CAP" if rest.starts_with("REQ") => {
                format!(":net CAP * ACK {}", rest.trim_start_matches("REQ "))
            }
            "CAP" => format!(":net 001 {nick} :Welcome\r\n:net 005 {nick} CHATHISTORY=2 :are supported"),
            "AUTHENTICATE" if rest == "PLAIN" => "AUTHENTICATE +".into(),
            "AUTHENTICATE" if rest == GOOD => ":net 903 ada :ok".into(),
            "AUTHENTICATE" => ":net 904 ada :SASL authentication failed".into(),
            "PING" => format!(":net PONG net {rest}"),
            command => match answer(&nick, command, rest) {
                Some(answer) => answer,
                None => continue,
            },
        };
        if writer.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The answer to a `JOIN`, which the network always permits.
fn join(nick: &str, channel: &str) -> String {
    format!(":{nick}!{nick}@here JOIN {channel} * :{nick}\r\n:net 366 {nick} {channel} :End")
}

/// A past message: channel, time, id and account as tags, text.
type Said = (&'static str, &'static str, &'static str, &'static str);

/// A page of history for `AFTER #tea timestamp=… 2`: the oldest two messages of the channel after that time.
fn page(past: &[Said], rest: &str) -> String {
    let mut words = rest.split(' ').skip(1);
    let (channel, after) = (words.next().unwrap(), words.next().unwrap().trim_start_matches("timestamp="));
    let most: usize = words.next().unwrap().parse().unwrap();
    let said = past.iter().filter(|(where_, time, ..)| *where_ == channel && *time > after).take(most);
    let said = said.map(|(_, time, tags, text)| {
        format!("@batch=b;time={time};{tags} :ann!ann@there PRIVMSG {channel} :{text}")
    });
    let begins = format!(":net BATCH +b chathistory {channel}");
    [begins].into_iter().chain(said).chain([":net BATCH -b".into()]).collect::<Vec<_>>().join("\r\n")
}

fn adapter(port: u16, password: &str) -> Arc<dyn Adapter> {
    on_channels(port, password, &["#tea"])
}

fn on_channels(port: u16, password: &str, channels: &[&str]) -> Arc<dyn Adapter> {
    let settings = AccountSettings {
        name: "net".into(),
        server: Some(format!("127.0.0.1:{port}")),
        tls: false,
        user: Some("ada".into()),
        channels: channels.iter().map(ToString::to_string).collect(),
        ..AccountSettings::default()
    };
    Account { settings, token: Some(Secret::new(password)), app_token: None }.adapter().unwrap()
}

/// An account that runs on a scripted network.
struct Running {
    recorder: Arc<Recorder>,
    ended: tokio::task::JoinHandle<Ended>,
    serving: tokio::task::JoinHandle<()>,
}

/// The cursor of an account that was last online at noon.
const NOON_MICROS: &str = "1795521600000000";

impl Running {
    /// Runs Ada's account with these channels. Its last connection ended at noon.
    async fn since_noon(channels: &[&str], answer: Arc<Answer>) -> Self {
        Self::with(&["ada"], answer, |port| on_channels(port, "secret", channels)).await
    }

    async fn with(
        personas: &[&str],
        answer: Arc<Answer>,
        adapter: impl FnOnce(u16) -> Arc<dyn Adapter>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let adapter = adapter(listener.local_addr().unwrap().port());
        let serving = tokio::spawn(network(listener, answer));
        let face = |persona: &&str| Face { persona: name(persona), name: persona.to_string() };
        let recorder = Arc::new(Recorder::new(personas.iter().map(face).collect()));
        recorder.keep_cursor("seen_until", NOON_MICROS).await.unwrap();
        let ended = tokio::spawn({
            let recorder = recorder.clone();
            async move { adapter.run(&*recorder).await }
        });
        Self { recorder, ended, serving }
    }

    async fn stops(self) -> Arc<Recorder> {
        self.recorder.closing.cancel();
        assert_eq!(within(self.ended).await.unwrap(), Ended::Stopped);
        self.serving.abort();
        self.recorder
    }
}

/// Joins and parts, such as `+net/ann` and `-net/ann`.
fn comings(recorder: &Recorder) -> Vec<String> {
    let coming = |event: Event| match event {
        Event::Joined { person, .. } => Some(format!("+{}", person.id)),
        Event::Left { person, .. } => Some(format!("-{}", person.id)),
        _ => None,
    };
    recorder.events().into_iter().filter_map(coming).collect()
}

/// Wraps `answer` and records the arguments of one command.
fn asked(command: &'static str, answer: Arc<Answer>) -> (Arc<Mutex<Vec<String>>>, Arc<Answer>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = asked.clone();
    let noting = move |nick: &str, what: &str, rest: &str| {
        if what == command {
            notes.lock().unwrap().push(rest.to_owned());
        }
        answer(nick, what, rest)
    };
    (asked, Arc::new(noting))
}

/// Regression: the account asked for a page of a hundred messages, and lost all messages after it.
#[tokio::test]
async fn ad7_history_is_read_page_by_page_and_people_are_known_by_their_accounts() {
    const PAST: [Said; 5] = [
        ("#tea", "2026-11-24T12:00:01.000Z", "msgid=m1;account=ann", "missed 1"),
        ("#tea", "2026-11-24T12:00:02.000Z", "msgid=m2", "missed 2"),
        ("#tea", "2026-11-24T12:00:02.000Z", "msgid=m3", "missed 3"),
        ("#tea", "2026-11-24T12:00:04.000Z", "msgid=m4", "missed 4"),
        ("#tea", "2026-11-24T12:00:05.000Z", "msgid=m5", "missed 5"),
    ];
    let answer: Arc<Answer> = Arc::new(|nick: &str, command: &str, rest: &str| match command {
        "JOIN" => Some(join(nick, rest)),
        "CHATHISTORY" => Some(page(&PAST, rest)),
        _ => None,
    });
    let (asked, answer) = asked("CHATHISTORY", answer);
    let running = Running::since_noon(&["#tea"], answer).await;
    within(running.recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    let recorder = running.stops().await;
    assert_eq!(recorder.texts(), (1..=5).map(|n| format!("missed {n}")).collect::<Vec<_>>());
    assert_eq!(
        recorder.looks_back(),
        [LookedBack { since: NOON_MICROS.parse().ok().map(Timestamp), complete: false }]
    );
    assert!(recorder.reports().iter().any(|report| matches!(report, ConnectionState::Online { .. })));
    let events = recorder.events();
    let authors: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Message(said) => Some((said.author.person.id.as_str(), said.event_id.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(authors[..2], [("net/ann", "m1"), ("net/~ann", "m2")], "a nick alone proves nothing");
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked[0], "AFTER #tea timestamp=2026-11-24T11:59:59.999Z 2", "as many as the server permits");
}

/// A network on which somebody writes in `#tea` before the account has joined `#den`.
fn busy(answers_den: bool) -> Arc<Answer> {
    const PAST: [Said; 1] = [("#den", "2026-11-24T12:10:00.000Z", "msgid=m1", "missed in the den")];
    Arc::new(move |nick: &str, command: &str, rest: &str| match command {
        "JOIN" if rest == "#tea" => {
            let live = "@time=2026-11-24T13:00:00.000Z;msgid=live :bo!bo@there PRIVMSG #tea :live";
            Some(format!("{}\r\n{live}", join(nick, rest)))
        }
        "JOIN" => Some(join(nick, rest)),
        "CHATHISTORY" if answers_den || rest.contains("#tea") => Some(page(&PAST, rest)),
        _ => None,
    })
}

/// Regression: a message in one channel moved the time from which the next channel's history was read, so missed
/// messages were lost.
#[tokio::test]
async fn ad7_a_message_in_one_channel_hides_nothing_that_was_missed_in_another() {
    let (asked, answer) = asked("CHATHISTORY", busy(true));
    let running = Running::since_noon(&["#tea", "#den"], answer).await;
    within(running.recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    let recorder = running.stops().await;
    assert_eq!(recorder.texts(), ["live", "missed in the den"]);
    let first = asked.lock().unwrap().iter().find(|rest| rest.contains("#den")).cloned();
    assert_eq!(first.as_deref(), Some("AFTER #den timestamp=2026-11-24T11:59:59.999Z 2"));
    let kept = recorder.kept("seen_until").unwrap();
    assert!(kept.as_str() > NOON_MICROS, "{kept}");
}

/// Regression: a process ended while it read a channel's history, and the next process started after the missed
/// messages.
#[tokio::test]
async fn ad7_a_connection_that_ends_before_every_channel_is_read_leaves_the_cursor_where_it_was() {
    let running = Running::since_noon(&["#tea", "#den"], busy(false)).await;
    within(running.recorder.until(|recorder| recorder.texts() == ["live"])).await;
    let recorder = running.stops().await;
    assert_eq!(recorder.kept("seen_until").as_deref(), Some(NOON_MICROS));
}

/// Regression: a store that could not be read counted as a first start, so the account did not ask for missed messages.
#[tokio::test]
async fn ad7_a_cursor_that_cannot_be_read_ends_the_connection() {
    let recorder = Recorder::new(vec![Face { persona: name("ada"), name: "Ada".into() }]);
    recorder.fail(true);
    let ended = within(adapter(1, "secret").run(&recorder)).await;
    assert!(matches!(&ended, Ended::Broken(why) if why.contains("full")), "{ended:?}");
}

/// Regression: one person was listed under two ids. Personas left without having joined. People who had left while the
/// account was out of the channel were listed as present.
#[tokio::test]
async fn ad6_who_is_there_is_each_person_once_and_no_persona() {
    let answer: Arc<Answer> = Arc::new(|nick: &str, command: &str, rest: &str| match (nick, command) {
        ("ada", "JOIN") => Some(
            [
                &join(nick, rest),
                ":net 353 ada = #tea :@ann +vesper ada ben",
                ":cy!c@h JOIN #tea cynthia :Cy",
                "@account=anna :ann!a@h PRIVMSG #tea :one",
                ":vesper!v@h PART #tea",
                ":ben!b@h PART #tea",
                ":op!o@h KICK #tea ada :no",
                // services let the account in again
                &join(nick, rest),
                ":net 353 ada = #tea :ada ann",
                "@account=anna :ann!a@h PRIVMSG #tea :two",
                ":ann!a@h QUIT :bye",
                ":dee!d@h PRIVMSG #tea :three",
            ]
            .join("\r\n"),
        ),
        (_, "JOIN") => Some(join(nick, rest)),
        (_, "CHATHISTORY") => Some(page(&[], rest)),
        _ => None,
    });
    let running = Running::with(&["ada", "vesper"], answer, |port| {
        let settings = AccountSettings {
            name: "net".into(),
            server: Some(format!("127.0.0.1:{port}")),
            tls: false,
            faces: FaceSetting::Own,
            channels: vec!["#tea".into()],
            ..AccountSettings::default()
        };
        Account { settings, token: None, app_token: None }.adapter().unwrap()
    });
    let running = running.await;
    within(running.recorder.until(|recorder| recorder.texts().len() == 3)).await;
    let recorder = running.stops().await;
    let (came, kicked, again) = (
        ["+net/~ann", "+net/~ben", "+net/cynthia", "-net/~ann", "+net/anna", "-net/~ben"].as_slice(),
        ["-net/anna", "-net/cynthia"].as_slice(),
        ["+net/~ann", "-net/~ann", "+net/anna", "-net/anna"].as_slice(),
    );
    let mut told = comings(&recorder);
    told[6..8].sort();
    assert_eq!(told, [came, kicked, again].concat());
}

#[tokio::test]
async fn ad5_a_password_that_services_refuse_is_named_and_not_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(network(
        listener,
        Arc::new(|nick: &str, command: &str, rest: &str| (command == "JOIN").then(|| join(nick, rest))),
    ));
    let found = within(adapter(port, "canary").check()).await.remove(0);
    assert!(
        !found.passed && found.text.contains("refuses the password of ada") && !found.text.contains("canary")
    );
    assert!(within(adapter(port, "secret").check()).await[0].passed);
    serving.abort();
}

/// Regression: a reply in private went to the nick and not to the person, and the next holder of a nick entered the
/// private chat of the person who had signed on.
#[tokio::test]
async fn mp1_a_private_chat_is_with_the_person_and_not_with_the_next_holder_of_the_nick() {
    // said before by another person, who had not signed on
    const PAST: [Said; 1] = [("#tea", "2026-11-24T12:00:01.000Z", "msgid=m1", "long ago")];
    let answer: Arc<Answer> = Arc::new(|nick: &str, command: &str, rest: &str| match (command, rest) {
        ("JOIN", _) => Some(format!("{}\r\n@account=anna :ann!a@h PRIVMSG ada :hello", join(nick, rest))),
        ("CHATHISTORY", _) => Some(page(&PAST, rest)),
        ("PRIVMSG", "ann :one") => Some(":ann!a@h NICK annie".into()),
        ("PRIVMSG", "annie :two") => {
            Some(":annie!a@h QUIT :bye\r\n:ann!m@elsewhere PRIVMSG ada :what did I tell you?".into())
        }
        _ => None,
    });
    let (sent, answer) = asked("PRIVMSG", answer);
    let mut made = None;
    let running = Running::with(&["ada"], answer, |port| made.insert(adapter(port, "secret")).clone()).await;
    let made = made.unwrap();
    let chats = |recorder: &Recorder| -> Vec<Place> {
        let chat = |event| match event {
            Event::Message(said) => Some(said.place),
            _ => None,
        };
        recorder.events().into_iter().filter_map(chat).collect()
    };
    within(running.recorder.until(|recorder| recorder.texts().len() == 2)).await;
    let anna = chats(&running.recorder).remove(0);
    assert_eq!(anna, Place::chat("net/ann@anna"));
    let post = |place: &Place, text: &str| {
        let face = Face { persona: name("ada"), name: "Ada".into() };
        let key = text.to_owned();
        made.perform(Request::Post(Post {
            place: place.clone(),
            reply_to: None,
            text: key.clone(),
            face,
            key,
        }))
    };
    assert!(matches!(within(post(&anna, "one")).await, Outcome::Done { .. }));
    assert!(matches!(within(post(&anna, "two")).await, Outcome::Done { .. }), "the nick has changed");
    within(running.recorder.until(|recorder| recorder.texts().len() == 3)).await;
    let other = chats(&running.recorder).remove(2);
    assert_eq!(other, Place::chat("net/ann"));
    let refused = within(post(&anna, "three")).await;
    assert!(matches!(&refused, Outcome::Refused(why) if why.contains("another person")), "{refused:?}");
    assert!(matches!(within(post(&other, "four")).await, Outcome::Done { .. }));
    running.stops().await;
    assert_eq!(*sent.lock().unwrap(), ["ann :one", "annie :two", "ann :four"]);
}
