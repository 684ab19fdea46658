//! Twiddle factors, computed at compile time.
//!
//! With `g` a primitive 2048-th root of unity and `brv` the reversal of ten bits,
//! `zeta(k) = g^brv(k)`. Block `b` of layer `j` has the factor `zeta(2^j + b)`, whatever the
//! degree; a lower degree has fewer layers. So `k = 2^j + b` numbers the blocks of all layers as
//! the nodes of a binary tree: the halves of block `k` are `2k` and `2k + 1`.
//!
//! All factors are centred. Factors of the transforms by rows come with their products by `1/P`.

use crate::modq::{Modulus, centre, pow_mod};

/// The tables of a modulus. Each table is compiled where it is used.
pub(crate) trait Tables: Modulus {
    /// Factors of the forward transform that works on rows of words.
    const FORWARD: &Forward;
    /// Factors of the inverse transform that works on rows of words.
    const INVERSE: &Inverse;
    /// Factors of the transforms that work on single words.
    const ZETAS: &Zetas;
}

impl<M: Modulus> Tables for M {
    const FORWARD: &Forward = &Forward::new::<M>();
    const INVERSE: &Inverse = &Inverse::new::<M>();
    const ZETAS: &Zetas = &Zetas::new::<M>();
}

/// Number of words of a row.
pub(super) const ROW: usize = 32;

/// Number of layers of the largest degree.
const LAYERS: u32 = 10;

/// Number of rows of the largest degree.
const MOST_ROWS: usize = (1 << LAYERS) / ROW;

/// Factors of a row, word by word.
#[derive(Clone, Copy)]
// The alignment lets one load read a single cache line.
#[cfg_attr(target_arch = "x86_64", repr(align(64)))]
pub(super) struct Factors {
    pub(super) w: [i16; ROW],
    /// `w / P` modulo `2^16`.
    pub(super) quotient: [i16; ROW],
}

impl Factors {
    const ZERO: Self = Self {
        w: [0; ROW],
        quotient: [0; ROW],
    };

    /// Sets the factor of one column.
    const fn set<M: Modulus>(&mut self, column: usize, w: i16) {
        self.w[column] = w;
        self.quotient[column] = w.wrapping_mul(M::P_INV);
    }

    /// Makes factors that are the same in every column.
    const fn splat<M: Modulus>(w: i16) -> Self {
        Self {
            w: [w; ROW],
            quotient: [w.wrapping_mul(M::P_INV); ROW],
        }
    }
}

/// `zeta(k)` in Montgomery form.
pub(crate) struct Zetas([i16; 1 << LAYERS]);

impl Zetas {
    pub(super) const fn new<M: Modulus>() -> Self {
        let mut zetas = [0; 1 << LAYERS];
        let mut power = 65536 % M::P as i64;
        let mut e = 0;
        while e < 1 << LAYERS {
            zetas[reversed(e)] = centre(power, M::P);
            power = power * M::ROOT as i64 % M::P as i64;
            e += 1;
        }
        Self(zetas)
    }

    /// Returns `zeta(2^j + i)` for the blocks `i` of layer `j`, in order.
    #[inline]
    pub(super) fn layer(&self, j: u32) -> &[i16] {
        self.0.get(1 << j..2 << j).unwrap_or(&[])
    }
}

/// Reverses ten bits.
const fn reversed(k: usize) -> usize {
    k.reverse_bits() >> (usize::BITS - LAYERS)
}

/// `g^e x`, centred.
const fn power<M: Modulus>(e: usize, x: i64) -> i16 {
    let p = M::P as i64;
    let e = (e % (2 << LAYERS)) as u32;
    centre(pow_mod(M::ROOT as i64, e, p) * x % p, M::P)
}

/// Returns the index, among the 64 words of two rows, of the word in `column` of the first row, in
/// the layer that pairs words of distance `2^layer`. Bit `layer` of the index decides between the
/// two rows, and the other bits decide the column.
///
/// At first, bit 5 decides the row. An exchange of blocks of `2^k` words swaps that bit with bit
/// `k` of the column. The exchanges of 16, 8 and so on down to `2^layer` have been made.
const fn index_of(column: usize, layer: u32) -> usize {
    let low = column & ((1 << layer) - 1);
    let high = column >> layer;
    high << (layer + 1) | low
}

/// Factors of the forward transform by rows.
pub(crate) struct Forward {
    /// Factor of node `k`, if its words fill two rows or more.
    rows: [Factors; MOST_ROWS],
    /// Factors of node `k`, which is a pair of rows, in the layers of distance 16, 8, 4, 2 and 1.
    /// The factors of the last layer convert into Montgomery form.
    pairs: [[Factors; 5]; MOST_ROWS],
    /// The factor that converts into Montgomery form.
    pub(super) into_montgomery: Factors,
}

