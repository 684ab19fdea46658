//! Interleaved measurement: in every round each contestant runs once, so that a change of the
//! machine's speed affects all of them.

use crate::clock::Clock;
use crate::entry::{Contestant, Operation};
use std::time::{Duration, Instant};

/// Time spent on measuring one group of contestants.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// CPU time of one contestant in one round. The contestant runs at least one call.
    pub slice: Duration,
    /// Wall time after which no new round begins.
    pub budget: Duration,
    /// Smallest number of rounds, even if they exceed the budget.
    pub min_rounds: usize,
    /// Largest number of rounds.
    pub max_rounds: usize,
}

/// Times of one contestant in its rounds, in nanoseconds per operation.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Time of the fastest round.
    pub fastest: f64,
    /// Median over the rounds.
    pub median: f64,
    /// Mean over the rounds.
    pub mean: f64,
    /// First quartile.
    pub lower: f64,
    /// Third quartile.
    pub upper: f64,
    /// Number of rounds.
    pub rounds: usize,
}

impl Timing {
    fn of(mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        let at = |quarter: usize| rounds[(rounds.len() - 1) * quarter / 4];
        Self {
            fastest: at(0),
            median: at(2),
            mean: rounds.iter().sum::<f64>() / rounds.len() as f64,
            lower: at(1),
            upper: at(3),
            rounds: rounds.len(),
        }
    }

    /// Time for comparisons: the median or, for key generation, the mean, since its time is random.
    /// The medians of differently shaped distributions have different distances from the mean.
    pub fn typical(&self, operation: Operation) -> f64 {
        match operation {
            Operation::Keygen => self.mean,
            Operation::Sign | Operation::Verify | Operation::Expand => self.median,
        }
    }

    /// Distance of the quartiles, divided by the median.
    pub fn spread(&self) -> f64 {
        (self.upper - self.lower) / self.median
    }
}

/// Times `contestants` against each other with `clock`. The result has one element for each
/// contestant, in the same order.
pub fn interleave(effort: Effort, clock: Clock, contestants: &mut [Contestant<'_>]) -> Vec<Timing> {
    let calls: Vec<u32> = contestants
        .iter_mut()
        .map(|c| calls_of(effort.slice, clock, c))
        .collect();
    let mut rounds = vec![Vec::new(); contestants.len()];
    let begin = Instant::now();
    for round in 0..effort.max_rounds {
        if round >= effort.min_rounds && begin.elapsed() > effort.budget {
            break;
        }
        for ((contestant, &calls), rounds) in contestants.iter_mut().zip(&calls).zip(&mut rounds) {
            let start = clock();
            for _ in 0..calls {
                (contestant.run)();
            }
            let elapsed = (clock() - start) as f64;
            rounds.push(elapsed / f64::from(calls) / f64::from(contestant.operations));
        }
    }
    rounds.into_iter().map(Timing::of).collect()
}

/// Returns the number of calls that fill `slice`, found by doubling. The calls also warm the
/// caches.
fn calls_of(slice: Duration, clock: Clock, contestant: &mut Contestant<'_>) -> u32 {
    let mut calls = 1;
    loop {
        let start = clock();
        for _ in 0..calls {
            (contestant.run)();
        }
        let elapsed = Duration::from_nanos(clock() - start);
        if elapsed >= slice || calls >= 1 << 20 {
            let scaled = f64::from(calls) * slice.as_secs_f64() / elapsed.as_secs_f64();
            return (scaled as u32).max(1);
        }
        calls *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::thread_nanos;

    #[test]
    fn quartiles_are_those_of_the_sorted_rounds() {
        let timing = Timing::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(timing.fastest, 1.0);
        assert_eq!((timing.lower, timing.median, timing.upper), (2.0, 3.0, 4.0));
        assert_eq!(timing.mean, 3.0);
        assert!((timing.spread() - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn every_contestant_runs_in_every_round() {
        let counts = [std::cell::Cell::new(0u32), std::cell::Cell::new(0)];
        let contestant = |i: usize| Contestant {
            run: Box::new({
                let counts = &counts;
                move || counts[i].set(counts[i].get() + 1)
            }),
            operations: 1,
        };
        let effort = Effort {
            slice: Duration::ZERO,
            budget: Duration::ZERO,
            min_rounds: 3,
            max_rounds: 7,
        };
        let timings = interleave(effort, thread_nanos, &mut [contestant(0), contestant(1)]);
        // There is one call to calibrate, and one call in each round.
        assert_eq!(counts.each_ref().map(|c| c.get()), [4, 4]);
        assert_eq!(timings.iter().map(|t| t.rounds).collect::<Vec<_>>(), [3, 3]);
    }
}
