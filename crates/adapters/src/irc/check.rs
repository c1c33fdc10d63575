//! Checks an account for `connect` and `doctor`: whether the server lets it sign on, and whether channels let it join.

use std::{collections::HashSet, time::Duration};

use super::{
    Address, Irc, SHARED_NICK,
    line::{Line, folded, nick_of},
    registration::{Identity, Registered, register},
    session::key_of,
    stream::Stream,
};
use crate::{Ended, Finding, tls::unreached};

/// The time limit for the answers of all channels.
const CHANNELS_TIME: Duration = Duration::from_secs(20);
/// The time limit for the server to close the connection.
const GOODBYE_TIME: Duration = Duration::from_secs(3);

impl Irc {
    /// Signs on and off.
    pub(super) async fn look(&self) -> Vec<Finding> {
        let (mut stream, registered) = match self.sign_on().await {
            Ok(signed_on) => signed_on,
            Err(finding) => return vec![finding],
        };
        leave(&mut stream).await;
        let settings = &self.account.settings;
        let echo = match registered.capabilities.contains("echo-message") {
            true => "messages have ids",
            false => "messages have no ids",
        };
        let history = match registered.capabilities.iter().any(|name| name.ends_with("chathistory")) {
            true => "what is said during an absence is seen",
            false => "the server keeps no history: what is said during an absence is not seen",
        };
        let lets_in = format!("{} lets us in as {}; {echo}; {history}", self.server, registered.nick);
        let unsigned = settings
            .user
            .as_deref()
            .filter(|_| self.account.token.is_some() && !registered.capabilities.contains("sasl"));
        let unsigned = unsigned.map(|user| Finding {
            remedy: Some("check `server` and `user`, if the network has services".to_owned()),
            ..Finding::pass(format!(
                "{user} is not signed on: the server has no SASL, and got the password as its own"
            ))
        });
        std::iter::once(Finding::pass(lets_in)).chain(unsigned).collect()
    }

    /// Joins the channels and signs off.
    pub(super) async fn try_channels(&self) -> Vec<Finding> {
        let channels = &self.account.settings.channels;
        if channels.is_empty() {
            return Vec::new();
        }
        let (mut stream, registered) = match self.sign_on().await {
            Ok(signed_on) => signed_on,
            Err(finding) => return vec![finding],
        };
        let mut entering = Entering::new(channels.iter().map(String::as_str), &registered.nick);
        let entered = tokio::time::timeout(CHANNELS_TIME, entering.run(&mut stream, channels)).await;
        leave(&mut stream).await;
        let mut findings = entering.findings;
        let unknown = entering.waiting.into_iter().map(|channel| {
            let why = match &entered {
                Ok(Err(why)) => why.as_str(),
                _ => "the server does not say whether it lets us in",
            };
            Finding::fail(format!("{channel}: {why}"), "try again")
        });
        findings.extend(unknown);
        findings
    }

    async fn sign_on(&self) -> Result<(Stream, Registered), Finding> {
        let Address { server, tls, ca_file } = self.address();
        let dialled = Stream::dial(server, tls, ca_file).await;
        let mut stream = dialled.map_err(|why| Finding::fail(why, unreached(tls)))?;
        let settings = &self.account.settings;
        let nick = settings.user.clone().or_else(|| settings.personas.first().map(ToString::to_string));
        let identity = Identity {
            nick: nick_of(nick.as_deref().unwrap_or(SHARED_NICK)),
            user: settings.user.clone(),
            real_name: "Greenroom".into(),
            password: self.account.token.clone(),
        };
        match register(&mut stream, &identity).await {
            Ok(registered) => Ok((stream, registered)),
            Err(Ended::Refused(why) | Ended::Broken(why)) => {
                Err(Finding::fail(why, "see docs/platforms/irc.md"))
            }
            Err(_) => Err(Finding::fail("the server sent us away", "try again")),
        }
    }
}

