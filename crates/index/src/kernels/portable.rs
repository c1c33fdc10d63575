//! What every kernel computes, in plain Rust.

use super::{CacheLine, Lane};

pub(super) fn coded(query: &[CacheLine], rows: &[CacheLine], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = query.iter().zip(row).map(|(query, row)| coded_line(query, row)).sum();
    }
}

fn coded_line(query: &CacheLine, row: &CacheLine) -> i32 {
    query.0.iter().zip(&row.0).map(|(query, row)| i32::from(query.cast_signed()) * i32::from(*row)).sum()
}

pub(super) fn full(query: &[Lane], rows: &[Lane], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        // One sum a column: the order of additions is fixed, and the compiler may do them side by side.
        let mut sums = [0.0f32; 16];
        for (query, row) in query.iter().zip(row) {
            for ((sum, query), row) in sums.iter_mut().zip(&query.0).zip(&row.0) {
                *sum += query * row;
            }
        }
        *out = sums.iter().sum();
    }
}
