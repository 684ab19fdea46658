//! One element of the field: the definition that everything else is tested against.
//!
//! Elements are `u16` below `2^M`. No branch and no address depends on an element.

/// Remainder of a polynomial of degree below `2M - 1` modulo the polynomial of the field.
///
/// Two folds suffice: the first leaves at most three bits above `M`, the second none.
#[inline(always)]
pub(crate) const fn reduce<const M: usize>(x: u32) -> u16 {
    let mut x = x;
    let mut fold = 0;
    while fold < 2 {
        let high = x >> M;
        x &= (1 << M) - 1;
        x ^= if M == 12 {
            high ^ high << 3
        } else {
            high ^ high << 1 ^ high << 3 ^ high << 4
        };
        fold += 1;
    }
    x as u16
}

/// Product of `a` and `b` before reduction, of degree below `2M - 1`.
///
/// Multiplies `a` by each bit of `b` at its place, shifted by one. With masks made of the bits, or
/// with a factor that is 0 or 1, compilers could branch on the bit.
#[inline(always)]
pub(crate) const fn wide_mul<const M: usize>(a: u16, b: u16) -> u32 {
    let (a, b) = (a as u32, b as u32);
    let mut product = 0;
    let mut i = 0;
    while i < M {
        product ^= a.wrapping_mul(b << 1 & 2 << i);
        i += 1;
    }
    product >> 1
}

/// Reduces `x` once: folds `high`, its bits from bit `M` on, into the lower bits. `x` has at most
/// `M + 3` bits.
#[inline(always)]
fn fold<const M: usize>(x: u16, high: u16) -> u16 {
    let low = x & ((1 << M) - 1);
    if M == 12 {
        low ^ high ^ high << 3
    } else {
        low ^ high ^ high << 1 ^ high << 3 ^ high << 4
    }
}

/// Multiplies `a` by the public element `factor`, with masks.
///
/// Takes three bits of the factor at a time, so that all values fit into 16 bits. Registers hold
/// twice as many 16-bit values as 32-bit words.
#[inline(always)]
pub(crate) fn mul_by_public<const M: usize>(a: u16, factor: u16) -> u16 {
    let bit = |i: usize| 0u16.wrapping_sub(factor >> i & 1);
    let b = fold::<M>(a << 1, a >> (M - 1));
    let c = fold::<M>(a << 2, a >> (M - 2));
    let mut product = a & bit(12);
    for i in (0..12).step_by(3).rev() {
        product = fold::<M>(product << 3, product >> (M - 3));
        product ^= a & bit(i) ^ b & bit(i + 1) ^ c & bit(i + 2);
    }
    product
}

/// Product of `a` and `b`.
#[inline(always)]
pub(crate) const fn mul<const M: usize>(a: u16, b: u16) -> u16 {
    reduce::<M>(wide_mul::<M>(a, b))
}

/// Inverse of `a`; zero for zero.
///
/// Computes `a^(2^M - 2)` by squarings and products.
pub(crate) const fn inverse<const M: usize>(a: u16) -> u16 {
    // Before step `i`, `power` is a^(2^(i + 2) - 2).
    let mut power = mul::<M>(a, a);
    let mut i = 0;
    while i < M - 2 {
        power = mul::<M>(power, a);
        power = mul::<M>(power, power);
        i += 1;
    }
    power
}

/// Point number `i` of the field: the element with the `M` bits of `i` reversed.
#[inline(always)]
pub(crate) const fn point<const M: usize>(i: u16) -> u16 {
    i.reverse_bits() >> (16 - M)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes a product by long division.
    fn slow_mul(m: usize, a: u16, b: u16) -> u16 {
        let modulus: u32 = if m == 12 { 0x1009 } else { 0x201b };
        let mut product = 0u32;
        for i in 0..16 {
            if b >> i & 1 == 1 {
                product ^= u32::from(a) << i;
            }
        }
        for i in (m..32).rev() {
            if product >> i & 1 == 1 {
                product ^= modulus << (i - m);
            }
        }
        product as u16
    }

    fn products<const M: usize>() {
        let some = |i: u32| (i.wrapping_mul(0x9e37_79b9) >> 16) as u16 & ((1 << M) - 1);
        for i in 0..100_000 {
            let (a, b) = (some(i), some(i + 1_000_003));
            assert_eq!(mul::<M>(a, b), slow_mul(M, a, b), "{a} * {b}");
            assert_eq!(mul_by_public::<M>(a, b), slow_mul(M, a, b));
        }
        for i in 0..M {
            for j in 0..M {
                assert_eq!(mul::<M>(1 << i, 1 << j), slow_mul(M, 1 << i, 1 << j));
            }
        }
    }

    #[test]
    fn products_equal_long_division() {
        products::<12>();
        products::<13>();
    }

    fn inverses<const M: usize>() {
        assert_eq!(inverse::<M>(0), 0);
        for a in 1..1u16 << M {
            assert_eq!(mul::<M>(a, inverse::<M>(a)), 1, "{a}");
        }
    }

    #[test]
    fn every_element_times_its_inverse_is_one() {
        inverses::<12>();
        inverses::<13>();
    }

    #[test]
    fn points_are_reversed_bits() {
        assert_eq!(point::<12>(1), 1 << 11);
        assert_eq!(point::<13>(1), 1 << 12);
        assert_eq!(point::<13>(0b110), 0b11 << 10);
    }
}
