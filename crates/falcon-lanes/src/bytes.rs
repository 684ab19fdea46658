//! Linear maps of bytes: products of bytes and matrices of 8 by 8 bits.

use crate::Baseline;
use core::array::from_fn;
use core::fmt::Debug;

/// Registers of 64 bytes that are multiplied by bit matrices: a zero-sized proof that this
/// processor has the instructions.
///
/// A *line* is 64 bytes in memory, as eight words in an order that the token chooses:
/// [`arrange`](Self::arrange) makes it from the little-endian order of bytes. Byte `k` of a word
/// has the bits `8k` to `8k + 7`.
pub trait Bytes: Copy + Debug + Send + Sync + 'static {
    /// The bytes of a line.
    type Line: Copy;
    /// The bytes of a line, prepared for several maps.
    type Split: Copy;
    /// A linear map from bytes to bytes.
    type Map: Copy;
    /// A linear map from bytes below 32 to bytes.
    type ShortMap: Copy;
    /// Linear maps that depend on a number of `N` bits, see [`family`](Self::family).
    type Family<const N: usize>;
    /// Eight sets of the bytes of a line.
    type Sets: Copy;

    /// Runs `kernel` in a frame where the instructions are enabled. All functions that the kernel
    /// calls must be inlined into it.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Brings bytes from little-endian order into the order of a line.
    #[inline(always)]
    fn arrange(self, line: &mut [u64; 8]) {
        _ = line;
    }
    /// Brings the bytes of a line back into little-endian order: the inverse of
    /// [`arrange`](Self::arrange).
    #[inline(always)]
    fn rearrange(self, line: &mut [u64; 8]) {
        _ = line;
    }

    /// Loads a line.
    fn load(self, line: &[u64; 8]) -> Self::Line;
    /// Loads the 64 bytes from byte `start` of `lines` on.
    ///
    /// # Panics
    /// If `lines` have fewer than 64 bytes from `start` on.
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Self::Line;
    /// Returns the first byte of a line.
    fn first(self, x: Self::Line) -> u8;
    /// Writes a line.
    fn store(self, x: Self::Line, line: &mut [u64; 8]);
    /// Replaces the eight bytes from byte `start` of `lines` on by those of `bytes`. `start` is a
    /// multiple of eight.
    ///
    /// # Panics
    /// If `lines` have fewer than eight bytes from `start` on.
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64);
    /// Returns the first eight bytes of `a`, then those of `b` from the ninth on.
    fn first_eight(self, a: Self::Line, b: Self::Line) -> Self::Line;
    /// Returns the bytes of `x` from the second one on, then the first byte of `next`.
    fn shifted(self, x: Self::Line, next: Self::Line) -> Self::Line;
    /// Returns `x` with a zero as byte `byte`, or unchanged if `byte` is 64 or more.
    fn cleared(self, x: Self::Line, byte: usize) -> Self::Line;
    /// Returns `a` where the bits of `mask` are set, and `b` elsewhere. `mask` is zero or all ones.
    fn select(self, mask: u64, a: Self::Line, b: Self::Line) -> Self::Line;

    /// Prepares the bytes of a line for [`mapped`](Self::mapped) and
    /// [`add_mapped`](Self::add_mapped).
    fn split(self, x: Self::Line) -> Self::Split;
    /// Returns the map whose image of the byte with only bit `j` set is byte `j` of `images`.
    fn map(self, images: u64) -> Self::Map;
    /// Prepares four maps that are linear in a number of `N` bits, at most 16. Their images, as for
    /// [`map`](Self::map), are the exclusive or of `images[i]` for the bits `i` that are set in the
    /// number. The last two map bytes below 32.
    fn family<const N: usize>(self, images: &[[u64; 4]; N]) -> Self::Family<N>;
    /// Returns the maps of a family for a number. The low byte of the number is the first byte of
    /// `low`, and its high byte is the first byte of `high`. Takes no branch.
    fn member<const N: usize>(
        self,
        family: &Self::Family<N>,
        low: Self::Line,
        high: Self::Line,
    ) -> Member<Self>;
    /// Replaces `map` by `other` if `mask` is all ones, and keeps `map` if `mask` is zero. Takes no
    /// branch.
    fn replace_map(self, mask: u64, map: &mut Self::Map, other: &Self::Map);
    /// Returns the images of the bytes `x`.
    fn mapped(self, map: &Self::Map, x: &Self::Split) -> Self::Line;
    /// Adds the images of the bytes `x` to `sum`, bit by bit.
    fn add_mapped(self, sum: Self::Line, map: &Self::Map, x: &Self::Split) -> Self::Line;
    /// Replaces short maps as [`replace_map`](Self::replace_map) replaces maps.
    fn replace_short_map(self, mask: u64, map: &mut Self::ShortMap, other: &Self::ShortMap);
    /// Adds the images of the bytes `x`, all below 32, to `sum`, bit by bit.
    fn add_short_mapped(self, sum: Self::Line, map: &Self::ShortMap, x: Self::Line) -> Self::Line;

    /// Sets element `cleared` of `y` to zero, if there is one, then replaces the elements `x` and
    /// `y`. Let `z` be the elements of `x` from the second one on. `x` becomes the products of `z`
    /// by the number of `a`, plus the products of `y` by the number of `b`. If `mask` is all ones,
    /// `y` becomes `z`. If `mask` is zero, `y` stays as it is.
    ///
    /// An element is two bytes: its low byte in the first lines, and its high byte, below 32, in
    /// the second ones. The first two maps of a member take low bytes to low and to high bytes. Its
    /// short maps do the same for high bytes. `x` has one line more than `y`, and this line does
    /// not change.
    ///
    /// # Panics
    /// If the numbers of lines do not match.
    #[inline(always)]
    fn add_products(
        self,
        [a, b]: [&Member<Self>; 2],
        mask: u64,
        [x_low, x_high]: [&mut [[u64; 8]]; 2],
        [y_low, y_high]: [&mut [[u64; 8]]; 2],
        cleared: usize,
    ) {
        let mut now = [self.load(&x_low[0]), self.load(&x_high[0])];
        for l in 0..y_low.len() {
            let next = [self.load(&x_low[l + 1]), self.load(&x_high[l + 1])];
            let z = [self.shifted(now[0], next[0]), self.shifted(now[1], next[1])];
            now = next;
            let mut y = [self.load(&y_low[l]), self.load(&y_high[l])];
            if l == cleared / 64 {
                y = [
                    self.cleared(y[0], cleared % 64),
                    self.cleared(y[1], cleared % 64),
                ];
            }
            let (of_z, of_y) = (self.split(z[0]), self.split(y[0]));
            for (to, out) in [&mut x_low[l], &mut x_high[l]].into_iter().enumerate() {
                let sum = self.mapped(&a.maps[to], &of_z);
                let sum = self.add_short_mapped(sum, &a.short_maps[to], z[1]);
                let sum = self.add_mapped(sum, &b.maps[to], &of_y);
                self.store(self.add_short_mapped(sum, &b.short_maps[to], y[1]), out);
            }
            self.store(self.select(mask, z[0], y[0]), &mut y_low[l]);
            self.store(self.select(mask, z[1], y[1]), &mut y_high[l]);
        }
    }

    /// Prepares sets. Bit `k` of word `i` says whether byte `k` belongs to set `i`.
    fn sets(self, sets: &[u64; 8]) -> Self::Sets;
    /// Returns a word and a map. Byte `i` of the word is the exclusive or of the bytes of `x` in
    /// set `i`. The [`map`](Self::map) has these bytes as images.
    fn sums(self, sets: &Self::Sets, x: Self::Line) -> (u64, Self::Map);
}

