//! Lines for people on standard error. `eprintln!` panics where standard error is closed or full, which would end a server
//! whose terminal is gone.

/// Writes a line to standard error, if it takes one.
macro_rules! stderr_line {
    ($($argument:tt)*) => {{
        let _ = ::std::io::Write::write_fmt(
            &mut ::std::io::stderr(),
            ::std::format_args!("{}\n", ::std::format_args!($($argument)*)),
        );
    }};
}

/// Writes a text without a line break to standard error, if it takes one.
macro_rules! stderr_text {
    ($($argument:tt)*) => {{
        let _ = ::std::io::Write::write_fmt(&mut ::std::io::stderr(), ::std::format_args!($($argument)*));
    }};
}
