//! Signs on: capabilities, password, nick.

use std::{collections::HashSet, time::Duration};

use greenroom_persona::Secret;
use tokio::time::timeout;

use super::{line::Line, stream::Stream};
use crate::Ended;

/// The time limit for signing on.
const TIME: Duration = Duration::from_secs(40);
/// The time limit for the answer to the capability request. Old servers do not answer it.
const CAPABILITIES_TIME: Duration = Duration::from_secs(6);
/// The most alternative nicks that are tried if the nick is taken.
const OTHER_NICKS: usize = 8;

/// The capabilities that are used if the server has them.
const WANTED: [&str; 12] = [
    "account-notify",
    "account-tag",
    "batch",
    "draft/chathistory",
    "chathistory",
    "echo-message",
    "extended-join",
    "labeled-response",
    "message-tags",
    "multi-prefix",
    "sasl",
    "server-time",
];

/// The identity of a connection.
pub(super) struct Identity {
    /// The wanted nick.
    pub(super) nick: String,
    /// The account at the network's services, for SASL.
    pub(super) user: Option<String>,
    /// The display name beside the nick.
    pub(super) real_name: String,
    /// The password.
    pub(super) password: Option<Secret>,
}

/// A connection that has signed on.
pub(super) struct Registered {
    /// The nick that the server gave.
    pub(super) nick: String,
    /// The capabilities that the server granted.
    pub(super) capabilities: HashSet<String>,
}

/// Signs on.
///
/// # Errors
/// The reason why the connection ends.
pub(super) async fn register(stream: &mut Stream, identity: &Identity) -> Result<Registered, Ended> {
    timeout(TIME, registration(stream, identity))
        .await
        .unwrap_or_else(|_| Err(Ended::Broken("the server does not let us sign on".into())))
}

async fn registration(stream: &mut Stream, identity: &Identity) -> Result<Registered, Ended> {
    stream.send("CAP LS 302").await.map_err(Ended::Broken)?;
    let offered = match timeout(CAPABILITIES_TIME, offered(stream)).await {
        Ok(offered) => offered?,
        Err(_) => HashSet::new(),
    };
    let with_sasl = identity.password.is_some() && offered.contains("sasl");
    if let Some(password) = identity.password.as_ref().filter(|_| !with_sasl) {
        stream.send(&format!("PASS :{}", password.expose())).await.map_err(Ended::Broken)?;
    }
    let mut nick = identity.nick.clone();
    stream.send(&format!("NICK {nick}")).await.map_err(Ended::Broken)?;
    let user = super::line::nick_of(identity.user.as_deref().unwrap_or(&nick)).to_lowercase();
    stream.send(&format!("USER {user} 0 * :{}", identity.real_name)).await.map_err(Ended::Broken)?;
    let wanted: Vec<_> = WANTED
        .into_iter()
        .filter(|capability| offered.contains(*capability) && (*capability != "sasl" || with_sasl))
        .collect();
    match wanted.is_empty() {
        true if !offered.is_empty() => stream.send("CAP END").await.map_err(Ended::Broken)?,
        true => {}
        false => stream.send(&format!("CAP REQ :{}", wanted.join(" "))).await.map_err(Ended::Broken)?,
    }
    let (mut granted, mut tries) = (HashSet::new(), 0);
    loop {
        let line = next(stream).await?;
        match line.command.as_str() {
            "CAP" if line.param(1).eq_ignore_ascii_case("ACK") => {
                granted.extend(line.param(2).split_whitespace().map(str::to_owned));
                let next = if granted.contains("sasl") { "AUTHENTICATE PLAIN" } else { "CAP END" };
                stream.send(next).await.map_err(Ended::Broken)?;
            }
            "CAP" if line.param(1).eq_ignore_ascii_case("NAK") => {
                stream.send("CAP END").await.map_err(Ended::Broken)?;
            }
            "AUTHENTICATE" if line.param(0) == "+" => {
                let account = identity.user.as_deref().unwrap_or(&identity.nick);
                let password = identity.password.as_ref().map_or("", Secret::expose);
                for part in plain(account, password) {
                    stream.send(&format!("AUTHENTICATE {part}")).await.map_err(Ended::Broken)?;
                }
            }
            "903" => stream.send("CAP END").await.map_err(Ended::Broken)?,
            "902" | "904" | "905" | "906" | "908" => {
                return Err(Ended::Refused(format!(
                    "the server refuses the password of {} ({}); check the variable of the account",
                    identity.user.as_deref().unwrap_or(&identity.nick),
                    line.params.last().map_or("", String::as_str)
                )));
            }
            "464" => {
                let why = "the server wants another password; check the variable of the account";
                return Err(Ended::Refused(why.into()));
            }
            "465" => {
                return Err(Ended::Refused(format!(
                    "the server has banned us: {}; ask its operators",
                    line.params.last().map_or("", String::as_str)
                )));
            }
            "432" | "433" | "436" | "437" => {
                tries += 1;
                if tries > OTHER_NICKS {
                    let why = format!("{} and names like it are taken, or not permitted", identity.nick);
                    return Err(Ended::Broken(why));
                }
                nick = another(&identity.nick, tries);
                stream.send(&format!("NICK {nick}")).await.map_err(Ended::Broken)?;
            }
            "001" => {
                // servers may shorten a nick
                let given = line.param(0);
                let nick = if given.is_empty() || given == "*" { nick } else { given.to_owned() };
                return Ok(Registered { nick, capabilities: granted });
            }
            _ => {}
        }
    }
}

