//! The whole program from outside: the real binary, a real store, a mock endpoint.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conversation;
mod demonstration;
mod failure;
mod forgetting;
mod interplay;
mod manual;
mod requests;
mod support;
