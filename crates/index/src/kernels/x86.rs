//! The kernels for AVX2 and AVX-512. Every load is of a whole aligned [`CacheLine`] or [`Lane`].

use std::arch::x86_64::*;

use super::{CacheLine, Lane};

#[target_feature(enable = "avx512f")]
fn load_line(line: &CacheLine) -> __m512i {
    // SAFETY: a `CacheLine` is 64 bytes at an address divisible by 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}

#[target_feature(enable = "avx512f")]
fn load_lane(lane: &Lane) -> __m512 {
    // SAFETY: a `Lane` is 64 bytes at an address divisible by 64.
    unsafe { _mm512_load_ps(lane.0.as_ptr()) }
}

/// The sums of four registers: interleaved and added, so that it takes a third of four reductions.
#[target_feature(enable = "avx512f")]
fn four_sums([a, b, c, d]: [__m512i; 4]) -> [i32; 4] {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let sums = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let mut out = [0; 4];
    // SAFETY: four numbers of 32 bits are 128 bits, and the store needs no alignment.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) };
    out
}

/// The same of numbers.
#[target_feature(enable = "avx512f")]
fn four_sums_full([a, b, c, d]: [__m512; 4]) -> [f32; 4] {
    let ab = _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)));
    let cd = _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d)));
    let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
    let all = _mm512_add_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
    let upper = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(all)));
    let half = _mm256_add_ps(_mm512_castps512_ps256(all), upper);
    let sums = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps::<1>(half));
    let mut out = [0.0; 4];
    // SAFETY: four numbers of 32 bits are 128 bits, and the store needs no alignment.
    unsafe { _mm_storeu_ps(out.as_mut_ptr(), sums) };
    out
}

/// Cache lines a kernel looks ahead, two pages: the machine's own prefetching stops at the end of each, and
/// four rows at a time confuse it.
const AHEAD: usize = 128;

/// What is asked for while `rows` are read, so many lines at a time.
fn ahead<'a, T>(rows: &'a [T], next: &'a [T], lines: usize) -> impl Iterator<Item = &'a [T]> {
    rows.get(AHEAD..).unwrap_or_default().chunks(lines).chain(next.chunks(lines))
}

#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn coded_avx512(query: &[CacheLine], rows: &[CacheLine], next: &[CacheLine], out: &mut [i32]) {
    let width = query.len();
    let mut fours = out.chunks_exact_mut(4);
    let mut blocks = rows.chunks_exact(4 * width);
    let mut ahead = ahead(rows, next, 4 * width);
    for (out, block) in (&mut fours).zip(&mut blocks) {
        super::prefetch(ahead.next().unwrap_or_default());
        let (a, rest) = block.split_at(width);
        let (b, rest) = rest.split_at(width);
        let (c, d) = rest.split_at(width);
        let mut sums = [_mm512_setzero_si512(); 4];
        for ((((query, a), b), c), d) in query.iter().zip(a).zip(b).zip(c).zip(d) {
            let query = load_line(query);
            sums[0] = _mm512_dpbusd_epi32(sums[0], load_line(a), query);
            sums[1] = _mm512_dpbusd_epi32(sums[1], load_line(b), query);
            sums[2] = _mm512_dpbusd_epi32(sums[2], load_line(c), query);
            sums[3] = _mm512_dpbusd_epi32(sums[3], load_line(d), query);
        }
        out.copy_from_slice(&four_sums(sums));
    }
    for (out, row) in fours.into_remainder().iter_mut().zip(blocks.remainder().chunks_exact(width)) {
        let mut sum = _mm512_setzero_si512();
        for (query, row) in query.iter().zip(row) {
            sum = _mm512_dpbusd_epi32(sum, load_line(row), load_line(query));
        }
        *out = _mm512_reduce_add_epi32(sum);
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn full_avx512(query: &[Lane], rows: &[Lane], next: &[Lane], out: &mut [f32]) {
    let width = query.len();
    let mut fours = out.chunks_exact_mut(4);
    let mut blocks = rows.chunks_exact(4 * width);
    let mut ahead = ahead(rows, next, 4 * width);
    for (out, block) in (&mut fours).zip(&mut blocks) {
        super::prefetch(ahead.next().unwrap_or_default());
        let (a, rest) = block.split_at(width);
        let (b, rest) = rest.split_at(width);
        let (c, d) = rest.split_at(width);
        let mut sums = [_mm512_setzero_ps(); 4];
        for ((((query, a), b), c), d) in query.iter().zip(a).zip(b).zip(c).zip(d) {
            let query = load_lane(query);
            sums[0] = _mm512_fmadd_ps(load_lane(a), query, sums[0]);
            sums[1] = _mm512_fmadd_ps(load_lane(b), query, sums[1]);
            sums[2] = _mm512_fmadd_ps(load_lane(c), query, sums[2]);
            sums[3] = _mm512_fmadd_ps(load_lane(d), query, sums[3]);
        }
        out.copy_from_slice(&four_sums_full(sums));
    }
    for (out, row) in fours.into_remainder().iter_mut().zip(blocks.remainder().chunks_exact(width)) {
        let mut sum = _mm512_setzero_ps();
        for (query, row) in query.iter().zip(row) {
            sum = _mm512_fmadd_ps(load_lane(row), load_lane(query), sum);
        }
        *out = _mm512_reduce_add_ps(sum);
    }
}

/// A quarter of a line of signed bytes, widened to 16 bits: the 8-bit product of AVX2 saturates.
#[target_feature(enable = "avx2")]
fn load_signed(line: &CacheLine, part: usize) -> __m256i {
    // SAFETY: the reference is to 16 bytes, and the load needs no alignment.
    let bytes = unsafe { _mm_loadu_si128(std::ptr::from_ref(&line.0.as_chunks::<16>().0[part]).cast()) };
    _mm256_cvtepi8_epi16(bytes)
}

/// Adds the products of a line of a row and one of the query.
#[target_feature(enable = "avx2")]
fn add_line(mut sum: __m256i, row: &CacheLine, query: &[__m256i; 4]) -> __m256i {
    for (row, query) in row.0.as_chunks::<16>().0.iter().zip(query) {
        // SAFETY: the reference is to 16 bytes, and the load needs no alignment.
        let row = _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(*query, row));
    }
    sum
}

