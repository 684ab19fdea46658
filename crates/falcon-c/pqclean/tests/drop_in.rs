//! Calls the functions by their names in C. The bytes are those of PQClean, and what its functions
//! accept is accepted.

use falcon_kat::replay::nist_inputs;
use falcon_kat::rsp::{Style, Writer};
use falcon_kat::{Algorithm, KeyPair, Subject, SubjectError, replay, testvectors};
// Links the library.
use falconpqclean as _;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::ffi::c_int;

thread_local! {
    /// Bytes that [`PQCLEAN_randombytes`] gives next. It fails if there are too few.
    static RANDOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Gives the random bytes of a test.
///
/// # Safety
/// `output` leads to memory for `len` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn PQCLEAN_randombytes(output: *mut u8, len: usize) -> c_int {
    RANDOM.with_borrow_mut(|bytes| {
        if len > bytes.len() {
            return -1;
        }
        let rest = bytes.split_off(len);
        // SAFETY: the caller vouches for the memory.
        unsafe { output.copy_from_nonoverlapping(bytes.as_ptr(), len) };
        *bytes = rest;
        0
    })
}

type Keypair = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type Sign = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
type Verify = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int;

/// The functions of one name.
#[derive(Clone, Copy)]
struct Functions {
    name: &'static str,
    algorithm: Algorithm,
    keypair: Keypair,
    signature: Sign,
    verify: Verify,
    sign: Sign,
    open: Sign,
}

macro_rules! functions {
    ($($module:ident $name:literal $algorithm:ident;)*) => {
        $(mod $module {
            use super::*;
            unsafe extern "C" {
                #[link_name = concat!("PQCLEAN_", $name, "_crypto_sign_keypair")]
                pub fn keypair(pk: *mut u8, sk: *mut u8) -> c_int;
                #[link_name = concat!("PQCLEAN_", $name, "_crypto_sign_signature")]
                pub fn signature(
                    sig: *mut u8, siglen: *mut usize, m: *const u8, mlen: usize, sk: *const u8,
                ) -> c_int;
                #[link_name = concat!("PQCLEAN_", $name, "_crypto_sign_verify")]
                pub fn verify(
                    sig: *const u8, siglen: usize, m: *const u8, mlen: usize, pk: *const u8,
                ) -> c_int;
                #[link_name = concat!("PQCLEAN_", $name, "_crypto_sign")]
                pub fn sign(
                    sm: *mut u8, smlen: *mut usize, m: *const u8, mlen: usize, sk: *const u8,
                ) -> c_int;
                #[link_name = concat!("PQCLEAN_", $name, "_crypto_sign_open")]
                pub fn open(
                    m: *mut u8, mlen: *mut usize, sm: *const u8, smlen: usize, pk: *const u8,
                ) -> c_int;
            }
        })*

        const ALL: &[Functions] = &[$(Functions {
            name: $name,
            algorithm: Algorithm::$algorithm,
            keypair: $module::keypair,
            signature: $module::signature,
            verify: $module::verify,
            sign: $module::sign,
            open: $module::open,
        }),*];
    };
}

functions! {
    falcon512_clean "FALCON512_CLEAN" Falcon512;
    falcon512_avx2 "FALCON512_AVX2" Falcon512;
    falcon512_aarch64 "FALCON512_AARCH64" Falcon512;
    falcon1024_clean "FALCON1024_CLEAN" Falcon1024;
    falcon1024_avx2 "FALCON1024_AVX2" Falcon1024;
    falcon1024_aarch64 "FALCON1024_AARCH64" Falcon1024;
    padded512_clean "FALCONPADDED512_CLEAN" FalconPadded512;
    padded512_avx2 "FALCONPADDED512_AVX2" FalconPadded512;
    padded512_aarch64 "FALCONPADDED512_AARCH64" FalconPadded512;
    padded1024_clean "FALCONPADDED1024_CLEAN" FalconPadded1024;
    padded1024_avx2 "FALCONPADDED1024_AVX2" FalconPadded1024;
    padded1024_aarch64 "FALCONPADDED1024_AARCH64" FalconPadded1024;
}

