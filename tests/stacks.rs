//! What is done on a stack is gone from it: reading or making a key in a box leaves none
//! of its polynomials below.
//!
//! The work is done by a thread on memory of this test, which looks through it when the
//! thread has ended. A stack holds addresses, whose upper bytes are zero, and small
//! numbers; modulo a prime of 14 bits or more a polynomial has hardly a zero. One that is
//! public may be left, of the transform of the public key; the secret ones are worked on
//! side by side, five of them.
#![cfg(target_os = "linux")]

use falcon::{Engine, Falcon512, Falcon1024, Parameters, SigningKey};
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
