//! Signs one message.

use crate::arguments::values;
use crate::information::max_len;
use crate::memory::{Output, object};
use crate::parameters::format_of;
use crate::signing_key::{Signing, falconsign_signing_key};
use crate::status::{Status, guard};
use falcon_core::{Falcon1024, Format, ParameterSet, Parameters, Signature};
use getrandom::SysRng;
use rand_core::{TryCryptoRng, TryRng};
use signature::RandomizedSigner;
use std::ffi::c_int;

/// Length of the longest signature in bytes.
const LONGEST: usize = Falcon1024::CT_LEN;

/// The place where a function of C writes one signature and its length.
pub(crate) struct SignatureOutput {
    signature: Output<u8>,
    len: Output<usize>,
}

impl SignatureOutput {
    /// Names the place, and writes the length 0, which stays if the function fails.
    ///
    /// # Safety
    /// As for [`Output::new`], with `capacity` bytes and one length.
    pub(crate) unsafe fn new(
        signature: *mut u8,
        capacity: usize,
        len: *mut usize,
    ) -> Result<Self, Status> {
        // SAFETY: as for this function.
        let len = unsafe { Output::new(len, 1) }?;
        len.write(0, &[0])?;
        // SAFETY: as for this function.
        let signature = unsafe { Output::new(signature, capacity) }?;
        signature.apart_from_output(&len)?;
        Ok(Self { signature, len })
    }

    /// Refuses a place that overlaps the message.
    pub(crate) fn apart_from(&self, message: &[u8]) -> Result<(), Status> {
        self.signature.apart_from(message)?;
        self.len.apart_from(message)
    }

    /// Refuses a place with less than `needed` bytes.
    pub(crate) fn has_room(&self, needed: usize) -> Result<(), Status> {
        match self.signature.count() < needed {
            true => Err(Status::BufferTooSmall),
            false => Ok(()),
        }
    }

    /// Writes an encoded signature.
    pub(crate) fn write(&self, encoded: &[u8]) -> Result<(), Status> {
        self.signature.write(0, encoded)?;
        self.len.write(0, &[encoded.len()])
    }

    /// Encodes a signature and writes it.
    pub(crate) fn encode<P: Parameters>(
        &self,
        signature: &Signature<P>,
        format: Format,
    ) -> Result<(), Status> {
        let mut encoded = [0; LONGEST];
        let len = signature.encode(format, &mut encoded)?;
        self.write(&encoded[..len])
    }
}

/// The system's generator, and whether it has failed.
struct Randomness {
    has_failed: bool,
}

impl TryRng for Randomness {
    type Error = getrandom::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        SysRng
            .try_next_u32()
            .inspect_err(|_| self.has_failed = true)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        SysRng
            .try_next_u64()
            .inspect_err(|_| self.has_failed = true)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        SysRng
            .try_fill_bytes(bytes)
            .inspect_err(|_| self.has_failed = true)
    }
}

impl TryCryptoRng for Randomness {}

/// Signs a message with either form of a key, and a fresh seed that is not moved.
fn sign<P: Parameters, K: RandomizedSigner<Signature<P>>>(
    key: &K,
    set: ParameterSet,
    message: &[u8],
    format: Format,
    out: &SignatureOutput,
) -> Result<(), Status> {
    out.has_room(max_len(set, format))?;
    let mut randomness = Randomness { has_failed: false };
    match key.try_sign_with_rng(&mut randomness, message) {
        Ok(signature) => out.encode(&signature, format),
        Err(_) if randomness.has_failed => Err(Status::NoRandomness),
        Err(_) => Err(Status::Fault),
    }
}

/// Signs a message.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_sign(
    key: *const falconsign_signing_key,
    message: *const u8,
    message_len: usize,
    format: c_int,
    signature: *mut u8,
    capacity: usize,
    signature_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key, message) = unsafe {
            (
                SignatureOutput::new(signature, capacity, signature_len)?,
                object(key)?,
                values(message, message_len)?,
            )
        };
        out.apart_from(message)?;
        let (set, format) = (key.key().set(), format_of(format)?);
        match key.signing_of(message)? {
            Signing::Falcon512(key) => sign(key, set, message, format, &out),
            Signing::Falcon1024(key) => sign(key, set, message, format, &out),
            Signing::Expanded512(key) => sign(key, set, message, format, &out),
            Signing::Expanded1024(key) => sign(key, set, message, format, &out),
        }
    })
}
