//! Rules that every backend applies, as pure functions.

mod imports;
mod quotes;
mod vectors;

pub use imports::*;
pub use quotes::*;
pub use vectors::*;
