//! The native API from outside: the real server, real sockets, a mock endpoint behind it.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bd11;
mod client;
mod editing;
mod fuzz;
mod listening;
mod looking;
mod refusals;
mod repeats;
mod rooms;
mod server;
mod sockets;
mod steering;
mod talking;
