//! Compares the units in Verilog with those in Rust. A unit in Verilog must give the same bits
//! after the specified number of clocks, and one result in each clock.

use crate::hdl::{self, Module};
use crate::operands::{Pairs, Random, scale_of, specials};
use falcon_hls_sim::catalog::{DADDSUB, DMUL, DSCALE};
use falcon_hls_sim::fp::{self, Subnormals};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Number of pairs of operands for each unit, in addition to all pairs of specials.
const PAIRS: usize = 3_000_000;
/// Number of pairs for a netlist, whose simulation is thirty times slower.
const NETLIST_PAIRS: usize = 100_000;

/// Latencies of the model, in clocks.
const LATENCIES: [u32; 3] = [DMUL.latency, DADDSUB.latency, DSCALE.latency];

/// The smallest number of clocks in which each unit can be built.
const STAGES: [(&str, u32); 3] = [("dmul", 6), ("daddsub", 7), ("dscale", 0)];

/// Two operands, the control, the result.
type Record = [u64; 4];

/// Streams the records through the simulation and compares two outputs: that of the unit with the
/// fewest stages, and that of the unit with the model's latency.
fn check(
    simulation: &Path,
    output: &str,
    latencies: [u32; 2],
    records: impl Iterator<Item = Record>,
) {
    let mut child = Command::new(simulation)
        .args([output, &latencies[0].to_string()])
        .args([&format!("{output}_later"), &latencies[1].to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the simulation");
    let mut count = 0;
    let mut input = BufWriter::with_capacity(1 << 16, child.stdin.take().expect("a pipe"));
    for record in records {
        // Writing fails if the simulation ended with an error. The output of the simulation then
        // contains the error.
        let bytes = record.map(u64::to_le_bytes);
        if input.write_all(bytes.as_flattened()).is_err() {
            break;
        }
        count += 1;
    }
    drop(input);
    let ended = child.wait_with_output().expect("the simulation's end");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{text}");
    assert_eq!(text, format!("{output} {count}\n{output}_later {count}\n"));
}

/// Checks every unit on all its operands.
fn check_units(simulation: &Path, pairs: usize) {
    let of = |unit: usize| [STAGES[unit].1, LATENCIES[unit]];
    let mode = Subnormals::Flush;
    let pairs = |seed| Pairs::new(seed).take(pairs + specials().len().pow(2));

    let products = pairs(4).map(|(a, b)| [a, b, 0, fp::multiply(mode, a, b)]);
    check(simulation, "product", of(0), products);

    let mut random = Random::new(5);
    let sums = pairs(6).map(|(a, b)| {
        let subtract = random.below(2);
        let unit = if subtract == 1 { fp::subtract } else { fp::add };
        [a, b, subtract, unit(mode, a, b)]
    });
    check(simulation, "sum", of(1), sums);

    let mut random = Random::new(7);
    let scaled = pairs(8).map(|(a, b)| {
        // The circuit takes a scale of 12 bits.
        let by = scale_of(&mut random, a).clamp(-2048, 2047);
        [a, b, by as u64, fp::scale(mode, a, by)]
    });
    check(simulation, "scaled", of(2), scaled);
}

/// Calls `f` with the module in `rtl/tests/units.v`, which has both variants of every unit.
fn with_units<R>(f: impl FnOnce(&Module, &Path) -> R) -> R {
    let tests = hdl::rtl().join("tests");
    let latency = |i: usize| i64::from(LATENCIES[i]);
    let module = Module {
        top: "units",
        sources: &[tests.join("units.v")],
        parameters: &[
            ("DMUL", latency(0)),
            ("DADDSUB", latency(1)),
            ("DSCALE", latency(2)),
        ],
    };
    f(&module, &tests.join("units.cpp"))
}

#[test]
fn units_have_the_bits_and_the_clocks_of_the_model() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    let simulation = with_units(|module, harness| module.simulation("units", harness));
    check_units(&simulation, PAIRS);
}

/// Checks that the cells that yosys chose compute the same, so that the counted circuits work. This
/// takes about a minute, so it only runs with `FALCON_FULL=1`.
#[test]
fn the_netlists_of_the_units_have_them_too() {
    if !hdl::asked("FALCON_FULL") {
        hdl::skipped("FALCON_FULL=1 asks for the netlists");
        return;
    }
    if !hdl::tools(&hdl::VERILATOR) || !hdl::tools(&["yosys"]) {
        return;
    }
    let simulation =
        with_units(|module, harness| module.netlist_simulation("units_netlist", harness));
    check_units(&simulation, NETLIST_PAIRS);
}

#[test]
fn units_have_no_lint() {
    if !hdl::tools(&["verilator"]) {
        return;
    }
    for (unit, stages) in STAGES {
        for latency in [stages, stages + 1, stages + 5] {
            let sources = &[hdl::rtl().join(format!("{unit}.v"))];
            let parameters = &[("LATENCY", latency.into())];
            let text = Module {
                top: unit,
                sources,
                parameters,
            }
            .lint();
            assert_eq!(text, Ok(()), "{unit}, latency {latency}");
        }
    }
}

/// A latency that is too small for a unit is an error before the simulation runs.
#[test]
fn too_small_a_latency_does_not_elaborate() {
    if !hdl::tools(&["verilator", "yosys"]) {
        return;
    }
    for (unit, stages) in &STAGES[..2] {
        let sources = &[hdl::rtl().join(format!("{unit}.v"))];
        let parameters = &[("LATENCY", i64::from(*stages) - 1)];
        let module = Module {
            top: unit,
            sources,
            parameters,
        };
        let says = format!("LATENCY_of_{unit}_is_below_its_{stages}_stages");
        for (tool, result) in [
            ("verilator", module.lint()),
            ("yosys", module.synthesis("refused").map(|_| ())),
        ] {
            let text = result.expect_err(tool);
            assert!(text.contains(&says), "{tool}: {text}");
        }
    }
}
