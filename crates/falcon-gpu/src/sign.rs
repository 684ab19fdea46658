//! Signs a batch. Its chunks run on streams, and attempts repeat until every job is done.

use crate::chain;
use crate::device::{ChunkStream, Device};
use crate::division::{Chunk, Division, Jobs, chunks, firsts_of_keys};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel, Operation, status};
use crate::keys::{HASH_LEN, ResidentKey, different, reals};
use crate::options::Options;
use crate::plan::{ATTEMPT_SEED, Plan, Way};
use crate::staging::{Each, Messages, put, put_messages, stage};
use crate::state::State;
use crate::undo::{self, Undo};
use falcon_core::batch::SignJob;
use falcon_core::hazmat::{self, RawJob};
use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_core::{Parameters, SEED_LEN, Signature, VerifyingKey};
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// If a job is not done after this number of repeated attempts, the device counts as faulty. The
/// CPU gives up after 256 attempts. The probability of 256 refusals by chance is below `2^-256`.
const MOST_ATTEMPTS: u32 = 1000;

/// Division of a batch that is signed. A multiprocessor of an H100 signs 48 jobs at once, so a
/// chunk of the largest size keeps it busy for more than twice the time of one job. A job of
/// Falcon-512 with an expanded key takes 40 KiB of device memory.
pub(crate) const DIVISION: Division = Division {
    least: 4096,
    chunks: 8,
    most_of_processor: 128,
};

/// The jobs of a batch, and the source of their nonces and sampler seeds.
pub(crate) enum Work<'a, P: Parameters> {
    /// Derives the randomness from a fresh seed, the secret, the number of the job and the hashed
    /// point.
    Hedged {
        seed: &'a [u8; SEED_LEN],
        /// The number of the first job.
        first: u64,
        jobs: &'a [SignJob<'a, P>],
    },
    /// Uses the randomness that the caller gives.
    Given(&'a [RawJob<'a, P>]),
}

impl<'a, P: Parameters> Work<'a, P> {
    /// The key of a job.
    fn key(&self, job: usize) -> ResidentKey<'a, P> {
        ResidentKey(match self {
            Self::Hedged { jobs, .. } => jobs[job].key,
            Self::Given(jobs) => jobs[job].key,
        })
    }

    /// The public key of a job.
    pub(crate) fn verifying_key(&self, job: usize) -> &'a VerifyingKey<P> {
        self.key(job).0.verifying_key()
    }

    /// True if the caller gives the randomness.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self, Self::Given(_))
    }

    /// The hash of the secret of a job's key.
    fn hash(&self, job: usize) -> [u8; HASH_LEN] {
        *self.key(job).hash()
    }
}

impl<P: Parameters> Jobs for Work<'_, P> {
    fn count(&self) -> usize {
        match self {
            Self::Hedged { jobs, .. } => jobs.len(),
            Self::Given(jobs) => jobs.len(),
        }
    }

    fn message(&self, job: usize) -> &[u8] {
        match self {
            Self::Hedged { jobs, .. } => jobs[job].message,
            Self::Given(jobs) => jobs[job].message,
        }
    }

    fn another(&self, job: usize) -> bool {
        !self.key(job - 1).is(&self.key(job))
    }
}

/// A chunk on its stream.
struct Flight<'w> {
    chunk: &'w Chunk,
    plan: Plan,
    batch: Batch,
    /// Index of the list to which the current attempt appends jobs that must be tried again.
    redo: usize,
    /// Streams from which the given seeds are read, one for each job of the chunk.
    seed_streams: Vec<Shake256Reader>,
}

