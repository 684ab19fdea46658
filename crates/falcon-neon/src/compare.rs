//! Layers of sorting networks.

use core::arch::aarch64::*;

/// Eight words.
type Row = [uint32x4_t; 2];

/// The smaller words, then the larger ones.
#[inline(always)]
fn min_max(a: Row, b: Row) -> (Row, Row) {
    // SAFETY: the target has NEON.
    unsafe {
        (
            [vminq_u32(a[0], b[0]), vminq_u32(a[1], b[1])],
            [vmaxq_u32(a[0], b[0]), vmaxq_u32(a[1], b[1])],
        )
    }
}

#[inline(always)]
fn load(row: &[u32; 8]) -> Row {
    // SAFETY: the target has NEON; a row is two times four words.
    unsafe { [vld1q_u32(row.as_ptr()), vld1q_u32(row.as_ptr().add(4))] }
}

#[inline(always)]
fn store(x: Row, row: &mut [u32; 8]) {
    // SAFETY: the target has NEON; a row is two times four words.
    unsafe {
        vst1q_u32(row.as_mut_ptr(), x[0]);
        vst1q_u32(row.as_mut_ptr().add(4), x[1]);
    }
}

/// [`Isa::compare_rows`](falcon_lanes::Isa::compare_rows).
#[inline(always)]
pub(crate) fn rows(x: &mut [u32; 8], y: &mut [u32; 8]) {
    let (smaller, larger) = min_max(load(x), load(y));
    store(smaller, x);
    store(larger, y);
}

/// [`Isa::compare_fused`](falcon_lanes::Isa::compare_fused).
#[inline(always)]
pub(crate) fn fused(x: &mut [[u32; 8]], distance: usize) {
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
        let rows = [a, b, c, d, e, f, g, h];
        for (row, x) in rows.into_iter().zip([x0, x1, x2, x3, x4, x5, x6, x7]) {
            store(x, row);
        }
    }
}
