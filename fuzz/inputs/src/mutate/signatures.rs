//! Signatures in every format. The mutator decodes the code words of `s2`, changes them and writes
//! them again, sometimes in a form that no encoder writes.

use super::{Rng, damage, one_in, pick};
use crate::bits::{BitReader, BitWriter, signed_fields};
use falcon_core::Format;

/// Number of bytes before the code: header and nonce.
pub(super) const PREFIX: usize = 41;

/// Length of the longest run of zeros that a decoder accepts.
const MAX_RUN: u32 = 15;

/// A code word: sign, low seven bits of the magnitude, and the rest of the magnitude in unary. A
/// word can also be minus zero, or have a magnitude above 2047.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word {
    minus: bool,
    low: u8,
    run: u32,
}

impl Word {
    const MINUS_ZERO: Self = Self {
        minus: true,
        low: 0,
        run: 0,
    };

    fn of(value: i16) -> Self {
        Self {
            minus: value < 0,
            low: (value.unsigned_abs() & 127) as u8,
            run: u32::from(value.unsigned_abs() >> 7),
        }
    }

    fn value(self) -> i16 {
        let magnitude = (self.run << 7) as i16 | i16::from(self.low);
        if self.minus { -magnitude } else { magnitude }
    }

    fn bits(self) -> u32 {
        9 + self.run
    }

    /// Makes a word for a random value, often at an edge of the code.
    fn random(rng: &mut Rng) -> Self {
        Self::of(match rng.u8(..4) {
            0 => pick(rng, &[0, 1, -1, 127, -127, 128, -128, 2047, -2047, 1920]),
            1 => rng.i16(-2047..=2047),
            _ => rng.i16(-300..=300),
        })
    }
}

/// The parts of a signature.
pub struct Parts {
    logn: u8,
    format: Format,
    nonce: Vec<u8>,
    words: Vec<Word>,
}

/// Returns the length of the padded format.
pub(super) fn padded_len(logn: u8) -> usize {
    if logn == 9 { 666 } else { 1280 }
}

/// Reads `2^logn` code words. Missing words become zeros.
pub fn read_words(logn: u8, code: &[u8]) -> Vec<Word> {
    let mut bits = BitReader::new(code);
    let mut word = || {
        let first = bits.take(8);
        Word {
            minus: first & 0x80 != 0,
            low: first as u8 & 0x7f,
            run: bits.take_unary(MAX_RUN),
        }
    };
    (0..1 << logn).map(|_| word()).collect()
}

/// Writes code words. `spare` fills the last byte.
pub fn write_words(words: &[Word], spare: u8) -> Vec<u8> {
    let mut bits = BitWriter::default();
    for word in words {
        let first = u64::from(word.minus) << 7 | u64::from(word.low);
        if word.run <= MAX_RUN {
            bits.push(first << (word.run + 1) | 1, word.bits());
            continue;
        }
        bits.push(first, 8);
        (0..word.run).for_each(|_| bits.push(0, 1));
        bits.push(1, 1);
    }
    bits.finish(spare)
}

impl Parts {
    /// Divides a signature into its parts. Its code may be damaged.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let logn = bytes.first()? & 15;
        if !(9..=10).contains(&logn) || bytes.len() < PREFIX {
            return None;
        }
        let body = &bytes[PREFIX..];
        let (format, words) = match bytes[0] >> 4 {
            3 => {
                let is_padded = bytes.len() == padded_len(logn);
                let format = [Format::Compressed, Format::Padded][usize::from(is_padded)];
                (format, read_words(logn, body))
            }
            5 => {
                let words = signed_fields(body, 12, 1 << logn);
                let words = words.into_iter().map(Word::of).collect();
                (Format::ConstantTime, words)
            }
            _ => return None,
        };
        Some(Self {
            logn,
            format,
            nonce: bytes[1..PREFIX].to_vec(),
            words,
        })
    }

    /// Writes the signature. Its length may be wrong for the format.
    pub fn write(&self, spare: u8) -> Vec<u8> {
        let (header, body) = match self.format {
            Format::Compressed | Format::Padded => (0x30, write_words(&self.words, spare)),
            Format::ConstantTime => {
                let mut bits = BitWriter::default();
                for word in &self.words {
                    bits.push(word.value() as u64, 12);
                }
                (0x50, bits.finish(spare))
            }
        };
        let mut bytes = [&[header | self.logn][..], &self.nonce, &body].concat();
        if self.format == Format::Padded && bytes.len() < padded_len(self.logn) {
            bytes.resize(padded_len(self.logn), 0);
        }
        bytes
    }
}

