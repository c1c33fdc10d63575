//! The personas compiled into the program, so that there is always a persona to talk to.

/// The displayed directory of samples.
pub(crate) const PLACE: &str = "(built in)";

/// The names and texts of the samples.
pub(crate) const ALL: [(&str, &str); 3] = [
    ("ada", include_str!("../../../personas/ada.md")),
    ("vesper", include_str!("../../../personas/vesper.md")),
    ("wick", include_str!("../../../personas/wick.md")),
];

/// The names of the samples. They are taken, also without a file: an imported persona must not get a sample's memories.
pub const SAMPLES: [&str; 3] = [ALL[0].0, ALL[1].0, ALL[2].0];
