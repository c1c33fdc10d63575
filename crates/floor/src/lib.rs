//! Who answers a message in a group, in which order, and why (RM2, RM3, RM6).
mod candidates;
mod decision;
mod draw;
mod evaluate;
pub mod fitting;
pub mod log;
mod limits;
mod members;
mod model;
mod naming;
mod reading;
mod reason;
mod repetition;
mod situation;
mod text;
mod weights;
mod window;

pub use decision::{Decision, Evidence, Inputs, RoomPolicy, Verdict, decide};
pub use evaluate::{Addressee, LogReport, Report, Speaking, evaluate, evaluate_with};
pub use limits::{Bound, Counters, Grant, Limits, Remaining, Stop, bound};
pub use members::{Kind, Member, MemberId, Members, Policy};
pub use reason::Reason;
pub use repetition::{COMPARED, nearly_repeats};
pub use window::{Message, WINDOW, Window};
