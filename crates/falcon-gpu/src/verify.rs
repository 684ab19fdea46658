//! Verifies a batch. Its chunks run on streams.

use crate::chain;
use crate::device::{ChunkStream, Device};
use crate::division::{Block, Chunk, Division, Jobs, Size, chunks};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel, Operation, logn_of, status};
use crate::layout::Layout;
use crate::options::Options;
use crate::staging::{Each, Messages, put, put_messages, stage};
use crate::state::State;
use falcon_core::batch::{Verdict, VerifyBytesJob, VerifyJob};
use falcon_core::{NONCE_LEN, Parameters, Signature, VerifyingKey};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator,
};
use std::ops::Range;
use std::sync::Arc;

/// Division of a batch that is verified. A warp verifies one signature. The largest chunk has
/// several times as many jobs as the processors run at once. The data of such a chunk are still in
/// the host's caches when they are copied to the device.
pub(crate) const DIVISION: Division = Division {
    least: 4096,
    chunks: 4,
    most_of_processor: 256,
};

/// Number of signatures whose lengths one thread reads at a time.
const MEASURED: usize = 1 << 14;
/// Number of signatures that one thread decodes at a time.
const DECODED: usize = 256;

/// Signatures to verify, with keys and messages.
pub(crate) enum Claims<'a, P: Parameters> {
    /// Decoded signatures.
    Decoded(&'a [VerifyJob<'a, P>]),
    /// Signatures as bytes, not decoded yet.
    Encoded(&'a [VerifyBytesJob<'a, P>]),
}

impl<'a, P: Parameters> Claims<'a, P> {
    fn key(&self, job: usize) -> &'a VerifyingKey<P> {
        match self {
            Self::Decoded(jobs) => jobs[job].key,
            Self::Encoded(jobs) => jobs[job].key,
        }
    }

    /// Returns the distance in bytes between the beginnings of encoded signatures. It is the length
    /// of the longest signature that can be valid, rounded up to a multiple of 16.
    fn stride(&self) -> usize {
        let longest = match self {
            Self::Decoded(_) => None,
            Self::Encoded(jobs) => jobs
                .par_iter()
                .with_min_len(MEASURED)
                .map(|job| length::<P>(job.signature))
                .max(),
        };
        longest.unwrap_or(0).max(1).next_multiple_of(16)
    }
}

impl<P: Parameters> Jobs for Claims<'_, P> {
    fn count(&self) -> usize {
        match self {
            Self::Decoded(jobs) => jobs.len(),
            Self::Encoded(jobs) => jobs.len(),
        }
    }

    fn message(&self, job: usize) -> &[u8] {
        match self {
            Self::Decoded(jobs) => jobs[job].message,
            Self::Encoded(jobs) => jobs[job].message,
        }
    }

    fn another(&self, job: usize) -> bool {
        !std::ptr::eq(self.key(job - 1), self.key(job))
    }
}

/// Places of the arrays of a chunk. The arrays that are copied to the device come first.
struct Plan {
    stride: usize,
    messages: Range<usize>,
    offsets: Range<usize>,
    key_of_job: Range<usize>,
    public_keys: Range<usize>,
    signatures: Range<usize>,
    lengths: Range<usize>,
    /// Nonces. They are copied to the device, or a kernel writes them there.
    nonces: Range<usize>,
    s2: Range<usize>,
    status: Range<usize>,
    points: Range<usize>,
    prepared: Range<usize>,
    len: usize,
}

