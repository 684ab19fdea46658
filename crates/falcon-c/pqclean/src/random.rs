//! Random bytes of the program.

use falconsign::border::Status;
use std::ffi::c_int;

unsafe extern "C" {
    /// Writes `len` random bytes to `output`, and returns 0. The program defines this function, as
    /// PQClean's `randombytes.h` declares it.
    fn PQCLEAN_randombytes(output: *mut u8, len: usize) -> c_int;
}

/// Fills `bytes` with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Status> {
    // SAFETY: the pointer leads to as many bytes.
    match unsafe { PQCLEAN_randombytes(bytes.as_mut_ptr(), bytes.len()) } {
        0 => Ok(()),
        _ => Err(Status::NoRandomness),
    }
}
