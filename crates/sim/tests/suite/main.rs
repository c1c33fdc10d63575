//! Simulations as their users run them.

mod engine;
