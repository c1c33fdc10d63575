//! The native API: everything the runtime can do, under `/api`.
//!
//! ```text
//! messages.rs  something is said: one JSON document, or a stream of what happens
//! answer.rs    what became of it, put together of events
//! channels.rs  which there are, what was said, cancel, reset
//! dead_letters.rs  messages that broke every turn; tried again, dismissed
//! turns.rs     a turn as stored, its events, its context whole
//! personas.rs  who there is and what each does; stop, start, restart
//! events.rs    listening to a channel or a persona, by SSE and WebSocket
//! memories.rs  what a persona remembers: list, search, add, edit, forget, take along
//! ingest.rs    events of machines (JV3)
//! usage.rs     what was used, and may be
//! stream.rs    how an event is told to whoever listens
//! ```

mod answer;
mod channels;
mod dead_letters;
mod events;
mod ingest;
mod memories;
pub(crate) mod messages;
mod personas;
mod stream;
mod turns;
mod usage;

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    messages::routes()
        .merge(channels::routes())
        .merge(turns::routes())
        .merge(dead_letters::routes())
        .merge(personas::routes())
        .merge(events::routes())
        .merge(memories::routes())
        .merge(ingest::routes())
        .merge(usage::routes())
}
