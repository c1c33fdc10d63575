//! The embedded store: SQLite in WAL mode behind one grouping writer.
