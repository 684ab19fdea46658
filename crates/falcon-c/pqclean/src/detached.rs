//! Keys, and detached signatures.

use crate::random;
use falcon_core::hazmat::{self, Fit, RawRandomness};
use falcon_core::{Format, Parameters, Scratch, Signature, SigningKey, VerifyingKey};
use falconsign::border::{Output, Status, filled, values};
use zeroize::Zeroizing;

/// Form of the signatures that an algorithm makes.
pub(crate) trait Form {
    /// Form of a detached signature.
    const FORMAT: Format;
    /// Which signatures fit the form.
    const FIT: Fit;

    /// Most bytes of a detached signature.
    fn max_len<P: Parameters>() -> usize;
}

/// Signatures of varying length.
pub(crate) struct Compressed;

impl Form for Compressed {
    const FORMAT: Format = Format::Compressed;
    const FIT: Fit = Fit::Any;

    fn max_len<P: Parameters>() -> usize {
        P::COMPRESSED_MAX_LEN
    }
}

/// Signatures of one length, filled up with zeros.
pub(crate) struct Padded;

impl Form for Padded {
    const FORMAT: Format = Format::Padded;
    const FIT: Fit = Fit::Padded;

    fn max_len<P: Parameters>() -> usize {
        P::PADDED_LEN
    }
}

/// Generates a key pair from 48 random bytes.
///
/// # Safety
/// The pointers lead to memory for the two keys.
pub(crate) unsafe fn generate<P: Parameters>(
    public: *mut u8,
    secret: *mut u8,
) -> Result<(), Status> {
    // SAFETY: the caller vouches for this.
    let (public, secret) = unsafe {
        (
            Output::new(public, P::VERIFYING_KEY_LEN)?,
            Output::new(secret, P::SIGNING_KEY_LEN)?,
        )
    };
    let mut seed = Zeroizing::new([0; 48]);
    random::fill(&mut seed[..])?;
    let key = SigningKey::<P>::from_reference_seed_boxed(&seed)?;
    secret.write(0, key.to_bytes().as_ref())?;
    public.write(0, key.verifying_key().to_bytes().as_ref())
}

/// Signs a message. Draws the nonce (40 bytes), then the seed of the sampler (48 bytes).
///
/// # Safety
/// The pointers lead to `len` bytes and to a secret key.
pub(crate) unsafe fn sign<P: Parameters, F: Form>(
    message: *const u8,
    len: usize,
    secret: *const u8,
) -> Result<Signature<P>, Status> {
    // SAFETY: the caller vouches for this.
    let (message, secret) = unsafe { (values(message, len)?, values(secret, P::SIGNING_KEY_LEN)?) };
    let key = SigningKey::<P>::decode_boxed(secret)?;
    let (mut nonce, mut seed) = ([0; 40], Zeroizing::new([0; 48]));
    random::fill(&mut nonce)?;
    random::fill(&mut seed[..])?;
    let randomness = RawRandomness {
        nonce: &nonce,
        seed: &seed[..],
    };
    let mut reals = filled(0.0, Scratch::<P>::LEN)?;
    let mut scratch = Scratch::new(&mut reals).map_err(|_| Status::Internal)?;
    Ok(hazmat::sign_raw(
        &*key,
        randomness,
        message,
        F::FIT,
        &mut scratch,
    )?)
}

/// Signs a message, and writes the detached signature and its length.
///
/// # Safety
/// The pointers lead to memory for the longest signature and its length, to `message_len` bytes and
/// to a secret key.
pub(crate) unsafe fn sign_detached<P: Parameters, F: Form>(
    signature: *mut u8,
    signature_len: *mut usize,
    message: *const u8,
    message_len: usize,
    secret: *const u8,
) -> Result<(), Status> {
    // SAFETY: the caller vouches for this.
    let (out, out_len) = unsafe {
        (
            Output::new(signature, F::max_len::<P>())?,
            Output::new(signature_len, 1)?,
        )
    };
    // SAFETY: the caller vouches for this.
    let signature = unsafe { sign::<P, F>(message, message_len, secret) }?;
    let encoded = signature.to_vec(F::FORMAT)?;
    out.write(0, &encoded)?;
    out_len.write(0, &[encoded.len()])
}

/// Decodes a detached signature: padded if it has the length of that form, or else compressed.
pub(crate) fn decode<P: Parameters>(signature: &[u8]) -> Result<Signature<P>, Status> {
    let format = match signature.len() == P::PADDED_LEN {
        true => Format::Padded,
        false => Format::Compressed,
    };
    Signature::from_bytes(format, signature).map_err(|_| Status::MalformedSignature)
}

/// Verifies a signature of a message under an encoded key.
pub(crate) fn verify<P: Parameters>(
    signature: &Signature<P>,
    message: &[u8],
    public: &[u8],
) -> Result<(), Status> {
    let key = VerifyingKey::<P>::try_from(public)?;
    Ok(key.verify(message, signature)?)
}

/// Verifies a detached signature.
///
/// # Safety
/// The pointers lead to `signature_len` and `message_len` bytes and to a public key.
pub(crate) unsafe fn verify_detached<P: Parameters>(
    signature: *const u8,
    signature_len: usize,
    message: *const u8,
    message_len: usize,
    public: *const u8,
) -> Result<(), Status> {
    // SAFETY: the caller vouches for this.
    let (signature, message, public) = unsafe {
        (
            values(signature, signature_len)?,
            values(message, message_len)?,
            values(public, P::VERIFYING_KEY_LEN)?,
        )
    };
    verify::<P>(&decode(signature)?, message, public)
}
