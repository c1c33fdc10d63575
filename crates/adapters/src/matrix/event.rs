//! Turns events of Matrix rooms into events.

use std::collections::HashMap;

use greenroom_core::Timestamp;
use serde_json::Value;

use crate::{Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place};

/// The most events whose threads are kept. When full, the map is cleared.
const THREADS: usize = 10_000;

/// The known state of a room.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Names by user id.
    names: HashMap<String, String>,
    /// The number of joined members, as the server counts.
    pub(super) joined: Option<u64>,
    /// The threads of events, because a redaction does not name the thread.
    threads: HashMap<String, String>,
    /// Whether an encrypted message was seen and the room has not been notified yet.
    pub(super) encrypted: bool,
    /// Whether the room was notified.
    pub(super) told_encrypted: bool,
}

impl Room {
    /// Notes the name of a member.
    pub(super) fn member(&mut self, event: &Value) {
        let Some(user) = event["state_key"].as_str() else { return };
        if let Some(name) = event["content"]["displayname"].as_str() {
            self.names.insert(user.to_owned(), name.to_owned());
        }
    }

    /// Whether anyone besides one person and the account reads the room. An unknown number counts as a group.
    fn is_group(&self) -> bool {
        self.joined != Some(2)
    }

    fn person(&self, user: &str) -> Person {
        let local = user.trim_start_matches('@').split(':').next().unwrap_or(user);
        let name = self.names.get(user).map_or(local, String::as_str);
        Person { id: user.to_owned(), name: name.to_owned() }
    }

    /// Turns an event of a timeline into an event. `me`: the account's user id.
    pub(super) fn event(&mut self, room: &str, event: &Value, me: &str) -> Option<Event> {
        let sender = event["sender"].as_str()?;
        match event["type"].as_str()? {
            "m.room.message" => self.message(room, event, sender, me),
            "m.room.redaction" => {
                let redacted = event["redacts"].as_str().or_else(|| event["content"]["redacts"].as_str())?;
                let place = self.place(room, self.threads.get(redacted).map(String::as_str));
                Some(Event::Deleted { place, event_id: redacted.to_owned(), by: None })
            }
            "m.room.member" => {
                self.member(event);
                let user = event["state_key"].as_str().filter(|user| *user != me)?;
                let (place, person) = (Place::chat(room), self.person(user));
                match event["content"]["membership"].as_str()? {
                    "join" => Some(Event::Joined { place, person }),
                    "leave" | "ban" => Some(Event::Left { place, person }),
                    _ => None,
                }
            }
            "m.room.encrypted" => {
                self.encrypted = !self.told_encrypted;
                None
            }
            _ => None,
        }
    }

    fn place(&self, room: &str, thread: Option<&str>) -> Place {
        match thread {
            Some(thread) => Place::thread(room, thread),
            None => Place::chat(room),
        }
    }

    fn message(&mut self, room: &str, event: &Value, sender: &str, me: &str) -> Option<Event> {
        let id = event["event_id"].as_str()?;
        let (content, relation) = (&event["content"], &event["content"]["m.relates_to"]);
        let edited = (relation["rel_type"] == "m.replace").then(|| relation["event_id"].as_str()).flatten();
        let said = if edited.is_some() { &content["m.new_content"] } else { content };
        let thread = (relation["rel_type"] == "m.thread").then(|| relation["event_id"].as_str()).flatten();
        if let Some(thread) = thread {
            if self.threads.len() >= THREADS {
                self.threads.clear();
            }
            self.threads.insert(id.to_owned(), thread.to_owned());
        }
        let thread = match edited {
            Some(edited) => self.threads.get(edited).map(String::as_str),
            None => thread,
        };
        let (body, kind) = (said["body"].as_str().unwrap_or_default(), said["msgtype"].as_str()?);
        let attachments = match kind {
            "m.image" | "m.file" | "m.audio" | "m.video" => vec![Attachment {
                name: said["filename"].as_str().unwrap_or(body).to_owned(),
                media_type: said["info"]["mimetype"].as_str().map(str::to_owned),
                bytes: said["info"]["size"].as_u64(),
                source: said["url"].as_str().map(str::to_owned),
            }],
            _ => Vec::new(),
        };
        let text = match kind {
            "m.emote" => format!("*{} {body}*", self.person(sender).name),
            // the body of a file is its name, unless it has a caption
            _ if !attachments.is_empty() && said["filename"].as_str().is_none_or(|name| name == body) => {
                String::new()
            }
            _ => without_fallback(body),
        };
        let author_kind = match kind {
            _ if sender == me => AuthorKind::Ourselves,
            // by convention, programs speak in notices and do not answer notices
            "m.notice" => AuthorKind::Bot,
            _ => AuthorKind::Person,
        };
        // for clients without threads, a message in a thread names the thread's newest message as answered
        let is_reply = relation["is_falling_back"] != true;
        let reply_to = relation["m.in_reply_to"]["event_id"].as_str().filter(|_| is_reply);
        let mentioned = content["m.mentions"]["user_ids"].as_array().into_iter().flatten();
        let mentioned: Vec<_> = mentioned.filter_map(|user| user.as_str().map(str::to_owned)).collect();
        let group = self.is_group();
        let message = Message {
            addressed: !group || mentioned.iter().any(|user| user == me),
            mentioned,
            reply_to: reply_to.map(str::to_owned),
            group,
            attachments,
            said_at: event["origin_server_ts"].as_i64().map(|millis| Timestamp(millis.saturating_mul(1000))),
            ..Message::new(
                self.place(room, thread),
                edited.unwrap_or(id),
                Author { person: self.person(sender), kind: author_kind },
                text,
            )
        };
        Some(match edited {
            Some(_) => Event::Edited(Edit { message }),
            None => Event::Message(message),
        })
    }
}

