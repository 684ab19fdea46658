//! Registers of integers, for bitwise permutations, for ciphers with 32-bit words, and for
//! arithmetic modulo a prime below `2^15`.
//!
//! Algorithms hold their data in arrays of registers and loop over them. If a register is one word,
//! compilers turn these loops into vector code.

use crate::{Isa, Masks, Register};
use core::ops::{Add, Sub};

/// 64-bit words.
///
/// Rotations have both counts as parameters, `L` to the left and `R = 64 - L` to the right, since
/// instructions need one or the other as a constant.
pub trait U64s: Copy {
    /// True if [`xor_and_not`](Self::xor_and_not) needs no instruction for the complement.
    const AND_NOT: bool;
    /// True if [`settled`](Self::settled) has an effect.
    const SETTLES: bool = false;

    /// True if Karatsuba's method, with three products of half the length, is faster for
    /// polynomials over GF(2) that have a coefficient in each register. That is so if
    /// [`xor_and`](Self::xor_and) takes two instructions: measured on AVX2, counted on NEON.
    const SPLITS_PRODUCTS: bool = false;

    /// Exclusive or with `x` in every lane. No value can be made without a token; see [`Register`].
    fn xor_u64(self, x: u64) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Rotation to the left by `0 < L < 64`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;

    /// Exclusive or of three words.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
    /// Exclusive or of five words.
    #[inline(always)]
    fn xor5(self, [b, c, d, e]: [Self; 4]) -> Self {
        self.xor3(b, c).xor3(d, e)
    }
    /// Exclusive or with `b`, where `b` is first rotated to the left by one.
    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        self.xor(b.rotate_left::<1, 63>())
    }
    /// Exclusive or with `b`, then [`rotate_left`](Self::rotate_left).
    #[inline(always)]
    fn xor_then_rotate<const L: i32, const R: i32>(self, b: Self) -> Self {
        self.xor(b).rotate_left::<L, R>()
    }
    /// Exclusive or with the bitwise and of `b` and `c`.
    #[inline(always)]
    fn xor_and(self, b: Self, c: Self) -> Self {
        self.xor(b.and(c))
    }
    /// Exclusive or with the bits of `c` at which `b` is zero.
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        self.xor(b.not().and(c))
    }

    /// Bitwise or with `bits`, in the lanes where `a` equals `b`. Takes no branch.
    #[inline(always)]
    fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
        // Rotations spread every differing bit over the whole lane.
        let x = a.xor(b);
        let x = x.or(x.rotate_left::<32, 32>());
        let x = x.or(x.rotate_left::<16, 48>());
        let x = x.or(x.rotate_left::<8, 56>());
        let x = x.or(x.rotate_left::<4, 60>());
        let x = x.or(x.rotate_left::<2, 62>());
        let x = x.or(x.rotate_left::<1, 63>());
        self.or(bits.and(x.not()))
    }

    /// Returns all ones in the lanes whose bit `bit` is one, and zeros in the others. Takes no
    /// branch.
    #[inline(always)]
    fn mask_of_bit(self, bit: usize) -> Self {
        let zero = self.xor(self);
        let bit = zero.xor_u64(1 << bit);
        zero.or_where_equal(zero.not(), self.and(bit), bit)
    }

    /// Computes [`xor_and_not`](Self::xor_and_not). If the type defers rotations, the result owes
    /// the rotation of `c`. Results of the other logic operations owe the rotation of `self`.
    #[inline(always)]
    fn xor_and_not_owing_last(self, b: Self, c: Self) -> Self {
        self.xor_and_not(b, c)
    }
    /// Returns the same word. If the type defers rotations, the result owes a rotation to the left
    /// by `owed`; other types ignore `owed`.
    #[inline(always)]
    fn owing(self, owed: u32) -> Self {
        _ = owed;
        self
    }
    /// Returns the same words. A type may implement this so that compilers compute all words before
    /// they use any; see [`Isa::settled`].
    #[inline(always)]
    fn settled<const N: usize>(words: [Self; N]) -> [Self; N] {
        words
    }
}

