//! The kernels of `falcon-gpu`, compiled for the processor.
//!
//! The sources are the same as for a GPU. A launch runs its blocks one after the other, and in each
//! block its groups of lanes one after the other. The lanes of a group run in either order. In
//! [`Build::Emulated`], the lanes of a warp are fibers instead. Races between the warps of a GPU
//! are not tested. The crate is only for tests, since it would be slow as an engine.

use falcon_gpu::kernels::{Batch, Kernel, KeyMode, Operation};
use std::fmt;

/// False if there was no C++ compiler to build the kernels. No kernel can then be tested, and every
/// launch fails.
pub const AVAILABLE: bool = cfg!(kernels);

/// Folder of `driver.cpp`, a CUDA driver whose device is this processor. If `LD_LIBRARY_PATH` has
/// this folder, a program finds the driver. `None` if there was no compiler to build the driver.
pub const DRIVER_FOLDER: Option<&str> = option_env!("FALCON_TEST_DRIVER_FOLDER");

/// Build of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// The settings of the build for a GPU.
    Default,
    /// Build with nodes of degree 8 in registers.
    Variant,
    /// The code for groups of lanes that a GPU runs, on emulated warps. It is slow.
    Emulated,
}

/// Failure of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// There is no kernel of that name.
    NoKernel,
    /// The kernel wrote beyond the end of the shared memory that the launch gave it.
    SharedMemory,
    /// Lanes of a group did not meet at an operation. On a GPU the kernel would hang.
    Divergence,
    /// The kernel left data in shared memory.
    Remains,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoKernel => "no such kernel",
            Self::SharedMemory => "shared memory overrun",
            Self::Divergence => "lanes of a group went different ways",
            Self::Remains => "something is left in shared memory",
        })
    }
}

impl std::error::Error for LaunchError {}

/// Launches the kernel `name` on `grid` blocks of `block` threads and waits. Each block has
/// `shared` bytes of shared memory.
///
/// # Safety
/// The pointers of `batch` are addresses of this process, and the arrays are as large as
/// `kernels/batch.h` says for the fields that the kernel uses.
///
/// # Errors
/// [`LaunchError`].
pub unsafe fn launch(
    name: &str,
    batch: &Batch,
    grid: u32,
    block: u32,
    shared: u32,
) -> Result<(), LaunchError> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { launch_of(Build::Default, name, batch, grid, block, shared) }
}

/// Launches a kernel of the given build, as [`launch`] does.
///
/// # Safety
/// As for [`launch`].
///
/// # Errors
/// [`LaunchError`].
pub unsafe fn launch_of(
    build: Build,
    name: &str,
    batch: &Batch,
    grid: u32,
    block: u32,
    shared: u32,
) -> Result<(), LaunchError> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { native::launch(build, name, batch, grid, block, shared) }
}

/// Input of the sampler: the centers and leaf values of the pairs to draw. Every slot draws the
/// same number of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Draws<'a> {
    /// Two centers for each pair.
    pub centers: &'a [f64],
    /// `dss` and `ccs` for each pair.
    pub leaves: &'a [f64],
}

/// The drawn integers, two for each pair, and the position of the slot in its generator's bytes
/// after each pair.
pub type Drawn = (Vec<f64>, Vec<u64>);

/// Runs only the sampler, with as many lanes as in signing. The draws of each slot are contiguous.
///
/// # Safety
/// `count`, `seeds`, `rows`, `records` and `prng_rows` of `batch` are as in a launch.
///
/// # Errors
/// [`LaunchError`].
pub unsafe fn sample(build: Build, batch: &Batch, draws: Draws<'_>) -> Result<Drawn, LaunchError> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { native::sample(build, batch, draws) }
}

/// Sets the order in which the lanes of a group run on this thread: from the last to the first if
/// `backwards` is true, otherwise from the first to the last. No result may depend on this order.
pub fn set_backwards(backwards: bool) {
    native::set_backwards(backwards);
}

/// Sets the order in which the lanes of emulated warps run on this thread: 0 is forwards, 1 is
/// backwards, and other numbers are shuffled orders.
pub fn set_emulation(order: u32) {
    native::set_emulation(order);
}

/// Every kernel of a degree.
pub fn kernels(logn: u32) -> Vec<Kernel> {
    use Operation::*;
    let modes = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];
    let others = [
        Hash, Seed, Prng, Accept, Basis, Expand, Prepare, Unpack, Verify,
    ];
    let operations = others.into_iter().chain(modes.map(Sign));
    operations
        .map(|operation| Kernel { operation, logn })
        .collect()
}

/// The names of all kernels.
pub fn names() -> Vec<&'static str> {
    native::names()
}

/// Returns sizes that the kernels use: the number of lanes that sign a signature, and the number of
/// records of a row. For a key mode (0 transient, 1 balanced, 2 expanded) and a degree, also
/// returns the number of reals of shared memory for a warp, and of scratch for a slot.
pub fn geometry(mode: i32, logn: u32) -> [usize; 4] {
    native::geometry(mode, logn)
}

