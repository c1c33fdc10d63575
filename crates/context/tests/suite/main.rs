//! The assembler from outside.

#![allow(clippy::unwrap_used, reason = "helpers of tests stand outside test functions")]

mod assembly;
mod blocks;
mod budgets;
mod character;
mod scene;