/// PQClean's `CRYPTO_PUBLICKEYBYTES`, `CRYPTO_SECRETKEYBYTES` and `CRYPTO_BYTES`.
fn lengths(algorithm: Algorithm) -> [usize; 3] {
    match algorithm {
        Algorithm::Falcon512 => [897, 1281, 752],
        Algorithm::Falcon1024 => [1793, 2305, 1462],
        Algorithm::FalconPadded512 => [897, 1281, 666],
        Algorithm::FalconPadded1024 => [1793, 2305, 1280],
    }
}

/// Gives random bytes to the next calls.
fn give(parts: &[&[u8]]) {
    RANDOM.set(parts.concat());
}

/// Checks the status of a call that used all random bytes.
fn done(status: c_int) -> Result<(), SubjectError> {
    match (status, RANDOM.take().len()) {
        (0, 0) => Ok(()),
        (status, left) => Err(format!("status {status}, {left} random bytes left").into()),
    }
}

impl Functions {
    fn generate(&self, seed: &[u8; 48]) -> Result<KeyPair, SubjectError> {
        let [public_len, secret_len, _] = lengths(self.algorithm);
        let (mut public, mut secret) = (vec![0; public_len], vec![0; secret_len]);
        give(&[seed]);
        // SAFETY: the lengths are those of the keys.
        done(unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) })?;
        Ok(KeyPair { public, secret })
    }

    /// Calls a function that signs, with a buffer of the length that PQClean asks for.
    fn call(&self, sign: Sign, room: usize, message: &[u8], secret: &[u8]) -> (c_int, Vec<u8>) {
        let mut out = vec![0; lengths(self.algorithm)[2] + room];
        let mut len = 0;
        let (m, mlen) = (message.as_ptr(), message.len());
        // SAFETY: the buffer has room for the longest result.
        let status = unsafe { sign(out.as_mut_ptr(), &mut len, m, mlen, secret.as_ptr()) };
        out.truncate(len);
        (status, out)
    }

    fn verifies(&self, signature: &[u8], message: &[u8], public: &[u8]) -> c_int {
        let (s, slen) = (signature.as_ptr(), signature.len());
        let (m, mlen) = (message.as_ptr(), message.len());
        // SAFETY: the lengths are those of the slices.
        unsafe { (self.verify)(s, slen, m, mlen, public.as_ptr()) }
    }

    /// Opens a signed message. Returns the status and the message.
    fn opens(&self, signed: &[u8], public: &[u8]) -> (c_int, Vec<u8>) {
        let (mut message, mut len) = (vec![0; signed.len()], 0);
        let (m, s) = (message.as_mut_ptr(), signed.as_ptr());
        // SAFETY: a message is shorter than its signed message.
        let status = unsafe { (self.open)(m, &mut len, s, signed.len(), public.as_ptr()) };
        message.truncate(len);
        (status, message)
    }
}

impl Subject for Functions {
    fn keygen(&self, _: Algorithm, seed: &[u8; 48]) -> Result<KeyPair, SubjectError> {
        self.generate(seed)
    }

    fn sign_attached(
        &self,
        _: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        give(&[nonce, seed]);
        let (status, signed) = self.call(self.sign, message.len(), message, secret_key);
        done(status).map(|()| signed)
    }

    fn sign_detached(
        &self,
        _: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        give(&[nonce, seed]);
        let (status, signature) = self.call(self.signature, 0, message, secret_key);
        done(status).map(|()| signature)
    }

    fn open(
        &self,
        _: Algorithm,
        public_key: &[u8],
        signed_message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        let (status, message) = self.opens(signed_message, public_key);
        done(status).map(|()| message)
    }
}

#[test]
fn pqcleans_hashes_come_out_for_every_name() {
    let hashes = include_str!("../../../../kat/pqclean_hashes.json");
    let hashes: serde_json::Value = serde_json::from_str(hashes).expect("a JSON file");
    for functions in ALL {
        let algorithm = functions.algorithm;
        let hash = |text: &[u8]| base16ct::lower::encode_string(&Sha256::digest(text));
        let expected = |key: &str| hashes[algorithm.name()][key].as_str().expect("a hash");
        let mut writer = Writer::new(Vec::new(), Style::Pqclean, algorithm.title()).unwrap();
        let inputs = nist_inputs().next().expect("there is no end");
        let record = replay::produce(algorithm, &inputs, functions).expect("a record");
        writer.write(&record).expect("written");
        assert_eq!(
            hash(&writer.into_inner()),
            expected("nistkat-sha256"),
            "{}",
            functions.name
        );
        let mut text = Vec::new();
        testvectors::generate(algorithm, functions, &mut text).expect("generated");
        assert_eq!(
            hash(&text),
            expected("testvectors-sha256"),
            "{}",
            functions.name
        );
    }
}

