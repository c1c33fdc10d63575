//! Turns Telegram's updates into events.

use greenroom_core::Timestamp;
use serde_json::Value;

use crate::{Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place};

/// The user id under which Telegram posts the messages of a linked channel.
const CHANNEL_BOT: i64 = 777_000;
/// Fields of a message that contain a file, with a default media type.
const FILES: [(&str, Option<&str>); 9] = [
    ("photo", Some("image/jpeg")),
    ("document", None),
    ("animation", Some("video/mp4")),
    ("audio", None),
    ("voice", Some("audio/ogg")),
    ("video", Some("video/mp4")),
    ("video_note", Some("video/mp4")),
    ("sticker", Some("image/webp")),
    ("location", None),
];

/// The account itself.
#[derive(Debug, Clone)]
pub(super) struct Me {
    /// The account's name in the settings.
    account: String,
    pub(super) id: i64,
    pub(super) username: String,
}

impl Me {
    pub(super) fn new(user: &Value, account: &str) -> Option<Self> {
        Some(Self {
            account: account.to_owned(),
            id: user["id"].as_i64()?,
            username: user["username"].as_str()?.to_owned(),
        })
    }
}

/// The events of an update. `takes_part` tells whether the account is in a chat.
pub(super) fn events(update: &Value, me: &Me, takes_part: impl Fn(i64) -> bool) -> Vec<Event> {
    let (message, edited) = match (&update["message"], &update["edited_message"]) {
        (Value::Null, Value::Null) => return Vec::new(),
        (Value::Null, edited) => (edited, true),
        (message, _) => (message, false),
    };
    let Some(chat) = message["chat"]["id"].as_i64().filter(|chat| takes_part(*chat)) else {
        return Vec::new();
    };
    let place = place(message, chat, me);
    let not_me = |user: &&Value| user["id"].as_i64() != Some(me.id);
    if let Some(joined) = message["new_chat_members"].as_array() {
        let people = joined.iter().filter(not_me).filter_map(person);
        return people.map(|person| Event::Joined { place: place.clone(), person }).collect();
    }
    if let Some(person) = Some(&message["left_chat_member"]).filter(not_me).and_then(person) {
        return vec![Event::Left { place, person }];
    }
    let Some(message) = said(message, place, me) else { return Vec::new() };
    match edited {
        _ if is_for_another_bot(&message.text, me) => Vec::new(),
        true => vec![Event::Edited(Edit { message })],
        false => vec![Event::Message(message)],
    }
}

fn place(message: &Value, chat: i64, me: &Me) -> Place {
    let chat = format!("{}/{chat}", me.account);
    // replies in a group without topics also have a thread id, but are not in a thread
    let thread = message["message_thread_id"].as_i64().filter(|_| message["is_topic_message"] == true);
    match thread {
        Some(thread) => Place::thread(chat, thread.to_string()),
        None => Place::chat(chat),
    }
}

fn said(message: &Value, place: Place, me: &Me) -> Option<Message> {
    let text = message["text"].as_str().or_else(|| message["caption"].as_str()).unwrap_or_default();
    let attachments = attachments(message);
    if text.is_empty() && attachments.is_empty() {
        return None;
    }
    let replied =
        Some(&message["reply_to_message"]).filter(|replied| replied["forum_topic_created"].is_null());
    let private = message["chat"]["type"] == "private";
    let named = mentions(text, &me.username);
    Some(Message {
        event_id: message["message_id"].as_i64()?.to_string(),
        author: author(message, me)?,
        text: text.to_owned(),
        mentions: Vec::new(),
        addressed: private || named,
        reply_to: replied.and_then(|replied| replied["message_id"].as_i64()).map(|id| id.to_string()),
        group: !private,
        attachments,
        mentioned: Vec::new(),
        said_at: message["date"].as_i64().map(|seconds| Timestamp(seconds * 1_000_000)),
        place,
    })
}

/// Whether a text mentions a username: `@troupe_bot`, and not `@troupe_bot_2`.
fn mentions(text: &str, username: &str) -> bool {
    let (text, mention) = (text.to_lowercase(), format!("@{}", username.to_lowercase()));
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&mention)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + mention.len()..].starts_with(is_part))
}

/// The author: a user, or the chat itself for an anonymous administrator.
fn author(message: &Value, me: &Me) -> Option<Author> {
    let from = &message["from"];
    if let Some(sender) = message["sender_chat"]["id"].as_i64() {
        let name = message["sender_chat"]["title"].as_str().unwrap_or("a channel");
        let person = Person { id: sender.to_string(), name: name.to_owned() };
        let forwarded = from["id"].as_i64() == Some(CHANNEL_BOT) || message["is_automatic_forward"] == true;
        let kind = if forwarded { AuthorKind::Bot } else { AuthorKind::Person };
        return Some(Author { person, kind });
    }
    let kind = match from["id"].as_i64()? {
        id if id == me.id => AuthorKind::Ourselves,
        _ if from["is_bot"] == true => AuthorKind::Bot,
        _ => AuthorKind::Person,
    };
    Some(Author { person: person(from)?, kind })
}

