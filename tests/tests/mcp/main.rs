//! MCP in both directions: personas use the tools of servers, and hosts use a persona's memory. With
//! the real program, the official SDK for Python and `server-everything`; `scripts/test` installs them.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod addresses;
mod approvals;
mod hosts;
mod persona;
mod support;
