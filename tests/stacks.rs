//! No secret is left on the stack. Reading or making a key in a box leaves none of its polynomials,
//! and signing leaves no key of a sampler and no seed.
//!
//! The work is done by a thread on memory of this test, which looks through it when the
//! thread has ended. A stack holds addresses, whose upper bytes are zero, and small
//! numbers; modulo a prime of 14 bits or more a polynomial has hardly a zero. One that is
//! public may be left, of the transform of the public key; the secret ones are worked on
//! side by side, five of them. A sampler's key is looked for byte by byte, as it stands
//! together in a seed: a copy of it is found, its words apart (in registers that were
//! spilled, a word on every lane) are not.
#![cfg(target_os = "linux")]

use falcon_core::batch::JobKey;
use falcon_core::hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::seams::hash::Shake256;
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, Scratch, Signature, SigningKey};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::hint::black_box;
use std::{mem, ptr, slice};

/// Bytes of the stack.
const LEN: usize = 4 << 20;

/// The stack of a thread that has done `work`, from its lowest address on.
fn stack_after<F: FnOnce() + Send>(work: F) -> Vec<u8> {
    extern "C" fn start<F: FnOnce()>(work: *mut c_void) -> *mut c_void {
        // SAFETY: what `stack_after` has passed, which it touches only after the end.
        if let Some(work) = unsafe { &mut *work.cast::<Option<F>>() }.take() {
            work();
        }
        ptr::null_mut()
    }
    let mut work = Some(work);
    let layout = Layout::from_size_align(LEN, 1 << 16).expect("a layout");
    // SAFETY: its size is not zero.
    let stack = unsafe { alloc_zeroed(layout) };
    if stack.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: the attributes and the handle are written before they are read; the stack
    // is nobody else's and lives until the thread has ended, and so does `work`.
    unsafe {
        let mut attributes = mem::zeroed();
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        let set = libc::pthread_attr_setstack(&mut attributes, stack.cast(), LEN);
        assert_eq!(set, 0);
        let mut thread = mem::zeroed();
        let work = ptr::from_mut(&mut work).cast();
        let made = libc::pthread_create(&mut thread, &attributes, start::<F>, work);
        assert_eq!(made, 0);
        assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
        assert_eq!(libc::pthread_attr_destroy(&mut attributes), 0);
    }
    // SAFETY: the thread has ended, all of it was zeroed before.
    let bytes = unsafe { slice::from_raw_parts(stack, LEN) }.to_vec();
    // SAFETY: allocated above, and not used any more.
    unsafe { dealloc(stack, layout) };
    bytes
}

/// Most 16-bit words in succession of which none is zero.
fn longest_run(stack: &[u8]) -> usize {
    let words = stack.as_chunks::<2>().0;
    let runs = words.split(|word| *word == [0; 2]);
    runs.map(<[_]>::len).max().unwrap_or(0)
}

/// The search finds what is there to be found.
#[test]
fn an_array_that_is_not_wiped_is_found() {
    let stack = stack_after(|| {
        // The end of the thread needs some of the place.
        let mut words = [0u16; 2000];
        for (word, i) in words.iter_mut().zip(1..) {
            *word = black_box(i);
        }
        black_box(&words);
    });
    assert!(longest_run(&stack) >= 1000);
    assert!(longest_run(&stack_after(|| ())) < 100);
}

fn leaves_no_polynomial<P: Parameters>() {
    let most = 2 << P::LOGN;
    let key = SigningKey::<P>::from_seed_boxed(&[7; 32]);
    let bytes = key.to_bytes();
    for engine in Engine::available() {
        let stack = stack_after(|| {
            let read = engine.decode_signing_key::<P>(bytes.as_ref());
            black_box(&read.expect("a key"));
        });
        let (run, name) = (longest_run(&stack), engine.name());
        assert!(run < most, "{}, read on {name}: {run} words", P::NAME);
    }
    let stack = stack_after(|| {
        black_box(&SigningKey::<P>::from_seed_boxed(&[7; 32]));
    });
    let run = longest_run(&stack);
    assert!(run < most, "{}, made: {run} words", P::NAME);
}

#[test]
fn a_key_in_a_box_leaves_no_secret_polynomial_on_the_stack() {
    leaves_no_polynomial::<Falcon512>();
    leaves_no_polynomial::<Falcon1024>();
}

/// Bytes of a sampler's ChaCha20 key.
const KEY_LEN: usize = 48;
/// Bytes of a seed of [`RawRandomness`].
const SEED_LEN: usize = 48;

