//! Macros that print lines for people on standard error. `eprintln!` panics if standard error is closed or full, which
//! would end a server whose terminal was closed.

/// Writes a line to standard error; ignores a failure.
macro_rules! stderr_line {
    ($($argument:tt)*) => {{
        let _ = ::std::io::Write::write_fmt(
            &mut ::std::io::stderr(),
            ::std::format_args!("{}\n", ::std::format_args!($($argument)*)),
        );
    }};
}

/// Writes a text without a line break to standard error; ignores a failure.
macro_rules! stderr_text {
    ($($argument:tt)*) => {{
        let _ = ::std::io::Write::write_fmt(&mut ::std::io::stderr(), ::std::format_args!($($argument)*));
    }};
}
