//! Compares every operation with the machine's own binary64 unit, bit for bit, and nearly all of
//! them on both register widths.

use super::word::{Word, Word32, Word64};
use super::{arith, convert, div, half, lt_mask, neg, sqrt, sub};
use std::vec::Vec;

/// Number of random cases for each operation. A pair is checked in both orders.
const CASES: usize = if cfg!(debug_assertions) {
    1_000_000
} else {
    5_000_000
};

/// Evaluates a binary operation on both widths.
macro_rules! both {
    ($operation:path) => {
        [
            |a, b| $operation(Word64::new(), a, b),
            |a, b| $operation(Word32::new(), a, b),
        ]
    };
}

/// The random generator SplitMix64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// Draws a fraction field: a random one, or one of the kinds that give ties and carries.
    fn fraction(&mut self) -> u64 {
        let all = (1u64 << 52) - 1;
        let cut = self.below(53);
        match self.below(8) {
            0 => 0,
            1 => all,
            2 => (all << cut) & all,
            3 => all >> cut,
            4 => (1 << cut) & all,
            5 => (self.word() << cut) & all,
            _ => self.word() & all,
        }
    }

    fn with_exponent(&mut self, e: u64) -> u64 {
        (self.word() & (1 << 63)) | (e << 52) | self.fraction()
    }

    /// Draws any operand of the contract: exponents -960 to 959, now and then a zero.
    fn operand(&mut self) -> u64 {
        if self.below(64) == 0 {
            return self.word() & (1 << 63);
        }
        let e = 63 + self.below(1920);
        self.with_exponent(e)
    }

    /// Draws two operands, mostly with close exponents, sometimes with close or equal magnitudes.
    fn pair(&mut self) -> (u64, u64) {
        let a = self.operand();
        if a << 1 == 0 {
            return (a, self.operand());
        }
        let e = (a >> 52) & 0x7FF;
        let near =
            |e: u64, shift: u64, range: u64| (e + shift).saturating_sub(range).clamp(63, 1982);
        let b = match self.below(8) {
            0 => self.operand(),
            1 => a ^ (self.word() & (1 << 63)),
            2 => {
                let ulps = self.below(9).wrapping_sub(4);
                let b = a.wrapping_add(ulps) ^ (self.word() & (1 << 63));
                let e = near((b >> 52) & 0x7FF, 0, 0);
                (b & !(0x7FF << 52)) | (e << 52)
            }
            3 => {
                let shift = self.below(5);
                self.with_exponent(near(e, shift, 2))
            }
            _ => {
                let shift = self.below(141);
                self.with_exponent(near(e, shift, 70))
            }
        };
        (a, b)
    }
}

/// Operands at the edges: zeros, powers of two and their neighbours, ties of
/// the integer conversions, the ends of the contract.
fn edges() -> Vec<u64> {
    let mut list = std::vec![0u64];
    for e in [
        -960, -959, -500, -64, -54, -53, -52, -12, -11, -10, -2, -1, 0, 1, 2, 10, 51, 52, 53, 54,
        61, 499, 958, 959,
    ] {
        let base = ((e + 1023) as u64) << 52;
        let end = (1u64 << 52) - 1;
        for fraction in [
            0,
            1,
            2,
            3,
            end >> 1,
            (end >> 1) + 1,
            (end >> 1) + 2,
            end - 2,
            end - 1,
            end,
        ] {
            list.push(base | fraction);
        }
    }
    for k in 0..40u64 {
        list.push((k as f64 / 4.0).to_bits());
        list.push((k as f64 / 2.0 + 1_048_576.5).to_bits());
        list.push((k as f64 / 2.0 + 2_251_799_813_685_240.0).to_bits());
    }
    let negated: Vec<u64> = list.iter().map(|x| x ^ (1 << 63)).collect();
    list.extend(negated);
    list
}

fn for_each_pair(seed: u64, mut check: impl FnMut(u64, u64)) {
    let edges = edges();
    for &a in &edges {
        for &b in &edges {
            check(a, b);
        }
    }
    let mut random = Random(seed);
    for _ in 0..CASES {
        let (a, b) = random.pair();
        check(a, b);
        check(b, a);
    }
}

fn for_each_operand(seed: u64, mut check: impl FnMut(u64)) {
    edges().into_iter().for_each(&mut check);
    let mut random = Random(seed);
    for _ in 0..CASES {
        check(random.operand());
    }
}

/// Returns true if a result is in the range of the contract. `zero` is true if the exact result is
/// zero.
fn is_in_range(result: f64, zero: bool) -> bool {
    let magnitude = result.abs();
    let range = 2f64.powi(-1020)..2f64.powi(1020);
    zero || range.contains(&magnitude)
}

/// Checks both widths of a binary operation against the native one.
fn check_binary(
    seed: u64,
    ours: [fn(u64, u64) -> u64; 2],
    native: fn(f64, f64) -> f64,
    zero: fn(f64, f64) -> bool,
) {
    for_each_pair(seed, |a, b| {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        if !is_in_range(native(x, y), zero(x, y)) {
            return;
        }
        let want = native(x, y).to_bits();
        for (got, width) in [(ours[0](a, b), 64), (ours[1](a, b), 32)] {
            assert_eq!(
                got, want,
                "{a:#018x} {b:#018x}: {got:#018x} is not {want:#018x}, width {width}"
            );
        }
    });
}

