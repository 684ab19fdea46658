//! Linear maps of bytes by tables of nibbles in registers.

use crate::neon::Neon;
use core::arch::aarch64::*;
use core::arch::asm;
use core::hint::black_box;
use falcon_lanes::{Bytes, Member};

/// Sixty-four bytes.
#[derive(Clone, Copy, Debug)]
pub struct Line([uint8x16_t; 4]);

/// The low nibbles of sixty-four bytes and their high nibbles.
#[derive(Clone, Copy, Debug)]
pub struct Split([[uint8x16_t; 4]; 2]);

/// Images of the low nibbles and of the high nibbles.
#[derive(Clone, Copy, Debug)]
pub struct Map([uint8x16_t; 2]);

/// Images of the bytes below 32, sixteen in each register.
#[derive(Clone, Copy, Debug)]
pub struct ShortMap(uint8x16x2_t);

/// A mask for every byte and set.
#[derive(Clone, Copy, Debug)]
pub struct Sets([[uint8x16_t; 4]; 8]);

/// Returns a mask of the places whose number has bit `J`.
const fn places<const J: usize>() -> [u8; 16] {
    let mut places = [0; 16];
    let mut i = 0;
    while i < 16 {
        if i >> J & 1 == 1 {
            places[i] = 0xff;
        }
        i += 1;
    }
    places
}

/// Returns byte `J` of `images` at the places where the mask `at` is set.
#[inline(always)]
fn image<const J: i32>(images: uint8x8_t, at: [u8; 16]) -> uint8x16_t {
    // SAFETY: the target has NEON; `at` is sixteen values.
    unsafe { vandq_u8(vdupq_lane_u8::<J>(images), vld1q_u8(at.as_ptr())) }
}

/// Returns `a` if `mask` is all ones, and `b` if it is zero.
#[inline(always)]
fn select<const N: usize>(
    mask: u64,
    a: [uint8x16_t; N],
    mut b: [uint8x16_t; N],
) -> [uint8x16_t; N] {
    for (b, a) in b.iter_mut().zip(a) {
        // SAFETY: the target has NEON.
        *b = unsafe { vbslq_u8(vdupq_n_u8(mask as u8), a, *b) };
    }
    b
}

/// Exclusive or of two registers.
#[inline(always)]
fn xor(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    // SAFETY: the target has NEON.
    unsafe { veorq_u8(a, b) }
}

/// Returns a mask for every byte: all ones if its bit of `set` is one.
#[inline(always)]
fn masks(set: u64) -> [uint8x16_t; 4] {
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    let [a, b, c, d, e, f, g, h] = set.to_le_bytes();
    // SAFETY: the target has NEON; `BITS` is sixteen values.
    unsafe {
        let bits = vld1q_u8(BITS.as_ptr());
        [
            vtstq_u8(vcombine_u8(vdup_n_u8(a), vdup_n_u8(b)), bits),
            vtstq_u8(vcombine_u8(vdup_n_u8(c), vdup_n_u8(d)), bits),
            vtstq_u8(vcombine_u8(vdup_n_u8(e), vdup_n_u8(f)), bits),
            vtstq_u8(vcombine_u8(vdup_n_u8(g), vdup_n_u8(h)), bits),
        ]
    }
}

/// Masks the quarters of `x` by `set`, and adds them.
#[inline(always)]
fn chosen(x: Line, set: [uint8x16_t; 4]) -> uint8x16_t {
    let ([a, b, c, d], [e, f, g, h]) = (x.0, set);
    // SAFETY: the target has NEON.
    unsafe {
        xor(
            xor(vandq_u8(a, e), vandq_u8(b, f)),
            xor(vandq_u8(c, g), vandq_u8(d, h)),
        )
    }
}

/// Adds the two words of `a`, and those of `b`.
#[inline(always)]
fn words(a: uint8x16_t, b: uint8x16_t) -> uint32x4_t {
    // SAFETY: the target has NEON.
    unsafe {
        let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
        vreinterpretq_u32_u64(veorq_u64(vtrn1q_u64(a, b), vtrn2q_u64(a, b)))
    }
}

/// Adds the halves of each word of `a`, and those of `b`.
#[inline(always)]
fn halves(a: uint32x4_t, b: uint32x4_t) -> uint16x8_t {
    // SAFETY: the target has NEON.
    unsafe { vreinterpretq_u16_u32(veorq_u32(vuzp1q_u32(a, b), vuzp2q_u32(a, b))) }
}

