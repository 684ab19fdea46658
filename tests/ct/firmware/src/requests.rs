//! Requests to `falcon-riscv-taint`, which stops at the first three functions and reads their
//! arguments. The functions are called by address, so that the compiler passes every argument.

use core::hint::black_box;

/// Kind of report. `machine.rs` of `falcon-riscv-taint` has the same numbers.
#[derive(Clone, Copy)]
pub enum Leak {
    Branch = 1,
    Address,
    Division,
    Output,
    Known,
}

/// Begins a case. `leak` is the kind that must be reported, or zero.
fn falcon_ct_begin(name: usize, length: usize, leak: usize) {
    // The constant keeps the compiler from merging functions with the same code.
    black_box(("begin", name, length, leak));
}

fn falcon_ct_secret(address: usize, length: usize) {
    black_box(("secret", address, length));
}

fn falcon_ct_public(address: usize, length: usize) {
    black_box(("public", address, length));
}

fn begin(name: &str, leak: usize) {
    let begin: fn(usize, usize, usize) = black_box(falcon_ct_begin);
    begin(name.as_ptr().addr(), name.len(), leak);
}

/// Runs `work`. A report during `work` is an error.
#[inline(never)]
pub fn case(name: &str, work: impl FnOnce()) {
    begin(name, 0);
    work();
}

/// Runs `work`, which must cause reports of the kind `leak` and of no other kind.
#[inline(never)]
pub fn deliberate_leak(leak: Leak, name: &str, work: impl FnOnce()) {
    begin(name, leak as usize);
    work();
}

/// Marks the bytes of `value` as secret from here on.
#[inline(always)]
pub fn classify<T: ?Sized>(value: &mut T) {
    let value = black_box(value);
    let classify: fn(usize, usize) = black_box(falcon_ct_secret);
    classify(core::ptr::from_ref(value).addr(), size_of_val(value));
    black_box(value);
}

/// Marks every bit of `value` as secret, and returns it.
#[inline(always)]
pub fn secret<T: Copy>(mut value: T) -> T {
    classify(&mut value);
    value
}

/// Marks the bytes of `value` as public from here on.
#[inline(always)]
pub fn declassify<T: ?Sized>(value: &mut T) {
    let value = black_box(value);
    let declassify: fn(usize, usize) = black_box(falcon_ct_public);
    declassify(core::ptr::from_ref(value).addr(), size_of_val(value));
    black_box(value);
}
