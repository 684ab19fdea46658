//! CPU time of the calling thread.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CPU time that this thread has used. Time in which other
/// processes held the core does not count.
pub fn thread_nanos() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    // Both fields are non-negative for this clock.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
