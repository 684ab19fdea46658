//! 128-bit registers of integers.

use crate::HasNeon;
use core::arch::aarch64::*;
use core::ops::{Add, Sub};
use falcon_lanes::{ByteTable, I16s, Isa, KEPT, Register, U32s, keep_by_eights, register_of};

/// Four 32-bit words.
#[derive(Clone, Copy, Debug)]
pub struct U32x4(uint32x4_t);

impl<I: HasNeon> Register<I> for U32x4 {
    type Value = u32;
    register_of!(4);

    #[inline(always)]
    fn load(_: I, x: &[u32; 4]) -> Self {
        // SAFETY: the target has NEON; `x` is four values.
        Self(unsafe { vld1q_u32(x.as_ptr()) })
    }
    #[inline(always)]
    fn splat(_: I, x: u32) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vdupq_n_u32(x) })
    }
    #[inline(always)]
    fn store(self, out: &mut [u32; 4]) {
        // SAFETY: the target has NEON; `out` is four values.
        unsafe { vst1q_u32(out.as_mut_ptr(), self.0) };
    }
}

impl U32s for U32x4 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        /// For each byte, the byte from which a rotation by eight bits takes it.
        const BY_8: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
        // SAFETY: the target has NEON; `BY_8` is sixteen values.
        Self(unsafe {
            match L {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))),
                8 => vreinterpretq_u32_u8(vqtbl1q_u8(
                    vreinterpretq_u8_u32(self.0),
                    vld1q_u8(BY_8.as_ptr()),
                )),
                _ => vsriq_n_u32::<R>(vshlq_n_u32::<L>(self.0), self.0),
            }
        })
    }
}

/// Eight signed 16-bit words.
#[derive(Clone, Copy, Debug)]
pub struct I16x8(int16x8_t);

impl<I: HasNeon> Register<I> for I16x8 {
    type Value = i16;
    register_of!(8);

    #[inline(always)]
    fn load(_: I, x: &[i16; 8]) -> Self {
        // SAFETY: the target has NEON; `x` is eight values.
        Self(unsafe { vld1q_s16(x.as_ptr()) })
    }
    #[inline(always)]
    fn splat(_: I, x: i16) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vdupq_n_s16(x) })
    }
    #[inline(always)]
    fn store(self, out: &mut [i16; 8]) {
        // SAFETY: the target has NEON; `out` is eight values.
        unsafe { vst1q_s16(out.as_mut_ptr(), self.0) };
    }
}

impl Add for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vaddq_s16(self.0, other.0) })
    }
}

impl Sub for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vsubq_s16(self.0, other.0) })
    }
}

/// NEON gives the high half only of a doubled product: `sqdmulh` is `floor(2 a b / 2^16)`, exact
/// unless both are `-2^15`.
impl I16s for I16x8 {
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmulq_s16(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_low_by(self, c: i16) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmulq_n_s16(self.0, c) })
    }
    #[inline(always)]
    fn montgomery(self, b: Self, m: Self, p: i16) -> Self {
        // The low halves agree, so the low halves of the doubled products agree too. The difference
        // of the high halves is `2 (a b - m p) / 2^16`. It is halved before it is cut to sixteen
        // bits, so the result is exact.
        // SAFETY: the target has NEON.
        Self(unsafe { vhsubq_s16(vqdmulhq_s16(self.0, b.0), vqdmulhq_n_s16(m.0, p)) })
    }
    #[inline(always)]
    fn barrett(self, v: i16) -> Self {
        // Computes floor((floor(2 a v / 2^16) + 2^11) / 2^12). The inner floor does not change the
        // result, because 2^11 and 2^12 are integers.
        // SAFETY: the target has NEON.
        Self(unsafe { vrshrq_n_s16::<12>(vqdmulhq_n_s16(self.0, v)) })
    }
    #[inline(always)]
    fn sub_mul(self, t: Self, p: i16) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmlsq_n_s16(self.0, t.0, p) })
    }

    type Row = [Self; 4];

    #[inline(always)]
    fn load_row<I>(isa: I, x: &[i16; 32]) -> [Self; 4]
    where
        I: Isa,
        Self: Register<I, Value = i16>,
    {
        let x = Self::chunks(x);
        core::array::from_fn(|i| Self::load(isa, &x[i]))
    }
    #[inline(always)]
    fn exchange<const BLOCK: usize>(x: &mut [Self; 4], y: &mut [Self; 4]) {
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (*x, *y);
        match BLOCK {
            16 => (*x, *y) = ([x0, x1, y0, y1], [x2, x3, y2, y3]),
            8 => (*x, *y) = ([x0, y0, x2, y2], [x1, y1, x3, y3]),
            _ => {
                for (x, y) in x.iter_mut().zip(y) {
                    (*x, *y) = exchange::<BLOCK>(*x, *y);
                }
            }
        }
    }
}

