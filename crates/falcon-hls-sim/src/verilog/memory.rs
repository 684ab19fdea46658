//! Banks, their ports by phase, the access of the host, and the twiddles.

use super::datapath::{on_instance, phase, start, stored};
use super::text::{Delays, Lines, range, width};
use crate::accelerator::{Kernel, twiddle_rom};
use crate::butterfly::Places;
use crate::design::Storage;
use crate::graph::{Access, Banking, ComplexPart, Operation, UnitKind};
use crate::nest::{TO_X, X};

/// Index of the polynomial's memory, which is transformed in place.
const POLYNOMIAL: usize = 0;

/// Emits the banks of the polynomial with two ports each, and the twiddles' memory.
pub(super) fn emit(kernel: &Kernel, storage: &Storage, logn: u32, delays: &mut Delays) -> Lines {
    let half = (1usize << logn) / 2;
    let address = width(half);
    let mut out = Lines::default();
    out.line("    // Banks: ports by phase; the host's while idle.");
    for port in 0..2 {
        for bank in 0..storage.banking.banks() {
            emit_port(
                kernel,
                storage.banking,
                address,
                [bank, port],
                delays,
                &mut out,
            );
        }
        if storage.banking == Banking::Parity {
            emit_exchange(kernel, storage, port, address, delays, &mut out);
        }
    }
    let (width, bank_address) = match storage.banking {
        Banking::Single => (64, address + 1),
        Banking::ReIm => (64, address),
        Banking::Parity => (128, address.max(2) - 1),
    };
    for bank in 0..storage.banking.banks() {
        out.line(&format!(
            "    wire {}bank{bank}_q0, bank{bank}_q1;",
            range(width)
        ));
        out.line(&format!(
            "    bank #(.WIDTH({width}), .ADDRESS({bank_address}), .LATENCY({})) bank{bank} (.clk(clk),",
            storage.read_latency
        ));
        for port in 0..2 {
            let name = format!("bank{bank}_port{port}");
            let end = if port == 0 { "," } else { ");" };
            out.line(&format!(
                "        .address{port}({name}_address), .write{port}({name}_write), .in{port}({name}_in), .q{port}(bank{bank}_q{port}){end}"
            ));
        }
    }
    emit_host(storage, address, delays, &mut out);
    emit_rom(kernel, address, delays, &mut out);
    out
}

