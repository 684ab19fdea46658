//! A CUDA device, through `cust`.
//!
//! Only functions of `cust` that do not panic are used, and its errors are formatted only by
//! [`describe`].

use super::driver::{
    NO_DEVICE, OUT_OF_MEMORY, UNSUPPORTED_PTX_VERSION, describe, last_answer, library,
};
use super::image::{Code, Image};
use super::loaded::{ImageForm, LoadedImage};
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
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Upper bound on the number of streams. They are opened when they are first used.
const STREAMS: usize = super::MOST_STREAMS;

/// Opens the CUDA device with this number, to run the kernels of `images`. See
/// [`GpuContext::with_images`](crate::GpuContext::with_images).
///
/// # Errors
/// As for [`GpuContext::with_images`](crate::GpuContext::with_images).
pub fn open_cuda(number: u32, images: &[impl AsRef<[u8]>]) -> Result<Arc<dyn Device>, GpuError> {
    let images = images.iter().map(|image| Image::new(image.as_ref()));
    let images = images.collect::<Result<_, _>>()?;
    Ok(Arc::new(Cuda::new(number, images)?))
}

/// A device with its primary context.
pub(crate) struct Cuda {
    // Fields are dropped in this order. Fields that need the context come before it.
    loaded: Mutex<Loaded>,
    streams: [OnceLock<Stream>; STREAMS],
    images: Vec<Image>,
    capability: (u32, u32),
    context: Context,
    device: CudaDevice,
}

/// The loaded images, and the kernels found in them.
#[derive(Default)]
struct Loaded {
    modules: BTreeMap<usize, Module>,
    functions: BTreeMap<String, Function>,
    /// Result of each image that was tried, in the order of the attempts.
    tried: Vec<LoadedImage>,
}

impl Loaded {
    /// Returns the result of the image `number`, if it was tried.
    fn tried(&mut self, number: usize) -> Option<&mut LoadedImage> {
        self.tried.iter_mut().find(|image| image.number == number)
    }

    fn has_refused(&self, number: usize) -> bool {
        let image = self.tried.iter().find(|image| image.number == number);
        image.is_some_and(|image| image.refused.is_some())
    }
}

/// Handle of a kernel. The kernel's module stays loaded as long as the device is open.
#[derive(Clone, Copy)]
struct Function(sys::CUfunction);

// SAFETY: a `Function` is a handle of the driver, which may be used from any thread.
unsafe impl Send for Function {}

/// Turns an error of `cust` or of the driver into a [`GpuError`].
fn check<T>(doing: &'static str, result: CudaResult<T>) -> Result<T, GpuError> {
    result.map_err(|_| GpuError::Driver {
        doing,
        cause: describe(last_answer()),
    })
}

/// Turns an answer of the driver into a [`GpuError`], for functions that `cust` lacks.
fn check_answer(doing: &'static str, answer: sys::CUresult) -> Result<(), GpuError> {
    match answer {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        _ => Err(GpuError::Driver {
            doing,
            cause: describe(last_answer()),
        }),
    }
}

