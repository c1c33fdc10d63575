//! The personas compiled into the program, so that there is a persona to talk to in any directory.

/// The directory a sample seems to come from.
pub(crate) const PLACE: &str = "(built in)";

/// Names and texts.
pub(crate) const ALL: [(&str, &str); 3] = [
    ("ada", include_str!("../../../personas/ada.md")),
    ("vesper", include_str!("../../../personas/vesper.md")),
    ("wick", include_str!("../../../personas/wick.md")),
];
