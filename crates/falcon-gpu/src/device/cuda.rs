//! A CUDA device, through `cust`.
//!
//! Of `cust` only what does not panic is used, and no error of it is formatted
//! but by [`describe`].

use super::driver::{
    NO_DEVICE, OUT_OF_MEMORY, UNSUPPORTED_PTX_VERSION, describe, last_answer, library,
};
use super::{ALIGNMENT, Device, Grid, MemoryInfo};
use crate::error::{CudaVersion, GpuError};
use crate::kernels::Batch;
use cust::context::{Context, CurrentContext};
use cust::device::{Device as CudaDevice, DeviceAttribute};
use cust::error::CudaResult;
use cust::event::{Event, EventFlags};
use cust::memory::{
    DevicePointer, cuda_free, cuda_free_locked, cuda_malloc, cuda_malloc_locked, mem_get_info,
};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use cust::{CudaApiVersion, CudaFlags};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::ffi::{CString, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Streams: while one computes, another copies.
const STREAMS: usize = 3;

/// A device with its primary context.
pub(crate) struct Cuda {
    // In this order they are dropped: what needs the context goes before it.
    loaded: Mutex<Loaded>,
    streams: Vec<Stream>,
    sources: Vec<Source>,
    context: Context,
    device: CudaDevice,
}

/// PTX: text that the driver compiles for the device when a kernel of it is
/// launched for the first time, and keeps compiled for the next program.
pub(crate) struct Source {
    text: CString,
    header: Header,
    kernels: BTreeSet<String>,
}

/// What the directives at the beginning of PTX say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    needs: CudaVersion,
    capability: (u32, u32),
}

impl Source {
    /// Reads PTX.
    pub(crate) fn new(text: &str) -> Result<Self, GpuError> {
        let refuse = |cause: &str| GpuError::Driver {
            doing: "read PTX",
            cause: cause.to_owned(),
        };
        let header = Header::of(text).ok_or_else(|| refuse("its version or target is missing"))?;
        let entries = text.split(".entry").skip(1);
        let names = entries.filter_map(|entry| entry.split(['(', '\n']).next());
        let kernels = names.map(|name| name.trim().to_owned()).collect();
        let text = CString::new(text).map_err(|_| refuse("it has a zero byte"))?;
        Ok(Self {
            text,
            header,
            kernels,
        })
    }

    /// Whether a kernel is defined here.
    fn defines(&self, kernel: &str) -> bool {
        self.kernels.contains(kernel)
    }
}

impl Header {
    fn of(ptx: &str) -> Option<Self> {
        let directive = |name: &str| {
            let mut lines = ptx.lines().map(str::trim_start);
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::trim))
        };
        let (major, minor) = directive(".version")?.split_once('.')?;
        let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
        let target = directive(".target")?.split(',').next()?.trim();
        let digits = target.strip_prefix("sm_")?;
        let digits: u32 = digits
            .trim_end_matches(|c: char| c.is_alphabetic())
            .parse()
            .ok()?;
        Some(Self {
            needs: cuda_of_ptx(major, minor),
            capability: (digits / 10, digits % 10),
        })
    }
}

/// The CUDA version that brought a version of PTX ("PTX ISA", release notes).
fn cuda_of_ptx(major: u32, minor: u32) -> CudaVersion {
    let (major, minor) = match (major, minor) {
        (..7, _) => (10, 2),
        (7, minor) => (11, minor),
        (8, minor @ ..=5) => (12, minor),
        (8, minor) => (12, minor + 1),
        (major, minor) => (major + 4, minor),
    };
    CudaVersion { major, minor }
}

/// What was compiled, and the kernels that were asked for.
#[derive(Default)]
struct Loaded {
    modules: BTreeMap<usize, Module>,
    functions: BTreeMap<String, Function>,
}

/// A kernel of a module that is kept as long as this.
#[derive(Clone, Copy)]
struct Function(sys::CUfunction);

// SAFETY: a handle of the driver, which may be used from any thread.
unsafe impl Send for Function {}

/// What `cust` and the driver say, as an error of ours.
fn check<T>(doing: &'static str, result: CudaResult<T>) -> Result<T, GpuError> {
    result.map_err(|_| GpuError::Driver {
        doing,
        cause: describe(last_answer()),
    })
}

/// The same for what `cust` has no function for.
fn check_raw(doing: &'static str, answer: sys::CUresult) -> Result<(), GpuError> {
    match answer {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        _ => Err(GpuError::Driver {
            doing,
            cause: describe(last_answer()),
        }),
    }
}

/// The same for memory.
fn check_memory<T>(asked: usize, result: CudaResult<T>) -> Result<T, GpuError> {
    result.map_err(|_| match last_answer() {
        OUT_OF_MEMORY => GpuError::OutOfMemory {
            asked: asked as u64,
        },
        answer => GpuError::Driver {
            doing: "allocate memory",
            cause: describe(answer),
        },
    })
}