/// Turns an error of an allocation into a [`GpuError`].
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
    /// Opens the device with this number, to run the kernels of `images`.
    pub(crate) fn new(number: u32, images: Vec<Image>) -> Result<Self, GpuError> {
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
        let newest = images.iter().filter_map(Image::needs).max();
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
        check_capability(&images, has)?;
        let context = check("open a context", Context::new(device))?;
        check("use the context", CurrentContext::set_current(&context))?;
        Ok(Self {
            loaded: Mutex::default(),
            streams: [const { OnceLock::new() }; STREAMS],
            images,
            capability: has,
            context,
            device,
        })
    }

    /// Makes the context current in the calling thread. The driver performs every call for the
    /// thread's current context.
    fn enter(&self) -> Result<(), GpuError> {
        check(
            "use the context",
            CurrentContext::set_current(&self.context),
        )
    }

    fn loaded_images(&self) -> MutexGuard<'_, Loaded> {
        // A panic leaves no entry half written, so the images can be used after it.
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the stream with this number, and opens it first if necessary. The context must be
    /// current in the calling thread.
    fn stream(&self, stream: usize) -> Result<&Stream, GpuError> {
        let place = self.streams.get(stream).ok_or(GpuError::Driver {
            doing: "find a stream",
            cause: "there is none of this number".to_owned(),
        })?;
        if let Some(stream) = place.get() {
            return Ok(stream);
        }
        let new = check("open a stream", Stream::new(StreamFlags::DEFAULT, None))?;
        // If another thread was faster, its stream is used and the new stream is closed.
        Ok(place.get_or_init(|| new))
    }

    /// Returns the kernel with this name, from the best cubin for the device. If the driver refuses
    /// a cubin, tries the next best one. If none is left, uses PTX. Loads the image if necessary.
    fn function(&self, kernel: &str) -> Result<Function, GpuError> {
        let loaded = &mut *self.loaded_images();
        if let Some(&function) = loaded.functions.get(kernel) {
            return Ok(function);
        }
        let mut refused = GpuError::Launch {
            kernel: kernel.to_owned(),
            cause: "no such kernel".to_owned(),
        };
        loop {
            let images = self.images.iter().enumerate();
            let best = images
                .filter(|(number, image)| {
                    image.defines(kernel)
                        && image.form.suits(self.capability)
                        // PTX is tried again even after a refusal, since no other image can replace
                        // it.
                        && (matches!(image.code, Code::Ptx { .. }) || !loaded.has_refused(*number))
                })
                .max_by_key(|(number, image)| {
                    let cubin = match image.form {
                        ImageForm::Cubin { capability } => Some(capability),
                        ImageForm::Ptx { .. } => None,
                    };
                    // Of two images with the same capability, prefers one that is already loaded.
                    (cubin, loaded.modules.contains_key(number))
                });
            let Some((number, image)) = best else {
                return Err(refused);
            };
            match load(loaded, number, image, kernel) {
                Ok(function) => {
                    loaded.functions.insert(kernel.to_owned(), function);
                    return Ok(function);
                }
                Err(cause) => {
                    refused = GpuError::Launch {
                        kernel: kernel.to_owned(),
                        cause,
                    };
                    if matches!(image.code, Code::Ptx { .. }) {
                        return Err(refused);
                    }
                }
            }
        }
    }
}

/// Finds a kernel in an image, and loads the image if necessary. Notes the time that this took and
/// the reason if it failed.
fn load(
    loaded: &mut Loaded,
    number: usize,
    image: &Image,
    kernel: &str,
) -> Result<Function, String> {
    let start = Instant::now();
    let found = find(&mut loaded.modules, number, image, kernel);
    let took = start.elapsed();
    let refused = found.as_ref().err().cloned();
    match loaded.tried(number) {
        Some(tried) => {
            tried.took += took;
            tried.refused = refused;
        }
        None => loaded.tried.push(LoadedImage {
            number,
            form: image.form,
            kernel: kernel.to_owned(),
            took,
            refused,
        }),
    }
    found
}

fn find(
    modules: &mut BTreeMap<usize, Module>,
    number: usize,
    image: &Image,
    kernel: &str,
) -> Result<Function, String> {
    let module = match modules.entry(number) {
        Entry::Occupied(module) => module.into_mut(),
        Entry::Vacant(place) => {
            let module = match &image.code {
                Code::Ptx { text, .. } => Module::from_ptx_cstr(text, &[]),
                Code::Cubin(bytes) => Module::from_cubin(bytes, &[]),
            };
            let module = module.map_err(|_| match (last_answer(), image.needs()) {
                (UNSUPPORTED_PTX_VERSION, Some(needs)) => {
                    format!("the driver supports no PTX of CUDA {needs}")
                }
                (answer, _) => describe(answer),
            })?;
            place.insert(module)
        }
    };
    // `cust` panics if the name contains a zero byte. The names of an image's kernels never do.
    let function = module.get_function(kernel);
    let function = function.map_err(|_| describe(last_answer()))?;
    Ok(Function(function.to_raw()))
}

/// Returns an error if a kernel is in no image that suits a device of this compute capability.
fn check_capability(images: &[Image], has: (u32, u32)) -> Result<(), GpuError> {
    let all: BTreeSet<&str> = images.iter().flat_map(Image::kernels).collect();
    for kernel in all {
        let forms = || {
            let with_it = images.iter().filter(|image| image.defines(kernel));
            with_it.map(|image| image.form)
        };
        if forms().any(|form| form.suits(has)) {
            continue;
        }
        let least = forms().filter_map(|form| match form {
            ImageForm::Ptx { capability } => Some(capability),
            ImageForm::Cubin { .. } => None,
        });
        return Err(match least.min() {
            Some(needs) => GpuError::OldDevice { has, needs },
            None => GpuError::Driver {
                doing: "choose an image of the kernels",
                cause: format!(
                    "{kernel} is in cubins only, and none is for compute capability {}.{}",
                    has.0, has.1
                ),
            },
        });
    }
    Ok(())
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // The fields are dropped after this, and need the context.
        let _ = self.enter();
    }
}

