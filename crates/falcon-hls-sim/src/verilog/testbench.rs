//! Files that accompany a circuit: a testbench that checks itself, its vectors, and a README with
//! the commands.

use super::source::{Source, TOP};
use super::text::width;
use crate::accelerator::{Accelerator, Error};
use crate::design::Design;
use crate::nest::Transform;
use crate::quantity::Count;
use std::fmt::Write;

/// Name of the testbench's module.
pub const TESTBENCH: &str = "falcon_fft_tb";

/// The modulus of Falcon: coefficients of a hashed point are smaller.
const Q: usize = 12289;

/// Returns the testbench, its inputs, its expected outputs, and the README.
///
/// # Errors
/// If the simulator cannot run the design.
pub(super) fn emit(
    accelerator: &Accelerator,
    transform: Transform,
    logn: u32,
) -> Result<Vec<Source>, Error> {
    let input: Vec<f64> = (0..1usize << logn).map(|i| (7919 * i % Q) as f64).collect();
    let mut output = input.clone();
    let run = accelerator.transform(transform, logn, &mut output, &mut ())?;
    let source = |name: &str, text| Source {
        name: name.into(),
        text,
    };
    let design = accelerator.design();
    Ok(vec![
        source(
            &format!("{TESTBENCH}.sv"),
            testbench(design, logn, run.cycles),
        ),
        source("input.hex", hex(&input)),
        source("expected.hex", hex(&output)),
        source(
            "README.md",
            readme(accelerator, transform, logn, run.cycles),
        ),
    ])
}

/// Formats a polynomial for the host port: one line `{im, re}` for each complex number.
fn hex(f: &[f64]) -> String {
    let (re, im) = f.split_at(f.len() / 2);
    let mut text = String::new();
    for (re, im) in re.iter().zip(im) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:016x}{:016x}", im.to_bits(), re.to_bits());
    }
    text
}

/// Returns the testbench. It changes the inputs at falling edges of the clock, so that no simulator
/// can read them too early.
fn testbench(design: &Design, logn: u32, cycles: u64) -> String {
    let words = (1usize << logn) / 2;
    let address = width(words);
    let latency = design.storage.read_latency;
    let high = address - 1;
    format!(
        r#"// Testbench of {TOP}: loads input.hex, runs the circuit once, and compares every bit of the
// result with expected.hex and the number of cycles with the simulator's.
// Written by falcon-cli hls verilog. A clock is 10 units of time.
module {TESTBENCH};
    localparam WORDS = {words};
    localparam READ_LATENCY = {latency};
    localparam CYCLES = {cycles};

    reg clk = 0;
    always #5 clk = !clk;

    reg reset = 1;
    reg start = 0;
    reg host_write = 0;
    reg [{high}:0] host_address = 0;
    reg [127:0] host_in = 0;
    wire done, busy;
    wire [31:0] cycles;
    wire [127:0] host_out;
    {TOP} circuit (.clk(clk), .reset(reset), .start(start), .done(done), .busy(busy),
        .cycles(cycles), .host_address(host_address), .host_write(host_write),
        .host_in(host_in), .host_out(host_out));

    reg [127:0] inputs [0:WORDS-1];
    reg [127:0] expected [0:WORDS-1];
    integer u, wrong, counted;

{}endmodule
"#,
        procedure(high)
    )
}

