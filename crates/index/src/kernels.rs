//! Dot products of bytes, and plain code compiled for the widest vector instructions of the machine. This is the one
//! module with `unsafe`.
//!
//! A stored row holds `value + 128` (0..=255) for each number and a query holds `value` in two's complement, because
//! the VNNI instruction multiplies unsigned by signed bytes. The caller subtracts `128 × sum(query)`. Only this dot
//! product is written by hand: the compiler does not emit the VNNI instruction, which halves the time of a search
//! that fits into the cache. All other code goes through [`Kernels::run`].
#![allow(unsafe_code, reason = "std::arch needs it for loads and for calling code of a detected feature")]

#[cfg(target_arch = "x86_64")]
mod x86;

/// 64 codes, one cache line. A code of a row is `value + 128`, a code of a query the bits of an `i8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheLine(pub [u8; 64]);

/// The instruction set to use. Outside tests only [`Kernels::detect`] creates a value, so a value proves that the
/// machine has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InstructionSet {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The instructions that the compilation target guarantees.
    Baseline,
}

impl Kernels {
    /// The best instruction set of this machine.
    pub fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
                return Kernels(InstructionSet::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Kernels(InstructionSet::Avx2);
            }
        }
        Kernels(InstructionSet::Baseline)
    }

    /// Every instruction set that this machine has, for tests.
    #[cfg(test)]
    pub fn all() -> Vec<Kernels> {
        let mut all = vec![Kernels(InstructionSet::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            let best = Kernels::detect();
            if best.0 != InstructionSet::Baseline {
                all.push(Kernels(InstructionSet::Avx2));
            }
            if best.0 == InstructionSet::Avx512 {
                all.push(best);
            }
        }
        all
    }

    /// The dot product of `query` with each of the rows in `rows`, which lie end to end. Rows beyond `out.len()` are
    /// ignored. `next` is the memory that the caller reads after `rows`; it is prefetched meanwhile.
    pub fn dot_codes(self, query: &[CacheLine], rows: &[CacheLine], next: &[CacheLine], out: &mut [i32]) {
        match self.0 {
            // SAFETY: the variant exists only where the features were detected.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { x86::dot_codes(query, rows, next, out) },
            _ => self.run(
                #[inline(always)]
                || dot_codes(query, rows, next, out),
            ),
        }
    }

    /// Runs a closure compiled for the detected instructions. The closure and what it calls must be
    /// `#[inline(always)]`, or they are compiled for the baseline.
    #[inline]
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        match self.0 {
            // SAFETY: the variant exists only where the features were detected.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { x86::run_avx512(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { x86::run_avx2(work) },
            InstructionSet::Baseline => work(),
        }
    }
}

/// The portable implementation of [`Kernels::dot_codes`]; all implementations give the same results.
#[inline(always)]
fn dot_codes(query: &[CacheLine], rows: &[CacheLine], next: &[CacheLine], out: &mut [i32]) {
    let mut ahead = read_ahead(rows, next, query.len());
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        prefetch(ahead.next().unwrap_or_default());
        *out = 0;
        for (query, row) in query.iter().zip(row) {
            for at in 0..64 {
                *out += i32::from(query.0[at].cast_signed()) * i32::from(row.0[at]);
            }
        }
    }
}

/// The cache lines to prefetch with each row: the lines two pages ahead. The CPU's own prefetcher stops at the end of
/// each page of 4 KB.
#[inline(always)]
fn read_ahead<'a>(
    rows: &'a [CacheLine],
    next: &'a [CacheLine],
    lines: usize,
) -> impl Iterator<Item = &'a [CacheLine]> {
    const AHEAD: usize = 128;
    rows.get(AHEAD..).unwrap_or_default().chunks(lines).chain(next.chunks(lines))
}

/// Prefetches the first cache line of each value.
#[inline(always)]
pub fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for value in values {
        // SAFETY: prefetching reads nothing, and SSE is part of the architecture.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(count: usize) -> impl Strategy<Value = Vec<CacheLine>> {
        proptest::collection::vec(any::<u8>(), count * 64)
            .prop_map(|bytes| bytes.as_chunks().0.iter().map(|line| CacheLine(*line)).collect())
    }

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same_products(
            (query, rows) in (1usize..9, 0usize..11).prop_flat_map(|(width, rows)| (lines(width), lines(width * rows)))
        ) {
            let count = rows.len() / query.len();
            let mut expected = vec![0; count];
            dot_codes(&query, &rows, &[], &mut expected);
            for kernels in Kernels::all() {
                let mut out = vec![0; count];
                kernels.dot_codes(&query, &rows, &rows, &mut out);
                prop_assert_eq!(&out, &expected, "{:?}", kernels);
            }
        }
    }

    #[test]
    fn the_largest_codes_do_not_overflow() {
        let query = [CacheLine([127; 64]); 24];
        let rows = [CacheLine([255; 64]); 24];
        for kernels in Kernels::all() {
            let mut out = [0];
            kernels.dot_codes(&query, &rows, &rows, &mut out);
            assert_eq!(out[0], 255 * 127 * 64 * 24, "{kernels:?}");
        }
    }
}
