//! Control bits of a permutation, in constant time.
//!
//! For `pi` on `2^w` points and `X(x) = x ^ 1`: `P = pi X pi^-1 X`, and `c(x)` is the least element
//! of the cycle of `x` under `P`. Control bits of the first layer are `f_j = c(2j) mod 2`, and
//! `F(x) = x ^ f_(x/2)`; those of the last layer `l_j = F(pi(2j)) mod 2`, and `L(x) = x ^ l_(x/2)`.
//! `M = F pi L` keeps parity, so the layers between are those of `M(2j) / 2` and `M(2j+1) / 2`, the
//! even one first. On two points the bit is `pi(0)`.
//!
//! The `2^l` permutations of level `l` are interleaved: element `x` of permutation `s` is at place
//! `x 2^l + s`. Then the halves of `M` are where they were, and control bit `j` of permutation `s`
//! is bit `j 2^l + s` of the layer.
//!
//! A permutation is applied by sorting. `A = pi X pi^-1` is its own inverse and `P = A X`, so
//! `P^-1(x) = X P(X x)`, for every power of `P` too: the inverse costs no sort.
//!
//! Source: D. J. Bernstein, "Verified fast formulas for control bits for permutation networks",
//! eprint 2020/1493.

use crate::sort::sort;
use falcon_lanes::Isa;

/// Number of words of scratch for `2^m` points.
pub(crate) const fn scratch_len(m: usize) -> usize {
    6 << m
}

/// ORs the control bits of `pi`, a permutation of `2^m` points with `m >= 3`, to `out`, which has
/// `(2m-1) 2^(m-1)` bits, rounded up to bytes. `pi` is used up; `scratch` has [`scratch_len`]
/// words. The caller wipes both.
pub(crate) fn control_bits<I: Isa>(
    isa: I,
    m: usize,
    pi: &mut [u32],
    out: &mut [u8],
    scratch: &mut [u32],
) {
    for level in 0..m - 1 {
        isa.vectorize(
            #[inline(always)]
            || {
                let mut level = Level::new(isa, m, level, scratch);
                level.reduce(pi, out);
            },
        );
    }
    // On two points.
    put_bits(&pi[..1 << (m - 1)], (m - 1) << (m - 1), out);
}

/// ORs the low bits of `values` to the bits of `out` from number `start` on.
#[inline(always)]
fn put_bits(values: &[u32], start: usize, out: &mut [u8]) {
    for (i, &value) in values.iter().enumerate() {
        let bit = start + i;
        out[bit / 8] |= ((value & 1) as u8) << (bit % 8);
    }
}

/// One level of the recursion.
struct Level<'a, I> {
    isa: I,
    m: usize,
    level: usize,
    /// Least elements so far.
    c: &'a mut [u32],
    /// A power of `P`.
    power: &'a mut [u32],
    /// The inverse of `pi`.
    inverse: &'a mut [u32],
    /// Words to sort.
    keys: &'a mut [u32],
    spare: &'a mut [u32],
    bits: &'a mut [u32],
}

/// The smaller one.
#[inline(always)]
fn least(a: u32, b: u32) -> u32 {
    crate::sort::Ordered::min_max(a, b)[0]
}

impl<'a, I: Isa> Level<'a, I> {
    #[inline(always)]
    fn new(isa: I, m: usize, level: usize, scratch: &'a mut [u32]) -> Self {
        let q = 1 << m;
        let (c, rest) = scratch.split_at_mut(q);
        let (power, rest) = rest.split_at_mut(q);
        let (inverse, rest) = rest.split_at_mut(q);
        let (keys, rest) = rest.split_at_mut(q);
        let (spare, rest) = rest.split_at_mut(q);
        let bits = &mut rest[..q];
        Self {
            isa,
            m,
            level,
            c,
            power,
            inverse,
            keys,
            spare,
            bits,
        }
    }

    /// Base-2 logarithm of the number of points.
    #[inline(always)]
    fn w(&self) -> usize {
        self.m - self.level
    }

    #[inline(always)]
    fn sort(&mut self) {
        sort(self.isa, self.keys, 1 << self.level, self.spare);
    }