/// The four maps of one member of a [`family`](Bytes::family).
#[derive(Clone, Copy)]
pub struct Member<B: Bytes> {
    /// The first two maps.
    pub maps: [B::Map; 2],
    /// The last two maps, for bytes below 32.
    pub short_maps: [B::ShortMap; 2],
}

impl<B: Bytes> Member<B> {
    /// Replaces all maps by those of `other` if `mask` is all ones, and keeps them if `mask` is
    /// zero. Takes no branch.
    #[inline(always)]
    pub fn replace(&mut self, bytes: B, mask: u64, other: &Self) {
        for (map, other) in self.maps.iter_mut().zip(&other.maps) {
            bytes.replace_map(mask, map, other);
        }
        for (map, other) in self.short_maps.iter_mut().zip(&other.short_maps) {
            bytes.replace_short_map(mask, map, other);
        }
    }
}

/// A computation with [`Bytes`].
pub trait BytesKernel {
    /// Result of the computation.
    type Output;
    /// Computes with `bytes`.
    fn run<B: Bytes>(self, bytes: B) -> Self::Output;
}

/// Transposes a matrix of 8 by 8 bits: bit `j` of byte `i` becomes bit `i` of byte `j`.
#[inline(always)]
pub const fn transpose_bits(x: u64) -> u64 {
    let mut x = x;
    let mut different = (x ^ x >> 7) & 0x00aa_00aa_00aa_00aa;
    x ^= different ^ different << 7;
    different = (x ^ x >> 14) & 0x0000_cccc_0000_cccc;
    x ^= different ^ different << 14;
    different = (x ^ x >> 28) & 0x0000_0000_f0f0_f0f0;
    x ^ different ^ different << 28
}

