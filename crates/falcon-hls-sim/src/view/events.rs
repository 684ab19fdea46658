//! A trace as JSON.

use super::report::{Subject, VERSION};
use super::{Trace, instance_name};
use serde::Serialize;

/// An iteration's start.
#[derive(Clone, Debug, Serialize)]
pub struct StartForm {
    /// Which iteration.
    pub iteration: usize,
    /// When.
    pub cycle: u64,
    /// When it could have started, as often as it was tried in vain.
    pub stalls: Vec<u64>,
}

/// An operation.
#[derive(Clone, Debug, Serialize)]
pub struct EventForm {
    /// Of which iteration.
    pub iteration: usize,
    /// What is done.
    pub operation: String,
    /// By which unit.
    pub unit: String,
    /// When it starts.
    pub start: u64,
    /// When its results are there, or what it stores can be read.
    pub end: u64,
    /// Its results or what it stores: bits, 16 hexadecimal digits each.
    pub values: Vec<String>,
}

/// What some iterations did.
#[derive(Clone, Debug, Serialize)]
pub struct EventsForm {
    /// [`VERSION`].
    pub version: u32,
    /// Of what.
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
    /// Of a trace of `subject`.
    pub fn new(trace: &Trace<'_>, subject: Subject) -> Self {
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
            version: VERSION,
            subject,
            interval: trace.schedule.interval,
            cycles: trace.run.cycles,
            starts: trace.starts.iter().map(start).collect(),
            events: trace.events.iter().map(event).collect(),
        }
    }
}
