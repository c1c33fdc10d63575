//! Rules that every store applies alike. Pure.

pub mod deliveries;
pub mod imports;
pub mod quotes;
pub mod summaries;
pub mod taken_back;
pub mod vectors;
