//! Simulations as their users run them.

// outside of `#[test]` functions clippy does not know that this is a test
#![allow(clippy::unwrap_used)]

mod branches;
mod crowds;
mod diagnostics;
mod engine;
mod house;
mod inputs;
mod minds;
mod places;
mod populations;
mod repeatable;
mod runs;
mod scenarios;
