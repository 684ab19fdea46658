//! Many messages or signatures with one call.

use crate::arguments::values;
use crate::information::max_len;
use crate::memory::{NewHandle, Output, filled, free, object, reserved};
use crate::parameters::format_of;
use crate::signing_key::{Signing, falconsign_signing_key, fill};
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::batch::{BatchError, BatchSign, SignJob, Verdict};
use falcon_core::rows::{self, Row, RowKey};
use falcon_core::{
    Engine, Falcon512, Falcon1024, Format, OnThreads, ParameterSet, Parameters, SEED_LEN,
    Signature, Threads,
};
use std::ffi::c_int;
use std::num::NonZeroUsize;
use std::process;
use std::ptr::dangling_mut;
use zeroize::Zeroizing;

/// Number of jobs that are signed with one seed. Their decoded signatures need some megabytes.
const SIGN_SLICE: usize = 8192;

/// Number of jobs that are verified at once.
const VERIFY_SLICE: usize = 65536;

/// Verdicts, with their name in C.
pub const VERDICTS: [(&str, Verdict); 4] = [
    ("FALCONSIGN_VERDICT_VALID", Verdict::Valid),
    ("FALCONSIGN_VERDICT_INVALID", Verdict::Invalid),
    ("FALCONSIGN_VERDICT_MALFORMED", Verdict::Malformed),
    ("FALCONSIGN_VERDICT_UNKNOWN_KEY", Verdict::UnknownKey),
];

/// Message to sign, with its key.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct falconsign_sign_job {
    /// Key that signs.
    pub key: *const falconsign_signing_key,
    /// Message; may be null if it is empty.
    pub message: *const u8,
    /// Length of the message in bytes.
    pub message_len: usize,
}

/// Signature to verify, with its key and message.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct falconsign_verify_job {
    /// Key, or null.
    pub key: *const falconsign_verifying_key,
    /// Message; may be null if it is empty.
    pub message: *const u8,
    /// Length of the message in bytes.
    pub message_len: usize,
    /// Signature.
    pub signature: *const u8,
    /// Length of the signature in bytes.
    pub signature_len: usize,
}

/// Handle of threads that share batches.
pub struct falconsign_threads {
    threads: Option<Threads>,
    /// A child process has no threads of its parent.
    process: u32,
}

/// Waits for the threads to end, except in a child process, where they do not exist.
impl Drop for falconsign_threads {
    fn drop(&mut self) {
        if self.process != process::id() {
            std::mem::forget(self.threads.take());
        }
    }
}

/// Starts threads.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_threads_new(
    count: usize,
    threads: *mut *mut falconsign_threads,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let out = unsafe { NewHandle::new(threads) }?;
        let threads = NonZeroUsize::new(count).map_or_else(Threads::for_all_cores, Threads::new);
        out.give(Box::new(falconsign_threads {
            threads: Some(threads),
            process: process::id(),
        }))
    })
}

/// Ends threads.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_threads_free(threads: *mut falconsign_threads) {
    // SAFETY: the header asks the caller for this.
    unsafe { free(threads) }
}

/// An engine, on threads or on the calling thread alone.
enum Workers<'t> {
    Alone(Engine),
    OnThreads(OnThreads<'t>),
}

impl<'t> Workers<'t> {
    /// Chooses the best engine, on the threads of a handle unless it is null.
    ///
    /// # Safety
    /// As for [`object`].
    unsafe fn new(threads: *const falconsign_threads) -> Result<Self, Status> {
        let engine = Engine::best();
        if threads.is_null() {
            return Ok(Self::Alone(engine));
        }
        // SAFETY: as for this function.
        let threads: &'t falconsign_threads = unsafe { object(threads) }?;
        match &threads.threads {
            Some(started) if threads.process == process::id() => {
                Ok(Self::OnThreads(engine.on(started)))
            }
            _ => Err(Status::Forked),
        }
    }

    fn sign<P: Parameters>(
        &self,
        seed: &[u8; SEED_LEN],
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        match self {
            Self::Alone(engine) => engine.sign_batch(seed, jobs, out),
            Self::OnThreads(engine) => engine.sign_batch(seed, jobs, out),
        }
    }

