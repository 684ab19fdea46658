//! 128-bit registers of integers.

use crate::Neon;
use core::arch::aarch64::*;
use falcon_lanes::{Bits32, ByteTable, I16_LANES, Integers, U8_LANES, U32_LANES, U32_ROW, Words16};

/// Four 32-bit words.
#[derive(Clone, Copy, Debug)]
pub struct U32x4(uint32x4_t);

impl Bits32 for U32x4 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
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
        /// The byte that each byte comes from in a rotation by eight.
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

/// The high half of a product is to be had of its double only: `sqdmulh` is
/// `floor(2 a b / 2^16)`, exact unless both are `-2^15`.
impl Words16 for I16x8 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vaddq_s16(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vsubq_s16(self.0, other.0) })
    }
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
        // The low halves agree, so those of the doubles do: the difference of
        // their high halves is `2 (a b - m p) / 2^16`, and half of it, which is
        // taken before the difference is cut to sixteen bits, is exact.
        // SAFETY: the target has NEON.
        Self(unsafe { vhsubq_s16(vqdmulhq_s16(self.0, b.0), vqdmulhq_n_s16(m.0, p)) })
    }
    #[inline(always)]
    fn barrett(self, v: i16) -> Self {
        // floor(floor(2 a v / 2^16) / 2^12 + 1/2): a floor within a floor, of
        // a quotient by an integer, changes nothing.
        // SAFETY: the target has NEON.
        Self(unsafe { vrshrq_n_s16::<12>(vqdmulhq_n_s16(self.0, v)) })
    }
    #[inline(always)]
    fn sub_mul(self, t: Self, p: i16) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmlsq_n_s16(self.0, t.0, p) })
    }
}

impl Integers for Neon {
    type Words32 = U32x4;
    const PARTS32: usize = 4;
    type Words16 = I16x8;
    const PARTS16: usize = 4;

    #[inline(always)]
    fn load32(self, x: &[u32; U32_LANES], part: usize) -> U32x4 {
        let x = &x.as_chunks::<4>().0[part % 4];
        // SAFETY: the target has NEON; `x` is four values.
        U32x4(unsafe { vld1q_u32(x.as_ptr()) })
    }
    #[inline(always)]
    fn splat32(self, x: u32) -> U32x4 {
        // SAFETY: the target has NEON.
        U32x4(unsafe { vdupq_n_u32(x) })
    }
    #[inline(always)]
    fn store_row(self, words: U32x4, row: &mut [u8; 4 * U32_ROW], part: usize) {
        let bytes = &mut row.as_chunks_mut::<16>().0[part % 2];
        // The bytes of a register stand from the low end of a word on.
        // SAFETY: the target has NEON; `bytes` is sixteen values.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u32(words.0)) };
    }

    #[inline(always)]
    fn load16(self, x: &[i16; I16_LANES], part: usize) -> I16x8 {
        let x = &x.as_chunks::<8>().0[part % 4];
        // SAFETY: the target has NEON; `x` is eight values.
        I16x8(unsafe { vld1q_s16(x.as_ptr()) })
    }
    #[inline(always)]
    fn store16(self, words: I16x8, x: &mut [i16; I16_LANES], part: usize) {
        let x = &mut x.as_chunks_mut::<8>().0[part % 4];
        // SAFETY: the target has NEON; `x` is eight values.
        unsafe { vst1q_s16(x.as_mut_ptr(), words.0) };
    }
}

/// Writes the words of `even` and `odd` by turns.
#[inline(always)]
pub(crate) fn interleave([even, odd]: [&[i16; I16_LANES]; 2], pairs: &mut [i16; 2 * I16_LANES]) {
    let neon = Neon::new();
    for (part, pairs) in pairs.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let (even, odd) = (neon.load16(even, part), neon.load16(odd, part));
        // SAFETY: the target has NEON; `pairs` is two times eight values.
        unsafe { vst2q_s16(pairs.as_mut_ptr(), int16x8x2_t(even.0, odd.0)) };
    }
}

/// The words at even places, and those at odd ones.
#[inline(always)]
pub(crate) fn deinterleave(pairs: &[i16; 2 * I16_LANES]) -> ([i16; I16_LANES], [i16; I16_LANES]) {
    let neon = Neon::new();
    let (mut even, mut odd) = ([0; I16_LANES], [0; I16_LANES]);
    for (part, pairs) in pairs.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: the target has NEON; `pairs` is two times eight values.
        let int16x8x2_t(x, y) = unsafe { vld2q_s16(pairs.as_ptr()) };
        neon.store16(I16x8(x), &mut even, part);
        neon.store16(I16x8(y), &mut odd, part);
    }
    (even, odd)
}

