//! Tests through the public interface: imports, round trips, exports and hostile files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside test functions")]

mod books;
mod detecting;
mod exporting;
mod hostile;
mod importing;
mod killed;
mod lossless;
mod makers;
mod odd;
mod receipts;
mod samples;
mod secrets;
mod untouched;
