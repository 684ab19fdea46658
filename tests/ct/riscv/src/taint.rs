//! Values with some secret bits, and the secret bits of results of operations.
//!
//! A rule may mark a public bit as secret. If a secret bit decides a bit of the result, the rule
//! always marks this bit as secret. The tests change secret bits at random and compare the results.

use crate::instruction::{Condition, Operation as Op};

/// A word, and a mask of its secret bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Word {
    pub(crate) value: u32,
    pub(crate) secret: u32,
}

impl From<u32> for Word {
    fn from(value: u32) -> Self {
        Self { value, secret: 0 }
    }
}

impl Word {
    /// Returns the smallest and the largest number that the public bits allow.
    fn range(self) -> (u32, u32) {
        (self.value & !self.secret, self.value | self.secret)
    }

    /// Maps the order of signed numbers to that of unsigned ones, by adding `2^31`.
    fn signed(self) -> Self {
        Self {
            value: self.value ^ 1 << 31,
            ..self
        }
    }

    fn is_public_zero(self) -> bool {
        self.value | self.secret == 0
    }
}

/// Returns every bit from the lowest set bit up. Carries can reach these bits.
fn carried(secret: u32) -> u32 {
    secret | secret.wrapping_neg()
}

/// Returns all ones if any bit of `secret` is set.
fn all(secret: u32) -> u32 {
    if secret == 0 { 0 } else { u32::MAX }
}

/// Returns the value of an operation.
fn value(operation: Op, a: u32, b: u32) -> u32 {
    let (x, y) = (a as i32, b as i32);
    let high = |product: i64| (product >> 32) as u32;
    match operation {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::ShiftLeft => a << (b & 31),
        Op::LessSigned => u32::from(x < y),
        Op::Less => u32::from(a < b),
        Op::Xor => a ^ b,
        Op::ShiftRight => a >> (b & 31),
        Op::ShiftRightSigned => (x >> (b & 31)) as u32,
        Op::Or => a | b,
        Op::And => a & b,
        Op::Multiply => a.wrapping_mul(b),
        Op::MultiplyHighSigned => high(i64::from(x) * i64::from(y)),
        Op::MultiplyHighMixed => high(i64::from(x) * i64::from(b)),
        Op::MultiplyHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::DivideSigned if b == 0 => u32::MAX,
        Op::DivideSigned => x.wrapping_div(y) as u32,
        Op::Divide => a.checked_div(b).unwrap_or(u32::MAX),
        Op::RemainderSigned if b == 0 => a,
        Op::RemainderSigned => x.wrapping_rem(y) as u32,
        Op::Remainder => a.checked_rem(b).unwrap_or(a),
    }
}

/// Returns true if the time of the operation depends on its operands on processors with a slow
/// divider.
pub(crate) fn takes_variable_time(operation: Op) -> bool {
    matches!(
        operation,
        Op::DivideSigned | Op::Divide | Op::RemainderSigned | Op::Remainder
    )
}

pub(crate) fn apply(operation: Op, a: Word, b: Word) -> Word {
    let either = a.secret | b.secret;
    let shift = b.value & 31;
    let by_secret = b.secret & 31 != 0;
    let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
    let secret = match operation {
        _ if either == 0 => 0,
        // Carries can reach the bits that differ between the smallest and the largest sum.
        Op::Add => either | low_a.wrapping_add(low_b) ^ high_a.wrapping_add(high_b),
        Op::Sub => either | low_a.wrapping_sub(high_b) ^ high_a.wrapping_sub(low_b),
        Op::Xor => either,
        Op::And => a.secret & (b.value | b.secret) | b.secret & (a.value | a.secret),
        Op::Or => a.secret & (!b.value | b.secret) | b.secret & (!a.value | a.secret),
        Op::ShiftLeft | Op::ShiftRight | Op::ShiftRightSigned if by_secret => {
            if a.is_public_zero() { 0 } else { u32::MAX }
        }
        Op::ShiftLeft => a.secret << shift,
        Op::ShiftRight => a.secret >> shift,
        Op::ShiftRightSigned => ((a.secret as i32) >> shift) as u32,
        Op::LessSigned => u32::from(is_secret(Condition::LessSigned, a, b)),
        Op::Less => u32::from(is_secret(Condition::Less, a, b)),
        _ if takes_variable_time(operation) => u32::MAX,
        _ if a.is_public_zero() || b.is_public_zero() => 0,
        Op::Multiply => carried(either),
        _ => all(either),
    };
    Word {
        value: value(operation, a.value, b.value),
        secret,
    }
}

