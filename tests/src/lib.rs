//! The harness of the tests that drive the whole program from outside.
