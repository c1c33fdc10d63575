//! Privacy mode: a bot in a group only gets messages that are addressed to it.

use serde_json::Value;

use super::{Chat, Server};

impl Server {
    /// Whether the bot gets a message.
    pub(super) fn is_told(&self, chat: Chat, message: &Value) -> bool {
        let Some(state) = self.chats.get(&chat) else { return false };
        if state.is_private() || !self.privacy {
            return true;
        }
        let Some(text) = message["text"].as_str() else {
            // joins and leaves are service messages, which every bot gets
            return message["new_chat_members"].is_array() || message["left_chat_member"].is_object();
        };
        let username = self.bot["username"].as_str().unwrap_or_default().to_lowercase();
        let lower = text.to_lowercase();
        let named = lower.contains(&format!("@{username}"));
        // a command without a bot's name is for every bot
        let command =
            lower.starts_with('/') && (named || !lower.split_whitespace().next().unwrap_or("").contains('@'));
        let answers_it = message["reply_to_message"]["from"]["id"] == self.bot["id"];
        named || command || answers_it
    }
}
