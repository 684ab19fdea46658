//! Variable-length code of `s2`. The code word of a coefficient has the sign, the low seven bits of
//! the magnitude, and the rest of the magnitude in unary: that number of zeros, then a one.
//! Magnitudes reach 2047, so a code word takes 9 to 24 bits.
//!
//! Source: Falcon specification v1.2, section 3.11.2.

use crate::error::DecodeError;
use crate::lanes::Isa;

/// The largest magnitude.
pub(super) const MAX_MAGNITUDE: u16 = 2047;

/// Longest run of zeros in a code word.
const MAX_RUN: u32 = (MAX_MAGNITUDE >> 7) as u32;

/// Number of coefficients whose code words are computed side by side. The sum of their runs of
/// zeros fits in 16 bits: it is at most `128 * 256`.
const BLOCK: usize = 128;

/// Largest number of bits that a [`Writer`] appends at a time.
const MAX_PUSHED: u32 = 57;

/// Returns the number of bytes that [`compress`] writes, or `None` if a magnitude exceeds 2047.
pub(crate) fn compressed_len(s2: &[i16]) -> Option<usize> {
    let (len, encodable) = measure(s2);
    encodable.then_some(len)
}

/// Returns the length in bytes of the compressed form, and whether `s2` has one. Constant time. Not
/// inlined, so that all engines share one copy.
#[inline(never)]
pub(crate) fn measure(s2: &[i16]) -> (usize, bool) {
    let (len, all) = len_and_magnitudes(s2);
    (len, all <= MAX_MAGNITUDE)
}

/// Returns the length in bytes of the compressed form, and the bitwise or of the magnitudes.
/// Constant time.
#[inline(always)]
fn len_and_magnitudes(s2: &[i16]) -> (usize, u16) {
    let mut bits = MIN_LEN as usize * s2.len();
    let mut all = 0;
    for block in s2.chunks(BLOCK) {
        let mut runs = 0;
        for s in block {
            let magnitude = s.unsigned_abs();
            all |= magnitude;
            runs += magnitude >> 7;
        }
        bits += usize::from(runs);
    }
    (bits.div_ceil(8), all)
}

/// Writes `s2` to the start of `out` and returns the number of bytes. `None` if
/// a magnitude exceeds 2047 or `out` is too short. Variable time: signatures are public.
///
/// Source: Falcon specification v1.2, algorithm 17 (Compress).
pub(super) fn compress(isa: impl Isa, s2: &[i16], out: &mut [u8]) -> Option<usize> {
    isa.vectorize(
        #[inline(always)]
        || {
            let (len, all) = len_and_magnitudes(s2);
            if all > MAX_MAGNITUDE {
                return None;
            }
            let mut writer = Writer {
                out: out.get_mut(..len)?,
                window: 0,
                bits: 0,
            };
            let (blocks, rest) = s2.as_chunks();
            for block in blocks {
                match groups(block, all) {
                    Some((codes, lens)) => {
                        for (code, len) in codes.into_iter().zip(lens) {
                            writer.push(code, len)?;
                        }
                    }
                    None => writer.push_one_by_one(block)?,
                }
            }
            writer.push_one_by_one(rest)?;
            Some(len)
        },
    )
}