/// Removes the quotation that clients put before a reply.
fn without_fallback(body: &str) -> String {
    if !body.starts_with("> <@") && !body.starts_with("> * <@") {
        return body.to_owned();
    }
    let rest: Vec<&str> = body.lines().skip_while(|line| line.starts_with("> ")).collect();
    rest.join("\n").trim_start_matches('\n').to_owned()
}

/// Converts HTML to plain text, for clients without HTML.
pub(super) fn plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('>') else { break };
        match &rest[at + 1..at + end] {
            "br" | "/p" | "/li" | "/pre" | "/blockquote" if !out.ends_with('\n') => out.push('\n'),
            "li" => out.push_str("- "),
            _ => {}
        }
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(content: Value) -> Value {
        json!({ "type": "m.room.message", "event_id": "$1", "sender": "@ann:test", "origin_server_ts": 1000, "content": content })
    }

    #[test]
    fn ad2_a_message_of_matrix_is_read() {
        let mut room = Room { joined: Some(3), ..Room::default() };
        room.member(&json!({ "state_key": "@ann:test", "content": { "displayname": "Ann" } }));
        let event = said(
            json!({ "msgtype": "m.text", "body": "> <@bo:test> hi\n\nhello", "m.mentions": { "user_ids": ["@ada:test"] },
            "m.relates_to": { "m.in_reply_to": { "event_id": "$0" } } }),
        );
        let Some(Event::Message(message)) = room.event("!r:test", &event, "@ada:test") else {
            panic!("a message")
        };
        assert_eq!((message.text.as_str(), message.author.person.name.as_str()), ("hello", "Ann"));
        assert_eq!((message.addressed, message.group, message.reply_to.as_deref()), (true, true, Some("$0")));
        assert_eq!(message.said_at, Some(Timestamp(1_000_000)));
        assert_eq!(message.mentioned, ["@ada:test"]);
        let bot = said(json!({ "msgtype": "m.notice", "body": "beep" }));
        let Some(Event::Message(message)) = room.event("!r:test", &bot, "@ada:test") else {
            panic!("a message")
        };
        assert_eq!(message.author.kind, AuthorKind::Bot);
        let image = said(
            json!({ "msgtype": "m.image", "body": "cat.png", "info": { "mimetype": "image/png", "size": 5 } }),
        );
        let Some(Event::Message(message)) = room.event("!r:test", &image, "@ann:test") else {
            panic!("a message")
        };
        assert_eq!((message.text.as_str(), message.attachments[0].name.as_str()), ("", "cat.png"));
        assert_eq!(message.author.kind, AuthorKind::Ourselves);
    }

    #[test]
    fn ad1_threads_edits_and_redactions_of_matrix_name_the_first_message() {
        let mut room = Room::default();
        let event = said(
            json!({ "msgtype": "m.text", "body": "hello", "m.relates_to": { "rel_type": "m.thread", "event_id": "$root",
            "is_falling_back": true, "m.in_reply_to": { "event_id": "$last" } } }),
        );
        let Some(Event::Message(message)) = room.event("!r:test", &event, "@ada:test") else {
            panic!("a message")
        };
        assert_eq!((&message.place, message.reply_to), (&Place::thread("!r:test", "$root"), None));
        let edit = json!({ "type": "m.room.message", "event_id": "$2", "sender": "@ann:test", "content": { "msgtype": "m.text", "body": "* bye",
            "m.new_content": { "msgtype": "m.text", "body": "bye" }, "m.relates_to": { "rel_type": "m.replace", "event_id": "$1" } } });
        let Some(Event::Edited(edit)) = room.event("!r:test", &edit, "@ada:test") else { panic!("an edit") };
        assert_eq!(
            (edit.message.event_id.as_str(), edit.message.text.as_str(), &edit.message.place),
            ("$1", "bye", &message.place)
        );
        let redaction =
            json!({ "type": "m.room.redaction", "sender": "@ann:test", "content": { "redacts": "$1" } });
        let deleted = room.event("!r:test", &redaction, "@ada:test");
        assert_eq!(deleted, Some(Event::Deleted { place: message.place, event_id: "$1".into(), by: None }));
        assert_eq!(room.event("!r:test", &json!({ "type": "m.room.message" }), "@ada:test"), None);
    }

    #[test]
    fn ad1_clients_without_html_see_the_same_words() {
        assert_eq!(
            plain("<p>a <b>b</b><br>c</p><ul><li>d</li></ul><pre><code>x &lt; &amp;y</code></pre>"),
            "a b\nc\n- d\nx < &y"
        );
    }
}
