//! Fake servers on loopback that behave as Discord, Telegram, Slack and a bridge do towards a bot, for tests of
//! adapters.
//!
//! A fake is only useful if it rejects what the platform rejects. So each fake enforces the rules of its platform:
//! limits of length and rate, sessions, offsets, acknowledgements, permissions. The rules are from the platforms' own
//! documentation, as of November 2026.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use greenroom_platform_fakes::{CallFault, Telegram};
//!
//! let telegram = Telegram::start().await?;
//! let group = telegram.group("Kitchen");
//! let jo = telegram.person("Jo");
//! telegram.say(group, jo, "hello");
//! telegram.faults().next_call("sendMessage", CallFault::LoseAnswer);
//! telegram.kill().await; // its state stays
//! telegram.restart().await?;
//! let posts = telegram.wait_for_posts(1).await; // what the bot said
//! # Ok(()) }
//! ```
//!
//! The fakes use tokio's time. A test that pauses it has the platform's waits in virtual time.

pub mod bridge;
mod client;
pub mod discord;
mod fake;
mod faults;
mod files;
mod post;
mod rate;
mod server;
pub mod slack;
pub mod telegram;

pub use bridge::Bridge;
pub use discord::Discord;
pub use fake::Fake;
pub use faults::{CallFault, EventFault, Faults};
pub use post::{Face, Post};
pub use slack::Slack;
pub use telegram::Telegram;
