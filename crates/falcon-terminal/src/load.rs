//! Warns before a measurement on a busy machine. `falcon-benches` includes this file, too.

use std::{fs, num::NonZeroUsize, thread::available_parallelism};

/// The load plus the threads may exceed the number of cores by this much before there is a warning.
const TOLERANCE: f64 = 0.5;

/// Returns a warning if fewer than `threads` cores are free. Only Linux reports its load.
pub fn warning(threads: usize) -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let load = text.split_whitespace().next()?.parse().ok()?;
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    crowded(load, cores, threads)
}

fn crowded(load: f64, cores: usize, threads: usize) -> Option<String> {
    if load + threads as f64 <= cores as f64 + TOLERANCE {
        return None;
    }
    let plural = |number| if number == 1 { "" } else { "s" };
    let (core, thread) = (plural(cores), plural(threads));
    Some(format!(
        "the load average of the last minute is {load:.1} on {cores} core{core}, and this \
         measurement uses {threads} thread{thread}: times may be too long. A build that has just \
         ended counts, too; wait a minute and measure again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_comes_when_too_few_cores_are_free() {
        for (load, cores, threads, warns) in [
            (0.0, 1, 1, false),
            (0.4, 2, 2, false),
            (0.6, 2, 2, true),
            (1.4, 2, 1, false),
            (1.6, 2, 1, true),
            (14.0, 16, 2, false),
        ] {
            let said = crowded(load, cores, threads);
            assert_eq!(said.is_some(), warns, "{load} {cores} {threads}");
        }
        let said = crowded(4.46, 2, 1).unwrap();
        assert!(said.contains("is 4.5 on 2 cores"), "{said}");
        assert!(said.contains("uses 1 thread:"), "{said}");
    }
}
