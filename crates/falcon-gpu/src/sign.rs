//! Signing a batch: chunks of it on lanes, attempts until every job is done.

use crate::chain;
use crate::context::Options;
use crate::device::{Device, Lane};
use crate::division::{Chunk, Jobs, chunks};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel, KeyMode, Operation, status};
use crate::keys::{ResidentKey, different, reals};
use crate::plan::{ATTEMPT_SEED, Plan, Way};
use crate::staging::{Each, put, stage, stage_messages};
use crate::state::State;
use crate::undo::{self, Undo};
use falcon_core::hash::{Shake256, Shake256Reader};
use falcon_core::hazmat::{self, RawRandomness};
use falcon_core::hedge::SEED_LEN;
use falcon_core::{Parameters, Signature, SigningKey};
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Attempts after which a device that says that a job is still not done is not
/// believed: no key needs more than a few.
const MOST_ATTEMPTS: u32 = 1000;

/// Jobs of a chunk for each processor: threads that it holds at once.
const JOBS_OF_PROCESSOR: usize = 512;

/// What is to be signed, and with what.
pub(crate) struct Work<'a, P: Parameters> {
    pub(crate) messages: Vec<&'a [u8]>,
    pub(crate) keys: Keys<'a, P>,
    pub(crate) randomness: Randomness<'a>,
}

/// The key of each job.
pub(crate) enum Keys<'a, P: Parameters> {
    /// They are kept on the device.
    Resident(Vec<ResidentKey<'a, P>>),
    /// They come with the batch.
    Own(Vec<&'a SigningKey<P>>),
}

/// Where nonces and the sampler's seeds come from.
pub(crate) enum Randomness<'a> {
    /// From a fresh seed, the secret and the point; job 0 has this number.
    Hedged(&'a [u8; SEED_LEN], u64),
    /// From the caller.
    Given(Vec<RawRandomness<'a>>),
}

impl<'a, P: Parameters> Keys<'a, P> {
    /// Keys that are kept on the device.
    pub(crate) fn resident<K: Into<ResidentKey<'a, P>>>(keys: impl Iterator<Item = K>) -> Self {
        Self::Resident(keys.map(Into::into).collect())
    }

    /// Whether two jobs have the same key, as far as addresses say.
    fn same(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Resident(keys) => keys[a].is(&keys[b]),
            Self::Own(keys) => std::ptr::eq(keys[a], keys[b]),
        }
    }
}

impl<P: Parameters> Jobs for Work<'_, P> {
    fn count(&self) -> usize {
        self.messages.len()
    }

    fn message(&self, job: usize) -> &[u8] {
        self.messages[job]
    }

    fn another(&self, job: usize) -> bool {
        !self.keys.same(job - 1, job)
    }
}

/// A chunk on its lane.
struct Flight<'w> {
    chunk: &'w Chunk,
    plan: Plan,
    batch: Batch,
    /// Which of the lists the next attempt appends to.
    redo: usize,
    /// Streams of seeds that are given, by job of the chunk.
    streams: Vec<Shake256Reader>,
    fetching: bool,
}

/// Signs all of `work`, whose key form is that of `way`, into `signatures`, of which some
/// are replaced, too, if it fails.
pub(crate) fn sign<P: Parameters>(
    device: &Arc<dyn Device>,
    state: &mut State,
    options: &Options,
    way: Way,
    work: &Work<'_, P>,
    signatures: &mut Undo<'_, Signature<P>>,
) -> Result<(), GpuError> {
    let most_keys = match &work.keys {
        Keys::Own(_) => usize::MAX,
        Keys::Resident(keys) => {
            let keys = different(keys);
            match state.reserve::<P>(way.mode, device, options, keys)? {
                room if room < keys => room,
                // All of them together, so those of any chunk.
                _ => usize::MAX,
            }
        }
    };
    let divide = |limits| chunks(work, limits, |size| way.need(size));
    let (chunks, lanes) = state.prepare(
        device,
        options,
        JOBS_OF_PROCESSOR,
        most_keys,
        divide,
        |chunk| {
            let plan = way.plan(chunk.size);
            (plan.len, plan.upload(&work.randomness), plan.download())
        },
    )?;

    let mut waiting = chunks.iter().peekable();
    let mut flights: Vec<Option<Flight<'_>>> = (0..lanes).map(|_| None).collect();
    loop {
        let mut idle = true;
        for number in 0..lanes {
            if let Some(flight) = &mut flights[number] {
                idle = false;
                let lane = &mut state.lanes[number];
                if flight.go_on(lane, way, work)? {
                    flight.deliver(lane, signatures)?;
                    flights[number] = None;
                }
            }
            if flights[number].is_none()
                && let Some(chunk) = waiting.peek()
            {
                // Where there is no room for its keys, those of others go when all
                // that is on its way has come.
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
                    cause: "there is no room for those of a chunk".to_owned(),
                }),
            };
        }
    }
}

