//! VCD for a waveform viewer.
//!
//! The scope `control` has the clock, the starts and stalls of iterations, the number of iterations
//! under way, and the end of the run. Each unit has a scope of its own. The signals of a unit are
//! `busy` (the unit takes operands in this cycle), `iteration` and `operation` (of these operands),
//! the values to store, `valid` (results come out) and the results. All values are bits. Signals
//! change at the rising edge of the clock. A unit that runs without pause keeps `busy` high;
//! `operation` and `iteration` separate its operations.

use super::{Event, Trace, instance_name, used_instances};
use crate::graph::{Graph, Operation};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

/// Bits of an iteration's number.
const ITERATION_BITS: u32 = 32;

/// Changes of a cycle, by signal.
#[derive(Default)]
struct Changes<'a> {
    bits: BTreeMap<IdCode, bool>,
    numbers: BTreeMap<IdCode, (u64, u32)>,
    names: BTreeMap<IdCode, &'a str>,
}

/// Signals of a unit's instance.
struct Signals {
    busy: IdCode,
    iteration: IdCode,
    operation: IdCode,
    /// The value that the port of a memory writes while `busy` is set.
    stored: Vec<IdCode>,
    valid: IdCode,
    results: Vec<IdCode>,
}

/// Signals of the control.
struct Control {
    clock: IdCode,
    start: IdCode,
    stall: IdCode,
    iteration: IdCode,
    active: IdCode,
    done: IdCode,
}

/// Writes the recorded events of `trace` as VCD, at a clock of `clock_hz`. Time is in picoseconds,
/// or in nanoseconds if the clock is below 1 MHz. The exact time of every edge is rounded down.
///
/// # Errors
/// If writing to `out` fails.
pub fn vcd(trace: &Trace<'_>, title: &str, clock_hz: u64, out: impl Write) -> io::Result<()> {
    let graph = trace.graph;
    let mut writer = Writer::new(out);
    writer.version(title)?;
    let (unit, units_per_second) = match clock_hz {
        1_000_000.. => (TimescaleUnit::PS, 1_000_000_000_000),
        _ => (TimescaleUnit::NS, 1_000_000_000),
    };
    writer.timescale(1, unit)?;
    writer.add_module("falcon_hls")?;
    let control = declare_control(&mut writer)?;
    let mut units = HashMap::new();
    for (unit, instance) in used_instances(graph) {
        let name = identifier(&instance_name(graph, unit, instance));
        writer.add_module(&name)?;
        units.insert((unit, instance), declare_unit(&mut writer, graph, unit)?);
        writer.upscope()?;
    }
    writer.upscope()?;
    writer.enddefinitions()?;

    let cycles = trace.cycles();
    let changes = changes(trace, &control, &units);
    // Converts a number of half cycles to a time. The product of a 64-bit number and 10^12 has up
    // to 104 bits.
    let time = |half: u64| -> u64 {
        let time = u128::from(half) * units_per_second / (2 * u128::from(clock_hz.max(1)));
        u64::try_from(time).unwrap_or(u64::MAX)
    };
    let mut level = HashMap::new();
    for cycle in cycles.start..=cycles.end {
        writer.timestamp(time(2 * cycle))?;
        writer.change_scalar(control.clock, true)?;
        if let Some(changes) = changes.get(&cycle) {
            write(&mut writer, &mut level, changes)?;
        }
        writer.timestamp(time(2 * cycle + 1))?;
        writer.change_scalar(control.clock, false)?;
    }
    writer.flush()
}

fn declare_control(writer: &mut Writer<impl Write>) -> io::Result<Control> {
    writer.add_module("control")?;
    let control = Control {
        clock: writer.add_wire(1, "clock")?,
        start: writer.add_wire(1, "start")?,
        stall: writer.add_wire(1, "stall")?,
        iteration: writer.add_wire(ITERATION_BITS, "iteration")?,
        active: writer.add_wire(ITERATION_BITS, "active")?,
        done: writer.add_wire(1, "done")?,
    };
    writer.upscope()?;
    Ok(control)
}

fn declare_unit(
    writer: &mut Writer<impl Write>,
    graph: &Graph,
    unit: usize,
) -> io::Result<Signals> {
    let (mut stored, mut results) = (0, 0);
    for node in graph.nodes.iter().filter(|node| node.unit == unit) {
        match &node.operation {
            Operation::Store(access) => stored = access.values().max(stored),
            Operation::Load(access) => results = access.values().max(results),
            _ => results = results.max(1),
        }
    }
    Ok(Signals {
        busy: writer.add_wire(1, "busy")?,
        iteration: writer.add_wire(ITERATION_BITS, "iteration")?,
        operation: writer.add_var(VarType::String, 1, "operation", None)?,
        stored: reals(writer, "stored", stored)?,
        valid: writer.add_wire(1, "valid")?,
        results: reals(writer, "result", results)?,
    })
}

