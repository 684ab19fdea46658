//! Constant time of the emitted circuits, by their structure: no control bit of the netlist that
//! yosys makes depends on data. The module [`netlist`](crate::netlist) defines both.

use crate::hdl;
use crate::netlist::{Netlist, Verdict};
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::catalog::{DADDSUB, DMUL, DSCALE};
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::keccak::{KeccakCircuit, KeccakPreset};
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::verilog::{self, Source, TOP};
use std::fs;

/// A circuit whose data go through the ports `host_in` and `host_out`.
struct Circuit {
    name: String,
    top: &'static str,
    sources: Vec<Source>,
    /// Control that the verdict must have judged.
    judged: &'static [&'static str],
}

impl Circuit {
    fn fft(preset: Preset, transform: Transform, logn: u32) -> Self {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        let emission = verilog::emit(&accelerator, transform, logn).expect("Verilog");
        Self {
            name: format!("timing-{}-{}-{logn}", preset.name(), transform.name()),
            top: TOP,
            sources: emission.sources,
            judged: &[
                "address of bank0.words",
                "address of twiddles.words",
                "clock of bank0.words",
                "clock of cycles",
                "enable of bank0.words",
                "enable of cycles",
                "output busy",
                "output cycles",
                "output done",
                "select of bank0.address0",
                "select of bank0.in0",
            ],
        }
    }

    fn verdict(&self) -> Verdict {
        let module = hdl::Module {
            top: self.top,
            sources: &hdl::written(&self.name, &self.sources),
            parameters: &[],
        };
        let netlist = module.netlist(&self.name);
        let netlist = netlist.unwrap_or_else(|text| panic!("{}: {text}", self.name));
        Netlist::parse(&netlist, self.top).verdict()
    }
}

/// The emitted circuits. Small transforms wait for earlier butterflies.
fn circuits() -> Vec<Circuit> {
    let presets = Preset::ALL.into_iter();
    let presets = presets.filter(|&preset| preset != Preset::PaperOriginal);
    let degrees: &[u32] = if hdl::asked("FALCON_FULL") {
        &[9, 5, 8, 10]
    } else {
        hdl::skipped("degrees 256 and 1024 (FALCON_FULL=1 for them)");
        &[9, 5]
    };
    let transforms = presets.flat_map(|preset| {
        degrees.iter().flat_map(move |&logn| {
            [Transform::Fft, Transform::Ifft].map(|it| Circuit::fft(preset, it, logn))
        })
    });
    let permutation = KeccakCircuit::new(KeccakPreset::RoundPerCycle.design());
    let permutation = verilog::keccak::emit(&permutation.expect("a preset"));
    transforms
        .chain([Circuit {
            name: "timing-keccak".to_owned(),
            top: verilog::keccak::TOP,
            sources: vec![permutation.expect("Verilog")],
            judged: &["output busy"],
        }])
        .collect()
}

#[test]
fn no_control_depends_on_data() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    for circuit in circuits() {
        let verdict = circuit.verdict();
        let name = &circuit.name;
        assert!(verdict.leaks.is_empty(), "{name}: {:#?}", verdict.leaks);
        // The verdict is not empty: data pass, and control is there.
        assert!(verdict.data_out > 0, "{name}");
        for what in circuit.judged {
            let judged = verdict.judged.get(*what);
            assert!(
                judged.is_some_and(|&bits| bits > 0),
                "{name}: {what} in {:#?}",
                verdict.judged
            );
        }
    }
}

