//! Functions of 64-bit words: bitwise operations, in lookup tables, and rotations, which are wires.

/// Bits of a word.
pub const WORD_BITS: u32 = 64;

/// Inputs of a lookup table of the 7 series. `[V]`
const TABLE_INPUTS: u32 = 6;

/// A function of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// The sum modulo 2 of all operands.
    Xor,
    /// `a + (1 + b) c` modulo 2: where the second operand has zeros, adds the third operand to the
    /// first.
    Chi,
    /// The operand rotated to the left by this number of bits. It needs only wires.
    Rotate(u32),
}

impl Logic {
    /// Value of the function.
    pub fn evaluate(self, mut operands: impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Xor => operands.fold(0, |sum, operand| sum ^ operand),
            Self::Chi => {
                let [a, b, c] = [(); 3].map(|()| operands.next().unwrap_or(0));
                a ^ (!b & c)
            }
            Self::Rotate(by) => operands.next().unwrap_or(0).rotate_left(by),
        }
    }

    /// Number of lookup tables for one bit of a function of `operands` operands. The tables have
    /// six inputs each and form a tree. `[D]`
    pub const fn tables(self, operands: usize) -> u32 {
        match self {
            Self::Xor => (operands as u32)
                .saturating_sub(1)
                .div_ceil(TABLE_INPUTS - 1),
            Self::Chi => 1,
            Self::Rotate(_) => 0,
        }
    }

    /// Number of two-operand operations that compute the function, without complements. A synthesis
    /// tool counts these before it maps them to tables.
    pub const fn binary_operations(self, operands: usize) -> u32 {
        match self {
            Self::Xor => (operands as u32).saturating_sub(1),
            Self::Chi => 2,
            Self::Rotate(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_its_truth_table() {
        // Each bit position is a case. The cases are all values of three operands.
        let [a, b, c] = [0b1111_0000, 0b1100_1100, 0b1010_1010];
        let value = |logic: Logic| logic.evaluate([a, b, c].into_iter()) & 0xff;
        assert_eq!(value(Logic::Xor), 0b1001_0110);
        // For a = 1 the result is not (not b and c). For a = 0 it is (not b and c).
        assert_eq!(value(Logic::Chi), 0b1101_0010);
        assert_eq!(Logic::Rotate(1).evaluate([1 << 63].into_iter()), 1);
        assert_eq!(Logic::Xor.evaluate([7, 2, 4, 1, 8].into_iter()), 8);
    }

    #[test]
    fn tables_have_six_inputs() {
        let tables = |operands| Logic::Xor.tables(operands);
        assert_eq!([1, 2, 5, 6, 7, 11, 12].map(tables), [0, 1, 1, 1, 2, 2, 3]);
    }
}
