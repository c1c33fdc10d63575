//! The server: HTTP, server-sent events and WebSockets in front of the runtime.
//!
//! ```text
//! /v1/…          openai.rs      OpenAI's API
//! /v1/messages   anthropic.rs   Anthropic's API
//! /api/chat …    ollama.rs      Ollama's API
//! /v1/c/…        dialect.rs     the same three below the base URL of a channel
//! /api/…         api.rs         the native API: channels, turns, events, personas, memories
//! /mcp           mcp.rs         a persona's memory for MCP hosts
//! /              inspector.rs   the page: chat, contexts and memories in a browser
//! /healthz …     operations.rs  health, readiness, metrics
//! /openapi.json  reference.rs   the description of the API, and a page to try it
//! ```
//! Every request passes `limits.rs` (how much the server accepts) and `guard.rs` (the caller, and the page that sends
//! the request) before its handler.
//!
#![doc = include_str!("../README.md")]

mod access;
mod anthropic;
mod api;
mod body;
mod connection;
mod dialect;
mod edited;
mod error;
mod extract;
mod guard;
mod inspector;
mod limits;
mod mcp;
mod ollama;
mod openai;
mod operations;
mod ownership;
mod reference;
mod serve;
mod services;
mod validate;

pub use access::{Caller, HOST_USER, Key, Role, own_channel};
pub use error::ApiError;
pub use mcp::{McpAccess, StdioError, mcp_stdio};
pub use ownership::Chats;
pub use serve::{ServeError, Server};
pub use services::Services;
