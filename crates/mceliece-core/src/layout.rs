//! The encoding of a secret key: delta (32 bytes), `c` (8, little-endian), the Goppa polynomial,
//! control bits, `s`.
//!
//! Source: Classic McEliece submission of 2022-10-23, section on representation of objects.

use crate::code::Code;

/// Length of the seed `delta` in bytes.
pub(crate) const SEED_LEN: usize = 32;
/// Length of delta and `c` in bytes.
pub(crate) const COMPRESSED_LEN: usize = 40;

/// The mask `c` of the sets without `f`: the first 32 columns.
pub(crate) const FIRST_COLUMNS: u64 = 0xffff_ffff;

/// Parts of a secret key.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) compressed: &'a [u8],
    pub(crate) goppa: &'a [u8],
    pub(crate) control: &'a [u8],
    pub(crate) s: &'a [u8],
}

/// Cuts a secret key into its parts. `bytes` have the length of a secret key.
pub(crate) fn parts<'a>(code: &Code, bytes: &'a [u8]) -> Parts<'a> {
    let (compressed, rest) = bytes.split_at(COMPRESSED_LEN);
    let (goppa, rest) = rest.split_at(code.goppa_len());
    let (control, s) = rest.split_at(code.control_len());
    Parts {
        compressed,
        goppa,
        control,
        s,
    }
}

impl Parts<'_> {
    /// The mask of the pivot columns.
    pub(crate) fn pivots(&self) -> u64 {
        self.compressed
            .iter()
            .skip(SEED_LEN)
            .rev()
            .fold(0, |c, &byte| c << 8 | u64::from(byte))
    }
}

/// Parts of a secret key, for writing.
pub(crate) struct PartsMut<'a> {
    pub(crate) seed: &'a mut [u8],
    pub(crate) pivots: &'a mut [u8],
    pub(crate) goppa: &'a mut [u8],
    pub(crate) control: &'a mut [u8],
    pub(crate) s: &'a mut [u8],
}

/// Cuts a secret key into its parts. `bytes` have the length of a secret key.
pub(crate) fn parts_mut<'a>(code: &Code, bytes: &'a mut [u8]) -> PartsMut<'a> {
    let (seed, rest) = bytes.split_at_mut(SEED_LEN);
    let (pivots, rest) = rest.split_at_mut(COMPRESSED_LEN - SEED_LEN);
    let (goppa, rest) = rest.split_at_mut(code.goppa_len());
    let (control, s) = rest.split_at_mut(code.control_len());
    PartsMut {
        seed,
        pivots,
        goppa,
        control,
        s,
    }
}

/// Returns true if all padding bits are zero. `bytes` are rows of `bits` bits, each filled up to
/// whole bytes.
pub(crate) fn is_padded(bytes: &[u8], bits: usize) -> bool {
    let len = bits.div_ceil(8);
    // Without padding, every bit of the last byte is used.
    let used = (0xff_u32 >> (8 * len - bits)) as u8;
    let last = bytes.iter().skip(len - 1).step_by(len);
    last.fold(0, |all, byte| all | byte) & !used == 0
}