/// Returns the code words of a block, joined in fours, and the length of each four in bits. Returns
/// `None` if four words together are too long for a [`Writer`], or if a word of `s2` may be longer
/// than 16 bits. `all` is the bitwise or of the magnitudes of `s2`.
///
/// The compiler turns the loops over arrays into vector code.
#[inline(always)]
fn groups(block: &[i16; BLOCK], all: u16) -> Option<([u64; BLOCK / 4], [u32; BLOCK / 4])> {
    // Longest run of zeros in a word of 16 bits.
    const RUN: u32 = 7;
    if all > RUN as u16 * 128 + 127 {
        return None;
    }
    let (mut lows, mut runs) = ([0; BLOCK], [0; BLOCK]);
    for ((low, run), s) in lows.iter_mut().zip(&mut runs).zip(block) {
        *low = sign_and_low(*s);
        *run = s.unsigned_abs() >> 7 & RUN as u16;
    }
    // Joins two words, up to 32 bits together.
    let (mut pairs, mut pair_lens) = ([0; BLOCK / 2], [0; BLOCK / 2]);
    let words = lows.as_chunks().0.iter().zip(runs.as_chunks().0);
    for ((pair, len), (lows, runs)) in pairs.iter_mut().zip(&mut pair_lens).zip(words) {
        let ([low, next_low], [run, next_run]) = (halves(*lows), halves(*runs));
        let (run, next_run) = (run & RUN, next_run & RUN);
        let word = low << (run + 1) | 1;
        *pair = word << (MIN_LEN + next_run) | next_low << (next_run + 1) | 1;
        *len = 2 * MIN_LEN + run + next_run;
    }
    let (mut codes, mut lens) = ([0; BLOCK / 4], [0; BLOCK / 4]);
    let mut longest = 0;
    let couples = pairs.as_chunks().0.iter().zip(pair_lens.as_chunks().0);
    for ((code, len), (&[pair, next_pair], &[first, second])) in
        codes.iter_mut().zip(&mut lens).zip(couples)
    {
        *code = u64::from(pair) << (second % 64) | u64::from(next_pair);
        *len = first + second;
        longest = longest.max(*len);
    }
    (longest <= MAX_PUSHED).then_some((codes, lens))
}

/// Joins both words, then widens them, so that the compiler loads both words at once.
#[inline(always)]
fn halves([low, high]: [u16; 2]) -> [u32; 2] {
    let double = u32::from(low) | u32::from(high) << 16;
    [double & 0xffff, double >> 16]
}

/// Writes bits to the start of `out`.
struct Writer<'a> {
    out: &'a mut [u8],
    /// The most recent bits, the last one lowest.
    window: u64,
    /// Number of bits written.
    bits: usize,
}

impl Writer<'_> {
    /// Appends the low `len` bits of `code`; `len` is from 1 to [`MAX_PUSHED`]. Returns `None` if
    /// `out` is too short.
    ///
    /// Writes the eight bytes that end with the last bit. They include the byte that was not full,
    /// since up to 7 old bits and 57 new ones fit in eight bytes.
    #[inline(always)]
    fn push(&mut self, code: u64, len: u32) -> Option<()> {
        self.window = self.window << (len % 64) | code;
        self.bits += len as usize;
        let end = (self.bits + 7) >> 3;
        let bytes = (self.window << (self.bits.wrapping_neg() % 8)).to_be_bytes();
        match end.checked_sub(bytes.len()) {
            Some(begin) => *self.out.get_mut(begin..)?.first_chunk_mut()? = bytes,
            None => {
                let bytes = bytes.into_iter().skip(bytes.len() - end);
                for (out, byte) in self.out.get_mut(..end)?.iter_mut().zip(bytes) {
                    *out = byte;
                }
            }
        }
        Some(())
    }

    /// Appends the code words of `s2`, whose magnitudes are at most 2047.
    #[inline(always)]
    fn push_one_by_one(&mut self, s2: &[i16]) -> Option<()> {
        for &s in s2 {
            let (code, len) = code_word_of(s);
            self.push(code, len)?;
        }
        Some(())
    }
}

/// Returns the code word of `s`, whose magnitude is at most 2047, and the length of the word in
/// bits.
#[inline(always)]
fn code_word_of(s: i16) -> (u64, u32) {
    let magnitude = s.unsigned_abs();
    let run = u32::from(magnitude >> 7);
    (u64::from(sign_and_low(s)) << (run + 1) | 1, MIN_LEN + run)
}

/// Returns the first eight bits of the code word of `s`.
#[inline(always)]
fn sign_and_low(s: i16) -> u16 {
    (s as u16 >> 15) << 7 | (s.unsigned_abs() & 127)
}

/// Length of the shortest code word in bits.
pub(super) const MIN_LEN: u32 = 9;

/// Length of the longest code word in bits.
pub(super) const MAX_LEN: u32 = MIN_LEN + MAX_RUN;

