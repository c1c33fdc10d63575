//! Sends messages to rooms.

use greenroom_core::{Entropy, SystemEntropy};
use serde_json::{Value, json};

use super::{Matrix, Refusal, event::plain};
use crate::{Notice, Outcome, Post};

impl Matrix {
    pub(super) async fn send(&self, post: &Post) -> Outcome {
        let mut body = json!({
            "msgtype": "m.text", "body": plain(&post.text), "m.mentions": {},
            "format": "org.matrix.custom.html", "formatted_body": post.text,
            // clients that support this show the persona's name instead of the account's
            "com.beeper.per_message_profile": {
                "id": post.face.persona, "displayname": post.face.name, "has_fallback": true,
            },
        });
        let answered = post.reply_to.as_ref().map(|event| json!({ "event_id": event }));
        body["m.relates_to"] = match (&post.place.thread, answered) {
            (Some(thread), answered) => json!({
                "rel_type": "m.thread", "event_id": thread, "is_falling_back": answered.is_none(),
                "m.in_reply_to": answered.unwrap_or_else(|| json!({ "event_id": thread })),
            }),
            (None, Some(answered)) => json!({ "m.in_reply_to": answered }),
            (None, None) => json!({}),
        };
        sent(self.put(&post.place.chat, "m.room.message", &post.key, &body).await)
    }

    pub(super) async fn notice(&self, notice: &Notice) -> Outcome {
        let mut body =
            json!({ "msgtype": "m.notice", "body": notice.text, "m.mentions": { "user_ids": [notice.to] } });
        if let Some(thread) = &notice.place.thread {
            body["m.relates_to"] = json!({ "rel_type": "m.thread", "event_id": thread });
        }
        let key = format!("notice-{}", SystemEntropy.uuid());
        sent(self.put(&notice.place.chat, "m.room.message", &key, &body).await)
    }
}

pub(super) fn sent(answer: Result<Value, Refusal>) -> Outcome {
    match answer {
        Ok(answer) => Outcome::Done { event_id: answer["event_id"].as_str().map(str::to_owned) },
        Err(refusal) => refusal.into(),
    }
}
