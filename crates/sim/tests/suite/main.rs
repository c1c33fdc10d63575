//! Simulations through the public interface.

// clippy does not recognise helper functions outside of `#[test]` as tests
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
