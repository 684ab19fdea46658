//! Memory of the caller: handles, and outputs, which are written through pointers of C.

use crate::arguments::check;
use crate::status::{Status, caught};
use std::mem::size_of;

/// Borrows the object of a handle.
///
/// # Safety
/// `handle` is null or a handle that is not freed while the function of C runs.
pub(crate) unsafe fn object<'a, T>(handle: *const T) -> Result<&'a T, Status> {
    check(handle, 1)?;
    // SAFETY: the pointer is not null and aligned. The caller vouches for the object.
    Ok(unsafe { &*handle })
}

/// Borrows the object of a handle, to change it.
///
/// # Safety
/// As for [`object`]. No other thread uses the handle while the function of C runs.
pub(crate) unsafe fn object_mut<'a, T>(handle: *mut T) -> Result<&'a mut T, Status> {
    check(handle, 1)?;
    // SAFETY: the pointer is not null and aligned. The caller vouches for the object, and that it
    // is used by this call only.
    Ok(unsafe { &mut *handle })
}

/// Frees the object of a handle. Does nothing for a null pointer.
///
/// # Safety
/// `handle` is null or comes from [`NewHandle::give`], and is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if check(handle, 1).is_ok() {
        caught(|| {
            // SAFETY: `NewHandle::give` made the pointer of a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(handle) });
        });
    }
}

/// Values that a function of C writes. They need not be initialised, so no reference to them is
/// made.
pub struct Output<T> {
    values: *mut T,
    count: usize,
}

impl<T: Copy> Output<T> {
    /// Names the values that will be written.
    ///
    /// # Safety
    /// Unless it is null, `values` leads to memory for `count` values, which nobody else uses while
    /// the function of C runs.
    ///
    /// # Errors
    /// If the pointer is null or misaligned, or no object has this length.
    pub unsafe fn new(values: *mut T, count: usize) -> Result<Self, Status> {
        check(values, count)?;
        Ok(Self { values, count })
    }

    /// Names values as [`new`](Self::new) does, or none for a null pointer.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub(crate) unsafe fn or_none(values: *mut T, count: usize) -> Result<Self, Status> {
        let count = if values.is_null() { 0 } else { count };
        let values = if values.is_null() {
            std::ptr::dangling_mut()
        } else {
            values
        };
        // SAFETY: as for this function.
        unsafe { Self::new(values, count) }
    }

    /// Number of values that there is room for.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Refuses outputs that overlap the values of an argument.
    pub(crate) fn apart_from<U>(&self, others: &[U]) -> Result<(), Status> {
        let start = others.as_ptr().addr();
        self.apart(start, size_of_val(others))
    }

    /// Refuses outputs that overlap memory which is not read yet. An address and a length that no
    /// object has overlap nothing.
    pub(crate) fn apart_from_memory<U>(
        &self,
        values: *const U,
        count: usize,
    ) -> Result<(), Status> {
        match check(values, count) {
            Ok(()) => self.apart(values.addr(), count * size_of::<U>()),
            Err(_) => Ok(()),
        }
    }

    /// Refuses outputs that overlap each other.
    pub(crate) fn apart_from_output<U>(&self, other: &Output<U>) -> Result<(), Status> {
        self.apart(other.values.addr(), other.count * size_of::<U>())
    }

    fn apart(&self, start: usize, size: usize) -> Result<(), Status> {
        let own = self.values.addr();
        let is_apart = own + self.count * size_of::<T>() <= start || start + size <= own;
        if is_apart || size == 0 || self.count == 0 {
            Ok(())
        } else {
            Err(Status::Overlap)
        }
    }

    /// Writes the values from number `first` on.
    ///
    /// # Errors
    /// [`Status::BufferTooSmall`] if there is no room.
    pub fn write(&self, first: usize, values: &[T]) -> Result<(), Status> {
        let room = self.count.checked_sub(first);
        if room.is_none_or(|room| room < values.len()) {
            return Err(Status::BufferTooSmall);
        }
        // SAFETY: the values lie within the memory that the caller of `new` vouched for, and
        // `values` is memory of this library.
        unsafe {
            let target = self.values.add(first);
            target.copy_from_nonoverlapping(values.as_ptr(), values.len());
        }
        Ok(())
    }

    /// Moves values of an argument to the place from number `first` on. They may overlap the place.
    ///
    /// # Safety
    /// As for [`values`](crate::arguments::values). References to values that overlap the place are
    /// not used again.
    ///
    /// # Errors
    /// As for [`values`](crate::arguments::values); [`Status::BufferTooSmall`] if there is no room.
    pub unsafe fn move_in(
        &self,
        first: usize,
        values: *const T,
        count: usize,
    ) -> Result<(), Status> {
        if count == 0 {
            return Ok(());
        }
        check(values, count)?;
        let room = self.count.checked_sub(first);
        if room.is_none_or(|room| room < count) {
            return Err(Status::BufferTooSmall);
        }
        // SAFETY: the place lies within the memory that the caller of `new` vouched for, and the
        // caller vouches for the values.
        unsafe { self.values.add(first).copy_from(values, count) };
        Ok(())
    }
}

/// The place where a function of C writes a new handle.
pub(crate) struct NewHandle<T>(Output<*mut T>);

impl<T> NewHandle<T> {
    /// Names the place, and writes a null pointer there, which stays if the function fails.
    ///
    /// # Safety
    /// As for [`Output::new`], with one value.
    pub(crate) unsafe fn new(place: *mut *mut T) -> Result<Self, Status> {
        // SAFETY: as for this function.
        let place = unsafe { Output::new(place, 1) }?;
        place.write(0, &[std::ptr::null_mut()])?;
        Ok(Self(place))
    }

    /// Gives `object` to the caller.
    pub(crate) fn give(self, object: Box<T>) -> Result<(), Status> {
        self.0.write(0, &[Box::into_raw(object)])
    }
}

/// Returns memory with `count` values, all equal to `value`.
///
/// # Errors
/// [`Status::NoMemory`].
pub fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>, Status> {
    let mut values = reserved(count)?;
    values.resize(count, value);
    Ok(values)
}

/// Returns memory for `count` values.
pub(crate) fn reserved<T>(count: usize) -> Result<Vec<T>, Status> {
    let mut values = Vec::new();
    let reserved = values.try_reserve_exact(count);
    reserved.map_err(|_| Status::NoMemory)?;
    Ok(values)
}
