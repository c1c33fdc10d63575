//! Turns Slack's events into events.

use std::{sync::PoisonError, time::Duration};

use greenroom_core::Timestamp;
use serde_json::Value;

use super::{Me, Slack, text};
use crate::{Attachment, Author, AuthorKind, CommandCall, Edit, Event, Message, Person, Place};

/// Subtypes of messages with an author's text. Other subtypes report joins, topics and pins.
const SAID: [&str; 4] = ["bot_message", "file_share", "me_message", "thread_broadcast"];
/// The one command under which the app registers all commands: `/greenroom quiet 1h`.
const COMMAND: &str = "/greenroom";
/// Slack repeats an event for six minutes at most.
const REPEATED: Duration = Duration::from_mins(10);

/// The time that a `ts` contains.
pub(super) fn moment(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.')?;
    Some(Timestamp(seconds.parse::<i64>().ok()?.checked_mul(1_000_000)? + micros.parse::<i64>().ok()?))
}

impl Slack {
    /// The event of an `event_callback`. `None` if it is of no use.
    pub(super) async fn event(&self, event: &Value, me: &Me) -> Option<Event> {
        let channel = event["channel"].as_str().filter(|channel| self.takes_part(channel))?;
        match event["type"].as_str()? {
            "message" | "app_mention" => match event["subtype"].as_str() {
                Some("message_changed") => {
                    let changed = &event["message"];
                    // the deleted first message of a thread
                    if changed["subtype"] == "tombstone" {
                        let event_id = changed["ts"].as_str()?.to_owned();
                        return Some(Event::Deleted {
                            place: self.place(channel, changed),
                            event_id,
                            by: None,
                        });
                    }
                    // Slack also changes a message when it adds a link preview
                    if changed["text"] == event["previous_message"]["text"]
                        || !self.is_newest_edit(channel, changed)
                    {
                        return None;
                    }
                    let message = self.message(channel, changed, me).await?;
                    Some(Event::Edited(Edit { message }))
                }
                Some("message_deleted") => {
                    let event_id = event["deleted_ts"].as_str()?.to_owned();
                    let thread = &event["previous_message"];
                    Some(Event::Deleted { place: self.place(channel, thread), event_id, by: None })
                }
                _ => self.message(channel, event, me).await.map(Event::Message),
            },
            kind @ ("member_joined_channel" | "member_left_channel") => {
                let user = event["user"].as_str().filter(|user| *user != me.user)?;
                let name = self.people.user(&self.api, user).await.name;
                let (place, person) = (Place::chat(self.id(channel)), Person { id: self.id(user), name });
                Some(match kind {
                    "member_joined_channel" => Event::Joined { place, person },
                    _ => Event::Left { place, person },
                })
            }
            _ => None,
        }
    }

    /// Whether no later edit of the message came before this one. Slack repeats an edit that was not acknowledged for
    /// some minutes, while later edits arrive.
    fn is_newest_edit(&self, channel: &str, changed: &Value) -> bool {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Some(edited) = moment(&text(&changed["edited"]["ts"])) else { return true };
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        edits.retain(|_, at| edited.since(*at) < REPEATED);
        let newest = edits.entry((channel.to_owned(), text(&changed["ts"]))).or_insert(edited);
        *newest = edited.max(*newest);
        *newest == edited
    }

    fn place(&self, channel: &str, message: &Value) -> Place {
        // the first message of a thread is in the channel itself
        match message["thread_ts"].as_str().filter(|thread| message["ts"] != *thread) {
            Some(thread) => Place::thread(self.id(channel), thread),
            None => Place::chat(self.id(channel)),
        }
    }

    /// A message of an event or of the history. `None` if it contains no author's text.
    pub(super) async fn message(&self, channel: &str, message: &Value, me: &Me) -> Option<Message> {
        if message["subtype"].as_str().is_some_and(|subtype| !SAID.contains(&subtype)) {
            return None;
        }
        let ts = message["ts"].as_str()?;
        let author = self.author(message, me).await?;
        let raw = message["text"].as_str().unwrap_or_default();
        let attachments = attachments(message);
        if raw.trim().is_empty() && attachments.is_empty() {
            return None;
        }
        let mut names = Vec::new();
        for user in text::users(raw) {
            names.push((user, self.people.user(&self.api, user).await.name));
        }
        let name = |id: &str| {
            let found = names.iter().find(|(user, _)| *user == id);
            found.map_or_else(|| id.to_owned(), |(_, name)| name.clone())
        };
        let direct = channel.starts_with('D');
        Some(Message {
            place: self.place(channel, message),
            event_id: ts.to_owned(),
            author,
            text: text::plain(raw, name),
            mentions: Vec::new(),
            addressed: direct || text::mentions(raw, &me.user),
            reply_to: None,
            group: !direct,
            attachments,
            mentioned: Vec::new(),
            said_at: moment(ts),
        })
    }

    /// The author, by Slack's ids. A name inside a message proves nothing.
    async fn author(&self, message: &Value, me: &Me) -> Option<Author> {
        let (user, bot) = (message["user"].as_str(), message["bot_id"].as_str());
        if user == Some(me.user.as_str()) || bot == Some(me.bot.as_str()) {
            let person = Person { id: self.id(&me.user), name: me.name.clone() };
            return Some(Author { person, kind: AuthorKind::Ourselves });
        }
        if let Some(bot) = bot {
            let names = [&message["username"], &message["bot_profile"]["name"]];
            let name = names.into_iter().filter_map(Value::as_str).next().unwrap_or(bot);
            return Some(Author::bot(self.id(bot), name));
        }
        let user = user?;
        let known = self.people.user(&self.api, user).await;
        let kind = if known.is_bot { AuthorKind::Bot } else { AuthorKind::Person };
        Some(Author { person: Person { id: self.id(user), name: known.name }, kind })
    }

    /// A slash command.
    pub(super) fn command(&self, payload: &Value) -> Option<CommandCall> {
        let text = |key: &str| payload[key].as_str().map(str::to_owned);
        let (command, argument) = (text("command")?, text("text").unwrap_or_default());
        let line = match command.as_str() {
            COMMAND => argument,
            other => format!("{} {argument}", other.trim_start_matches('/')),
        };
        let user = text("user_id")?;
        Some(CommandCall {
            place: Place::chat(self.id(&text("channel_id")?)),
            person: Person { id: self.id(&user), name: text("user_name").unwrap_or(user) },
            line: line.trim().to_owned(),
            answer_to: text("response_url"),
        })
    }
}

fn attachments(message: &Value) -> Vec<Attachment> {
    let files = message["files"].as_array().into_iter().flatten();
    files
        .map(|file| Attachment {
            name: file["name"].as_str().unwrap_or("file").to_owned(),
            media_type: file["mimetype"].as_str().map(str::to_owned),
            bytes: file["size"].as_u64(),
            source: file["url_private"].as_str().map(str::to_owned),
        })
        .collect()
}
