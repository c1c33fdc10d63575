//! Fuzzes agents of coding tools in Markdown.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| greenroom_formats_fuzz::run("agent_markdown", bytes));
