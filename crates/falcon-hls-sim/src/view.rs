//! Views of a run: text, pictures, waveforms, JSON.
//!
//! [`Traced`] runs a circuit. A [`Trace`] records the run; [`timeline`], [`gantt`] and [`waveform`]
//! draw it. [`explain`] gives the reasons for an initiation interval. [`chart`] draws a sweep and
//! [`clocks`] the simulated system. [`compare`] makes a table of the presets, and [`report`] holds
//! the JSON forms.

mod canvas;
pub mod chart;
pub mod clocks;
mod columns;
pub mod compare;
pub mod csv;
pub mod events;
pub mod explain;
pub mod gantt;
mod group;
pub mod report;
mod scale;
pub mod summary;
pub mod timeline;
mod trace;
mod traced;
pub mod waveform;

pub use group::Detail;
pub use trace::{Event, Stall, Trace};
pub use traced::{
    MAX_DRAWN, MAX_DRAWN_CYCLES, MAX_TRACED_CYCLES, Picture, Traced, TracedForm, ViewError, Window,
};

use crate::graph::Graph;

/// Returns the name of an instance of a unit, with its number if there are several.
pub fn instance_name(graph: &Graph, unit: usize, instance: usize) -> String {
    let unit = &graph.units[unit];
    match unit.count {
        1 => unit.name.clone(),
        _ if unit.name.contains(' ') => format!("{} {instance}", unit.name),
        _ => format!("{}{instance}", unit.name),
    }
}

/// Returns every instance of the units that have operations: index of the unit, number of the
/// instance.
fn used_instances(graph: &Graph) -> impl Iterator<Item = (usize, usize)> + '_ {
    let used = (0..graph.units.len()).filter(|&unit| graph.uses(unit) > 0);
    used.flat_map(|unit| (0..graph.units[unit].count).map(move |instance| (unit, instance)))
}
