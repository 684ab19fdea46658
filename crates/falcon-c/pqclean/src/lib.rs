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
mod detached;
mod random;

use detached::{Compressed, Padded, generate, sign_detached, verify_detached};
use falcon_core::{Falcon512, Falcon1024};
use falconsign::border::{Status, caught};
use std::ffi::c_int;

/// Calls `body`. Returns 0, or -1 if it fails or panics.
fn status(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    match caught(body) {
        Some(Ok(())) => 0,
        Some(Err(_)) | None => -1,
    }
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