/// Transposes matrices of 8 by 8 bytes: byte `j` of word `i` becomes byte `i` of word `j`. Column
/// `w` of `x` is a matrix.
#[inline(always)]
pub fn transpose_bytes<const N: usize>(x: &mut [[u64; N]; 8]) {
    #[inline(always)]
    fn exchange<const N: usize>(x: &mut [[u64; N]; 8], distance: usize, low: u64) {
        for i in (0..8).filter(|i| i & distance == 0) {
            for w in 0..N {
                let (a, b) = (x[i][w], x[i + distance][w]);
                let different = (a >> (8 * distance) ^ b) & low;
                x[i][w] = a ^ different << (8 * distance);
                x[i + distance][w] = b ^ different;
            }
        }
    }
    exchange(x, 4, 0x0000_0000_ffff_ffff);
    exchange(x, 2, 0x0000_ffff_0000_ffff);
    exchange(x, 1, 0x00ff_00ff_00ff_00ff);
}

/// Returns the bit planes of 64 bytes: bit `k` of word `i` is bit `i` of byte `k`.
#[inline(always)]
pub fn planes_of_bytes(x: &[u64; 8]) -> [u64; 8] {
    let mut planes: [[u64; 1]; 8] = from_fn(|i| [transpose_bits(x[i])]);
    transpose_bytes(&mut planes);
    planes.map(
        #[inline(always)]
        |[plane]| plane,
    )
}

/// Returns the bytes of bit planes: the inverse of [`planes_of_bytes`].
#[inline(always)]
pub fn bytes_of_planes(x: &[u64; 8]) -> [u64; 8] {
    let mut bytes: [[u64; 1]; 8] = from_fn(|i| [x[i]]);
    transpose_bytes(&mut bytes);
    bytes.map(
        #[inline(always)]
        |[word]| transpose_bits(word),
    )
}

/// Returns all ones if bit `bit` of `x` is set, otherwise zero.
#[inline(always)]
fn mask(x: u64, bit: usize) -> u64 {
    0u64.wrapping_sub(x >> bit & 1)
}

/// Returns 1 if `x` has an odd number of ones, otherwise 0. Uses neither a branch nor a table,
/// since the processor may have no instruction for the parity.
#[inline(always)]
fn parity(x: u64) -> u64 {
    let x = x ^ x >> 32;
    let x = x ^ x >> 16;
    let x = x ^ x >> 8;
    let x = x ^ x >> 4;
    let x = x ^ x >> 2;
    (x ^ x >> 1) & 1
}

/// Returns the masks of the first `N` images. Uses loops, since compilers do not always inline
/// `from_fn`.
#[inline(always)]
fn masks<const N: usize>(images: u64) -> [[u64; 8]; N] {
    let mut masks = [[0; 8]; N];
    for (j, masks) in masks.iter_mut().enumerate() {
        for (i, out) in masks.iter_mut().enumerate() {
            *out = mask(images, 8 * j + i);
        }
    }
    masks
}

/// Masks each plane of `x`, and adds the results to the planes of `sum`.
#[inline(always)]
fn add_masked<const N: usize>(mut sum: [u64; 8], masks: &[[u64; 8]; N], x: &[u64; 8]) -> [u64; 8] {
    for (x, masks) in x.iter().zip(masks) {
        for (sum, mask) in sum.iter_mut().zip(masks) {
            *sum ^= x & mask;
        }
    }
    sum
}

/// Replaces `masks` by `other` if `mask` is all ones, and keeps `masks` if `mask` is zero.
#[inline(always)]
fn replace_masks<const N: usize>(mask: u64, masks: &mut [[u64; 8]; N], other: &[[u64; 8]; N]) {
    let pairs = masks
        .as_flattened_mut()
        .iter_mut()
        .zip(other.as_flattened());
    for (word, other) in pairs {
        *word ^= (*word ^ other) & mask;
    }
}

