//! Requests to Valgrind's Memcheck: mark memory as undefined, mark it as
//! defined, ask which bits are undefined and how many errors were reported.
//!
//! Memcheck follows undefined bits through memory, registers and arithmetic
//! and reports where one decides a branch or an address. With the secrets
//! marked as undefined, that is the definition of a timing leak (A. Langley,
//! "ctgrind", 2010).
//!
//! A request is a sequence of instructions that does nothing on a processor.
//! Ready-made bindings need libclang to build; these four requests do not.
//!
//! Source: `valgrind/valgrind.h` and `valgrind/memcheck.h`, which fix the
//! sequence and the numbers as an interface for programs.

use std::mem::size_of_val;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
const GET_VBITS: usize = MEMCHECK + 8;

/// Values that had to be secret and were not.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// True under Valgrind.
pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0, 0) != 0
}

/// Errors so far: those that Memcheck reported, and values that had to be secret and were not.
pub(crate) fn count_errors() -> usize {
    request(COUNT_ERRORS, 0, 0, 0) + KNOWN.load(Relaxed)
}

/// Counts an error unless every bit of the `length` bytes at `address` is secret.
pub(crate) fn expect_secret_bytes(address: usize, length: usize) {
    let mut undefined = vec![0u8; length];
    let done = request(
        GET_VBITS,
        address,
        undefined.as_mut_ptr().expose_provenance(),
        length,
    );
    // Written by Valgrind, so behind the compiler's back.
    let undefined = std::hint::black_box(&undefined);
    if done != 1 || undefined.iter().any(|&bits| bits != 0xff) {
        KNOWN.fetch_add(1, Relaxed);
        println!("not secret: {length} bytes at {address:#x}");
    }
}

/// Marks `value` as a secret from here on.
pub(crate) fn classify<T: ?Sized>(value: &T) {
    request(
        MAKE_MEM_UNDEFINED,
        (&raw const *value).addr(),
        size_of_val(value),
        0,
    );
}

/// Marks `value` as public from here on.
pub(crate) fn declassify<T: ?Sized>(value: &T) {
    declassify_bytes((&raw const *value).addr(), size_of_val(value));
}

/// Marks `length` bytes at `address` as public from here on.
pub(crate) fn declassify_bytes(address: usize, length: usize) {
    request(MAKE_MEM_DEFINED, address, length, 0);
}

#[cfg(target_arch = "x86_64")]
fn request(number: usize, address: usize, second: usize, third: usize) -> usize {
    let arguments = [number, address, second, third, 0, 0];
    let mut result = 0usize;
    // SAFETY: the rotations of `rdi` add up to 128 bits, so `rdi` and every
    // other register but the flags and `rdx` keep their values. Valgrind reads
    // the six arguments at `rax` and changes nothing but shadow state.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") result,
        );
    }
    result
}

/// Not written for this architecture: nothing runs under Valgrind.
#[cfg(not(target_arch = "x86_64"))]
fn request(_: usize, _: usize, _: usize, _: usize) -> usize {
    0
}