    fn verify(&self, format: Format, rows: &[Row<'_>], out: &mut [Verdict]) -> Result<(), Status> {
        match self {
            Self::Alone(engine) => rows::verify(engine, format, rows, out),
            Self::OnThreads(engine) => rows::verify(engine, format, rows, out),
        }
        .map_err(Status::from)
    }
}

/// The place where a batch writes its signatures, and their lengths if they are wanted.
struct SignaturesOutput {
    format: Format,
    signatures: Output<u8>,
    stride: usize,
    lens: Output<usize>,
}

impl SignaturesOutput {
    /// Names the place.
    ///
    /// # Safety
    /// As for [`Output::new`], with `count * stride` bytes.
    unsafe fn new(
        format: Format,
        count: usize,
        signatures: *mut u8,
        stride: usize,
        lens: Output<usize>,
    ) -> Result<Self, Status> {
        let size = count.checked_mul(stride).ok_or(Status::Length)?;
        if lens.count() == 0 && format == Format::Compressed {
            return Err(Status::NullPointer);
        }
        // SAFETY: as for this function.
        let signatures = unsafe { Output::new(signatures, size) }?;
        signatures.apart_from_output(&lens)?;
        Ok(Self {
            format,
            signatures,
            stride,
            lens,
        })
    }

    /// Refuses a place that overlaps jobs, or lies too close for one of them.
    fn check<P: Parameters>(
        &self,
        jobs: &[(usize, SignJob<'_, P>)],
        set: ParameterSet,
    ) -> Result<(), Status> {
        if !jobs.is_empty() && self.stride < max_len(set, self.format) {
            return Err(Status::BufferTooSmall);
        }
        jobs.iter()
            .try_for_each(|(_, job)| self.signatures.apart_from(job.message))
    }

    /// Writes the signature of a job.
    fn write<P: Parameters>(&self, job: usize, signature: &Signature<P>) -> Result<(), Status> {
        let mut encoded = [0; Falcon1024::CT_LEN];
        let len = signature.encode(self.format, &mut encoded)?;
        self.signatures.write(job * self.stride, &encoded[..len])?;
        match self.lens.count() {
            0 => Ok(()),
            _ => self.lens.write(job, &[len]),
        }
    }
}

/// Appends a job and its number in the batch.
fn push<T>(jobs: &mut Vec<(usize, T)>, number: usize, job: T) -> Result<(), Status> {
    jobs.try_reserve(1).map_err(|_| Status::NoMemory)?;
    jobs.push((number, job));
    Ok(())
}

/// Signs jobs of one parameter set. Each job has its number in the batch.
fn sign<P: Parameters>(
    workers: &Workers<'_>,
    jobs: &[(usize, SignJob<'_, P>)],
    out: &SignaturesOutput,
) -> Result<(), Status> {
    for slice in jobs.chunks(SIGN_SLICE) {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        fill(&mut seed)?;
        let mut to_sign = reserved(slice.len())?;
        to_sign.extend(slice.iter().map(|(_, job)| *job));
        let mut signatures = filled(Signature::EMPTY, slice.len())?;
        workers.sign(&seed, &to_sign, &mut signatures)?;
        for ((number, _), signature) in slice.iter().zip(&signatures) {
            out.write(*number, signature)?;
        }
    }
    Ok(())
}

/// Signs many messages.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_sign_batch(
    jobs: *const falconsign_sign_job,
    count: usize,
    format: c_int,
    threads: *const falconsign_threads,
    signatures: *mut u8,
    stride: usize,
    signature_lens: *mut usize,
) -> c_int {
    guard(|| {
        let inputs = |job: &falconsign_sign_job| [(job.message, job.message_len)];
        // SAFETY: the header asks the caller for this.
        let (lens, jobs, workers) = unsafe {
            let lens = Output::or_none(signature_lens, count)?;
            fail_first(&lens, 0, jobs, count, inputs)?;
            (lens, values(jobs, count)?, Workers::new(threads)?)
        };
        let format = format_of(format)?;
        if jobs.is_empty() {
            return Ok(());
        }
        // SAFETY: the header asks the caller for this.
        let out = unsafe { SignaturesOutput::new(format, count, signatures, stride, lens) }?;
        out.signatures.apart_from(jobs)?;
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for (number, job) in jobs.iter().enumerate() {
            // SAFETY: the header asks the caller for this.
            let (key, message) =
                unsafe { (object(job.key)?, values(job.message, job.message_len)?) };
            match key.signing()? {
                Signing::Falcon512(key) => push(&mut small, number, SignJob::new(key, message))?,
                Signing::Expanded512(key) => push(&mut small, number, SignJob::new(key, message))?,
                Signing::Falcon1024(key) => push(&mut large, number, SignJob::new(key, message))?,
                Signing::Expanded1024(key) => push(&mut large, number, SignJob::new(key, message))?,
            }
        }
        out.check::<Falcon512>(&small, ParameterSet::Falcon512)?;
        out.check::<Falcon1024>(&large, ParameterSet::Falcon1024)?;
        sign(&workers, &small, &out)?;
        sign(&workers, &large, &out)
    })
}

/// Verifies many signatures.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verify_batch(
    jobs: *const falconsign_verify_job,
    count: usize,
    format: c_int,
    threads: *const falconsign_threads,
    verdicts: *mut u8,
) -> c_int {
    guard(|| {
        let verdicts = if count == 0 { dangling_mut() } else { verdicts };
        let inputs = |job: &falconsign_verify_job| {
            [
                (job.message, job.message_len),
                (job.signature, job.signature_len),
            ]
        };
        // SAFETY: the header asks the caller for this.
        let (out, jobs, workers) = unsafe {
            let out = Output::new(verdicts, count)?;
            fail_first(&out, Verdict::Malformed as u8, jobs, count, inputs)?;
            (out, values(jobs, count)?, Workers::new(threads)?)
        };
        let format = format_of(format)?;
        let mut rows = reserved(count)?;
        for job in jobs {
            // SAFETY: the header asks the caller for this.
            rows.push(unsafe { row_of(job) }?);
        }
        let mut worst = Verdict::Valid;
        for (slice, rows) in rows.chunks(VERIFY_SLICE).enumerate() {
            let mut found = filled(Verdict::Malformed, rows.len())?;
            workers.verify(format, rows, &mut found)?;
            for (row, &verdict) in found.iter().enumerate() {
                out.write(slice * VERIFY_SLICE + row, &[verdict as u8])?;
                if worst.is_valid() {
                    worst = verdict;
                }
            }
        }
        match worst {
            Verdict::Valid => Ok(()),
            _ => Err(Status::InvalidSignature),
        }
    })
}

/// Writes `failure` for each job, which stays if the batch fails. Refuses a place that overlaps the
/// jobs or one of their `inputs`, which may be unreadable: they are refused later.
///
/// # Safety
/// As for [`values`] with the jobs.
unsafe fn fail_first<J, T: Copy, const N: usize>(
    out: &Output<T>,
    failure: T,
    jobs: *const J,
    count: usize,
    inputs: impl Fn(&J) -> [(*const u8, usize); N],
) -> Result<(), Status> {
    out.apart_from_memory(jobs, count)?;
    // SAFETY: as for this function.
    let jobs = match unsafe { values(jobs, count) } {
        // Memory for so many jobs and their results cannot be had.
        Err(Status::Length) => return Err(Status::Length),
        jobs => jobs.unwrap_or_default(),
    };
    for (input, len) in jobs.iter().flat_map(inputs) {
        out.apart_from_memory(input, len)?;
    }
    (0..out.count()).try_for_each(|job| out.write(job, &[failure]))
}

/// Returns the row of a job.
///
/// # Safety
/// The pointers of the job are as the header asks.
unsafe fn row_of<'a>(job: &falconsign_verify_job) -> Result<Row<'a>, Status> {
    // SAFETY: as for this function.
    let (message, signature) = unsafe {
        (
            values(job.message, job.message_len)?,
            values(job.signature, job.signature_len)?,
        )
    };
    let key = if job.key.is_null() {
        None
    } else {
        // SAFETY: as for this function.
        let key: &falconsign_verifying_key = unsafe { object(job.key) }?;
        Some(RowKey::from(&*key.0))
    };
    Ok(Row::new(key, Some(message), Some(signature)))
}
