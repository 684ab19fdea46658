//! Distributes work among threads, and prints a line of progress regularly.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(60);

/// The ranges that have been given to threads so far.
struct Progress {
    begin: Instant,
    last_line: Instant,
    /// The first number of the next range.
    next: u64,
    /// First numbers of the ranges that threads work on now.
    begun: BTreeSet<u64>,
}

/// Divides `range` into ranges of at most `size` numbers, and calls `work` with them on `threads`
/// threads. Each thread's state begins as `start`. Returns the final states.
pub fn share<T: Send>(
    range: Range<u64>,
    size: u64,
    threads: usize,
    start: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, Range<u64>) + Sync,
) -> Vec<T> {
    let progress = Mutex::new(Progress {
        begin: Instant::now(),
        last_line: Instant::now(),
        next: range.start,
        begun: BTreeSet::new(),
    });
    let one_thread = || {
        let mut state = start();
        loop {
            // The lock must be free while the thread works, so this is a statement of its own.
            let part = progress.lock().expect("no panic").begin(&range, size);
            let Some(part) = part else {
                return state;
            };
            let first = part.start;
            work(&mut state, part);
            progress.lock().expect("no panic").end(first, range.start);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one_thread)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|state| state.expect("no panic")).collect()
    })
}

impl Progress {
    fn begin(&mut self, range: &Range<u64>, size: u64) -> Option<Range<u64>> {
        let first = self.next;
        if first >= range.end {
            return None;
        }
        self.next = range.end.min(first + size);
        self.begun.insert(first);
        Some(first..self.next)
    }

    /// Marks the range that begins at `first` as done. Prints a line if the last one was printed
    /// long enough ago.
    fn end(&mut self, first: u64, start: u64) {
        self.begun.remove(&first);
        if self.last_line.elapsed() > EVERY {
            self.last_line = Instant::now();
            let done = self.begun.first().unwrap_or(&self.next);
            let seconds = self.begin.elapsed().as_secs_f64();
            let rate = (done - start) as f64 / seconds;
            eprintln!("{seconds:.0} s, {rate:.0} a second: all numbers below {done} are done");
        }
    }
}
