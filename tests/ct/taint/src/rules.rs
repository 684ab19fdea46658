//! Rules that derive the secret bytes of an instruction's results from the secret bytes of its
//! operands.

use crate::taint::bytes;

/// A rule that derives the secret bytes of a result from those of the operands.
///
/// Each rule marks every byte that can depend on a secret byte. Some rules mark more bytes. Sizes
/// and places are in bytes, shift distances in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// The result is public for all operands.
    Public,
    /// Each byte of the result may depend on each byte of the operands.
    All,
    /// Each byte depends on the bytes at the same place in the operands.
    Bytewise,
    /// As `Bytewise`, but only bytes of this mask can be secret. This is `and` with a constant.
    And(u64),
    /// Elements of this size depend on the elements at the same place.
    Elements(usize),
    /// As `Elements` of this size, with a shift by the count in the last operand.
    ElementsByCount(usize),
    /// The lowest element, of this size, depends on the lowest elements of the operands. The other
    /// elements are those of the first operand.
    Lowest(usize),
    /// The lowest element, of this size, depends on the lowest 8 bytes of the last operand. The
    /// other elements are those of the first operand.
    IntoLowest(usize),
    /// The lowest element, of this size, is that of the last operand. The other elements are those
    /// of the first operand.
    MoveLowest(usize),
    /// Each byte depends on the bytes at the same place and below: sums, products, shifts to the
    /// left.
    Upwards,
    /// Each byte depends on the bytes at the same place and above: shifts to the right.
    Downwards,
    /// Shifts to the left by this distance.
    Left(u32),
    /// Shifts to the right: distance, size of the operand, and whether the sign is copied.
    Right(u32, usize, bool),
    /// Rotates to the left: distance, size of the operand.
    Rotate(u32, usize),
    /// The result is the bytes from this place on.
    From(usize),
    /// Replaces a part of the first operand by the second: place, size of the part.
    Insert(usize, usize),
    /// Extends an integer of this size. The second field is true if the sign is copied.
    Extend(usize, bool),
    /// Elements of the first size become elements of the second.
    Resize(usize, usize),
    /// The result consists of copies of the lowest element, of this size.
    Broadcast(usize),
    /// The result is the bytes of an operand of this size, in reverse order.
    Reverse(usize),
    /// Each 16-byte part depends on the parts at the same place.
    Parts,
    /// The result is a flag: one bit of the byte at this place.
    Bit(usize),
}

/// Spreads secret bytes over elements of `size` bytes.
pub(crate) fn elements(mask: u64, size: usize) -> u64 {
    match size {
        0 | 1 => mask,
        2 => {
            let any = (mask | mask >> 1) & 0x5555_5555_5555_5555;
            any | any << 1
        }
        4 => {
            let any = mask | mask >> 1;
            let any = (any | any >> 2) & 0x1111_1111_1111_1111;
            any * 0xf
        }
        8 => {
            let any = mask | mask >> 1;
            let any = any | any >> 2;
            let any = (any | any >> 4) & 0x0101_0101_0101_0101;
            any * 0xff
        }
        16 => {
            let mut all = 0;
            for part in 0..4 {
                if mask >> (16 * part) & 0xffff != 0 {
                    all |= 0xffff << (16 * part);
                }
            }
            all
        }
        _ => unreachable!("elements of {size} bytes"),
    }
}

/// Converts `selected`, with a bit for each element of `size` bytes, to a mask with a bit for each
/// byte.
pub(crate) fn selection(selected: u64, size: usize) -> u64 {
    (0..64 / size).fold(0, |all, element| {
        all | if selected >> element & 1 == 1 {
            bytes(size) << (size * element)
        } else {
            0
        }
    })
}

fn any(mask: u64) -> u64 {
    if mask == 0 { 0 } else { !0 }
}

/// Returns every byte from the lowest secret one on.
fn upwards(mask: u64) -> u64 {
    mask | mask.wrapping_neg()
}

/// Returns every byte from the highest secret one down.
fn downwards(mask: u64) -> u64 {
    bytes(64 - mask.leading_zeros() as usize)
}

/// Returns the secret bytes of a value that is shifted to the left by `bits`.
fn left(mask: u64, bits: u32) -> u64 {
    let whole = mask << (bits / 8);
    if bits.is_multiple_of(8) {
        whole
    } else {
        whole | whole << 1
    }
}

fn right(mask: u64, bits: u32) -> u64 {
    let whole = mask >> (bits / 8);
    if bits.is_multiple_of(8) {
        whole
    } else {
        whole | mask >> (bits / 8 + 1)
    }
}

impl Rule {
    /// Returns true if the flags depend on the operands. `union` is the union of the operands'
    /// secret bytes.
    pub(crate) fn decides_flags(self, union: u64) -> bool {
        let read = match self {
            Self::Public => 0,
            Self::And(mask) => mask,
            Self::Extend(size, _) => bytes(size),
            Self::Bit(place) => 1 << place,
            _ => !0,
        };
        union & read != 0
    }

