//! Chat platforms. An adapter speaks the protocol of one platform: it reads events and sends messages. The accounts
//! (`accounts.rs`) run the adapters: they store the events, start the turns and deliver the replies.
//! ```text
//! ```text
//! accounts.rs   the accounts that `greenroom serve` runs, and everything that is equal on all platforms
//! adapter.rs    the trait of an adapter: run, perform, check
//! event.rs      events that an adapter reads: messages, edits, deletions, people who join and leave
//! request.rs    requests to an adapter: send, delete, show typing; and their outcomes
//! inlet.rs      the trait through which an adapter stores events and cursors and reports its state
//! limits.rs     the limits of a platform: lengths, rates, keys, faces
//! place.rs      chats and threads of a platform as channel keys
//! text/         splitting, formatting and neutralising texts
//! rate.rs       token buckets
//! slash.rs      the table of the commands that people can use, for platforms that list commands
//! http.rs, tls.rs, websocket.rs, certificate.rs   connections that several platforms share
//! signature.rs  signatures of webhook requests, and protection against replayed ones
//! registry.rs   reads the secrets of an account and makes its adapter
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