impl Plan {
    fn new<P: Parameters>(size: Size, stride: usize) -> Self {
        let jobs = size.jobs;
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

    /// End of the data that is copied to the device.
    fn sent<P: Parameters>(&self, claims: &Claims<'_, P>) -> usize {
        match claims {
            Claims::Encoded(_) => self.lengths.end,
            Claims::Decoded(_) => self.status.end,
        }
    }
}

/// Upper bound on the bytes of device memory that a chunk needs.
pub(crate) fn need<P: Parameters>(size: Size) -> usize {
    Plan::new::<P>(size, P::COMPRESSED_MAX_LEN.next_multiple_of(16)).len
}

/// Verifies every claim.
pub(crate) fn verify<P: Parameters>(
    device: &Arc<dyn Device>,
    state: &mut State,
    options: &Options,
    claims: &Claims<'_, P>,
) -> Result<Vec<Verdict>, GpuError> {
    let mut verdicts = vec![Verdict::Invalid; claims.count()];
    let stride = claims.stride();
    let plan = |size| Plan::new::<P>(size, stride);
    let divide = |limits| chunks(claims, limits, |size| plan(size).len);
    let (chunks, streams) = state.prepare(
        device,
        options,
        DIVISION.jobs(claims.count(), device.processors()),
        usize::MAX,
        divide,
        |chunk| {
            let plan = plan(chunk.size);
            (plan.len, plan.sent(claims), plan.status.len())
        },
    )?;

    // Before a chunk is begun, the verdicts of the earlier chunk on the same stream are read.
    let streams = streams.max(1);
    let mut started: Vec<Option<&Chunk>> = vec![None; streams];
    for (number, chunk) in chunks.iter().enumerate() {
        let number = number % streams;
        if let Some(before) = started[number].replace(chunk) {
            deliver(&mut state.streams[number], claims, before, &mut verdicts)?;
        }
        begin(&mut state.streams[number], claims, chunk, plan(chunk.size))?;
    }
    // The stream that began first is read first.
    let oldest = chunks.len() % streams;
    let (later, first) = state
        .streams
        .get_mut(..streams)
        .unwrap_or_default()
        .split_at_mut(oldest);
    let (started_later, started_first) = started.split_at(oldest);
    let in_order = started_first.iter().chain(started_later);
    for (stream, chunk) in first.iter_mut().chain(later).zip(in_order) {
        if let Some(chunk) = chunk {
            deliver(stream, claims, chunk, &mut verdicts)?;
            stream.retire()?;
        }
    }
    Ok(verdicts)
}

/// Finds the malformed signatures among the invalid ones. A kernel can decode an `s2` that exceeds
/// the norm bound by itself, which the CPU's decoder refuses as malformed.
pub(crate) fn tell_malformed<P: Parameters>(claims: &Claims<'_, P>, verdicts: &mut [Verdict]) {
    let Claims::Encoded(jobs) = claims else {
        return;
    };
    let refused = verdicts.par_iter_mut().zip(*jobs).with_min_len(DECODED);
    let refused = refused.filter(|(verdict, _)| **verdict == Verdict::Invalid);
    refused.for_each(|(verdict, job)| {
        if Signature::<P>::try_from(job.signature).is_err() {
            *verdict = Verdict::Malformed;
        }
    });
}

/// Stages a chunk and starts to copy it to the device.
fn bring<P: Parameters>(
    stream: &mut ChunkStream,
    claims: &Claims<'_, P>,
    chunk: &Chunk,
    plan: &Plan,
) -> Result<(), GpuError> {
    let out = stream.outgoing(plan.sent(claims))?;
    let messages = Messages::begin(out, &plan.messages, &plan.offsets);
    let arrays = [
        messages.bytes(),
        messages.ends(),
        (&plan.key_of_job, Each::Job),
        (&plan.public_keys, Each::Key),
    ];
    let write = |block: &Block, arrays: [&mut [u8]; 4]| {
        let [bytes, ends, key_of_job, public_keys] = arrays;
        put_messages(claims, block, bytes, ends);
        put(key_of_job, block.keys(claims).map(u32::to_le_bytes));
        let places = public_keys.chunks_exact_mut(2 * P::N);
        for (out, job) in places.zip(block.first_of_keys(claims)) {
            let values = claims.key(job).ntt_of_h();
            put(out, values.as_ref().iter().map(|value| value.to_le_bytes()));
        }
    };
    let [bytes, ends, key_of_job, public_keys] = arrays;
    match claims {
        Claims::Encoded(all) => {
            let signatures = (&plan.signatures, Each::Job);
            let lengths = (&plan.lengths, Each::Job);
            let arrays = [bytes, ends, key_of_job, public_keys, signatures, lengths];
            stage(out, &chunk.blocks, arrays, |block, arrays| {
                let [bytes, ends, key_of_job, public_keys, signatures, lengths] = arrays;
                write(block, [bytes, ends, key_of_job, public_keys]);
                let signatures = signatures.chunks_exact_mut(plan.stride);
                let places = signatures.zip(lengths.as_chunks_mut().0);
                for ((out, length_of), job) in places.zip(&all[block.jobs.clone()]) {
                    let len = length::<P>(job.signature);
                    *length_of = (len as u32).to_le_bytes();
                    out[..len].copy_from_slice(&job.signature[..len]);
                    // The kernel does not read the bytes after the signature.
                }
            })?;
            stream.send(0..plan.lengths.end)?;
            // The signatures are not decoded yet. The statuses are zeroed, so that no status of an
            // earlier chunk is mistaken for a new one.
            stream.zero(plan.status.clone())?;
        }
        Claims::Decoded(all) => {
            let (nonces, s2) = ((&plan.nonces, Each::Job), (&plan.s2, Each::Job));
            let status = (&plan.status, Each::Job);
            let arrays = [bytes, ends, key_of_job, public_keys, nonces, s2, status];
            stage(out, &chunk.blocks, arrays, |block, arrays| {
                let [bytes, ends, key_of_job, public_keys, nonces, s2, status] = arrays;
                write(block, [bytes, ends, key_of_job, public_keys]);
                let all = &all[block.jobs.clone()];
                put(nonces, all.iter().map(|job| *job.signature.nonce()));
                for (out, job) in s2.chunks_exact_mut(2 * P::N).zip(all) {
                    put(out, job.signature.s2().iter().map(|s| s.to_le_bytes()));
                }
                status.fill(status::GIVEN);
            })?;
            stream.send(0..plan.public_keys.end)?;
            stream.send(plan.nonces.start..plan.status.end)?;
        }
    }
    Ok(())
}

/// Starts all work on a chunk: the copies to the device, the kernels, and the copy of the statuses
/// to the host.
fn begin<P: Parameters>(
    stream: &mut ChunkStream,
    claims: &Claims<'_, P>,
    chunk: &Chunk,
    plan: Plan,
) -> Result<(), GpuError> {
    bring(stream, claims, chunk, &plan)?;
    // The memory is zeroed, so that the values of an earlier chunk's keys are not used.
    stream.zero(plan.prepared.clone())?;

    let address = |range: &Range<usize>| stream.address(range.start);
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
        ..Batch::default()
    };
    let kernel = |operation| Kernel {
        operation,
        logn: logn_of::<P>(),
    };
    let keys = Batch {
        count: chunk.size.keys as u32,
        ..batch
    };
    // SAFETY: all addresses are in this stream's memory.
    unsafe {
        stream.launch(kernel(Operation::Prepare), &keys)?;
        if matches!(claims, Claims::Encoded(_)) {
            stream.launch(kernel(Operation::Unpack), &batch)?;
        }
        stream.launch(kernel(Operation::Hash), &batch)?;
        stream.launch(kernel(Operation::Verify), &batch)?;
    }
    stream.fetch(plan.status, 0)
}

