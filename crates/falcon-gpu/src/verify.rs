//! Verifying a batch: chunks of it on lanes.

use crate::chain;
use crate::context::Options;
use crate::device::{Device, Lane};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel, Operation, status};
use crate::layout::{Chunk, Layout, Size, chunks, put, put_messages};
use crate::state::State;
use falcon_core::batch::{VerifyBytesJob, VerifyJob};
use falcon_core::params::NONCE_LEN;
use falcon_core::{Parameters, SignatureError, VerifyingKey};
use std::ops::Range;
use std::sync::Arc;

/// What is to be verified.
pub(crate) enum Claims<'a, P: Parameters> {
    /// Signatures that were read.
    Decoded(&'a [VerifyJob<'a, P>]),
    /// Their bytes.
    Encoded(&'a [VerifyBytesJob<'a, P>]),
}

impl<'a, P: Parameters> Claims<'a, P> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Decoded(jobs) => jobs.len(),
            Self::Encoded(jobs) => jobs.len(),
        }
    }

    fn message(&self, job: usize) -> &'a [u8] {
        match self {
            Self::Decoded(jobs) => jobs[job].message,
            Self::Encoded(jobs) => jobs[job].message,
        }
    }

    fn key(&self, job: usize) -> &'a VerifyingKey<P> {
        match self {
            Self::Decoded(jobs) => jobs[job].key,
            Self::Encoded(jobs) => jobs[job].key,
        }
    }

    /// Whether the key of a job is another than that of the one before.
    fn another(&self, job: usize) -> bool {
        job > 0 && !std::ptr::eq(self.key(job - 1), self.key(job))
    }
}

/// Where the arrays of a chunk lie: first what is copied to the device.
struct Plan {
    stride: usize,
    messages: Range<usize>,
    offsets: Range<usize>,
    key_of_job: Range<usize>,
    public_keys: Range<usize>,
    signatures: Range<usize>,
    lengths: Range<usize>,
    /// Copied, or written on the device.
    nonces: Range<usize>,
    s2: Range<usize>,
    status: Range<usize>,
    points: Range<usize>,
    prepared: Range<usize>,
    len: usize,
}

impl Plan {
    fn new<P: Parameters>(size: Size) -> Self {
        let jobs = size.jobs;
        let stride = P::COMPRESSED_MAX_LEN.next_multiple_of(16);
        let mut layout = Layout::default();
        let messages = layout.take(size.bytes, 1);
        let offsets = layout.take(jobs + 1, 8);
        let key_of_job = layout.take(jobs, 4);
        let public_keys = layout.take(size.keys, 2 * P::N);
        let signatures = layout.take(jobs, stride);
        let lengths = layout.take(jobs, 4);
        let nonces = layout.take(jobs, NONCE_LEN);
        let s2 = layout.take(jobs, 2 * P::N);
        let status = layout.take(jobs, 1);
        let points = layout.take(jobs, 2 * P::N);
        let prepared = layout.take(size.keys, 2 * P::N);
        Self {
            stride,
            messages,
            offsets,
            key_of_job,
            public_keys,
            signatures,
            lengths,
            nonces,
            s2,
            status,
            points,
            prepared,
            len: layout.len(),
        }
    }

    /// The end of what is copied to the device.
    fn sent<P: Parameters>(&self, claims: &Claims<'_, P>) -> usize {
        match claims {
            Claims::Encoded(_) => self.lengths.end,
            Claims::Decoded(_) => self.status.end,
        }
    }
}

/// Bytes of the device that a chunk needs.
pub(crate) fn need<P: Parameters>(size: Size) -> usize {
    Plan::new::<P>(size).len
}

/// Says for every claim whether it holds.
pub(crate) fn verify<P: Parameters>(
    device: &Arc<dyn Device>,
    state: &mut State,
    options: &Options,
    claims: &Claims<'_, P>,
) -> Result<Vec<Result<(), SignatureError>>, GpuError> {
    let mut verdicts = vec![Err(SignatureError); claims.len()];
    let jobs = |job: usize| (claims.message(job).len(), claims.another(job));
    let divide = |limits| chunks((0..claims.len()).map(jobs), limits, need::<P>);
    let (chunks, lanes) = state.prepare(device, options, usize::MAX, divide, |chunk| {
        let plan = Plan::new::<P>(chunk.size);
        (plan.len, plan.sent(claims), plan.status.len())
    })?;

    // A chunk is begun where the one before it on this lane has been read.
    let lanes = lanes.max(1);
    let mut started: Vec<Option<&Chunk>> = vec![None; lanes];
    for (number, chunk) in chunks.iter().enumerate() {
        let number = number % lanes;
        if let Some(before) = started[number].replace(chunk) {
            deliver(&mut state.lanes[number], claims, before, &mut verdicts)?;
        }
        begin(&mut state.lanes[number], claims, chunk)?;
    }
    for (lane, chunk) in state.lanes.iter_mut().zip(started) {
        if let Some(chunk) = chunk {
            deliver(lane, claims, chunk, &mut verdicts)?;
        }
    }
    Ok(verdicts)
}