#[test]
fn add_has_the_bits_of_the_native_unit() {
    check_binary(1, both!(arith::add), |a, b| a + b, |a, b| a == -b);
}

#[test]
fn sub_has_the_bits_of_the_native_unit() {
    check_binary(
        2,
        [sub, |a, b| arith::add(Word32::new(), a, neg(b))],
        |a, b| a - b,
        |a, b| a == b,
    );
}

#[test]
fn add_sub_has_the_bits_of_add_and_sub() {
    for_each_pair(14, |a, b| {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let want = ((x + y).to_bits(), (x - y).to_bits());
        assert_eq!(
            arith::add_sub(Word64::new(), a, b),
            want,
            "{a:#018x} {b:#018x}"
        );
        assert_eq!(
            arith::add_sub(Word32::new(), a, b),
            want,
            "{a:#018x} {b:#018x}"
        );
    });
}

#[test]
fn complex_mul_is_four_products_a_difference_and_a_sum() {
    let mut random = Random(15);
    for _ in 0..CASES / 4 {
        let ((a, b), (c, d)) = (random.pair(), random.pair());
        let [x, y, u, v] = [a, b, c, d].map(f64::from_bits);
        let want = [(x * u - y * v).to_bits(), (x * v + y * u).to_bits()];
        // Some products are outside the range of the operands of a sum.
        let products = [x * u, y * v, x * v, y * u].map(f64::abs);
        let exact = |p: f64, a: f64, b: f64| p != 0.0 || a == 0.0 || b == 0.0;
        if !(exact(x * u, x, u) && exact(y * v, y, v) && exact(x * v, x, v) && exact(y * u, y, u)) {
            continue;
        }
        if products
            .iter()
            .all(|p| *p == 0.0 || (2f64.powi(-960)..2f64.powi(959)).contains(p))
        {
            assert_eq!(arith::complex_mul(Word64::new(), [a, b], [c, d]), want);
            assert_eq!(arith::complex_mul(Word32::new(), [a, b], [c, d]), want);
        }
    }
}

#[test]
fn mul_has_the_bits_of_the_native_unit() {
    check_binary(
        3,
        both!(arith::mul),
        |a, b| a * b,
        |a, b| a == 0.0 || b == 0.0,
    );
}

#[test]
fn div_has_the_bits_of_the_native_unit() {
    check_binary(
        4,
        both!(div::div),
        |a, b| a / b,
        |a, b| a == 0.0 && b != 0.0,
    );
}

#[test]
fn quotients_next_to_ties_round_correctly() {
    // a = (q + 1/2 ulp) b cannot be exact for 53-bit a, but numbers next to such products bring the
    // quotient as close to a tie as possible.
    let mut random = Random(5);
    for _ in 0..CASES / 4 {
        let (q, b) = (random.with_exponent(1023), random.with_exponent(1023));
        let a = f64::from_bits(q) * f64::from_bits(b);
        for a in [a.to_bits() - 1, a.to_bits(), a.to_bits() + 1] {
            let want = (f64::from_bits(a) / f64::from_bits(b)).to_bits();
            assert_eq!(div::div(Word64::new(), a, b), want, "{a:#018x} {b:#018x}");
            assert_eq!(div::div(Word32::new(), a, b), want, "{a:#018x} {b:#018x}");
        }
    }
}

#[test]
fn sqrt_has_the_bits_of_the_native_unit() {
    let check = |a: u64| {
        let want = f64::from_bits(a).sqrt().to_bits();
        assert_eq!(sqrt::sqrt(Word64::new(), a), want, "{a:#018x}");
        assert_eq!(sqrt::sqrt(Word32::new(), a), want, "{a:#018x}");
    };
    for_each_operand(6, |a| check(a & !(u64::from(a << 1 != 0) << 63)));
    // Squares have exact roots. Their neighbours miss exact roots most closely.
    let mut random = Random(7);
    for _ in 0..CASES / 4 {
        let e = 1000 + random.below(40);
        let root = f64::from_bits(random.with_exponent(e));
        let square = (root * root).to_bits();
        (square - 1..=square + 1).for_each(check);
    }
}

#[test]
fn reciprocals_are_lower_bounds_as_close_as_the_proofs_need() {
    let mut random = Random(16);
    for i in 0..CASES / 10 {
        let m = match i {
            0 => 1 << 52,
            1 => (1 << 53) - 1,
            _ => (1 << 52) | random.fraction(),
        };
        // 1 - d p in units of 2^-127.
        let error =
            (1 << 127) - u128::from(m << 11) * u128::from(div::reciprocal(Word64::new(), m << 11));
        assert!(error > 0 && error < 1 << (127 - 60), "{m:#x}");
        for odd in [0, 1] {
            let r = u128::from(sqrt::reciprocal(Word64::new(), m << (10 + odd), odd));
            let m = u128::from(m << (10 + odd));
            // 1 - M r^2 in units of 2^-126, rounded up.
            let product = m * ((r * r) >> 64) + ((m * ((r * r) & u128::from(u64::MAX))) >> 64);
            let error = (1 << 126) - product;
            assert!(error > 0 && error < 1 << (126 - 58), "{m:#x}");
        }
    }
}

