//! Every format, entry by entry, and that no text leaves its place.
