//! Words for the bitwise permutations, one at a time or in lanes.

/// A 64-bit word, or one in every lane.
///
/// Rotations take their count to both sides, `L` to the left and `R = 64 - L` to
/// the right, since instructions want one or the other as a constant.
pub trait Bits64: Copy {
    /// Whether [`xor_and_not`](Self::xor_and_not) costs no complement.
    const AND_NOT: bool;

    /// Exclusive or with `x` in every lane. There is no way to a value without
    /// a token: see [`Isa::load_words`](crate::Isa::load_words).
    fn xor_u64(self, x: u64) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// And.
    fn and(self, other: Self) -> Self;
    /// Or.
    fn or(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Rotation to the left by `0 < L < 64`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;

    /// Exclusive or of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
    /// Exclusive or of five.
    #[inline(always)]
    fn xor5(self, [b, c, d, e]: [Self; 4]) -> Self {
        self.xor3(b, c).xor3(d, e)
    }
    /// Exclusive or with `b`, rotated to the left by one.
    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        self.xor(b.rotate_left::<1, 63>())
    }
    /// Exclusive or with `b`, then [`rotate_left`](Self::rotate_left).
    #[inline(always)]
    fn xor_then_rotate<const L: i32, const R: i32>(self, b: Self) -> Self {
        self.xor(b).rotate_left::<L, R>()
    }
    /// Exclusive or with `c` where `b` is zero.
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        self.xor(b.not().and(c))
    }

    /// [`xor_and_not`](Self::xor_and_not). If words put rotations off, the result
    /// owes what `c` owes; those of all other operations owe what `self` owes.
    #[inline(always)]
    fn xor_and_not_owing_last(self, b: Self, c: Self) -> Self {
        self.xor_and_not(b, c)
    }
    /// The same word. If words put rotations off, it owes one to the left by
    /// `owed` from here on.
    #[inline(always)]
    fn owing(self, owed: u32) -> Self {
        _ = owed;
        self
    }
}

impl Bits64 for u64 {
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
}