/// Implements [`I16s::exchange`] for single registers and blocks of at most four words.
#[inline(always)]
fn exchange<const BLOCK: usize>(I16x8(x): I16x8, I16x8(y): I16x8) -> (I16x8, I16x8) {
    // SAFETY: the target has NEON.
    let (x, y) = unsafe {
        match BLOCK {
            4 => {
                let (x, y) = (vreinterpretq_s64_s16(x), vreinterpretq_s64_s16(y));
                (
                    vreinterpretq_s16_s64(vtrn1q_s64(x, y)),
                    vreinterpretq_s16_s64(vtrn2q_s64(x, y)),
                )
            }
            2 => {
                let (x, y) = (vreinterpretq_s32_s16(x), vreinterpretq_s32_s16(y));
                (
                    vreinterpretq_s16_s32(vtrn1q_s32(x, y)),
                    vreinterpretq_s16_s32(vtrn2q_s32(x, y)),
                )
            }
            _ => (vtrn1q_s16(x, y), vtrn2q_s16(x, y)),
        }
    };
    (I16x8(x), I16x8(y))
}

/// Implements [`Isa::parities`](falcon_lanes::Isa::parities).
#[inline(always)]
pub(crate) fn parities(rows: &[[u64; 8]; 8]) -> u8 {
    /// For each row, the place of its bit.
    const PLACES: [i16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let [a, b, c, d, e, f, g, h] = rows;
    let (abcd, efgh) = (fold_four(a, b, c, d), fold_four(e, f, g, h));
    // SAFETY: the target has NEON; `PLACES` is eight values.
    unsafe {
        let words = veorq_u16(vuzp1q_u16(abcd, efgh), vuzp2q_u16(abcd, efgh));
        let ones = vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u16(words)));
        let odd = vandq_u16(ones, vdupq_n_u16(1));
        vaddvq_u16(vshlq_u16(odd, vld1q_s16(PLACES.as_ptr()))) as u8
    }
}

/// XORs the words of a row into two words.
#[inline(always)]
fn fold(row: &[u64; 8]) -> uint64x2_t {
    // SAFETY: the target has NEON; a row is four times two words.
    unsafe {
        let [a, b, c, d] = [0, 2, 4, 6].map(
            #[inline(always)]
            |first| vld1q_u64(row[first..].as_ptr()),
        );
        veorq_u64(veorq_u64(a, b), veorq_u64(c, d))
    }
}

/// XORs the words of each of two rows.
#[inline(always)]
fn fold_two(a: &[u64; 8], b: &[u64; 8]) -> uint32x4_t {
    let (a, b) = (fold(a), fold(b));
    // SAFETY: the target has NEON.
    unsafe { vreinterpretq_u32_u64(veorq_u64(vtrn1q_u64(a, b), vtrn2q_u64(a, b))) }
}