/// Size of the kernels' `Batch` and the offsets of `counts`, `scratch`, `first`,
/// `count` and `signature_limit`.
pub fn batch_layout() -> [usize; 6] {
    native::batch_layout()
}

/// Returns `s2` of the vector `(s1, s2) = (point, 0) - (v0, v1)`. The two flags are true if the
/// vector is short. The lanes that sign compute the first flag, and a warp computes the second. The
/// polynomials have `2^logn` coefficients, where `logn` is 9 or 10.
///
/// # Panics
/// If `logn` or a length is wrong.
pub fn short_vector(logn: u32, point: &[u16], v: [&[f64]; 2]) -> (Vec<i16>, [bool; 2]) {
    let n = 1 << logn;
    assert!((9..=10).contains(&logn));
    assert!(point.len() == n && v.iter().all(|v| v.len() == n));
    let mut s2 = vec![0; n];
    let answer = native::short_vector(logn, point, v.map(<[f64]>::to_vec), &mut s2);
    (s2, [answer & 1 != 0, answer & 2 != 0])
}

/// A candidate of the sampler, for a centre and a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The centre minus the integer below it.
    pub r: f64,
    /// `1 / (2 sigma'^2)`.
    pub dss: f64,
    /// `sigma_min / sigma'`.
    pub ccs: f64,
    /// Integer that the base sampler drew.
    pub z0: i32,
    /// The candidate computed from `z0`.
    pub z: i32,
}

impl Trial {
    /// The filter's estimate of 256 times the probability of acceptance.
    pub fn estimate(self) -> f64 {
        native::estimate(self)
    }

    /// The number that the reference compares with eight random bytes to accept the candidate.
    pub fn threshold(self) -> u64 {
        native::threshold(self)
    }

    /// Verdict of the filter after the first byte: true if the candidate is accepted, false if it
    /// is rejected, `None` if the byte does not decide.
    pub fn verdict(self, byte: u8) -> Option<bool> {
        match native::verdict(self, byte) {
            0 => Some(false),
            1 => None,
            _ => Some(true),
        }
    }
}

#[cfg(not(kernels))]
mod native {
    use super::{Batch, Build, Drawn, Draws, LaunchError, Trial};

    pub(super) unsafe fn launch(
        _: Build,
        _: &str,
        _: &Batch,
        _: u32,
        _: u32,
        _: u32,
    ) -> Result<(), LaunchError> {
        Err(LaunchError::NoKernel)
    }
    pub(super) unsafe fn sample(_: Build, _: &Batch, _: Draws<'_>) -> Result<Drawn, LaunchError> {
        Err(LaunchError::NoKernel)
    }
    pub(super) fn set_backwards(_: bool) {}
    pub(super) fn set_emulation(_: u32) {}
    pub(super) fn names() -> Vec<&'static str> {
        Vec::new()
    }
    pub(super) fn geometry(_: i32, _: u32) -> [usize; 4] {
        [0; 4]
    }
    pub(super) fn batch_layout() -> [usize; 6] {
        [0; 6]
    }
    pub(super) fn short_vector(_: u32, _: &[u16], _: [Vec<f64>; 2], _: &mut [i16]) -> u32 {
        0
    }
    pub(super) fn estimate(_: Trial) -> f64 {
        0.0
    }
    pub(super) fn threshold(_: Trial) -> u64 {
        0
    }
    pub(super) fn verdict(_: Trial, _: u8) -> u32 {
        1
    }
}

#[cfg(kernels)]
mod native {
    use super::{Batch, Build, Drawn, Draws, LaunchError, Trial};
    use std::ffi::{CStr, c_char, c_int};

    /// An entry of the table in `host.cpp`.
    #[repr(C)]
    struct Entry {
        name: *const c_char,
        launch: unsafe extern "C" fn(*const Batch, u32, u32, u32) -> c_int,
    }

    type Sample = unsafe extern "C" fn(
        *const Batch,
        u32,
        *const f64,
        *const f64,
        *mut f64,
        *mut u64,
    ) -> c_int;

    unsafe extern "C" {
        fn falcon_host_sample(
            _: *const Batch,
            _: u32,
            _: *const f64,
            _: *const f64,
            _: *mut f64,
            _: *mut u64,
        ) -> c_int;
        fn falcon_host_emulated_sample(
            _: *const Batch,
            _: u32,
            _: *const f64,
            _: *const f64,
            _: *mut f64,
            _: *mut u64,
        ) -> c_int;
        fn falcon_host_kernels(count: *mut usize) -> *const Entry;
        fn falcon_host_variant_kernels(count: *mut usize) -> *const Entry;
        fn falcon_host_emulated_kernels(count: *mut usize) -> *const Entry;
        fn falcon_host_emulated_set(order: u32);
        fn falcon_host_set_backwards(backwards: bool);
        fn falcon_host_variant_set_backwards(backwards: bool);
        fn falcon_host_geometry(what: c_int, mode: c_int, logn: u32) -> usize;
        fn falcon_host_batch_layout(what: c_int) -> usize;
        fn falcon_host_short_vector(
            logn: u32,
            point: *const u16,
            v0: *mut f64,
            v1: *mut f64,
            s2: *mut i16,
        ) -> u32;
        fn falcon_host_estimate(r: f64, dss: f64, ccs: f64, z0: i32, z: i32) -> f64;
        fn falcon_host_threshold(r: f64, dss: f64, ccs: f64, z0: i32, z: i32) -> u64;
        fn falcon_host_verdict(r: f64, dss: f64, ccs: f64, z0: i32, z: i32, w: u32) -> u32;
    }

