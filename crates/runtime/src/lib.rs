//! The actors: supervisor, room, channel actor, memory. A [`Runtime`] is a value, not a global.
//!
//! ```text
//! Supervisor
//! ├── Memory            embeds what was stored, sweeps what expired
//! ├── Capture           what is remembered of an exchange behind its reply
//! └── Room              one a live channel: who answers
//!     └── ChannelActor  one a persona in it: one turn at a time
//! ```

mod backoff;
mod capture_actor;
mod capture_queue;
mod channel_actor;
mod completion;
mod cue;
mod directory;
mod floor;
mod hub;
mod ledger;
mod memory_actor;
mod messages;
mod metrics;
mod options;
mod pending_events;
mod presence;
mod room;
mod runtime;
mod services;
mod summary;
mod supervisor;
mod turn;

pub use completion::{Completion, ConversationLine, Saying, Wishes};
pub use hub::{Heard, Subscription, Topic};
pub use messages::{
    ActorStatus, Inbound, PersonaUsage, Preview, RuntimeError, Sent, TurnContext, TurnEvents,
};
pub use options::{Answering, ModelSource, ResolvedModel, RuntimeOptions, SmallRole};
pub use runtime::Runtime;