fn reals(writer: &mut Writer<impl Write>, name: &str, count: usize) -> io::Result<Vec<IdCode>> {
    let names = (0..count).map(|i| format!("{name}{i}"));
    names.map(|name| writer.add_wire(64, &name)).collect()
}

/// Collects the changes by cycle.
fn changes<'a>(
    trace: &'a Trace<'_>,
    control: &Control,
    units: &HashMap<(usize, usize), Signals>,
) -> BTreeMap<u64, Changes<'a>> {
    let mut changes: BTreeMap<u64, Changes<'a>> = BTreeMap::new();
    let mut pulses = Vec::new();
    let signals = |event: &Event| {
        let unit = trace.graph.nodes[event.node].unit;
        &units[&(unit, trace.schedule.instances[event.node])]
    };

    let at_first = changes.entry(trace.cycles().start).or_default();
    let controls = [control.start, control.stall, control.done];
    let bits = units.values().flat_map(|unit| [unit.busy, unit.valid]);
    at_first.bits = controls
        .into_iter()
        .chain(bits)
        .map(|id| (id, false))
        .collect();

    for &(cycle, iteration) in &trace.starts {
        pulses.push((cycle, 1, control.start));
        let number = (iteration as u64, ITERATION_BITS);
        let at = changes.entry(cycle).or_default();
        at.numbers.insert(control.iteration, number);
    }
    for stall in &trace.stalls {
        let interval = u64::from(trace.schedule.interval);
        pulses.push((stall.cycle, interval, control.stall));
    }
    for event in &trace.events {
        let signals = signals(event);
        pulses.push((event.cycle, 1, signals.busy));
        let at = changes.entry(event.cycle).or_default();
        let number = (event.iteration as u64, ITERATION_BITS);
        at.numbers.insert(signals.iteration, number);
        let node = &trace.graph.nodes[event.node];
        at.names.insert(signals.operation, &node.name);
        // Stores do not set `valid`, since a port may finish a load in the cycle in which a store
        // can be read.
        let (from, wires) = if matches!(node.operation, Operation::Store(_)) {
            (event.cycle, &signals.stored)
        } else {
            pulses.push((trace.end(event), 1, signals.valid));
            (trace.end(event), &signals.results)
        };
        let at = changes.entry(from).or_default();
        let values = wires.iter().zip(&event.values);
        at.numbers
            .extend(values.map(|(&id, &value)| (id, (value, 64))));
    }
    for (cycle, active) in active(trace) {
        let at = changes.entry(cycle).or_default();
        at.numbers.insert(control.active, (active, ITERATION_BITS));
    }

    // If the next pulse of a signal begins in the cycle in which a pulse ends, the signal stays
    // high.
    for &(cycle, length, id) in &pulses {
        changes
            .entry(cycle + length)
            .or_default()
            .bits
            .insert(id, false);
    }
    for &(cycle, _, id) in &pulses {
        changes.entry(cycle).or_default().bits.insert(id, true);
    }
    let at_end = changes.entry(trace.run.cycles).or_default();
    at_end.bits.insert(control.done, true);
    changes
}

/// Returns the number of iterations of the window that are under way, for each cycle in which this
/// number changes.
fn active(trace: &Trace<'_>) -> Vec<(u64, u64)> {
    let depth = u64::from(trace.schedule.depth(trace.graph));
    let mut steps: BTreeMap<u64, i64> = BTreeMap::new();
    for &(cycle, _) in &trace.starts {
        *steps.entry(cycle).or_default() += 1;
        *steps.entry(cycle + depth).or_default() -= 1;
    }
    let active = steps.into_iter().scan(0i64, |active, (cycle, step)| {
        *active += step;
        Some((cycle, active.unsigned_abs()))
    });
    active.collect()
}

/// Writes changes of signals. Bits that already have the new level are left out.
fn write(
    writer: &mut Writer<impl Write>,
    level: &mut HashMap<IdCode, bool>,
    changes: &Changes<'_>,
) -> io::Result<()> {
    for (&id, &bit) in &changes.bits {
        if level.insert(id, bit) != Some(bit) {
            writer.change_scalar(id, bit)?;
        }
    }
    for (&id, &(value, width)) in &changes.numbers {
        let bits = (0..width).rev().map(|i| Value::from(value >> i & 1 == 1));
        writer.change_vector(id, bits)?;
    }
    for (&id, name) in &changes.names {
        // Names get underscores for spaces, since a reader ends the text at the first space.
        writer.change_string(id, &name.replace(' ', "_"))?;
    }
    Ok(())
}

/// Returns a name that every reader accepts.
fn identifier(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).collect()
}
