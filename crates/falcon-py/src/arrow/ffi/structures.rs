//! The structures of the interface.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// The type of an array.
#[repr(C)]
pub struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub private_data: *mut c_void,
}

/// An array.
#[repr(C)]
pub struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub private_data: *mut c_void,
}

/// A sequence of arrays of one type.
#[repr(C)]
pub struct ArrowArrayStream {
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub private_data: *mut c_void,
}

/// A structure of the interface, which has a function to release itself.
pub trait Released: Sized {
    /// Name of a capsule that holds the structure.
    const NAME: &'static CStr;

    fn is_released(&self) -> bool;

    /// Marks the structure as released, after its contents have moved elsewhere.
    fn mark(&mut self);
}

macro_rules! released {
    ($kind:ident, $name:literal) => {
        impl Released for $kind {
            const NAME: &'static CStr = $name;

            fn is_released(&self) -> bool {
                self.release.is_none()
            }

            fn mark(&mut self) {
                self.release = None;
            }
        }

        impl Drop for $kind {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the structure is not released yet, and nobody else releases it, since
                    // it was moved here or made here.
                    unsafe { release(self) };
                }
            }
        }

        // SAFETY: the interface does not bind a structure to a thread.
        unsafe impl Send for $kind {}
    };
}
released!(ArrowSchema, c"arrow_schema");
released!(ArrowArray, c"arrow_array");
released!(ArrowArrayStream, c"arrow_array_stream");

// SAFETY: an array is only read here.
unsafe impl Sync for ArrowArray {}

impl ArrowSchema {
    pub const EMPTY: Self = Self {
        format: ptr::null(),
        name: ptr::null(),
        metadata: ptr::null(),
        flags: 0,
        n_children: 0,
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };
}

impl ArrowArray {
    pub const EMPTY: Self = Self {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };
}
