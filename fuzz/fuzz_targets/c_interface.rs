//! Calls functions of the C library with hostile pointers and lengths: null, misaligned, longer
//! than any object, overlapping. No call may fail with an internal error or write outside its
//! outputs, and a signature is valid exactly if `falcon-core` says so.
//!
//! All pointers lead into one arena, which begins with keys, documents and signatures. An input
//! lists calls. Lengths stay within the arena, or are longer than any object can be, since C code
//! must not pass others.
#![no_main]

use falcon_core::pkcs8::EncodePrivateKey;
use falcon_core::{AnySignature, AnySigningKey, AnyVerifyingKey, Format, ParameterSet};
use falconsign::*;
use libfuzzer_sys::fuzz_target;
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

/// Length of the arena in bytes.
const ARENA: usize = 16384;

/// Message that the first signature signs.
const MESSAGE: &[u8] = b"order #42";

/// Contents of the arena at first, and the ranges of its objects.
struct Contents {
    bytes: Vec<u8>,
    objects: Vec<Range<usize>>,
    public: AnyVerifyingKey,
}

static CONTENTS: LazyLock<Contents> = LazyLock::new(|| {
    let key = AnySigningKey::from_seed(ParameterSet::Falcon512, &[7; 32]).expect("no fault");
    let mut rng = falcon_core::rand_core::UnwrapErr(getrandom::SysRng);
    let signature = key.sign_with_rng(&mut rng, MESSAGE).expect("no fault");
    let decoded = AnySignature::try_from(&signature[..]).expect("canonical");
    let public = key.verifying_key();
    let objects = [
        MESSAGE.to_vec(),
        signature,
        decoded.to_vec(Format::Compressed).expect("fits"),
        decoded.to_vec(Format::ConstantTime).expect("fits"),
        public.to_bytes(),
        key.to_bytes().to_vec(),
        key.to_pkcs8_der().expect("written").as_bytes().to_vec(),
        vec![0; 4000],
    ];
    let (mut bytes, mut ranges) = (Vec::new(), Vec::new());
    for object in objects {
        ranges.push(bytes.len()..bytes.len() + object.len());
        bytes.extend(object);
    }
    bytes.resize(ARENA, 0);
    Contents {
        bytes,
        objects: ranges,
        public,
    }
});

/// Handles that are never freed.
struct Handles {
    key: *mut falconsign_signing_key,
    expanded: *mut falconsign_signing_key,
    public: *mut falconsign_verifying_key,
}

// SAFETY: every function may use a key on any thread.
unsafe impl Sync for Handles {}
// SAFETY: as above.
unsafe impl Send for Handles {}

static HANDLES: LazyLock<Handles> = LazyLock::new(|| {
    let (mut key, mut expanded, mut public) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the seed has 32 bytes.
    unsafe {
        assert_eq!(
            falconsign_signing_key_from_seed(512, [7; 32].as_ptr(), 32, &raw mut key),
            0
        );
        assert_eq!(falconsign_signing_key_expand(key, &raw mut expanded), 0);
        assert_eq!(
            falconsign_signing_key_verifying_key(key, &raw mut public),
            0
        );
    }
    Handles {
        key,
        expanded,
        public,
    }
});

/// The arena, and the bytes of the input that are left.
struct Calls<'a> {
    arena: *mut u8,
    input: &'a [u8],
    /// Ranges of the arena that the call may change.
    outputs: Vec<Range<usize>>,
}