    /// Sets every key from its place, the point there, and the place of the neighbour `X x`.
    #[inline(always)]
    fn set_keys(&mut self, key: impl Fn(&Self, usize, u32, usize) -> u32) {
        let stride = 1 << self.level;
        for place in 0..self.keys.len() {
            let x = (place >> self.level) as u32;
            self.keys[place] = key(self, place, x, place ^ stride);
        }
    }

    /// Writes the control bits of the first and the last layer, and replaces `pi` by the
    /// permutations of the next level.
    #[inline(always)]
    fn reduce(&mut self, pi: &mut [u32], out: &mut [u8]) {
        let (w, level, stride) = (self.w(), self.level, 1 << self.level);
        let q = 1 << self.m;
        let mask = (1 << w) - 1;
        self.start(pi, mask);
        self.find_least(mask);

        // The first layer.
        self.pairs(|this, place, pair| this.bits[pair] = this.c[place] & 1);
        put_bits(&self.bits[..q / 2], level * q / 2, out);
        // F pi, by the inverse of pi.
        self.set_keys(
            #[inline(always)]
            |this, place, x, _| {
                let pair = pair_of(place, level);
                this.inverse[place] << w | (x ^ this.bits[pair])
            },
        );
        self.sort();
        // The last layer, and F pi L.
        self.pairs(|this, place, pair| this.bits[pair] = this.keys[place] & 1);
        put_bits(&self.bits[..q / 2], (2 * self.m - 2 - level) * q / 2, out);
        for pair in 0..q / 2 {
            let place = (pair >> level) << (level + 1) | pair & (stride - 1);
            let (a, b) = (self.keys[place] & mask, self.keys[place + stride] & mask);
            let swap = (a ^ b) & 0u32.wrapping_sub(self.bits[pair]);
            pi[place] = (a ^ swap) >> 1;
            pi[place + stride] = (b ^ swap) >> 1;
        }
    }

    /// Calls `visit` with the place of the first element of every pair, and the number of the pair.
    #[inline(always)]
    fn pairs(&mut self, visit: impl Fn(&mut Self, usize, usize)) {
        for pair in 0..1 << (self.m - 1) {
            let low = pair & ((1 << self.level) - 1);
            visit(self, (pair >> self.level) << (self.level + 1) | low, pair);
        }
    }

    /// Finds the inverse of `pi`, `P`, and `c` of one step.
    #[inline(always)]
    fn start(&mut self, pi: &[u32], mask: u32) {
        let w = self.w();
        // Three numbers fit in a word that is below half of its range.
        if 3 * w < 32 {
            self.set_keys(
                #[inline(always)]
                |_, place, x, next| pi[place] << (2 * w) | pi[next] << w | x,
            );
            self.sort();
            for place in 0..self.keys.len() {
                self.power[place] = self.keys[place] >> w & mask;
                self.inverse[place] = self.keys[place] & mask;
            }
        } else {
            self.set_keys(
                #[inline(always)]
                |_, place, _, next| pi[place] << w | pi[next],
            );
            self.sort();
            for place in 0..self.keys.len() {
                self.power[place] = self.keys[place] & mask;
            }
            self.set_keys(
                #[inline(always)]
                |_, place, x, _| pi[place] << w | x,
            );
            self.sort();
            for place in 0..self.keys.len() {
                self.inverse[place] = self.keys[place] & mask;
            }
        }
        // P = A X.
        let stride = 1 << self.level;
        for pair in self.power.chunks_exact_mut(2 * stride) {
            let (x, y) = pair.split_at_mut(stride);
            x.swap_with_slice(y);
        }
        for place in 0..self.c.len() {
            self.c[place] = least((place >> self.level) as u32, self.power[place]);
        }
    }

