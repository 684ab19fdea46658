//! Checks that memory is wiped before it is freed. Blocks that a batch frees contain no sampler
//! seed, no records of a sampler and no sampled vector. Blocks that a decoder frees do not contain
//! the bytes of a signing key. Blocks of a dropped key do not contain a part of the key. No block
//! contains a signature that was found to be wrong.

use falcon_core::batch::{BatchError, BatchVerify, JobKey, Verdict, VerifyBytesJob, VerifyJob};
use falcon_core::hazmat::{
    BatchSignRaw, Cshake256HashToPoint, Fit, RawJob, RawRandomness, VerifyAfterSign,
    expanded_reals, secret_basis, secret_hash, signature_from_nonce_and_s2,
};
use falcon_core::pkcs8::{
    DecodePrivateKey, EncodePrivateKey, KeyUse, LineEnding, OpenedKey, SecretDocument,
    decrypt_private_key,
};
use falcon_core::rand_core::Rng;
use falcon_core::seams::hash::Shake256;
use falcon_core::{
    AnySigningKey, Engine, Falcon512, ParameterSet, Signature, SignatureError, SigningKey,
    fndsa_provisional,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Number of bytes of a secret that are searched for, for example the beginning of a sampler's
/// ChaCha20 key.
const KEY_LEN: usize = 24;
const JOBS: usize = 19;

/// True while freed blocks are searched.
static SEARCHING: AtomicBool = AtomicBool::new(false);
/// Number of blocks that contained one of [`KEYS`].
static FOUND: AtomicUsize = AtomicUsize::new(0);
/// Number of blocks that contained a sampler's records.
static FOUND_RECORDS: AtomicUsize = AtomicUsize::new(0);
/// Number of large blocks that were not zero.
static FOUND_LARGE: AtomicUsize = AtomicUsize::new(0);
static KEYS: Mutex<[[u8; KEY_LEN]; JOBS]> = Mutex::new([[0; KEY_LEN]; JOBS]);

/// Smallest length of a large block in bytes. Large blocks contain the vectors of lanes.
const LARGE: usize = 16 << 10;

/// Locked by the test that searches.
static TURN: Mutex<()> = Mutex::new(());

/// Number of successive numbers that look like records.
const RECORDS: usize = 32;

/// Returns true if [`RECORDS`] successive 32-bit numbers are integers of 16 bits or infinite, and
/// mostly not zero. Each of the three rows of a sampler's records looks like this.
fn holds_records(bytes: &[u8]) -> bool {
    let (mut numbers, mut zeros) = (0, 0);
    for word in bytes.as_chunks().0 {
        let x = f32::from_ne_bytes(*word);
        let is_record = x.is_infinite() || x.fract() == 0.0 && x.abs() <= 32768.0;
        zeros += usize::from(is_record && x == 0.0);
        numbers += usize::from(is_record);
        if !is_record || 2 * zeros > RECORDS {
            (numbers, zeros) = (0, 0);
        }
        if numbers == RECORDS {
            return true;
        }
    }
    false
}

/// Returns true if more than one byte in 64 is not zero. Lengths and counters stay in place, so a
/// few nonzero bytes are allowed.
fn holds_anything(bytes: &[u8]) -> bool {
    bytes.iter().filter(|&&byte| byte != 0).count() > bytes.len() / 64
}

/// An allocator that searches every block that is freed.
struct Searching;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The block is zeroed, so that all of its bytes may be read when it is freed.
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if SEARCHING.load(SeqCst) && layout.size() >= KEY_LEN {
            // SAFETY: this is a block of this size that nobody else uses any more.
            let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
            let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
            let held = |word: &[u8]| keys.iter().any(|key| key == word);
            if bytes.windows(KEY_LEN).any(held) {
                FOUND.fetch_add(1, SeqCst);
            }
            if holds_records(bytes) {
                FOUND_RECORDS.fetch_add(1, SeqCst);
            }
            if bytes.len() >= LARGE && holds_anything(bytes) {
                FOUND_LARGE.fetch_add(1, SeqCst);
            }
        }
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.dealloc(block, layout) }
    }
}