/// A line is the bit planes of its bytes: word `i` has bit `i` of every byte. So a map is eight
/// masks for each plane.
impl Bytes for Baseline {
    type Line = [u64; 8];
    type Split = [u64; 8];
    type Map = [[u64; 8]; 8];
    type ShortMap = [[u64; 8]; 5];
    type Family<const N: usize> = [[u64; 4]; N];
    type Sets = [u64; 8];

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
    #[inline(always)]
    fn arrange(self, line: &mut [u64; 8]) {
        *line = planes_of_bytes(line);
    }
    #[inline(always)]
    fn rearrange(self, line: &mut [u64; 8]) {
        *line = bytes_of_planes(line);
    }
    #[inline(always)]
    fn load(self, line: &[u64; 8]) -> [u64; 8] {
        *line
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> [u64; 8] {
        let (line, shift) = (start / 64, start % 64);
        let low = &lines[line];
        if shift == 0 {
            return *low;
        }
        let high = &lines[line + 1];
        from_fn(|i| low[i] >> shift | high[i] << (64 - shift))
    }
    #[inline(always)]
    fn first(self, x: [u64; 8]) -> u8 {
        let planes = x.iter().rev();
        planes.fold(0, |byte, plane| byte << 1 | (plane & 1) as u8)
    }
    #[inline(always)]
    fn store(self, x: [u64; 8], line: &mut [u64; 8]) {
        *line = x;
    }
    #[inline(always)]
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64) {
        let shift = start % 64 / 8 * 8;
        let planes = transpose_bits(bytes).to_le_bytes();
        for (word, plane) in lines[start / 64].iter_mut().zip(planes) {
            *word = *word & !(0xff << shift) | u64::from(plane) << shift;
        }
    }
    #[inline(always)]
    fn first_eight(self, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        from_fn(|i| a[i] & 0xff | b[i] & !0xff)
    }
    #[inline(always)]
    fn shifted(self, x: [u64; 8], next: [u64; 8]) -> [u64; 8] {
        from_fn(|i| x[i] >> 1 | next[i] << 63)
    }
    #[inline(always)]
    fn cleared(self, x: [u64; 8], byte: usize) -> [u64; 8] {
        let kept = if byte < 64 { !(1 << byte) } else { u64::MAX };
        x.map(
            #[inline(always)]
            |plane| plane & kept,
        )
    }
    #[inline(always)]
    fn select(self, mask: u64, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        from_fn(|i| a[i] & mask | b[i] & !mask)
    }
    #[inline(always)]
    fn split(self, x: [u64; 8]) -> [u64; 8] {
        x
    }
    #[inline(always)]
    fn map(self, images: u64) -> [[u64; 8]; 8] {
        masks(images)
    }
    #[inline(always)]
    fn family<const N: usize>(self, images: &[[u64; 4]; N]) -> [[u64; 4]; N] {
        *images
    }
    #[inline(always)]
    fn member<const N: usize>(
        self,
        family: &[[u64; 4]; N],
        low: [u64; 8],
        high: [u64; 8],
    ) -> Member<Self> {
        let number = u16::from_le_bytes([self.first(low), self.first(high)]);
        let mut images = [0; 4];
        for (i, row) in family.iter().enumerate() {
            let mask = core::hint::black_box(mask(u64::from(number), i));
            for (sum, word) in images.iter_mut().zip(row) {
                *sum ^= word & mask;
            }
        }
        let [a, b, c, d] = images;
        Member {
            maps: [masks(a), masks(b)],
            short_maps: [masks(c), masks(d)],
        }
    }
    #[inline(always)]
    fn replace_map(self, mask: u64, map: &mut [[u64; 8]; 8], other: &[[u64; 8]; 8]) {
        replace_masks(mask, map, other);
    }
    #[inline(always)]
    fn mapped(self, map: &[[u64; 8]; 8], x: &[u64; 8]) -> [u64; 8] {
        self.add_mapped([0; 8], map, x)
    }
    #[inline(always)]
    fn add_mapped(self, sum: [u64; 8], map: &[[u64; 8]; 8], x: &[u64; 8]) -> [u64; 8] {
        add_masked(sum, map, x)
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut [[u64; 8]; 5], other: &[[u64; 8]; 5]) {
        replace_masks(mask, map, other);
    }
    #[inline(always)]
    fn add_short_mapped(self, sum: [u64; 8], map: &[[u64; 8]; 5], x: [u64; 8]) -> [u64; 8] {
        add_masked(sum, map, &x)
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> [u64; 8] {
        *sets
    }
    #[inline(always)]
    fn sums(self, sets: &[u64; 8], x: [u64; 8]) -> (u64, [[u64; 8]; 8]) {
        let mut sums = 0;
        for (i, set) in sets.iter().enumerate() {
            for (bit, plane) in x.iter().enumerate() {
                sums |= parity(set & plane) << (8 * i + bit);
            }
        }
        (sums, self.map(sums))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise<const N: usize>() -> [u64; N] {
        from_fn(|i| {
            (i as u64 + 3)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(i as u32)
        })
    }

    /// Returns byte `k` of words.
    fn byte(x: &[u64], k: usize) -> u8 {
        (x[k / 8] >> (8 * (k % 8))) as u8
    }

    #[test]
    fn transpositions_are_their_definitions() {
        let [x] = noise();
        let bit = |x: u64, i: usize, j: usize| x >> (8 * i + j) & 1;
        for (i, j) in (0..64).map(|k| (k / 8, k % 8)) {
            assert_eq!(bit(transpose_bits(x), i, j), bit(x, j, i));
        }
        let before = noise::<16>();
        let mut x = from_fn(|i| [before[i], before[8 + i]]);
        transpose_bytes(&mut x);
        for (i, j) in (0..64).map(|k| (k / 8, k % 8)) {
            for w in 0..2 {
                let expected = byte(&before[8 * w..], 8 * j + i);
                assert_eq!(byte(&[x[i][w]], j), expected);
            }
        }
        let x = noise();
        let planes = planes_of_bytes(&x);
        for k in 0..64 {
            for (i, plane) in planes.iter().enumerate() {
                assert_eq!(plane >> k & 1, u64::from(byte(&x, k) >> i & 1));
            }
        }
        assert_eq!(bytes_of_planes(&planes), x);
    }

    #[test]
    fn the_portable_operations_are_their_definitions() {
        let isa = Baseline;
        let (x, y, sets) = (noise::<8>(), noise::<9>(), noise::<8>());
        let y = from_fn(|i| y[i + 1]);
        let [images] = noise();
        let arranged = |x: &[u64; 8]| {
            let mut x = *x;
            isa.arrange(&mut x);
            isa.load(&x)
        };
        let bytes = |x| {
            let mut out = [0; 8];
            isa.store(x, &mut out);
            isa.rearrange(&mut out);
            out
        };
        let sum = isa.add_mapped(arranged(&x), &isa.map(images), &isa.split(arranged(&y)));
        let sum = bytes(sum);
        for k in 0..64 {
            let bits = (0..8).filter(|&j| byte(&y, k) >> j & 1 == 1);
            let expected = bits.fold(byte(&x, k), |sum, j| sum ^ byte(&[images], j));
            assert_eq!(byte(&sum, k), expected);
        }
        let (sums, map) = isa.sums(&isa.sets(&sets), arranged(&x));
        for (i, set) in sets.iter().enumerate() {
            let members = (0..64).filter(|&k| set >> k & 1 == 1);
            let expected = members.fold(0, |sum, k| sum ^ byte(&x, k));
            assert_eq!(byte(&[sums], i), expected);
        }
        assert_eq!(map, isa.map(sums));
        let mut line = x;
        isa.arrange(&mut line);
        assert_eq!(isa.first(line), byte(&x, 0));
        let mut lines = [x, y];
        lines.iter_mut().for_each(|line| isa.arrange(line));
        let from = bytes(isa.load_from(&lines, 13));
        for k in 0..64 {
            assert_eq!(byte(&from, k), byte([x, y].as_flattened(), 13 + k));
        }
        let next = isa.shifted(arranged(&x), arranged(&y));
        assert_eq!(next, isa.load_from(&lines, 1));
        isa.replace_eight(&mut lines, 72, images);
        lines.iter_mut().for_each(|line| isa.rearrange(line));
        let mut expected = [x, y];
        expected[1][1] = images;
        assert_eq!(lines, expected);
        let both = bytes(isa.first_eight(arranged(&x), arranged(&y)));
        assert_eq!(
            (both[0], &both[1..], bytes(isa.select(0, x, y))),
            (x[0], &y[1..], bytes(y))
        );
    }
}
