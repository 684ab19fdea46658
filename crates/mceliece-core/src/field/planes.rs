//! Many elements of the field side by side, bit by bit.
//!
//! Plane `p` of a block is a vector of bits: bit `l` of the plane is coefficient `p` of element
//! number `l`. A [`Block`] has 512 elements. Operations on planes do the same for every element, so
//! timing does not depend on the elements.
//!
//! Each operation computes products or inverses of as many elements as a register has bits.

use falcon_lanes::{Isa, Register, U64s};

/// Number of words of a plane of a block.
pub(crate) const WORDS: usize = 8;

/// Number of elements of a block.
pub(crate) const LANES: usize = 64 * WORDS;

/// A block of 512 elements: word `w` of plane `p` is `[p][w]`.
pub(crate) type Block<const M: usize> = [[u64; WORDS]; M];

/// Registers that hold one part of every plane.
pub(crate) type Planes<I, const M: usize> = [<I as Isa>::U64s; M];

/// Registers of the product before reduction: `2M - 1` are used.
type Wide<I> = [<I as Isa>::U64s; 25];

/// Registers of a half of the planes: at most seven are used.
type Half<I> = [<I as Isa>::U64s; 13];

/// Number of registers that hold a plane of a block.
#[inline(always)]
pub(crate) const fn parts<I: Isa>() -> usize {
    WORDS / <I::U64s as Register<I>>::LEN
}

/// Repeats a block of code for the constants 0 to 12. Loops over the planes must be unrolled, since
/// registers have no addresses; compilers do not unroll loops of this size.
macro_rules! unrolled {
    ($i:ident => $body:block) => {{
        unrolled!(@ $i => $body; 0 1 2 3 4 5 6 7 8 9 10 11 12);
    }};
    (@ $i:ident => $body:block; $($value:literal)*) => {
        $({
            const $i: usize = $value;
            $body
        })*
    };
}

/// Loads register `part` of every plane of `block`.
#[inline(always)]
pub(crate) fn load<I: Isa, const M: usize>(isa: I, block: &Block<M>, part: usize) -> Planes<I, M> {
    let mut planes = [I::U64s::splat(isa, 0); M];
    unrolled!(P => {
        if P < M {
            planes[P] = I::U64s::load(isa, &I::U64s::chunks(&block[P])[part]);
        }
    });
    planes
}

/// Loads word `p` of `masks` into every word of plane `p`. If each word is zero or all ones, every
/// lane gets the same element.
#[inline(always)]
pub(crate) fn splat<I: Isa, const M: usize>(isa: I, masks: &[u64; M]) -> Planes<I, M> {
    let mut planes = [I::U64s::splat(isa, 0); M];
    unrolled!(P => {
        if P < M {
            planes[P] = I::U64s::splat(isa, masks[P]);
        }
    });
    planes
}

/// Fills the 64 lanes of word `w` with the element in word `w` of `elements`: bit `p` of the
/// element fills word `w` of plane `p`.
#[inline(always)]
pub(crate) fn spread<I: Isa, const M: usize>(isa: I, elements: I::U64s) -> Planes<I, M> {
    let mut planes = [I::U64s::splat(isa, 0); M];
    unrolled!(P => {
        if P < M {
            planes[P] = elements.mask_of_bit(P);
        }
    });
    planes
}

/// Returns the masks that [`splat`] takes for the element `x`: mask `p` is all ones if bit `p` of
/// `x` is set, else zero.
#[inline(always)]
pub(crate) fn masks<const M: usize>(x: u16) -> [u64; M] {
    core::array::from_fn(|p| 0u64.wrapping_sub(u64::from(x >> p & 1)))
}

/// Stores register `part` of every plane of `block`.
#[inline(always)]
pub(crate) fn store<I: Isa, const M: usize>(
    planes: &Planes<I, M>,
    block: &mut Block<M>,
    part: usize,
) {
    unrolled!(P => {
        if P < M {
            planes[P].store(&mut I::U64s::chunks_mut(&mut block[P])[part]);
        }
    });
}

