//! The loops around the butterflies: which addresses iteration after iteration.
//!
//! Complex numbers have one address; a memory of reals keeps the two parts of an
//! address apart by itself. The stages are those of
//! [`falcon_core::seams::fft`]: forward, blocks of `2t` numbers with
//! `t = n/4, n/8 ... 1`, inverse the other way; one twiddle a block.

use serde::Serialize;

/// Address slot of the first number of a butterfly.
pub const X: usize = 0;
/// Address slot of the second.
pub const Y: usize = 1;
/// Address slot of the twiddle.
pub const W: usize = 2;
/// Address slot of where the first result goes.
pub const TO_X: usize = 3;
/// Address slot of where the second result goes.
pub const TO_Y: usize = 4;
/// Number of slots.
pub const SLOTS: usize = 5;

/// One trip through the loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Addresses by slot.
    pub addresses: [u16; SLOTS],
    /// The power of two that loaded numbers are scaled by.
    pub scale: i16,
    /// Whether the innermost loop ends here.
    pub ends_loop: bool,
}

impl Iteration {
    /// The address of `slot`: one of the iteration's or, from [`SLOTS`] on, a
    /// constant (see [`constant`]).
    #[inline]
    pub fn address(&self, slot: usize) -> usize {
        match self.addresses.get(slot) {
            Some(&address) => usize::from(address),
            None => slot - SLOTS,
        }
    }
}

/// The slot that is `address` in every iteration: that of a register.
pub const fn constant(address: usize) -> usize {
    SLOTS + address
}

/// A transform of a polynomial of degree `2^logn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// Coefficients to FFT domain.
    Fft,
    /// Transform from the FFT domain to coefficients.
    Ifft,
    /// A polynomial in the FFT domain into its even and odd halves.
    Split,
    /// The inverse of splitting.
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

    /// Whether numbers are joined before they meet the twiddle.
    pub fn is_inverse(self) -> bool {
        matches!(self, Self::Ifft | Self::Split)
    }

    /// The iterations for degree `2^logn`, `logn` from 1 to 10; none if `logn`
    /// is 1.
    pub fn iterations(self, logn: u32) -> Vec<Iteration> {
        let quarter = (1usize << logn) / 4;
        match self {
            Self::Fft => {
                let halves = (0..logn - 1).map(|stage| quarter >> stage);
                halves.flat_map(|t| stage(logn, t, 0)).collect()
            }
            Self::Ifft => {
                // 2^(1 - logn) before the first stage.
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

/// The stage that joins numbers `t` apart.
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

/// One loop over `len` pairs of neighbours, each with its twiddle.
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
