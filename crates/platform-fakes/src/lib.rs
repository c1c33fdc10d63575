//! Servers on loopback that behave as Discord, Telegram and Slack do towards a bot, for tests of adapters.
//!
//! A fake is worth what it refuses. Each enforces the rules of its platform: limits of length and rate, sessions,
//! offsets, acknowledgements, permissions. Sources of the rules: the platforms' own documentation, as of November 2026.
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
//! Time is tokio's: a test that pauses it has the platform's waits in virtual time.

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
