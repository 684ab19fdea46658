//! Random states of the processor.

use crate::registers::{self, COUNT, FLAGS, SP, State, VECTORS};

/// Memory that instructions read and write.
pub(crate) const DATA: u64 = 0x4000_0000;
pub(crate) const DATA_LENGTH: u64 = 0x4_0000;

/// A random number generator. The field is its state.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number of SplitMix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a state with numbers of many kinds. In every third state, all registers of a kind
    /// are equal or nearly equal, since comparisons of random numbers rarely find equality. General
    /// registers stay different if the instruction accesses memory.
    pub(crate) fn state(&mut self, word: u32, number: usize) -> State {
        let mut state = [0; COUNT];
        let is_memory = word >> 25 & 0b101 == 0b100;
        for (register, value) in state.iter_mut().enumerate() {
            *value = match register {
                SP => self.pointer(),
                FLAGS => u128::from(self.next() & 15),
                // Vector registers get indices into a table of one to four registers.
                VECTORS.. if number % 5 == 3 => {
                    self.value(register) & u128::from_le_bytes([63; 16])
                }
                VECTORS.. => self.vector(),
                _ if is_memory => match self.next() % 3 {
                    0 => u128::from(self.next() % 16 * 8),
                    _ => self.pointer(),
                },
                _ => u128::from(self.lane(64)),
            };
        }
        if number % 3 == 1 {
            let (general, vector) = (state[0], state[VECTORS]);
            for value in state[..SP].iter_mut().filter(|_| !is_memory) {
                *value = self.near(general, 8);
            }
            for value in &mut state[VECTORS..FLAGS] {
                *value = self.near(vector, 16);
            }
        }
        state
    }

    fn pointer(&mut self) -> u128 {
        u128::from(DATA + DATA_LENGTH / 4 + self.next() % (DATA_LENGTH / 2) / 16 * 16)
    }

    /// Returns lanes of one width, each with a number of its own kind.
    fn vector(&mut self) -> u128 {
        let width = 8 << (self.next() % 4);
        (0..128).step_by(width).fold(0, |all, shift| {
            all | u128::from(self.lane(width as u32)) << shift
        })
    }

    /// Returns a number of `width` bits: a random number, zero, all ones, one bit, a small number,
    /// its negative, or a floating-point number of usual size.
    fn lane(&mut self, width: u32) -> u64 {
        let ones = !0 >> (64 - width);
        let value = self.next() & ones;
        let small = value >> (self.next() % u64::from(width));
        let lane = match self.next() % 8 {
            0 => 0,
            1 => ones,
            2 => 1 << (value % u64::from(width)),
            3 => small,
            4 => small.wrapping_neg(),
            5 if width == 64 => value & 0x800f_ffff_ffff_ffff | (1015 + value % 17) << 52,
            5 if width == 32 => value & 0x807f_ffff | (120 + value % 16) << 23,
            _ => value,
        };
        lane & ones
    }

    /// Returns `value`, or a number that differs from `value` in one bit.
    fn near(&mut self, value: u128, length: u64) -> u128 {
        match self.next() % 2 {
            0 => value,
            _ => value ^ 1 << (self.next() % (8 * length)),
        }
    }

    /// Returns another value for a register: with every bit or one bit changed, zero, or random.
    pub(crate) fn other(&mut self, register: usize, value: u128) -> u128 {
        let length = registers::length(register) as u32;
        let bits = if register == FLAGS { 4 } else { 8 * length };
        let all = if bits == 128 { !0 } else { (1 << bits) - 1 };
        match self.next() % 5 {
            0 => value ^ all,
            1 => value ^ 1 << (self.next() % u64::from(bits)),
            2 if value != 0 => 0,
            _ => {
                let random = u128::from(self.next()) | u128::from(self.next()) << 64;
                let other = random & all;
                if other == value { value ^ 1 } else { other }
            }
        }
    }

    pub(crate) fn value(&mut self, register: usize) -> u128 {
        match register {
            SP => self.pointer(),
            FLAGS => u128::from(self.next() & 15),
            VECTORS.. => u128::from(self.next()) | u128::from(self.next()) << 64,
            _ => u128::from(self.next()),
        }
    }
}
