//! A device, with the keys and memory that stay on it between batches.

use crate::device::{Device, LoadedImage, MemoryInfo};
use crate::division::{Jobs, Size, max_padded_len};
use crate::error::GpuError;
use crate::host_threads::{self, HostThreads};
use crate::keys::{self, ResidentKey};
use crate::options::Options;
use crate::plan::Way;
use crate::sign::{self, Work};
use crate::state::State;
use crate::undo::{LastBackup, Undo};
use crate::verify::{self, Claims};
use falcon_core::batch::{
    BatchError, BatchSign, BatchVerify, JobKey, SignJob, Verdict, VerifyBytesJob, VerifyJob,
};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob};
use falcon_core::{Parameters, SEED_LEN, Signature, SignatureError};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device that signs and verifies batches, one at a time. The signatures have the same bytes as
/// those of every other engine.
///
/// Use the traits [`BatchSign`], [`BatchSignRaw`] and [`BatchVerify`]. A key is uploaded as small
/// integers and expanded on the device. An expanded key is not faster, since the host turns it back
/// into the small integers. Keys stay on the device until their memory is needed for other keys,
/// [`forget_keys`](Self::forget_keys) is called or the context is dropped. In
/// [`KeyMode::Transient`](crate::KeyMode::Transient) they do not stay. All other data of a batch
/// are wiped at its end.
pub struct GpuContext {
    device: Arc<dyn Device>,
    options: Options,
    state: Mutex<State>,
    backup: LastBackup,
    threads: HostThreads,
}