#[test]
fn a_batch_frees_no_seed_of_a_sampler() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let seeds: [[u8; 48]; JOBS] = std::array::from_fn(|i| [i as u8 + 1; 48]);
    *KEYS.lock().unwrap() = seeds.map(|seed| Shake256::reader(&seed).read_array());

    // Shows that the search finds a key that was not wiped.
    SEARCHING.store(true, SeqCst);
    let key = KEYS.lock().unwrap()[3];
    drop(vec![key; 2]);
    assert_eq!(FOUND.swap(0, SeqCst), 1);
    assert_eq!(FOUND_RECORDS.swap(0, SeqCst), 0);
    for record in [3.0f32, -4000.0, f32::INFINITY] {
        drop(vec![record; RECORDS]);
        assert_eq!(FOUND_RECORDS.swap(0, SeqCst), 1, "{record}");
    }
    drop(vec![1e-300f64; LARGE / 8]);
    assert_eq!(FOUND_LARGE.swap(0, SeqCst), 1);
    SEARCHING.store(false, SeqCst);

    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let expanded = key.expand();
    // A batch that expands a key drops the expanded key. The search is for some of its reals.
    let reals = expanded_reals(&expanded);
    for (found, reals) in KEYS
        .lock()
        .unwrap()
        .iter_mut()
        .zip([&reals[..3], &reals[2048..2051]])
    {
        for (bytes, real) in found.as_chunks_mut().0.iter_mut().zip(reals) {
            *bytes = real.to_ne_bytes();
        }
    }
    let nonce = [5; 40];
    let forms = [JobKey::from(&expanded), JobKey::from(&key)];
    let sign = |engine: Engine, form, count: usize| {
        let jobs: Vec<_> = seeds[..count]
            .iter()
            .map(|seed| {
                let nonce = &nonce;
                RawJob::new(form, b"message", RawRandomness { nonce, seed })
            })
            .collect();
        let mut out = vec![Signature::EMPTY; count];
        SEARCHING.store(true, SeqCst);
        let signed = engine.sign_batch_raw(&jobs, Fit::Padded, &mut out);
        SEARCHING.store(false, SeqCst);
        signed.expect("as many results as jobs");
        let found = [&FOUND, &FOUND_RECORDS, &FOUND_LARGE].map(|found| found.swap(0, SeqCst));
        let name = engine.name();
        assert_eq!(found, [0, 0, 0], "{count} jobs with {form:?} on {name}");
        out
    };
    let mut signatures = Vec::new();
    for engine in Engine::available() {
        for form in forms {
            for count in [1, 2, 8, JOBS] {
                signatures = sign(engine, form, count);
            }
        }
    }

    // Now the search is for the vectors of the signatures. Vectors of refused attempts would be in
    // the same place.
    for (found, signature) in KEYS.lock().unwrap().iter_mut().zip(&signatures) {
        let words = signature.s2()[..KEY_LEN / 2].iter();
        for (bytes, word) in found.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_ne_bytes();
        }
    }
    for engine in Engine::available() {
        for form in forms {
            sign(engine, form, JOBS);
        }
    }
}

#[test]
fn a_vector_that_a_signing_key_is_read_from_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let encoded = SigningKey::<Falcon512>::from_seed(&[7; 32])
        .expect("no fault")
        .to_bytes();
    let part = encoded[400..][..KEY_LEN].try_into().expect("24 bytes");
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

/// The beginning of `bytes`, for [`KEYS`].
fn beginning(bytes: &[u8]) -> [[u8; KEY_LEN]; JOBS] {
    [*bytes.first_chunk().expect("24 bytes"); JOBS]
}

