//! Fuzzes folders of the SOUL.md family.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("soul", bytes));
