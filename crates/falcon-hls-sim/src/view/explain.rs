//! Explains an initiation interval.

use crate::design::MAX_INTERVAL;
use crate::graph::Graph;
use crate::quantity::Count;
use crate::schedule::{Schedule, UnitBound};
use crate::scheduled::Scheduled;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The limits on an interval, and the intervals without each of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The interval, cycles.
    pub interval: u32,
    /// Cycles of one iteration.
    pub depth: u32,
    /// The smallest interval that the scheduler tried, as the design asks, cycles.
    pub least_interval: u32,
    /// The limit that each unit sets.
    pub units: Vec<UnitReason>,
    /// The limit that recurrences set, cycles.
    pub recurrence: u32,
    /// Intervals that the scheduler finds if a limit is removed.
    pub relaxed: Vec<Relaxed>,
}

/// The limit that a unit sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnitReason {
    /// Name of the unit.
    pub unit: String,
    /// Number of operations of one iteration on this unit.
    pub operations: u32,
    /// Number of such units.
    pub count: u32,
    /// The smallest interval with these units, cycles.
    pub interval: u32,
    /// True if the interval equals this limit.
    pub binds: bool,
}

/// A removed limit, and the interval without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relaxed {
    /// Description of the change.
    pub change: String,
    /// Interval with the change, cycles.
    pub interval: u32,
}

impl Explanation {
    /// Explains the interval of `body`, which was scheduled with `least_interval`.
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
        // The tightest limit comes first. Equal limits keep the order of the circuit.
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

    /// Returns the largest of the bounds.
    fn bound(&self) -> u32 {
        let units = self.units.iter().map(|unit| unit.interval);
        units.chain([self.recurrence]).max().unwrap_or(1)
    }
}

/// Returns the name of a unit. For a port of a memory, returns the name of the memory.
fn shown(unit: &str) -> String {
    match unit.strip_prefix("port of ") {
        Some(memory) => format!("memory {memory}"),
        None => unit.into(),
    }
}

/// Schedules the loop again with each limit removed in turn, and with the limits of all units
/// removed. Returns the changes that make the interval smaller.
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

impl Explanation {
    /// Explains in sentences: how often an iteration starts, what prevents an earlier start, and
    /// how many iterations overlap. `iteration` names an iteration, such as `butterfly`.
    pub fn sentences(&self, iteration: &str) -> String {
        let cycles = |count: u32| Count(count.into(), "cycle");
        let mut sentences = vec![match self.interval {
            1 => format!("A {iteration} starts in every cycle: the initiation interval (II) is 1."),
            interval => format!(
                "A {iteration} starts every {interval} cycles: the initiation interval (II) is \
                 {interval}."
            ),
        }];
        if self.least_interval > self.bound() && self.least_interval == self.interval {
            sentences.push(format!(
                "That was asked for; {} would be possible.",
                cycles(self.bound())
            ));
        } else if self.interval > 1 {
            if self.recurrence == self.bound() {
                sentences.push(format!(
                    "It waits for what the one before stores: loading, computing and storing takes {}.",
                    cycles(self.recurrence)
                ));
            }
            let binding = self.units.iter().filter(|u| u.interval == self.bound());
            let binding: Vec<String> = binding
                .map(|unit| {
                    let (name, count) = (shown(&unit.unit), unit.count);
                    let (uses, ports) = (unit.operations, Count(count.into(), "port"));
                    match name.starts_with("memory ") {
                        true => format!("{name} is accessed {uses} times through {ports}"),
                        false if count == 1 => {
                            format!("{name} is needed {uses} times and there is 1")
                        }
                        false => format!("{name} is needed {uses} times and there are {count}"),
                    }
                })
                .collect();
            if !binding.is_empty() {
                sentences.push(format!("Not sooner, because {}.", binding.join("; ")));
            }
        }
        sentences.push(match self.depth.div_ceil(self.interval) {
            1 => format!(
                "It takes {}, so the next one starts when it has ended.",
                cycles(self.depth)
            ),
            overlap => format!(
                "It takes {}, so up to {overlap} are under way at a time.",
                cycles(self.depth)
            ),
        });
        sentences.join("\n")
    }
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
                "\n{} beyond every bound: the loop-carried chain waits for shared units and memory",
                Count((self.interval - self.bound()).into(), "extra cycle")
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
        Ok(())
    }
}