/// Signs all of `work` into `signatures`. If this fails, some signatures may have been replaced.
pub(crate) fn sign<P: Parameters>(
    device: &Arc<dyn Device>,
    state: &mut State,
    options: &Options,
    way: Way,
    work: &Work<'_, P>,
    signatures: &mut Undo<'_, Signature<P>>,
) -> Result<(), GpuError> {
    let most_keys = if way.mode.keeps_keys() {
        let keys = different(&keys_of(work, 0..work.count()));
        match state.reserve::<P>(device, options, keys)? {
            capacity if capacity < keys => capacity,
            // The keys of the whole batch fit together, so the keys of each chunk also fit.
            _ => usize::MAX,
        }
    } else {
        usize::MAX
    };
    let divide = |limits| chunks(work, limits, |size| way.need(size));
    let (chunks, streams) = state.prepare(
        device,
        options,
        DIVISION.jobs(work.count(), device.processors()),
        most_keys,
        divide,
        |chunk| {
            let plan = way.plan(chunk.size);
            (plan.len, plan.upload(work.is_given()), plan.download())
        },
    )?;

    let mut waiting = chunks.iter().peekable();
    let mut flights: Vec<Option<Flight<'_>>> = (0..streams).map(|_| None).collect();
    loop {
        let mut idle = true;
        for number in 0..streams {
            if let Some(flight) = &mut flights[number] {
                idle = false;
                let stream = &mut state.streams[number];
                if flight.go_on(stream, way, work)? {
                    flight.deliver(stream, signatures)?;
                    flights[number] = None;
                    if waiting.peek().is_none() {
                        stream.retire()?;
                    }
                }
            }
            if flights[number].is_none()
                && let Some(&chunk) = waiting.peek()
            {
                // If the keys of the chunk do not fit, they replace other keys after all started
                // chunks have been read.
                let mut begun = begin(state, number, way, work, chunk)?;
                if begun.is_none() && flights.iter().all(Option::is_none) {
                    state.replace_keys::<P>()?;
                    begun = begin(state, number, way, work, chunk)?;
                }
                idle &= begun.is_none();
                if begun.is_some() {
                    flights[number] = begun;
                    waiting.next();
                }
            }
        }
        if idle {
            return match waiting.next() {
                None => Ok(()),
                Some(_) => Err(GpuError::Driver {
                    doing: "bring keys",
                    cause: "the memory cannot hold those of a chunk".to_owned(),
                }),
            };
        }
    }
}

/// Returns the keys of these jobs. Neighbouring jobs with the same key count once.
fn keys_of<'a, P: Parameters>(work: &Work<'a, P>, jobs: Range<usize>) -> Vec<ResidentKey<'a, P>> {
    let firsts = firsts_of_keys(work, jobs).into_iter();
    firsts.map(|job| work.key(job)).collect()
}

/// The keys of a chunk on the device.
struct Placed {
    /// Addresses of the keys, and of the hashes of their secrets.
    keys: u64,
    hashes: u64,
    /// Places of the resident keys, in the order of the chunk.
    places: Option<Vec<u32>>,
    /// True if all jobs use the key at place 0, so that kernels need no key numbers.
    shared: bool,
}

/// Brings the resident keys of a chunk to the device. Returns `None` if they do not fit.
fn place<P: Parameters>(
    state: &mut State,
    number: usize,
    way: Way,
    work: &Work<'_, P>,
    chunk: &Chunk,
    plan: &Plan,
) -> Result<Option<Placed>, GpuError> {
    if !way.mode.keeps_keys() {
        return Ok(Some(Placed {
            keys: 0,
            hashes: state.streams[number].address(plan.hashes.start),
            places: None,
            shared: chunk.size.keys == 1,
        }));
    }
    let keys = match chunk.size.keys {
        1 => vec![work.key(chunk.jobs.start)],
        _ => keys_of(work, chunk.jobs.clone()),
    };
    let Some(places) = state.bring(number, &keys)? else {
        return Ok(None);
    };
    let (keys, hashes) = state.addresses::<P>();
    Ok(Some(Placed {
        keys,
        hashes,
        shared: places.iter().all(|&place| place == 0),
        places: Some(places),
    }))
}

/// Writes the jobs of a chunk to the places that the plan assigns.
fn write_jobs<P: Parameters>(
    out: &mut [u8],
    plan: &Plan,
    work: &Work<'_, P>,
    chunk: &Chunk,
    placed: &Placed,
) -> Result<(), GpuError> {
    let messages = Messages::begin(out, &plan.messages, &plan.offsets);
    let arrays = [
        messages.bytes(),
        messages.ends(),
        (&plan.status, Each::Job),
        (&plan.key_of_job, Each::Job),
        (&plan.bases, Each::Key),
        (&plan.hashes, Each::Key),
        (&plan.nonces, Each::Job),
    ];
    stage(out, &chunk.blocks, arrays, |block, arrays| {
        let [bytes, ends, status, key_of_job, bases, hashes, nonces] = arrays;
        put_messages(work, block, bytes, ends);
        // Overwrites the statuses of an earlier chunk.
        status.fill(status::GIVEN);
        let numbers = block.keys(work);
        match &placed.places {
            _ if placed.shared => {}
            Some(places) => {
                let places = numbers.map(|key| places.get(key as usize).copied());
                put(
                    key_of_job,
                    places.map(|place| place.unwrap_or(u32::MAX).to_le_bytes()),
                );
            }
            None => put(key_of_job, numbers.map(u32::to_le_bytes)),
        }
        if placed.places.is_none() {
            for (out, job) in bases
                .chunks_exact_mut(4 * P::N)
                .zip(block.first_of_keys(work))
            {
                work.key(job).write_small(out);
            }
            put(hashes, block.first_of_keys(work).map(|job| work.hash(job)));
        }
        if let Work::Given(given) = work {
            let given = given[block.jobs.clone()].iter();
            put(nonces, given.map(|given| *given.randomness.nonce));
        }
    })
}

