//! The whole program from outside: the real binary, a real store, a mock endpoint.

mod conversation;
mod demonstration;
mod failure;
mod interplay;
mod requests;
mod support;
