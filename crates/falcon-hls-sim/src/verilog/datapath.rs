//! The units of the schedule and their operands in each phase.

use super::text::{Delays, Lines};
use crate::accelerator::Kernel;
use crate::butterfly::Places;
use crate::graph::{Access, Banking, ComplexPart, Operation, UnitKind, Value};
use crate::nest::X;

/// Emits every arithmetic unit, with its operands by phase.
pub(super) fn emit(kernel: &Kernel, logn: u32, delays: &mut Delays) -> Lines {
    let mut out = Lines::default();
    out.line("    // Units: operands by phase.");
    for (unit, description) in kernel.body.graph.units.iter().enumerate() {
        for instance in 0..description.count {
            let nodes: Vec<usize> = on_instance(kernel, unit, instance).collect();
            if nodes.is_empty() || !is_arithmetic(&kernel.body.graph.nodes[nodes[0]].operation) {
                continue;
            }
            emit_unit(kernel, logn, delays, &mut out, &nodes);
        }
    }
    out
}

/// Returns the nodes that run on an instance of a unit.
pub(super) fn on_instance(
    kernel: &Kernel,
    unit: usize,
    instance: usize,
) -> impl Iterator<Item = usize> {
    let nodes = kernel.body.graph.nodes.iter().enumerate();
    nodes
        .filter(move |&(i, node)| {
            node.unit == unit && kernel.body.schedule.instances[i] == instance
        })
        .map(|(i, _)| i)
}

fn is_arithmetic(operation: &Operation) -> bool {
    !matches!(operation, Operation::Load(_) | Operation::Store(_))
}

fn emit_unit(kernel: &Kernel, logn: u32, delays: &mut Delays, out: &mut Lines, nodes: &[usize]) {
    let name = unit_name(kernel, nodes[0]);
    let latency = kernel.body.graph.nodes[nodes[0]].latency;
    for (i, operand) in ["a", "b"].into_iter().enumerate() {
        let choices: Vec<(u32, String)> = nodes
            .iter()
            .filter_map(|&node| {
                let input = kernel.body.graph.nodes[node].inputs.get(i)?;
                Some((
                    phase(kernel, node),
                    at(kernel, delays, *input, start(kernel, node)),
                ))
            })
            .collect();
        if !choices.is_empty() {
            out.choose(64, &format!("{name}_{operand}"), &choices);
        }
    }
    out.line(&format!("    wire [63:0] {name}_q;"));
    match &kernel.body.graph.nodes[nodes[0]].operation {
        Operation::Multiply => out.line(&format!(
            "    dmul #(.LATENCY({latency})) {name} (.clk(clk), .a({name}_a), .b({name}_b), .q({name}_q));"
        )),
        Operation::Scale => {
            // Only the first stage scales. The counters go on while a unit scales later operands of
            // the same butterfly.
            let first: Vec<(u32, String)> = nodes
                .iter()
                .map(|&node| {
                    let cycle = start(kernel, node);
                    (phase(kernel, node), delays.tap("first_stage", 1, cycle))
                })
                .collect();
            out.choose(1, &format!("{name}_first"), &first);
            out.line(&format!(
                "    wire signed [11:0] {name}_by = {name}_first ? -12'sd{} : 12'sd0;",
                logn - 1
            ));
            out.line(&format!(
                "    dscale #(.LATENCY({latency})) {name} (.clk(clk), .a({name}_a), .by({name}_by), .q({name}_q));"
            ));
        }
        _ => {
            let sub: Vec<(u32, String)> = nodes
                .iter()
                .map(|&node| {
                    let sub = kernel.body.graph.nodes[node].operation == Operation::Subtract;
                    (phase(kernel, node), format!("1'b{}", u8::from(sub)))
                })
                .collect();
            out.choose(1, &format!("{name}_sub"), &sub);
            out.line(&format!(
                "    daddsub #(.LATENCY({latency})) {name} (.clk(clk), .a({name}_a), .b({name}_b), .sub({name}_sub), .q({name}_q));"
            ));
        }
    }
}

/// Returns the start of a node, in cycles after the start of its butterfly.
pub(super) fn start(kernel: &Kernel, node: usize) -> u32 {
    kernel.body.schedule.starts[node]
}

/// Returns the phase in which a node starts.
pub(super) fn phase(kernel: &Kernel, node: usize) -> u32 {
    start(kernel, node) % kernel.body.schedule.interval
}

/// Returns the unit of a node as an identifier: its module's name with a number.
fn unit_name(kernel: &Kernel, node: usize) -> String {
    let module = match kernel.body.graph.units[kernel.body.graph.nodes[node].unit].kind {
        UnitKind::Multiplier => "dmul",
        UnitKind::Adder => "daddsub",
        UnitKind::Scaler => "dscale",
        _ => "port",
    };
    format!("{module}{}", kernel.body.schedule.instances[node])
}

/// Returns the signal that carries `value`, `cycle` cycles after the start of its butterfly.
pub(super) fn at(kernel: &Kernel, delays: &mut Delays, value: Value, cycle: u32) -> String {
    let node = &kernel.body.graph.nodes[value.node];
    let ready = start(kernel, value.node) + node.latency;
    let signal = match &node.operation {
        Operation::Load(access) => loaded(kernel, value, access),
        _ => format!("{}_q", unit_name(kernel, value.node)),
    };
    delays.tap(&signal, 64, cycle - ready)
}

/// Returns the signal of a result of a load.
fn loaded(kernel: &Kernel, value: Value, access: &Access) -> String {
    let memory = &kernel.body.graph.memories[access.memory];
    let part = |i: usize| ["re", "im"][i % 2];
    if access.memory == Places::of(kernel.transform).w {
        return format!("w_{}_q", part(value.output));
    }
    let port = kernel.body.schedule.instances[value.node];
    match memory.banking {
        Banking::Parity => {
            let slot = access.slots[value.output / 2];
            let number = if slot == X { "x" } else { "y" };
            format!("{number}_{}_port{port}", part(value.output))
        }
        banking => {
            let bank = banking.bank(0, access.part);
            format!("bank{bank}_q{port}")
        }
    }
}

/// Returns the signal that a store writes for its number `number`: `{im, re}`, or one of them if
/// `part` is not both parts.
pub(super) fn stored(
    kernel: &Kernel,
    delays: &mut Delays,
    node: usize,
    number: usize,
    part: ComplexPart,
) -> String {
    let inputs = &kernel.body.graph.nodes[node].inputs;
    let cycle = start(kernel, node);
    match part {
        ComplexPart::Both => {
            let re = at(kernel, delays, inputs[2 * number], cycle);
            let im = at(kernel, delays, inputs[2 * number + 1], cycle);
            format!("{{{im}, {re}}}")
        }
        _ => at(kernel, delays, inputs[number], cycle),
    }
}