/// Stages a chunk, sends it to the device and starts the first attempt. Returns `None` if the
/// chunk's keys do not fit.
fn begin<'w, P: Parameters>(
    state: &mut State,
    number: usize,
    way: Way,
    work: &Work<'_, P>,
    chunk: &'w Chunk,
) -> Result<Option<Flight<'w>>, GpuError> {
    let plan = way.plan(chunk.size);
    let Some(placed) = place(state, number, way, work, chunk, &plan)? else {
        return Ok(None);
    };
    let stream = &mut state.streams[number];
    let out = stream.outgoing(plan.sent)?;
    write_jobs(out, &plan, work, chunk, &placed)?;
    let mut seed_streams = Vec::new();
    let (batch_seed, first) = match work {
        Work::Hedged { seed, first, .. } => {
            out[plan.seed.clone()].copy_from_slice(*seed);
            (
                stream.address(plan.seed.start),
                first.wrapping_add(chunk.jobs.start as u64),
            )
        }
        Work::Given(given) => {
            let given = given[chunk.jobs.clone()].iter();
            seed_streams.extend(given.map(|given| Shake256::reader(given.randomness.seed)));
            (0, 0)
        }
    };
    stream.send(0..plan.sent)?;

    let address = |range: &Range<usize>| stream.address(range.start);
    let batch = Batch {
        messages: address(&plan.messages),
        message_offsets: address(&plan.offsets),
        key_of_job: if placed.shared {
            0
        } else {
            address(&plan.key_of_job)
        },
        batch_seed,
        secret_hashes: placed.hashes,
        nonces: address(&plan.nonces),
        seeds: address(&plan.seeds),
        rows: address(&plan.rows),
        records: address(&plan.records),
        points: address(&plan.points),
        s2: address(&plan.s2),
        status: address(&plan.status),
        redo: address(&plan.lists[0]),
        counts: address(&plan.counts),
        bases: match placed.places {
            Some(_) => 0,
            None => address(&plan.bases),
        },
        keys: placed.keys,
        scratch: address(&plan.scratch),
        key_stride: reals(way.mode, way.logn) as u64,
        first,
        count: chunk.size.jobs as u32,
        prng_rows: plan.prng_rows,
        signature_limit: way.signature_limit as u32,
        ..Batch::default()
    };
    let mut flight = Flight {
        chunk,
        plan,
        batch,
        redo: 0,
        seed_streams,
    };
    // SAFETY: all addresses are in this stream's memory or in the store of keys. The store does not
    // change while a stream is at work.
    unsafe { stream.launch(way.kernel(Operation::Hash), &flight.batch) }?;
    let all = 0..flight.batch.count;
    flight.attempt(stream, way, all)?;
    Ok(Some(flight))
}

