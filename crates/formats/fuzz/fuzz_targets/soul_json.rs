//! Fuzzes the manifest `soul.json`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("soul_json", bytes));
