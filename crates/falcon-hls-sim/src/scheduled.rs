//! A loop's body, which is a butterfly or rounds of Keccak-f, with its schedule. The cycle
//! simulator runs it, and views and estimates read it.

use crate::cycles::{self, Control, Fault, Observer, Run, Words};
use crate::design::{DesignError, MAX_INTERVAL};
use crate::graph::Graph;
use crate::nest::Iteration;
use crate::schedule::{Bounds, Schedule};

/// The scheduled body of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// The body.
    pub graph: Graph,
    /// Starts of the operations.
    pub schedule: Schedule,
    /// Lower bounds on the interval.
    pub bounds: Bounds,
}

impl Scheduled {
    /// Schedules `graph` with the smallest interval from `least_interval` on.
    ///
    /// # Errors
    /// If no interval up to [`MAX_INTERVAL`] has a schedule.
    pub fn new(graph: Graph, least_interval: u32) -> Result<Self, DesignError> {
        let schedule = Schedule::find(&graph, least_interval, MAX_INTERVAL).ok_or(
            DesignError::Unschedulable {
                interval: MAX_INTERVAL,
            },
        )?;
        Ok(Self {
            bounds: Bounds::of(&graph),
            graph,
            schedule,
        })
    }

    /// Cycles from the start of an iteration until its results can be read.
    pub fn depth(&self) -> u32 {
        self.schedule.depth(&self.graph)
    }

    /// Runs `iterations` on `memories`.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(
        &self,
        control: Control,
        iterations: &[Iteration],
        memories: &mut [Words],
        observer: &mut impl Observer,
    ) -> Result<Run, Fault> {
        cycles::run(
            &self.graph,
            &self.schedule,
            control,
            iterations,
            memories,
            observer,
        )
    }
}