/// Brings a chunk to its lane and starts all that is to be done with it.
fn begin<P: Parameters>(
    lane: &mut Lane,
    claims: &Claims<'_, P>,
    chunk: &Chunk,
) -> Result<(), GpuError> {
    let plan = Plan::new::<P>(chunk.size);
    let jobs = chunk.jobs.clone();
    let out = lane.outgoing(plan.sent(claims))?;
    let messages = jobs.clone().map(|job| claims.message(job));
    put_messages(out, &plan.messages, &plan.offsets, messages);
    let mut place = 0u32;
    let places = jobs.clone().map(|job| {
        place += u32::from(job > jobs.start && claims.another(job));
        place.to_le_bytes()
    });
    put(&mut out[plan.key_of_job.clone()], places);
    let firsts = jobs
        .clone()
        .filter(|&job| job == jobs.start || claims.another(job));
    let keys = firsts.map(|job| claims.key(job).h());
    for (out, h) in out[plan.public_keys.clone()]
        .chunks_exact_mut(2 * P::N)
        .zip(keys)
    {
        put(out, h.iter().map(|h| h.to_le_bytes()));
    }
    match claims {
        Claims::Encoded(all) => {
            let places = out[plan.signatures.clone()].chunks_exact_mut(plan.stride);
            for (out, job) in places.zip(&all[jobs.clone()]) {
                let len = length::<P>(job.signature);
                out[..len].copy_from_slice(&job.signature[..len]);
                // What a longer one before it has left is not this one's.
                out[len..].fill(0);
            }
            let lengths = all[jobs].iter().map(|job| length::<P>(job.signature));
            put(
                &mut out[plan.lengths.clone()],
                lengths.map(|len| (len as u32).to_le_bytes()),
            );
            lane.send(0..plan.lengths.end)?;
            // Not read yet; nothing of an earlier chunk passes for it.
            lane.zero(plan.status.clone())?;
        }
        Claims::Decoded(all) => {
            let nonces = all[jobs.clone()].iter().map(|job| *job.signature.nonce());
            put(&mut out[plan.nonces.clone()], nonces);
            for (out, job) in out[plan.s2.clone()]
                .chunks_exact_mut(2 * P::N)
                .zip(&all[jobs])
            {
                let s2 = job.signature.s2();
                put(out, s2.iter().map(|s| s.to_le_bytes()));
            }
            out[plan.status.clone()].fill(status::GIVEN);
            lane.send(0..plan.public_keys.end)?;
            lane.send(plan.nonces.start..plan.status.end)?;
        }
    }

    // Keys of an earlier chunk are not these.
    lane.zero(plan.prepared.clone())?;

    let address = |range: &Range<usize>| lane.address(range.start);
    let batch = Batch {
        messages: address(&plan.messages),
        message_offsets: address(&plan.offsets),
        key_of_job: if chunk.size.keys > 1 {
            address(&plan.key_of_job)
        } else {
            0
        },
        nonces: address(&plan.nonces),
        points: address(&plan.points),
        s2: address(&plan.s2),
        signatures: address(&plan.signatures),
        signature_lengths: address(&plan.lengths),
        status: address(&plan.status),
        public_keys: address(&plan.public_keys),
        prepared: address(&plan.prepared),
        count: chunk.size.jobs as u32,
        signature_stride: plan.stride as u32,
        signature_limit: P::COMPRESSED_MAX_LEN as u32,
        ..Batch::default()
    };
    let kernel = |operation| Kernel {
        operation,
        logn: P::LOGN,
    };
    let keys = Batch {
        count: chunk.size.keys as u32,
        ..batch
    };
    // SAFETY: all addresses are of this lane's memory.
    unsafe {
        lane.launch(kernel(Operation::Prepare), &keys)?;
        if matches!(claims, Claims::Encoded(_)) {
            lane.launch(kernel(Operation::Unpack), &batch)?;
        }
        lane.launch(kernel(Operation::Hash), &batch)?;
        lane.launch(kernel(Operation::Verify), &batch)?;
    }
    lane.fetch(plan.status, 0)
}

/// Bytes that are looked at: what is longer than any signature is none, and
/// neither is nothing.
fn length<P: Parameters>(signature: &[u8]) -> usize {
    if signature.len() <= P::COMPRESSED_MAX_LEN {
        signature.len()
    } else {
        0
    }
}

/// Reads what came out.
fn deliver<P: Parameters>(
    lane: &mut Lane,
    claims: &Claims<'_, P>,
    chunk: &Chunk,
    verdicts: &mut [Result<(), SignatureError>],
) -> Result<(), GpuError> {
    let told = lane.incoming()?;
    for (verdict, told) in verdicts[chunk.jobs.clone()].iter_mut().zip(told) {
        let encoded = matches!(claims, Claims::Encoded(_));
        *verdict = chain::verdict(*told, encoded).map_err(|operation| {
            chain::undone(Kernel {
                operation,
                logn: P::LOGN,
            })
        })?;
    }
    Ok(())
}
