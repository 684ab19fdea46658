//! Operations of a trace as rows of a view. A row has one operation, or several that do the same
//! thing at the same time.

use super::{Event, Trace, instance_name, used_instances};
use std::collections::BTreeMap;

/// Amount of detail in text and chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Limits the number of rows. If there would be too many, operations that one kind of unit
    /// starts and ends in the same cycles share a row.
    #[default]
    Readable,
    /// Every operation and every unit has a row of its own.
    Full,
}

/// Operations of one iteration that one kind of unit starts and ends together.
pub(super) struct Group<'t> {
    pub(super) iteration: usize,
    pub(super) cycle: u64,
    pub(super) end: u64,
    /// The operations, at least one.
    pub(super) events: Vec<&'t Event>,
}

impl Group<'_> {
    /// Returns the name of the operation. For several operations, returns the name of the first one
    /// and the number of the others.
    pub(super) fn name(&self, trace: &Trace<'_>) -> String {
        let name = |event: &&Event| trace.graph.nodes[event.node].name.as_str();
        let first = self.events.first().map_or("", name);
        match self.events.len() {
            0 | 1 => first.into(),
            count => format!("{first} and {} more", count - 1),
        }
    }
}

/// A unit, or all units of its kind, with its operations.
pub(super) struct UnitGroups<'t> {
    pub(super) name: String,
    /// The rows of the unit, in order of time.
    pub(super) groups: Vec<Group<'t>>,
}

/// Returns the units of a trace with their operations. `end` returns the cycle in which an
/// operation ends in the view. If `together` is true, all units of a kind are joined.
pub(super) fn by_unit<'t>(
    trace: &'t Trace<'_>,
    together: bool,
    end: impl Fn(&Event) -> u64,
) -> Vec<UnitGroups<'t>> {
    let mut units: Vec<UnitGroups<'t>> = Vec::new();
    for (unit, instance) in used_instances(trace.graph) {
        let count = trace.graph.units[unit].count;
        if together && instance > 0 {
            continue;
        }
        let own = |event: &&Event| {
            let at = trace.schedule.instances[event.node];
            trace.graph.nodes[event.node].unit == unit && (together || at == instance)
        };
        let mut groups: BTreeMap<_, Group<'t>> = BTreeMap::new();
        for event in trace.events.iter().filter(own) {
            // If operations are not joined, the node makes the key unique.
            let alone = if together { 0 } else { event.node };
            let (cycle, iteration, end) = (event.cycle, event.iteration, end(event));
            let group = groups.entry((cycle, iteration, end, alone));
            let group = group.or_insert(Group {
                iteration,
                cycle,
                end,
                events: Vec::new(),
            });
            group.events.push(event);
        }
        units.push(UnitGroups {
            name: match together && count > 1 {
                true => format!("{} x{count}", trace.graph.units[unit].name),
                false => instance_name(trace.graph, unit, instance),
            },
            groups: groups.into_values().collect(),
        });
    }
    units
}