impl Cuda {
    /// The device of this number, to run the kernels of `sources`.
    pub(crate) fn new(number: u32, sources: Vec<Source>) -> Result<Self, GpuError> {
        if let Err(reason) = library() {
            return Err(GpuError::NoDriver(reason.clone()));
        }
        match cust::init(CudaFlags::empty()) {
            Err(_) if last_answer() == NO_DEVICE => {
                return Err(GpuError::NoDevice {
                    asked: number,
                    present: 0,
                });
            }
            result => check("start the driver", result)?,
        }
        let version = check("ask the driver's version", CudaApiVersion::get())?;
        let has = CudaVersion {
            major: version.major().unsigned_abs(),
            minor: version.minor().unsigned_abs(),
        };
        let newest = sources.iter().map(|source| source.header.needs).max();
        if let Some(needs) = newest.filter(|&needs| has < needs) {
            return Err(GpuError::OldDriver { has, needs });
        }
        let present = check("count the devices", CudaDevice::num_devices())?;
        if number >= present {
            return Err(GpuError::NoDevice {
                asked: number,
                present,
            });
        }
        let device = check("open the device", CudaDevice::get_device(number))?;
        let attribute = |attribute| {
            let value = check("ask the device", device.get_attribute(attribute))?;
            Ok(value.unsigned_abs())
        };
        let has = (
            attribute(DeviceAttribute::ComputeCapabilityMajor)?,
            attribute(DeviceAttribute::ComputeCapabilityMinor)?,
        );
        let newest = sources.iter().map(|source| source.header.capability).max();
        if let Some(needs) = newest.filter(|&needs| has < needs) {
            return Err(GpuError::OldDevice { has, needs });
        }
        let context = check("open a context", Context::new(device))?;
        check("use the context", CurrentContext::set_current(&context))?;
        let stream = |_| check("open a stream", Stream::new(StreamFlags::DEFAULT, None));
        Ok(Self {
            loaded: Mutex::default(),
            streams: (0..STREAMS).map(stream).collect::<Result<_, _>>()?,
            sources,
            context,
            device,
        })
    }

    /// Makes the context that of the calling thread: whatever is asked of the
    /// driver is asked for the context that is.
    fn enter(&self) -> Result<(), GpuError> {
        check(
            "use the context",
            CurrentContext::set_current(&self.context),
        )
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        // A panic leaves whole entries.
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stream(&self, stream: usize) -> Result<&Stream, GpuError> {
        self.streams.get(stream).ok_or(GpuError::Driver {
            doing: "find a stream",
            cause: "there is none of this number".to_owned(),
        })
    }

    /// The kernel of this name, compiled if it has not been.
    fn function(&self, kernel: &str) -> Result<Function, GpuError> {
        let loaded = &mut *self.loaded();
        if let Some(&function) = loaded.functions.get(kernel) {
            return Ok(function);
        }
        let failed = |cause: String| GpuError::Launch {
            kernel: kernel.to_owned(),
            cause,
        };
        let sources = self.sources.iter().enumerate();
        let (number, source) = sources
            .filter(|(_, source)| source.defines(kernel))
            // One that has been compiled already, if it will do.
            .max_by_key(|(number, _)| loaded.modules.contains_key(number))
            .ok_or_else(|| failed("no such kernel".to_owned()))?;
        let module = match loaded.modules.entry(number) {
            Entry::Occupied(module) => module.into_mut(),
            Entry::Vacant(place) => {
                let module =
                    Module::from_ptx_cstr(&source.text, &[]).map_err(|_| match last_answer() {
                        UNSUPPORTED_PTX_VERSION => failed(format!(
                            "the driver supports no PTX of CUDA {}",
                            source.header.needs
                        )),
                        answer => failed(describe(answer)),
                    })?;
                place.insert(module)
            }
        };
        // A name that stands in a C string has no zero, which would panic.
        let function = module
            .get_function(kernel)
            .map_err(|_| failed(describe(last_answer())))?;
        let function = Function(function.to_raw());
        loaded.functions.insert(kernel.to_owned(), function);
        Ok(function)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // The fields are dropped next, and need it.
        let _ = self.enter();
    }
}

// SAFETY: memory and streams are the driver's, which keeps this contract; what it
// allocates stays valid until it is freed or the context is lost, which every
// later call says.
unsafe impl Device for Cuda {
    fn name(&self) -> String {
        let name = self.device.name();
        name.unwrap_or_else(|_| "a CUDA device".to_owned())
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.enter()?;
        let (free, total) = check("ask for memory", mem_get_info())?;
        Ok(MemoryInfo {
            free: free as u64,
            total: total as u64,
        })
    }

    fn streams(&self) -> usize {
        self.streams.len()
    }

    fn processors(&self) -> u32 {
        let count = self
            .device
            .get_attribute(DeviceAttribute::MultiprocessorCount);
        count.map_or(1, i32::unsigned_abs)
    }

