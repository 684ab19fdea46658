//! A seeded generator for PQClean's code. It replaces the operating system's generator, so that
//! instruction counts repeat. Never use it for keys.

use crate::random::SplitMix;
use std::cell::RefCell;

thread_local! {
    static STREAM: RefCell<SplitMix> = const { RefCell::new(SplitMix::new(0)) };
}

/// Begins the stream of `seed`.
pub fn restart(seed: u64) {
    STREAM.set(SplitMix::new(seed));
}

/// Generator that getrandom calls when built with `--cfg getrandom_backend="custom"`.
///
/// # Safety
/// `dest` must be valid for writes of `len` bytes.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    dest: *mut u8,
    len: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: the caller guarantees that `dest` is valid for writes. Writing zeros first makes it
    // valid for reads.
    let dest = unsafe {
        dest.write_bytes(0, len);
        std::slice::from_raw_parts_mut(dest, len)
    };
    STREAM.with_borrow_mut(|stream| stream.fill(dest));
    Ok(())
}