#[target_feature(enable = "avx2")]
pub(super) fn coded_avx2(query: &[CacheLine], rows: &[CacheLine], out: &mut [i32]) {
    let width = query.len();
    let mut fours = out.chunks_exact_mut(4);
    let mut blocks = rows.chunks_exact(4 * width);
    for (out, block) in (&mut fours).zip(&mut blocks) {
        let (a, rest) = block.split_at(width);
        let (b, rest) = rest.split_at(width);
        let (c, d) = rest.split_at(width);
        let mut sums = [_mm256_setzero_si256(); 4];
        for ((((query, a), b), c), d) in query.iter().zip(a).zip(b).zip(c).zip(d) {
            let query = [0, 1, 2, 3].map(|part| load_signed(query, part));
            sums[0] = add_line(sums[0], a, &query);
            sums[1] = add_line(sums[1], b, &query);
            sums[2] = add_line(sums[2], c, &query);
            sums[3] = add_line(sums[3], d, &query);
        }
        let [a, b, c, d] = sums;
        let all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let all = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        // SAFETY: four numbers of 32 bits are 128 bits, and the store needs no alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), all) };
    }
    for (out, row) in fours.into_remainder().iter_mut().zip(blocks.remainder().chunks_exact(width)) {
        let mut sum = _mm256_setzero_si256();
        for (query, row) in query.iter().zip(row) {
            sum = add_line(sum, row, &[0, 1, 2, 3].map(|part| load_signed(query, part)));
        }
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_11_10>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_00_01>(sum));
        *out = _mm_cvtsi128_si32(sum);
    }
}

/// Adds the products of a lane of a row and one of the query.
#[target_feature(enable = "avx2,fma")]
fn add_lane(sums: [__m256; 2], query: &Lane, row: &Lane) -> [__m256; 2] {
    // SAFETY: the first eight and the last eight numbers of a `Lane`, each at an address divisible by 32.
    let halves =
        |lane: &Lane| unsafe { [_mm256_load_ps(lane.0.as_ptr()), _mm256_load_ps(lane.0.as_ptr().add(8))] };
    let ([query, more], [row, more_of_row]) = (halves(query), halves(row));
    [_mm256_fmadd_ps(query, row, sums[0]), _mm256_fmadd_ps(more, more_of_row, sums[1])]
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn full_avx2(query: &[Lane], rows: &[Lane], out: &mut [f32]) {
    let (fours, rest) = query.as_chunks::<4>();
    for (out, row) in out.iter_mut().zip(rows.chunks_exact(query.len())) {
        let (row_fours, row_rest) = row.as_chunks::<4>();
        let (mut some, mut others) = ([_mm256_setzero_ps(); 2], [_mm256_setzero_ps(); 2]);
        for (query, row) in fours.iter().zip(row_fours) {
            some = add_lane(some, &query[0], &row[0]);
            others = add_lane(others, &query[1], &row[1]);
            some = add_lane(some, &query[2], &row[2]);
            others = add_lane(others, &query[3], &row[3]);
        }
        for (query, row) in rest.iter().zip(row_rest) {
            some = add_lane(some, query, row);
        }
        let sum = _mm256_add_ps(_mm256_add_ps(some[0], some[1]), _mm256_add_ps(others[0], others[1]));
        let sum = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum));
        let sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
        let sum = _mm_add_ss(sum, _mm_movehdup_ps(sum));
        *out = _mm_cvtss_f32(sum);
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