/// Lengths of code words, one byte for each value of the first three bits of the unary code. A zero
/// byte means that the unary code is longer, as in one word in fifty. Each word starts where the
/// last one ended, so the latency of this step limits the decoder. Shifting a register has a third
/// of the latency of reading a table in memory.
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

/// The next bits, the first at the top. Bits that were not loaded are zero.
#[derive(Clone, Copy)]
struct Window(u64);

impl Window {
    /// Loads the next bits from bit `at` on: at least 57, or all that are left.
    fn at(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at / 8..).unwrap_or(&[]);
        let window = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut padded = [0; 8];
            for (padded, &byte) in padded.iter_mut().zip(rest) {
                *padded = byte;
            }
            padded
        });
        let window = u64::from_be_bytes(window);
        Self(window << (at % 8))
    }

    /// Reads a code word. Returns its length in the high byte and its first eight bits in the low
    /// byte, or `None` if its run of zeros is too long. Adds the length to the low byte of `taken`.
    #[inline(always)]
    fn code_word(&mut self, taken: &mut u32) -> Option<i16> {
        let first_three = (self.0 >> 53) & 7;
        let mut length = (LENGTHS >> (8 * first_three)) as u32;
        if length & 0xff == 0 {
            let run = (self.0 << 8).leading_zeros();
            if run > MAX_RUN {
                return None;
            }
            length = MIN_LEN + run;
        }
        let sign_and_low = self.0 >> 56;
        // The next three operations ignore all bits of `length` above its low byte.
        self.0 = self.0.wrapping_shl(length);
        *taken = taken.wrapping_add(length);
        Some((length << 8 | sign_and_low as u32) as i16)
    }
}

/// Number of code words that are read from one window.
const GROUP: usize = 4;

/// Reads groups until one is invalid or longer than 57 bits, or fewer than 16 bytes are left.
/// Returns the number of groups that were read. Does not say why it stopped.
///
/// While the window is read, the bits after the window are loaded, since their place is already
/// known. So the chain of code words does not wait for memory.
#[inline(always)]
fn read_groups(bytes: &[u8], at: &mut usize, groups: &mut [[i16; GROUP]]) -> usize {
    let mut window = Window::at(bytes, *at);
    if let Some(&byte) = bytes.get(*at / 8 + 8) {
        window.0 |= u64::from(byte) << (*at % 8) >> 8;
    }
    let mut read = 0;
    for group in groups {
        let behind = bytes.get(*at / 8 + 8..).and_then(<[u8]>::first_chunk);
        let Some(behind) = behind.map(|behind| u64::from_be_bytes(*behind) << (*at % 8)) else {
            break;
        };
        let mut taken = 0;
        let mut words = [0; GROUP];
        let complete = words.iter_mut().all(|word| {
            let read = window.code_word(&mut taken);
            *word = read.unwrap_or(0);
            read.is_some()
        });
        let taken = taken & 0xff;
        // A longer group needs bits that are neither in the window nor in `behind`.
        if !complete || taken > 57 {
            break;
        }
        *group = words;
        window.0 |= behind >> (64 - taken);
        *at += taken as usize;
        read += 1;
    }
    read
}

/// Selects [`read_counted_groups`] on AArch64, where counting leading zeros is as fast as a shift.
pub(crate) const COUNTS_ZEROS: bool = cfg!(target_arch = "aarch64");

