//! Signing keys.

use crate::arguments::values;
use crate::memory::{NewHandle, Output, free, object};
use crate::parameters::{number_of, set_of};
use crate::status::{Status, caught, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::pkcs8::KeyUse;
use falcon_core::{
    AnySigningKey, ExpandedKey, Falcon512, Falcon1024, Parameters, SEED_LEN, SigningKey,
};
use falcon_x509::SignedPart;
use std::ffi::c_int;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Length in bytes of the longest signed part that a key for certificates only signs. Decoding it
/// takes memory.
const MAX_SIGNED_PART: usize = 16 << 20;

/// Handle of a signing key. Wiped when it is freed and no stream uses it.
pub struct falconsign_signing_key {
    key: Arc<AnySigningKey>,
    /// The key once more, prepared for signing.
    expanded: Option<Expanded>,
    pub(crate) key_use: KeyUse,
}

/// A key that is prepared for signing.
enum Expanded {
    Falcon512(Box<ExpandedKey<Falcon512>>),
    Falcon1024(Box<ExpandedKey<Falcon1024>>),
}

/// The form of a key that signs.
pub(crate) enum Signing<'k> {
    Falcon512(&'k SigningKey<Falcon512>),
    Falcon1024(&'k SigningKey<Falcon1024>),
    Expanded512(&'k ExpandedKey<Falcon512>),
    Expanded1024(&'k ExpandedKey<Falcon1024>),
}

impl falconsign_signing_key {
    /// Returns the key, if it may sign messages.
    pub(crate) fn for_messages(&self) -> Result<&Arc<AnySigningKey>, Status> {
        match self.key_use {
            KeyUse::Any => Ok(&self.key),
            KeyUse::CertificatesOnly => Err(Status::KeyUse),
        }
    }

    /// Returns the form of the key that signs fastest, if it may sign messages.
    pub(crate) fn signing(&self) -> Result<Signing<'_>, Status> {
        self.for_messages()?;
        self.fastest()
    }

    /// Returns the form of the key that signs fastest, if it may sign `message`. A key for
    /// certificates only signs whole signed parts of X.509 documents, in DER.
    pub(crate) fn signing_of(&self, message: &[u8]) -> Result<Signing<'_>, Status> {
        let is_part = || message.len() <= MAX_SIGNED_PART && SignedPart::from_der(message).is_ok();
        match self.key_use {
            KeyUse::CertificatesOnly if !is_part() => Err(Status::KeyUse),
            _ => self.fastest(),
        }
    }

    fn fastest(&self) -> Result<Signing<'_>, Status> {
        match (&self.expanded, &*self.key) {
            (Some(Expanded::Falcon512(key)), _) => Ok(Signing::Expanded512(key)),
            (Some(Expanded::Falcon1024(key)), _) => Ok(Signing::Expanded1024(key)),
            (None, AnySigningKey::Falcon512(key)) => Ok(Signing::Falcon512(key)),
            (None, AnySigningKey::Falcon1024(key)) => Ok(Signing::Falcon1024(key)),
            _ => Err(Status::Internal),
        }
    }

    /// Returns the key, whatever it may sign.
    pub(crate) fn key(&self) -> &AnySigningKey {
        &self.key
    }

    /// Makes the object of a handle.
    pub(crate) fn boxed(key: AnySigningKey, key_use: KeyUse) -> Box<Self> {
        Box::new(Self {
            key: Arc::new(key),
            expanded: None,
            key_use,
        })
    }
}

/// Fills `seed` with random bytes of the system.
pub(crate) fn fill(seed: &mut [u8; SEED_LEN]) -> Result<(), Status> {
    Ok(getrandom::fill(seed)?)
}

/// Generates a key with random bytes of the system.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_generate(
    set: c_int,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let out = unsafe { NewHandle::new(key) }?;
        let set = set_of(set)?;
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        fill(&mut seed)?;
        let key = AnySigningKey::from_seed(set, &seed)?;
        out.give(falconsign_signing_key::boxed(key, KeyUse::Any))
    })
}

/// Generates the key of a seed of 32 bytes.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_seed(
    set: c_int,
    seed: *const u8,
    seed_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, seed) = unsafe { (NewHandle::new(key)?, values(seed, seed_len)?) };
        let seed = seed.try_into().map_err(|_| Status::Length)?;
        let key = AnySigningKey::from_seed(set_of(set)?, seed)?;
        out.give(falconsign_signing_key::boxed(key, KeyUse::Any))
    })
}

/// Generates the key that the reference generates from a seed of 48 bytes.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_reference_seed(
    set: c_int,
    seed: *const u8,
    seed_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, seed) = unsafe { (NewHandle::new(key)?, values(seed, seed_len)?) };
        let seed = seed.try_into().map_err(|_| Status::Length)?;
        let key = AnySigningKey::from_reference_seed(set_of(set)?, seed)?;
        out.give(falconsign_signing_key::boxed(key, KeyUse::Any))
    })
}

/// Decodes a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_bytes(
    bytes: *const u8,
    bytes_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, bytes) = unsafe { (NewHandle::new(key)?, values(bytes, bytes_len)?) };
        let key = AnySigningKey::try_from(bytes)?;
        out.give(falconsign_signing_key::boxed(key, KeyUse::Any))
    })
}

/// Encodes a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_to_bytes(
    key: *const falconsign_signing_key,
    bytes: *mut u8,
    capacity: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (key, out) = unsafe { (object(key)?, Output::new(bytes, capacity)?) };
        out.write(0, &key.key().to_bytes())
    })
}

/// Prepares a key for signing, under a new handle.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_expand(
    key: *const falconsign_signing_key,
    expanded: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key) = unsafe { (NewHandle::new(expanded)?, object(key)?) };
        let expanded = match key.key() {
            AnySigningKey::Falcon512(key) => Expanded::Falcon512(Box::new(key.expand())),
            AnySigningKey::Falcon1024(key) => Expanded::Falcon1024(Box::new(key.expand())),
            _ => return Err(Status::Internal),
        };
        out.give(Box::new(falconsign_signing_key {
            key: Arc::clone(&key.key),
            expanded: Some(expanded),
            key_use: key.key_use,
        }))
    })
}

/// Makes the verifying key of a signing key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_verifying_key(
    key: *const falconsign_signing_key,
    verifying_key: *mut *mut falconsign_verifying_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key) = unsafe { (NewHandle::new(verifying_key)?, object(key)?) };
        out.give(falconsign_verifying_key::boxed(key.key().verifying_key()))
    })
}

/// Returns the parameter set of a key, or 0.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_parameter_set(
    key: *const falconsign_signing_key,
) -> c_int {
    // SAFETY: the header asks the caller for this.
    let set = caught(|| unsafe { object(key) }.map(|key| number_of(key.key().set())));
    set.and_then(Result::ok).unwrap_or(0)
}

/// Frees a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_free(key: *mut falconsign_signing_key) {
    // SAFETY: the header asks the caller for this.
    unsafe { free(key) }
}

/// Returns the Falcon key of a parameter set.
pub(crate) fn typed<P: Parameters>(key: &AnySigningKey) -> Result<&SigningKey<P>, Status> {
    key.typed().ok_or(Status::ParameterSet)
}