/// One function of each algorithm, with a key and the name of the other form of signatures.
fn pairs() -> [(Functions, Functions, KeyPair); 4] {
    let of = |name: &str| *ALL.iter().find(|f| f.name == name).expect("in the table");
    [
        ("FALCON512_CLEAN", "FALCONPADDED512_CLEAN"),
        ("FALCON1024_CLEAN", "FALCONPADDED1024_CLEAN"),
        ("FALCONPADDED512_CLEAN", "FALCON512_CLEAN"),
        ("FALCONPADDED1024_CLEAN", "FALCON1024_CLEAN"),
    ]
    .map(|(name, other)| {
        let key = of(name).generate(&[7; 48]).expect("a key");
        (of(name), of(other), key)
    })
}

#[test]
fn signatures_verify_and_changed_ones_do_not() {
    for (functions, other, key) in pairs() {
        let (algorithm, message) = (functions.algorithm, b"order #42");
        let sign =
            |nonce| functions.sign_detached(algorithm, &key.secret, nonce, &[3; 48], message);
        let signature = sign(&[2; 40]).expect("signed");
        // PQClean accepts both forms under each name.
        for functions in [functions, other] {
            assert_eq!(functions.verifies(&signature, message, &key.public), 0);
            assert_eq!(
                functions.verifies(&signature, b"order #43", &key.public),
                -1
            );
            for len in [0, 1, 40, 41, signature.len() - 1] {
                assert_eq!(
                    functions.verifies(&signature[..len], message, &key.public),
                    -1
                );
            }
            for byte in [0, 1, 50] {
                let mut changed = signature.clone();
                changed[byte] ^= 1;
                assert_eq!(functions.verifies(&changed, message, &key.public), -1);
            }
            let longer = [&signature[..], &[0]].concat();
            assert_eq!(functions.verifies(&longer, message, &key.public), -1);
        }
        let other_key = functions.generate(&[8; 48]).expect("a key");
        assert_eq!(
            functions.verifies(&signature, message, &other_key.public),
            -1
        );
    }
}

/// As in PQClean, the signature in a signed message may be filled up to the padded length.
#[test]
fn a_compressed_signature_in_a_signed_message_may_be_padded() {
    let compressed =
        |(functions, ..): &(Functions, _, _)| functions.algorithm.padded_len().is_none();
    for (functions, other, key) in pairs().into_iter().filter(compressed) {
        let message = b"order #42";
        let signed = functions
            .sign_attached(
                functions.algorithm,
                &key.secret,
                &[2; 40],
                &[3; 48],
                message,
            )
            .expect("signed");
        let len = usize::from(u16::from_be_bytes([signed[0], signed[1]]));
        let padded = lengths(other.algorithm)[2] - 40;
        assert!(len < padded, "this seed gives a short signature");
        let opens = |padded: usize| {
            let mut changed = signed.clone();
            changed[..2].copy_from_slice(&(padded as u16).to_be_bytes());
            changed.resize(signed.len() + padded - len, 0);
            functions.opens(&changed, &key.public)
        };
        assert_eq!(opens(padded), (0, message.to_vec()));
        assert_eq!(opens(padded - 1).0, -1);
        assert_eq!(opens(padded + 1).0, -1);
    }
}

#[test]
fn signed_messages_open_and_changed_ones_do_not() {
    for (functions, _, key) in pairs() {
        for message in [&b""[..], b"order #42"] {
            let signed = functions
                .sign_attached(
                    functions.algorithm,
                    &key.secret,
                    &[2; 40],
                    &[3; 48],
                    message,
                )
                .expect("signed");
            assert_eq!(functions.opens(&signed, &key.public), (0, message.to_vec()));
            for len in [0, 1, 42, 43, signed.len() - 1] {
                assert_eq!(functions.opens(&signed[..len], &key.public), (-1, vec![]));
            }
            for byte in 0..signed.len() {
                let mut changed = signed.clone();
                changed[byte] ^= 1;
                assert_eq!(
                    functions.opens(&changed, &key.public),
                    (-1, vec![]),
                    "byte {byte}"
                );
            }
        }
    }
}

