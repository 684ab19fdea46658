//! The CUDA driver, loaded at run time.
//!
//! `cust` links against the functions of `libcuda`. This module defines them: each looks up the
//! driver's function at its first call and passes its arguments on. So a program builds without
//! CUDA, starts without a driver, and can report that there is none. The empty archive
//! `link/lib64/libcuda.a` satisfies the linker.
//!
//! `cust` reads a driver's answer as an `enum`, so a number that is not in the `enum` would be
//! undefined behaviour. Newer drivers have more numbers. So every answer that is not in
//! [`TOLD_APART`] reaches `cust` as `CUDA_ERROR_UNKNOWN`, and [`last_answer`] returns the number
//! itself.
//!
//! The signatures are those of the CUDA driver API, as `cuda.h` declares them.

use libloading::Library;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::sync::OnceLock;

/// The answer of the driver after success.
pub(super) const SUCCESS: u32 = 0;
/// The answer if memory is short.
pub(super) const OUT_OF_MEMORY: u32 = 2;
/// The answer if there is no device.
pub(super) const NO_DEVICE: u32 = 100;
/// The answer if the version of the PTX is newer than the driver.
pub(super) const UNSUPPORTED_PTX_VERSION: u32 = 222;
/// Answer of this module if there is no driver, or if the driver lacks a function.
const SYMBOL_NOT_FOUND: u32 = 302;
/// The answer that `cust` gets for any other failure.
const UNKNOWN: u32 = 999;

/// The answers that `cust` distinguishes and that the functions used here may return.
const TOLD_APART: [u32; 17] = [
    SUCCESS,
    1, // invalid value
    OUT_OF_MEMORY,
    3, // not initialised
    4, // deinitialised
    NO_DEVICE,
    101, // no such device
    200, // invalid image
    201, // invalid context
    209, // no binary for the device
    218, // invalid PTX
    SYMBOL_NOT_FOUND,
    500, // not found
    600, // not ready
    700, // illegal address
    701, // too few resources to launch
    719, // launch failed
];

/// Names under which the driver's file is looked up, in the system's search path and elsewhere.
#[cfg(not(windows))]
const NAMES: [&str; 3] = [
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
];
#[cfg(windows)]
const NAMES: [&str; 1] = ["nvcuda.dll"];

/// The driver, or the reason why there is none.
pub(super) fn library() -> &'static Result<Library, String> {
    static DRIVER: OnceLock<Result<Library, String>> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let mut reason = None;
        for name in NAMES {
            // SAFETY: these are the names of the CUDA driver, whose initialisers have no
            // preconditions.
            match unsafe { Library::new(name) } {
                Ok(library) => return Ok(library),
                // Keeps the error for the first name, since the system itself looks for this name.
                Err(error) => reason = reason.or(Some(error.to_string())),
            }
        }
        Err(reason.unwrap_or_default())
    })
}

thread_local! {
    static LAST_ANSWER: Cell<u32> = const { Cell::new(SUCCESS) };
}

/// Returns the answer of the last driver function that this thread called.
pub(super) fn last_answer() -> u32 {
    LAST_ANSWER.get()
}

/// Describes an answer of the driver, with its number.
pub(super) fn describe(answer: u32) -> String {
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: `text` is a place for one pointer.
    let told = unsafe { cuGetErrorString(answer, &raw mut text) };
    if told != SUCCESS || text.is_null() {
        return format!("error {answer}");
    }
    // SAFETY: the driver's texts are constants, and end with a zero.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    format!("{text} (error {answer})")
}

/// Notes the answer for [`last_answer`], and returns the answer that is passed to `cust`.
fn pass_on(answer: u32) -> u32 {
    LAST_ANSWER.set(answer);
    if TOLD_APART.contains(&answer) {
        answer
    } else {
        UNKNOWN
    }
}

/// Looks up a function of the driver, whose type is `F`.
///
/// # Safety
/// `F` must be the type of the function of this name, a function pointer.
unsafe fn find<F: Copy>(name: &str) -> Option<F> {
    let library = library().as_ref().ok()?;
    // SAFETY: the caller keeps the contract of this function.
    let symbol = unsafe { library.get::<F>(name.as_bytes()) };
    symbol.ok().map(|symbol| *symbol)
}

/// Defines functions of the driver API, which call the driver's functions of the same names.
macro_rules! passed_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            /// # Safety
            /// As for the driver's function.
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                type Function = unsafe extern "C" fn($($type),*) -> u32;
                static FUNCTION: OnceLock<Option<Function>> = OnceLock::new();
                let find = || {
                    // SAFETY: this is the type of the driver's function.
                    unsafe { find(stringify!($name)) }
                };
                pass_on(match FUNCTION.get_or_init(find) {
                    // SAFETY: the caller keeps the contract of this function.
                    Some(function) => unsafe { function($($argument),*) },
                    None => SYMBOL_NOT_FOUND,
                })
            }
        )*
    };
}