impl U64s for u64 {
    const AND_NOT: bool = cfg!(any(target_feature = "bmi1", target_arch = "aarch64"));

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self ^ x
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        self.rotate_left(L as u32)
    }
    #[inline(always)]
    fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
        let x = a ^ b;
        // The top bit is set if the words differ. So the mask is zero if they differ, else all
        // ones.
        self | bits & ((x | x.wrapping_neg()) >> 63).wrapping_sub(1)
    }
    #[inline(always)]
    fn mask_of_bit(self, bit: usize) -> Self {
        0u64.wrapping_sub(self >> bit & 1)
    }
}

/// 64-bit words below `2^63` that can be compared.
pub trait Ordered: Copy {
    /// Returns the smaller word of every lane, then the larger one. Takes the same time for all
    /// words. If a word is not below `2^63`, its lane is unspecified.
    fn min_max(self, other: Self) -> [Self; 2];
}

impl Ordered for u64 {
    #[inline(always)]
    fn min_max(self, other: Self) -> [Self; 2] {
        // On x86-64 these are conditional moves, as the check of constant time shows. Other targets
        // might branch.
        if cfg!(target_arch = "x86_64") {
            return [self.min(other), self.max(other)];
        }
        let below = other.wrapping_sub(self) as i64 >> 63;
        // Without the black box, the compiler branches on the sign on AArch64. On Cortex-M the
        // black box would cost memory.
        let below = if cfg!(target_pointer_width = "64") {
            core::hint::black_box(below) as u64
        } else {
            Masks::new().of_sign_64(below as u64)
        };
        let swap = (self ^ other) & below;
        [self ^ swap, other ^ swap]
    }
}

/// 32-bit words.
pub trait U32s: Copy {
    /// Sum modulo `2^32`.
    fn wrapping_add(self, other: Self) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left by `0 < L < 32`, `R = 32 - L`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;
}

impl U32s for u32 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        self.rotate_left(L as u32)
    }
}

/// High half of the product of two 16-bit integers.
#[inline(always)]
pub const fn mul_high(a: i16, b: i16) -> i16 {
    ((a as i32 * b as i32) >> 16) as i16
}

/// Signed 16-bit words, with the operations of reductions modulo a prime `p < 2^15`. Sums and
/// differences must not overflow.
pub trait I16s: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Low half of the product.
    fn mul_low(self, other: Self) -> Self;
    /// Low half of the product with a constant.
    fn mul_low_by(self, c: i16) -> Self;
    /// `(a b - m p) / 2^16`. The low halves of the two products must be equal. `|b| < 2^15`.
    fn montgomery(self, b: Self, m: Self, p: i16) -> Self;
    /// `floor(a v / 2^27 + 1/2)`, for `0 < v`.
    fn barrett(self, v: i16) -> Self;
    /// `a - t p` modulo `2^16`.
    fn sub_mul(self, t: Self, p: i16) -> Self;

    /// The registers of a row of 32 words, in order.
    type Row: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// Loads a row.
    fn load_row<I>(isa: I, x: &[i16; 32]) -> Self::Row
    where
        I: Isa,
        Self: Register<I, Value = i16>;

    /// Exchanges the odd blocks of `x` with the even blocks of `y`. A block has `BLOCK` words: 1,
    /// 2, 4, 8 or 16. The exchange is its own inverse.
    ///
    /// Take each pair of blocks of `x` and the same pair of `y` as the rows of a 2 by 2 matrix: the
    /// exchange transposes this matrix.
    fn exchange<const BLOCK: usize>(x: &mut Self::Row, y: &mut Self::Row);
}

// Builds with overflow checks check these sums. That tests the ranges of the callers.
impl I16s for i16 {
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    #[inline(always)]
    fn mul_low_by(self, c: i16) -> Self {
        self.wrapping_mul(c)
    }
    #[inline(always)]
    fn montgomery(self, b: Self, m: Self, p: i16) -> Self {
        mul_high(self, b) - mul_high(m, p)
    }
    #[inline(always)]
    fn barrett(self, v: i16) -> Self {
        (mul_high(self, v) + (1 << 10)) >> 11
    }
    #[inline(always)]
    fn sub_mul(self, t: Self, p: i16) -> Self {
        self.wrapping_sub(t.wrapping_mul(p))
    }

