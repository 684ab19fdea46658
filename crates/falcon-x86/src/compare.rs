//! Layers of sorting networks.

use core::arch::x86_64::*;

/// The smaller words, then the larger ones.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn min_max(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    // SAFETY: as the caller says.
    unsafe { (_mm256_min_epu32(a, b), _mm256_max_epu32(a, b)) }
}

/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn load(row: &[u32; 8]) -> __m256i {
    // SAFETY: as the caller says; a row is 32 bytes, of any alignment.
    unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
}

/// [`Isa::compare_fused`](falcon_lanes::Isa::compare_fused).
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
pub(crate) unsafe fn fused(x: &mut [[u32; 8]], distance: usize) {
    let mut rows = x.chunks_exact_mut(distance);
    let [
        Some(a),
        Some(b),
        Some(c),
        Some(d),
        Some(e),
        Some(f),
        Some(g),
        Some(h),
    ] = [(); 8].map(|()| rows.next())
    else {
        return;
    };
    let rows = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
    let others = e.iter_mut().zip(f).zip(g.iter_mut().zip(h));
    for (((a, b), (c, d)), ((e, f), (g, h))) in rows.zip(others) {
        // SAFETY: as the caller says; rows are 32 bytes, of any alignment.
        unsafe {
            let (x0, x4) = min_max(load(a), load(e));
            let (x1, x5) = min_max(load(b), load(f));
            let (x2, x6) = min_max(load(c), load(g));
            let (x3, x7) = min_max(load(d), load(h));
            let (x0, x2) = min_max(x0, x2);
            let (x1, x3) = min_max(x1, x3);
            let (x4, x6) = min_max(x4, x6);
            let (x5, x7) = min_max(x5, x7);
            let (x0, x1) = min_max(x0, x1);
            let (x2, x3) = min_max(x2, x3);
            let (x4, x5) = min_max(x4, x5);
            let (x6, x7) = min_max(x6, x7);
            for (row, x) in [a, b, c, d, e, f, g, h]
                .into_iter()
                .zip([x0, x1, x2, x3, x4, x5, x6, x7])
            {
                _mm256_storeu_si256(row.as_mut_ptr().cast(), x);
            }
        }
    }
}
