//! Control bits of a permutation, in constant time.
//!
//! For `pi` on `2^w` points and `X(x) = x ^ 1`: `P = pi X pi^-1 X`, and `c(x)` is the least element
//! of the cycle of `x` under `P`. The control bits of the first layer are `f_j = c(2j) mod 2`, and
//! `F(x) = x ^ f_(x/2)`. Those of the last layer are `l_j = F(pi(2j)) mod 2`, and
//! `L(x) = x ^ l_(x/2)`. `M = F pi L` keeps parity. So the layers between are those of `M(2j) / 2`
//! and `M(2j+1) / 2`, the even one first. On two points the control bit is `pi(0)`.
//!
//! The `2^l` permutations of level `l` are interleaved: element `x` of permutation `s` is at place
//! `x 2^l + s`. Then the halves of `M` are already in place, and control bit `j` of
//! permutation `s` is bit `j 2^l + s` of the layer.
//!
//! A permutation is applied by sorting. `A = pi X pi^-1` is its own inverse and `P = A X`. So
//! `P^-1(x) = X P(X x)`, also for every power of `P`, and the inverse needs no sort.
//!
//! One 64-bit word holds the four 16-bit numbers of a place (`Place`). Three of them fit in a sort
//! key for every `m`.
//!
//! Source: D. J. Bernstein, "Verified fast formulas for control bits for permutation networks",
//! eprint 2020/1493.

use crate::sort::sort;
use falcon_lanes::Isa;

/// Number of words of scratch for `2^m` points.
pub(crate) const fn scratch_len(m: usize) -> usize {
    3 << m
}

/// Numbers of a place: its point, the point of the inverse permutation, the point of a power of
/// `P`, and the least element so far.
#[derive(Clone, Copy)]
struct Place {
    pi: u64,
    inverse: u64,
    power: u64,
    c: u64,
}

impl Place {
    #[inline(always)]
    fn load(word: u64) -> Self {
        let part = |shift: u32| word >> shift & 0xffff;
        Self {
            pi: part(0),
            inverse: part(16),
            power: part(32),
            c: part(48),
        }
    }

    #[inline(always)]
    fn word(self) -> u64 {
        self.pi | self.inverse << 16 | self.power << 32 | self.c << 48
    }
}

/// Returns the smaller of `a` and `b`, without a branch.
#[inline(always)]
fn least(a: u64, b: u64) -> u64 {
    falcon_lanes::Ordered::min_max(a, b)[0]
}

/// ORs the control bits of `pi`, a permutation of `2^m` points with `m >= 3`, into `out`, which has
/// `(2m-1) 2^(m-1)` bits, rounded up to bytes. `scratch` has [`scratch_len`] words, which the
/// caller wipes.
#[inline(never)]
pub(crate) fn control_bits<I: Isa>(
    isa: I,
    m: usize,
    pi: impl Fn(usize) -> u32,
    out: &mut [u8],
    scratch: &mut [u64],
) {
    let (places, rest) = scratch.split_at_mut(1 << m);
    let (keys, rest) = rest.split_at_mut(1 << m);
    let spare = &mut rest[..1 << m];
    for (x, place) in places.iter_mut().enumerate() {
        *place = u64::from(pi(x));
    }
    for level in 0..m - 1 {
        let mut level = Level {
            isa,
            m,
            level,
            places: &mut *places,
            keys: &mut *keys,
            spare: &mut *spare,
        };
        level.reduce(out);
    }
    // The control bits of permutations on two points.
    let bits = places[..1 << (m - 1)].iter().map(|&place| place & 1);
    put_bits(bits, (m - 1) << (m - 1), out);
}

/// ORs the low bits of `values` into the bits of `out` from number `start` on.
fn put_bits(values: impl Iterator<Item = u64>, start: usize, out: &mut [u8]) {
    let (mut end, mut byte) = (start, 0);
    for value in values {
        byte |= ((value & 1) as u8) << (end % 8);
        end += 1;
        if end.is_multiple_of(8) {
            out[end / 8 - 1] |= byte;
            byte = 0;
        }
    }
    if !end.is_multiple_of(8) {
        out[end / 8] |= byte;
    }
}

/// One level of the recursion.
struct Level<'a, I> {
    isa: I,
    m: usize,
    level: usize,
    places: &'a mut [u64],
    keys: &'a mut [u64],
    spare: &'a mut [u64],
}

