//! Arguments that are read: the checks of pointers and lengths.
//!
//! Only the caller knows how much memory a pointer leads to. What can be checked is checked: null
//! pointers, alignment, and lengths that no object can have.

use crate::status::Status;
use core::mem::size_of;
use core::slice;

/// Checks a pointer to `count` values.
pub(crate) fn check<T>(values: *const T, count: usize) -> Result<(), Status> {
    if values.is_null() {
        return Err(Status::NullPointer);
    }
    if !values.is_aligned() {
        return Err(Status::MisalignedPointer);
    }
    let size = count.checked_mul(size_of::<T>());
    let size = size.filter(|&size| isize::try_from(size).is_ok());
    let end = size.and_then(|size| values.addr().checked_add(size));
    end.map(|_| ()).ok_or(Status::Length)
}

/// Borrows values of an argument. The pointer may be null if there are none.
///
/// # Safety
/// `values` leads to `count` values, which do not change while the function of C runs.
///
/// # Errors
/// If the pointer is null or misaligned, or no object has this length.
pub unsafe fn values<'a, T>(values: *const T, count: usize) -> Result<&'a [T], Status> {
    if count == 0 {
        return Ok(&[]);
    }
    check(values, count)?;
    // SAFETY: the pointer is not null and aligned, and the size is that of an object. The caller
    // vouches for the memory.
    Ok(unsafe { slice::from_raw_parts(values, count) })
}