/// The capabilities that a server offers; empty if it knows no capabilities.
async fn offered(stream: &mut Stream) -> Result<HashSet<String>, Ended> {
    let mut offered = HashSet::new();
    loop {
        let line = next(stream).await?;
        match line.command.as_str() {
            "CAP" if line.param(1).eq_ignore_ascii_case("LS") => {
                let names = line.params.last().map_or("", String::as_str).split_whitespace();
                offered.extend(names.map(|name| name.split('=').next().unwrap_or_default().to_owned()));
                // `*` means that another line follows
                if line.param(2) != "*" || line.params.len() < 4 {
                    return Ok(offered);
                }
            }
            // the server knows no capabilities, or wants a nick first
            "421" | "451" | "410" => return Ok(offered),
            _ => {}
        }
    }
}

/// The next line. Answers pings.
async fn next(stream: &mut Stream) -> Result<Line, Ended> {
    loop {
        let text = stream.line().await.map_err(Ended::Broken)?;
        let text = text.ok_or_else(|| Ended::Broken("the server closed the connection".into()))?;
        let Some(line) = Line::parse(&text) else { continue };
        match line.command.as_str() {
            "PING" => stream.send(&format!("PONG :{}", line.param(0))).await.map_err(Ended::Broken)?,
            "ERROR" => return Err(Ended::Broken(format!("the server said: {}", line.param(0)))),
            _ => return Ok(line),
        }
    }
}

/// The `n`th alternative nick: `ada_`, `ada__`, then with numbers. Nine characters fit on every server.
fn another(nick: &str, n: usize) -> String {
    let tail = if n <= 2 { "_".repeat(n) } else { n.to_string() };
    let room = nick.len().max(9) - tail.len();
    format!("{}{tail}", nick.chars().take(room).collect::<String>())
}

/// The response of SASL PLAIN in lines of at most 400 characters. An empty last line is `+`.
fn plain(account: &str, password: &str) -> Vec<String> {
    let encoded = base64(format!("{account}\0{account}\0{password}").as_bytes());
    let mut lines: Vec<String> =
        encoded.as_bytes().chunks(400).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    if encoded.len().is_multiple_of(400) {
        lines.push("+".into());
    }
    lines
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_another_nick_is_tried_where_one_is_taken() {
        assert_eq!([1, 2, 3].map(|n| another("ada", n)), ["ada_", "ada__", "ada3"]);
        assert_eq!(another("ninechars", 1), "ninechar_");
    }

    #[test]
    fn ad2_a_long_password_is_sent_in_lines() {
        assert_eq!(plain("ann", "secret"), ["YW5uAGFubgBzZWNyZXQ="]);
        let lines = plain("ann", &"x".repeat(400 - 8 - 100));
        assert!(lines.iter().all(|line| line.len() <= 400), "{lines:?}");
        assert_eq!(plain("a", &"x".repeat(296)).last().map(String::as_str), Some("+"));
    }
}