impl fmt::Debug for GpuContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuContext")
            .field("device", &self.device.name())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl GpuContext {
    /// Opens the CUDA device with this number, with the default options.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::OldDriver`], [`GpuError::NoDevice`],
    /// [`GpuError::OldDevice`], and errors that the driver reports.
    #[cfg(feature = "cuda")]
    pub fn new(device: u32) -> Result<Self, GpuError> {
        Self::with_options(device, Options::default())
    }

    /// Opens the CUDA device with this number.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    #[cfg(feature = "cuda")]
    pub fn with_options(device: u32, options: Options) -> Result<Self, GpuError> {
        Self::with_images(device, options, &crate::IMAGES)
    }

    /// Opens the CUDA device with this number, with the kernels of these images instead of
    /// [`IMAGES`](crate::IMAGES). The results of these kernels are not checked, so the kernels must
    /// follow `kernels/batch.h`. If no image has a kernel that a batch needs, the batch fails.
    ///
    /// An image is the text of PTX, or a cubin. A kernel is taken from the cubin with the highest
    /// compute capability that the device can run: with the same major number, and without a higher
    /// minor number. If the driver refuses it, the next best cubin is tried. If no cubin is left,
    /// the driver compiles PTX that has the kernel. [`loaded`](Self::loaded) reports which image
    /// was used.
    ///
    /// # Errors
    /// As for [`new`](Self::new), and [`GpuError::Driver`] if an image is damaged, or if a kernel
    /// is only in cubins that the device cannot run.
    #[cfg(feature = "cuda")]
    pub fn with_images(
        device: u32,
        options: Options,
        images: &[impl AsRef<[u8]>],
    ) -> Result<Self, GpuError> {
        let device = crate::device::open_cuda(device, images)?;
        Ok(Self::on(device, options))
    }

    /// Signs and verifies on `device`.
    pub fn on(device: Arc<dyn Device>, options: Options) -> Self {
        let state = Mutex::new(State::new(&device, &options));
        Self {
            device,
            options,
            state,
            backup: LastBackup::default(),
            threads: HostThreads::start(),
        }
    }

    /// Name of the device.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// The kernel images that the device has loaded or its driver has refused so far, and the time
    /// that each of them took. The first batch that needs an image loads it.
    pub fn loaded(&self) -> Vec<LoadedImage> {
        self.device.loaded()
    }

    /// Returns the free and total memory of the device.
    ///
    /// # Errors
    /// If the device does not answer.
    pub fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.memory()
    }

    /// Upper bound on the bytes of device memory for signing `jobs` messages, of `message_bytes`
    /// bytes in total, as one chunk. The keys that stay on the device are not included
    /// ([`memory_of_keys`](Self::memory_of_keys)). `keys` is the number of keys that come with the
    /// batch. It matters only in [`KeyMode::Transient`](crate::KeyMode::Transient). Neighbouring
    /// jobs with the same key count once.
    pub fn memory_to_sign<P: Parameters>(
        &self,
        jobs: usize,
        message_bytes: usize,
        keys: usize,
    ) -> u64 {
        let size = Size {
            jobs,
            keys,
            bytes: max_padded_len(jobs, message_bytes),
        };
        Way::new::<P>(Fit::Padded, &self.options).need(size) as u64
    }

    /// Bytes of device memory that `keys` resident keys need, including the memory to expand them.
    /// The capacity is at least 16 keys. While the capacity is doubled, the old memory is also held
    /// until the keys have moved. 0 in [`KeyMode::Transient`](crate::KeyMode::Transient).
    pub fn memory_of_keys<P: Parameters>(&self, keys: usize) -> u64 {
        keys::need(self.options.key_mode, P::LOGN, keys) as u64
    }

    /// Upper bound on the bytes of device memory for verifying `jobs` signatures as one chunk.
    pub fn memory_to_verify<P: Parameters>(
        &self,
        jobs: usize,
        message_bytes: usize,
        keys: usize,
    ) -> u64 {
        let size = Size {
            jobs,
            keys,
            bytes: max_padded_len(jobs, message_bytes),
        };
        verify::need::<P>(size) as u64
    }

    /// Uploads and expands a key now: a `&SigningKey` or an `&ExpandedKey`. Otherwise the first
    /// batch that uses the key does this. The key stays until its memory is needed for another key,
    /// or until [`forget_keys`](Self::forget_keys). Does nothing in
    /// [`KeyMode::Transient`](crate::KeyMode::Transient), where keys come with every batch.
    ///
    /// # Errors
    /// As for a batch. After an error the keys on the device stay there, unless the memory was too
    /// small for one more.
    pub fn upload_key<'a, P: Parameters>(
        &self,
        key: impl Into<JobKey<'a, P>>,
    ) -> Result<(), GpuError> {
        if !self.options.key_mode.keeps_keys() {
            return Ok(());
        }
        let key = ResidentKey(key.into());
        self.state().upload(key, &self.device, &self.options)
    }

    /// Removes all keys from the device.
    pub fn forget_keys(&self) {
        self.state().forget_keys();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // After a panic, `Held` has wiped the batch from the device, so the state can be used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `what` with the state of the device, and then wipes everything except keys. Returns
    /// the result only if the wiping also succeeded.
    fn with_state<T: Send>(
        &self,
        what: impl FnOnce(&mut State) -> Result<T, GpuError> + Send,
    ) -> Result<T, GpuError> {
        let hold = |state: &mut State| {
            let mut held = Held {
                state,
                ended_well: false,
            };
            let done = what(held.state);
            let wiped = held.state.settle();
            held.ended_well = done.is_ok() && wiped.is_ok();
            wiped.and(done)
        };
        // Locks the state before entering the pool. So no thread of the pool ever waits for a batch
        // that another thread of the pool works on.
        host_threads::aside(|| {
            let state = &mut *self.state();
            self.threads.install(|| hold(state))?
        })
    }

    fn sign<P: Parameters>(
        &self,
        work: &Work<'_, P>,
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), GpuError> {
        check_lengths(work.count(), out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let way = Way::new::<P>(fit, &self.options);
        let mut signatures = Undo::new(out, self.backup.take());
        self.with_state(|state| {
            sign::sign(
                &self.device,
                state,
                &self.options,
                way,
                work,
                &mut signatures,
            )
        })?;
        if self.options.verify_after_sign.unwrap_or(work.is_given()) {
            self.check(work, signatures.results())?;
        }
        self.backup.give(signatures.keep());
        Ok(())
    }

    /// Verifies the signatures of a batch on the device.
    fn check<P: Parameters>(
        &self,
        work: &Work<'_, P>,
        signatures: &[Signature<P>],
    ) -> Result<(), GpuError> {
        let jobs = signatures.iter().enumerate();
        let jobs: Vec<_> = jobs
            .map(|(job, signature)| VerifyJob {
                key: work.verifying_key(job),
                message: work.message(job),
                signature,
            })
            .collect();
        let mut verdicts = vec![Err(SignatureError); jobs.len()];
        self.verify(&Claims::Decoded(&jobs), &mut verdicts)?;
        match verdicts.iter().position(Result::is_err) {
            None => Ok(()),
            Some(job) => Err(GpuError::Fault { job }),
        }
    }

    fn verify<P: Parameters, V: From<Verdict>>(
        &self,
        claims: &Claims<'_, P>,
        out: &mut [V],
    ) -> Result<(), GpuError> {
        check_lengths(claims.count(), out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let mut verdicts =
            self.with_state(|state| verify::verify(&self.device, state, &self.options, claims))?;
        // The state is not locked here, so other batches can begin.
        self.threads
            .install(|| verify::tell_malformed(claims, &mut verdicts))?;
        for (out, verdict) in out.iter_mut().zip(verdicts) {
            *out = verdict.into();
        }
        Ok(())
    }
}

/// The state of a device during a batch. When dropped after an error or a panic, it waits for the
/// device and wipes the data of the batch.
struct Held<'s> {
    state: &'s mut State,
    ended_well: bool,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.ended_well {
            // After an error of the device or a panic, no data of the batch stay on the device, and
            // no work of the batch continues there.
            let _ = self.state.settle();
            self.state.drop_pool();
        }
    }
}

fn check_lengths(jobs: usize, output: usize) -> Result<(), GpuError> {
    if jobs == output {
        Ok(())
    } else {
        Err(GpuError::OutputLength { jobs, output })
    }
}

impl<P: Parameters> BatchSign<P> for GpuContext {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let work = Work::Hedged { seed, first, jobs };
        Ok(self.sign(&work, Fit::Padded, out)?)
    }
}

impl<P: Parameters> BatchSignRaw<P> for GpuContext {
    fn sign_batch_raw(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        Ok(self.sign(&Work::Given(jobs), fit, out)?)
    }
}

impl<P: Parameters> BatchVerify<P> for GpuContext {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        Ok(self.verify(&Claims::Decoded(jobs), out)?)
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        Ok(self.verify(&Claims::Encoded(jobs), out)?)
    }
}
