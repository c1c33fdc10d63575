//! `greenroom serve` as somebody runs it: watched, limited, stopped, attacked. The real binary on a
//! real socket.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg(unix)]

mod collector;
mod embedder;
mod fuzz;
mod limits;
mod logs;
mod models;
mod recovering;
mod stopping;
mod support;
mod traces;
mod usage;
mod watching;
