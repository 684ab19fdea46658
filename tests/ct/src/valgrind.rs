//! Requests to Valgrind's Memcheck: mark memory as undefined or as defined, ask which bits are
//! undefined, and ask for the number of reported errors.
//!
//! Memcheck follows undefined bits through memory, registers and arithmetic. It reports each branch
//! and each address that an undefined bit decides. If secrets are marked as undefined, each report
//! is a timing leak (A. Langley, "ctgrind", 2010).

use falcon_taint::requests;
use std::mem::size_of_val;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Number of values that had to be secret but were not.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// True under Valgrind, and under falcon-taint.
pub(crate) fn is_running() -> bool {
    requests::is_running()
}

/// Number of errors so far: reported ones, and values that had to be secret but were not.
pub(crate) fn count_errors() -> usize {
    requests::count_errors() + KNOWN.load(Relaxed)
}

/// Counts an error unless every bit of the `length` bytes at `address` is secret.
pub(crate) fn expect_secret_bytes(address: usize, length: usize) {
    if !requests::is_secret(address, length) {
        KNOWN.fetch_add(1, Relaxed);
        println!("not secret: {length} bytes at {address:#x}");
    }
}

/// Marks `value` as secret from here on.
pub(crate) fn classify<T: ?Sized>(value: &T) {
    requests::mark_secret((&raw const *value).addr(), size_of_val(value));
}

/// Marks `value` as public from here on.
pub(crate) fn declassify<T: ?Sized>(value: &T) {
    declassify_bytes((&raw const *value).addr(), size_of_val(value));
}

/// Marks `length` bytes at `address` as public from here on.
pub(crate) fn declassify_bytes(address: usize, length: usize) {
    requests::mark_public(address, length);
}
