//! The harness of the tests that drive the whole program from outside: an endpoint that answers and fails as a test
//! specifies, and a separate home for every run of the program.
//!
//! ```
//! use greenroom_tests::{Answer, MockEndpoint};
//!
//! let endpoint = MockEndpoint::start();
//! endpoint.push(Answer::text("Hello there").reset_after(1)); // breaks off after "Hello"
//! endpoint.push(Answer::text("Hello again"));
//! // … point the program at endpoint.base_url(), then look at endpoint.chats()
//! ```
// a harness says what is wrong with a test by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
mod binary;
mod cost;
mod endpoint;
mod home;
mod http;
mod stderr;
mod vectors;

pub use answer::Answer;
pub use binary::greenroom;
pub use cost::{cpu_seconds, resident_kib};
pub use endpoint::MockEndpoint;
pub use home::Home;
pub use http::Request;
pub use stderr::Stderr;
pub use vectors::embedding;