impl<I: Isa> Level<'_, I> {
    /// Number of bits of a point.
    fn w(&self) -> usize {
        self.m - self.level
    }

    /// Sets every key from its place, the point there, and the numbers at the place and at its
    /// neighbour `X x`. Then sorts the keys.
    fn sort_keys(&mut self, key: impl Fn(usize, u64, Place, Place) -> u64) {
        let stride = 1 << self.level;
        for place in 0..self.keys.len() {
            let x = (place >> self.level) as u64;
            let [here, next] = [place, place ^ stride].map(|at| Place::load(self.places[at]));
            self.keys[place] = key(place, x, here, next);
        }
        sort(self.isa, self.keys, 1 << self.level, self.spare);
    }

    /// Calls `change` with every place and its point, to change the numbers of the place.
    fn change(&mut self, change: impl Fn(&[u64], usize, u64, &mut Place)) {
        for (at, word) in self.places.iter_mut().enumerate() {
            let mut place = Place::load(*word);
            change(self.keys, at, (at >> self.level) as u64, &mut place);
            *word = place.word();
        }
    }

    /// Lists the place of the first element of every pair.
    fn pairs(&self) -> impl Iterator<Item = usize> + use<I> {
        let level = self.level;
        let low = move |pair: usize| pair & ((1 << level) - 1);
        (0..1 << (self.m - 1)).map(move |pair| (pair >> level) << (level + 1) | low(pair))
    }

    /// Writes the control bits of the first and the last layer, and replaces `pi` by the
    /// permutations of the next level.
    fn reduce(&mut self, out: &mut [u8]) {
        let (w, level, stride) = (self.w(), self.level, 1 << self.level);
        let layer = 1 << (self.m - 1);
        let mask = (1 << w) - 1;
        // Keys for the inverse of `pi`, `P = A X`, and `c` of one step.
        self.sort_keys(|_, x, here, next| here.pi << (2 * w) | next.pi << w | x);
        self.change(|keys, at, x, place| {
            place.inverse = keys[at] & mask;
            place.power = keys[at ^ stride] >> w & mask;
            place.c = least(x, place.power);
        });
        self.find_least(mask);

        // Takes the bits of the first layer, and computes F pi from the inverse of pi.
        let first = self.pairs().map(|at| Place::load(self.places[at]).c);
        put_bits(first, level * layer, out);
        self.sort_keys(|at, x, here, next| {
            let even = if at & stride == 0 { here } else { next };
            here.inverse << w | (x ^ even.c & 1)
        });
        // Takes the bits of the last layer, and computes F pi L.
        let last = self.pairs().map(|at| self.keys[at]);
        put_bits(last, (2 * self.m - 2 - level) * layer, out);
        for at in self.pairs() {
            let (a, b) = (self.keys[at] & mask, self.keys[at + stride] & mask);
            let swap = (a ^ b) & 0u64.wrapping_sub(a & 1);
            self.places[at] = (a ^ swap) >> 1;
            self.places[at + stride] = (b ^ swap) >> 1;
        }
    }

    /// Finds the least elements of all cycles. Their lengths are at most `2^(w-1)`.
    fn find_least(&mut self, mask: u64) {
        let w = self.w();
        if w < 3 {
            return;
        }
        self.sort_keys(|_, _, here, next| (next.power ^ 1) << w | here.power);
        self.change(|keys, at, _, place| place.power = keys[at] & mask);
        for _ in 2..w {
            self.sort_keys(|_, _, here, next| {
                (next.power ^ 1) << (2 * w) | here.c << w | here.power
            });
            self.change(|keys, at, _, place| {
                place.c = least(place.c, keys[at] >> w & mask);
                place.power = keys[at] & mask;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permutation::look_ups;
    use std::vec;
    use std::vec::Vec;

    /// Applies the network to the numbers of the points.
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
        control_bits(isa, m, |x| pi[x], &mut out, &mut vec![0; scratch_len(m)]);
        assert_eq!(replay(m, &out), pi);
        if m < 8 {
            return;
        }
        let mut inverse = vec![0; pi.len()];
        for (x, &y) in pi.iter().enumerate() {
            inverse[y as usize] = x;
        }
        let mut looked_up = vec![0; out.len()];
        look_ups::control_bits(
            isa,
            m,
            |x| pi[x] as usize,
            |x| inverse[x],
            &mut looked_up,
            &mut vec![0; look_ups::scratch_len(m)],
        );
        assert_eq!(looked_up, out, "by looking up");
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
            // A single cycle of all points, the identity, and the points in reversed order.
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