/// Brings a chunk to its lane and starts the first attempt, unless there is no
/// room for its keys.
fn begin<'w, P: Parameters>(
    state: &mut State,
    number: usize,
    way: Way,
    work: &Work<'_, P>,
    chunk: &'w Chunk,
) -> Result<Option<Flight<'w>>, GpuError> {
    let plan = way.plan(chunk.size);
    let jobs = chunk.jobs.clone();
    let (keys, hashes, places) = match &work.keys {
        Keys::Resident(all) => {
            let Some(places) = state.bring(number, &all[jobs.clone()])? else {
                return Ok(None);
            };
            let (keys, hashes) = state.addresses::<P>();
            (keys, hashes, Some(places))
        }
        Keys::Own(_) => (0, state.lanes[number].address(plan.hashes.start), None),
    };
    // One key for all: the same address for all lanes.
    let shared = match &places {
        Some(places) => places.iter().all(|&place| place == 0),
        None => chunk.size.keys == 1,
    };

    let lane = &mut state.lanes[number];
    let out = lane.outgoing(plan.sent)?;
    // Whatever stage an earlier chunk has left.
    out[plan.status.clone()].fill(status::GIVEN);
    stage_messages(work, out, &chunk.blocks, &plan.messages, &plan.offsets)?;
    let arrays = [
        (&plan.key_of_job, Each::Job),
        (&plan.bases, Each::Key),
        (&plan.hashes, Each::Key),
        (&plan.nonces, Each::Job),
    ];
    stage(out, &chunk.blocks, arrays, |block, arrays| {
        let [key_of_job, bases, hashes, nonces] = arrays;
        match &places {
            Some(places) => {
                let places = &places[block.before.jobs..][..block.size.jobs];
                put(key_of_job, places.iter().map(|place| place.to_le_bytes()));
            }
            None => put(key_of_job, block.keys(work).map(u32::to_le_bytes)),
        }
        if let Keys::Own(all) = &work.keys {
            let firsts = || block.first_of_keys(work).map(|job| all[job]);
            for (out, key) in bases.chunks_exact_mut(4 * P::N).zip(firsts()) {
                ResidentKey::from(key).write_small(out);
            }
            put(hashes, firsts().map(|key| *hazmat::secret_hash(key)));
        }
        if let Randomness::Given(given) = &work.randomness {
            let given = given[block.jobs.clone()].iter();
            put(nonces, given.map(|given| *given.nonce));
        }
    })?;
    let mut streams = Vec::new();
    let (batch_seed, first) = match &work.randomness {
        Randomness::Hedged(seed, first) => {
            out[plan.seed.clone()].copy_from_slice(*seed);
            (
                lane.address(plan.seed.start),
                first.wrapping_add(jobs.start as u64),
            )
        }
        Randomness::Given(given) => {
            let given = given[jobs.clone()].iter();
            streams.extend(given.map(|given| Shake256::reader(given.seed)));
            (0, 0)
        }
    };
    lane.send(0..plan.sent)?;

    let address = |range: &Range<usize>| lane.address(range.start);
    let batch = Batch {
        messages: address(&plan.messages),
        message_offsets: address(&plan.offsets),
        list: 0,
        key_of_job: if shared { 0 } else { address(&plan.key_of_job) },
        batch_seed,
        secret_hashes: hashes,
        nonces: address(&plan.nonces),
        seeds: address(&plan.seeds),
        rows: address(&plan.rows),
        records: address(&plan.records),
        points: address(&plan.points),
        s2: address(&plan.s2),
        signatures: 0,
        signature_lengths: 0,
        status: address(&plan.status),
        redo: address(&plan.lists[0]),
        counts: address(&plan.counts),
        bases: if way.mode == KeyMode::Raw {
            address(&plan.bases)
        } else {
            0
        },
        keys,
        public_keys: 0,
        prepared: 0,
        scratch: address(&plan.scratch),
        key_stride: reals(way.mode, way.logn) as u64,
        first,
        count: chunk.size.jobs as u32,
        attempt: 0,
        prng_rows: plan.prng_rows,
        signature_stride: 0,
        signature_limit: way.signature_limit as u32,
        reserved: 0,
    };
    let mut flight = Flight {
        chunk,
        plan,
        batch,
        redo: 0,
        streams,
        fetching: false,
    };
    // SAFETY: all addresses are of this lane's memory or of the store of keys,
    // which does not change while a lane is at work.
    unsafe { lane.launch(way.kernel(Operation::Hash), &flight.batch) }?;
    let all: Vec<u32> = (0..flight.batch.count).collect();
    flight.attempt(lane, way, &all)?;
    Ok(Some(flight))
}

