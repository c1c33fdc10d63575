//! Fuzzes lorebooks: their reader and the search for keys.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("lorebook", bytes));
