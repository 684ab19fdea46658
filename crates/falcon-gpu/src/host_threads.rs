//! Host threads that stage and deliver the jobs of a context.

use crate::error::GpuError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::iter::successors;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread::{self, available_parallelism};

/// Thread pool of one context. Each context has its own pool, so a context that holds the device
/// never waits for jobs of other contexts.
pub(crate) struct HostThreads(Result<ThreadPool, String>);

impl HostThreads {
    /// Starts the number of threads that `rayon` chooses: `RAYON_NUM_THREADS`, or one for each
    /// core. If the system refuses to start them, starts fewer threads.
    pub(crate) fn start() -> Self {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let fewer = successors(Some(cores), |count| Some(count / 2)).take_while(|&count| count > 0);
        let mut started = start(0);
        for count in fewer {
            if started.is_ok() {
                break;
            }
            started = start(count);
        }
        Self(started)
    }

    /// Runs `work` in the pool, so that its parallel iterators use the pool's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, GpuError> {
        match &self.0 {
            Ok(pool) => Ok(pool.install(work)),
            Err(cause) => Err(not_started(cause)),
        }
    }
}

/// Runs `work` on a thread that does nothing else while it waits.
///
/// A thread of a `rayon` pool takes up other work of that pool while it waits. If this work were a
/// batch for the context whose device the thread holds, the thread would wait for itself.
pub(crate) fn aside<T: Send>(
    work: impl FnOnce() -> Result<T, GpuError> + Send,
) -> Result<T, GpuError> {
    if rayon::current_thread_index().is_none() {
        return work();
    }
    thread::scope(|scope| {
        let started = thread::Builder::new().spawn_scoped(scope, work);
        let started = started.map_err(|error| not_started(&error.to_string()))?;
        started.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Starts `count` threads. If `count` is zero, `rayon` chooses the number.
fn start(count: usize) -> Result<ThreadPool, String> {
    let name = |number| format!("falcon-gpu-{number}");
    let builder = ThreadPoolBuilder::new().thread_name(name);
    let pool = builder.num_threads(count).build();
    pool.map_err(|error| error.to_string())
}

fn not_started(cause: &str) -> GpuError {
    GpuError::Driver {
        doing: "start threads",
        cause: cause.to_owned(),
    }
}