// SAFETY: the driver allocates the memory, runs the streams, and keeps this contract. Allocated
// memory stays valid until it is freed or the context is lost. After a loss, every call reports it.
unsafe impl Device for Cuda {
    fn name(&self) -> String {
        let name = self.device.name();
        name.unwrap_or_else(|_| "a CUDA device".to_owned())
    }

    fn loaded(&self) -> Vec<LoadedImage> {
        self.loaded_images().tried.clone()
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
            // SAFETY: the caller keeps the contract of this function. If freeing fails, the context
            // and the memory are lost.
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
            // SAFETY: the caller keeps the contract of this function.
            let _ = unsafe { cuda_free_locked(memory.as_ptr()) };
        }
    }

    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: the caller keeps the contract of this function.
        let answer = unsafe { sys::cuMemsetD8Async(to, 0, len, stream) };
        check_answer("wipe memory", answer)
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
        // SAFETY: the caller keeps the contract of this function.
        let answer = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), len, stream) };
        check_answer("copy to the device", answer)
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
        // SAFETY: the caller keeps the contract of this function.
        let answer = unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, len, stream) };
        check_answer("copy from the device", answer)
    }

    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        self.enter()?;
        let stream = self.stream(stream)?.as_inner();
        // SAFETY: the caller keeps the contract of this function.
        let answer = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, len, stream) };
        check_answer("copy on the device", answer)
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
        // If a kernel needs more than 48 KiB of shared memory, the driver must be asked for it.
        if grid.shared > 48 << 10 {
            let most =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = i32::try_from(grid.shared).unwrap_or(i32::MAX);
            // SAFETY: the module of the function stays loaded.
            let answer = unsafe { sys::cuFuncSetAttribute(function.0, most, bytes) };
            if answer != sys::CUresult::CUDA_SUCCESS {
                return Err(failed());
            }
        }
        let mut arguments = [(&raw const *batch).cast_mut().cast::<c_void>()];
        // SAFETY: the caller keeps the contract of this function. The driver copies the argument
        // before it returns.
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
        // Loads the kernel first, so that compiling it is not part of the time.
        self.function(kernel)?;
        let on = self.stream(stream)?;
        let event = || check("make an event", Event::new(EventFlags::DEFAULT));
        let (start, end) = (event()?, event()?);
        check("record an event", start.record(on))?;
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.launch(stream, kernel, grid, batch) }?;
        check("record an event", end.record(on))?;
        check("wait for an event", end.synchronize())?;
        let elapsed = check("read an event", end.elapsed_time_f32(&start))?;
        Ok(f64::from(elapsed))
    }

    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.enter()?;
        // At this call the driver reports any failure since the last wait.
        check(
            "finish what the device was asked for",
            self.stream(stream)?.synchronize(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CUBINS, PTX};

    #[test]
    fn a_device_needs_an_image_for_every_kernel() {
        let images = |given: &[&[u8]]| -> Vec<Image> {
            let images = given.iter().map(|bytes| Image::new(bytes));
            images.collect::<Result<_, _>>().expect("images")
        };
        let cubins = images(&CUBINS);
        for has in [(8, 0), (8, 6), (8, 9), (9, 0)] {
            assert_eq!(check_capability(&cubins, has), Ok(()));
        }
        for has in [(7, 5), (10, 0), (12, 0)] {
            let checked = check_capability(&cubins, has);
            assert!(
                matches!(checked, Err(GpuError::Driver { .. })),
                "{checked:?}"
            );
        }
        let all = images(&crate::IMAGES);
        assert_eq!(check_capability(&all, (10, 0)), Ok(()));
        let old = GpuError::OldDevice {
            has: (7, 5),
            needs: (8, 0),
        };
        assert_eq!(check_capability(&all, (7, 5)), Err(old));
        // These images have degree 1024 for one device only.
        let some = images(&[PTX[0].as_bytes(), CUBINS[5]]);
        assert_eq!(check_capability(&some, (9, 0)), Ok(()));
        assert!(check_capability(&some, (8, 9)).is_err());
    }
}
