//! The remaining time, and estimates for batches from the batches that were already run.

use crate::kind::Kind;
use std::collections::BTreeMap;
use std::time::Instant;

/// Number of jobs of the first batch of a kind, whose duration is unknown.
const FIRST: usize = 256;
/// Largest ratio of the next batch's size to the largest size whose time is known.
pub(crate) const STEP: usize = 16;

pub(crate) struct Budget {
    start: Instant,
    seconds: Option<f64>,
    /// Seconds of the latest batch of each kind and size.
    batches: BTreeMap<Kind, BTreeMap<usize, f64>>,
    /// Seconds of a job on the CPU, from the latest measurement.
    cpu: BTreeMap<Kind, f64>,
    /// Seconds that loading kernels took, the longest so far.
    load: f64,
}

impl Budget {
    pub(crate) fn new(seconds: Option<f64>) -> Self {
        Self {
            start: Instant::now(),
            seconds,
            batches: BTreeMap::new(),
            cpu: BTreeMap::new(),
            load: 0.0,
        }
    }

    /// Seconds since the start.
    pub(crate) fn spent(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Returns the remaining seconds. Without a budget, returns infinity.
    pub(crate) fn left(&self) -> f64 {
        self.seconds.map_or(f64::INFINITY, |all| all - self.spent())
    }

    /// Notes how long a batch took.
    pub(crate) fn note(&mut self, kind: Kind, jobs: usize, seconds: f64) {
        self.batches.entry(kind).or_default().insert(jobs, seconds);
    }

    /// Notes how long the CPU took.
    pub(crate) fn note_cpu(&mut self, kind: Kind, jobs: usize, seconds: f64) {
        self.cpu.insert(kind, seconds / jobs.max(1) as f64);
    }

    /// Notes how long the first call of a kind took.
    pub(crate) fn note_load(&mut self, seconds: f64) {
        self.load = self.load.max(seconds);
    }

    /// Returns an estimate of the seconds for loading other kernels.
    pub(crate) fn load(&self) -> f64 {
        self.load
    }

    /// Returns true if a batch of this kind was done.
    pub(crate) fn knows(&self, kind: Kind) -> bool {
        self.batches.contains_key(&kind)
    }

    /// Returns an upper estimate of the seconds that a batch will take. The time of the largest
    /// known batch of its kind with at most `jobs` jobs is scaled in proportion, since larger
    /// batches take less time for each job. If there is none, the time of the next larger batch is
    /// used. If no batch is known, the estimate is zero.
    pub(crate) fn batch(&self, kind: Kind, jobs: usize) -> f64 {
        let Some(known) = self.batches.get(&kind) else {
            return 0.0;
        };
        let smaller = known.range(..=jobs).next_back();
        let larger = known.range(jobs..).next();
        match (smaller, larger) {
            (Some((&size, seconds)), _) => seconds * jobs as f64 / size.max(1) as f64,
            (None, Some((_, &seconds))) => seconds,
            (None, None) => 0.0,
        }
    }

    /// Estimates the seconds that the CPU will take.
    pub(crate) fn cpu(&self, kind: Kind, jobs: usize) -> f64 {
        self.cpu.get(&kind).copied().unwrap_or(0.0) * jobs as f64
    }

    /// Returns the size of a batch to try first. Returns `None` if the time is unlimited, or if a
    /// batch of `jobs` jobs can be the next one.
    pub(crate) fn next(&self, kind: Kind, jobs: usize) -> Option<usize> {
        self.seconds?;
        let known = self.batches.get(&kind);
        let largest = known.and_then(|known| known.range(..=jobs).next_back());
        let next = largest.map_or(FIRST, |(&size, _)| size.saturating_mul(STEP));
        (next < jobs).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{Keys, Set};

    #[test]
    fn batches_are_estimated_by_smaller_ones_and_approached_in_steps() {
        let kind = Kind {
            parameters: Set::Falcon512,
            mode: None,
            keys: Keys::Own,
        };
        let mut budget = Budget::new(Some(1000.0));
        assert_eq!(budget.next(kind, 1 << 16), Some(256));
        assert_eq!(budget.next(kind, 256), None);
        budget.note(kind, 256, 0.5);
        assert_eq!(budget.next(kind, 1 << 16), Some(4096));
        assert_eq!(budget.next(kind, 4096), None);
        assert_eq!(budget.batch(kind, 512), 1.0);
        assert_eq!(budget.batch(kind, 16), 0.5);
        budget.note(kind, 4096, 1.0);
        assert_eq!(budget.next(kind, 1 << 16), None);
        assert_eq!(budget.batch(kind, 1 << 16), 16.0);
        assert!((999.0..=1000.0).contains(&budget.left()));
        assert_eq!(Budget::new(None).left(), f64::INFINITY);
    }
}