/// The last four bytes of each.
#[inline(always)]
pub(crate) fn tails(x: &[[u8; 11]; 4]) -> [u32; 4] {
    /// Where the bytes of the words stand in those from 7 to 39 and then from 28 to 44.
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

/// Sixteen bytes as places in the quarters of a table of 256: a place outside
/// of a quarter is at least 64.
#[inline(always)]
fn places(x: &[u8; 16]) -> [uint8x16_t; 4] {
    // SAFETY: the target has NEON; `x` is sixteen values.
    unsafe {
        let x = vld1q_u8(x.as_ptr());
        let quarter = |k: u8| vsubq_u8(x, vdupq_n_u8(64 * k));
        [x, quarter(1), quarter(2), quarter(3)]
    }
}

/// The bytes of `plane` at `N` times sixteen places. The table is read as a
/// whole.
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

/// The words of bytes through a table.
#[inline(always)]
pub(crate) fn map_bytes(table: &ByteTable, x: &[u8; U8_LANES]) -> [[i16; U8_LANES]; 2] {
    let x = x.as_chunks::<16>().0;
    let places = [places(&x[0]), places(&x[1]), places(&x[2])];
    let mut out = [[0; U8_LANES]; 2];
    for (out, planes) in out.iter_mut().zip(table.planes.as_chunks::<2>().0) {
        let low = look_up(&planes[0], &places);
        let high = look_up(&planes[1], &places);
        for (i, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            // SAFETY: the target has NEON; `out` is two times eight values.
            unsafe {
                let words = [vzip1q_u8(low[i], high[i]), vzip2q_u8(low[i], high[i])];
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
    use falcon_lanes::{Baseline, Isa};

    /// `words` in registers, through `op`, and out again.
    fn through(words: [i16; I16_LANES], op: impl Fn(I16x8) -> I16x8) -> [i16; I16_LANES] {
        let mut out = [0; I16_LANES];
        for part in 0..Neon::PARTS16 {
            let x = Neon::new().load16(&words, part);
            Neon::new().store16(op(x), &mut out, part);
        }
        out
    }

    /// Every sixteen-bit word against constants, as single words do it.
    #[test]
    fn products_are_those_of_single_words() {
        for p in [12289i16, 18433] {
            // P^-1 modulo 2^16, and round(2^27 / P).
            let p_inv = (0..8).fold(1i16, |y, _| {
                y.wrapping_mul(2i16.wrapping_sub(p.wrapping_mul(y)))
            });
            assert_eq!(p.wrapping_mul(p_inv), 1);
            let v = (((1 << 28) / i32::from(p) + 1) / 2) as i16;
            for first in (0..=u16::MAX).step_by(I16_LANES) {
                let words = core::array::from_fn(|i| (first + i as u16) as i16);
                for b in [1, -1, p / 2, -(p / 2), 7919, i16::MAX, -i16::MAX] {
                    let expected =
                        words.map(|a| a.montgomery(b, a.mul_low(b).mul_low_by(p_inv), p));
                    let b = [b; I16_LANES];
                    let found = through(words, |a| {
                        let b = Neon::new().load16(&b, 0);
                        a.montgomery(b, a.mul_low(b).mul_low_by(p_inv), p)
                    });
                    assert_eq!(found, expected);
                }
                let expected = words.map(|a| a.sub_mul(a.barrett(v), p));
                assert_eq!(through(words, |a| a.sub_mul(a.barrett(v), p)), expected);
            }
        }
    }

    /// A function whose words differ in every byte.
    #[test]
    fn tables_are_those_of_their_functions() {
        let f = |x: u8| [i16::from(x).wrapping_mul(257), !i16::from(x) * 113];
        let table = ByteTable::new(&core::array::from_fn(|x| f(x as u8)));
        for first in 0..=u8::MAX {
            let x = core::array::from_fn(|i| (usize::from(first) + 37 * i) as u8);
            let expected = Baseline.map_bytes(f, &table, &x);
            assert_eq!(Neon::new().map_bytes(|_| [0; 2], &table, &x), expected);
        }
    }

    #[test]
    fn tails_are_the_last_bytes() {
        let x = core::array::from_fn(|i| core::array::from_fn(|j| (11 * i + j) as u8));
        assert_eq!(Neon::new().tails(&x), Baseline.tails(&x));
    }

    #[test]
    fn pairs_are_put_together_and_taken_apart() {
        let pairs = core::array::from_fn(|i| i as i16 * 3 - 50);
        let (even, odd) = deinterleave(&pairs);
        assert_eq!((even[5], odd[31]), (pairs[10], pairs[63]));
        let mut again = [0; 2 * I16_LANES];
        interleave([&even, &odd], &mut again);
        assert_eq!(again, pairs);
    }
}