/// Adds elements.
#[inline(always)]
pub(crate) fn add<I: Isa, const M: usize>(a: &Planes<I, M>, b: &Planes<I, M>) -> Planes<I, M> {
    let mut sum = *a;
    unrolled!(P => {
        if P < M {
            sum[P] = a[P].xor(b[P]);
        }
    });
    sum
}

/// Plane `k` of the products of `a` and `b` before reduction.
#[inline(always)]
fn product_plane<I: Isa, const M: usize>(a: &Planes<I, M>, b: &Planes<I, M>, k: usize) -> I::U64s {
    let first = (k + 1).saturating_sub(M);
    let mut sum = a[first].and(b[k - first]);
    unrolled!(P => {
        if (first + 1..M.min(k + 1)).contains(&P) {
            sum = sum.xor_and(a[P], b[k - P]);
        }
    });
    sum
}

/// Multiplies polynomials with `N` coefficients, at most seven. `2N - 1` registers are used.
#[inline(always)]
fn short_product<I: Isa, const N: usize>(isa: I, a: &Half<I>, b: &Half<I>) -> Wide<I> {
    let mut wide = [I::U64s::splat(isa, 0); 25];
    unrolled!(P => {
        if P < N {
            unrolled!(R => {
                if R < N {
                    wide[P + R] = wide[P + R].xor(a[P].and(b[R]));
                }
            });
        }
    });
    wide
}

/// Computes unreduced products from three products of half the length: for `a = a_0 + a_1 z^LOW`
/// and `b` likewise, `(a_0 b_0 + a_1 b_1 z^LOW) (1 + z^LOW) + (a_0 + a_1) (b_0 + b_1) z^LOW`.
///
/// `LOW` is half of `M`, rounded up. The other half has six coefficients.
///
/// Source: A. Karatsuba and Yu. Ofman, 1962; the form is that of D. J. Bernstein, "Batch binary
/// Edwards", 2009.
#[inline(always)]
fn split_product<I: Isa, const M: usize, const LOW: usize>(
    isa: I,
    a: &Planes<I, M>,
    b: &Planes<I, M>,
) -> Wide<I> {
    let zero = I::U64s::splat(isa, 0);
    let [mut low, mut high, mut sum] = [[[zero; 13]; 2]; 3];
    for (i, x) in [a, b].into_iter().enumerate() {
        unrolled!(P => {
            if P < LOW {
                low[i][P] = x[P];
                sum[i][P] = if LOW + P < M { x[P].xor(x[LOW + P]) } else { x[P] };
            }
            if P + 1 > LOW && P < M {
                high[i][P - LOW] = x[P];
            }
        });
    }
    let low = short_product::<I, LOW>(isa, &low[0], &low[1]);
    let high = short_product::<I, 6>(isa, &high[0], &high[1]);
    let middle = short_product::<I, LOW>(isa, &sum[0], &sum[1]);
    // The polynomial low + high z^LOW.
    let mut outer = [zero; 25];
    unrolled!(P => {
        if P < 2 * LOW - 1 {
            outer[P] = low[P];
        }
    });
    unrolled!(P => {
        if P < 11 {
            outer[LOW + P] = outer[LOW + P].xor(high[P]);
        }
    });
    let mut wide = outer;
    unrolled!(P => {
        if P + 1 > LOW && P < 12 {
            wide[P] = wide[P].xor(outer[P - LOW]).xor(middle[P - LOW]);
        }
    });
    unrolled!(P => {
        if P < 2 * M - 13 {
            let from = 12 - LOW + P;
            wide[12 + P] = wide[12 + P].xor(outer[from]).xor(middle[from]);
        }
    });
    wide
}

