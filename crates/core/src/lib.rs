//! The types that every crate shares: ids, scope, viewer, message, memory, event, receipt, time.
//!
//! Nothing here does I/O, and nothing here knows an actor, a database or a model. Every other
//! crate depends on this one; this one depends on none of them. See `docs/architecture.md`.
//!
#![doc = include_str!("../README.md")]

mod chat;
mod entropy;
mod event;
mod ids;
mod image;
mod memory;
mod message;
mod model_name;
mod platform;
mod receipt;
mod scope;
mod state;
mod text;
mod time;

pub use chat::{ChatMessage, Offered, Role, ToolCall, ToolSchema, Usage};
pub use entropy::{Entropy, SystemEntropy};
pub use event::{ChatEvent, ErrorCode, EventId, Finish, MemorySnippet, NoticeCode, TurnEvent};
pub use ids::{ChannelKey, IdError, MemoryId, MessageId, PersonaName, TurnId, UserId, UserRef};
pub use image::{AttachedImage, Image, ImageFetch, ImageSource};
pub use memory::{Kind, Memory, Relation, RelationKind, Source, Tier, Trust};
pub use message::{Author, Envelope, Message, ReplyOptions, Unanswered, reply_event};
pub use model_name::short_model_name;
pub use platform::{Platform, UnknownPlatform};
pub use receipt::{ContextBudget, FRAME, Outcome, Receipt, ReceiptItem, Section, SharedReceipt, add_frames};
pub use scope::{Scope, Viewer};
pub use state::{ActorState, Standing};
pub use text::{Visible, composed, harmless, is_unseen, visible};
pub use time::{
    Elapsed, Instant, ManualClock, SimulatedTime, Sleep, SystemClock, Time, Timestamp, real_time,
};
