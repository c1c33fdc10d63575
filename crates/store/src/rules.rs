//! Rules that every store applies in the same way, as pure functions.

pub mod deliveries;
pub mod imports;
pub mod quotes;
pub mod summaries;
pub mod taken_back;
pub mod vectors;
