//! CPU time of the calling thread, and wall time.

use rustix::time::{ClockId, clock_gettime};

/// A function that returns nanoseconds since a fixed moment.
pub type Clock = fn() -> u64;

/// Returns the nanoseconds of CPU time that this thread has used. Time in which other processes
/// used the core does not count.
pub fn thread_nanos() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

/// Returns nanoseconds of wall time, for work that several threads share.
pub fn wall_nanos() -> u64 {
    nanos(ClockId::Monotonic)
}

fn nanos(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    // Both fields are never negative for these clocks.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