/// Signs off and waits until the server has released the nick, because the next connection needs it.
async fn leave(stream: &mut Stream) {
    let gone = async {
        stream.send("QUIT :checked").await?;
        while stream.line().await?.is_some() {}
        Ok::<_, String>(())
    };
    let _ = tokio::time::timeout(GOODBYE_TIME, gone).await;
}

/// The state of joining channels.
struct Entering {
    nick: String,
    /// Channels that have not answered yet, folded and without their keys.
    waiting: HashSet<String>,
    /// Channels in which other people are.
    peopled: HashSet<String>,
    findings: Vec<Finding>,
}

impl Entering {
    fn new<'a>(channels: impl Iterator<Item = &'a str>, nick: &str) -> Self {
        let waiting = channels.map(|channel| folded(key_of(channel))).collect();
        Self { nick: folded(nick), waiting, peopled: HashSet::new(), findings: Vec::new() }
    }

    async fn run(&mut self, stream: &mut Stream, channels: &[String]) -> Result<(), String> {
        for channel in channels {
            stream.send(&format!("JOIN {channel}")).await?;
        }
        while !self.waiting.is_empty() {
            let line = stream.line().await?.ok_or("the server closed the connection")?;
            let Some(line) = Line::parse(&line) else { continue };
            match line.command.as_str() {
                "PING" => stream.send(&format!("PONG :{}", line.param(0))).await?,
                _ => self.heard(&line),
            }
        }
        Ok(())
    }

    fn heard(&mut self, line: &Line) {
        match line.command.as_str() {
            "353" => {
                let nick = |name: &str| {
                    let name = name.trim_start_matches(['~', '&', '@', '%', '+', '!']);
                    folded(name.split('!').next().unwrap_or_default())
                };
                if line.param(3).split_whitespace().any(|name| nick(name) != self.nick) {
                    self.peopled.insert(folded(line.param(2)));
                }
            }
            // end of the list of names (RPL_ENDOFNAMES)
            "366" => {
                let channel = folded(line.param(1));
                if self.waiting.remove(&channel) {
                    self.findings.push(match self.peopled.contains(&channel) {
                        true => Finding::pass(format!("{channel} lets us in")),
                        false => Finding {
                            remedy: Some("check its name, if others should be there".to_owned()),
                            ..Finding::pass(format!("{channel} lets us in; nobody else is there"))
                        },
                    });
                }
            }
            // error numerics: an error for a channel that has not answered is the reason why it refuses us
            number if number.len() == 3 && number.starts_with(['4', '5']) => {
                let channel = folded(line.param(1));
                if self.waiting.remove(&channel) {
                    let why = line.params.last().cloned().unwrap_or_default();
                    self.findings.push(Finding::fail(
                        format!("{channel} does not let us in: {why}"),
                        "check its name and its key (--channel '#tea KEY'), or ask its operators to let the account in",
                    ));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(lines: &[&str]) -> Vec<(bool, String)> {
        let mut entering = Entering::new(["#Tea", "#den secret"].into_iter(), "ada");
        lines.iter().for_each(|line| entering.heard(&Line::parse(line).unwrap()));
        entering.findings.into_iter().map(|finding| (finding.passed, finding.text)).collect()
    }

    #[test]
    fn ad5_a_channel_lets_the_account_in_or_says_why_not() {
        let found = heard(&[
            ":srv 353 ada = #tea :@ann ada",
            ":srv 366 ada #tea :End",
            ":srv 475 ada #den :Cannot join channel (+k)",
            ":srv 442 ada #other :You're not on that channel",
        ]);
        let texts: Vec<_> = found.iter().map(|(ok, text)| (*ok, text.as_str())).collect();
        assert_eq!(
            texts,
            [(true, "#tea lets us in"), (false, "#den does not let us in: Cannot join channel (+k)")]
        );
    }

    #[test]
    fn ad5_a_channel_that_entering_has_made_is_said_to_be_empty() {
        let found = heard(&[":srv 353 ada = #tea :@ada", ":srv 366 ada #tea :End"]);
        assert_eq!(found, [(true, "#tea lets us in; nobody else is there".to_owned())]);
    }
}
