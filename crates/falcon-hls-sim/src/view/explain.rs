//! Why an initiation interval is what it is.

use crate::design::MAX_INTERVAL;
use crate::graph::Graph;
use crate::schedule::{Schedule, UnitBound};
use crate::scheduled::Scheduled;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// What bounds an interval, and what it would be without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The interval, cycles.
    pub interval: u32,
    /// Cycles of one iteration.
    pub depth: u32,
    /// The smallest interval that was asked for.
    pub least_interval: u32,
    /// By unit.
    pub units: Vec<UnitReason>,
    /// What the recurrences allow, cycles.
    pub recurrence: u32,
    /// The interval that would be, were something else.
    pub relaxed: Vec<Relaxed>,
}

/// What a unit allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnitReason {
    /// The unit.
    pub unit: String,
    /// Operations of one iteration.
    pub operations: u32,
    /// Units.
    pub count: u32,
    /// What they allow, cycles.
    pub interval: u32,
    /// Whether that is the interval.
    pub binds: bool,
}

/// A change and what the interval would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relaxed {
    /// The change.
    pub change: String,
    /// The interval then, cycles.
    pub interval: u32,
}

impl Explanation {
    /// Of a body that was scheduled with this least interval.
    pub fn new(body: &Scheduled, least_interval: u32) -> Self {
        let interval = body.schedule.interval;
        let bounds = &body.bounds;
        let reason = |bound: &UnitBound| UnitReason {
            unit: bound.unit.clone(),
            operations: bound.uses,
            count: bound.count,
            interval: bound.interval(),
            binds: bound.interval() == interval,
        };
        let mut units: Vec<UnitReason> = bounds.units.iter().map(reason).collect();
        // What bounds most comes first; equal ones as they are in the circuit.
        units.sort_by_key(|unit| std::cmp::Reverse(unit.interval));
        Self {
            interval,
            depth: body.depth(),
            least_interval,
            units,
            recurrence: bounds.recurrence,
            relaxed: relaxed(body),
        }
    }

    /// The largest of the bounds.
    fn bound(&self) -> u32 {
        let units = self.units.iter().map(|unit| unit.interval);
        units.chain([self.recurrence]).max().unwrap_or(1)
    }
}

/// A unit's name, that of a memory instead of its ports'.
fn shown(unit: &str) -> String {
    match unit.strip_prefix("port of ") {
        Some(memory) => format!("memory {memory}"),
        None => unit.into(),
    }
}

/// Schedules the loop again and again, each time without one of its limits.
fn relaxed(body: &Scheduled) -> Vec<Relaxed> {
    let interval = body.schedule.interval;
    let graph = &body.graph;
    let mut changes: Vec<(String, Graph)> = Vec::new();
    let used = (0..graph.units.len()).filter(|&unit| graph.uses(unit) > graph.units[unit].count);
    let mut all = graph.clone();
    for unit in used {
        let mut changed = graph.clone();
        let uses = graph.uses(unit);
        changed.units[unit].count = uses;
        all.units[unit].count = uses;
        let name = shown(&graph.units[unit].name);
        changes.push((format!("{name} {uses}/{uses}"), changed));
    }
    if changes.len() > 1 {
        changes.push(("a unit for every operation".into(), all));
    }
    if graph.dependences.iter().any(|edge| edge.distance > 0) {
        let mut changed = graph.clone();
        changed.dependences.retain(|edge| edge.distance == 0);
        changes.push(("no dependence between iterations".into(), changed));
    }
    let find = |(change, graph): (String, Graph)| {
        let schedule = Schedule::find(&graph, 1, MAX_INTERVAL)?;
        let interval = schedule.interval;
        Some(Relaxed { change, interval })
    };
    let found = changes.into_iter().filter_map(find);
    found
        .filter(|relaxed| relaxed.interval < interval)
        .collect()
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "II = {}: ", self.interval)?;
        for unit in &self.units {
            let UnitReason {
                operations,
                count,
                interval,
                ..
            } = unit;
            let name = shown(&unit.unit);
            let binds = if unit.binds { " (bound)" } else { "" };
            write!(f, "{name} {operations}/{count} = {interval}{binds}, ")?;
        }
        let binds = match self.recurrence == self.interval && self.recurrence > 1 {
            true => " (bound)",
            false => "",
        };
        write!(f, "recurrence {}{binds}", self.recurrence)?;
        if self.least_interval > self.bound() && self.least_interval == self.interval {
            write!(
                f,
                "\n{} cycles were asked for; {} are possible",
                self.interval,
                self.bound()
            )?;
        } else if self.interval > self.bound() {
            write!(
                f,
                "\n{} cycles more than any bound: the chain that comes back to the next \
                 iteration waits for units that it shares, and for its turn at the memory",
                self.interval - self.bound()
            )?;
        }
        if self.least_interval > 1 && self.least_interval < self.interval {
            write!(
                f,
                "\n{} cycles were asked for: raised to {}",
                self.least_interval, self.interval
            )?;
        }
        for Relaxed { change, interval } in &self.relaxed {
            write!(f, "\nwith {change}: II = {interval}")?;
        }
        let cycles = if self.depth == 1 { "cycle" } else { "cycles" };
        write!(f, "\none iteration takes {} {cycles}", self.depth)
    }
}