/// Emits the address, write and data signals of one port of a bank.
fn emit_port(
    kernel: &Kernel,
    banking: Banking,
    address: usize,
    [bank, port]: [usize; 2],
    delays: &mut Delays,
    out: &mut Lines,
) {
    let (mut addresses, mut writes, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
    for (unit, description) in kernel.body.graph.units.iter().enumerate() {
        if description.kind != UnitKind::Port(POLYNOMIAL) {
            continue;
        }
        for node in on_instance(kernel, unit, port) {
            let (access, store) = match &kernel.body.graph.nodes[node].operation {
                Operation::Load(access) => (access, false),
                Operation::Store(access) => (access, true),
                _ => continue,
            };
            if banking == Banking::ReIm && banking.bank(0, access.part) != bank {
                continue;
            }
            let (phase, cycle) = (phase(kernel, node), start(kernel, node));
            addresses.push((
                phase,
                bank_address(access, cycle, bank, address, banking, delays),
            ));
            let valid = delays.tap_action("issue", cycle);
            writes.push((phase, if store { valid } else { "1'b0".into() }));
            if store {
                inputs.push((
                    phase,
                    bank_input(kernel, node, access, [bank, address], delays),
                ));
            }
        }
    }
    let name = format!("bank{bank}_port{port}");
    let (host_address, host_write, host_in) = host(banking, address, bank, port);
    let width = if banking == Banking::Parity { 128 } else { 64 };
    let bank_bits = match banking {
        Banking::Single => address + 1,
        Banking::ReIm => address,
        Banking::Parity => address.max(2) - 1,
    };
    out.choose(bank_bits, &format!("{name}_run_address"), &addresses);
    out.choose(1, &format!("{name}_run_write"), &writes);
    out.choose(width, &format!("{name}_run_in"), &inputs);
    out.line(&format!(
        "    wire {}{name}_address = busy ? {name}_run_address : {host_address};",
        range(bank_bits)
    ));
    out.line(&format!(
        "    wire {name}_write = busy ? {name}_run_write : {host_write};"
    ));
    out.line(&format!(
        "    wire {}{name}_in = busy ? {name}_run_in : {host_in};",
        range(width)
    ));
}

fn is_x(slot: usize) -> bool {
    slot == X || slot == TO_X
}

/// Returns the address in a bank for an access that starts `cycle` cycles after the start of its
/// butterfly.
fn bank_address(
    access: &Access,
    cycle: u32,
    bank: usize,
    bits: usize,
    banking: Banking,
    delays: &mut Delays,
) -> String {
    let first = if is_x(access.slots[0]) { "ax" } else { "ay" };
    let first = delays.tap(first, bits, cycle);
    match banking {
        Banking::Single => format!(
            "{{1'b{}, {first}}}",
            u8::from(access.part == ComplexPart::Im)
        ),
        Banking::ReIm => first,
        Banking::Parity => {
            let (x, y) = (first, delays.tap("ay", bits, cycle));
            let high = if bits > 1 {
                format!("[{}:1]", bits - 1)
            } else {
                String::new()
            };
            format!("^{x} == 1'b{bank} ? {x}{high} : {y}{high}")
        }
    }
}

/// Returns the word that a store writes to a bank.
fn bank_input(
    kernel: &Kernel,
    node: usize,
    access: &Access,
    [bank, bits]: [usize; 2],
    delays: &mut Delays,
) -> String {
    if access.part != ComplexPart::Both {
        return stored(kernel, delays, node, 0, access.part);
    }
    let x = stored(kernel, delays, node, 0, ComplexPart::Both);
    let y = stored(kernel, delays, node, 1, ComplexPart::Both);
    let address = delays.tap("ax", bits, start(kernel, node));
    format!("^{address} == 1'b{bank} ? {x} : {y}")
}

/// Returns the address, write and data signals of the host at a port.
fn host(banking: Banking, bits: usize, bank: usize, port: usize) -> (String, String, String) {
    let part = |i: usize| ["host_in[63:0]", "host_in[127:64]"][i].to_owned();
    match banking {
        Banking::Single => (
            format!("{{1'b{port}, host_address}}"),
            "host_write".into(),
            part(port),
        ),
        Banking::ReIm if port == 0 => ("host_address".into(), "host_write".into(), part(bank)),
        Banking::Parity if port == 0 => {
            let high = if bits > 1 {
                format!("[{}:1]", bits - 1)
            } else {
                String::new()
            };
            (
                format!("host_address{high}"),
                format!("host_write && ^host_address == 1'b{bank}"),
                "host_in".into(),
            )
        }
        Banking::ReIm => ("host_address".into(), "1'b0".into(), "64'd0".into()),
        Banking::Parity => {
            let high = if bits > 1 {
                format!("[{}:1]", bits - 1)
            } else {
                String::new()
            };
            (
                format!("host_address{high}"),
                "1'b0".into(),
                "128'd0".into(),
            )
        }
    }
}

/// Assigns the words of two banks to `x` and `y`, by the parity of the address of `x`.
fn emit_exchange(
    kernel: &Kernel,
    storage: &Storage,
    port: usize,
    address: usize,
    delays: &mut Delays,
    out: &mut Lines,
) {
    let nodes = kernel.body.graph.loads().map(|(node, _)| node);
    let mut loads = nodes.filter(|&node| {
        let unit = &kernel.body.graph.units[kernel.body.graph.nodes[node].unit];
        unit.kind == UnitKind::Port(POLYNOMIAL) && kernel.body.schedule.instances[node] == port
    });
    let Some(load) = loads.next() else { return };
    let cycle = start(kernel, load) + storage.read_latency;
    let x = delays.tap("ax", address, cycle);
    out.line(&format!("    wire odd_port{port} = ^{x};"));
    for (number, [even, odd]) in [("x", [0, 1]), ("y", [1, 0])] {
        for (part, bits) in [("re", "63:0"), ("im", "127:64")] {
            out.line(&format!(
                "    wire [63:0] {number}_{part}_port{port} = odd_port{port} ? bank{odd}_q{port}[{bits}] : bank{even}_q{port}[{bits}];"
            ));
        }
    }
}

fn emit_host(storage: &Storage, address: usize, delays: &mut Delays, out: &mut Lines) {
    match storage.banking {
        Banking::Single => out.line("    assign host_out = {bank0_q1, bank0_q0};"),
        Banking::ReIm => out.line("    assign host_out = {bank1_q0, bank0_q0};"),
        Banking::Parity => {
            let read = delays.tap("host_address", address, storage.read_latency);
            out.line(&format!(
                "    assign host_out = ^{read} ? bank1_q0 : bank0_q0;"
            ));
        }
    }
}

fn emit_rom(kernel: &Kernel, address: usize, delays: &mut Delays, out: &mut Lines) {
    let mut loads = kernel.body.graph.loads();
    let rom = loads.find(|(_, access)| access.memory == Places::of(kernel.transform).w);
    let Some((node, _)) = rom else { return };
    let w = delays.tap("aw", address, start(kernel, node));
    let latency = kernel.body.graph.nodes[node].latency;
    out.line("    wire [63:0] w_re_q, w_im_q;");
    out.line(&format!(
        "    twiddles #(.LATENCY({latency})) twiddles (.clk(clk), .address({w}), .re(w_re_q), .im(w_im_q));"
    ));
}

/// Returns the Verilog module `twiddles`, the memory of the twiddles for degree `2^logn`.
pub(super) fn twiddles(logn: u32) -> String {
    let rom = twiddle_rom(logn);
    let address = width(rom.len());
    let mut out = Lines::default();
    out.comment("Twiddles: of a stage of m blocks from address m on; address 0 is not used.");
    out.line("module twiddles #(");
    out.line("    parameter LATENCY = 2");
    out.line(") (");
    out.line("    input  wire clk,");
    out.line(&format!("    input  wire {}address,", range(address)));
    out.line("    output wire [63:0] re,");
    out.line("    output wire [63:0] im");
    out.line(");");
    out.line(&format!(
        "    reg [127:0] words [0:{}];",
        (1 << address) - 1
    ));
    out.line("    initial begin");
    for (i, [re, im]) in rom.iter().enumerate() {
        out.line(&format!("        words[{i}] = 128'h{im:016x}{re:016x};"));
    }
    out.line("    end");
    out.line("    reg [127:0] q;");
    out.line("    always @(posedge clk) q <= words[address];");
    out.line("    wire [127:0] late;");
    out.line(
        "    fp_delay #(.WIDTH(128), .STAGES(LATENCY - 1)) delay (.clk(clk), .d(q), .q(late));",
    );
    out.line("    assign {im, re} = late;");
    out.line("endmodule");
    out.into_string()
}
