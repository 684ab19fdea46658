//! Record of a run, for the views.

use crate::cycles::{Control, Fault, Observer, Run, Words};
use crate::graph::Graph;
use crate::nest::Iteration;
use crate::schedule::Schedule;
use crate::scheduled::Scheduled;
use std::ops::Range;

/// Start of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Cycle in which the operation starts.
    pub cycle: u64,
    /// Number of the iteration.
    pub iteration: usize,
    /// Index of the node.
    pub node: usize,
    /// Results of the operation, or the values that it stores.
    pub values: Vec<u64>,
}

/// An iteration could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Cycle in which it could have started if its operands had been written.
    pub cycle: u64,
    /// Number of the iteration.
    pub iteration: usize,
}

/// A run of a scheduled loop, with the recorded events of some iterations.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The loop's body.
    pub graph: &'a Graph,
    /// Schedule of the body.
    pub schedule: &'a Schedule,
    /// Cycles of the whole run.
    pub run: Run,
    /// Starts of the iterations of the window: cycle and number.
    pub starts: Vec<(u64, usize)>,
    /// Stalls before the starts of these iterations.
    pub stalls: Vec<Stall>,
    /// Operations of these iterations, in order of time.
    pub events: Vec<Event>,
}

impl<'a> Trace<'a> {
    /// Runs `iterations` on `memories`, and records the events of the iterations in `window`.
    ///
    /// # Errors
    /// The run's first fault.
    pub fn record(
        body: &'a Scheduled,
        control: Control,
        iterations: &[Iteration],
        memories: &mut [Words],
        window: Range<usize>,
    ) -> Result<Self, Fault> {
        let mut recorder = Recorder {
            window,
            next: 0,
            starts: Vec::new(),
            stalls: Vec::new(),
            events: Vec::new(),
        };
        let run = body.run(control, iterations, memories, &mut recorder)?;
        Ok(Self {
            graph: &body.graph,
            schedule: &body.schedule,
            run,
            starts: recorder.starts,
            stalls: recorder.stalls,
            events: recorder.events,
        })
    }

    /// Returns the cycles from the first event of the window to its last result.
    pub fn cycles(&self) -> Range<u64> {
        let starts = self.starts.iter().map(|start| start.0);
        let first = starts.chain(self.stalls.iter().map(|stall| stall.cycle));
        let first = first.min().unwrap_or(0);
        let ends = self.events.iter().map(|event| self.end(event) + 1);
        first..ends.max().unwrap_or(first)
    }

    /// Returns the cycle in which an operation's results are ready, or its stored values can be
    /// read.
    pub fn end(&self, event: &Event) -> u64 {
        event.cycle + u64::from(self.graph.nodes[event.node].latency)
    }
}

struct Recorder {
    window: Range<usize>,
    /// The iteration that starts next.
    next: usize,
    starts: Vec<(u64, usize)>,
    stalls: Vec<Stall>,
    events: Vec<Event>,
}

impl Observer for Recorder {
    fn started(&mut self, cycle: u64, iteration: usize) {
        self.next = iteration + 1;
        if self.window.contains(&iteration) {
            self.starts.push((cycle, iteration));
        }
    }

    fn stalled(&mut self, cycle: u64) {
        let iteration = self.next;
        if self.window.contains(&iteration) {
            self.stalls.push(Stall { cycle, iteration });
        }
    }

    fn executed(&mut self, cycle: u64, iteration: usize, node: usize, values: &[u64]) {
        if self.window.contains(&iteration) {
            self.events.push(Event {
                cycle,
                iteration,
                node,
                values: values.to_vec(),
            });
        }
    }
}
