//! Chat platforms. An adapter speaks one platform's protocol; the accounts drive it and do the rest.
//!
//! ```text
//! accounts.rs   the accounts that `greenroom serve` runs, with everything that is alike on all platforms
//! adapter.rs    what an adapter implements: run, perform, check
//! event.rs      what an adapter hands in: messages, edits, deletions, people who come and go
//! request.rs    what an adapter is asked to do: send, delete, show typing; and the answer
//! inlet.rs      what an adapter is given: a place for events and cursors
//! limits.rs     what a platform permits: lengths, rates, keys, faces
//! place.rs      chats and threads of a platform as channel keys
//! text/         splitting, formatting and neutralising texts
//! rate.rs       token buckets
//! slash.rs      commands of people, for platforms that list them
//! http.rs, tls.rs, websocket.rs, certificate.rs   connections that several platforms share
//! signature.rs  requests that a platform signs
//! registry.rs   makes the adapter of an account
//! ```
//!
#![doc = include_str!("../README.md")]

mod accounts;
mod adapter;
#[cfg(feature = "bridge")]
mod bridge;
#[cfg(any(feature = "http", feature = "tls"))]
mod certificate;
#[cfg(feature = "discord")]
mod discord;
mod event;
#[cfg(feature = "http")]
mod http;
mod inlet;
#[cfg(feature = "irc")]
mod irc;
mod limits;
#[cfg(feature = "matrix")]
mod matrix;
mod place;
pub mod rate;
mod registry;
mod request;
#[cfg(any(feature = "bridge", feature = "slack"))]
mod signature;
#[cfg(feature = "slack")]
mod slack;
#[cfg(feature = "http")]
mod slash;
#[cfg(feature = "telegram")]
mod telegram;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
#[cfg(feature = "tls")]
mod tls;
#[cfg(any(feature = "irc", feature = "xmpp"))]
mod together;
#[cfg(feature = "websocket")]
mod websocket;
#[cfg(feature = "xmpp")]
mod xmpp;

pub use accounts::{
    AccountState, AccountStatus, Accounts, AccountsOptions, RefusedChannel, memberships, note_erasure,
    problems, stored_status,
};
pub use adapter::{Adapter, Ended, Finding, WebhookError, WebhookRequest, WebhookResponse};
pub use event::{Attachment, Author, AuthorKind, CommandCall, Edit, Event, Message, Person};
pub use inlet::{ConnectionState, Inlet, LookedBack, NotTaken, Taken};
pub use limits::{Dialect, Faces, Limits, Rate, Unit};
pub use place::{Place, PlaceError};
pub use registry::{Account, AccountError, usual_variable};
pub use request::{Face, Notice, Outcome, Post, Request};
