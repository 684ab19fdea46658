//! A trace as JSON and as text.

use super::report::{Subject, VERSION};
use super::timeline::timeline;
use super::{Detail, Trace, instance_name};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// Start of an iteration.
#[derive(Clone, Debug, Serialize)]
pub struct StartForm {
    /// Number of the iteration.
    pub iteration: usize,
    /// Cycle of the start.
    pub cycle: u64,
    /// Cycles in which the iteration stalled.
    pub stalls: Vec<u64>,
}

/// An operation.
#[derive(Clone, Debug, Serialize)]
pub struct EventForm {
    /// Number of the iteration.
    pub iteration: usize,
    /// Name of the operation.
    pub operation: String,
    /// Name of the unit.
    pub unit: String,
    /// Cycle of its start.
    pub start: u64,
    /// Cycle in which its results are ready, or in which its stored values can be read.
    pub end: u64,
    /// Results or stored values: bits, 16 hexadecimal digits each.
    pub values: Vec<String>,
}

/// Operations of some iterations.
#[derive(Clone, Debug, Serialize)]
pub struct EventsForm {
    #[serde(skip)]
    text: String,
    /// [`VERSION`].
    pub version: u32,
    /// Circuit that was run.
    #[serde(flatten)]
    pub subject: Subject,
    /// Initiation interval, cycles.
    pub interval: u32,
    /// Cycles of the whole run.
    pub cycles: u64,
    /// Starts, in order of time.
    pub starts: Vec<StartForm>,
    /// Operations, in order of time.
    pub events: Vec<EventForm>,
}

impl EventsForm {
    /// Creates the form of a trace of `subject`. Its text is `title` with the timeline below.
    pub(super) fn new(trace: &Trace<'_>, subject: Subject, title: &str, detail: Detail) -> Self {
        let timeline = timeline(trace, detail);
        let start = |&(cycle, iteration): &(u64, usize)| {
            let stalls = trace.stalls.iter();
            let own = stalls.filter(|stall| stall.iteration == iteration);
            StartForm {
                iteration,
                cycle,
                stalls: own.map(|stall| stall.cycle).collect(),
            }
        };
        let event = |event: &super::Event| {
            let node = &trace.graph.nodes[event.node];
            let instance = trace.schedule.instances[event.node];
            let values = event.values.iter();
            EventForm {
                iteration: event.iteration,
                operation: node.name.clone(),
                unit: instance_name(trace.graph, node.unit, instance),
                start: event.cycle,
                end: trace.end(event),
                values: values.map(|bits| format!("{bits:016x}")).collect(),
            }
        };
        Self {
            text: format!("{title}\n\n{}", timeline.trim_end()),
            version: VERSION,
            subject,
            interval: trace.schedule.interval,
            cycles: trace.run.cycles,
            starts: trace.starts.iter().map(start).collect(),
            events: trace.events.iter().map(event).collect(),
        }
    }
}

impl Display for EventsForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
