//! tmp
pub mod chat;
pub mod who;
