//! Turns dispatches of the gateway into events.

use greenroom_core::Timestamp;
use serde_json::Value;

use super::{Discord, Me};
use crate::{Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place};

/// Types of messages with an author's text: plain messages and replies. Other types report joins, pins and boosts.
const SAID: [u64; 2] = [0, 19];
/// Dispatches about members, and whether the member joined.
const MEMBERS: [(&str, bool); 2] = [("GUILD_MEMBER_ADD", true), ("GUILD_MEMBER_REMOVE", false)];
/// The most channels of a guild in which a member is noted.
const CHANNELS: usize = 100;
/// The first millisecond of Discord's ids, since 1970.
const EPOCH: u64 = 1_420_070_400_000;

/// The time at which an id was assigned.
pub(super) fn moment(id: u64) -> Timestamp {
    Timestamp(i64::try_from(((id >> 22) + EPOCH) * 1000).unwrap_or(i64::MAX))
}

/// The smallest id of a time.
pub(super) fn first_id(moment: Timestamp) -> u64 {
    u64::try_from(moment.0 / 1000).unwrap_or_default().saturating_sub(EPOCH) << 22
}

impl Discord {
    /// The events of a dispatch.
    pub(super) fn events(&self, name: &str, data: &Value, me: &Me) -> Vec<Event> {
        if let Some(came) = MEMBERS.iter().find(|(event, _)| *event == name).map(|(_, came)| *came) {
            return self.member(data, me, came);
        }
        let channel = data["channel_id"].as_str().unwrap_or_default();
        let place = self.channels.place(channel);
        if !self.takes_part(&place.chat) {
            return Vec::new();
        }
        let deleted = |id: &Value| {
            id.as_str().map(|id| Event::Deleted { place: place.clone(), event_id: id.to_owned(), by: None })
        };
        match name {
            "MESSAGE_CREATE" => self.message(data, me).map(Event::Message).into_iter().collect(),
            // Discord also updates a message when it adds a link preview
            "MESSAGE_UPDATE" if data["edited_timestamp"].is_string() => {
                let edited = self.message(data, me).map(|message| Event::Edited(Edit { message }));
                edited.into_iter().collect()
            }
            "MESSAGE_DELETE" => deleted(&data["id"]).into_iter().collect(),
            "MESSAGE_DELETE_BULK" => {
                data["ids"].as_array().into_iter().flatten().filter_map(deleted).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The events of a person who joins or leaves a guild: one for each of its channels.
    fn member(&self, data: &Value, me: &Me, came: bool) -> Vec<Event> {
        let (Some(guild), Some(id)) = (data["guild_id"].as_str(), data["user"]["id"].as_str()) else {
            return Vec::new();
        };
        if id == me.id {
            return Vec::new();
        }
        let names = [&data["nick"], &data["user"]["global_name"], &data["user"]["username"]];
        let name = names.into_iter().filter_map(Value::as_str).find(|name| !name.trim().is_empty());
        let person = Person { id: id.to_owned(), name: name.unwrap_or(id).to_owned() };
        let channels = self.channels.of_guild(guild).into_iter().filter(|channel| self.takes_part(channel));
        let event = |channel: String| {
            let (place, person) = (Place::chat(channel), person.clone());
            if came { Event::Joined { place, person } } else { Event::Left { place, person } }
        };
        channels.take(CHANNELS).map(event).collect()
    }

    /// A message of a dispatch or of the history. `None` if it contains no author's text.
    pub(super) fn message(&self, data: &Value, me: &Me) -> Option<Message> {
        let kind = data["type"].as_u64().unwrap_or_default();
        if !SAID.contains(&kind) {
            return None;
        }
        let id: u64 = data["id"].as_str()?.parse().ok()?;
        let channel = data["channel_id"].as_str()?;
        let attachments = attachments(data);
        // a forwarded message contains its text in a snapshot
        let texts = [&data["content"], &data["message_snapshots"][0]["message"]["content"]];
        let raw =
            texts.into_iter().filter_map(Value::as_str).find(|text| !text.is_empty()).unwrap_or_default();
        if raw.trim().is_empty() && attachments.is_empty() {
            return None;
        }
        let direct = self.channels.is_direct(channel);
        let mentioned = data["mentions"].as_array().into_iter().flatten();
        let mentioned: Vec<_> = mentioned.filter_map(|user| user["id"].as_str().map(str::to_owned)).collect();
        let forwarded = data["message_reference"]["type"].as_u64().unwrap_or_default() != 0;
        let reply = data["message_reference"]["message_id"].as_str().filter(|_| !forwarded);
        Some(Message {
            place: self.channels.place(channel),
            event_id: id.to_string(),
            author: self.author(data, me)?,
            text: self.plain(raw, data),
            mentions: Vec::new(),
            addressed: direct || mentioned.contains(&me.id),
            mentioned,
            reply_to: reply.map(str::to_owned),
            group: !direct,
            attachments,
            said_at: Some(moment(id)),
        })
    }

    /// The author, by Discord's ids. A name inside a message proves nothing.
    fn author(&self, data: &Value, me: &Me) -> Option<Author> {
        let user = &data["author"];
        let id = user["id"].as_str()?.to_owned();
        let names = [&data["member"]["nick"], &user["global_name"], &user["username"]];
        let name = names.into_iter().filter_map(Value::as_str).find(|name| !name.trim().is_empty());
        let name = name.unwrap_or(&id).to_owned();
        let webhook = data["webhook_id"].as_str();
        let ours = id == me.id
            || webhook.is_some() && data["application_id"].as_str() == Some(me.id.as_str())
            || webhook.is_some_and(|webhook| self.webhooks.is_ours(webhook));
        let kind = match ours {
            true => AuthorKind::Ourselves,
            false if webhook.is_some() || user["bot"] == true => AuthorKind::Bot,
            false => AuthorKind::Person,
        };
        Some(Author { person: Person { id, name }, kind })
    }

    /// The text as people see it: replaces `<@1>`, `<#2>`, `<@&3>` and `<:name:4>` by names.
    fn plain(&self, raw: &str, data: &Value) -> String {
        let user = |id: &str| {
            let mentioned =
                data["mentions"].as_array().into_iter().flatten().find(|user| user["id"] == id)?;
            let names = [&mentioned["member"]["nick"], &mentioned["global_name"], &mentioned["username"]];
            names.into_iter().filter_map(Value::as_str).next().map(str::to_owned)
        };
        let (mut plain, mut rest) = (String::with_capacity(raw.len()), raw);
        while let Some((before, after)) = rest.split_once('<') {
            plain.push_str(before);
            let named = after.split_once('>').and_then(|(inside, after)| {
                let name = if let Some(id) = inside.strip_prefix("@&") {
                    format!("@{id}")
                } else if let Some(id) = inside.strip_prefix('@') {
                    let id = id.trim_start_matches('!');
                    format!("@{}", user(id).unwrap_or_else(|| id.to_owned()))
                } else if let Some(id) = inside.strip_prefix('#') {
                    format!("#{}", self.channels.name(id).unwrap_or_else(|| id.to_owned()))
                } else {
                    let emoji = inside.strip_prefix("a:").or_else(|| inside.strip_prefix(':'))?;
                    format!(":{}:", emoji.split_once(':')?.0)
                };
                Some((name, after))
            });
            match named {
                Some((name, after)) => {
                    plain.push_str(&name);
                    rest = after;
                }
                None => {
                    plain.push('<');
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        plain
    }
}

fn attachments(data: &Value) -> Vec<Attachment> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let files = data["attachments"].as_array().into_iter().flatten().map(|file| Attachment {
        name: text(&file["filename"]).unwrap_or_default(),
        media_type: text(&file["content_type"]),
        bytes: file["size"].as_u64(),
        source: text(&file["url"]),
    });
    let stickers = data["sticker_items"].as_array().into_iter().flatten().map(|sticker| Attachment {
        name: text(&sticker["name"]).unwrap_or_default(),
        media_type: Some("image/png".to_owned()),
        bytes: None,
        source: None,
    });
    files.chain(stickers).collect()
}
