//! Accounts over a real runtime and a store in a file: with a platform on paper, and with real IRC servers.

mod delivering;
mod house;
mod irc;
mod paper;
mod taking;
