//! What a person sees of a run: text, pictures, waveforms, JSON.
//!
//! A [`Trace`] looks on while a loop runs; [`timeline`], [`gantt`] and
//! [`waveform`] draw it. [`explain`] says why an interval is what it is, [`chart`]
//! draws a sweep, [`compare`] has the presets in a table, [`report`] the forms for machines.

mod canvas;
pub mod chart;
pub mod compare;
pub mod csv;
pub mod events;
pub mod explain;
pub mod gantt;
pub mod report;
mod scale;
pub mod summary;
pub mod timeline;
mod trace;
pub mod waveform;

pub use trace::{Event, Stall, Trace};

use crate::graph::Graph;

/// The name of one of equal units: its number stands behind if there are several.
pub fn instance_name(graph: &Graph, unit: usize, instance: usize) -> String {
    let unit = &graph.units[unit];
    match unit.count {
        1 => unit.name.clone(),
        _ if unit.name.contains(' ') => format!("{} {instance}", unit.name),
        _ => format!("{}{instance}", unit.name),
    }
}

/// Units that do something, each instance: index of the unit and of the instance.
fn used_instances(graph: &Graph) -> impl Iterator<Item = (usize, usize)> + '_ {
    let used = (0..graph.units.len()).filter(|&unit| graph.uses(unit) > 0);
    used.flat_map(|unit| (0..graph.units[unit].count).map(move |instance| (unit, instance)))
}