    fn kernels(build: Build) -> &'static [Entry] {
        let mut count = 0;
        // SAFETY: these functions return a static array and write its length.
        unsafe {
            let entries = match build {
                Build::Default => falcon_host_kernels(&mut count),
                Build::Variant => falcon_host_variant_kernels(&mut count),
                Build::Emulated => falcon_host_emulated_kernels(&mut count),
            };
            std::slice::from_raw_parts(entries, count)
        }
    }

    fn name(entry: &Entry) -> &'static str {
        // SAFETY: every name is a literal of the C++ code.
        unsafe { CStr::from_ptr(entry.name) }.to_str().unwrap_or("")
    }

    pub(super) unsafe fn launch(
        build: Build,
        wanted: &str,
        batch: &Batch,
        grid: u32,
        block: u32,
        shared: u32,
    ) -> Result<(), LaunchError> {
        let entry = kernels(build).iter().find(|entry| name(entry) == wanted);
        let entry = entry.ok_or(LaunchError::NoKernel)?;
        // SAFETY: the caller guarantees valid pointers. A test checks that `Batch` mirrors the
        // function's structure.
        outcome(unsafe { (entry.launch)(batch, grid, block, shared) })
    }

    fn outcome(answer: c_int) -> Result<(), LaunchError> {
        match answer {
            0 => Ok(()),
            1 => Err(LaunchError::SharedMemory),
            3 => Err(LaunchError::Remains),
            _ => Err(LaunchError::Divergence),
        }
    }

    pub(super) unsafe fn sample(
        build: Build,
        batch: &Batch,
        draws: Draws<'_>,
    ) -> Result<Drawn, LaunchError> {
        let slots = batch.count as usize;
        let pairs = draws.centers.len().min(draws.leaves.len()) / 2 / slots.max(1);
        let (mut integers, mut places) = (vec![0.0; 2 * pairs * slots], vec![0; pairs * slots]);
        let function: Sample = match build {
            Build::Default | Build::Variant => falcon_host_sample,
            Build::Emulated => falcon_host_emulated_sample,
        };
        // SAFETY: the caller keeps the contract of `sample`, and the arrays have the lengths that
        // `function` expects.
        outcome(unsafe {
            function(
                batch,
                pairs as u32,
                draws.centers.as_ptr(),
                draws.leaves.as_ptr(),
                integers.as_mut_ptr(),
                places.as_mut_ptr(),
            )
        })?;
        Ok((integers, places))
    }

    pub(super) fn set_backwards(backwards: bool) {
        // SAFETY: each function sets a variable of this thread.
        unsafe {
            falcon_host_set_backwards(backwards);
            falcon_host_variant_set_backwards(backwards);
        }
    }

    pub(super) fn set_emulation(order: u32) {
        // SAFETY: the function sets a variable of this thread.
        unsafe {
            falcon_host_emulated_set(order);
        }
    }

    pub(super) fn names() -> Vec<&'static str> {
        kernels(Build::Default).iter().map(name).collect()
    }

    pub(super) fn geometry(mode: i32, logn: u32) -> [usize; 4] {
        // SAFETY: the function reads constants.
        [0, 1, 2, 3].map(|what| unsafe { falcon_host_geometry(what, mode, logn) })
    }

    pub(super) fn batch_layout() -> [usize; 6] {
        // SAFETY: the function returns numbers.
        [0, 1, 2, 3, 4, 5].map(|what| unsafe { falcon_host_batch_layout(what) })
    }

    pub(super) fn short_vector(
        logn: u32,
        point: &[u16],
        mut v: [Vec<f64>; 2],
        s2: &mut [i16],
    ) -> u32 {
        let [v0, v1] = v.each_mut().map(Vec::as_mut_ptr);
        // SAFETY: all arrays have the length of this degree.
        unsafe { falcon_host_short_vector(logn, point.as_ptr(), v0, v1, s2.as_mut_ptr()) }
    }

    pub(super) fn estimate(t: Trial) -> f64 {
        // SAFETY: the function takes and returns only numbers.
        unsafe { falcon_host_estimate(t.r, t.dss, t.ccs, t.z0, t.z) }
    }

    pub(super) fn threshold(t: Trial) -> u64 {
        // SAFETY: the function takes and returns only numbers.
        unsafe { falcon_host_threshold(t.r, t.dss, t.ccs, t.z0, t.z) }
    }

    pub(super) fn verdict(t: Trial, byte: u8) -> u32 {
        // SAFETY: the function takes and returns only numbers.
        unsafe { falcon_host_verdict(t.r, t.dss, t.ccs, t.z0, t.z, byte.into()) }
    }
}
