//! Keccak-f as synthesizable Verilog: the graph of the rounds as wires between registers of the
//! state.
//!
//! [`emit`] names the module [`TOP`]. Comments at its head explain its ports. The host port has 32
//! bits, as many as the bus of a small processor. The state must be in flip-flops, since a round
//! reads and writes all of it in one cycle. A wider port would only add multiplexers in front of
//! them.

use super::text::{Lines, number, range, width};
use super::{EmitError, Source};
use crate::graph::{Access, Node, Operation};
use crate::keccak::{KeccakCircuit, OTHER, ROUND_CONSTANTS, STATE, State, WORDS};
use crate::logic::Logic;
use crate::quantity::Count;

/// Name of the emitted module.
pub const TOP: &str = "falcon_keccak";

/// Number of words of 32 bits that the host port reads and writes.
const HALVES: usize = 2 * WORDS;

/// Emits the permutation of `circuit` as Verilog.
///
/// # Errors
/// [`EmitError::Rounds`] if the state is not in registers, or if the body of the loop takes more
/// than one cycle.
pub fn emit(circuit: &KeccakCircuit) -> Result<Source, EmitError> {
    let body = &circuit.rounds().body;
    if circuit.design().state != State::Registers || body.depth() != 1 {
        return Err(EmitError::Rounds);
    }
    let mut out = Lines::default();
    out.comment(&format!(
        "Keccak-f, design {}: {} a cycle.",
        circuit.design().name,
        Count(circuit.design().unrolled_rounds.into(), "round")
    ));
    out.comment("Written by falcon-cli hls keccak verilog.");
    for line in [
        "`reset` is synchronous. A clock of `start` while idle begins; `busy` is high from",
        "then on, and `done` for its last clock: in the next, everything can be read.",
        "`cycles`, from then to the next start, says for how many clocks `busy` was high.",
        "While `busy` is low, the host port reads and writes the state, half a word at a time:",
        "the low half of word i is at address 2i, the high half at 2i + 1.",
        "`host_in` is written at a clock at which `host_write` is high; `host_out` comes",
        "1 clock after its `host_address`.",
    ] {
        out.comment(line);
    }
    out.line(&format!("module {TOP} ("));
    for port in [
        "input  wire clk".into(),
        "input  wire reset".into(),
        "input  wire start".into(),
        "output wire done".into(),
        "output reg  busy".into(),
        "output reg  [31:0] cycles".into(),
        format!("input  wire {}host_address", range(width(HALVES))),
        "input  wire host_write".into(),
        "input  wire [31:0] host_in".into(),
    ] {
        out.line(&format!("    {port},"));
    }
    out.line("    output reg  [31:0] host_out");
    out.line(");");
    let words: Vec<String> = (0..WORDS).map(state).collect();
    out.line(&format!("    reg [63:0] {};", words.join(", ")));
    control(&mut out, circuit);
    rounds(&mut out, circuit);
    host(&mut out);
    out.line("endmodule");
    Ok(Source {
        name: format!("{TOP}.v"),
        text: out.into_string(),
    })
}

/// Name of the register of a word of the state.
fn state(word: usize) -> String {
    format!("a{word}")
}

/// Emits `index`, the number of the iteration.
fn control(out: &mut Lines, circuit: &KeccakCircuit) {
    let count = circuit.rounds().iterations().len();
    let bits = width(count);
    out.line(&format!("    reg {}index;", range(bits)));
    out.line(&format!(
        "    assign done = busy && index == {};",
        number(bits, count - 1)
    ));
    out.line(
        "    always @(posedge clk) begin
        if (reset) busy <= 0;
        else if (start && !busy) busy <= 1;
        else if (done) busy <= 0;
        index <= busy ? index + 1 : 0;
        if (busy) cycles <= cycles + 1;
        else if (start) cycles <= 0;
    end
",
    );
}

/// Emits a wire for each result of the graph, and the registers of the state.
fn rounds(out: &mut Lines, circuit: &KeccakCircuit) {
    let nodes = &circuit.rounds().body.graph.nodes;
    let mut stores = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        match &node.operation {
            Operation::Load(access) if access.memory == OTHER => {
                constants(out, circuit, i, access);
            }
            Operation::Store(access) => {
                let word = word(circuit, access);
                let value = value(circuit, node.inputs[0].node);
                stores.push(format!("            {} <= {value};", state(word)));
            }
            Operation::Logic(logic) => {
                let expression = expression(circuit, *logic, node);
                let name = &node.name;
                out.line(&format!("    wire [63:0] n{i} = {expression}; // {name}"));
            }
            // A load of the state has no wire of its own. The graph has no arithmetic.
            _ => {}
        }
    }
    out.line("    always @(posedge clk)");
    out.line("        if (busy) begin");
    stores.iter().for_each(|store| out.line(store));
    out.line("        end else if (host_write)");
    out.line("            case (host_address)");
    for half in 0..HALVES {
        out.line(&format!(
            "                {}: {} <= host_in;",
            number(width(HALVES), half),
            part(half)
        ));
    }
    out.line("                default: ;");
    out.line("            endcase");
}

/// Emits the constant that node `i` loads, by iteration.
fn constants(out: &mut Lines, circuit: &KeccakCircuit, i: usize, access: &Access) {
    out.line(&format!("    reg [63:0] n{i};"));
    out.line("    always @*");
    out.line("        case (index)");
    let iterations = circuit.rounds().iterations();
    for (index, iteration) in iterations.iter().enumerate() {
        let constant = ROUND_CONSTANTS[iteration.address(access.slots[0])];
        out.line(&format!(
            "            {}: n{i} = 64'h{constant:016x};",
            number(width(iterations.len()), index)
        ));
    }
    out.line(&format!("            default: n{i} = 0;"));
    out.line("        endcase");
}

/// Returns the word of the state that `access` reads or writes in every iteration.
fn word(circuit: &KeccakCircuit, access: &Access) -> usize {
    circuit.rounds().iterations()[0].address(access.slots[0])
}

/// Returns the signal of the result of node `i`.
fn value(circuit: &KeccakCircuit, i: usize) -> String {
    match &circuit.rounds().body.graph.nodes[i].operation {
        Operation::Load(access) if access.memory == STATE => state(word(circuit, access)),
        _ => format!("n{i}"),
    }
}

/// Returns the expression of a function of the operands of `node`.
fn expression(circuit: &KeccakCircuit, logic: Logic, node: &Node) -> String {
    let operands = node.inputs.iter();
    let operands: Vec<String> = operands.map(|input| value(circuit, input.node)).collect();
    match (logic, &operands[..]) {
        (Logic::Chi, [a, b, c]) => format!("{a} ^ (~{b} & {c})"),
        (Logic::Rotate(by), [a]) if by % 64 > 0 => {
            let by = by % 64;
            format!("{{{a}[{}:0], {a}[63:{}]}}", 63 - by, 64 - by)
        }
        _ => operands.join(" ^ "),
    }
}

/// Returns a half of a word as a part of its register.
fn part(half: usize) -> String {
    let low = 32 * (half % 2);
    format!("{}[{}:{low}]", state(half / 2), low + 31)
}

/// Emits the reading side of the host port.
fn host(out: &mut Lines) {
    out.line("    always @(posedge clk)");
    out.line("        case (host_address)");
    for half in 0..HALVES {
        out.line(&format!(
            "            {}: host_out <= {};",
            number(width(HALVES), half),
            part(half)
        ));
    }
    out.line("            default: host_out <= 0;");
    out.line("        endcase");
}
