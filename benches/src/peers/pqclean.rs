//! PQClean, through pqcrypto-falcon. It has fast code (AVX2 or NEON, which the crate chooses at run
//! time), and portable code (`clean`), which computes binary64 with integers.
//!
//! Both have padded signatures, as ours have. Their functions accept only encoded keys. Both read
//! the operating system's generator twice for a signature, which takes less than a microsecond in
//! total.

use crate::entry::{Degree, Entry, MESSAGE, Mode, Operation, entry};
use pqcrypto_falcon::ffi;
use std::ffi::c_int;
use std::hint::black_box;

/// Name of the fast code in the tables.
pub const NAME: &str = "pqcrypto-falcon";
/// Name of the integer-only code in the tables.
pub const CLEAN: &str = "pqcrypto-falcon-clean";

/// Returns the rows of the fast code for one operation.
pub fn entries(operation: Operation, degree: Degree) -> Vec<Entry> {
    macro_rules! rows {
        ($module:ident) => {{
            use pqcrypto_falcon::$module::{detached_sign, keypair, verify_detached_signature};
            let (vk, sk) = keypair();
            match operation {
                // PQClean has no expanded keys.
                Operation::Expand => vec![],
                Operation::Keygen => vec![entry(operation, Mode::Seed, degree, NAME, || {
                    black_box(keypair());
                })],
                Operation::Sign => {
                    vec![entry(operation, Mode::Encoded, degree, NAME, move || {
                        black_box(detached_sign(black_box(MESSAGE), black_box(&sk)));
                    })]
                }
                Operation::Verify => {
                    let signatures = (0..crate::SIGNATURES).map(|_| detached_sign(MESSAGE, &sk));
                    let mut signatures = crate::Cycle::new(signatures.collect());
                    vec![entry(operation, Mode::Encoded, degree, NAME, move || {
                        let sig = black_box(signatures.turn());
                        verify_detached_signature(sig, black_box(MESSAGE), black_box(&vk))
                            .expect("its own signature");
                    })]
                }
            }
        }};
    }
    match degree {
        Degree::D512 => rows!(falconpadded512),
        Degree::D1024 => rows!(falconpadded1024),
    }
}

type Keypair = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type Sign = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
type Verify = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int;

/// The portable code of one degree: its functions and their buffer sizes.
struct Clean {
    keypair: Keypair,
    sign: Sign,
    verify: Verify,
    vk_len: usize,
    sk_len: usize,
    sig_len: usize,
}

impl Clean {
    fn new(degree: Degree) -> Self {
        match degree {
            Degree::D512 => Self {
                keypair: ffi::PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_keypair,
                sign: ffi::PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_signature,
                verify: ffi::PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_verify,
                vk_len: ffi::PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_PUBLICKEYBYTES,
                sk_len: ffi::PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_SECRETKEYBYTES,
                sig_len: ffi::PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_BYTES,
            },
            Degree::D1024 => Self {
                keypair: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_keypair,
                sign: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_signature,
                verify: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_verify,
                vk_len: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_PUBLICKEYBYTES,
                sk_len: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_SECRETKEYBYTES,
                sig_len: ffi::PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_BYTES,
            },
        }
    }

    /// Generates a pair `(vk, sk)`.
    fn keypair(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut vk, mut sk) = (vec![0; self.vk_len], vec![0; self.sk_len]);
        // SAFETY: the buffers have the lengths that the function writes.
        let status = unsafe { (self.keypair)(vk.as_mut_ptr(), sk.as_mut_ptr()) };
        assert_eq!(status, 0);
        (vk, sk)
    }

    fn sign(&self, sk: &[u8]) -> Vec<u8> {
        assert_eq!(sk.len(), self.sk_len);
        let mut sig = vec![0; self.sig_len];
        let mut len = 0;
        // SAFETY: the key has the length that the function reads. The signature's array holds the
        // longest one, and the message is passed with its length.
        let status = unsafe {
            let (message, mlen) = (MESSAGE.as_ptr(), MESSAGE.len());
            (self.sign)(sig.as_mut_ptr(), &mut len, message, mlen, sk.as_ptr())
        };
        assert_eq!(status, 0);
        sig.truncate(len);
        sig
    }

    fn verify(&self, sig: &[u8], vk: &[u8]) {
        assert_eq!(vk.len(), self.vk_len);
        // SAFETY: the key has the length that the function reads. Signature and message are passed
        // with their lengths.
        let status = unsafe {
            let (message, mlen) = (MESSAGE.as_ptr(), MESSAGE.len());
            (self.verify)(sig.as_ptr(), sig.len(), message, mlen, vk.as_ptr())
        };
        assert_eq!(status, 0);
    }
}

/// Returns the rows of the integer-only code for one operation.
pub fn clean_entries(operation: Operation, degree: Degree) -> Vec<Entry> {
    let clean = Clean::new(degree);
    match operation {
        Operation::Expand => vec![],
        Operation::Keygen => vec![entry(operation, Mode::Seed, degree, CLEAN, move || {
            black_box(clean.keypair());
        })],
        Operation::Sign => {
            let (_, sk) = clean.keypair();
            vec![entry(operation, Mode::Encoded, degree, CLEAN, move || {
                black_box(clean.sign(black_box(&sk)));
            })]
        }
        Operation::Verify => {
            let (vk, sk) = clean.keypair();
            let signatures = (0..crate::SIGNATURES).map(|_| clean.sign(&sk)).collect();
            let mut signatures = crate::Cycle::new(signatures);
            vec![entry(operation, Mode::Encoded, degree, CLEAN, move || {
                clean.verify(black_box(signatures.turn()), black_box(&vk));
            })]
        }
    }
}