    fn shared_memory(&self) -> u32 {
        let bytes = self
            .device
            .get_attribute(DeviceAttribute::MaxSharedMemoryPerMultiprocessor);
        bytes.map_or(100 << 10, i32::unsigned_abs)
    }

    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        self.enter()?;
        // SAFETY: allocating has no preconditions.
        let memory = unsafe { cuda_malloc::<u8>(len) };
        let address = check_memory(len, memory)?.as_raw();
        // The driver aligns to 256 bytes and more.
        debug_assert!(address.is_multiple_of(ALIGNMENT as u64));
        Ok(address)
    }

    unsafe fn free(&self, address: u64, _: usize) {
        if self.enter().is_ok() {
            // SAFETY: as the caller promises. If it fails the context is lost,
            // and the memory with it.
            let _ = unsafe { cuda_free(DevicePointer::<u8>::from_raw(address)) };
        }
    }

    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        self.enter()?;
        // SAFETY: allocating has no preconditions.
        let memory = unsafe { cuda_malloc_locked::<u8>(len) };
        let memory = NonNull::new(check_memory(len, memory)?);
        memory.ok_or(GpuError::OutOfMemory { asked: len as u64 })
    }

    unsafe fn free_locked(&self, memory: NonNull<u8>, _: usize) {
        if self.enter().is_ok() {
            // SAFETY: as the caller promises.
            let _ = unsafe { cuda_free_locked(memory.as_ptr()) };
        }
    }

    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: as the caller promises.
        let answer = unsafe { sys::cuMemsetD8Async(to, 0, len, stream) };
        check_raw("wipe memory", answer)
    }

    unsafe fn upload(
        &self,
        stream: usize,
        to: u64,
        from: *const u8,
        len: usize,
    ) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: as the caller promises.
        let answer = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), len, stream) };
        check_raw("copy to the device", answer)
    }

    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: as the caller promises.
        let answer = unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, len, stream) };
        check_raw("copy from the device", answer)
    }

    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: as the caller promises.
        let answer = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, len, stream) };
        check_raw("copy on the device", answer)
    }

    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        self.enter()?;
        let function = self.function(kernel)?;
        let stream = self.stream(stream)?.as_inner();
        let failed = || GpuError::Launch {
            kernel: kernel.to_owned(),
            cause: describe(last_answer()),
        };
        // More than what every kernel may have must be asked for.
        if grid.shared > 48 << 10 {
            let most =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = i32::try_from(grid.shared).unwrap_or(i32::MAX);
            // SAFETY: the function's module is kept.
            let answer = unsafe { sys::cuFuncSetAttribute(function.0, most, bytes) };
            if answer != sys::CUresult::CUDA_SUCCESS {
                return Err(failed());
            }
        }
        let mut arguments = [(&raw const *batch).cast_mut().cast::<c_void>()];
        // SAFETY: as the caller promises; the driver copies the argument before
        // it returns.
        let answer = unsafe {
            sys::cuLaunchKernel(
                function.0,
                grid.blocks,
                1,
                1,
                grid.threads,
                1,
                1,
                grid.shared,
                stream,
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        if answer == sys::CUresult::CUDA_SUCCESS {
            Ok(())
        } else {
            Err(failed())
        }
    }

    unsafe fn timed_launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<f64, GpuError> {
        self.enter()?;
        // Compiling it is not part of the time.
        self.function(kernel)?;
        let on = self.stream(stream)?;
        let event = || check("make an event", Event::new(EventFlags::DEFAULT));
        let (start, end) = (event()?, event()?);
        check("record an event", start.record(on))?;
        // SAFETY: as the caller promises.
        unsafe { self.launch(stream, kernel, grid, batch) }?;
        check("record an event", end.record(on))?;
        check("wait for an event", end.synchronize())?;
        let elapsed = check("read an event", end.elapsed_time_f32(&start))?;
        Ok(f64::from(elapsed))
    }

    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.enter()?;
        // What has failed since the last time is told here.
        check(
            "finish what the device was asked for",
            self.stream(stream)?.synchronize(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_ptx_says_what_it_needs() {
        let header = |version: &str, target: &str| {
            Header::of(&format!(
                "//\n.version {version}\n.target {target}\n.address_size 64\n"
            ))
        };
        let needs = |major, minor, capability| {
            let needs = CudaVersion { major, minor };
            Some(Header { needs, capability })
        };
        assert_eq!(header("7.0", "sm_70"), needs(11, 0, (7, 0)));
        assert_eq!(header("8.5", "sm_80, debug"), needs(12, 5, (8, 0)));
        assert_eq!(header("8.8", "sm_90a"), needs(12, 9, (9, 0)));
        assert_eq!(header("9.0", "sm_120"), needs(13, 0, (12, 0)));
        assert_eq!(header("9", "sm_75"), None);
        assert_eq!(Header::of(""), None);
    }

    #[test]
    fn a_kernel_is_found_by_its_whole_name() {
        let text = ".version 7.0\n.target sm_70\n.visible .entry sign_512(\n";
        let source = Source::new(text).expect("it has a header");
        assert!(source.defines("sign_512"));
        assert!(!source.defines("sign_51"));
        assert!(!source.defines("sign_5120"));
        assert!(!source.defines("ign_512"));
    }
}
