//! Requests to Valgrind's Memcheck: mark memory as undefined, mark it as
//! defined, ask which bits are undefined and how many errors were reported.
//!
//! Memcheck follows undefined bits through memory, registers and arithmetic
//! and reports where one decides a branch or an address. With the secrets
//! marked as undefined, that is the definition of a timing leak (A. Langley,
//! "ctgrind", 2010).

use falcon_taint::requests::{self, send};
use std::mem::size_of_val;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Values that had to be secret and were not.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// True under Valgrind.
pub(crate) fn is_running() -> bool {
    send(requests::RUNNING_ON_VALGRIND, [0; 3]) != 0
}

/// Errors so far: those that Memcheck reported, and values that had to be secret and were not.
pub(crate) fn count_errors() -> usize {
    send(requests::COUNT_ERRORS, [0; 3]) as usize + KNOWN.load(Relaxed)
}

/// Counts an error unless every bit of the `length` bytes at `address` is secret.
pub(crate) fn expect_secret_bytes(address: usize, length: usize) {
    let mut undefined = vec![0u8; length];
    let buffer = undefined.as_mut_ptr().expose_provenance();
    let done = send(requests::GET_VBITS, [address, buffer, length]);
    // Written by Valgrind, so behind the compiler's back.
    let undefined = std::hint::black_box(&undefined);
    if done != 1 || undefined.iter().any(|&bits| bits != 0xff) {
        KNOWN.fetch_add(1, Relaxed);
        println!("not secret: {length} bytes at {address:#x}");
    }
}

/// Marks `value` as a secret from here on.
pub(crate) fn classify<T: ?Sized>(value: &T) {
    let arguments = [(&raw const *value).addr(), size_of_val(value), 0];
    send(requests::MAKE_MEM_UNDEFINED, arguments);
}

/// Marks `value` as public from here on.
pub(crate) fn declassify<T: ?Sized>(value: &T) {
    declassify_bytes((&raw const *value).addr(), size_of_val(value));
}

/// Marks `length` bytes at `address` as public from here on.
pub(crate) fn declassify_bytes(address: usize, length: usize) {
    send(requests::MAKE_MEM_DEFINED, [address, length, 0]);
}