/// Reads groups from the first bit on, as [`read_groups`] does, with five instructions for a code
/// word: no branch within a group, and no table. Returns the number of groups, and the position of
/// the next bit. [`evaluate_counted`] converts the results to values, and tells whether every code
/// word was read whole.
///
/// A result of 16 bits begins with the last bit of the previous code word and the first eight bits
/// of its own word. Seven bits of the run of zeros and of the bits after the run follow. If one of
/// these seven bits is set, the run has at most six zeros. Then the whole word was in the window,
/// and the next word begins where this one ends. Otherwise the later results mean nothing.
#[inline(always)]
fn read_counted_groups(bytes: &[u8], groups: &mut [[i16; GROUP]]) -> (usize, usize) {
    // The window begins with a set bit, as if a word had ended there. The first 63 bits follow.
    let Some(first) = bytes.first_chunk() else {
        return (0, 0);
    };
    let mut window = u64::from_be_bytes(*first) >> 1 | 1 << 63;
    // Position of the first bit after the window.
    let mut end = 63;
    let mut read = 0;
    for group in groups {
        let byte = end / 8;
        let behind = bytes.get(byte..byte + 8).and_then(<[u8]>::first_chunk);
        let Some(behind) = behind.map(|behind| u64::from_be_bytes(*behind)) else {
            break;
        };
        let (mut words, mut taken) = (0u64, 0);
        for _ in 0..GROUP {
            words = words << 16 | window >> 48;
            // `len` is the length of the code word: 9 plus the run. It is 64 if no set bit is left.
            // Then the bits of this run in the result are zero, too.
            let len = (window & (u64::MAX >> MIN_LEN)).leading_zeros();
            window = window.wrapping_shl(len);
            taken += len;
        }
        // A longer group needs bits that are neither in the window nor in `behind`.
        if taken > 57 {
            break;
        }
        // Stores the words of the group in order, with the two bytes of each swapped.
        let words = words.swap_bytes();
        *group = [0, 16, 32, 48].map(
            #[inline(always)]
            |shift| (words >> shift) as i16,
        );
        end += taken as usize;
        // `behind` begins up to seven bits before the end of the old window. At least seven bits of
        // the window are left, so it already has these bits, and they do not change. The shift is
        // 64 - taken - old end % 8, from 0 to 28.
        window |= behind >> ((8 * byte).wrapping_sub(end) % 64);
        read += 1;
    }
    (read, end - 63)
}

/// Faults that were found in the values.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// All ones if there is a minus zero.
    minus_zero: i16,
    /// Length of the longest run of zeros. A result has only seven bits of a run, so 16 means a
    /// longer run.
    longest: i16,
}

impl Faults {
    /// Returns true if a code word was not read whole.
    #[inline(always)]
    fn incomplete(self) -> bool {
        self.longest > 6
    }
}

/// Converts the results of [`read_counted_groups`] to values.
#[inline(always)]
fn evaluate_counted(groups: &mut [[i16; GROUP]]) -> Faults {
    let mut faults = Faults::default();
    for s in groups.as_flattened_mut() {
        let word = s.swap_bytes();
        let run = (word << 9).leading_zeros() as i16;
        faults.longest = faults.longest.max(run);
        let magnitude = ((word >> 7) & 127) + (run << 7);
        let sign = (word << 1) >> 15;
        let complement = magnitude ^ sign;
        // `complement` is -1 only for a minus zero, since a magnitude is not negative.
        faults.minus_zero |= -i16::from(complement == -1);
        *s = complement - sign;
    }
    faults
}

/// Reads code words one by one.
fn read_words(bytes: &[u8], at: &mut usize, words: &mut [i16]) -> Result<(), DecodeError> {
    for word in words {
        let mut taken = 0;
        // If the longest code word would reach past the end, the bytes were cut off. Otherwise an
        // invalid word has too many zeros.
        let error = if 8 * bytes.len() < *at + MAX_LEN as usize {
            DecodeError::Length
        } else {
            DecodeError::Range
        };
        *word = Window::at(bytes, *at).code_word(&mut taken).ok_or(error)?;
        *at += (taken & 0xff) as usize;
    }
    Ok(())
}

/// Converts the results of [`Window::code_word`] to values. Returns `true` if one is a minus zero.
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

/// Reads `s2` from the start of `bytes` and returns the number of bytes that were read. The spare
/// bits of the last byte must be zero. Variable time: signatures are public.
///
/// Source: Falcon specification v1.2, algorithm 18 (Decompress).
pub(super) fn decompress(bytes: &[u8], s2: &mut [i16]) -> Result<usize, DecodeError> {
    #[cfg(fuzzing)]
    compare_decoders(bytes, s2.len());
    if COUNTS_ZEROS {
        decompress_counted(bytes, s2)
    } else {
        decompress_from(bytes, 0, s2)
    }
}

