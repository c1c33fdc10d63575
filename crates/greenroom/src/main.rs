//! The program: command line and wiring.
fn main() {}