/// Reduces products modulo the polynomial of the field. Plane number `k` of the products is
/// `plane(k)`.
///
/// The function calls `plane` from the top down. It finishes a plane of the result as soon as all
/// its summands are known, so few planes wait in registers.
#[inline(always)]
fn reduce<I: Isa, const M: usize>(isa: I, plane: impl Fn(usize) -> I::U64s) -> Planes<I, M> {
    let zero = I::U64s::splat(isa, 0);
    // Planes `M + i` of the products, with the terms that higher planes add.
    let mut high = [zero; 12];
    let mut out = [zero; M];
    unrolled!(P => {
        if P + 1 < M {
            let i = M - 2 - P;
            high[i] = with_higher::<I, M>(plane(M + i), &high, M + i);
            if i + 4 < M {
                out[i + 4] = with_higher::<I, M>(plane(i + 4), &high, i + 4);
            }
        }
    });
    unrolled!(P => {
        if P < 4 {
            out[3 - P] = with_higher::<I, M>(plane(3 - P), &high, 3 - P);
        }
    });
    out
}

/// Adds the terms of higher planes to plane `k`: `z^M` is `z^3 + 1`, for 13 also `+ z^4 + z`.
#[inline(always)]
fn with_higher<I: Isa, const M: usize>(plane: I::U64s, high: &[I::U64s; 12], k: usize) -> I::U64s {
    let mut sum = plane;
    if k + 1 < M {
        sum = sum.xor(high[k]);
    }
    if k >= 3 && k - 2 < M {
        sum = sum.xor(high[k - 3]);
    }
    if M == 13 && k >= 1 && k < M {
        sum = sum.xor(high[k - 1]);
    }
    if M == 13 && k >= 4 && k - 3 < M {
        sum = sum.xor(high[k - 4]);
    }
    sum
}

/// Reduces complete products for `M = 13`. As `z^13 = (1 + z) (1 + z^3)`, sums of neighbours are
/// used twice.
#[inline(always)]
fn reduce_13<I: Isa, const M: usize>(mut wide: Wide<I>) -> Planes<I, M> {
    // The top coefficients give z^13, z^14 and z^15 too.
    let (a, b) = (wide[22].xor(wide[23]), wide[23].xor(wide[24]));
    wide[13] = wide[13].xor(a);
    wide[14] = wide[14].xor(b);
    wide[15] = wide[15].xor(wide[24]);
    // Multiplies by 1 + z.
    let mut sums = [wide[13]; 13];
    unrolled!(P => {
        if P != 0 && P < 12 {
            sums[P] = wide[M - 1 + P].xor(wide[M + P]);
        }
    });
    sums[12] = wide[24];
    // Multiplies by 1 + z^3.
    let mut planes = [wide[0]; M];
    unrolled!(P => {
        if P < M {
            planes[P] = wide[P].xor(sums[P]);
        }
    });
    unrolled!(P => {
        if P + 3 < M {
            planes[P + 3] = planes[P + 3].xor(sums[P]);
        }
    });
    planes
}

/// Multiplies elements.
#[inline(always)]
pub(crate) fn mul<I: Isa, const M: usize>(
    isa: I,
    a: &Planes<I, M>,
    b: &Planes<I, M>,
) -> Planes<I, M> {
    if !I::U64s::SPLITS_PRODUCTS {
        reduce::<I, M>(
            isa,
            #[inline(always)]
            |k| product_plane::<I, M>(a, b, k),
        )
    } else if M == 13 {
        reduce_13::<I, M>(split_product::<I, M, 7>(isa, a, b))
    } else {
        let wide = split_product::<I, M, 6>(isa, a, b);
        reduce::<I, M>(
            isa,
            #[inline(always)]
            |k| wide[k],
        )
    }
}

/// Squares elements.
#[inline(always)]
pub(crate) fn square<I: Isa, const M: usize>(isa: I, a: &Planes<I, M>) -> Planes<I, M> {
    let zero = I::U64s::splat(isa, 0);
    reduce::<I, M>(
        isa,
        #[inline(always)]
        |k| if k.is_multiple_of(2) { a[k / 2] } else { zero },
    )
}

/// Raises elements to the power `2^count`.
#[inline(always)]
fn squares<I: Isa, const M: usize>(isa: I, a: &Planes<I, M>, count: usize) -> Planes<I, M> {
    let mut a = *a;
    for _ in 0..count {
        a = square(isa, &a);
    }
    a
}