/// Asserts that both decoders of `len` coefficients agree. Fuzzing runs on x86-64, so it would not
/// reach the AArch64 decoder otherwise.
#[cfg(fuzzing)]
fn compare_decoders(bytes: &[u8], len: usize) {
    let mut s2 = [[0; 1024]; 2];
    let [counted, plain] = s2.each_mut().map(|s2| &mut s2[..len]);
    let result = decompress_counted(bytes, counted);
    assert_eq!(result, decompress_from(bytes, 0, plain));
    assert!(result.is_err() || counted == plain);
}

/// Decompresses with [`read_counted_groups`] as far as possible, and the rest with
/// [`decompress_from`].
pub(super) fn decompress_counted(bytes: &[u8], s2: &mut [i16]) -> Result<usize, DecodeError> {
    let (groups, _) = s2.as_chunks_mut();
    let (read, at) = read_counted_groups(bytes, groups);
    let faults = evaluate_counted(groups.split_at_mut(read).0);
    if faults.incomplete() {
        // The code has a long run or an invalid word.
        return decompress_from(bytes, 0, s2);
    }
    let used = decompress_from(bytes, at, s2.split_at_mut(GROUP * read).1)?;
    if faults.minus_zero < 0 {
        return Err(DecodeError::NonCanonical);
    }
    Ok(used)
}

/// Decompresses as [`decompress`] does, from bit `at` on.
pub(super) fn decompress_from(
    bytes: &[u8],
    mut at: usize,
    s2: &mut [i16],
) -> Result<usize, DecodeError> {
    let mut rest = &mut *s2;
    while !rest.is_empty() {
        let read = GROUP * read_groups(bytes, &mut at, rest.as_chunks_mut().0);
        let (_, unread) = rest.split_at_mut(read);
        let (now, later) = unread.split_at_mut(unread.len().min(GROUP));
        read_words(bytes, &mut at, now)?;
        rest = later;
    }
    let used = at.div_ceil(8);
    if evaluate(s2) || spare_bits(bytes, at) != 0 {
        return Err(DecodeError::NonCanonical);
    }
    Ok(used)
}

/// Returns the bits from bit `at` to the end of its byte.
pub(super) fn spare_bits(bytes: &[u8], at: usize) -> u8 {
    match (at % 8, bytes.get(at / 8)) {
        (begun @ 1.., Some(last)) => last << begun,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use std::vec;

    /// Number of zero bytes after the code words. With them, no group is too near the end.
    const PADDING: usize = 16;

    /// Checks that the counting decoder reads most groups. Other tests would not notice if
    /// [`decompress_from`] read everything.
    #[test]
    fn ordinary_groups_are_read_by_counting() {
        // Four words of 57 bits together are read by counting. Four words of 58 bits are not.
        for (runs, fits) in [([6, 6, 5, 4], true), ([6, 6, 5, 5], false)] {
            let mut s2 = vec![0; 512];
            for (i, s) in s2.iter_mut().enumerate() {
                let magnitude = (i * 37 % 128 + (i * i / 7 % 3) * 128) as i16;
                *s = if i % 5 < 2 { -magnitude } else { magnitude };
            }
            let special = 60;
            for (s, run) in s2[GROUP * special..].iter_mut().zip(runs) {
                *s = 128 * run + 77;
            }
            let mut bytes = vec![0; 1024];
            let len = compress(Baseline, &s2, &mut bytes).expect("room");
            let bytes = &bytes[..len + PADDING];

            let mut found = vec![[0; GROUP]; s2.len() / GROUP];
            let (read, at) = read_counted_groups(bytes, &mut found);
            assert_eq!(read, if fits { found.len() } else { special });
            let faults = evaluate_counted(&mut found[..read]);
            assert!(!faults.incomplete() && faults.minus_zero >= 0);
            assert_eq!(found[..read].as_flattened(), &s2[..GROUP * read]);
            let bits = |s: &i16| MIN_LEN as usize + usize::from(s.unsigned_abs() >> 7);
            assert_eq!(at, s2[..GROUP * read].iter().map(bits).sum::<usize>());
        }
    }
}
