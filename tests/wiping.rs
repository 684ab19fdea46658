//! Memory is wiped before it is freed. No block that a batch gives back to the allocator holds the
//! seed of a sampler, and no block that a decoder gives back holds the bytes of a signing key.

use falcon_core::batch::JobKey;
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness, expanded_reals};
use falcon_core::seams::hash::Shake256;
use falcon_core::{AnySigningKey, Engine, Falcon512, Signature, SigningKey};
use std::alloc::{GlobalAlloc, Layout, System};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// Bytes of a sampler's ChaCha20 key.
const KEY_LEN: usize = 48;
const JOBS: usize = 19;

/// Blocks are searched while this is set.
static SEARCHING: AtomicBool = AtomicBool::new(false);
/// Blocks that held a key.
static FOUND: AtomicUsize = AtomicUsize::new(0);
static KEYS: Mutex<[[u8; KEY_LEN]; JOBS]> = Mutex::new([[0; KEY_LEN]; JOBS]);

/// Held by the test that searches.
static TURN: Mutex<()> = Mutex::new(());

/// Looks into every block that is freed.
struct Searching;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that every byte of a block may be read when it is freed.
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if SEARCHING.load(SeqCst) && layout.size() >= KEY_LEN {
            // SAFETY: a block of this size that nobody else uses any more.
            let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
            let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
            let held = |word: &[u8]| keys.iter().any(|key| key == word);
            if bytes.windows(KEY_LEN).step_by(4).any(held) {
                FOUND.fetch_add(1, SeqCst);
            }
        }
        // SAFETY: the caller's.
        unsafe { System.dealloc(block, layout) }
    }
}

#[test]
fn a_batch_frees_no_seed_of_a_sampler() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let seeds: [[u8; 48]; JOBS] = std::array::from_fn(|i| [i as u8 + 1; 48]);
    *KEYS.lock().unwrap() = seeds.map(|seed| Shake256::reader(&seed).read_array());

    // The search finds what is there to be found.
    SEARCHING.store(true, SeqCst);
    let key = KEYS.lock().unwrap()[3];
    drop(vec![key; 2]);
    assert_eq!(FOUND.swap(0, SeqCst), 1);
    SEARCHING.store(false, SeqCst);

    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]);
    let expanded = key.expand();
    // What an expanded key that a batch makes and drops would leave.
    let reals = expanded_reals(&expanded);
    for (found, reals) in KEYS
        .lock()
        .unwrap()
        .iter_mut()
        .zip([&reals[..6], &reals[2048..2054]])
    {
        for (bytes, real) in found.as_chunks_mut().0.iter_mut().zip(reals) {
            *bytes = real.to_ne_bytes();
        }
    }
    let nonce = [5; 40];
    let forms = [JobKey::from(&expanded), JobKey::from(&key)];
    for engine in Engine::available() {
        for (form, count) in forms
            .into_iter()
            .flat_map(|form| [1, 2, 8, JOBS].map(|count| (form, count)))
        {
            let jobs: Vec<_> = seeds[..count]
                .iter()
                .map(|seed| {
                    RawJob::new(
                        form,
                        b"message",
                        RawRandomness {
                            nonce: &nonce,
                            seed,
                        },
                    )
                })
                .collect();
            let mut out = vec![Signature::EMPTY; count];
            SEARCHING.store(true, SeqCst);
            let signed = engine.sign_batch_raw(&jobs, Fit::Padded, &mut out);
            SEARCHING.store(false, SeqCst);
            signed.expect("as many results as jobs");
            let found = FOUND.swap(0, SeqCst);
            assert_eq!(found, 0, "{count} jobs with {form:?} on {}", engine.name());
        }
    }
}

#[test]
fn a_vector_that_a_signing_key_is_read_from_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let encoded = SigningKey::<Falcon512>::from_seed(&[7; 32]).to_bytes();
    let part = encoded[400..][..KEY_LEN].try_into().expect("48 bytes");
    *KEYS.lock().unwrap() = [part; JOBS];
    let found = |free: &dyn Fn(Vec<u8>) -> bool, bytes: &[u8]| {
        let bytes = bytes.to_vec();
        SEARCHING.store(true, SeqCst);
        let is_key = free(bytes);
        SEARCHING.store(false, SeqCst);
        (is_key, FOUND.swap(0, SeqCst))
    };
    let dropped = |bytes: Vec<u8>| bytes.is_empty();
    assert_eq!(found(&dropped, &encoded[..]), (false, 1));
    let typed = |bytes| SigningKey::<Falcon512>::try_from(bytes).is_ok();
    let any = |bytes| AnySigningKey::try_from(bytes).is_ok();
    for read in [&typed as &dyn Fn(Vec<u8>) -> bool, &any] {
        assert_eq!(found(read, &encoded[..]), (true, 0));
        assert_eq!(found(read, &encoded[4..]), (false, 0));
        assert_eq!(found(read, &encoded[..1280]), (false, 0));
    }
}