/// XORs the 32-bit words of each of four rows.
#[inline(always)]
fn fold_four(a: &[u64; 8], b: &[u64; 8], c: &[u64; 8], d: &[u64; 8]) -> uint16x8_t {
    let (ab, cd) = (fold_two(a, b), fold_two(c, d));
    // SAFETY: the target has NEON.
    unsafe { vreinterpretq_u16_u32(veorq_u32(vuzp1q_u32(ab, cd), vuzp2q_u32(ab, cd))) }
}

/// Moves the words of `x` whose keys are below `limit` to the front of `out`.
#[inline(always)]
pub(crate) fn keep_below(
    limit: u16,
    keys: &[u16; 16],
    x: &[u16; 16],
    out: &mut [u16; 16],
) -> usize {
    const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    keep_by_eights(
        keys,
        x,
        out,
        #[inline(always)]
        |keys, x, out| {
            // SAFETY: the target has NEON; `keys`, `x`, `out` and `BITS` are eight values, and a
            // row of `KEPT` is sixteen bytes.
            unsafe {
                let below = vcltq_u16(vld1q_u16(keys.as_ptr()), vdupq_n_u16(limit));
                let keep = vaddvq_u16(vandq_u16(below, vld1q_u16(BITS.as_ptr()))) as u8;
                let places = vld1q_u8(KEPT[usize::from(keep)].as_ptr());
                let kept = vqtbl1q_u8(vld1q_u8(x.as_ptr().cast()), places);
                vst1q_u8(out.as_mut_ptr().cast(), kept);
                keep
            }
        },
    )
}

/// Returns the last four bytes of each record.
#[inline(always)]
pub(crate) fn tails(x: &[[u8; 11]; 4]) -> [u32; 4] {
    /// Places of the words' bytes among the bytes `7..39`, followed by the bytes `28..44`.
    const PLACES: [u8; 16] = [0, 1, 2, 3, 11, 12, 13, 14, 22, 23, 24, 25, 44, 45, 46, 47];
    let x = x.as_flattened().as_ptr();
    let mut words = [0; 4];
    // SAFETY: the target has NEON; `x` is 44 bytes, `PLACES` sixteen, `words` four
    // values.
    unsafe {
        let bytes = uint8x16x3_t(vld1q_u8(x.add(7)), vld1q_u8(x.add(23)), vld1q_u8(x.add(28)));
        let tails = vqtbl3q_u8(bytes, vld1q_u8(PLACES.as_ptr()));
        vst1q_u32(words.as_mut_ptr(), vreinterpretq_u32_u8(tails));
    }
    words
}

/// Returns the places of sixteen bytes in the quarters of a table of 256. A place outside of a
/// quarter is at least 64.
#[inline(always)]
fn places(x: &[u8; 16]) -> [uint8x16_t; 4] {
    // SAFETY: the target has NEON; `x` is sixteen values.
    unsafe {
        let x = vld1q_u8(x.as_ptr());
        let quarter = |k: u8| vsubq_u8(x, vdupq_n_u8(64 * k));
        [x, quarter(1), quarter(2), quarter(3)]
    }
}

/// Returns the bytes of `plane` at `N` times sixteen places. The whole table is read.
#[inline(always)]
fn look_up<const N: usize>(plane: &[u8; 256], places: &[[uint8x16_t; 4]; N]) -> [uint8x16_t; N] {
    // SAFETY: the target has NEON; a quarter is 64 values.
    unsafe {
        let mut found = [vdupq_n_u8(0); N];
        for (k, quarter) in plane.as_chunks::<64>().0.iter().enumerate() {
            let quarter = vld1q_u8_x4(quarter.as_ptr());
            for (found, places) in found.iter_mut().zip(places) {
                *found = vqtbx4q_u8(*found, quarter, places[k % 4]);
            }
        }
        found
    }
}