impl Flight<'_> {
    /// Starts an attempt for the slots of `batch`. `jobs` contains the job of each slot, and is
    /// used only if the caller gives the randomness. Fetches the results of the whole chunk, since
    /// nearly all jobs have a result after any attempt.
    fn attempt(
        &mut self,
        stream: &mut ChunkStream,
        way: Way,
        jobs: impl ExactSizeIterator<Item = u32>,
    ) -> Result<(), GpuError> {
        let (plan, batch) = (&self.plan, &self.batch);
        if batch.batch_seed == 0 {
            // `outgoing` waits for the earlier uploads, so their memory may be overwritten.
            let range = plan.seeds.start..plan.seeds.start + jobs.len() * ATTEMPT_SEED;
            let out = stream.outgoing(range.end)?;
            for (out, job) in out[range.clone()].chunks_exact_mut(ATTEMPT_SEED).zip(jobs) {
                if let Some(seed_stream) = self.seed_streams.get_mut(job as usize) {
                    let seed: Zeroizing<[u8; ATTEMPT_SEED]> =
                        Zeroizing::new(seed_stream.read_array());
                    out.copy_from_slice(&*seed);
                }
            }
            stream.send(range)?;
        }
        stream.zero(plan.counts.clone())?;
        // SAFETY: all addresses are in this stream's memory or in the store of keys, as in `begin`.
        unsafe {
            if batch.batch_seed != 0 {
                stream.launch(way.kernel(Operation::Seed), batch)?;
            }
            stream.launch(way.kernel(Operation::Prng), batch)?;
            stream.launch(way.kernel(Operation::Sign(plan.mode)), batch)?;
            stream.launch(way.kernel(Operation::Accept), batch)?;
        }
        let (nonces, s2) = (plan.nonces.clone(), plan.s2.clone());
        let (after, end) = (nonces.len(), nonces.len() + s2.len());
        stream.fetch(nonces, 0)?;
        stream.fetch(s2, after)?;
        stream.fetch(plan.counts.clone(), end)
    }

    /// Returns an error that names the kernel that stopped this attempt. Copies the statuses to
    /// `place` of the incoming memory.
    fn stopped(
        &self,
        stream: &mut ChunkStream,
        way: Way,
        place: usize,
    ) -> Result<GpuError, GpuError> {
        let status = self.plan.status.clone();
        let len = status.len();
        stream.fetch(status, place)?;
        let told = stream
            .incoming()?
            .get(place..place + len)
            .unwrap_or_default();
        let sign = Operation::Sign(self.plan.mode);
        let hedged = self.batch.batch_seed != 0;
        let operation = chain::stopped(told, sign, hedged, self.batch.attempt);
        Ok(chain::undone(way.kernel(operation)))
    }

    /// Waits for the attempt, and starts the next one if jobs are left. Returns true if all results
    /// have been fetched.
    fn go_on<P: Parameters>(
        &mut self,
        stream: &mut ChunkStream,
        way: Way,
        work: &Work<'_, P>,
    ) -> Result<bool, GpuError> {
        let place = self.plan.nonces.len() + self.plan.s2.len();
        let lists = place + self.plan.counts.len();
        let failed = |cause: &str| GpuError::Launch {
            kernel: way.kernel(Operation::Accept).name(),
            cause: cause.to_owned(),
        };
        let told = stream.incoming()?.get(place..lists).unwrap_or_default();
        let told: Vec<u32> = told
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(u32::from_le_bytes)
            .collect();
        let [count, done] = told[..] else {
            return Err(failed("the job counts are missing"));
        };
        // An empty list does not prove that all jobs are done, so both counts are checked.
        if count.checked_add(done) != Some(self.batch.count) {
            return Err(self.stopped(stream, way, lists)?);
        }
        if count == 0 {
            return Ok(true);
        }
        if self.batch.attempt == MOST_ATTEMPTS {
            return Err(failed("a job is never done"));
        }
        let list = &self.plan.lists[self.redo];
        let jobs = if matches!(work, Work::Given(_)) {
            // The next seeds are sent in the order of the list.
            let list = list.start..list.start + 4 * count as usize;
            stream.fetch(list.clone(), lists)?;
            let bytes = &stream.incoming()?[lists..][..list.len()];
            let words = bytes.as_chunks().0;
            words.iter().copied().map(u32::from_le_bytes).collect()
        } else {
            vec![0; count as usize]
        };
        if jobs
            .iter()
            .any(|&job| job as usize >= self.chunk.jobs.len())
        {
            return Err(failed("the retry list contains an invalid job index"));
        }
        self.batch.list = stream.address(list.start);
        self.redo = 1 - self.redo;
        self.batch.redo = stream.address(self.plan.lists[self.redo].start);
        self.batch.count = count;
        self.batch.attempt += 1;
        self.attempt(stream, way, jobs.into_iter())?;
        Ok(false)
    }

    /// Writes the results of the chunk's jobs to `signatures`.
    fn deliver<P: Parameters>(
        &self,
        stream: &mut ChunkStream,
        signatures: &mut Undo<'_, Signature<P>>,
    ) -> Result<(), GpuError> {
        let wrong = || GpuError::Launch {
            kernel: Kernel {
                operation: Operation::Accept,
                logn: P::LOGN,
            }
            .name(),
            cause: "an accepted vector is not a valid signature".to_owned(),
        };
        let bytes = stream.incoming()?;
        let (nonces, s2) = bytes.split_at(self.plan.nonces.len());
        signatures.replace(self.chunk.jobs.clone(), |block, signatures| {
            let first = block * undo::BLOCK;
            let nonces = &nonces.as_chunks().0[first..];
            let s2 = s2[first * 2 * P::N..].chunks_exact(2 * P::N);
            let mut coefficients = vec![0i16; P::N];
            for (signature, (nonce, s2)) in signatures.iter_mut().zip(nonces.iter().zip(s2)) {
                for (coefficient, bytes) in coefficients.iter_mut().zip(s2.as_chunks().0) {
                    *coefficient = i16::from_le_bytes(*bytes);
                }
                *signature =
                    hazmat::signature_from_nonce_and_s2(nonce, &coefficients).ok_or_else(wrong)?;
            }
            Ok(())
        })
    }
}
