//! Signs on with SASL, then resumes the previous stream or begins a new one.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use greenroom_persona::Secret;
use tokio::time::timeout;

use super::{
    managed::{Managed, SM, count},
    sasl::{Hash, Mechanism, Scram, plain},
    stream::{CLIENT, Stream, Target, problem},
    xml::Element,
};
use crate::Ended;

const SASL: &str = "urn:ietf:params:xml:ns:xmpp-sasl";
const BIND: &str = "urn:ietf:params:xml:ns:xmpp-bind";
/// The time limit for signing on.
const TIME: Duration = Duration::from_secs(40);

/// The identity of a connection.
#[derive(Clone)]
pub(super) struct Identity {
    /// The account's name in the settings.
    pub(super) account: String,
    /// `ada@example.org`.
    pub(super) jid: String,
    /// The resource; unique among the connections of the account.
    pub(super) resource: String,
    pub(super) password: Option<Secret>,
}

/// A stream after signing on.
pub(super) struct Login {
    pub(super) stream: Stream,
    /// The full JID.
    pub(super) jid: String,
    /// Whether the previous stream was resumed.
    pub(super) resumed: bool,
    /// Stanzas of the previous stream that the server had taken but not acknowledged.
    pub(super) acknowledged: Vec<Element>,
}

/// Connects and signs on. `managed`: the counters of the previous stream; updated to those of the new one.
///
/// # Errors
/// The reason why the connection ends.
pub(super) async fn log_in(
    target: &Target<'_>,
    identity: &Identity,
    managed: &mut Managed,
) -> Result<Login, Ended> {
    let signing_on = async {
        let (mut stream, features) = Stream::dial(target).await.map_err(Ended::Broken)?;
        authenticate(&mut stream, &features, identity).await?;
        let mut stream = stream.restart();
        let features = stream.open(target.domain).await.map_err(Ended::Broken)?;
        begin(stream, &features, identity, managed).await
    };
    timeout(TIME, signing_on)
        .await
        .unwrap_or_else(|_| Err(Ended::Broken("the server does not let us sign on".into())))
}

async fn authenticate(stream: &mut Stream, features: &Element, identity: &Identity) -> Result<(), Ended> {
    let offered = features.get("mechanisms", SASL).ok_or_else(|| {
        Ended::Refused("the server lets nobody sign on without encryption; remove `tls = false`".into())
    })?;
    let names = offered.children.iter().map(|mechanism| mechanism.text.trim());
    let mechanism = Mechanism::best(names).ok_or_else(|| {
        Ended::Refused("the server offers neither SCRAM nor PLAIN; ask its operators for one of them".into())
    })?;
    let password = identity.password.as_ref().map_or("", Secret::expose);
    let user = identity.jid.split('@').next().unwrap_or_default();
    let begin = Element::new("auth", SASL).with("mechanism", mechanism.name());
    let hash = match mechanism {
        Mechanism::Plain => {
            stream.writer.send(&begin.text(&plain(user, password))).await.map_err(Ended::Broken)?;
            return succeeded(&next(stream).await?, identity).map(drop);
        }
        Mechanism::Scram(hash) => hash,
    };
    scram(stream, begin, hash, user, password, identity).await
}

async fn scram(
    stream: &mut Stream,
    begin: Element,
    hash: Hash,
    user: &str,
    password: &str,
    identity: &Identity,
) -> Result<(), Ended> {
    let mut nonce = [0; 18];
    getrandom::fill(&mut nonce).map_err(|error| Ended::Broken(error.to_string()))?;
    let mut scram = Scram::new(hash, user, password, STANDARD.encode(nonce));
    stream.writer.send(&begin.text(&scram.first())).await.map_err(Ended::Broken)?;
    let challenge = next(stream).await?;
    if challenge.name != "challenge" {
        return succeeded(&challenge, identity).map(drop);
    }
    let last = scram
        .last(&challenge.text)
        .ok_or_else(|| Ended::Broken("the server signs on in a way that we do not know".into()))?;
    let response = Element::new("response", SASL).text(&last);
    stream.writer.send(&response).await.map_err(Ended::Broken)?;
    let success = next(stream).await?;
    let said = succeeded(&success, identity)?;
    match scram.is_proven(said) {
        true => Ok(()),
        false => Err(Ended::Refused(
            "the server does not know the password that it asks for; it may be another server".into(),
        )),
    }
}

/// The text of a SASL success.
fn succeeded<'a>(answer: &'a Element, identity: &Identity) -> Result<&'a str, Ended> {
    if answer.is("success", SASL) {
        return Ok(&answer.text);
    }
    let condition = answer.children.iter().find(|child| child.name != "text");
    let condition = condition.map_or(answer.name.as_str(), |condition| condition.name.as_str());
    Err(match condition {
        "temporary-auth-failure" => Ended::Broken("the server cannot check passwords now".into()),
        condition => Ended::Refused(format!(
            "the server refuses the password of {} ({condition}); check the variable of the account",
            identity.jid
        )),
    })
}

/// Resumes the previous stream or begins a new one.
async fn begin(
    mut stream: Stream,
    features: &Element,
    identity: &Identity,
    managed: &mut Managed,
) -> Result<Login, Ended> {
    let counts = features.get("sm", SM).is_some();
    let mut acknowledged = Vec::new();
    if let Some(id) = managed.resume_id.clone().filter(|_| counts) {
        let resume = Element::new("resume", SM).with("previd", &id).with("h", managed.received.to_string());
        stream.writer.send(&resume).await.map_err(Ended::Broken)?;
        let answer = next(&mut stream).await?;
        if let Some(handled) = count(&answer) {
            acknowledged = managed.acknowledge(handled);
        }
        if answer.is("resumed", SM) {
            let jid = format!("{}/{}", identity.jid, identity.resource);
            return Ok(Login { stream, jid, resumed: true, acknowledged });
        }
    }
    let resource = Element::new("resource", BIND).text(&identity.resource);
    let bind = Element::new("iq", CLIENT).with("type", "set").with("id", "bind");
    let bind = bind.child(Element::new("bind", BIND).child(resource));
    stream.writer.send(&bind).await.map_err(Ended::Broken)?;
    let bound = next(&mut stream).await?;
    let jid = bound.get("bind", BIND).and_then(|bind| bind.get("jid", BIND)).map(|jid| jid.text.clone());
    let jid = jid.ok_or_else(|| Ended::Broken("the server binds no resource".into()))?;
    *managed = Managed::default();
    if counts {
        let enable = Element::new("enable", SM).with("resume", "true");
        stream.writer.send(&enable).await.map_err(Ended::Broken)?;
        let answer = next(&mut stream).await?;
        managed.enabled = answer.is("enabled", SM);
        let resumable = matches!(answer.attribute("resume"), Some("true" | "1"));
        managed.resume_id = answer.attribute("id").filter(|_| resumable).map(str::to_owned);
    }
    Ok(Login { stream, jid, resumed: false, acknowledged })
}

async fn next(stream: &mut Stream) -> Result<Element, Ended> {
    let element = stream.reader.next().await.map_err(Ended::Broken)?;
    let element = element.ok_or_else(|| Ended::Broken("the server closed the stream".into()))?;
    if element.is("error", super::stream::STREAM) {
        return Err(Ended::Broken(problem(&element)));
    }
    Ok(element)
}
