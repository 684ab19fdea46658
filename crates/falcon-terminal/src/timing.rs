//! Repeats runs and measures their times.

use crate::{
    error::Result,
    progress::{Progress, Unit},
    ui::Ui,
};
use std::time::{Duration, Instant};

/// Smallest number of runs of a measurement, if the runs are short.
pub const ENOUGH_RUNS: usize = 5;

/// Runs are short if [`ENOUGH_RUNS`] of them take less time than this.
const SHORT: Duration = Duration::from_millis(250);

/// Times of the runs of a measurement, in ascending order. There is at least one run.
#[derive(Clone, Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.0.len()
    }

    /// Returns the median. If two values are in the middle, returns the larger one.
    pub fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    /// Returns the shortest time.
    pub fn minimum(&self) -> Duration {
        self.0[0]
    }
}

/// Repeats `run` for `duration`, but at least once, and at least [`ENOUGH_RUNS`] times unless the
/// runs are long. The argument of `run` is the number of the run. Run 0 is not timed, since it
/// fills the caches. The first error ends the measurement.
pub fn measure(
    duration: Duration,
    ui: Ui,
    mut run: impl FnMut(u64) -> Result<()>,
) -> Result<Times> {
    let progress = Progress::new(ui, Unit::Items("runs"), None);
    let mut times = Vec::new();
    let start = Instant::now();
    run(0)?;
    let mut number = 1;
    while !enough(times.len(), start.elapsed(), duration) {
        let begin = Instant::now();
        run(number)?;
        times.push(begin.elapsed());
        number += 1;
        progress.add(1);
    }
    drop(progress);
    times.sort_unstable();
    Ok(Times(times))
}

/// Returns true if a measurement may end after `runs` runs that took `elapsed` in total. It needs
/// at least one run, and at least [`ENOUGH_RUNS`] unless the runs are long.
fn enough(runs: usize, elapsed: Duration, duration: Duration) -> bool {
    let limit = if runs < ENOUGH_RUNS {
        duration.max(SHORT)
    } else {
        duration
    };
    runs > 0 && elapsed >= limit
}

/// Parses the option `--seconds`.
///
/// # Errors
/// Returns the text for the user if the value is not a number from 0 to 3600.
pub fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds from 0 to 3600".to_owned()),
    }
}

/// Warning that a program was measured as a debug build.
pub const DEBUG_BUILD: Option<&str> = if cfg!(debug_assertions) {
    Some(
        "this is a debug build, which is slower than a release build; for times that count: \
         cargo build --release",
    )
} else {
    None
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_two_and_short_ones_more() {
        let [none, second, minute] = [0, 1, 60].map(Duration::from_secs);
        assert!(!enough(0, minute, second));
        assert!(enough(1, minute, second));
        assert!(!enough(1, none, none));
        assert!(enough(ENOUGH_RUNS, none, none));
        assert!(!enough(ENOUGH_RUNS, none, second));
    }
}
