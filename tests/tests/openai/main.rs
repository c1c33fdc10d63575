//! OpenAI's own Python SDK against the real server: a real binary, a real socket, a real store and a mock
//! model behind it.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod channels;
mod clients;
mod memory;
mod people;
mod refusals;
mod repeats;
mod support;
mod tools;
