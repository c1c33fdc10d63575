//! The actors: supervisor, room, channel actor, memory. A [`Runtime`] is a value, not a global.
//!
//! ```text
//! Supervisor
//! ├── Memory            embeds what was stored, sweeps what expired
//! └── Room              one a live channel: who answers
//!     └── ChannelActor  one a persona in it: one turn at a time
//! ```

mod runtime;

pub use runtime::{
    ActorStatus, Inbound, ModelSource, ResolvedModel, Runtime, RuntimeError, RuntimeOptions, Sent, TurnEvents,
};
