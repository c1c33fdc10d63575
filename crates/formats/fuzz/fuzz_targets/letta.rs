//! Fuzzes Letta agent files.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("letta", bytes));
