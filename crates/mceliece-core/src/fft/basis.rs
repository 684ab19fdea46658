//! Bases, twiddles and twists of the additive FFT, computed by the compiler.
//!
//! Layer `s` has the basis `b_0, .., b_(M-1-s)`, whose last element is `beta`, and the quotients
//! `c_j = b_j / beta`. Layer 0 has `b_j = z^(M-1-j)`. Twiddle number `i` of a layer is the sum of
//! the `c_j` for which bit `j` of `i` is set.
//!
//! The layer whose butterflies have stride `2^(6+j)` is `s = M - 7 - j`, and the twiddles fill
//! `2^j` words.

use crate::align::Aligned;
use crate::field::element::{inverse, mul};
use crate::field::planes::Block;

/// Number of layers: one more than `log_coefficients`, for the transposed map.
const LAYERS: usize = 8;

/// For each bit number `b`, a word with bit `i` set if bit `b` of `i` is set.
pub(crate) const PATTERNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

struct Basis<const M: usize> {
    beta: [u16; LAYERS],
    quotients: [[u16; M]; LAYERS],
}

impl<const M: usize> Basis<M> {
    const fn new() -> Self {
        let mut basis = Self {
            beta: [0; LAYERS],
            quotients: [[0; M]; LAYERS],
        };
        let mut b = [0; M];
        let mut j = 0;
        while j < M {
            b[j] = 1 << (M - 1 - j);
            j += 1;
        }
        let mut s = 0;
        while s < LAYERS {
            let beta = b[M - 1 - s];
            basis.beta[s] = beta;
            let mut j = 0;
            while j < M - 1 - s {
                let c = mul::<M>(b[j], inverse::<M>(beta));
                basis.quotients[s][j] = c;
                b[j] = mul::<M>(c, c) ^ c;
                j += 1;
            }
            s += 1;
        }
        basis
    }

    /// Word `word` of plane `p` of the twiddles of layer `s`.
    const fn twiddle(&self, s: usize, word: usize, p: usize) -> u64 {
        let mut bits = 0;
        let mut j = 0;
        while j < M - 1 - s {
            if self.quotients[s][j] >> p & 1 == 1 {
                if j < 6 {
                    bits ^= PATTERNS[j];
                } else if word >> (j - 6) & 1 == 1 {
                    bits = !bits;
                }
            }
            j += 1;
        }
        bits
    }
}

/// The constants of one field.
pub(crate) struct Tables<const M: usize, const LONG: usize> {
    /// The 32 twiddles of stride 32, written twice.
    half: [u64; M],
    /// Twiddles of strides 64, 128 and 256, word by word: layer `j` begins at `2^j - 1`.
    short: [[u64; M]; 7],
    /// Twiddles of strides from 512 on, block by block: layer `j` begins at `2^(j-3) - 1`.
    long: Aligned<[Block<M>; LONG]>,
    /// The points with the numbers `2^b`, raised to the power `2^k`, where `k` is
    /// `log_coefficients`.
    top_powers: [u16; M],
    /// Factor of coefficient `c` in layer `s`: `beta^(c >> s)`.
    twists: [[u16; 256]; LAYERS],
}

impl<const M: usize, const LONG: usize> Tables<M, LONG> {
    const fn new() -> Self {
        let basis = Basis::<M>::new();
        let mut tables = Self {
            half: [0; M],
            short: [[0; M]; 7],
            long: Aligned([[[0; 8]; M]; LONG]),
            top_powers: [0; M],
            twists: [[1; 256]; LAYERS],
        };
        let mut b = 0;
        while b < M {
            let mut power = 1 << (M - 1 - b);
            let mut squarings = 0;
            while squarings < M - 6 {
                power = mul::<M>(power, power);
                squarings += 1;
            }
            tables.top_powers[b] = power;
            b += 1;
        }
        let mut p = 0;
        while p < M {
            // In the layer of stride 32 the last quotient has index 4, so the pattern repeats.
            tables.half[p] = basis.twiddle(M - 6, 0, p);
            p += 1;
        }
        let mut j = 0;
        while j < M - 6 {
            let s = M - 7 - j;
            let mut word = 0;
            while word < 1 << j {
                let mut p = 0;
                while p < M {
                    let bits = basis.twiddle(s, word, p);
                    if j < 3 {
                        tables.short[(1 << j) - 1 + word][p] = bits;
                    } else {
                        tables.long.0[(1 << (j - 3)) - 1 + word / 8][p][word % 8] = bits;
                    }
                    p += 1;
                }
                word += 1;
            }
            j += 1;
        }
        let mut s = 0;
        while s < LAYERS {
            let mut c = 1 << s;
            while c < 256 {
                tables.twists[s][c] = if c >> s == 0 {
                    1
                } else {
                    mul::<M>(tables.twists[s][c - (1 << s)], basis.beta[s])
                };
                c += 1;
            }
            s += 1;
        }
        tables
    }
}

static TABLES_12: Tables<12, 7> = Tables::new();
static TABLES_13: Tables<13, 15> = Tables::new();

/// Twiddles of stride 32, as 64 lanes.
pub(crate) fn half<const M: usize>() -> &'static [u64; M] {
    let words: &[u64] = if M == 12 {
        &TABLES_12.half
    } else {
        &TABLES_13.half
    };
    first(words)
}

/// Twiddles of the layer `j < 3`: a word of every plane for each block offset.
pub(crate) fn short<const M: usize>(j: usize) -> &'static [[u64; M]] {
    let words: &[u64] = if M == 12 {
        TABLES_12.short.as_flattened()
    } else {
        TABLES_13.short.as_flattened()
    };
    layer(words.as_chunks().0, j)
}

/// Twiddles of the layer `j >= 3`: a block for each block offset.
pub(crate) fn long<const M: usize>(j: usize) -> &'static [Block<M>] {
    let words: &[[u64; 8]] = if M == 12 {
        TABLES_12.long.0.as_flattened()
    } else {
        TABLES_13.long.0.as_flattened()
    };
    layer(words.as_chunks().0, j - 3)
}

/// The points with the numbers `2^b`, raised to the power of the number of coefficients.
pub(crate) fn top_powers<const M: usize>() -> &'static [u16; M] {
    let powers: &[u16] = if M == 12 {
        &TABLES_12.top_powers
    } else {
        &TABLES_13.top_powers
    };
    &powers.as_chunks().0[0]
}

/// Factors of the coefficients in layer `s`.
pub(crate) fn twists<const M: usize>(s: usize) -> &'static [u16; 256] {
    if M == 12 {
        &TABLES_12.twists[s]
    } else {
        &TABLES_13.twists[s]
    }
}

fn layer<T>(all: &'static [T], j: usize) -> &'static [T] {
    &all[(1 << j) - 1..(2 << j) - 1]
}

fn first<const M: usize>(words: &'static [u64]) -> &'static [u64; M] {
    &words.as_chunks().0[0]
}
