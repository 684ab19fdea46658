//! Words for the bitwise permutations, one at a time or in lanes.

/// A 64-bit word, or one in every lane.
pub trait Bits64: Copy {
    /// Exclusive or with `x` in every lane. There is no way to a value without
    /// a token: see [`Isa::load_u64`].
    fn xor_u64(self, x: u64) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// And.
    fn and(self, other: Self) -> Self;
    /// Or.
    fn or(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Rotation to the left by `0 <= R < 64`.
    fn rotate_left<const R: i32>(self) -> Self;
}

impl Bits64 for u64 {
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
    fn rotate_left<const R: i32>(self) -> Self {
        self.rotate_left(R as u32)
    }
}

/// Words without vector registers.
impl<const N: usize> Bits64 for [u64; N] {
    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self.map(|y| y ^ x)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] ^ other[k])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] & other[k])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] | other[k])
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|x| !x)
    }
    #[inline(always)]
    fn rotate_left<const R: i32>(self) -> Self {
        self.map(|x| x.rotate_left(R as u32))
    }
}
