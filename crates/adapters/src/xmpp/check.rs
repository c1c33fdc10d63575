//! Checks an account for `connect` and `doctor`: whether the server lets it sign on, and whether rooms let it in.

use std::time::Duration;

use super::{
    SHARED_NAME, Xmpp,
    event::MUC_USER,
    login::{Login, log_in},
    managed::Managed,
    rooms::{DISCO, MUC, condition},
    session::bare,
    stream::CLIENT,
    xml::Element,
};
use crate::{Ended, Finding, tls::unreached};

/// The time limit for a room's answer.
const ROOM_TIME: Duration = Duration::from_secs(10);

impl Xmpp {
    /// Signs on and off.
    pub(super) async fn look(&self) -> Vec<Finding> {
        let mut managed = Managed::default();
        match self.sign_on(&mut managed).await {
            Ok(mut signed_on) => {
                signed_on.stream.writer.close().await;
                let resumes = match managed.resume_id {
                    Some(_) => "connections that break are resumed",
                    None => "connections that break begin anew",
                };
                vec![Finding::pass(format!("{} lets us in as {}; {resumes}", self.server, self.jid))]
            }
            Err(finding) => vec![finding],
        }
    }

    /// Enters the rooms and leaves them.
    pub(super) async fn try_rooms(&self) -> Vec<Finding> {
        if self.rooms.is_empty() {
            return Vec::new();
        }
        let mut signed_on = match self.sign_on(&mut Managed::default()).await {
            Ok(signed_on) => signed_on,
            Err(finding) => return vec![finding],
        };
        let mut findings = Vec::new();
        for room in &self.rooms {
            let found = tokio::time::timeout(ROOM_TIME, self.try_room(&mut signed_on, room)).await;
            findings.push(match found {
                Ok(Ok(finding)) => finding,
                Ok(Err(why)) => Finding::fail(format!("{room}: {why}"), "try again"),
                Err(_) => Finding::fail(
                    format!("{room} does not answer"),
                    "check the address of the room, or try again",
                ),
            });
        }
        signed_on.stream.writer.close().await;
        findings
    }

    async fn try_room(&self, signed_on: &mut Login, room: &str) -> Result<Finding, String> {
        let ask = Element::new("iq", CLIENT).with("type", "get").with("id", room).with("to", room);
        let about = exchange(signed_on, ask.child(Element::new("query", DISCO)), |stanza| {
            stanza.is("iq", CLIENT) && stanza.attribute("id") == Some(room)
        });
        if let Some(finding) = known(room, &about.await?) {
            return Ok(finding);
        }
        let nick = self.account.settings.personas.first().map_or(SHARED_NAME, |persona| persona.as_str());
        let occupant = format!("{room}/{nick}");
        let presence = || Element::new("presence", CLIENT).with("to", &occupant);
        let history = Element::new("history", MUC).with("maxstanzas", "0");
        let enter = presence().child(Element::new("x", MUC).child(history));
        let answer = exchange(signed_on, enter, |stanza| is_answer(room, stanza)).await?;
        if answer.attribute("type") == Some("error") {
            return Ok(refused(room, condition(&answer).unwrap_or("no reason")));
        }
        signed_on.stream.writer.send(&presence().with("type", "unavailable")).await?;
        Ok(Finding::pass(format!("{room} lets us in")))
    }

    async fn sign_on(&self, managed: &mut Managed) -> Result<Login, Finding> {
        let identity = self.identity("greenroom-check");
        log_in(&self.target(), &identity, managed).await.map_err(|ended| match ended {
            Ended::Refused(why) => Finding::fail(why, "see docs/platforms/xmpp.md"),
            Ended::Broken(why) => Finding::fail(why, unreached(self.account.settings.tls)),
            _ => Finding::fail("the server sent us away", "try again"),
        })
    }
}