/// Inverts elements. Zero gives zero.
///
/// Computes `a^(2^M - 2)` by an addition chain to `M - 1` ones: four products for 13, five for 12.
#[inline(always)]
pub(crate) fn inverse<I: Isa, const M: usize>(isa: I, a: &Planes<I, M>) -> Planes<I, M> {
    // `ones_k` is a^(2^k - 1).
    let ones_2 = mul(isa, &square(isa, a), a);
    let ones_3 = mul(isa, &square(isa, &ones_2), a);
    let ones = if M == 13 {
        let ones_6 = mul(isa, &squares(isa, &ones_3, 3), &ones_3);
        mul(isa, &squares(isa, &ones_6, 6), &ones_6)
    } else {
        let ones_5 = mul(isa, &squares(isa, &ones_3, 2), &ones_2);
        let ones_10 = mul(isa, &squares(isa, &ones_5, 5), &ones_5);
        mul(isa, &square(isa, &ones_10), a)
    };
    square(isa, &ones)
}

/// Sorts the bits of elements into planes. Missing elements count as zero.
#[inline(always)]
pub(crate) fn slice<const M: usize>(elements: impl Iterator<Item = u16>, block: &mut Block<M>) {
    *block = [[0; WORDS]; M];
    for (l, x) in elements.take(LANES).enumerate() {
        for p in 0..M {
            block[p][l / 64] |= u64::from(x >> p & 1) << (l % 64);
        }
    }
}

/// Element number `l` of a block.
#[inline(always)]
pub(crate) fn element<const M: usize>(block: &Block<M>, l: usize) -> u16 {
    let mut x = 0;
    for p in 0..M {
        x |= ((block[p][l / 64] >> (l % 64) & 1) as u16) << p;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::element as scalar;

    fn on<I: Isa, const M: usize>(isa: I) {
        let q = 1u32 << M;
        for start in (0..q).step_by(LANES) {
            let a = |l: usize| (start as usize + l) as u16;
            let b = |l: usize| (a(l).wrapping_mul(2477) ^ 91) & (q - 1) as u16;
            let (mut x, mut y) = ([[0; WORDS]; M], [[0; WORDS]; M]);
            slice((0..LANES).map(a), &mut x);
            slice((0..LANES).map(b), &mut y);
            let mut out = [[[0; WORDS]; M]; 4];
            for part in 0..parts::<I>() {
                let (x, y) = (load(isa, &x, part), load(isa, &y, part));
                store::<I, M>(&mul(isa, &x, &y), &mut out[0], part);
                store::<I, M>(&square(isa, &x), &mut out[1], part);
                store::<I, M>(&inverse(isa, &x), &mut out[2], part);
                store::<I, M>(&add::<I, M>(&x, &y), &mut out[3], part);
            }
            for l in 0..LANES {
                assert_eq!(element(&x, l), a(l));
                assert_eq!(element(&out[0], l), scalar::mul::<M>(a(l), b(l)));
                assert_eq!(element(&out[1], l), scalar::mul::<M>(a(l), a(l)));
                assert_eq!(element(&out[2], l), scalar::inverse::<M>(a(l)));
                assert_eq!(element(&out[3], l), a(l) ^ b(l));
            }
        }
    }

    #[test]
    fn every_lane_computes_as_a_single_element_does() {
        on_every_engine!(isa => isa.vectorize_words(|| on::<_, 12>(isa)));
        on_every_engine!(isa => isa.vectorize_words(|| on::<_, 13>(isa)));
    }

    #[test]
    fn a_splat_is_one_element_in_every_lane() {
        let isa = falcon_lanes::Baseline;
        let mut block = [[0; WORDS]; 13];
        for part in 0..parts::<falcon_lanes::Baseline>() {
            store::<falcon_lanes::Baseline, 13>(&splat(isa, &masks(0x155a)), &mut block, part);
        }
        assert!((0..LANES).all(|l| element(&block, l) == 0x155a));
    }
}