/// Plants dependences on data in the emitted text. Each must be reported by its name.
#[test]
fn planted_dependences_are_found() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    let top = "falcon_fft.v";
    // The register `zero` is set after a word with exponent zero was read.
    let zero = [
        (top, "    reg running;", "    reg zero;\n    reg running;"),
        (
            top,
            "bank0_q0_1 <= bank0_q0;",
            "bank0_q0_1 <= bank0_q0;\n        zero <= bank0_q0[62:52] == 0;",
        ),
    ];
    for (file, from, to, found) in [
        (
            top,
            "_port0_address = busy ? bank0_port0_run_address",
            "_port0_address = busy ? bank0_port0_run_address ^ zero",
            "address of bank0.words",
        ),
        (
            top,
            "{1'b0, host_address}",
            "{1'b0, host_address ^ host_in[3:0]}",
            "address of bank0.words",
        ),
        (
            top,
            "bank0_port0_run_write : host_write",
            "bank0_port0_run_write && !zero : host_write",
            "enable of bank0.words",
        ),
        (
            top,
            "bank0 (.clk(clk)",
            "bank0 (.clk(clk && !zero)",
            "clock of bank0.words",
        ),
        // A stall, an early end, a late sign of it, a wrong count.
        (
            top,
            "issue = slot &&",
            "issue = slot && !zero &&",
            "address of twiddles.words",
        ),
        (
            top,
            "if (done) busy",
            "if (done || zero) busy",
            "output busy",
        ),
        (
            top,
            "done = busy &&",
            "done = busy && !zero &&",
            "output done",
        ),
        (
            top,
            "else cycles",
            "else if (!zero) cycles",
            "enable of cycles",
        ),
        // Registers of data that wait or are cleared.
        (
            top,
            "bank0_q0_2 <= bank0_q0_1;",
            "if (!zero) bank0_q0_2 <= bank0_q0_1;",
            "enable of bank0_q0_2",
        ),
        (
            top,
            "bank0_q0_2 <= bank0_q0_1;",
            "end
    always @(posedge clk or posedge zero)
        if (zero) bank0_q0_2 <= 0; else bank0_q0_2 <= bank0_q0_1;
    always @(posedge clk) begin",
            "reset of bank0_q0_2",
        ),
        (
            top,
            "_port0_in = busy ?",
            "_port0_in = busy && !zero ?",
            "select of bank0.in0",
        ),
        // A unit that waits if an operand is zero.
        (
            "dmul.v",
            "a1 <= a;",
            "if (|a[62:52]) a1 <= a;",
            "enable of dmul0.x",
        ),
    ] {
        let mut circuit = Circuit::fft(Preset::PaperOptimized, Transform::Fft, 5);
        circuit.name += "-planted";
        for (file, from, to) in zero.into_iter().chain([(file, from, to)]) {
            let mut sources = circuit.sources.iter_mut();
            let source = sources
                .find(|source| source.name == file)
                .expect("a source");
            assert_eq!(source.text.matches(from).count(), 1, "{from} in {file}");
            source.text = source.text.replace(from, to);
        }
        let leaks = circuit.verdict().leaks;
        let found = format!("{found} depends on ");
        let reported = leaks.iter().any(|leak| leak.starts_with(&found));
        assert!(reported, "{to}: no {found}in {leaks:#?}");
    }
}

/// A select may depend on data in a unit, since the unit is a pipeline. A planted wait is reported.
#[test]
fn units_are_pipelines() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    let waits = |unit: &str, latency: u32, change: Option<(&str, &str)>| {
        let name = format!("{unit}.v");
        let mut text = fs::read_to_string(hdl::rtl().join(&name)).expect("a unit");
        if let Some((from, to)) = change {
            assert_eq!(text.matches(from).count(), 1, "{from} in {name}");
            text = text.replace(from, to);
        }
        let folder = format!("timing-{unit}");
        let module = hdl::Module {
            top: unit,
            sources: &hdl::written(&folder, &[Source { name, text }]),
            parameters: &[("LATENCY", latency.into())],
        };
        let netlist = module.netlist(&folder).expect("a netlist");
        Netlist::parse(&netlist, unit).waits()
    };
    for unit in [DMUL, DADDSUB, DSCALE] {
        let found = waits(unit.name, unit.latency, None);
        assert!(found.is_empty(), "{}: {found:#?}", unit.name);
    }
    for (to, found) in [
        ("if (!b[0]) a1 <= a;", "$dffe of x"),
        (
            "a1 <= a & {64{!b[0]}} | a1 & {64{b[0]}};",
            "loop that reaches x",
        ),
    ] {
        let reported = waits("dmul", DMUL.latency, Some(("a1 <= a;", to)));
        assert!(
            reported.contains(found),
            "{to}: no {found} in {reported:#?}"
        );
    }
}
