//! Simulations as their users run them.

mod engine;
mod house;
mod minds;
mod scenarios;
