//! The code for AVX2 and AVX-512.

use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_reduce_add_epi32, _mm512_setzero_si512,
};

use super::{CacheLine, prefetch, read_ahead};

#[target_feature(enable = "avx512f")]
fn load(line: &CacheLine) -> __m512i {
    // SAFETY: a `CacheLine` is 64 bytes at an address divisible by 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}

#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn dot_codes(query: &[CacheLine], rows: &[CacheLine], next: &[CacheLine], out: &mut [i32]) {
    let mut ahead = read_ahead(rows, next, query.len());
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        prefetch(ahead.next().unwrap_or_default());
        let mut sum = _mm512_setzero_si512();
        for (query, row) in query.iter().zip(row) {
            sum = _mm512_dpbusd_epi32(sum, load(row), load(query));
        }
        *out = _mm512_reduce_add_epi32(sum);
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn run_avx512<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run_avx2<T>(work: impl FnOnce() -> T) -> T {
    work()
}
