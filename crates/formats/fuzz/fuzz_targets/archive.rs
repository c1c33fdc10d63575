//! Fuzzes the reader of zip archives. The targets `byaf`, `charx` and `soul` begin with the unpacked files.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("archive", bytes));