fn person(user: &Value) -> Option<Person> {
    let id = user["id"].as_i64()?.to_string();
    let names = [user["first_name"].as_str(), user["last_name"].as_str()];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Some(Person { name: if name.trim().is_empty() { id.clone() } else { name }, id })
}

fn attachments(message: &Value) -> Vec<Attachment> {
    let file = |(field, kind): &(&str, Option<&str>)| {
        let value = &message[*field];
        // a photograph comes in several sizes, the largest last
        let value = value.as_array().and_then(|sizes| sizes.last()).unwrap_or(value);
        let value = Some(value).filter(|value| value.is_object())?;
        let name = value["file_name"].as_str().or_else(|| value["emoji"].as_str()).unwrap_or(field);
        let media_type = value["mime_type"].as_str().or(*kind).map(str::to_owned);
        let source = value["file_id"].as_str().map(str::to_owned);
        Some(Attachment { name: name.to_owned(), media_type, bytes: value["file_size"].as_u64(), source })
    };
    // an animation is repeated as a document
    let animated = message["animation"].is_object();
    FILES.iter().filter(|(field, _)| !(animated && *field == "document")).filter_map(file).collect()
}

/// Whether a message is a command for another bot, as `/who@other_bot`.
fn is_for_another_bot(text: &str, me: &Me) -> bool {
    let word = text.strip_prefix('/').and_then(|line| line.split_whitespace().next());
    let bot = word.and_then(|word| word.split_once('@')).map(|(_, bot)| bot);
    bot.is_some_and(|bot| !bot.eq_ignore_ascii_case(&me.username))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn me() -> Me {
        Me { account: "troupe".to_owned(), id: 7, username: "Troupe_bot".to_owned() }
    }

    fn one(message: Value) -> Event {
        let mut events = events(&json!({ "update_id": 1, "message": message }), &me(), |_| true);
        assert_eq!(events.len(), 1, "{events:?}");
        events.remove(0)
    }

    fn text(text: &str) -> Value {
        json!({ "message_id": 5, "date": 60, "chat": { "id": -9, "type": "group" },
                "from": { "id": 1, "first_name": "Jo" }, "text": text })
    }

    #[test]
    fn ad6_a_command_for_another_bot_is_none_of_ours() {
        let ours = |line: &str| !events(&json!({ "message": text(line) }), &me(), |_| true).is_empty();
        assert!(ours("/quiet@TROUPE_bot 1h") && ours("/who") && ours("mail jo@x.example"));
        assert!(!ours("/who@other_bot"));
    }

    /// The longer name of another bot counted as ours.
    #[test]
    fn ad6_a_mention_is_the_whole_name() {
        let addressed = |line: &str| match one(text(line)) {
            Event::Message(message) => message.addressed,
            other => panic!("{other:?}"),
        };
        for line in
            ["@troupe_bot hello", "hello, @Troupe_Bot!", "@troupe_bot_2 and @troupe_bot", "（@troupe_bot）"]
        {
            assert!(addressed(line), "{line}");
        }
        for line in ["@troupe_bot_2 hello", "@troupe_bot2", "mail@troupe_bot"] {
            assert!(!addressed(line), "{line}");
        }
    }

    /// A person's private chats with two bots have the same id, and Telegram numbers the messages of each from 1 on.
    #[test]
    fn ad1_chats_of_two_bots_are_two_channels() {
        let other = Me { account: "other".to_owned(), id: 8, username: "Other_bot".to_owned() };
        let place = |me: &Me| match &events(&json!({ "message": text("hello") }), me, |_| true)[..] {
            [Event::Message(message)] => message.place.clone(),
            _ => panic!("no message"),
        };
        assert_ne!(place(&me()), place(&other));
    }

    #[test]
    fn ad2_only_topics_are_threads() {
        let mut message = text("hello");
        message["message_thread_id"] = json!(3);
        let Event::Message(answer) = one(message.clone()) else { panic!("no message") };
        assert_eq!(answer.place, Place::chat("troupe/-9"));
        message["is_topic_message"] = json!(true);
        message["reply_to_message"] = json!({ "message_id": 3, "forum_topic_created": {} });
        let Event::Message(in_topic) = one(message) else { panic!("no message") };
        assert_eq!((in_topic.place, in_topic.reply_to), (Place::thread("troupe/-9", "3"), None));
        assert_eq!(in_topic.said_at, Some(Timestamp(60_000_000)));
    }

    #[test]
    fn ad3_an_author_is_what_telegram_says_and_not_what_its_name_says() {
        let mut forged = text("ada: do it");
        forged["from"] = json!({ "id": 2, "first_name": "Troupe_bot", "is_bot": true });
        let Event::Message(message) = one(forged) else { panic!("no message") };
        assert_eq!(message.author.kind, AuthorKind::Bot);
        let mut anonymous = text("hello");
        anonymous["sender_chat"] = json!({ "id": -9, "title": "Kitchen" });
        let Event::Message(message) = one(anonymous) else { panic!("no message") };
        assert_eq!((message.author.person.id.as_str(), message.author.kind), ("-9", AuthorKind::Person));
    }
}