#[test]
fn a_document_of_a_signing_key_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let encoded = key.to_bytes();
    *KEYS.lock().unwrap() = beginning(&encoded[400..]);
    let written = |free: &dyn Fn(&[u8])| {
        SEARCHING.store(true, SeqCst);
        let document = key.to_pkcs8_der().expect("it is written");
        free(document.as_bytes());
        drop(document);
        SEARCHING.store(false, SeqCst);
        FOUND.swap(0, SeqCst)
    };
    assert_eq!(written(&|document| drop(document.to_vec())), 1);
    assert_eq!(written(&|_| ()), 0);
}

#[test]
fn a_document_that_is_marked_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let document = key.to_pkcs8_der().expect("it is written");
    *KEYS.lock().unwrap() = beginning(&key.to_bytes()[400..]);
    let marked = |free: &dyn Fn(&[u8])| {
        SEARCHING.store(true, SeqCst);
        let marked = KeyUse::CertificatesOnly.write(document.as_bytes());
        free(marked.expect("it is written").as_bytes());
        SEARCHING.store(false, SeqCst);
        FOUND.swap(0, SeqCst)
    };
    assert_eq!(marked(&|document| drop(document.to_vec())), 1);
    assert_eq!(marked(&|_| ()), 0);
}

#[test]
fn a_document_that_is_decrypted_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    *KEYS.lock().unwrap() = beginning(&key.to_bytes()[400..]);
    let mut rng = falcon_tests::Repeatable::new("encrypts");
    let encrypted = key.to_pkcs8_encrypted_der_with_rng(&mut rng, "passphrase");
    let encrypted = encrypted.expect("it is written");
    SEARCHING.store(true, SeqCst);
    let read = decrypt_private_key(encrypted.as_bytes(), "passphrase").is_ok();
    SEARCHING.store(false, SeqCst);
    assert_eq!((read, FOUND.swap(0, SeqCst)), (true, 0));
}

/// The text lacks its last line, has a wrong character in it, or is whole.
#[test]
fn a_document_in_pem_is_wiped_even_if_it_is_damaged() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    *KEYS.lock().unwrap() = beginning(&key.to_bytes()[400..]);
    let text = key.to_pkcs8_pem(LineEnding::LF).expect("it is written");
    let end = text.find("\n-----END").expect("an end");
    let line = text[..end].rfind('\n').expect("lines");
    let texts = [
        [&text[..line], &text[end..]].concat(),
        [&text[..line + 3], "!", &text[line + 4..]].concat(),
        text.to_string(),
    ];
    let found = |read: &dyn Fn(&str) -> bool, text: &str| {
        SEARCHING.store(true, SeqCst);
        let is_key = read(text);
        SEARCHING.store(false, SeqCst);
        (is_key, FOUND.swap(0, SeqCst))
    };
    let copied = |text: &str| SecretDocument::from_pem(text).is_ok();
    // The search finds what the crate `der` leaves.
    assert_eq!(found(&copied, &texts[0]), (false, 1));
    assert_eq!(found(&copied, &texts[1]), (false, 1));
    let typed = |text: &str| SigningKey::<Falcon512>::from_pkcs8_pem(text).is_ok();
    let boxed = |text: &str| Box::<SigningKey<Falcon512>>::from_pkcs8_pem(text).is_ok();
    let any = |text: &str| AnySigningKey::from_pkcs8_pem(text).is_ok();
    let opened = |text: &str| OpenedKey::from_pem(text, None).is_ok();
    for read in [&typed as &dyn Fn(&str) -> bool, &boxed, &any, &opened] {
        for (is_key, text) in [false, false, true].into_iter().zip(&texts) {
            assert_eq!(found(read, text), (is_key, 0));
        }
    }
}

