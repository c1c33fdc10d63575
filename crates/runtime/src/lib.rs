//! The actors: supervisor, room, channel actor, memory, capture. A [`Runtime`] is a value, not a global.
//!
//! ```text
//! Supervisor
//! ├── MemoryActor       embeds stored texts, deletes expired memories
//! ├── CaptureActor      extracts memories from an exchange, after its reply
//! └── Room              one for each live channel: decides who answers
//!     └── ChannelActor  one for each persona in it: one turn at a time
//! ```
//! [`Runtime::send`] hands a message to the supervisor, which finds or wakes its room. The room decides who answers,
//! stores the message, and queues a cue for each answering persona. A channel actor takes its cue and runs the turn.
//!
//! Modules import each other in one direction: `runtime` uses `supervisor`, `room`, `channel_actor` and the other
//! actors; these use `turn`, and `turn` uses `services`. `mailbox` holds the messages between actors.
//!
#![doc = include_str!("../README.md")]

mod backoff;
mod capture_actor;
mod capture_queue;
mod cast;
mod channel_actor;
mod completion;
mod cue;
mod delayed;
mod directory;
mod erasures;
mod error;
mod events;
mod floor;
mod gauges;
mod grant;
mod hub;
mod ledger;
mod mailbox;
mod memory_actor;
mod metrics;
mod models;
mod options;
mod ownership;
mod presence;
mod relevance;
mod room;
mod rooms;
mod runtime;
mod services;
mod summary;
mod supervisor;
mod turn;
mod types;
mod view;
mod write_again;

pub use completion::{Completion, ConversationLine, UserLine};
pub use error::{RetryRefusal, RuntimeError};
pub use events::{TurnEvents, last_event};
pub use hub::{NextEvent, Subscription, Topic};
pub use options::{Answering, EventObserver, ModelSource, ResolvedModel, RuntimeOptions, SmallRole};
pub use ownership::{ChannelUse, ChatLocks, HeldLock, NotEntered, NotLocked, OwnedChats, Recovered};
pub use rooms::RoomsSettings;
pub use runtime::{Retry, Runtime, put_quiet, quiet_until};
pub use types::{ActorStatus, PersonaUsage, Preview, Sent, TurnContext};
pub use view::{
    AnswerView, BoundView, DecisionView, MemberKind, MemberView, RoomView, RoomViews, RoundView, VerdictView,
};