    type Row = [i16; 32];

    #[inline(always)]
    fn load_row<I: Isa>(_: I, x: &[i16; 32]) -> [i16; 32] {
        *x
    }
    #[inline(always)]
    fn exchange<const BLOCK: usize>(x: &mut [i16; 32], y: &mut [i16; 32]) {
        match BLOCK {
            16 => swap_blocks::<16>(x, y),
            8 => swap_blocks::<8>(x, y),
            4 => select_blocks::<4>(&EVEN_FOURS, x, y),
            2 => select_blocks::<2>(&EVEN_PAIRS, x, y),
            _ => exchange_words(x, y),
        }
    }
}

/// Exchanges the odd blocks of `x` with the even blocks of `y`.
#[inline(always)]
fn swap_blocks<const BLOCK: usize>(x: &mut [i16; 32], y: &mut [i16; 32]) {
    let x = x.as_chunks_mut::<BLOCK>().0.as_chunks_mut::<2>().0;
    let y = y.as_chunks_mut::<BLOCK>().0.as_chunks_mut::<2>().0;
    for ([_, x], [y, _]) in x.iter_mut().zip(y) {
        (*x, *y) = (*y, *x);
    }
}

/// Returns a mask with all ones in the even blocks of `block` words.
const fn even_blocks(block: usize) -> [i16; 32] {
    let mut masks = [0; 32];
    let mut i = 0;
    while i < 32 {
        if i & block == 0 {
            masks[i] = -1;
        }
        i += 1;
    }
    masks
}

static EVEN_PAIRS: [i16; 32] = even_blocks(2);
static EVEN_FOURS: [i16; 32] = even_blocks(4);

/// Exchanges the odd blocks of `x` with the even blocks of `y`. `even` is the mask of the even
/// blocks. Compilers turn these loops into shuffles of registers. They do not do so for moves of
/// whole blocks.
#[inline(always)]
fn select_blocks<const BLOCK: usize>(even: &[i16; 32], x: &mut [i16; 32], y: &mut [i16; 32]) {
    let (a, b) = (*x, *y);
    // `later` is `b` moved one block later, and `earlier` is `a` moved one block earlier. Words
    // outside of the blocks are masked.
    let (mut later, mut earlier) = ([0; 36], [0; 36]);
    later[BLOCK..BLOCK + 32].copy_from_slice(&b);
    earlier[..32].copy_from_slice(&a);
    for i in 0..32 {
        x[i] = (a[i] & even[i]) | (later[i] & !even[i]);
    }
    for i in 0..32 {
        y[i] = (earlier[i + BLOCK] & even[i]) | (b[i] & !even[i]);
    }
}

/// Exchanges the odd words of `x` with the even words of `y`, four words at a time.
#[inline(always)]
fn exchange_words(x: &mut [i16; 32], y: &mut [i16; 32]) {
    const EVEN: u64 = 0x0000_ffff_0000_ffff;
    let (mut a, mut b) = ([0; 8], [0; 8]);
    for (a, x) in a.iter_mut().zip(x.as_chunks().0) {
        *a = joined(x);
    }
    for (b, y) in b.iter_mut().zip(y.as_chunks().0) {
        *b = joined(y);
    }
    for (a, b) in a.iter_mut().zip(&mut b) {
        (*a, *b) = (
            (*a & EVEN) | (*b & EVEN) << 16,
            (*a >> 16) & EVEN | (*b & !EVEN),
        );
    }
    for (a, x) in a.iter().zip(x.as_chunks_mut().0) {
        *x = parted(*a);
    }
    for (b, y) in b.iter().zip(y.as_chunks_mut().0) {
        *y = parted(*b);
    }
}

/// Joins four words to one.
#[inline(always)]
fn joined(&[a, b, c, d]: &[i16; 4]) -> u64 {
    let word = |x: i16| u64::from(x as u16);
    word(a) | word(b) << 16 | word(c) << 32 | word(d) << 48
}

/// Splits a word into four.
#[inline(always)]
fn parted(x: u64) -> [i16; 4] {
    [
        x as i16,
        (x >> 16) as i16,
        (x >> 32) as i16,
        (x >> 48) as i16,
    ]
}