    /// Returns the mask of the result, which has `length` bytes. `flags` is true if the instruction
    /// reads a secret flag.
    #[inline(always)]
    pub(crate) fn apply(self, sources: &[u64], flags: bool, length: usize) -> u64 {
        let mut union = 0;
        for source in sources {
            union |= source;
        }
        if union == 0 && !flags {
            return 0;
        }
        let first = || sources.first().copied().unwrap_or(0);
        let last = || sources.last().copied().unwrap_or(0);
        let others = || sources[1..].iter().fold(0, |all, mask| all | mask);
        let result = match self {
            Self::Public => return 0,
            Self::All => any(union),
            Self::Bytewise => union,
            Self::And(mask) => union & mask,
            Self::Elements(size) => elements(union, size),
            Self::ElementsByCount(_) if last() & 0xff != 0 => !0,
            Self::ElementsByCount(size) => elements(first(), size),
            Self::Lowest(size) => any(union & bytes(size)) & bytes(size) | first() & !bytes(size),
            Self::IntoLowest(size) => any(last() & 0xff) & bytes(size) | first() & !bytes(size),
            Self::MoveLowest(size) => last() & bytes(size) | first() & !bytes(size),
            Self::Upwards => upwards(union),
            // The count of a shift is the last operand.
            Self::Downwards if others() != 0 => !0,
            Self::Downwards => downwards(first()),
            Self::Left(bits) => left(first(), bits),
            Self::Right(bits, size, sign) => {
                let top = first() >> (size - 1) & 1;
                let copies = if sign && top == 1 {
                    !0 << (size - 1 - bits as usize / 8)
                } else {
                    0
                };
                right(first(), bits) | copies
            }
            Self::Rotate(bits, size) => {
                let bits = bits % (8 * size as u32);
                let back = 8 * size as u32 - bits;
                left(first(), bits) | right(first(), back)
            }
            Self::From(place) => first() >> place,
            Self::Insert(place, size) => {
                let at = bytes(size) << place;
                first() & !at | last() << place & at
            }
            Self::Extend(size, sign) => {
                let value = union & bytes(size);
                let top = value >> (size - 1) & 1;
                if sign && top == 1 {
                    value | !bytes(size)
                } else {
                    value
                }
            }
            Self::Resize(from, to) => {
                let mut all = 0;
                for element in 0..64 / from.max(to) {
                    if union >> (from * element) & bytes(from) != 0 {
                        all |= bytes(to) << (to * element);
                    }
                }
                all
            }
            Self::Broadcast(size) => {
                let value = union & bytes(size);
                (0..64 / size).fold(0, |all, element| all | value << (size * element))
            }
            Self::Reverse(size) => union.reverse_bits() >> (64 - size),
            Self::Parts => elements(union, 16),
            Self::Bit(place) => any(union >> place & 1),
        };
        (if flags { !0 } else { result }) & bytes(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that each byte of `result` depends only on bytes that `rule` allows.
    fn check(rule: Rule, length: usize, result: impl Fn(u64) -> u64) {
        let word = 0x0123_4567_89ab_cdef_u64;
        for byte in 0..8 {
            let marked = rule.apply(&[1 << byte], false, length);
            for change in 1..=255 {
                let other = word ^ change << (8 * byte);
                let difference = (result(word) ^ result(other)).to_le_bytes();
                for (place, difference) in difference[..length].iter().enumerate() {
                    assert!(*difference == 0 || marked >> place & 1 == 1, "{rule:?}");
                }
            }
        }
    }

    #[test]
    fn rules_of_integers_mark_what_depends() {
        for bits in 0..64 {
            check(Rule::Left(bits), 8, |x| x << bits);
            check(Rule::Right(bits, 8, false), 8, |x| x >> bits);
            check(Rule::Right(bits, 8, true), 8, |x| (x as i64 >> bits) as u64);
            check(Rule::Rotate(bits, 8), 8, |x| x.rotate_left(bits));
        }
        check(Rule::Upwards, 8, |x| x.wrapping_mul(3).wrapping_add(x));
        check(Rule::Extend(2, true), 8, |x| x as i16 as u64);
        check(Rule::Extend(2, false), 8, |x| u64::from(x as u16));
        check(Rule::Reverse(8), 8, u64::swap_bytes);
        check(Rule::And(0b101), 8, |x| x & 0xff_00ff);
        check(Rule::Elements(2), 8, |x| {
            let lanes = [0, 16, 32, 48].map(|place| (x >> place) as u16);
            lanes
                .iter()
                .rev()
                .fold(0, |all, &lane| all << 16 | u64::from(lane.wrapping_mul(5)))
        });
    }

    #[test]
    #[should_panic(expected = "Bytewise")]
    fn a_rule_that_marks_too_little_is_found() {
        check(Rule::Bytewise, 8, |x| x << 1);
    }

    #[test]
    fn a_secret_flag_makes_the_whole_result_secret() {
        assert_eq!(Rule::Bytewise.apply(&[0, 0], true, 4), 0xf);
        assert_eq!(Rule::Public.apply(&[1], true, 4), 0);
    }
}
