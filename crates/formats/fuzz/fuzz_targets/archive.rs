//! Zip archives: the container itself. The targets `byaf`, `charx` and `soul` begin after it.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("archive", bytes));
