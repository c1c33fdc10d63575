//! Parses the JSON of incoming events. Each error names the field, for the developers of bridges.

use greenroom_core::{PersonaName, Platform, Timestamp};

use super::fields::Fields;
use crate::{Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place};

/// The most characters of an id of an event, chat, thread or person.
const ID: usize = 128;
/// The most characters of a name of a person or file, and of a media type.
const NAME: usize = 200;
/// The most bytes of a text; equal to the limit of the API.
const TEXT: usize = 64 * 1024;
/// The most characters of an address.
const URL: usize = 2000;
/// The most mentions or attachments of a message.
const MOST: usize = 20;

/// Parses a body into an event of the account `account`.
///
/// # Errors
/// The error in the body.
pub(super) fn read(account: &str, body: &[u8]) -> Result<Event, String> {
    let body = serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    let fields = Fields::of(&body, String::new())?;
    let place = place(account, &fields)?;
    Ok(match fields.text("type", NAME)?.unwrap_or("message") {
        "deleted" => Event::Deleted { place, event_id: fields.need_id("event_id", ID)?, by: None },
        "joined" => Event::Joined { place, person: author(account, &fields)?.person },
        "left" => Event::Left { place, person: author(account, &fields)?.person },
        "message" => Event::Message(message(account, place, &fields)?),
        "edited" => Event::Edited(Edit { message: message(account, place, &fields)? }),
        _ => return Err("`type` is none of message, edited, deleted, joined, left".into()),
    })
}

fn place(account: &str, fields: &Fields<'_>) -> Result<Place, String> {
    // ids are unique within one bridge only
    let chat = format!("{account}/{}", fields.need_id("channel", ID)?);
    let place = Place { chat, thread: fields.id("thread", ID)? };
    let names = if place.thread.is_some() { "`channel` and `thread` are" } else { "`channel` is" };
    let limit = "their key has more than 256 bytes, in which `:`, `%` and white space count three each";
    place.key(Platform::Bridge).map_err(|_| format!("{names} too long: {limit}"))?;
    Ok(place)
}

fn author(account: &str, fields: &Fields<'_>) -> Result<Author, String> {
    let author = fields.object("author")?.ok_or("`author` is missing")?;
    let (id, name) = (author.need_id("id", ID)?, author.text("name", NAME)?);
    let name = name.ok_or("`author.name` is missing")?.to_owned();
    let kind = if author.flag("is_bot")? { AuthorKind::Bot } else { AuthorKind::Person };
    Ok(Author { person: Person { id: format!("{account}/{id}"), name }, kind })
}

fn message(account: &str, place: Place, fields: &Fields<'_>) -> Result<Message, String> {
    let (event_id, author) = (fields.need_id("event_id", ID)?, author(account, fields)?);
    let text = fields.text("text", TEXT)?.unwrap_or_default();
    if text.len() > TEXT {
        return Err(format!("`text` is longer than {TEXT} bytes"));
    }
    // people may write a persona's name with a capital
    let persona = |name: &str| name.to_lowercase().parse().map_err(|error| format!("`mentions`: {error}"));
    let mentions: Vec<PersonaName> =
        fields.texts("mentions", MOST, NAME)?.into_iter().map(persona).collect::<Result<_, _>>()?;
    let direct = fields.flag("direct")?;
    Ok(Message {
        addressed: fields.flag("addressed")? || direct || !mentions.is_empty(),
        mentions,
        reply_to: fields.id("reply_to", ID)?,
        group: !direct,
        attachments: fields.objects("attachments", MOST)?.iter().map(file).collect::<Result<_, _>>()?,
        said_at: fields.number("said_at")?.map(|millis| Timestamp(millis.saturating_mul(1000))),
        ..Message::new(place, event_id, author, text)
    })
}

fn file(file: &Fields<'_>) -> Result<Attachment, String> {
    let name = file.text("name", NAME)?.ok_or_else(|| file.missing("name"))?;
    Ok(Attachment {
        name: name.to_owned(),
        media_type: file.text("media_type", NAME)?.map(str::to_owned),
        bytes: file.number("bytes")?.and_then(|bytes| u64::try_from(bytes).ok()),
        source: file.text("url", URL)?.map(str::to_owned),
    })
}