/// Returns `other` where the bits of `mask` are set, `x` elsewhere.
///
/// Written in assembler: if a mask is the same for all places, compilers notice it and use three
/// instructions and the mask's complement.
#[inline(always)]
fn replaced(x: uint8x16_t, other: uint8x16_t, mask: uint8x16_t) -> uint8x16_t {
    let mut out = x;
    // SAFETY: the target has NEON. The block reads and writes only registers.
    unsafe {
        asm!(
            "bit {out:v}.16b, {other:v}.16b, {mask:v}.16b",
            out = inout(vreg) out,
            other = in(vreg) other,
            mask = in(vreg) mask,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    out
}

/// Multiplies 16 elements by one number and 16 others by another number, and adds the products.
#[inline(always)]
fn sums_of_products(
    [a, b]: [&Member<Neon>; 2],
    [[x, x_high], [y, y_high]]: [[uint8x16_t; 2]; 2],
) -> [uint8x16_t; 2] {
    // SAFETY: the target has NEON.
    unsafe {
        let nibble = vdupq_n_u8(15);
        let (x_low, x_rest) = (vandq_u8(x, nibble), vshrq_n_u8::<4>(x));
        let (y_low, y_rest) = (vandq_u8(y, nibble), vshrq_n_u8::<4>(y));
        let to = |to: usize| {
            let (Map([a_low, a_rest]), Map([b_low, b_rest])) = (a.maps[to], b.maps[to]);
            let (ShortMap(a_high), ShortMap(b_high)) = (a.short_maps[to], b.short_maps[to]);
            let of_x = xor(vqtbl1q_u8(a_low, x_low), vqtbl1q_u8(a_rest, x_rest));
            let of_y = xor(vqtbl1q_u8(b_low, y_low), vqtbl1q_u8(b_rest, y_rest));
            let high = xor(vqtbl2q_u8(a_high, x_high), vqtbl2q_u8(b_high, y_high));
            xor(xor(of_x, of_y), high)
        };
        [to(0), to(1)]
    }
}

/// The numbers from 0 to 15, one for each byte of a register.
const PLACES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Returns the images of the bytes below 16.
#[inline(always)]
fn low_nibbles(images: uint8x8_t) -> uint8x16_t {
    xor(
        xor(
            image::<0>(images, places::<0>()),
            image::<1>(images, places::<1>()),
        ),
        xor(
            image::<2>(images, places::<2>()),
            image::<3>(images, places::<3>()),
        ),
    )
}

/// Returns the map with these images of single bits.
#[inline(always)]
fn map_of(images: uint8x8_t) -> Map {
    let high = xor(
        xor(
            image::<4>(images, places::<0>()),
            image::<5>(images, places::<1>()),
        ),
        xor(
            image::<6>(images, places::<2>()),
            image::<7>(images, places::<3>()),
        ),
    );
    Map([low_nibbles(images), high])
}

/// Returns the map of bytes below 32 with these images of single bits.
#[inline(always)]
fn short_map_of(images: uint8x8_t) -> ShortMap {
    let low = low_nibbles(images);
    // SAFETY: the target has NEON.
    let fifth = unsafe { vdupq_lane_u8::<4>(images) };
    ShortMap(uint8x16x2_t(low, xor(low, fifth)))
}

impl Bytes for Neon {
    type Line = Line;
    type Split = Split;
    type Map = Map;
    type ShortMap = ShortMap;
    type Family<const N: usize> = [[u64; 4]; N];
    type Sets = Sets;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // The build target has NEON, so every function is in its frame.
        kernel()
    }
    #[inline(always)]
    fn load(self, line: &[u64; 8]) -> Line {
        self.load_from(core::slice::from_ref(line), 0)
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Line {
        assert!(start.saturating_add(64) <= size_of_val(lines));
        // SAFETY: the target has NEON; 64 bytes from `start` on are inside.
        Line(unsafe {
            let x = lines.as_ptr().cast::<u8>().add(start);
            [
                vld1q_u8(x),
                vld1q_u8(x.add(16)),
                vld1q_u8(x.add(32)),
                vld1q_u8(x.add(48)),
            ]
        })
    }
    #[inline(always)]
    fn store(self, x: Line, line: &mut [u64; 8]) {
        let out = line.as_mut_ptr().cast::<u8>();
        let [a, b, c, d] = x.0;
        // SAFETY: the target has NEON; `line` is 64 bytes.
        unsafe {
            vst1q_u8(out, a);
            vst1q_u8(out.add(16), b);
            vst1q_u8(out.add(32), c);
            vst1q_u8(out.add(48), d);
        }
    }
    #[inline(always)]
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64) {
        lines.as_flattened_mut()[start / 8] = bytes;
    }
    #[inline(always)]
    fn first_eight(self, a: Line, b: Line) -> Line {
        let ([first, ..], [second, rest @ ..]) = (a.0, b.0);
        // SAFETY: the target has NEON.
        let first = unsafe { vcombine_u8(vget_low_u8(first), vget_high_u8(second)) };
        let [b, c, d] = rest;
        Line([first, b, c, d])
    }
    #[inline(always)]
    fn shifted(self, x: Line, next: Line) -> Line {
        let ([a, b, c, d], [e, ..]) = (x.0, next.0);
        // SAFETY: the target has NEON.
        Line(unsafe {
            [
                vextq_u8::<1>(a, b),
                vextq_u8::<1>(b, c),
                vextq_u8::<1>(c, d),
                vextq_u8::<1>(d, e),
            ]
        })
    }
    #[inline(always)]
    fn cleared(self, x: Line, byte: usize) -> Line {
        // No byte has the number 64, so larger numbers become 64.
        let byte = byte.min(64) as u8;
        let [a, b, c, d] = x.0;
        // SAFETY: the target has NEON; `PLACES` has 16 bytes.
        Line(unsafe {
            let places = vld1q_u8(PLACES.as_ptr());
            let others = |start: u8| vceqq_u8(places, vdupq_n_u8(byte.wrapping_sub(start)));
            [
                vbicq_u8(a, others(0)),
                vbicq_u8(b, others(16)),
                vbicq_u8(c, others(32)),
                vbicq_u8(d, others(48)),
            ]
        })
    }
    #[inline(always)]
    fn select(self, mask: u64, a: Line, b: Line) -> Line {
        Line(select(mask, a.0, b.0))
    }
    #[inline(always)]
    fn first(self, x: Line) -> u8 {
        // SAFETY: the target has NEON.
        unsafe { vgetq_lane_u8::<0>(x.0[0]) }
    }
    #[inline(always)]
    fn split(self, x: Line) -> Split {
        let [a, b, c, d] = x.0;
        // SAFETY: the target has NEON.
        Split(unsafe {
            let low = vdupq_n_u8(15);
            [
                [
                    vandq_u8(a, low),
                    vandq_u8(b, low),
                    vandq_u8(c, low),
                    vandq_u8(d, low),
                ],
                [
                    vshrq_n_u8::<4>(a),
                    vshrq_n_u8::<4>(b),
                    vshrq_n_u8::<4>(c),
                    vshrq_n_u8::<4>(d),
                ],
            ]
        })
    }
    #[inline(always)]
    fn map(self, images: u64) -> Map {
        // SAFETY: the target has NEON.
        map_of(unsafe { vcreate_u8(images) })
    }
    #[inline(always)]
    fn family<const N: usize>(self, images: &[[u64; 4]; N]) -> [[u64; 4]; N] {
        *images
    }
    #[inline(always)]
    fn member<const N: usize>(self, family: &[[u64; 4]; N], low: Line, high: Line) -> Member<Self> {
        // SAFETY: the target has NEON; a row has four words.
        unsafe {
            let number = vzip1q_u8(low.0[0], high.0[0]);
            // Hidden from the compiler, which would otherwise narrow the masks to a lane and copy
            // it again.
            let number = black_box(vdupq_laneq_u16::<0>(vreinterpretq_u16_u8(number)));
            let [mut first, mut last] = [vdupq_n_u8(0); 2];
            for (i, row) in family.iter().enumerate() {
                let mask = vreinterpretq_u8_u16(vtstq_u16(number, vdupq_n_u16(1 << i)));
                let row = row.as_ptr().cast::<u8>();
                first = xor(first, vandq_u8(mask, vld1q_u8(row)));
                last = xor(last, vandq_u8(mask, vld1q_u8(row.add(16))));
            }
            Member {
                maps: [map_of(vget_low_u8(first)), map_of(vget_high_u8(first))],
                short_maps: [
                    short_map_of(vget_low_u8(last)),
                    short_map_of(vget_high_u8(last)),
                ],
            }
        }
    }
    #[inline(always)]
    fn replace_map(self, mask: u64, map: &mut Map, other: &Map) {
        map.0 = select(mask, other.0, map.0);
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut ShortMap, other: &ShortMap) {
        let (uint8x16x2_t(a, b), uint8x16x2_t(c, d)) = (other.0, map.0);
        let [a, b] = select(mask, [a, b], [c, d]);
        map.0 = uint8x16x2_t(a, b);
    }
    #[inline(always)]
    fn mapped(self, map: &Map, x: &Split) -> Line {
        let ([low, high], [[a, b, c, d], [e, f, g, h]]) = (map.0, x.0);
        // SAFETY: the target has NEON.
        Line(unsafe {
            [
                xor(vqtbl1q_u8(low, a), vqtbl1q_u8(high, e)),
                xor(vqtbl1q_u8(low, b), vqtbl1q_u8(high, f)),
                xor(vqtbl1q_u8(low, c), vqtbl1q_u8(high, g)),
                xor(vqtbl1q_u8(low, d), vqtbl1q_u8(high, h)),
            ]
        })
    }
    #[inline(always)]
    fn add_mapped(self, sum: Line, map: &Map, x: &Split) -> Line {
        let ([a, b, c, d], [e, f, g, h]) = (sum.0, self.mapped(map, x).0);
        Line([xor(a, e), xor(b, f), xor(c, g), xor(d, h)])
    }
    #[inline(always)]
    fn add_short_mapped(self, sum: Line, map: &ShortMap, x: Line) -> Line {
        let ([a, b, c, d], [e, f, g, h]) = (sum.0, x.0);
        // SAFETY: the target has NEON.
        Line(unsafe {
            [
                xor(a, vqtbl2q_u8(map.0, e)),
                xor(b, vqtbl2q_u8(map.0, f)),
                xor(c, vqtbl2q_u8(map.0, g)),
                xor(d, vqtbl2q_u8(map.0, h)),
            ]
        })
    }
    // Not inlined: in a longer function, the maps would not stay in registers.
    #[inline(never)]
    fn add_products(
        self,
        by: [&Member<Self>; 2],
        mask: u64,
        [x_low, x_high]: [&mut [[u64; 8]]; 2],
        [y_low, y_high]: [&mut [[u64; 8]]; 2],
        cleared: usize,
    ) {
        // Takes a quarter of a line at a time, since all maps together fill half of the registers.
        let quarters = 4 * y_low.len();
        assert!(y_high.len() == y_low.len());
        assert!(x_low.len() > y_low.len() && x_high.len() > y_low.len());
        for y in [&mut *y_low, &mut *y_high] {
            if let Some(word) = y.as_flattened_mut().get_mut(cleared / 8) {
                *word &= !(0xff << (cleared % 8 * 8));
            }
        }
        let [x_low, x_high] = [x_low, x_high].map(|x| x.as_mut_ptr().cast::<u8>());
        let [y_low, y_high] = [y_low, y_high].map(|y| y.as_mut_ptr().cast::<u8>());
        // SAFETY: the target has NEON. `y_low` and `y_high` have 16 bytes for every quarter, and
        // `x_low` and `x_high` have 64 bytes more.
        unsafe {
            let mask = vreinterpretq_u8_u64(vdupq_n_u64(mask));
            let mut now = [vld1q_u8(x_low), vld1q_u8(x_high)];
            for place in (0..quarters).map(|quarter| 16 * quarter) {
                let next = [
                    vld1q_u8(x_low.add(place + 16)),
                    vld1q_u8(x_high.add(place + 16)),
                ];
                let z = [
                    vextq_u8::<1>(now[0], next[0]),
                    vextq_u8::<1>(now[1], next[1]),
                ];
                now = next;
                let y = [vld1q_u8(y_low.add(place)), vld1q_u8(y_high.add(place))];
                let [low, high] = sums_of_products(by, [z, y]);
                vst1q_u8(x_low.add(place), low);
                vst1q_u8(x_high.add(place), high);
                vst1q_u8(y_low.add(place), replaced(y[0], z[0], mask));
                vst1q_u8(y_high.add(place), replaced(y[1], z[1], mask));
            }
        }
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> Sets {
        let [a, b, c, d, e, f, g, h] = *sets;
        Sets([
            masks(a),
            masks(b),
            masks(c),
            masks(d),
            masks(e),
            masks(f),
            masks(g),
            masks(h),
        ])
    }
    #[inline(always)]
    fn sums(self, sets: &Sets, x: Line) -> (u64, Map) {
        let [a, b, c, d, e, f, g, h] = sets.0;
        // Every step halves the number of bytes for each set, and doubles the number of sets in a
        // register.
        let ab = words(chosen(x, a), chosen(x, b));
        let cd = words(chosen(x, c), chosen(x, d));
        let ef = words(chosen(x, e), chosen(x, f));
        let gh = words(chosen(x, g), chosen(x, h));
        let (low, high) = (halves(ab, cd), halves(ef, gh));
        // SAFETY: the target has NEON.
        let sums = unsafe {
            let sums = veorq_u16(vuzp1q_u16(low, high), vuzp2q_u16(low, high));
            let sums = vmovn_u16(veorq_u16(sums, vshrq_n_u16::<8>(sums)));
            vget_lane_u64::<0>(vreinterpret_u64_u8(sums))
        };
        (sums, self.map(sums))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_lanes::compare_bytes_with_baseline;

    #[test]
    fn tables_of_nibbles_equal_the_portable_operations() {
        if let Some(neon) = Neon::detect() {
            compare_bytes_with_baseline(neon);
        }
    }
}