/// True if the condition holds.
pub(crate) fn holds(condition: Condition, a: u32, b: u32) -> bool {
    match condition {
        Condition::Equal => a == b,
        Condition::NotEqual => a != b,
        Condition::LessSigned => (a as i32) < b as i32,
        Condition::GreaterEqualSigned => a as i32 >= b as i32,
        Condition::Less => a < b,
        Condition::GreaterEqual => a >= b,
    }
}

/// True if secret bits can decide the condition.
pub(crate) fn is_secret(condition: Condition, a: Word, b: Word) -> bool {
    let secret = a.secret | b.secret;
    match condition {
        // If a public bit differs, the condition is decided by public bits.
        Condition::Equal | Condition::NotEqual => secret != 0 && (a.value ^ b.value) & !secret == 0,
        Condition::LessSigned | Condition::GreaterEqualSigned => {
            is_secret(Condition::Less, a.signed(), b.signed())
        }
        Condition::Less | Condition::GreaterEqual => {
            let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
            !(high_a < low_b || low_a >= high_b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [Op; 18] = [
        Op::Add,
        Op::Sub,
        Op::ShiftLeft,
        Op::LessSigned,
        Op::Less,
        Op::Xor,
        Op::ShiftRight,
        Op::ShiftRightSigned,
        Op::Or,
        Op::And,
        Op::Multiply,
        Op::MultiplyHighSigned,
        Op::MultiplyHighMixed,
        Op::MultiplyHigh,
        Op::DivideSigned,
        Op::Divide,
        Op::RemainderSigned,
        Op::Remainder,
    ];
    const CONDITIONS: [Condition; 6] = [
        Condition::Equal,
        Condition::NotEqual,
        Condition::LessSigned,
        Condition::GreaterEqualSigned,
        Condition::Less,
        Condition::GreaterEqual,
    ];

    /// The generator SplitMix64 of Steele, Lea and Flood (2014).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ z >> 31) as u32
        }

        /// Returns a word of a random kind: zero, small, negative, with few or with many bits set.
        fn number(&mut self) -> u32 {
            let x = self.next();
            match self.next() % 6 {
                0 => 0,
                1 => x & 31,
                2 => x >> (self.next() & 31),
                3 => !(x >> (self.next() & 31)),
                4 => 1 << (x & 31),
                _ => x,
            }
        }

        fn word(&mut self) -> Word {
            Word {
                value: self.number(),
                secret: self.number(),
            }
        }

        /// Returns `word` with its secret bits changed.
        fn change(&mut self, word: Word) -> u32 {
            word.value ^ (self.next() & word.secret)
        }
    }

    #[test]
    fn public_bits_do_not_depend_on_secret_ones() {
        let mut random = Random(1);
        let mut changed = 0u64;
        for _ in 0..200_000 {
            let (a, b) = (random.word(), random.word());
            let (x, y) = (random.change(a), random.change(b));
            for operation in OPERATIONS {
                let result = apply(operation, a, b);
                let differs = result.value ^ value(operation, x, y);
                assert_eq!(differs & !result.secret, 0, "{operation:?} {a:x?} {b:x?}");
                changed += u64::from(differs != 0);
            }
            for condition in CONDITIONS {
                let differs = holds(condition, a.value, b.value) != holds(condition, x, y);
                assert!(
                    !differs || is_secret(condition, a, b),
                    "{condition:?} {a:x?} {b:x?}"
                );
                changed += u64::from(differs);
            }
        }
        assert!(changed > 1_000_000, "{changed}");
    }

    #[test]
    fn what_public_bits_decide_is_public() {
        let word = |value, secret| Word { value, secret };
        assert_eq!(apply(Op::And, word(9, 9), 1.into()), word(1, 1));
        assert_eq!(apply(Op::Or, word(9, 9), 1.into()), word(9, 8));
        assert_eq!(apply(Op::ShiftRight, word(0x80, 0xff), 8.into()), 0.into());
        assert_eq!(apply(Op::Add, word(9, 15), 0.into()), word(9, 15));
        assert_eq!(apply(Op::Add, word(9, 15), 1.into()), word(10, 31));
        assert_eq!(apply(Op::Multiply, word(5, 7), 0.into()), 0.into());
        assert_eq!(apply(Op::Less, word(3, 7), 8.into()), 1.into());
        assert_eq!(apply(Op::Less, word(3, 7), 7.into()), word(1, 1));
        assert!(!is_secret(Condition::Equal, word(9, 1), 4.into()));
        assert!(is_secret(Condition::Equal, word(9, 1), 8.into()));
        // The sign alone decides the condition, and it is public.
        assert!(!is_secret(
            Condition::LessSigned,
            word(3, !0 >> 1),
            0.into()
        ));
        assert!(is_secret(Condition::LessSigned, word(3, !0), 0.into()));
    }
}
