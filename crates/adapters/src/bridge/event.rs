//! The JSON of what comes in.

use greenroom_core::{PersonaName, Timestamp};
use serde::Deserialize;

use crate::{Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place};

/// The kinds of events.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Message,
    Edited,
    Deleted,
    Joined,
    Left,
}

#[derive(Deserialize)]
struct Incoming {
    #[serde(rename = "type", default)]
    kind: Kind,
    channel: String,
    thread: Option<String>,
    event_id: Option<String>,
    author: Option<Speaker>,
    #[serde(default)]
    text: String,
    reply_to: Option<String>,
    #[serde(default)]
    mentions: Vec<String>,
    #[serde(default)]
    addressed: bool,
    #[serde(default)]
    direct: bool,
    #[serde(default)]
    attachments: Vec<File>,
    /// Milliseconds since 1970.
    said_at: Option<i64>,
}

#[derive(Deserialize)]
struct Speaker {
    id: String,
    name: String,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct File {
    name: String,
    media_type: Option<String>,
    bytes: Option<u64>,
    url: Option<String>,
}

/// The event of a body, on the account `account`.
///
/// # Errors
/// What is wrong with the body.
pub(super) fn read(account: &str, body: &[u8]) -> Result<Event, String> {
    let incoming: Incoming = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let Incoming { kind, channel, thread, event_id, author, .. } = &incoming;
    if channel.is_empty() || thread.as_ref().is_some_and(String::is_empty) {
        return Err("`channel` and `thread` are not empty".into());
    }
    // ids are unique on one bridge alone
    let place = Place { chat: format!("{account}/{channel}"), thread: thread.clone() };
    let event_id = || event_id.clone().filter(|id| !id.is_empty()).ok_or("`event_id` is missing");
    let author = || {
        let author =
            author.as_ref().filter(|author| !author.id.is_empty()).ok_or("`author.id` is missing")?;
        let person = Person { id: format!("{account}/{}", author.id), name: author.name.clone() };
        let kind = if author.is_bot { AuthorKind::Bot } else { AuthorKind::Person };
        Ok::<_, String>(Author { person, kind })
    };
    Ok(match kind {
        Kind::Deleted => Event::Deleted { place, event_id: event_id()?, by: None },
        Kind::Joined => Event::Joined { place, person: author()?.person },
        Kind::Left => Event::Left { place, person: author()?.person },
        Kind::Message => Event::Message(message(place, event_id()?, author()?, &incoming)?),
        Kind::Edited => Event::Edited(Edit { message: message(place, event_id()?, author()?, &incoming)? }),
    })
}

fn message(place: Place, event_id: String, author: Author, incoming: &Incoming) -> Result<Message, String> {
    let mentions: Result<Vec<PersonaName>, _> = incoming.mentions.iter().map(|name| name.parse()).collect();
    let mentions = mentions.map_err(|error| format!("`mentions`: {error}"))?;
    let file = |file: &File| Attachment {
        name: file.name.clone(),
        media_type: file.media_type.clone(),
        bytes: file.bytes,
        source: file.url.clone(),
    };
    Ok(Message {
        addressed: incoming.addressed || incoming.direct || !mentions.is_empty(),
        mentions,
        reply_to: incoming.reply_to.clone(),
        group: !incoming.direct,
        attachments: incoming.attachments.iter().map(file).collect(),
        said_at: incoming.said_at.map(|millis| Timestamp(millis.saturating_mul(1000))),
        ..Message::new(place, event_id, author, incoming.text.as_str())
    })
}