/// An opaque handle of the driver.
type Handle = *mut c_void;
/// An address on the device.
type Address = u64;

passed_on! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut c_int, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int);
    cuDevicePrimaryCtxRelease_v2(device: c_int);
    cuCtxSetCurrent(context: Handle);
    cuModuleLoadDataEx(
        module: *mut Handle, image: *const c_void,
        count: c_uint, options: *mut c_uint, values: *mut *mut c_void
    );
    cuModuleUnload(module: Handle);
    cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char);
    cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut Address, len: usize);
    cuMemFree_v2(address: Address);
    cuMemAllocHost_v2(memory: *mut *mut c_void, len: usize);
    cuMemFreeHost(memory: *mut c_void);
    cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, len: usize, stream: Handle);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, len: usize, stream: Handle);
    cuMemcpyDtoDAsync_v2(to: Address, from: Address, len: usize, stream: Handle);
    cuMemsetD8Async(to: Address, byte: c_uchar, len: usize, stream: Handle);
    cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int);
    cuStreamSynchronize(stream: Handle);
    cuStreamDestroy_v2(stream: Handle);
    cuLaunchKernel(
        function: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: Handle,
        arguments: *mut *mut c_void, extra: *mut *mut c_void
    );
    cuEventCreate(event: *mut Handle, flags: c_uint);
    cuEventRecord(event: Handle, stream: Handle);
    cuEventSynchronize(event: Handle);
    cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
    cuEventDestroy_v2(event: Handle);
}

/// Writes the driver's text for an answer. If the driver has none, or there is no driver, writes
/// another text, since `cust` panics when it formats an error without a text.
///
/// # Safety
/// `text` must be a place for one pointer.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(answer: u32, text: *mut *const c_char) -> u32 {
    type Function = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;
    static FUNCTION: OnceLock<Option<Function>> = OnceLock::new();
    let find = || {
        // SAFETY: this is the type of the driver's function.
        unsafe { find::<Function>("cuGetErrorString") }
    };
    if let Some(function) = FUNCTION.get_or_init(find) {
        // SAFETY: the caller keeps the contract of this function.
        if unsafe { function(answer, text) } == SUCCESS {
            return SUCCESS;
        }
    }
    // SAFETY: the caller keeps the contract of this function.
    unsafe { *text = c"an error that has no text".as_ptr() };
    SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_nobody_knows_reach_cust_as_one_that_it_knows() {
        for answer in TOLD_APART {
            assert_eq!(pass_on(answer), answer);
            assert_eq!(last_answer(), answer);
        }
        for answer in [998, 1000, u32::MAX] {
            assert_eq!(pass_on(answer), UNKNOWN);
            assert_eq!(last_answer(), answer);
        }
    }

    /// Checks that `cust` never gets a number that is not a valid value of its type.
    #[test]
    fn what_is_passed_on_are_variants_of_the_type_that_cust_reads() {
        use cust::sys::cudaError_enum::*;
        let variants = [
            CUDA_SUCCESS,
            CUDA_ERROR_INVALID_VALUE,
            CUDA_ERROR_OUT_OF_MEMORY,
            CUDA_ERROR_NOT_INITIALIZED,
            CUDA_ERROR_DEINITIALIZED,
            CUDA_ERROR_NO_DEVICE,
            CUDA_ERROR_INVALID_DEVICE,
            CUDA_ERROR_INVALID_IMAGE,
            CUDA_ERROR_INVALID_CONTEXT,
            CUDA_ERROR_NO_BINARY_FOR_GPU,
            CUDA_ERROR_INVALID_PTX,
            CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
            CUDA_ERROR_NOT_FOUND,
            CUDA_ERROR_NOT_READY,
            CUDA_ERROR_ILLEGAL_ADDRESS,
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            CUDA_ERROR_LAUNCH_FAILED,
        ];
        assert_eq!(variants.map(|variant| variant as u32), TOLD_APART);
        assert_eq!(CUDA_ERROR_UNKNOWN as u32, UNKNOWN);
    }

    #[test]
    fn every_answer_has_a_text() {
        for answer in [SUCCESS, OUT_OF_MEMORY, 12345] {
            assert!(describe(answer).ends_with(&format!("(error {answer})")));
        }
        // Formatting would panic if the function had no text.
        assert!(!cust::error::CudaError::UnknownError.to_string().is_empty());
    }
}
