//! The C functions of PQClean's Falcon, under the same names, computed by `falcon-core`.
//!
//! A program that calls PQClean's implementation, or liboqs's copy of it, is linked with this
//! library instead. Random bytes come from the function `PQCLEAN_randombytes` of the program, in
//! the order in which PQClean draws them, so known-answer tests give the same bytes.
//!
//! Every function returns 0, or -1 if it fails. Verification accepts exactly what PQClean accepts:
//! under every name, compressed signatures and padded ones.

#![deny(clippy::undocumented_unsafe_blocks)]

mod attached;
mod random;

use falcon_core::hazmat::{self, Fit, RawRandomness};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Scratch};
use falcon_core::{Signature, SigningKey, VerifyingKey};
use falconsign::border::{Output, Status, caught, filled, values};
use std::ffi::c_int;
use zeroize::Zeroizing;

/// Form of the signatures that an algorithm makes.
trait Form {
    /// Form of a detached signature.
    const FORMAT: Format;
    /// Which signatures fit the form.
    const FIT: Fit;

    /// Most bytes of a detached signature.
    fn max_len<P: Parameters>() -> usize;
}

/// Signatures of varying length.
struct Compressed;

impl Form for Compressed {
    const FORMAT: Format = Format::Compressed;
    const FIT: Fit = Fit::Any;

    fn max_len<P: Parameters>() -> usize {
        P::COMPRESSED_MAX_LEN
    }
}

/// Signatures of one length, filled up with zeros.
struct Padded;

impl Form for Padded {
    const FORMAT: Format = Format::Padded;
    const FIT: Fit = Fit::Padded;

    fn max_len<P: Parameters>() -> usize {
        P::PADDED_LEN
    }
}

/// Calls `body`. Returns 0, or -1 if it fails or panics.
fn status(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    match caught(body) {
        Some(Ok(())) => 0,
        Some(Err(_)) | None => -1,
    }
}

/// Generates a key pair from 48 random bytes.
///
/// # Safety
/// The pointers lead to memory for the two keys.
unsafe fn generate<P: Parameters>(public: *mut u8, secret: *mut u8) -> Result<(), Status> {
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
unsafe fn sign<P: Parameters, F: Form>(
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
unsafe fn sign_detached<P: Parameters, F: Form>(
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
fn decode<P: Parameters>(signature: &[u8]) -> Result<Signature<P>, Status> {
    let format = match signature.len() == P::PADDED_LEN {
        true => Format::Padded,
        false => Format::Compressed,
    };
    Signature::from_bytes(format, signature).map_err(|_| Status::MalformedSignature)
}

/// Verifies a signature of a message under an encoded key.
fn verify<P: Parameters>(
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
unsafe fn verify_detached<P: Parameters>(
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

/// Defines the five functions of PQClean for each name.
macro_rules! functions {
    ($($module:ident $name:literal $parameters:ty, $form:ty, $attached:ident;)*) => {$(
        #[doc = concat!("PQClean's functions for `", $name, "`.")]
        pub mod $module {
            use super::*;

            /// Generates a key pair: `pk` and `sk`.
            ///
            /// # Safety
            /// The pointers lead to memory for the two keys.
            #[unsafe(export_name = concat!("PQCLEAN_", $name, "_crypto_sign_keypair"))]
            pub unsafe extern "C" fn keypair(pk: *mut u8, sk: *mut u8) -> c_int {
                // SAFETY: the caller vouches for this.
                status(|| unsafe { generate::<$parameters>(pk, sk) })
            }

            /// Signs `m`: writes a detached signature and its length.
            ///
            /// # Safety
            /// The pointers lead to memory for the longest signature and its length, to `mlen`
            /// bytes and to a secret key.
            #[unsafe(export_name = concat!("PQCLEAN_", $name, "_crypto_sign_signature"))]
            pub unsafe extern "C" fn signature(
                sig: *mut u8,
                siglen: *mut usize,
                m: *const u8,
                mlen: usize,
                sk: *const u8,
            ) -> c_int {
                // SAFETY: the caller vouches for this.
                status(|| unsafe { sign_detached::<$parameters, $form>(sig, siglen, m, mlen, sk) })
            }

            /// Verifies a detached signature.
            ///
            /// # Safety
            /// The pointers lead to `siglen` and `mlen` bytes and to a public key.
            #[unsafe(export_name = concat!("PQCLEAN_", $name, "_crypto_sign_verify"))]
            pub unsafe extern "C" fn verify(
                sig: *const u8,
                siglen: usize,
                m: *const u8,
                mlen: usize,
                pk: *const u8,
            ) -> c_int {
                // SAFETY: the caller vouches for this.
                status(|| unsafe { verify_detached::<$parameters>(sig, siglen, m, mlen, pk) })
            }

            /// Signs `m`: writes a signed message and its length. `m` may lie in `sm`.
            ///
            /// # Safety
            /// The pointers lead to memory for the longest signed message and its length, to `mlen`
            /// bytes and to a secret key.
            #[unsafe(export_name = concat!("PQCLEAN_", $name, "_crypto_sign"))]
            pub unsafe extern "C" fn sign(
                sm: *mut u8,
                smlen: *mut usize,
                m: *const u8,
                mlen: usize,
                sk: *const u8,
            ) -> c_int {
                // SAFETY: the caller vouches for this.
                status(|| unsafe { attached::$attached::sign::<$parameters>(sm, smlen, m, mlen, sk) })
            }

            /// Verifies a signed message, and writes the message and its length. `m` may lie in
            /// `sm`.
            ///
            /// # Safety
            /// The pointers lead to memory for the message and its length, to `smlen` bytes and to
            /// a public key.
            #[unsafe(export_name = concat!("PQCLEAN_", $name, "_crypto_sign_open"))]
            pub unsafe extern "C" fn open(
                m: *mut u8,
                mlen: *mut usize,
                sm: *const u8,
                smlen: usize,
                pk: *const u8,
            ) -> c_int {
                // SAFETY: the caller vouches for this.
                status(|| unsafe { attached::$attached::open::<$parameters>(m, mlen, sm, smlen, pk) })
            }
        }
    )*};
}

functions! {
    falcon512_clean "FALCON512_CLEAN" Falcon512, Compressed, compressed;
    falcon512_avx2 "FALCON512_AVX2" Falcon512, Compressed, compressed;
    falcon512_aarch64 "FALCON512_AARCH64" Falcon512, Compressed, compressed;
    falcon1024_clean "FALCON1024_CLEAN" Falcon1024, Compressed, compressed;
    falcon1024_avx2 "FALCON1024_AVX2" Falcon1024, Compressed, compressed;
    falcon1024_aarch64 "FALCON1024_AARCH64" Falcon1024, Compressed, compressed;
    padded512_clean "FALCONPADDED512_CLEAN" Falcon512, Padded, padded;
    padded512_avx2 "FALCONPADDED512_AVX2" Falcon512, Padded, padded;
    padded512_aarch64 "FALCONPADDED512_AARCH64" Falcon512, Padded, padded;
    padded1024_clean "FALCONPADDED1024_CLEAN" Falcon1024, Padded, padded;
    padded1024_avx2 "FALCONPADDED1024_AVX2" Falcon1024, Padded, padded;
    padded1024_aarch64 "FALCONPADDED1024_AARCH64" Falcon1024, Padded, padded;
}
