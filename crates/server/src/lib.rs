//! The runtime as a service: HTTP, SSE and WebSocket in front of the same actors the terminal has.
//!
//! ```text
//! /v1/…          openai.rs      what OpenAI's clients speak
//! /v1/messages   anthropic.rs   what Anthropic's clients speak
//! /api/chat …    ollama.rs      what Ollama's clients speak
//! /v1/c/…        dialect.rs     the same three, bound to a channel
//! /api/…         api.rs         channels, turns, events, personas, memories
//! /mcp           mcp.rs         a persona's memory for any MCP host
//! /              inspector.rs   the page that shows what a persona was thinking
//! /healthz …     operations.rs  health, readiness, metrics
//! /openapi.json  reference.rs   the description of all of it, and a page to try it
//! ```
//! Every request passes `limits.rs` and `guard.rs` first: how much is let in, who calls (`access.rs`), from
//! where.

mod access;
mod anthropic;
mod api;
mod dialect;
mod error;
mod extract;
mod gate;
mod guard;
mod inspector;
mod limits;
mod mcp;
mod ollama;
mod openai;
mod operations;
mod reference;
mod rooms;
mod said;
mod serve;
mod services;

pub use access::{Caller, Key, Role, own_channel};
pub use error::ApiError;
pub use gate::{ChannelGate, ChannelUse, Gate, NotTaken, Recovered, Taken};
pub use mcp::{Seat, StdioError, mcp_stdio};
pub use serve::{ServeError, Server};
pub use services::Services;