/// Changes some words, so that all of them can still be decoded.
pub fn change_words(rng: &mut Rng, words: &mut [Word]) {
    let n = words.len();
    let (i, j) = (rng.usize(..n), rng.usize(..n));
    match rng.u8(..8) {
        0 | 1 => words[i] = Word::random(rng),
        2 => words[i] = Word::of((words[i].value() ^ 1).clamp(-2047, 2047)),
        3 => words.swap(i, j),
        4 => words.rotate_left(i),
        5 => {
            let end = n.min(i + 64);
            let word = Word::random(rng);
            words[i..end].fill(word);
        }
        6 => {
            let end = n.min(i + 64);
            words[i..end].fill_with(|| Word::random(rng));
        }
        _ => fill_to(rng, words),
    }
}

/// Changes magnitudes until the code is about as long as the padded format allows.
fn fill_to(rng: &mut Rng, words: &mut [Word]) {
    let logn = words.len().ilog2() as u8;
    let whole = 8 * (padded_len(logn) - PREFIX) as u32;
    let target = whole - 9 + rng.u32(..19);
    let mut bits: u32 = words.iter().map(|word| word.bits()).sum();
    for _ in 0..16 * words.len() {
        let i = rng.usize(..words.len());
        let run = &mut words[i].run;
        if bits < target && *run < MAX_RUN {
            *run += 1;
            bits += 1;
        } else if bits > target && *run > 0 {
            *run -= 1;
            bits -= 1;
        } else if bits == target {
            break;
        }
    }
    // Shorter runs may have turned words into minus zero.
    for word in words.iter_mut().filter(|word| **word == Word::MINUS_ZERO) {
        word.minus = false;
    }
}

/// Inserts a word that no encoder writes: minus zero, often instead of a zero, or a run of zeros
/// that is too long.
pub fn damage_words(rng: &mut Rng, words: &mut [Word]) {
    let mut i = rng.usize(..words.len());
    if rng.bool() {
        let zero = words[i..].iter().position(|word| word.value() == 0);
        if rng.bool() {
            i += zero.unwrap_or(0);
        }
        words[i] = Word::MINUS_ZERO;
    } else {
        words[i].run = pick(rng, &[16, 16, 17, 23, 40, 64, 4000]);
    }
}

/// Changes words, the nonce or the format. Sometimes damages the code.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Parts::read(bytes)?;
    for _ in 0..rng.u8(..4) {
        change_words(rng, &mut parts.words);
    }
    if one_in(rng, 2) {
        return Some(parts.write(0));
    }
    Some(parts.write_changed(rng))
}

/// Makes one change.
pub fn change_once(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Parts::read(bytes)?;
    if one_in(rng, 8) {
        change_words(rng, &mut parts.words);
        return Some(parts.write(0));
    }
    Some(parts.write_changed(rng))
}

impl Parts {
    /// Makes one change that is not a change of valid words, and writes the signature.
    fn write_changed(mut self, rng: &mut Rng) -> Vec<u8> {
        let mut spare = 0;
        let change = rng.u8(..8);
        match change {
            0..=2 => damage_words(rng, &mut self.words),
            3 => spare = 1 << rng.u8(..8),
            4 => self.nonce[rng.usize(..40)] = rng.u8(..),
            5 => {
                let formats = [Format::Compressed, Format::Padded, Format::ConstantTime];
                self.format = pick(rng, &formats);
            }
            _ => {}
        }
        let mut bytes = self.write(spare);
        match change {
            // Flips a bit of the last eight bytes, which may be padding.
            6 => {
                let last = bytes.len() - 1;
                bytes[last - rng.usize(..8)] ^= 1 << rng.u8(..8);
            }
            7 => damage(rng, &mut bytes),
            _ => {}
        }
        bytes
    }
}