/// Maps every byte to its words in the table.
#[inline(always)]
pub(crate) fn map_bytes<const N: usize>(
    table: &ByteTable,
    x: &[[u8; 16]; N],
) -> [[[i16; 16]; N]; 2] {
    // SAFETY: the target has NEON.
    let mut at = unsafe { [[vdupq_n_u8(0); 4]; N] };
    for (at, x) in at.iter_mut().zip(x) {
        *at = places(x);
    }
    let mut out = [[[0; 16]; N]; 2];
    for (out, planes) in out.iter_mut().zip(table.planes.as_chunks::<2>().0) {
        let low = look_up(&planes[0], &at);
        let high = look_up(&planes[1], &at);
        for ((out, &low), &high) in out.iter_mut().zip(&low).zip(&high) {
            // SAFETY: the target has NEON; `out` is two times eight values.
            unsafe {
                let words = [vzip1q_u8(low, high), vzip2q_u8(low, high)];
                vst1q_s16(out.as_mut_ptr(), vreinterpretq_s16_u8(words[0]));
                vst1q_s16(out.as_mut_ptr().add(8), vreinterpretq_s16_u8(words[1]));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::Neon;
    use falcon_lanes::{Baseline, Isa};

    /// Loads `words` into registers, applies `op` and stores the result.
    fn through(words: [i16; 32], op: impl Fn(I16x8) -> I16x8) -> [i16; 32] {
        let mut out = [0; 32];
        let registers = words.as_chunks().0.iter().zip(out.as_chunks_mut().0);
        for (words, out) in registers {
            Register::<Neon>::store(op(I16x8::load(Neon::new(), words)), out);
        }
        out
    }

    /// Multiplies every 16-bit word by constants, and compares with the same operation on single
    /// words.
    #[test]
    fn products_are_those_of_single_words() {
        for p in [12289i16, 18433] {
            // Computes P^-1 modulo 2^16, and round(2^27 / P).
            let p_inv = (0..8).fold(1i16, |y, _| {
                y.wrapping_mul(2i16.wrapping_sub(p.wrapping_mul(y)))
            });
            assert_eq!(p.wrapping_mul(p_inv), 1);
            let v = (((1 << 28) / i32::from(p) + 1) / 2) as i16;
            for first in (0..=u16::MAX).step_by(32) {
                let words = core::array::from_fn(|i| (first + i as u16) as i16);
                for b in [1, -1, p / 2, -(p / 2), 7919, i16::MAX, -i16::MAX] {
                    let expected =
                        words.map(|a| a.montgomery(b, a.mul_low(b).mul_low_by(p_inv), p));
                    let found = through(words, |a| {
                        let b = I16x8::splat(Neon::new(), b);
                        a.montgomery(b, a.mul_low(b).mul_low_by(p_inv), p)
                    });
                    assert_eq!(found, expected);
                }
                let expected = words.map(|a| a.sub_mul(a.barrett(v), p));
                assert_eq!(through(words, |a| a.sub_mul(a.barrett(v), p)), expected);
            }
        }
    }

    /// Tests with a function that maps different bytes to different words.
    #[test]
    fn tables_are_those_of_their_functions() {
        let f = |x: u8| [i16::from(x).wrapping_mul(257), !i16::from(x) * 113];
        let table = ByteTable::new(&core::array::from_fn(|x| f(x as u8)));
        for first in 0..=u8::MAX {
            let byte = |i: usize| (usize::from(first) + 37 * i) as u8;
            let x: [[u8; 16]; 3] =
                core::array::from_fn(|row| core::array::from_fn(|i| byte(16 * row + i)));
            let expected = Baseline.map_bytes(f, &table, &x);
            assert_eq!(Neon::new().map_bytes(|_| [0; 2], &table, &x), expected);
        }
    }

    #[test]
    fn tails_are_the_last_bytes() {
        let x = core::array::from_fn(|i| core::array::from_fn(|j| (11 * i + j) as u8));
        assert_eq!(Neon::new().tails(&x), Baseline.tails(&x));
    }
}