/// Counts the places in `stack` at which one of `secrets` begins.
fn copies<const LEN: usize>(stack: &[u8], secrets: &[[u8; LEN]]) -> usize {
    let unused = stack.iter().take_while(|byte| **byte == 0).count();
    // A secret may begin with zeros.
    let places = stack[unused.saturating_sub(LEN)..].windows(LEN);
    places
        .filter(|place| secrets.iter().any(|secret| secret == place))
        .count()
}

#[test]
fn a_secret_that_is_not_wiped_is_found() {
    let secrets = [[3; KEY_LEN], std::array::from_fn(|i| i as u8)];
    let stack = stack_after(|| {
        // The end of the thread needs some of the place.
        let mut bytes = [0; 4000];
        for (place, byte) in bytes[101..].iter_mut().zip(&secrets[1]) {
            *place = black_box(*byte);
        }
        black_box(&bytes);
    });
    assert!(copies(&stack, &secrets) > 0);
    assert_eq!(copies(&stack_after(|| ()), &secrets), 0);
}

/// The keys of the first attempts of a signature with `seed`.
fn sampler_keys(seed: &[u8; SEED_LEN]) -> [[u8; KEY_LEN]; 4] {
    let mut stream = Shake256::reader(seed);
    std::array::from_fn(|_| {
        let [key @ .., _, _, _, _, _, _, _, _] = stream.read_array::<56>();
        key
    })
}

fn leaves_no_sampler_key<P: Parameters>() {
    const JOBS: usize = 19;
    let key = SigningKey::<P>::from_seed_boxed(&[7; 32]);
    let expanded = key.expand();
    let nonce = [5; 40];
    let seeds: [[u8; SEED_LEN]; JOBS] =
        std::array::from_fn(|i| std::array::from_fn(|j| (SEED_LEN * i + j) as u8 ^ 0x5a));
    let keys: Vec<_> = seeds.iter().flat_map(sampler_keys).collect();
    let randomness = seeds.each_ref().map(|seed| RawRandomness {
        nonce: &nonce,
        seed,
    });
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
    let mut left = Vec::new();
    let [first, ..] = randomness;
    let mut check = |name: &str, how: &str, stack: &[u8]| {
        let found = [copies(stack, &keys), copies(stack, &seeds)];
        if found != [0, 0] {
            left.push(format!("{how} on {name}: {found:?} keys and seeds"));
        }
    };
    let stack = stack_after(|| {
        let signed = hazmat::sign_raw(&*key, first, b"message", Fit::Any, &mut scratch);
        black_box(&signed);
    });
    check("the best engine", "a plain call with a key", &stack);
    let stack = stack_after(|| {
        let signed = hazmat::sign_raw(&expanded, first, b"message", Fit::Any, &mut scratch);
        black_box(&signed);
    });
    check(
        "the best engine",
        "a plain call with an expanded key",
        &stack,
    );
    for engine in Engine::available() {
        let name = engine.name();
        let stack = stack_after(|| {
            let signed =
                hazmat::sign_raw_on(engine, &*key, first, b"message", Fit::Any, &mut scratch);
            black_box(&signed);
        });
        check(name, "with a key", &stack);
        let stack = stack_after(|| {
            let signed =
                hazmat::sign_raw_on(engine, &expanded, first, b"message", Fit::Any, &mut scratch);
            black_box(&signed);
        });
        check(name, "with an expanded key", &stack);
        let forms = [JobKey::from(&expanded), JobKey::from(&*key)];
        for (form, count) in forms
            .into_iter()
            .flat_map(|form| [1, 2, 8, JOBS].map(|count| (form, count)))
        {
            let jobs: Vec<_> = randomness[..count]
                .iter()
                .map(|&randomness| RawJob::new(form, b"message", randomness))
                .collect();
            let mut out = vec![Signature::EMPTY; count];
            let stack = stack_after(|| {
                let signed = engine.sign_batch_raw(&jobs, Fit::Padded, &mut out);
                signed.expect("as many results as jobs");
            });
            check(name, &format!("a batch of {count} with {form:?}"), &stack);
        }
    }
    assert!(left.is_empty(), "{}, left:\n{}", P::NAME, left.join("\n"));
}

#[test]
fn signing_leaves_no_sampler_key_and_no_seed_on_the_stack() {
    leaves_no_sampler_key::<Falcon512>();
    leaves_no_sampler_key::<Falcon1024>();
}