/// The message may lie in the signed message, before and after.
#[test]
fn input_and_output_may_overlap() {
    for (functions, _, key) in pairs() {
        let message = b"order #42";
        let expected = functions
            .sign_attached(
                functions.algorithm,
                &key.secret,
                &[2; 40],
                &[3; 48],
                message,
            )
            .expect("signed");
        for place in [0, 1, 42, 50] {
            let mut buffer = vec![0; lengths(functions.algorithm)[2] + message.len()];
            buffer[place..place + message.len()].copy_from_slice(message);
            let (at, mut len) = (buffer.as_mut_ptr(), 0);
            give(&[&[2; 40], &[3; 48]]);
            // SAFETY: the buffer has room for the longest result, and the message lies in it.
            let status = unsafe {
                let m = at.add(place);
                (functions.sign)(at, &mut len, m, message.len(), key.secret.as_ptr())
            };
            assert!(done(status).is_ok());
            assert!(buffer[..len] == expected[..], "place {place}");
            // SAFETY: a message is shorter than its signed message.
            let status = unsafe { (functions.open)(at, &mut len, at, len, key.public.as_ptr()) };
            assert_eq!((status, &buffer[..len]), (0, &message[..]));
        }
    }
}

#[test]
fn failures_change_nothing() {
    for (functions, _, key) in pairs() {
        let [public_len, secret_len, signature_len] = lengths(functions.algorithm);
        let (mut public, mut secret) = (vec![5; public_len], vec![5; secret_len]);
        // The generator of the program fails.
        give(&[&[0; 47]]);
        // SAFETY: the lengths are those of the keys.
        let status = unsafe { (functions.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) };
        assert_eq!(status, -1);
        assert!(public.iter().chain(&secret).all(|&byte| byte == 5));
        for random in [39, 40, 87] {
            for sign in [functions.signature, functions.sign] {
                give(&[&vec![1; random]]);
                let (mut out, mut len) = (vec![5; signature_len + 1], 99);
                // SAFETY: the buffer has room for the longest result.
                let status = unsafe {
                    sign(
                        out.as_mut_ptr(),
                        &mut len,
                        b"m".as_ptr(),
                        1,
                        key.secret.as_ptr(),
                    )
                };
                assert_eq!((status, len), (-1, 99));
                assert!(out.iter().all(|&byte| byte == 5));
            }
        }
        // A key of the wrong kind, and null pointers.
        let none = std::ptr::null_mut();
        give(&[&[1; 500]]);
        let public = &key.public[..];
        let no_key = [public, &vec![0; secret_len - public.len()]].concat();
        assert_eq!(
            functions.call(functions.signature, 0, b"m", &no_key),
            (-1, vec![])
        );
        let secret = key.secret.as_ptr();
        let (mut out, mut len) = (vec![0; signature_len + 1], 0);
        // SAFETY: the functions check null pointers.
        unsafe {
            assert_eq!((functions.keypair)(none, out.as_mut_ptr()), -1);
            assert_eq!((functions.keypair)(out.as_mut_ptr(), none), -1);
            for sign in [functions.signature, functions.sign] {
                assert_eq!(sign(none, &mut len, b"m".as_ptr(), 1, secret), -1);
                let none = std::ptr::null_mut();
                assert_eq!(sign(out.as_mut_ptr(), none, b"m".as_ptr(), 1, secret), -1);
                let none = std::ptr::null();
                assert_eq!(sign(out.as_mut_ptr(), &mut len, none, 1, secret), -1);
                assert_eq!(sign(out.as_mut_ptr(), &mut len, b"m".as_ptr(), 1, none), -1);
                let huge = usize::MAX;
                assert_eq!(
                    sign(out.as_mut_ptr(), &mut len, b"m".as_ptr(), huge, secret),
                    -1
                );
            }
            let none = std::ptr::null();
            assert_eq!(
                (functions.verify)(none, 1, b"m".as_ptr(), 1, public.as_ptr()),
                -1
            );
            assert_eq!((functions.verify)(none, 0, none, 0, public.as_ptr()), -1);
        }
        RANDOM.take();
    }
}
