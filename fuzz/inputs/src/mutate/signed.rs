//! Signed messages: the attached form of NIST, and the inputs of the targets that verify.

use super::signatures::{self, change_words, damage_words, read_words, write_words};
use super::{Rng, damage, one_in};
use crate::known::JOBS;

/// Changes a signed message in the attached form: length, nonce, message, header, code.
pub fn attached(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (nonce, rest) = rest.split_first_chunk::<40>()?;
    let code_len = usize::from(u16::from_be_bytes(*length));
    let (message, signature) = rest.split_at_checked(rest.len().checked_sub(code_len)?)?;
    let (&header, code) = signature.split_first()?;
    let logn = header & 15;
    if !(9..=10).contains(&logn) {
        return None;
    }
    let (mut nonce, mut message) = (*nonce, message.to_vec());
    let mut words = read_words(logn, code);
    for _ in 0..rng.u8(..4) {
        change_words(rng, &mut words);
    }
    let mut spare = 0;
    match rng.u8(..16) {
        0 | 1 => damage_words(rng, &mut words),
        2 => spare = 1 << rng.u8(..8),
        3 => nonce[rng.usize(..40)] = rng.u8(..),
        4 | 5 => message.resize(rng.usize(..200), b'm'),
        _ => {}
    }
    let code = write_words(&words, spare);
    let length = match rng.u8(..16) {
        0 => rng.u16(..),
        1 => code.len() as u16,
        2 => code.len() as u16 + 2,
        _ => code.len() as u16 + 1,
    };
    let mut bytes = [
        &length.to_be_bytes()[..],
        &nonce,
        &message,
        &[header],
        &code,
    ]
    .concat();
    if one_in(rng, 8) {
        damage(rng, &mut bytes);
    }
    Some(bytes)
}

/// Input of the targets that verify: a signature and a message for one of the known keys.
pub struct Input<'a> {
    /// Number that chooses the key. Targets also use it for other choices.
    pub choice: u8,
    /// Encoded signature.
    pub signature: &'a [u8],
    /// Message.
    pub message: &'a [u8],
}

impl<'a> Input<'a> {
    /// Splits an input: choice (1 byte), length of the signature (2, big-endian), signature,
    /// message.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&choice, rest) = bytes.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (signature, message) = rest.split_at(length);
        Some(Self {
            choice,
            signature,
            message,
        })
    }

    /// Writes the input in the format of [`read`](Self::read).
    pub fn write(&self) -> Vec<u8> {
        let length = (self.signature.len() as u16).to_be_bytes();
        [&[self.choice], &length[..], self.signature, self.message].concat()
    }
}

/// Makes one change to the choice, the signature or the message. Three inputs in four are first
/// replaced by a known signature and its message.
pub fn verification(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let input = Input::read(bytes)?;
    let mut choice = input.choice;
    let (mut signature, mut message) = (input.signature.to_vec(), input.message.to_vec());
    // Starts from a known answer.
    if !one_in(rng, 4) {
        let at = rng.usize(..JOBS.len());
        let job = &JOBS[at];
        choice = choice / JOBS.len() as u8 * JOBS.len() as u8;
        choice = choice.wrapping_add(at as u8);
        (signature, message) = (job.signature.clone(), job.message.clone());
    }
    match rng.u8(..8) {
        0 => choice = rng.u8(..),
        1 if !message.is_empty() => {
            let at = rng.usize(..message.len());
            message[at] ^= 1 << rng.u8(..8);
        }
        2 => damage(rng, &mut message),
        3 => damage(rng, &mut signature),
        4 => message = JOBS[rng.usize(..JOBS.len())].message.clone(),
        _ => signature = signatures::change_once(rng, &signature)?,
    }
    let input = Input {
        choice,
        signature: &signature,
        message: &message,
    };
    Some(input.write())
}
