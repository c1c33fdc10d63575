//! Dot products, the one place with `unsafe`: four rows at a time so that the reads overlap, with the
//! widest instructions the machine has. The portable versions say what each result is; the others are
//! tested against them. On other architectures the compiler vectorises the portable ones.
//!
//! Rows of bytes are stored as `value + 128` (0..=255) and the query as two's complement, because the
//! VNNI instruction multiplies unsigned by signed. `128 × sum(query)` has to be taken off the result.
#![allow(unsafe_code, reason = "std::arch needs it for loads and for calling code of a detected feature")]

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// 64 codes, one cache line: of a row `value + 128`, of a query the bits of an `i8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheLine(pub [u8; 64]);

/// 16 numbers, one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lane(pub [f32; 16]);

/// Which instructions to use. Only [`Kernels::detect`] makes one outside tests, so that a value is the
/// proof that the machine has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Kernels {
    /// The best this machine can do.
    pub fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
                return Kernels(Set::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Kernels(Set::Avx2);
            }
        }
        Kernels(Set::Portable)
    }

    /// Every set this machine can run, the portable one first.
    #[cfg(test)]
    pub fn all() -> Vec<Kernels> {
        let mut all = vec![Kernels(Set::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Kernels(Set::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
                all.push(Kernels(Set::Avx512));
            }
        }
        all
    }

    /// The dot product of `query` with each of the rows that lie end to end in `rows`. What is read
    /// after them is in `next`: it is asked for on the way, so that nothing is waited for between two
    /// calls.
    ///
    /// `rows.len()` is `query.len() × out.len()`; rows beyond the shorter of the two are left alone.
    pub fn coded(self, query: &[CacheLine], rows: &[CacheLine], next: &[CacheLine], out: &mut [i32]) {
        match self.0 {
            // SAFETY: the variant exists only where the features were detected.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { x86::coded_avx512(query, rows, next, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { x86::coded_avx2(query, rows, out) },
            Set::Portable => portable::coded(query, rows, out),
        }
    }

    /// The same in full precision.
    pub fn full(self, query: &[Lane], rows: &[Lane], next: &[Lane], out: &mut [f32]) {
        match self.0 {
            // SAFETY: the variant exists only where the features were detected.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { x86::full_avx512(query, rows, next, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { x86::full_avx2(query, rows, out) },
            Set::Portable => portable::full(query, rows, out),
        }
    }
}

impl Kernels {
    /// Runs plain code: a closure that is always inlined, and what is inlined into that, is vectorised with the
    /// same instructions.
    #[inline]
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        match self.0 {
            // SAFETY: the variant exists only where the features were detected.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { x86::run_avx512(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { x86::run_avx2(work) },
            Set::Portable => work(),
        }
    }
}

/// Asks for values that will be read soon: of each the first cache line.
#[inline]
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

    fn lanes(count: usize) -> impl Strategy<Value = Vec<Lane>> {
        proptest::collection::vec(-1.0f32..1.0, count * 16)
            .prop_map(|numbers| numbers.as_chunks().0.iter().map(|lane| Lane(*lane)).collect())
    }

    proptest! {
        #[test]
        fn every_kernel_of_bytes_gives_what_the_portable_one_gives(
            (query, rows) in (1usize..9, 0usize..11).prop_flat_map(|(width, rows)| (lines(width), lines(width * rows)))
        ) {
            let count = rows.len() / query.len();
            let mut expected = vec![0; count];
            portable::coded(&query, &rows, &mut expected);
            for kernels in Kernels::all() {
                let mut out = vec![0; count];
                kernels.coded(&query, &rows, &rows, &mut out);
                prop_assert_eq!(&out, &expected, "{:?}", kernels);
            }
        }

        #[test]
        fn every_kernel_of_numbers_gives_what_the_portable_one_gives(
            (query, rows) in (1usize..25, 0usize..11).prop_flat_map(|(width, rows)| (lanes(width), lanes(width * rows)))
        ) {
            let count = rows.len() / query.len();
            let mut expected = vec![0.0; count];
            portable::full(&query, &rows, &mut expected);
            for kernels in Kernels::all() {
                let mut out = vec![0.0f32; count];
                kernels.full(&query, &rows, &rows, &mut out);
                for (one, other) in out.iter().zip(&expected) {
                    prop_assert!((one - other).abs() < 1e-3, "{:?}: {} is not {}", kernels, one, other);
                }
            }
        }
    }

    #[test]
    fn the_largest_codes_do_not_overflow() {
        let query = [CacheLine([127; 64]); 24];
        let rows = [CacheLine([255; 64]); 24];
        for kernels in Kernels::all() {
            let mut out = [0];
            kernels.coded(&query, &rows, &rows, &mut out);
            assert_eq!(out[0], 255 * 127 * 64 * 24, "{kernels:?}");
        }
    }
}
