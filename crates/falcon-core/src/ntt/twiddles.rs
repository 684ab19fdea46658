//! Twiddle factors of the constant-geometry transforms, computed at compile time.
//!
//! With `g` a primitive 2048-th root of unity and `brv` the reversal of ten
//! bits, `zeta(k) = g^brv(k)`: the 2^j factors of layer `j` are `zeta(2^j + i)`,
//! `0 <= i < 2^j`, whatever the degree (a lower degree uses fewer layers).
//! All are in Montgomery form and centred.
//!
//! A kernel step takes 32 butterflies, and butterfly `i` of layer `j` takes the
//! factor that its low `j` bits name; so a layer with fewer than 32 factors is
//! stored repeated to 32, and every step reads one row of 32 values. From layer
//! 3 on, the low three of these bits are the first three that the transform
//! produced, hence the top ones of the factor's number.

use crate::modq::{Modulus, centre, pow_mod};

/// Butterflies in one kernel step.
pub(super) const STEP: usize = 32;

const LAYERS: usize = 10;

/// One row for each layer of at most 32 factors (0 to 5), then 2, 4, 8, 16.
const ROWS: usize = 6 + 2 + 4 + 8 + 16;

/// Factors of one direction for all layers. A row is a cache line of its own
/// where one load takes all of it.
#[cfg_attr(target_arch = "x86_64", repr(align(64)))]
pub(crate) struct Twiddles([[i16; STEP]; ROWS]);

impl Twiddles {
    /// The rows of layer `j`, to be used cyclically.
    #[inline]
    pub(super) fn layer(&self, j: usize) -> &[[i16; STEP]] {
        let (start, len) = span(j);
        self.0.get(start..start + len).unwrap_or(&[])
    }

    /// `zeta(2^j + i)`.
    pub(crate) const fn forward<M: Modulus>() -> Self {
        Self::build::<M>(false)
    }

    /// `-1 / zeta(2^j + i) = zeta(2^(j+1) - 1 - i)`: the reversals of
    /// `2^j + i` and of its mirror image add up to `1024`, and `g^1024 = -1`.
    pub(crate) const fn inverse<M: Modulus>() -> Self {
        Self::build::<M>(true)
    }

    const fn build<M: Modulus>(mirrored: bool) -> Self {
        let p = M::P as i64;
        let mut powers = [0; 1 << LAYERS];
        let mut e = 0;
        let mut power = 65536 % p;
        while e < 1 << LAYERS {
            powers[e] = centre(power, M::P);
            power = power * M::ROOT as i64 % p;
            e += 1;
        }
        let mut rows = [[0; STEP]; ROWS];
        let mut j = 0;
        while j < LAYERS {
            let (start, len) = span(j);
            let mut i = 0;
            while i < len * STEP {
                let i_mod = i & ((1 << j) - 1);
                let bits = if j > 3 {
                    (i_mod & 7) << (j - 3) | i_mod >> 3
                } else {
                    i_mod
                };
                let number = if mirrored { (1 << j) - 1 - bits } else { bits };
                let k = (1 << j) + number;
                let brv = (k as u32).reverse_bits() >> (32 - LAYERS as u32);
                rows[start + i / STEP][i % STEP] = powers[brv as usize];
                i += 1;
            }
            j += 1;
        }
        Self(rows)
    }
}

/// First row and number of rows of layer `j`.
const fn span(j: usize) -> (usize, usize) {
    if j < 5 {
        (j, 1)
    } else {
        (4 + (1 << (j - 5)), 1 << (j - 5))
    }
}

/// `1/n mod P`, centred, for `n = 2^logn`.
pub(super) const fn inverse_degree<M: Modulus>(logn: u32) -> i16 {
    let p = M::P as i64;
    centre(pow_mod((p + 1) / 2, logn, p), M::P)
}
