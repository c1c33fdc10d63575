//! The personas compiled into the program, so that there is always a persona to talk to.

/// The displayed directory of samples.
pub(crate) const PLACE: &str = "(built in)";

/// The names and texts of the samples.
pub(crate) const ALL: [(&str, &str); 3] = [
    ("ada", include_str!("../../../personas/ada.md")),
    ("vesper", include_str!("../../../personas/vesper.md")),
    ("wick", include_str!("../../../personas/wick.md")),
];
