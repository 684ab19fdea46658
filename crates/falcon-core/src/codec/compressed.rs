//! The variable-length code of `s2`: for each coefficient the sign, the low
//! seven bits of the magnitude, then the rest of the magnitude in unary (that
//! many zeros and a one). Magnitudes reach 2047, so a code word takes 9 to 24 bits.

use crate::error::DecodeError;

/// The largest magnitude.
pub(super) const MAX_MAGNITUDE: u16 = 2047;

/// Longest run of zeros in a code word.
const MAX_RUN: u32 = (MAX_MAGNITUDE >> 7) as u32;

/// Bytes that [`compress`] writes; `None` if a magnitude exceeds 2047.
pub(crate) fn compressed_len(s2: &[i16]) -> Option<usize> {
    let mut bits = 0;
    let mut all = 0;
    for &s in s2 {
        let magnitude = s.unsigned_abs();
        all |= magnitude;
        bits += 9 + usize::from(magnitude >> 7);
    }
    (all <= MAX_MAGNITUDE).then(|| bits.div_ceil(8))
}

/// Writes `s2` to the start of `out` and returns the number of bytes. `None` if
/// a magnitude exceeds 2047 or `out` is too short.
pub(super) fn compress(s2: &[i16], out: &mut [u8]) -> Option<usize> {
    let mut written = 0;
    let mut acc = 0u64;
    let mut acc_len = 0;
    for &s in s2 {
        let magnitude = s.unsigned_abs();
        if magnitude > MAX_MAGNITUDE {
            return None;
        }
        let run = u32::from(magnitude >> 7);
        let sign_and_low = u64::from((s as u16 >> 15) << 7 | (magnitude & 127));
        acc = (acc << (9 + run)) | (sign_and_low << (run + 1)) | 1;
        acc_len += 9 + run;
        while acc_len >= 8 {
            acc_len -= 8;
            *out.get_mut(written)? = (acc >> acc_len) as u8;
            written += 1;
        }
    }
    if acc_len > 0 {
        *out.get_mut(written)? = (acc << (8 - acc_len)) as u8;
        written += 1;
    }
    Some(written)
}

/// Shortest code word.
pub(super) const MIN_LEN: u32 = 9;

/// Longest code word.
pub(super) const MAX_LEN: u32 = MIN_LEN + MAX_RUN;

/// Lengths of code words by the first three bits of their unary part, one byte
/// each; zero where the part is longer, which one word in fifty is. Each word
/// starts where the last ended, so the latency of this step is the speed of the
/// decoder, and a shift in a register has a third of that of a table in memory.
const LENGTHS: u64 = {
    let mut lengths = 0;
    let mut first = 1u32;
    while first < 8 {
        let length = MIN_LEN + first.leading_zeros() - 29;
        lengths |= (length as u64) << (8 * first);
        first += 1;
    }
    lengths
};

/// The bits that come next, at the top of `window`.
struct Window {
    window: u64,
    /// In the low byte, how many bits of `window` count; what is below them is
    /// either zero or what will follow.
    available: u32,
    /// Bytes loaded so far.
    position: usize,
}

impl Window {
    /// Makes at least `2 * MAX_LEN` bits available. `false` if fewer than
    /// eight bytes are left.
    #[inline(always)]
    fn load_eight(&mut self, bytes: &[u8]) -> bool {
        let Some(eight) = bytes
            .get(self.position..)
            .and_then(|rest| rest.first_chunk())
        else {
            return false;
        };
        // As many whole bytes as fit are counted; the bits of a byte that
        // fits in part come again with the next load.
        let available = self.available & 63;
        self.window |= u64::from_be_bytes(*eight) >> available;
        self.position += (63 - available as usize) / 8;
        self.available = available | 56;
        true
    }

    /// Loads bytes one by one while they fit and last.
    fn load_bytes(&mut self, bytes: &[u8]) {
        self.available &= 0xff;
        self.window &= !u64::MAX.checked_shr(self.available).unwrap_or(0);
        for &byte in bytes.iter().skip(self.position) {
            if self.available > 56 {
                break;
            }
            self.window |= u64::from(byte) << (56 - self.available);
            self.available += 8;
            self.position += 1;
        }
    }

    /// Reads a code word: its length and, below, its first eight bits, one byte
    /// each. `None` if its run of zeros is too long.
    #[inline(always)]
    fn code_word(&mut self) -> Option<i16> {
        let first_three = (self.window >> 53) & 7;
        let mut length = (LENGTHS >> (8 * first_three)) as u32;
        if length & 0xff == 0 {
            let run = (self.window << 8).leading_zeros();
            if run > MAX_RUN {
                return None;
            }
            length = MIN_LEN + run;
        }
        let sign_and_low = self.window >> 56;
        // What is above the low byte of the length matters to neither.
        self.window = self.window.wrapping_shl(length);
        self.available = self.available.wrapping_sub(length);
        Some((length << 8 | sign_and_low as u32) as i16)
    }
}

/// From what [`Window::code_word`] says to values. `true` if there is a minus zero.
#[inline(always)]
pub(super) fn evaluate(s2: &mut [i16]) -> bool {
    let mut minus_zero = 0;
    for s in s2 {
        let sign = (*s << 8) >> 15;
        let magnitude = (*s & 127) + (((*s >> 8) - MIN_LEN as i16) << 7);
        minus_zero |= sign & (magnitude - 1);
        *s = (magnitude ^ sign) - sign;
    }
    minus_zero < 0
}

/// Reads `s2` from the start of `bytes` and returns the number of bytes taken,
/// the last one having its spare bits zero. Variable time: signatures are public.
pub(super) fn decompress(bytes: &[u8], s2: &mut [i16]) -> Result<usize, DecodeError> {
    let mut bits = Window {
        window: 0,
        available: 0,
        position: 0,
    };
    let mut rest = &mut *s2;
    while rest.len() >= 2 && bits.load_eight(bytes) {
        let (pair, later) = rest.split_at_mut(2);
        for s in pair {
            *s = bits.code_word().ok_or(DecodeError::Range)?;
        }
        rest = later;
    }
    for s in rest {
        bits.load_bytes(bytes);
        // Zeros past the end are the absence of a code word, not a long one.
        let cut = bits.available < MAX_LEN;
        let error = if cut {
            DecodeError::Length
        } else {
            DecodeError::Range
        };
        *s = bits.code_word().ok_or(error)?;
    }
    // Bytes loaded but not begun are given back.
    let unread = (bits.available & 0xff) as usize / 8;
    let spare = bits.available % 8;
    let spare_bits = bits.window & !(u64::MAX >> spare);
    if evaluate(s2) || spare_bits != 0 {
        return Err(DecodeError::NonCanonical);
    }
    Ok(bits.position - unread)
}