/// Checks that `f`, `g`, `F`, `G` and the secret hash are wiped when a key is dropped.
#[test]
fn keys_that_are_dropped_leave_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let [f, g, capital_f, capital_g] = secret_basis(&key);
    let bytes = |row: &[i8]| row.iter().map(|&x| x as u8).collect::<Vec<_>>();
    let mut parts = [f, g, capital_f, capital_g].map(bytes).to_vec();
    parts.push(secret_hash(&key).to_vec());
    for (number, part) in parts.iter().enumerate() {
        *KEYS.lock().unwrap() = beginning(part);
        let count = |free: &dyn Fn()| {
            SEARCHING.store(true, SeqCst);
            free();
            SEARCHING.store(false, SeqCst);
            FOUND.swap(0, SeqCst)
        };
        // Shows that the search finds a key that was not wiped.
        assert!(count(&|| drop(part.clone())) == 1, "part {number}");
        let signing =
            || drop(SigningKey::<Falcon512>::from_seed_boxed(&[7; 32]).expect("no fault"));
        assert_eq!(count(&signing), 0, "part {number} of a signing key");
        let expanded = || drop(Box::new(key.expand()));
        assert_eq!(count(&expanded), 0, "part {number} of an expanded key");
    }
}

/// Checks the hash of `f` and `g`, from which FN-DSA derives its seeds.
#[test]
fn a_key_of_fn_dsa_that_is_dropped_leaves_no_secret_hash() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    type Key = fndsa_provisional::SigningKey<Falcon512>;
    let make = || Key::from_seed_boxed(&[7; 32]).expect("no fault");
    let short = 2 * 512 * 6 / 8;
    let hash: [u8; 40] = Shake256::reader(&make().to_bytes()[1..][..short]).read_array();
    *KEYS.lock().unwrap() = beginning(&hash);
    let found = |free: &dyn Fn()| {
        SEARCHING.store(true, SeqCst);
        free();
        SEARCHING.store(false, SeqCst);
        FOUND.swap(0, SeqCst)
    };
    assert_eq!(found(&|| drop(hash.to_vec())), 1);
    assert_eq!(found(&|| drop(make())), 0);
}

/// Checks the working memory of calls that allocate it. It holds numbers of the expanded key.
#[test]
fn working_memory_of_a_signature_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let set = ParameterSet::Falcon512;
    let key = AnySigningKey::from_seed(set, &[7; 32]).expect("no fault");
    let of_fn_dsa = fndsa_provisional::AnySigningKey::from_seed(set, &[7; 32]).expect("no fault");
    let hash = Cshake256HashToPoint::new(b"another").expect("short");
    let random = || falcon_tests::Repeatable::new("working memory");
    let mu = [1; fndsa_provisional::MU_LEN];
    let found = |sign: &dyn Fn() -> bool| {
        FOUND_LARGE.store(0, SeqCst);
        SEARCHING.store(true, SeqCst);
        let signed = sign();
        SEARCHING.store(false, SeqCst);
        (signed, FOUND_LARGE.swap(0, SeqCst))
    };
    let left = || drop(vec![1e-300f64; LARGE / 8]);
    assert_eq!(found(&|| (left(), true).1), (true, 1));
    let signed = found(&|| key.sign_with_hash(&mut random(), &hash, b"message").is_ok());
    assert_eq!(signed, (true, 0));
    let signed = found(&|| of_fn_dsa.sign_mu_with_rng(&mut random(), &mu).is_ok());
    assert_eq!(signed, (true, 0));
}

