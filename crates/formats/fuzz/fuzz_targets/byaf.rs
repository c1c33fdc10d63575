//! Fuzzes unpacked Backyard archives.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("byaf", bytes));