impl Forward {
    pub(crate) const fn new<M: Modulus>() -> Self {
        let r = 65536 % M::P as i64;
        let mut rows = [Factors::ZERO; MOST_ROWS];
        let mut pairs = [[Factors::ZERO; 5]; MOST_ROWS];
        let mut k = 1;
        while k < MOST_ROWS {
            rows[k] = Factors::splat::<M>(power::<M>(reversed(k), r));
            let mut layer = 0;
            while layer < 5 {
                let mut column = 0;
                while column < ROW {
                    // Among the 64 words, blocks of this layer have 2^(layer + 1) words.
                    let block = index_of(column, layer) >> (layer + 1);
                    let node = (k << (5 - layer)) + block;
                    let form = if layer == 0 { r * r % M::P as i64 } else { r };
                    let w = power::<M>(reversed(node), form);
                    pairs[k][4 - layer as usize].set::<M>(column, w);
                    column += 1;
                }
                layer += 1;
            }
            k += 1;
        }
        Self {
            rows,
            pairs,
            into_montgomery: Factors::splat::<M>(M::R2),
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, node: usize) -> &Factors {
        &self.rows[node % MOST_ROWS]
    }

    #[inline(always)]
    pub(super) fn pair(&self, node: usize) -> &[Factors; 5] {
        &self.pairs[node % MOST_ROWS]
    }
}

/// Factors of the inverse transform by rows.
///
/// The polynomial of a node `k` with `m` words is taken modulo `x^m - c`. With `y = x / s` and a
/// suitable `s`, it is taken modulo `y^m - 1` for every node. So the factor of a word depends on
/// its place in the node, not on the node. The last product converts from `y` back to `x`.
pub(crate) struct Inverse {
    /// Factors in the layers of distance 2, 4, 8 and 16.
    pub(super) pairs: [Factors; 4],
    /// Factors in the layer of a distance of `h` rows: element `h + i` is for row `i < h` of a
    /// node.
    rows: [Factors; MOST_ROWS],
    /// Factors of the last product: element `r + i` is for row `i` of a polynomial of `r` rows.
    /// They convert back to `x`, divide by the degree and convert out of Montgomery form.
    last: [Factors; 2 * MOST_ROWS],
}

impl Inverse {
    pub(super) const fn new<M: Modulus>() -> Self {
        let p = M::P as i64;
        let r = 65536 % p;
        let order = 2usize << LAYERS;
        let mut pairs = [Factors::ZERO; 4];
        let mut layer = 1;
        while layer < 5 {
            let mut column = 0;
            while column < ROW {
                let at = index_of(column, layer) & ((1 << layer) - 1);
                let w = power::<M>(order - (1 << (LAYERS - layer)) * at, r);
                pairs[layer as usize - 1].set::<M>(column, w);
                column += 1;
            }
            layer += 1;
        }
        let mut rows = [Factors::ZERO; MOST_ROWS];
        let mut last = [Factors::ZERO; 2 * MOST_ROWS];
        let mut h = 1;
        while h <= MOST_ROWS {
            let step = MOST_ROWS / h;
            let inverse_degree = pow_mod((p + 1) / 2, (h * ROW).ilog2(), p);
            let mut at = 0;
            while at < h * ROW {
                let (row, column) = (h + at / ROW, at % ROW);
                let e = order - step * at;
                if h < MOST_ROWS {
                    rows[row].set::<M>(column, power::<M>(e, r));
                }
                last[row].set::<M>(column, power::<M>(e, inverse_degree));
                at += 1;
            }
            h *= 2;
        }
        Self { pairs, rows, last }
    }

    /// Returns the factors of the layer of a distance of `h` rows.
    #[inline(always)]
    pub(super) fn distance(&self, h: usize) -> &[Factors] {
        self.rows.get(h..2 * h).unwrap_or(&[])
    }

    /// Returns the factors of the layer of a distance of `H` rows.
    #[inline(always)]
    pub(super) fn distance_of<const H: usize>(&self) -> &[Factors; H] {
        self.rows
            .as_chunks()
            .0
            .get(1)
            .unwrap_or(&[Factors::ZERO; H])
    }

    /// Returns the factors of the last product for polynomials of `COUNT` rows.
    #[inline(always)]
    pub(super) fn last_of<const COUNT: usize>(&self) -> &[Factors; COUNT] {
        self.last
            .as_chunks()
            .0
            .get(1)
            .unwrap_or(&[Factors::ZERO; COUNT])
    }

    /// Returns the factors of the last product for polynomials of `count` rows.
    #[inline(always)]
    pub(super) fn last(&self, count: usize) -> &[Factors] {
        self.last.get(count..2 * count).unwrap_or(&[])
    }
}

/// `1/n mod P`, centred, for `n = 2^logn`.
pub(super) const fn inverse_degree<M: Modulus>(logn: u32) -> i16 {
    let p = M::P as i64;
    centre(pow_mod((p + 1) / 2, logn, p), M::P)
}