/// Sends a stanza and waits for its answer.
async fn exchange(
    signed_on: &mut Login,
    stanza: Element,
    is_answer: impl Fn(&Element) -> bool,
) -> Result<Element, String> {
    let stream = &mut signed_on.stream;
    stream.writer.send(&stanza).await?;
    loop {
        let stanza = stream.reader.next().await?.ok_or("the server closed the stream")?;
        if is_answer(&stanza) {
            return Ok(stanza);
        }
    }
}

/// Whether a stanza is a room's answer to entering it: a success or an error.
fn is_answer(room: &str, stanza: &Element) -> bool {
    let is_from = stanza.is("presence", CLIENT) && stanza.attribute("from").map(bare) == Some(room);
    let is_own = || {
        let statuses = stanza.get("x", MUC_USER).into_iter().flat_map(|x| &x.children);
        statuses.filter(|child| child.name == "status").any(|status| status.attribute("code") == Some("110"))
    };
    is_from && (stanza.attribute("type") == Some("error") || is_own())
}

/// The finding, if the room's description already decides it without entering the room.
fn known(room: &str, about: &Element) -> Option<Finding> {
    if about.attribute("type") == Some("error") {
        return match condition(about) {
            Some("item-not-found") => Some(Finding {
                remedy: Some("check its address, if it should be there".to_owned()),
                ..Finding::pass(format!("there is no room {room} yet; the account makes it"))
            }),
            // the last condition also comes from servers that reach no other server
            Some(
                "remote-server-not-found" | "remote-server-timeout" | "service-unavailable" | "not-allowed",
            ) => {
                let why = format!("there are no rooms at {}", room.split('@').nth(1).unwrap_or(room));
                Some(Finding::fail(why, "check the address of the room, as tea@conference.example.org"))
            }
            // a room may hide its description from people who are not in it
            _ => None,
        };
    }
    let mut kinds = about.get("query", DISCO).into_iter().flat_map(|query| &query.children);
    let is_room =
        kinds.any(|child| child.name == "identity" && child.attribute("category") == Some("conference"));
    (!is_room).then(|| {
        Finding::fail(format!("{room} is no room"), "check its address, as tea@conference.example.org")
    })
}

/// The finding for a room that does not let us in.
fn refused(room: &str, condition: &str) -> Finding {
    let (why, remedy) = match condition {
        // another occupant has the nick; the account then takes a similar one
        "conflict" => return Finding::pass(format!("{room} lets us in")),
        "registration-required" => ("it is for its members", "ask its owners to make the account a member"),
        "forbidden" => ("the account is banned there", "ask its owners"),
        "not-authorized" => ("it wants a password", "ask its owners for a room without one"),
        "not-allowed" => ("the account may make no room there", "have the room made, and name it again"),
        "item-not-found" => ("there is no such room", "have it made, and name it again"),
        "service-unavailable" => ("it is full", "ask its owners"),
        other => (other, "ask its owners"),
    };
    Finding::fail(format!("{room} does not let us in: {why}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(condition: &str) -> Element {
        let condition = Element::new(condition, "urn:ietf:params:xml:ns:xmpp-stanzas");
        let error = Element::new("error", CLIENT).child(condition);
        Element::new("iq", CLIENT).with("type", "error").child(error)
    }

    #[test]
    fn ad5_a_room_is_there_or_will_be_made_or_cannot_be() {
        let identity = |category: &str| Element::new("identity", DISCO).with("category", category);
        let is = |category: &str| {
            let query = Element::new("query", DISCO).child(identity(category));
            Element::new("iq", CLIENT).with("type", "result").child(query)
        };
        let ok = |about: &Element| known("tea@rooms", about).map(|finding| finding.passed);
        assert_eq!(ok(&is("conference")), None);
        assert_eq!(ok(&is("account")), Some(false));
        assert_eq!(ok(&error("item-not-found")), Some(true));
        assert_eq!(ok(&error("remote-server-not-found")), Some(false));
        assert_eq!(ok(&error("forbidden")), None);
    }
}
