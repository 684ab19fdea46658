//! The loops around the butterflies: the addresses of every iteration.
//!
//! A complex number has one address, even if its two parts are in separate memories of reals. The
//! stages are those of [`falcon_core::seams::fft`]. The forward transform has blocks of `2t`
//! numbers with `t = n/4, n/8 ... 1`, and the inverse transform has the same stages in the opposite
//! order. Each block has one twiddle.

use serde::Serialize;

/// Address slot of the first number of a butterfly.
pub const X: usize = 0;
/// Address slot of the second number.
pub const Y: usize = 1;
/// Address slot of the twiddle.
pub const W: usize = 2;
/// Address slot of the destination of the first result.
pub const TO_X: usize = 3;
/// Address slot of the destination of the second result.
pub const TO_Y: usize = 4;
/// Number of slots.
pub const SLOTS: usize = 5;

/// One execution of the loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Addresses by slot.
    pub addresses: [u16; SLOTS],
    /// Exponent of the power of two that scales loaded numbers.
    pub scale: i16,
    /// True if the innermost loop ends here.
    pub ends_loop: bool,
}

impl Iteration {
    /// Returns the address of `slot`. If `slot` is [`SLOTS`] or more, the address is a constant
    /// (see [`constant`]).
    #[inline]
    pub fn address(&self, slot: usize) -> usize {
        match self.addresses.get(slot) {
            Some(&address) => usize::from(address),
            None => slot - SLOTS,
        }
    }
}

/// Returns a slot with the fixed address `address`, such as that of a register.
pub const fn constant(address: usize) -> usize {
    SLOTS + address
}

/// A transform of a polynomial of degree `2^logn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// Transform from coefficients to the FFT domain.
    Fft,
    /// Transform from the FFT domain to coefficients.
    Ifft,
    /// Splits a polynomial in the FFT domain into its even and odd halves.
    Split,
    /// Merges two halves: the inverse of splitting.
    Merge,
}

impl Transform {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Fft, Self::Ifft, Self::Split, Self::Merge];

    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fft => "fft",
            Self::Ifft => "ifft",
            Self::Split => "split",
            Self::Merge => "merge",
        }
    }

    /// True if numbers are added and subtracted before the multiplication by the twiddle.
    pub fn is_inverse(self) -> bool {
        matches!(self, Self::Ifft | Self::Split)
    }

    /// Returns the iterations for degree `2^logn`, where `logn` is from 1 to 10. If `logn` is 1,
    /// there are no iterations.
    pub fn iterations(self, logn: u32) -> Vec<Iteration> {
        let quarter = (1usize << logn) / 4;
        match self {
            Self::Fft => {
                let halves = (0..logn - 1).map(|stage| quarter >> stage);
                halves.flat_map(|t| stage(logn, t, 0)).collect()
            }
            Self::Ifft => {
                // The first stage scales by 2^(1 - logn).
                let scale = |stage: u32| if stage == 0 { 1 - logn as i16 } else { 0 };
                (0..logn - 1)
                    .flat_map(|s| stage(logn, 1 << s, scale(s)))
                    .collect()
            }
            Self::Split => neighbours(quarter, |u| [2 * u, 2 * u + 1, 0, u, u], -1),
            Self::Merge => neighbours(quarter, |u| [u, u, 0, 2 * u, 2 * u + 1], 0),
        }
    }
}

/// Returns the stage that combines numbers at the distance `t`.
fn stage(logn: u32, t: usize, scale: i16) -> impl Iterator<Item = Iteration> {
    let blocks = (1usize << logn) / 4 / t;
    (0..blocks).flat_map(move |block| {
        (0..t).map(move |j| {
            let x = 2 * t * block + j;
            let addresses = [x, x + t, blocks + block, x, x + t];
            Iteration {
                addresses: addresses.map(|a| a as u16),
                scale,
                ends_loop: j + 1 == t,
            }
        })
    })
}

/// Returns one loop over `len` pairs of neighbours, each with its own twiddle.
fn neighbours(
    len: usize,
    addresses: impl Fn(usize) -> [usize; SLOTS],
    scale: i16,
) -> Vec<Iteration> {
    let iteration = |u| {
        let mut addresses = addresses(u);
        addresses[W] = len + u;
        Iteration {
            addresses: addresses.map(|a| a as u16),
            scale,
            ends_loop: u + 1 == len,
        }
    };
    (0..len).map(iteration).collect()
}
