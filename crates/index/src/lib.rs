//! Vectors and words searched in memory, exactly and approximately. Pure: no store, no clock, no I/O.