/// Returns the number of bytes to decode. If the signature is longer than any valid one, the number
/// is 0, since the kernel refuses an empty signature.
fn length<P: Parameters>(signature: &[u8]) -> usize {
    if signature.len() <= P::COMPRESSED_MAX_LEN {
        signature.len()
    } else {
        0
    }
}

/// Reads the verdicts.
fn deliver<P: Parameters>(
    stream: &mut ChunkStream,
    claims: &Claims<'_, P>,
    chunk: &Chunk,
    verdicts: &mut [Verdict],
) -> Result<(), GpuError> {
    let told = stream.incoming()?;
    let encoded = matches!(claims, Claims::Encoded(_));
    for (verdict, told) in verdicts[chunk.jobs.clone()].iter_mut().zip(told) {
        *verdict = chain::verdict(*told, encoded).map_err(|operation| {
            chain::undone(Kernel {
                operation,
                logn: logn_of::<P>(),
            })
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_core::{Falcon512, Falcon1024};

    #[test]
    fn what_may_be_a_signature_is_looked_at() {
        fn check<P: Parameters>() {
            let most = P::COMPRESSED_MAX_LEN;
            for (len, looked_at) in [(0, 0), (1, 1), (most, most), (most + 1, 0)] {
                assert_eq!(length::<P>(&vec![0; len]), looked_at);
            }
        }
        check::<Falcon512>();
        check::<Falcon1024>();
    }
}
