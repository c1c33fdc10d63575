//! The APIs of other providers, here called dialects. Each dialect parses its requests into one [`ReplyRequest`] and
//! formats the events of the reply. The code in between is shared.
//!
//! ```text
//! context.rs       a request: its caller, its headers, and how it is answered
//! headers.rs       headers, and the channel of the base URL
//! request.rs       the common form of the requests of all dialects
//! tools.rs         the function tools of a request, and the choice among them
//! target.rs        the persona that answers, and the channel
//! speaker.rs       the person who speaks, and the rules for system messages of their client
//! conversation.rs  the messages of a request as a conversation that can be answered
//! channel.rs       a message of a channel: stored, answered once, repeated with its stored reply
//! repeats.rs       which stored message a request without a key may repeat
//! unanswered.rs    messages without a key that have no reply yet
//! items.rs         items of replies that a later request may refer to
//! reply_events.rs  the events of a turn as events of a reply
//! format.rs        the output of a dialect: one document, or the chunks of a stream
//! delivery.rs      the response to a client
//! embedding.rs     vectors of the server's own embedder
//! error_shape.rs   errors in the shape of a dialect
//! description.rs   the parts that the dialects share in the description of the API
//! ```
//! The dialects are `openai.rs`, `anthropic.rs` and `ollama.rs`. Without a channel the messages of the request are
//! the conversation and nothing is stored. In a channel the stored conversation counts, and the request adds only its
//! last message of a user.

mod channel;
mod context;
mod conversation;
mod delivery;
pub(crate) mod description;
pub(crate) mod embedding;
pub(crate) mod error_shape;
pub(crate) mod format;
mod headers;
pub(crate) mod items;
mod repeats;
mod reply_events;
pub(crate) mod request;
mod speaker;
pub(crate) mod target;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod tools;
mod unanswered;

pub(crate) use context::{ReplyContext, with_state};