    /// Finds the least elements of all cycles, whose lengths are at most `2^(w-1)`: `c` of `2^i`
    /// steps is the lesser one of `c` of `2^(i-1)` steps at `x` and at `P^(2^(i-1)) x`.
    #[inline(always)]
    fn find_least(&mut self, mask: u32) {
        let w = self.w();
        if w < 3 {
            return;
        }
        self.double(mask);
        for i in 2..w {
            let last = i + 1 == w;
            if last {
                self.step_least(mask);
            } else if 3 * w < 32 {
                self.set_keys(
                    #[inline(always)]
                    |this, place, _, next| {
                        (this.power[next] ^ 1) << (2 * w) | this.c[place] << w | this.power[place]
                    },
                );
                self.sort();
                for place in 0..self.keys.len() {
                    self.c[place] = least(self.c[place], self.keys[place] >> w & mask);
                    self.power[place] = self.keys[place] & mask;
                }
            } else {
                self.step_least(mask);
                self.double(mask);
            }
        }
    }

    /// `c(x)` becomes the lesser one of `c(x)` and `c(P x)`.
    #[inline(always)]
    fn step_least(&mut self, mask: u32) {
        let w = self.w();
        self.set_keys(
            #[inline(always)]
            |this, place, _, next| (this.power[next] ^ 1) << w | this.c[place],
        );
        self.sort();
        for place in 0..self.keys.len() {
            self.c[place] = least(self.c[place], self.keys[place] & mask);
        }
    }

    /// `P` becomes `P P`.
    #[inline(always)]
    fn double(&mut self, mask: u32) {
        let w = self.w();
        self.set_keys(
            #[inline(always)]
            |this, place, _, next| (this.power[next] ^ 1) << w | this.power[place],
        );
        self.sort();
        for place in 0..self.keys.len() {
            self.power[place] = self.keys[place] & mask;
        }
    }
}

/// Number of the pair that `place` belongs to.
#[inline(always)]
fn pair_of(place: usize, level: usize) -> usize {
    (place >> (level + 1)) << level | place & ((1 << level) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// The network, applied to the numbers of the points.
    fn replay(m: usize, control: &[u8]) -> Vec<u32> {
        let mut points: Vec<u32> = (0..1 << m).collect();
        for l in 0..2 * m - 1 {
            let stride = 1 << if l < m { l } else { 2 * m - 2 - l };
            let firsts = (0..1 << m).filter(|i| i & stride == 0);
            for (pair, i) in firsts.enumerate() {
                let number = (l << (m - 1)) + pair;
                if control[number / 8] >> (number % 8) & 1 == 1 {
                    points.swap(i, i + stride);
                }
            }
        }
        points
    }

    fn check<I: Isa>(isa: I, m: usize, pi: &[u32]) {
        let mut out = vec![0; ((2 * m - 1) << (m - 1)).div_ceil(8)];
        let mut used = pi.to_vec();
        control_bits(isa, m, &mut used, &mut out, &mut vec![0; scratch_len(m)]);
        assert_eq!(replay(m, &out), pi);
    }

    /// Calls `visit` with every permutation of `pi` from place `fixed` on.
    fn permutations(pi: &mut [u32], fixed: usize, visit: &mut impl FnMut(&[u32])) {
        if fixed == pi.len() {
            return visit(pi);
        }
        for i in fixed..pi.len() {
            pi.swap(fixed, i);
            permutations(pi, fixed + 1, visit);
            pi.swap(fixed, i);
        }
    }

    #[test]
    fn all_permutations_of_eight_points() {
        let mut count = 0;
        permutations(&mut [0, 1, 2, 3, 4, 5, 6, 7], 0, &mut |pi| {
            count += 1;
            check(falcon_lanes::Baseline, 3, pi);
        });
        assert_eq!(count, 40_320);
    }

    fn random<I: Isa>(isa: I) {
        let mut state = 1u64;
        let mut next = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for m in 3..=13 {
            for _ in 0..if m < 10 { 20 } else { 2 } {
                let mut pi: Vec<u32> = (0..1 << m).collect();
                for i in (1..pi.len()).rev() {
                    pi.swap(i, next(i + 1));
                }
                check(isa, m, &pi);
            }
            // One cycle of all points, and the identity.
            let len = 1u32 << m;
            check(isa, m, &(0..len).map(|x| (x + 1) % len).collect::<Vec<_>>());
            check(isa, m, &(0..len).collect::<Vec<_>>());
            check(isa, m, &(0..len).rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn random_permutations_of_every_size() {
        on_every_engine!(isa => random(isa));
    }
}
