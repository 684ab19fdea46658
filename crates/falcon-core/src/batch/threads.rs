//! Batches on several cores.

use super::{BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob};
use crate::engine::Engine;
use crate::error::SignatureError;
use crate::hedge::SEED_LEN;
use crate::params::Parameters;
use crate::signatures::Signature;
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::{fmt, iter};

/// Threads that share the work of batches. Needs the feature `threads`.
///
/// ```
/// use falcon_core::batch::{BatchSign, SignJob};
/// use falcon_core::{Engine, Falcon512, Signature, SigningKey, Threads};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let fresh_seed = [1; 32];
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?.expand();
/// let jobs = [SignJob::new(&key, b"one"); 100];
/// let mut signatures = [Signature::EMPTY; 100];
/// let threads = Threads::for_all_cores();
/// Engine::best().on(&threads).sign_batch(&fresh_seed, &jobs, &mut signatures)?;
/// # let mut alone = [Signature::EMPTY; 100];
/// # Engine::best().sign_batch(&fresh_seed, &jobs, &mut alone)?;
/// # assert!(alone == signatures);
/// # Ok(())
/// # }
/// ```
pub struct Threads {
    /// Pool of threads. If there is none, the calling thread does all work.
    pool: Option<ThreadPool>,
}

impl Threads {
    /// Starts `count` threads. If the system refuses, tries half that number, and so on.
    /// If no two threads can be started, or `count` is 1, the calling thread does the work.
    ///
    /// At most 256 threads are started, or one for each core that this process may use, whichever
    /// is more. Thousands of threads would only wait for each other.
    pub fn new(count: NonZeroUsize) -> Self {
        Self::started(count.get().min(MOST.max(cores().get())), |count| {
            ThreadPoolBuilder::new().num_threads(count).build().ok()
        })
    }

    /// Returns the largest pool that `start` can start: `count` threads, half as many, and so on.
    fn started(count: usize, start: impl FnMut(usize) -> Option<ThreadPool>) -> Self {
        let counts = iter::successors(Some(count), |count| Some(count / 2));
        let pool = counts.take_while(|&count| count > 1).find_map(start);
        Self { pool }
    }

    /// Starts a thread for each core that this process may use.
    pub fn for_all_cores() -> Self {
        Self::new(cores())
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, ThreadPool::current_num_threads)
    }

    /// Returns the pool of threads, for other work, or `None` if there is only the calling thread.
    pub fn pool(&self) -> Option<&ThreadPool> {
        self.pool.as_ref()
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Threads").field(&self.count()).finish()
    }
}

/// Largest number of threads that are started, unless this process may use more cores.
const MOST: usize = 256;

/// Returns the number of cores that this process may use.
fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Number of jobs in a part, for batches of medium size. With this number, starting a part costs
/// little time, and few lanes are idle at its end.
const PART_JOBS: usize = 128;

/// Number of parts for each thread, in a large batch. If one thread is slow, the others take over
/// its parts.
const PARTS_PER_THREAD: usize = 4;

/// An engine that shares batches among several threads. Create it with [`Engine::on`]. [`Threads`]
/// has an example.
#[derive(Clone, Copy, Debug)]
pub struct OnThreads<'t> {
    engine: Engine,
    threads: &'t Threads,
}

impl Engine {
    /// Shares batches of this engine among `threads`.
    pub fn on(self, threads: &Threads) -> OnThreads<'_> {
        OnThreads {
            engine: self,
            threads,
        }
    }
}

impl<'t> OnThreads<'t> {
    /// Returns the threads and the number of jobs of a part, or `None` if one thread does all work.
    fn parts(&self, jobs: usize, output: usize) -> Option<(&'t ThreadPool, usize)> {
        let pool = self.threads.pool()?;
        let threads = pool.current_num_threads();
        let part = jobs
            .div_ceil(threads)
            .min(PART_JOBS)
            .max(jobs.div_ceil(threads * PARTS_PER_THREAD))
            .next_multiple_of(self.engine.lanes());
        // If the lengths differ, the engine gets the whole batch and refuses it.
        (part < jobs && jobs == output).then_some((pool, part))
    }
}

impl<P: Parameters> BatchSign<P> for OnThreads<'_> {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let engine = self.engine;
        let Some((pool, part)) = self.parts(jobs.len(), out.len()) else {
            return engine.sign_part(seed, first, jobs, out);
        };
        pool.install(|| {
            let parts = jobs.par_chunks(part).zip(out.par_chunks_mut(part));
            let results = parts.enumerate().map(|(number, (jobs, out))| {
                let before = number * part;
                let first = first.wrapping_add(before as u64);
                engine
                    .sign_part(seed, first, jobs, out)
                    .map_err(|error| match error {
                        BatchError::Fault { job } => BatchError::Fault { job: before + job },
                        other => other,
                    })
            });
            // Returns the error of the first part that has one. A fault does not end the other
            // parts.
            results.reduce(|| Ok(()), Result::and)
        })
    }
}

impl<P: Parameters> BatchVerify<P> for OnThreads<'_> {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        let engine = self.engine;
        let Some((pool, part)) = self.parts(jobs.len(), out.len()) else {
            return engine.verify_batch(jobs, out);
        };
        pool.install(|| {
            let parts = jobs.par_chunks(part).zip(out.par_chunks_mut(part));
            parts.try_for_each(|(jobs, out)| engine.verify_batch(jobs, out))
        })
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        let engine = self.engine;
        let Some((pool, part)) = self.parts(jobs.len(), out.len()) else {
            return engine.verify_bytes_batch(jobs, out);
        };
        pool.install(|| {
            let parts = jobs.par_chunks(part).zip(out.par_chunks_mut(part));
            parts.try_for_each(|(jobs, out)| engine.verify_bytes_batch(jobs, out))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_are_started_as_the_system_allows() {
        for (allowed, expected) in [(16, 16), (15, 8), (3, 2), (1, 1), (0, 1)] {
            let threads = Threads::started(16, |count| {
                let builder = ThreadPoolBuilder::new().num_threads(count);
                (count <= allowed).then(|| builder.build().expect("a few threads"))
            });
            assert_eq!(threads.count(), expected, "{allowed} allowed");
        }
    }

    #[test]
    fn thousands_of_threads_are_not_started() {
        let threads = Threads::new(NonZeroUsize::MAX);
        assert_eq!(threads.count(), MOST.max(cores().get()));
    }
}