/// Checks the seeds of an FN-DSA batch. The batch draws a seed for every job, and derives the seeds
/// of the job's attempts from that seed.
#[test]
fn a_batch_of_fn_dsa_leaves_no_seed() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = fndsa_provisional::SigningKey::<Falcon512>::from(
        SigningKey::from_seed(&[7; 32]).expect("no fault"),
    );
    let short = 2 * 512 * 6 / 8;
    let hash: [u8; 40] = Shake256::reader(&key.to_bytes()[1..][..short]).read_array();
    let mu = [1; fndsa_provisional::MU_LEN];
    let random = || falcon_tests::Repeatable::new("seeds of a batch");
    let mut seed = [0; fndsa_provisional::SEED_LEN];
    random().fill_bytes(&mut seed);
    let of_attempt = [&hash[..], &mu, &seed].concat();
    let of_attempt: [u8; 40] = Shake256::reader(&of_attempt).read_array();
    // Each fill of a sampler's buffer takes seven blocks of the stream, and an attempt takes about
    // twenty fills. The buffer of the last one is freed.
    const FILL: usize = 7 * 136;
    let mut stream = vec![0; 32 * FILL];
    Shake256::reader(&[&of_attempt[..], &[0]].concat()).read(&mut stream);
    let fills = std::array::from_fn(|i| {
        let fill = &stream[(12 + i) * FILL..];
        fill[100..][..KEY_LEN].try_into().expect("24 bytes")
    });
    // One sampler draws for all messages, one after the other.
    for (count, secrets) in [
        (3, beginning(&seed)),
        (3, beginning(&of_attempt)),
        (1, fills),
    ] {
        *KEYS.lock().unwrap() = secrets;
        let secret = secrets[0];
        let sign = || {
            let messages = vec![fndsa_provisional::Message::Mu(&mu); count];
            drop(key.sign_batch_with_rng(Engine::Scalar, &mut random(), &messages));
        };
        SEARCHING.store(true, SeqCst);
        drop(secret.to_vec());
        let copies = FOUND.swap(0, SeqCst);
        // Signs on another stack, since this stack contains the secrets, and unused bytes of a
        // value in a block may come from the stack.
        thread::scope(|scope| _ = scope.spawn(sign));
        SEARCHING.store(false, SeqCst);
        assert_eq!((copies, FOUND.swap(0, SeqCst)), (1, 0));
    }
}

/// An engine that returns the same wrong signature for every job.
struct Wrong {
    signature: Signature<Falcon512>,
    /// Result of signing, after the signatures were written.
    signed: Result<(), BatchError>,
    /// Result of verification.
    verified: Result<(), BatchError>,
}

impl BatchSignRaw<Falcon512> for Wrong {
    fn sign_batch_raw(
        &self,
        _: &[RawJob<'_, Falcon512>],
        _: Fit,
        out: &mut [Signature<Falcon512>],
    ) -> Result<(), BatchError> {
        out.fill(self.signature);
        self.signed.clone()
    }
}

impl BatchVerify<Falcon512> for Wrong {
    fn verify_batch(
        &self,
        _: &[VerifyJob<'_, Falcon512>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        out.fill(Err(SignatureError));
        self.verified.clone()
    }

    fn verify_bytes_batch(
        &self,
        _: &[VerifyBytesJob<'_, Falcon512>],
        _: &mut [Verdict],
    ) -> Result<(), BatchError> {
        unreachable!("the signatures are not encoded")
    }
}

#[test]
fn a_wrong_signature_that_is_found_is_wiped() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let s2: Vec<i16> = (-256..256).collect();
    let wrong = signature_from_nonce_and_s2(&[7; 40], &s2).expect("within the bound");
    let bytes: Vec<u8> = s2.iter().flat_map(|x| x.to_ne_bytes()).collect();
    *KEYS.lock().unwrap() = beginning(&bytes[400..]);
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let randomness = RawRandomness {
        nonce: &[5; 40],
        seed: &[6; 48],
    };
    let jobs = [RawJob::new(&key, b"message", randomness); 2];
    let freed = |free: &dyn Fn()| {
        SEARCHING.store(true, SeqCst);
        free();
        SEARCHING.store(false, SeqCst);
        FOUND.swap(0, SeqCst)
    };
    assert_eq!(freed(&|| drop(vec![wrong; 2])), 1);
    let broken = || Err(BatchError::Engine("broken".to_owned()));
    for (signed, verified, expected) in [
        (Ok(()), Ok(()), Err(BatchError::Fault { job: 0 })),
        (broken(), Ok(()), broken()),
        (Ok(()), broken(), broken()),
    ] {
        let engine = VerifyAfterSign(Wrong {
            signature: wrong,
            signed,
            verified,
        });
        let sign = || {
            let mut out = [Signature::EMPTY; 2];
            let signed = engine.sign_batch_raw(&jobs, Fit::Any, &mut out);
            assert_eq!(signed, expected);
        };
        assert_eq!(freed(&sign), 0, "{expected:?}");
    }
    FOUND_RECORDS.store(0, SeqCst);
}
