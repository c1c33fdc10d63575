//! Messages of the bot: sending, editing, deleting, typing.

use serde_json::{Value, json};

use super::{Chat, MessageId, Server, api::Refusal, html, now};
use crate::post::{Face, Post};

/// The most UTF-16 code units of a message after parsing its markup.
const LONGEST: usize = 4096;
/// Messages older than this, in seconds, cannot be deleted.
const DELETABLE: u64 = 48 * 3600;
/// The chat actions that a bot can show.
const ACTIONS: [&str; 4] = ["typing", "upload_photo", "upload_document", "choose_sticker"];

/// The text of a call in the form that people see.
fn text(parameters: &Value) -> Result<String, Refusal> {
    // a number is accepted as a text
    let text = match &parameters["text"] {
        Value::String(text) => text.clone(),
        Value::Null => return Err(Refusal::bad("message text is empty")),
        other => other.to_string(),
    };
    let text = match parameters["parse_mode"].as_str().map(str::to_lowercase).as_deref() {
        None | Some("") => text,
        Some("html") => html::text(&text)?,
        Some(_) => return Err(Refusal::bad("unsupported parse_mode")),
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    match text.encode_utf16().count() {
        ..=LONGEST => Ok(text.to_owned()),
        _ => Err(Refusal::bad("message is too long")),
    }
}

/// Parses an id from a number or a text of digits.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

impl Server {
    /// A chat that the bot may write to.
    pub(super) fn open_chat(&self, id: &Value) -> Result<Chat, Refusal> {
        let chat = number(id).ok_or_else(|| Refusal::bad("chat_id is empty"))?;
        let state = self.chats.get(&chat).ok_or_else(|| Refusal::bad("chat not found"))?;
        match state.migrated {
            Some(to) => Err(Refusal::migrated(to)),
            None if state.closed && state.is_private() => {
                Err(Refusal::forbidden("bot was blocked by the user"))
            }
            None if state.closed => Err(Refusal::forbidden("bot was kicked from the group chat")),
            None => Ok(chat),
        }
    }

    pub(super) fn send(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let chat = self.open_chat(&parameters["chat_id"])?;
        let text = text(parameters)?;
        let thread = number(&parameters["message_thread_id"]);
        let reply = match &parameters["reply_parameters"] {
            Value::Null => None,
            reply => Some(number(&reply["message_id"]).ok_or_else(|| {
                Refusal::bad("can't parse reply parameters: Field \"message_id\" must be a valid Number")
            })?),
        };
        let state = self.chats.get(&chat);
        if thread.is_some_and(|thread| !state.is_some_and(|state| state.threads.contains(&thread))) {
            return Err(Refusal::bad("message thread not found"));
        }
        let answered = reply.and_then(|reply| self.message(chat, reply).cloned());
        let unless = parameters["reply_parameters"]["allow_sending_without_reply"] == true;
        if reply.is_some() && answered.is_none() && !unless {
            return Err(Refusal::bad("message to be replied not found"));
        }
        self.permit(chat)?;
        let reply = reply.filter(|_| answered.is_some());
        let bot = self.bot.clone();
        let more = json!({ "text": text, "message_thread_id": thread, "reply_to_message": answered });
        let message = self.add(chat, &bot, &more).unwrap_or_default();
        self.posts.push(Post {
            id: message["message_id"].to_string(),
            chat: chat.to_string(),
            thread: thread.map(|thread| thread.to_string()),
            text,
            reply_to: reply.map(|reply| reply.to_string()),
            face: Face::default(),
            ..Post::default()
        });
        Ok(message)
    }

    /// Checks and counts a message of the bot against the rates.
    fn permit(&mut self, chat: Chat) -> Result<(), Refusal> {
        if !self.limited {
            return Ok(());
        }
        let Some(state) = self.chats.get_mut(&chat) else { return Ok(()) };
        if !state.is_private() && state.a_minute.remaining() == 0 {
            let wait = state.a_minute.reset_after(tokio::time::Instant::now());
            return Err(Refusal::too_many(wait));
        }
        state.a_second.take().map_err(Refusal::too_many)?;
        self.all.take().map_err(Refusal::too_many)?;
        if !state.is_private() {
            state.a_minute.take().map_err(Refusal::too_many)?;
        }
        Ok(())
    }

    pub(super) fn edit_text(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let chat = self.open_chat(&parameters["chat_id"])?;
        let text = text(parameters)?;
        let (message, position) = self.own(chat, &parameters["message_id"], "message to edit not found")?;
        if self.posts.get(position).is_some_and(|post| post.text == text) {
            return Err(Refusal::bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a \
                 current content and reply markup of the message",
            ));
        }
        if let Some(post) = self.posts.get_mut(position) {
            post.text.clone_from(&text);
            post.edits += 1;
        }
        let found = self.chats.get_mut(&chat).and_then(|state| state.messages.get_mut(&message));
        let Some(found) = found else { return Err(Refusal::bad("message to edit not found")) };
        found["text"] = json!(text);
        found["edit_date"] = json!(now());
        Ok(found.clone())
    }

    pub(super) fn delete(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let chat = self.open_chat(&parameters["chat_id"])?;
        let (message, position) = self.own(chat, &parameters["message_id"], "message to delete not found")?;
        let sent =
            self.message(chat, message).and_then(|message| message["date"].as_u64()).unwrap_or_default();
        if now().saturating_sub(sent) > DELETABLE {
            return Err(Refusal::bad("message can't be deleted"));
        }
        if let Some(state) = self.chats.get_mut(&chat) {
            state.messages.remove(&message);
        }
        if let Some(post) = self.posts.get_mut(position) {
            post.deleted = true;
        }
        Ok(json!(true))
    }

    /// Finds a message of the bot, with its index among the posts.
    fn own(&self, chat: Chat, message: &Value, unknown: &str) -> Result<(MessageId, usize), Refusal> {
        let message = number(message).ok_or_else(|| Refusal::bad("message_id is invalid"))?;
        let found = self.message(chat, message).ok_or_else(|| Refusal::bad(unknown))?;
        if found["from"]["id"] != self.bot["id"] {
            return Err(Refusal::bad("message can't be edited"));
        }
        let (chat, id) = (chat.to_string(), message.to_string());
        let position = self.posts.iter().position(|post| post.chat == chat && post.id == id);
        position.map(|position| (message, position)).ok_or_else(|| Refusal::bad(unknown))
    }

    pub(super) fn action(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let chat = self.open_chat(&parameters["chat_id"])?;
        let action = parameters["action"].as_str().unwrap_or_default();
        if !ACTIONS.contains(&action) {
            return Err(Refusal::bad("wrong parameter action in request"));
        }
        self.actions.push((chat, action.to_owned()));
        Ok(json!(true))
    }
}