#[test]
fn neg_and_half_have_the_bits_of_the_native_unit() {
    for_each_operand(8, |a| {
        let x = f64::from_bits(a);
        assert_eq!(neg(a), (-x).to_bits(), "{a:#018x}");
        assert_eq!(half(a), (x / 2.0).to_bits(), "{a:#018x}");
    });
}

#[test]
fn lt_mask_has_the_order_of_the_native_unit() {
    for_each_pair(9, |a, b| {
        let want = u64::from(f64::from_bits(a) < f64::from_bits(b)).wrapping_neg();
        assert_eq!(lt_mask(a, b), want, "{a:#018x} {b:#018x}");
    });
}

#[test]
fn from_i64_rounds_like_the_native_conversion() {
    fn check(x: i64) {
        let want = (x as f64).to_bits();
        assert_eq!(convert::from_i64(Word64::new(), x), want, "{x}");
        assert_eq!(convert::from_i64(Word32::new(), x), want, "{x}");
    }
    for k in 0..64 {
        for step in -9..=9 {
            check((1i64 << k).wrapping_add(step));
            check((1i64 << k).wrapping_neg().wrapping_add(step));
            check(((3i64 << 53) >> 1).wrapping_shl(k).wrapping_add(step));
        }
    }
    let mut random = Random(10);
    for _ in 0..CASES {
        let shift = random.below(64);
        check((random.word() as i64) >> shift);
        check((random.fraction() << shift) as i64);
    }
}

#[test]
fn conversions_to_integers_agree_with_the_native_unit() {
    fn check<W: Word>(w: W, a: u64) {
        let x = f64::from_bits(a);
        if x.abs() < 9.2e18 {
            assert_eq!(convert::trunc(w, a), x as i64, "trunc {a:#018x}");
        }
        if x.abs() < 4.6e18 {
            assert_eq!(convert::floor(w, a), x.floor() as i64, "floor {a:#018x}");
            assert_eq!(
                convert::rint(w, a),
                x.round_ties_even() as i64,
                "rint {a:#018x}"
            );
        }
    }
    for_each_operand(11, |a| {
        check(Word64::new(), a);
        check(Word32::new(), a);
    });
    let mut random = Random(12);
    for _ in 0..CASES {
        let e = 1023 - 70 + random.below(133);
        let a = random.with_exponent(e);
        check(Word64::new(), a);
        check(Word32::new(), a);
        // Ties are integers plus one half, of either sign.
        let shift = 12 + random.below(50);
        let tie = ((random.word() as i64) >> shift) as f64 + 0.5;
        check(Word64::new(), tie.to_bits());
        check(Word32::new(), tie.to_bits());
    }
}

#[test]
fn word_primitives_agree_at_every_distance() {
    let mut random = Random(13);
    let (wide, narrow) = (Word64::new(), Word32::new());
    for _ in 0..CASES / 100 {
        let (a, b) = (random.word() >> random.below(64), random.fraction());
        assert_eq!(wide.mul_wide(a, b), narrow.mul_wide(a, b));
        for x in [a >> 1, b, 0, 1 << 63] {
            assert_eq!(wide.leading_zeros(x), narrow.leading_zeros(x), "{x:#x}");
        }
        for x in [a, !a] {
            let mask = if x >> 63 == 1 { u64::MAX } else { 0 };
            assert_eq!((wide.mask(x), narrow.mask(x)), (mask, mask), "{x:#x}");
        }
        for n in 0..64 {
            assert_eq!(wide.shl(a, n), narrow.shl(a, n), "{a:#x} << {n}");
            let (x, bit) = (a >> 1, n & 1);
            assert_eq!(wide.shl_bit(x, bit), x << bit, "{x:#x}");
            assert_eq!(narrow.shl_bit(x, bit), x << bit, "{x:#x}");
            let x = a >> n;
            assert_eq!((wide.sticky(x & !1), narrow.sticky(x & !1)), {
                let bit = u64::from(x > 1);
                (bit, bit)
            });
            // Makes x even if it is below 2^32.
            let x = (x >> 1) & !u64::from(x >> 33 == 0);
            if x > 0 {
                let up = u64::from(x.leading_zeros()) - 1;
                assert_eq!(wide.normalise(x), (x << up, up), "{x:#x}");
                assert_eq!(narrow.normalise(x), (x << up, up), "{x:#x}");
            }
            assert_eq!(wide.shr(a, n), narrow.shr(a, n), "{a:#x} >> {n}");
            let sticky = (a >> n) | u64::from((a >> n) << n != a);
            if n > 0 {
                assert_eq!(wide.shr_sticky(a, n), sticky, "{a:#x} >> {n}");
                assert_eq!(narrow.shr_sticky(a, n), sticky, "{a:#x} >> {n}");
            }
        }
    }
}
