//! Messages that come in pieces.

use crate::arguments::values;
use crate::information::max_len;
use crate::memory::{NewHandle, free, object, object_mut};
use crate::parameters::format_of;
use crate::sign::SignatureOutput;
use crate::signing_key::{falconsign_signing_key, fill};
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::{
    AnySignStream, AnySignature, AnySigningKey, AnyVerifyingKey, Format, MessageHasher,
    ParameterSet, SEED_LEN,
};
use std::ffi::c_int;
use std::process;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Handle of a message that is being signed.
pub struct falconsign_signer {
    /// The stream, until it is finished.
    stream: Option<AnySignStream<Arc<AnySigningKey>>>,
    set: ParameterSet,
    /// Two processes must not sign with the same seed.
    process: u32,
}

impl falconsign_signer {
    /// Refuses a child process, which would sign with the seed of its parent.
    fn check(&self) -> Result<(), Status> {
        match self.process == process::id() {
            true => Ok(()),
            false => Err(Status::Forked),
        }
    }
}

/// Handle of a message whose signature is being verified.
pub struct falconsign_verifier {
    key: Arc<AnyVerifyingKey>,
    signature: AnySignature,
    /// The hashed message, until it is finished.
    hasher: Option<MessageHasher>,
}

/// Starts to sign a message that comes in pieces.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signer_new(
    key: *const falconsign_signing_key,
    signer: *mut *mut falconsign_signer,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key) = unsafe { (NewHandle::new(signer)?, object(key)?) };
        let key = key.for_messages()?;
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        fill(&mut seed)?;
        out.give(Box::new(falconsign_signer {
            stream: Some(AnySignStream::new(Arc::clone(key), &seed)),
            set: key.set(),
            process: process::id(),
        }))
    })
}

/// Absorbs the next piece of a message that is signed.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signer_update(
    signer: *mut falconsign_signer,
    piece: *const u8,
    piece_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (signer, piece) = unsafe { (object_mut(signer)?, values(piece, piece_len)?) };
        signer.check()?;
        signer
            .stream
            .as_mut()
            .ok_or(Status::Finished)?
            .update(piece);
        Ok(())
    })
}

/// Signs the absorbed message.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signer_finish(
    signer: *mut falconsign_signer,
    format: c_int,
    signature: *mut u8,
    capacity: usize,
    signature_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, signer) = unsafe {
            (
                SignatureOutput::new(signature, capacity, signature_len)?,
                object_mut(signer)?,
            )
        };
        signer.check()?;
        let format = format_of(format)?;
        out.has_room(max_len(signer.set, format))?;
        let stream = signer.stream.take().ok_or(Status::Finished)?;
        match stream.finish()? {
            AnySignature::Falcon512(signature) => out.encode(&*signature, format),
            AnySignature::Falcon1024(signature) => out.encode(&*signature, format),
            _ => Err(Status::Internal),
        }
    })
}

/// Frees a signer.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signer_free(signer: *mut falconsign_signer) {
    // SAFETY: the header asks the caller for this.
    unsafe { free(signer) }
}

/// Starts to verify a signature of a message that comes in pieces.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifier_new(
    key: *const falconsign_verifying_key,
    format: c_int,
    signature: *const u8,
    signature_len: usize,
    verifier: *mut *mut falconsign_verifier,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key, signature) = unsafe {
            (
                NewHandle::new(verifier)?,
                object(key)?,
                values(signature, signature_len)?,
            )
        };
        let set = key.0.set();
        let decoded = match format_of(format)? {
            Format::Padded => AnySignature::from_canonical_bytes(set, signature),
            format => AnySignature::from_bytes(set, format, signature),
        };
        let signature = decoded.map_err(|_| Status::MalformedSignature)?;
        out.give(Box::new(falconsign_verifier {
            key: Arc::clone(&key.0),
            hasher: Some(key.0.hasher(signature.nonce())),
            signature,
        }))
    })
}

/// Absorbs the next piece of a message whose signature is verified.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifier_update(
    verifier: *mut falconsign_verifier,
    piece: *const u8,
    piece_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (verifier, piece) = unsafe { (object_mut(verifier)?, values(piece, piece_len)?) };
        verifier
            .hasher
            .as_mut()
            .ok_or(Status::Finished)?
            .update(piece);
        Ok(())
    })
}

/// Verifies the signature for the absorbed message.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifier_finish(verifier: *mut falconsign_verifier) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let verifier = unsafe { object_mut(verifier) }?;
        let hasher = verifier.hasher.take().ok_or(Status::Finished)?;
        Ok(verifier.key.verify_hashed(hasher, &verifier.signature)?)
    })
}

/// Frees a verifier.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifier_free(verifier: *mut falconsign_verifier) {
    // SAFETY: the header asks the caller for this.
    unsafe { free(verifier) }
}
