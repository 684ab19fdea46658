//! Runs the emitted testbench with the commands of its README.

use crate::hdl;
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::setting::Setting;
use falcon_hls_sim::verilog::emit;
use std::fs;
use std::process::Command;

/// Returns the commands of the README's block that begins with `tool`.
fn commands_of<'a>(readme: &'a str, tool: &str) -> &'a str {
    let blocks = readme.split("```sh\n").skip(1);
    let mut blocks = blocks.filter_map(|block| block.split("```").next());
    let found = blocks.find(|block| block.starts_with(tool));
    found.unwrap_or_else(|| panic!("{tool} in {readme}"))
}

/// Runs the README's commands unchanged. The testbench must pass. It must fail if a digit of the
/// expected result is changed, or if the circuit takes one cycle more than expected.
#[test]
fn the_testbench_runs_by_the_commands_of_its_readme() {
    let latency = [Setting::ReadLatency(1)];
    for (preset, transform, logn, settings) in [
        (Preset::PaperOptimized, Transform::Fft, 4, &[][..]),
        (Preset::Ii1Xor, Transform::Ifft, 5, &latency),
    ] {
        let design = preset.design().with(settings);
        let accelerator = Accelerator::new(design.clone()).expect("a design");
        let emission = emit(&accelerator, transform, logn).expect("Verilog");
        let name = format!("testbench-{}", preset.name());
        let files = hdl::written(&name, &[emission.sources, emission.companions].concat());
        let folder = files[0].parent().expect("a folder");
        let file = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a folder");
        let shell = |commands: &str| {
            let mut shell = Command::new("sh");
            hdl::run(shell.args(["-e", "-c", commands]).current_dir(folder))
        };
        let [readme, expected, bench] = ["README.md", "expected.hex", "falcon_fft_tb.sv"].map(file);
        for tool in ["verilator", "iverilog"] {
            let there = match tool {
                "verilator" => hdl::tools(&hdl::VERILATOR),
                _ => hdl::program(tool).is_some(),
            };
            if !there {
                continue;
            }
            let commands = commands_of(&readme, tool);
            let (passed, said) = shell(commands);
            assert!(passed && said.contains("PASS"), "{name} {tool}: {said}");
            if transform != Transform::Fft {
                continue;
            }
            let flipped = match expected.as_bytes()[20] {
                b'0' => "1",
                _ => "0",
            };
            let wrong = format!("{}{flipped}{}", &expected[..20], &expected[21..]);
            write("expected.hex", &wrong);
            // The simulation reads the vectors when it runs, so nothing has to be built.
            let (passed, said) = shell(commands.lines().last().expect("a command"));
            write("expected.hex", &expected);
            assert!(!passed && said.contains("FAIL: 1 of 8"), "{tool}: {said}");

            let run = Measurement::new(design.clone(), transform, logn).expect("it runs");
            let cycles = run.run.cycles;
            let parameter = |cycles: u64| format!("CYCLES = {cycles}");
            let changed = bench.replace(&parameter(cycles), &parameter(cycles - 1));
            assert_ne!(changed, bench);
            write("falcon_fft_tb.sv", &changed);
            let (passed, said) = shell(commands);
            write("falcon_fft_tb.sv", &bench);
            assert!(!passed && said.contains("FAIL"), "{tool}: {said}");
        }
    }
}
