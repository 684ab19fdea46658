//! Signed messages: a signature and its message in one string of bytes.
//!
//! Input and output may overlap, as in PQClean. So a message is moved, not copied, and nothing is
//! written before everything has been read.

use crate::detached::{Compressed, Form, Padded, decode, sign as sign_any, verify};
use falcon_core::{Format, Parameters};
use falconsign::border::{Output, Status, values};

/// Length of a nonce.
const NONCE: usize = 40;
/// Difference between the header bytes of a detached signature and of one in a signed message.
const HEADER: u8 = 0x10;

/// Verifies the message at `range` of `signed`, and gives it to the caller.
///
/// # Safety
/// The pointers lead to memory for the message and its length, to `signed_len` bytes and to a
/// public key.
unsafe fn open<P: Parameters>(
    message: *mut u8,
    message_len: *mut usize,
    signed: *const u8,
    signed_len: usize,
    public: *const u8,
    split: impl FnOnce(&[u8]) -> Option<(Vec<u8>, usize, usize)>,
) -> Result<(), Status> {
    // SAFETY: the caller vouches for this.
    let (bytes, public, out_len) = unsafe {
        (
            values(signed, signed_len)?,
            values(public, P::VERIFYING_KEY_LEN)?,
            Output::new(message_len, 1)?,
        )
    };
    let (signature, start, len) = split(bytes).ok_or(Status::MalformedSignature)?;
    verify::<P>(&decode(&signature)?, &bytes[start..start + len], public)?;
    if len > 0 {
        // SAFETY: the caller vouches for this, and the message lies in the signed message.
        unsafe { Output::new(message, len)?.move_in(0, signed.add(start), len) }?;
    }
    out_len.write(0, &[len])
}

/// NIST's form: a length of two bytes, nonce, message, header byte, compressed signature. The
/// length is that of header byte and signature.
pub(crate) mod compressed {
    use super::*;

    /// Bytes before the message.
    const FRONT: usize = 2 + NONCE;

    /// Signs a message.
    ///
    /// # Safety
    /// As for [`sign_detached`](crate::detached::sign_detached), with memory for a signed message.
    pub(crate) unsafe fn sign<P: Parameters>(
        signed: *mut u8,
        signed_len: *mut usize,
        message: *const u8,
        len: usize,
        secret: *const u8,
    ) -> Result<(), Status> {
        // SAFETY: the caller vouches for this.
        let signature = unsafe { sign_any::<P, Compressed>(message, len, secret) }?;
        let detached = signature.to_vec(Format::Compressed)?;
        let (nonce, tail) = detached[1..].split_at(NONCE);
        let tail = [&[detached[0] - HEADER], tail].concat();
        let back = FRONT.checked_add(len).ok_or(Status::Length)?;
        let all = back.checked_add(tail.len()).ok_or(Status::Length)?;
        // SAFETY: the caller vouches for this.
        let (out, out_len) = unsafe { (Output::new(signed, all)?, Output::new(signed_len, 1)?) };
        // SAFETY: the caller vouches for the message.
        unsafe { out.move_in(FRONT, message, len) }?;
        out.write(0, &(tail.len() as u16).to_be_bytes())?;
        out.write(2, nonce)?;
        out.write(back, &tail)?;
        out_len.write(0, &[all])
    }

    /// Opens a signed message.
    ///
    /// # Safety
    /// As for [`open`](super::open).
    pub(crate) unsafe fn open<P: Parameters>(
        message: *mut u8,
        message_len: *mut usize,
        signed: *const u8,
        signed_len: usize,
        public: *const u8,
    ) -> Result<(), Status> {
        let header = 0x20 + P::LOGN as u8;
        let split = |bytes: &[u8]| {
            let (front, rest) = bytes.split_at_checked(FRONT)?;
            let tail_len = usize::from(u16::from_be_bytes([front[0], front[1]]));
            let len = rest.len().checked_sub(tail_len)?;
            let code = rest[len..].strip_prefix(&[header])?;
            let detached = [&[header + HEADER], &front[2..], code].concat();
            Some((detached, FRONT, len))
        };
        // SAFETY: the caller vouches for this.
        unsafe { super::open::<P>(message, message_len, signed, signed_len, public, split) }
    }
}

/// PQClean's padded form: the padded signature, then the message.
pub(crate) mod padded {
    use super::*;

    /// Signs a message.
    ///
    /// # Safety
    /// As for [`sign_detached`](crate::detached::sign_detached), with memory for a signed message.
    pub(crate) unsafe fn sign<P: Parameters>(
        signed: *mut u8,
        signed_len: *mut usize,
        message: *const u8,
        len: usize,
        secret: *const u8,
    ) -> Result<(), Status> {
        // SAFETY: the caller vouches for this.
        let signature = unsafe { sign_any::<P, Padded>(message, len, secret) }?;
        let detached = signature.to_vec(Padded::FORMAT)?;
        let all = P::PADDED_LEN.checked_add(len).ok_or(Status::Length)?;
        // SAFETY: the caller vouches for this.
        let (out, out_len) = unsafe { (Output::new(signed, all)?, Output::new(signed_len, 1)?) };
        // SAFETY: the caller vouches for the message.
        unsafe { out.move_in(P::PADDED_LEN, message, len) }?;
        out.write(0, &detached)?;
        out_len.write(0, &[all])
    }

    /// Opens a signed message.
    ///
    /// # Safety
    /// As for [`open`](super::open).
    pub(crate) unsafe fn open<P: Parameters>(
        message: *mut u8,
        message_len: *mut usize,
        signed: *const u8,
        signed_len: usize,
        public: *const u8,
    ) -> Result<(), Status> {
        let split = |bytes: &[u8]| {
            let (signature, rest) = bytes.split_at_checked(P::PADDED_LEN)?;
            Some((signature.to_vec(), P::PADDED_LEN, rest.len()))
        };
        // SAFETY: the caller vouches for this.
        unsafe { super::open::<P>(message, message_len, signed, signed_len, public, split) }
    }
}
