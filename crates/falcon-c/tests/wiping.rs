//! Memory that the library frees holds no part of a secret key, of its seed or of its documents.
//!
//! The allocator searches each block that is freed. `tests/stacks` of the workspace searches the
//! stack after the same calls of `falcon-core`.

use falcon_core::hazmat::secret_basis;
use falcon_core::{Falcon512, SigningKey};
use falconsign::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Secrets to search for, each with the number of freed blocks that held it.
static SECRETS: OnceLock<Vec<(&str, Vec<u8>, AtomicUsize)>> = OnceLock::new();

struct Searching;

// SAFETY: all memory comes from and goes back to the allocator of the system.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that the search reads initialised memory only.
        // SAFETY: as for this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(secrets) = SECRETS.get() {
            // SAFETY: the block has this size, and the caller gives it back.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            for (_, secret, found) in secrets {
                if bytes.windows(secret.len()).any(|window| window == secret) {
                    found.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        // SAFETY: as for this function.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Searching = Searching;

/// The seed of the key.
static SEED: [u8; 32] = *b"the seed from which the key came";

/// Returns which secrets freed blocks held since the last call, and how often.
fn found() -> Vec<(&'static str, usize)> {
    let secrets = SECRETS.get().expect("set").iter();
    let counts = secrets.map(|(name, _, found)| (*name, found.swap(0, Ordering::Relaxed)));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Reads, writes, expands and uses a key. Outputs lie on the stack, which nobody frees.
fn use_a_key() {
    let ok = |status| assert_eq!(status, 0);
    let (mut key, mut read, mut expanded) = (null_mut(), null_mut(), null_mut());
    let mut signer = null_mut();
    let (mut bytes, mut text) = ([0; 8192], [0; 8192]);
    let (mut signature, mut len) = ([0; 1577], 0);
    let word = b"horse".as_ptr();
    // SAFETY: the lengths are those of the buffers, and each handle is freed once.
    unsafe {
        ok(falconsign_signing_key_from_seed(
            512,
            SEED.as_ptr(),
            32,
            &raw mut key,
        ));
        ok(falconsign_signing_key_to_bytes(
            key,
            bytes.as_mut_ptr(),
            8192,
        ));
        ok(falconsign_signing_key_from_bytes(
            bytes.as_ptr(),
            1281,
            &raw mut read,
        ));
        falconsign_signing_key_free(read);
        for (phrase, phrase_len) in [(null(), 0), (word, 5)] {
            let pem = text.as_mut_ptr();
            ok(falconsign_signing_key_to_pem(
                key,
                phrase,
                phrase_len,
                pem,
                8192,
                &raw mut len,
            ));
            ok(falconsign_signing_key_from_pem(
                pem,
                len,
                phrase,
                phrase_len,
                &raw mut read,
            ));
            falconsign_signing_key_free(read);
            // Passed as a public key by mistake, whole and cut short.
            for len in [len, len / 2] {
                let mut public = null_mut();
                assert_ne!(
                    falconsign_verifying_key_from_pem(pem, len, &raw mut public),
                    0
                );
            }
            let der = bytes.as_mut_ptr();
            ok(falconsign_signing_key_to_der(
                key,
                phrase,
                phrase_len,
                der,
                8192,
                &raw mut len,
            ));
            ok(falconsign_signing_key_from_der(
                der,
                len,
                phrase,
                phrase_len,
                &raw mut read,
            ));
            falconsign_signing_key_free(read);
        }
        ok(falconsign_signing_key_expand(key, &raw mut expanded));
        for key in [key, expanded] {
            let out = signature.as_mut_ptr();
            ok(falconsign_sign(key, null(), 0, 2, out, 1577, &raw mut len));
            ok(falconsign_signer_new(key, &raw mut signer));
            ok(falconsign_signer_finish(signer, 2, out, 1577, &raw mut len));
            falconsign_signer_free(signer);
            let job = falconsign_sign_job {
                key,
                message: null(),
                message_len: 0,
            };
            ok(falconsign_sign_batch(
                &job,
                1,
                2,
                null(),
                out,
                1577,
                null_mut(),
            ));
        }
        falconsign_signing_key_free(key);
        falconsign_signing_key_free(expanded);
    }
}

#[test]
fn freed_memory_holds_no_secret() {
    let key = SigningKey::<Falcon512>::from_seed_boxed(&SEED).expect("no fault");
    let basis = secret_basis(&key).concat().into_iter().map(|x| x as u8);
    let basis: Vec<u8> = basis.collect();
    let encoded = key.to_bytes().to_vec();
    let mut pem = [0; 8192];
    let mut len = 0;
    let mut handle = null_mut();
    // SAFETY: the lengths are those of the buffers, and the handle is freed once.
    unsafe {
        falconsign_signing_key_from_seed(512, SEED.as_ptr(), 32, &raw mut handle);
        falconsign_signing_key_to_pem(handle, null(), 0, pem.as_mut_ptr(), 8192, &raw mut len);
        falconsign_signing_key_free(handle);
    }
    assert!(len > 3000);
    // The lines of the document are the same each time.
    let line: Vec<u8> = pem[800..816].iter().map(|&c| c as u8).collect();
    let secrets = [
        ("seed", SEED[..16].to_vec()),
        ("basis", basis[40..56].to_vec()),
        ("encoded key", encoded[600..616].to_vec()),
        ("document", line),
    ];
    let secrets = secrets.map(|(name, bytes)| (name, bytes, AtomicUsize::new(0)));
    assert!(SECRETS.set(secrets.into()).is_ok());

    // A freed copy is noticed.
    drop(encoded.clone());
    assert_eq!(found(), [("encoded key", 1)]);
    use_a_key();
    assert_eq!(found(), []);
}
