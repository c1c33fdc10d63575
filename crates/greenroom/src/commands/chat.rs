//! tmp
pub mod input;
pub mod render;
pub mod signals;
pub mod slash;
