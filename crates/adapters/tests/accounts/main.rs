//! Accounts over a real runtime and a store in a file: with a platform on paper, and with real IRC servers and a
//! real homeserver of Matrix.

mod delivering;
mod house;
mod irc;
mod matrix;
mod paper;
mod taking;
