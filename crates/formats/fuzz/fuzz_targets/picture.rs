//! Fuzzes character cards in PNG pictures.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("picture", bytes));