impl Calls<'_> {
    fn byte(&mut self) -> u8 {
        match self.input.split_first() {
            None => 0,
            Some((&first, rest)) => {
                self.input = rest;
                first
            }
        }
    }

    fn word(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
    }

    /// Returns a pointer and a length: mostly of an object, or nearly.
    fn memory(&mut self) -> (*mut u8, usize) {
        let objects = &CONTENTS.objects;
        let kind = self.byte();
        let object = objects[usize::from(kind >> 4) % objects.len()].clone();
        let (start, len) = match kind & 15 {
            0 => return (null_mut(), self.word()),
            1 => return (null_mut(), 0),
            // Longer than any object, from the longest to just too long.
            2 => return (self.arena, usize::MAX - self.word()),
            3 => return (self.arena, usize::MAX / 2 + 1 + self.word()),
            4 => (self.word() % ARENA, self.word()),
            5 => (object.start, object.len() + usize::from(self.byte())),
            6 => (
                object.start,
                object.len().saturating_sub(usize::from(self.byte())),
            ),
            7 => (object.start + usize::from(self.byte()), object.len()),
            _ => (object.start, object.len()),
        };
        // SAFETY: the offset lies within the arena.
        (unsafe { self.arena.add(start) }, len.min(ARENA - start))
    }

    /// Returns memory that the call may change.
    fn output(&mut self) -> (*mut u8, usize) {
        let (pointer, len) = self.memory();
        if !pointer.is_null() && len <= ARENA {
            let start = pointer.addr() - self.arena.addr();
            self.outputs.push(start..start + len);
        }
        (pointer, len)
    }

    fn format(&mut self) -> i32 {
        i32::from(self.byte() % 5)
    }

    fn key(&mut self) -> *const falconsign_signing_key {
        match self.byte() % 4 {
            0 => null(),
            1 => HANDLES.expanded,
            _ => HANDLES.key,
        }
    }

    fn public(&mut self) -> *const falconsign_verifying_key {
        match self.byte() % 4 {
            0 => null(),
            _ => HANDLES.public,
        }
    }

    /// Makes one call, or a few that belong together. Returns the last status.
    fn call(&mut self) -> i32 {
        let mut len = 0;
        match self.byte() % 9 {
            0 => {
                let (key, message, format) = (self.key(), self.memory(), self.format());
                let out = self.output();
                // SAFETY: the lengths stay within the arena, or are longer than any object.
                unsafe {
                    falconsign_sign(
                        key,
                        message.0,
                        message.1,
                        format,
                        out.0,
                        out.1,
                        &raw mut len,
                    )
                }
            }
            1 => self.verify(),
            2 => self.signing_key(),
            3 => {
                let (bytes, out) = (self.memory(), self.output());
                let mut public = null_mut();
                // SAFETY: as above; the handle is freed once.
                unsafe {
                    let status =
                        falconsign_verifying_key_from_bytes(bytes.0, bytes.1, &raw mut public);
                    assert_eq!(status == 0, !public.is_null());
                    falconsign_verifying_key_fingerprint(public, out.0, out.1);
                    falconsign_verifying_key_free(public);
                    status
                }
            }
            4 => self.signer(),
            5 => self.verifier(),
            6 => self.verify_batch(),
            7 => self.sign_batch(),
            _ => {
                let (public, message) = (self.public(), self.memory());
                let (format, signature) = (self.format(), self.memory());
                // SAFETY: as above.
                unsafe {
                    falconsign_det1024_verify(
                        public,
                        message.0,
                        message.1,
                        format,
                        signature.0,
                        signature.1,
                    )
                }
            }
        }
    }

    /// Signs a message that comes in one piece.
    fn signer(&mut self) -> i32 {
        let (key, message, format) = (self.key(), self.memory(), self.format());
        let (out, mut len, mut signer) = (self.output(), 0, null_mut());
        // SAFETY: the lengths stay within the arena, or are longer than any object. The handle is
        // freed once.
        unsafe {
            falconsign_signer_new(key, &raw mut signer);
            falconsign_signer_update(signer, message.0, message.1);
            let status = falconsign_signer_finish(signer, format, out.0, out.1, &raw mut len);
            falconsign_signer_free(signer);
            status
        }
    }

    /// Verifies a signature of a message that comes in one piece.
    fn verifier(&mut self) -> i32 {
        let (public, message) = (self.public(), self.memory());
        let (format, signature) = (self.format(), self.memory());
        let mut verifier = null_mut();
        // SAFETY: as above.
        unsafe {
            falconsign_verifier_new(public, format, signature.0, signature.1, &raw mut verifier);
            falconsign_verifier_update(verifier, message.0, message.1);
            let status = falconsign_verifier_finish(verifier);
            falconsign_verifier_free(verifier);
            status
        }
    }

    /// Verifies, and compares the verdict with that of the core.
    fn verify(&mut self) -> i32 {
        let (public, message) = (self.public(), self.memory());
        let (format, signature) = (self.format(), self.memory());
        // SAFETY: as above.
        let status = unsafe {
            falconsign_verify(
                public,
                message.0,
                message.1,
                format,
                signature.0,
                signature.1,
            )
        };
        if status > Status::NullPointer as i32 {
            let bytes = |(pointer, len): (*mut u8, usize)| match len {
                0 => &[][..],
                // SAFETY: the library has accepted pointer and length. Nobody writes meanwhile.
                _ => unsafe { std::slice::from_raw_parts(pointer, len) },
            };
            let number = format;
            let (_, _, format) = FORMATS
                .into_iter()
                .find(|row| row.1 == format)
                .expect("known");
            let encoded = CONTENTS.public.to_bytes();
            // SAFETY: as above.
            let same = unsafe {
                falconsign_verify_encoded(
                    encoded.as_ptr(),
                    encoded.len(),
                    message.0,
                    message.1,
                    number,
                    signature.0,
                    signature.1,
                )
            };
            assert_eq!(same, status);
            let set = ParameterSet::Falcon512;
            let decoded = match format {
                Format::Padded => AnySignature::from_canonical_bytes(set, bytes(signature)),
                format => AnySignature::from_bytes(set, format, bytes(signature)),
            };
            let key = &CONTENTS.public;
            let expected = decoded.map(|decoded| key.verify_decoded(bytes(message), &decoded));
            assert_eq!(status == 0, expected == Ok(Ok(())));
            assert_eq!(
                status == Status::MalformedSignature as i32,
                expected.is_err()
            );
        }
        status
    }

    /// Reads a signing key in one of three forms, and encodes it.
    fn signing_key(&mut self) -> i32 {
        let (form, bytes, out) = (self.byte(), self.memory(), self.output());
        let mut key = null_mut();
        // SAFETY: as above; the handle is freed once.
        unsafe {
            let status = match form % 3 {
                0 => falconsign_signing_key_from_bytes(bytes.0, bytes.1, &raw mut key),
                1 => falconsign_signing_key_from_der(bytes.0, bytes.1, null(), 0, &raw mut key),
                _ => falconsign_signing_key_from_pem(
                    bytes.0.cast(),
                    bytes.1,
                    null(),
                    0,
                    &raw mut key,
                ),
            };
            assert_eq!(status == 0, !key.is_null());
            falconsign_signing_key_to_bytes(key, out.0, out.1);
            falconsign_signing_key_free(key);
            status
        }
    }

    fn verify_batch(&mut self) -> i32 {
        let count = usize::from(self.byte() % 4);
        let jobs: Vec<_> = (0..count)
            .map(|_| {
                let (key, message, signature) = (self.public(), self.memory(), self.memory());
                falconsign_verify_job {
                    key,
                    message: message.0,
                    message_len: message.1,
                    signature: signature.0,
                    signature_len: signature.1,
                }
            })
            .collect();
        let (format, (verdicts, room)) = (self.format(), self.output());
        if room < count {
            return 0;
        }
        // The function is not told how long the memory is.
        if !verdicts.is_null() {
            let start = verdicts.addr() - self.arena.addr();
            self.outputs.push(start..start + count);
        }
        // SAFETY: as above, and there is room for the verdicts.
        unsafe { falconsign_verify_batch(jobs.as_ptr(), count, format, null(), verdicts) }
    }

    fn sign_batch(&mut self) -> i32 {
        let count = usize::from(self.byte() % 4);
        let jobs: Vec<_> = (0..count)
            .map(|_| {
                let (key, message) = (self.key(), self.memory());
                falconsign_sign_job {
                    key,
                    message: message.0,
                    message_len: message.1,
                }
            })
            .collect();
        let (format, (out, room)) = (self.format(), self.output());
        let mut lens = [0; 3];
        // A length that no object has stays one.
        let stride = if room > ARENA {
            room
        } else {
            room / count.max(1)
        };
        let jobs = jobs.as_ptr();
        // SAFETY: as above, and there is room for the lengths.
        unsafe {
            falconsign_sign_batch(jobs, count, format, null(), out, stride, lens.as_mut_ptr())
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut arena = CONTENTS.bytes.clone();
    let mut calls = Calls {
        arena: arena.as_mut_ptr(),
        input: bytes,
        outputs: Vec::new(),
    };
    let snapshot = |arena: *mut u8| {
        // SAFETY: the arena has this length, and nobody writes meanwhile.
        unsafe { std::slice::from_raw_parts(arena, ARENA) }.to_vec()
    };
    let mut before = snapshot(calls.arena);
    while !calls.input.is_empty() {
        calls.outputs.clear();
        let status = calls.call();
        assert!(STATUSES.iter().any(|(_, known)| *known == status));
        assert_ne!(status, Status::Internal as i32);
        let after = snapshot(calls.arena);
        let changed = (0..ARENA).filter(|&at| before[at] != after[at]);
        for at in changed {
            assert!(
                calls.outputs.iter().any(|output| output.contains(&at)),
                "{at}"
            );
        }
        before = after;
    }
});
