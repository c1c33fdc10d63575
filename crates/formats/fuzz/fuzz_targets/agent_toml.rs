//! Fuzzes agents of coding tools in TOML.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("agent_toml", bytes));
