//! Operands for the difficult cases of a binary64 unit: ties, cancellations, both ends of the
//! range, and operands that are not numbers. They are the same in every run.

const SIGN: u64 = 1 << 63;
const FRACTION: u64 = (1 << 52) - 1;

/// The generator SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0 .. bound`, for small bounds.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a number in `low ..= high`.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// Returns a number with the biased exponent `e`, clamped to `0 ..= 2046`.
    fn number(&mut self, e: i64) -> u64 {
        let fraction = self.fraction();
        (self.bits() & SIGN) | ((e.clamp(0, 2046) as u64) << 52) | fraction
    }

    /// Returns 52 bits: random; or random with zeros below or above; or mostly zeros; or random
    /// with ones above.
    fn fraction(&mut self) -> u64 {
        let bits = self.bits();
        let shift = self.below(52);
        let fraction = match self.below(6) {
            0 | 1 => bits,
            2 => bits << shift,
            3 => (bits & FRACTION) >> shift,
            4 => bits & self.bits() & self.bits() & self.bits() & self.bits(),
            _ => !((bits & FRACTION) >> shift),
        };
        fraction & FRACTION
    }
}

/// Returns zeros, subnormal numbers, both ends of the range of normal numbers, powers of two,
/// infinities and NaNs, with their neighbours and both signs.
pub fn specials() -> Vec<u64> {
    let mut list = vec![0, 1, 2, 3, 1 << 51, (1 << 51) | 1, FRACTION - 1, FRACTION];
    for e in [
        1, 2, 3, 52, 53, 54, 55, 511, 512, 970, 1021, 1022, 1023, 1024, 1025, 1075, 1076, 1077,
        1535, 1992, 2044, 2045, 2046,
    ] {
        let power = e << 52;
        list.extend([
            power,
            power + 1,
            power | (1 << 51),
            power | (FRACTION - 1),
            power | FRACTION,
        ]);
    }
    // These are infinity and NaNs, both signalling and quiet.
    let infinity = 2047u64 << 52;
    list.extend([
        infinity,
        infinity | 1,
        infinity | (1 << 51),
        infinity | 0x8_0000_1234_5678,
    ]);
    list.push(infinity | FRACTION);
    list.iter().flat_map(|&x| [x, x | SIGN]).collect()
}

/// Generates all pairs of specials, then random pairs without end.
pub struct Pairs {
    random: Random,
    specials: Vec<u64>,
    next: usize,
}

impl Pairs {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            specials: specials(),
            next: 0,
        }
    }

    fn random_pair(&mut self) -> (u64, u64) {
        let r = &mut self.random;
        let e = r.within(0, 2046);
        match r.below(10) {
            0 => (r.bits(), r.bits()),
            // Makes numbers with close exponents, for all alignments that matter to the result.
            1 | 2 => {
                let by = r.within(-60, 60);
                (r.number(e), r.number(e + by))
            }
            // Makes numbers with opposite signs, exponents that are equal or nearly equal, and
            // significands that differ in few digits.
            3 | 4 => {
                let (a, by) = (r.number(e), r.within(-1, 1));
                let step = (r.bits() >> r.within(11, 63)) as i64 * r.within(-1, 1);
                let b = (a ^ SIGN)
                    .wrapping_add((by << 52) as u64)
                    .wrapping_add(step as u64);
                (a, b)
            }
            // Makes a sum that is a tie, or one last place of the smaller operand away from a tie.
            5 => {
                let (a, beside) = (r.number(e), r.within(-1, 1));
                let half = ((e - 53).max(0) as u64) << 52;
                (
                    a,
                    (half | (r.bits() & SIGN)).wrapping_add(beside as u64) & !(1 << 62),
                )
            }
            // Makes products around 2^-1022 and below it, and around 2^1024.
            6 => {
                let sum = r.within(960, 1026);
                let e = r.within(0, sum);
                (r.number(e), r.number(sum - e))
            }
            7 => {
                let sum = r.within(3066, 3072);
                let e = r.within(sum - 2046, 2046);
                (r.number(e), r.number(sum - e))
            }
            // Makes products within a last place of a power of two, at the lower bound and
            // elsewhere.
            8 => {
                let e = r.within(1, 1022);
                let low = if r.below(2) == 0 {
                    0
                } else {
                    r.within(-2, 1000)
                };
                let a = r.number(e);
                let fraction = (a & FRACTION) as i64 + (1 << 52);
                let inverse = (1i128 << 105) / i128::from(fraction);
                let b = (inverse as i64 + r.within(-1, 1)) as u64 & FRACTION;
                (a, b | (((1023 - e + low).clamp(0, 2046) as u64) << 52))
            }
            // Makes a pair of a special number and any number, in either order.
            _ => {
                let special = self.specials[r.below(self.specials.len() as u64) as usize];
                let number = r.number(e);
                if r.below(2) == 0 {
                    (special, number)
                } else {
                    (number, special)
                }
            }
        }
    }
}

impl Iterator for Pairs {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let count = self.specials.len();
        let i = self.next;
        self.next += 1;
        if i < count * count {
            return Some((self.specials[i / count], self.specials[i % count]));
        }
        Some(self.random_pair())
    }
}

/// Returns a scale for an operand: around zero, around both ends of the range, or any.
pub fn scale_of(random: &mut Random, a: u64) -> i32 {
    let e = ((a >> 52) & 0x7ff) as i64;
    let by = match random.below(5) {
        0 => random.within(-3, 3),
        1 => random.within(-56, 3) - e,
        2 => random.within(2044, 2049) - e,
        3 => random.within(-2048, 2047),
        _ => return (random.bits() >> random.within(32, 63)) as i32,
    };
    by as i32
}
