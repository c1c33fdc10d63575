//! The native API: every function of the runtime, under `/api`.
//!
//! ```text
//! messages.rs      send a message
//! preview.rs       preview the context of a message
//! answer.rs        the turns that answer a message, collected from their events
//! edits.rs         edit one's last message, have a message answered once more
//! channels.rs      list channels, read messages, cancel, reset
//! rooms.rs         members, invitations, quiet, why a persona answered
//! dead_letters.rs  messages that broke every turn: list, retry, dismiss
//! turns.rs         a stored turn, its events, its context
//! receipt.rs       receipts of stored turns
//! personas.rs      the cast and its actors: list, start, stop, restart
//! imports.rs       personas of other programs: preview, import, pictures
//! events.rs        subscribe to a channel or a persona, by SSE or WebSocket
//! stream.rs        the stream of events that SSE and WebSockets send
//! memories.rs      memories: list, search, add, edit, forget, export, import
//! ingest.rs        events of machines (JV3)
//! bridge.rs        signed requests of bridges
//! slack.rs         signed requests of Slack
//! accounts.rs      accounts on chat platforms, and replies that were not delivered
//! usage.rs         token use, cost and limits
//! ```

mod accounts;
pub(crate) mod answer;
mod bridge;
mod channels;
mod dead_letters;
mod edits;
mod events;
mod imports;
mod ingest;
mod memories;
pub(crate) mod messages;
mod personas;
mod preview;
mod receipt;
mod rooms;
mod slack;
mod stream;
mod turns;
mod usage;

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    messages::routes()
        .merge(edits::routes())
        .merge(preview::routes())
        .merge(channels::routes())
        .merge(rooms::routes())
        .merge(turns::routes())
        .merge(dead_letters::routes())
        .merge(personas::routes())
        .merge(imports::routes())
        .merge(events::routes())
        .merge(memories::routes())
        .merge(ingest::routes())
        .merge(accounts::routes())
        .merge(bridge::routes())
        .merge(slack::routes())
        .merge(usage::routes())
}