/// Returns the procedure of the testbench: it loads the inputs, runs the circuit, and compares the
/// outputs. `high` is the number of the highest bit of an address.
fn procedure(high: usize) -> String {
    format!(
        r#"    initial begin
        if ($test$plusargs("vcd")) begin
            $dumpfile("wave.vcd");
            $dumpvars;
        end
        $readmemh("input.hex", inputs);
        $readmemh("expected.hex", expected);
        repeat (64) @(negedge clk);
        reset = 0;

        host_write = 1;
        for (u = 0; u < WORDS; u = u + 1) begin
            host_address = u[{high}:0];
            host_in = inputs[u];
            @(negedge clk);
        end
        host_write = 0;

        start = 1;
        @(negedge clk);
        start = 0;
        counted = 0;
        while (!done && counted <= CYCLES) begin
            counted = counted + 1;
            @(negedge clk);
        end
        if (!done) $fatal(1, "FAIL: not done after %0d cycles", CYCLES);
        if (counted != CYCLES || cycles != CYCLES)
            $fatal(1, "FAIL: %0d cycles, %0d by the circuit's counter, %0d expected",
                counted, cycles, CYCLES);
        @(negedge clk);
        if (busy) $fatal(1, "FAIL: still busy after done");

        wrong = 0;
        for (u = 0; u < WORDS; u = u + 1) begin
            host_address = u[{high}:0];
            repeat (READ_LATENCY) @(negedge clk);
            if (host_out !== expected[u]) begin
                wrong = wrong + 1;
                if (wrong <= 10)
                    $display("number %0d is %h, expected %h", u, host_out, expected[u]);
            end
        end
        if (wrong != 0) $fatal(1, "FAIL: %0d of %0d numbers differ", wrong, WORDS);
        $display("PASS: %0d complex numbers equal, %0d cycles", WORDS, CYCLES);
        $finish;
    end
"#
    )
}

fn readme(accelerator: &Accelerator, transform: Transform, logn: u32, cycles: u64) -> String {
    let design = accelerator.design();
    let body = &accelerator.kernel(transform).body;
    let name = transform.name().to_uppercase();
    let degree = 1u32 << logn;
    let words = degree / 2;
    let interval = Count(body.schedule.interval.into(), "cycle");
    let depth = Count(body.depth().into(), "cycle");
    let latency = Count(design.storage.read_latency.into(), "clock");
    let micros = cycles as f64 * 1e6 / design.clock_hz as f64;
    let mhz = design.clock_hz as f64 / 1e6;
    format!(
        r#"# Falcon {name} of degree {degree} as a circuit

Synthesizable Verilog of the design `{}`, written by `falcon-cli hls verilog`. A butterfly starts
every {interval} and takes {depth}. The whole transform takes {cycles} cycles, which is
{micros:.2} us at {mhz} MHz.

## Simulate

The testbench loads `input.hex`, runs the circuit once, and compares every bit of the result with
`expected.hex` and the number of cycles with the simulator's. It prints `PASS` and ends with status 0,
or it prints `FAIL` and ends with another status. Verilator 5 or later:

```sh
verilator --binary --top-module {TESTBENCH} -y . {TESTBENCH}.sv
./obj_dir/V{TESTBENCH}
```

Icarus Verilog 11 or later:

```sh
iverilog -g2012 -y . -s {TESTBENCH} -o {TESTBENCH} {TESTBENCH}.sv
vvp {TESTBENCH}
```

For a waveform in `wave.vcd`, give `+vcd` to the simulation; Verilator also needs `--trace`.

## Synthesize

```sh
yosys -p "read_verilog {TOP}.v; hierarchy -top {TOP} -libdir .; synth_xilinx -family xc7 -flatten -noiopad -noclkbuf; stat"
```

Other tools take all `.v` files, with `{TOP}` as the top module. Vivado has not been run on them.
Nothing is placed or routed here, so {mhz} MHz is the design's clock, not a promise.

## Files

| file | what it is |
|---|---|
| `{TOP}.v` | the top module: control, schedule, ports; its head explains the ports |
| `bank.v`, `twiddles.v` | block RAM of the polynomial; ROM of the twiddle factors |
| `dmul.v`, `daddsub.v`, `dscale.v` | binary64 product, sum or difference, scaling by a power of two |
| `fp_*.v` | stages that these units share |
| `{TESTBENCH}.sv` | the testbench |
| `input.hex`, `expected.hex` | {words} complex numbers a file, a line each: imaginary part, then real part |

## Use it

1. Hold `reset` high for at least {depth}.
2. Write number `u` with `host_address = u`, `host_in = {{im, re}}` and `host_write` high for one clock.
3. Hold `start` high for one clock. `busy` is high until the transform has ended; `done` is high in its
   last clock.
4. Read number `u`: `host_out` is valid {latency} after `host_address = u`.
"#,
        design.name
    )
}