impl Flight<'_> {
    /// Starts an attempt for the slots of `batch`, which are these jobs.
    fn attempt(&mut self, lane: &mut Lane, way: Way, jobs: &[u32]) -> Result<(), GpuError> {
        let (plan, batch) = (&self.plan, &self.batch);
        if batch.batch_seed == 0 {
            // What the lane was sent before is not needed again from here.
            let range = plan.seeds.start..plan.seeds.start + jobs.len() * ATTEMPT_SEED;
            let out = lane.outgoing(range.end)?;
            for (out, &job) in out[range.clone()].chunks_exact_mut(ATTEMPT_SEED).zip(jobs) {
                if let Some(stream) = self.streams.get_mut(job as usize) {
                    let seed: Zeroizing<[u8; ATTEMPT_SEED]> = Zeroizing::new(stream.read_array());
                    out.copy_from_slice(&*seed);
                }
            }
            lane.send(range)?;
        }
        lane.zero(plan.counts.clone())?;
        // SAFETY: as in `begin`.
        unsafe {
            if batch.batch_seed != 0 {
                lane.launch(way.kernel(Operation::Seed), batch)?;
            }
            lane.launch(way.kernel(Operation::Prng), batch)?;
            lane.launch(way.kernel(Operation::Sign(plan.mode)), batch)?;
            lane.launch(way.kernel(Operation::Accept), batch)?;
        }
        lane.fetch(plan.counts.clone(), plan.nonces.len() + plan.s2.len())
    }

    /// Which kernel of this attempt has not done its part; statuses go to `place` of
    /// what is incoming.
    fn stopped(&self, lane: &mut Lane, way: Way, place: usize) -> Result<GpuError, GpuError> {
        let status = self.plan.status.clone();
        let len = status.len();
        lane.fetch(status, place)?;
        let told = lane.incoming()?.get(place..place + len).unwrap_or_default();
        let sign = Operation::Sign(self.plan.mode);
        let hedged = self.batch.batch_seed != 0;
        let operation = chain::stopped(told, sign, hedged, self.batch.attempt);
        Ok(chain::undone(way.kernel(operation)))
    }

    /// Waits for what was started, and starts what comes after it. True if the
    /// results are there.
    fn go_on<P: Parameters>(
        &mut self,
        lane: &mut Lane,
        way: Way,
        work: &Work<'_, P>,
    ) -> Result<bool, GpuError> {
        if self.fetching {
            lane.wait()?;
            return Ok(true);
        }
        let (nonces, s2) = (self.plan.nonces.clone(), self.plan.s2.clone());
        let place = nonces.len() + s2.len();
        let lists = place + self.plan.counts.len();
        let failed = |cause: &str| GpuError::Launch {
            kernel: way.kernel(Operation::Accept).name(),
            cause: cause.to_owned(),
        };
        let told = lane.incoming()?.get(place..lists).unwrap_or_default();
        let told: Vec<u32> = told
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(u32::from_le_bytes)
            .collect();
        let [count, done] = told[..] else {
            return Err(failed("it does not say what came of the jobs"));
        };
        // Nothing to try again is not yet everything done.
        if count.checked_add(done) != Some(self.batch.count) {
            return Err(self.stopped(lane, way, lists)?);
        }
        if count == 0 {
            let after = nonces.len();
            lane.fetch(nonces, 0)?;
            lane.fetch(s2, after)?;
            self.fetching = true;
            return Ok(false);
        }
        if self.batch.attempt == MOST_ATTEMPTS {
            return Err(failed("a job is never done"));
        }
        let list = &self.plan.lists[self.redo];
        let jobs = if matches!(work.randomness, Randomness::Given(..)) {
            // The next seeds go in the order of the list.
            let list = list.start..list.start + 4 * count as usize;
            lane.fetch(list.clone(), lists)?;
            let bytes = &lane.incoming()?[lists..][..list.len()];
            let words = bytes.as_chunks().0;
            words.iter().copied().map(u32::from_le_bytes).collect()
        } else {
            vec![0; count as usize]
        };
        if jobs
            .iter()
            .any(|&job| job as usize >= self.chunk.jobs.len())
        {
            return Err(failed("it lists jobs that there are not"));
        }
        self.batch.list = lane.address(list.start);
        self.redo = 1 - self.redo;
        self.batch.redo = lane.address(self.plan.lists[self.redo].start);
        self.batch.count = count;
        self.batch.attempt += 1;
        self.attempt(lane, way, &jobs)?;
        Ok(false)
    }

    /// Reads the results, which are those of its jobs.
    fn deliver<P: Parameters>(
        &self,
        lane: &mut Lane,
        signatures: &mut Undo<'_, Signature<P>>,
    ) -> Result<(), GpuError> {
        let wrong = || GpuError::Launch {
            kernel: Kernel {
                operation: Operation::Accept,
                logn: P::LOGN,
            }
            .name(),
            cause: "what it accepted is no signature".to_owned(),
        };
        let bytes = lane.incoming()?;
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
                    hazmat::signature_from_parts(nonce, &coefficients).ok_or_else(wrong)?;
            }
            Ok(())
        })
    }
}
