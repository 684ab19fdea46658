//! Designs that have no Verilog, and the structure of the emitted text.

use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::{Design, Pipelining, Preset, Storage};
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::verilog::{EmitError, TOP, emit};

fn refused(design: Design) -> EmitError {
    let accelerator = Accelerator::new(design).expect("a design");
    emit(&accelerator, Transform::Fft, 9).expect_err("no circuit")
}

#[test]
fn what_has_no_circuit_is_refused_by_its_name() {
    let good = Preset::PaperOptimized.design();
    let storage = |change: fn(&mut Storage)| {
        let mut design = good.clone();
        change(&mut design.storage);
        design
    };
    assert_eq!(refused(Preset::PaperOriginal.design()), EmitError::Storage);
    assert_eq!(refused(storage(|s| s.ports = 4)), EmitError::Ports(4));
    assert_eq!(
        refused(storage(|s| s.write_latency = 2)),
        EmitError::WriteLatency(2)
    );
    let mut design = good.clone();
    design.pipelining = Pipelining::Innermost { overhead: 2 };
    assert_eq!(refused(design), EmitError::Nested);
    let mut design = good.clone();
    design.multiplier.latency = 5;
    let (unit, least) = ("dmul", 6);
    assert_eq!(refused(design), EmitError::Latency { unit, least });
    let mut design = good.clone();
    design.adder.latency = 6;
    let (unit, least) = ("daddsub", 7);
    assert_eq!(refused(design), EmitError::Latency { unit, least });

    let accelerator = Accelerator::new(good).expect("a design");
    for transform in [Transform::Split, Transform::Merge] {
        let refused = emit(&accelerator, transform, 9);
        assert_eq!(refused, Err(EmitError::Transform(transform)));
    }
    for logn in [0, 1, 11] {
        let refused = emit(&accelerator, Transform::Fft, logn);
        assert_eq!(refused, Err(EmitError::Degree { logn }));
    }
}

/// Checks that each source has the module of its name, that the head of the top module describes
/// every port, and that the companion files are there.
#[test]
fn sources_are_complete() {
    for preset in [Preset::BramDep, Preset::PaperOptimized, Preset::Ii1Xor] {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        for logn in 2..=10 {
            let emission = emit(&accelerator, Transform::Ifft, logn).expect("Verilog");
            assert_eq!(emission.sources[0].name, format!("{TOP}.v"));
            for source in &emission.sources {
                let module = source.name.strip_suffix(".v").expect("a Verilog file");
                assert!(source.text.contains(&format!("\nmodule {module} ")));
            }
            assert_eq!(emission.words, 1 << (logn - 1));
            // The ports are described above the first line that is not a comment.
            let mut lines = emission.sources[0].text.lines();
            let head = lines.by_ref().take_while(|line| line.starts_with("//"));
            let head = head.collect::<Vec<_>>().join(" ");
            let ports = lines.skip_while(|line| !line.starts_with("module "));
            let ports = ports.skip(1).take_while(|line| *line != ");");
            for port in ports.map(|line| line.trim_end_matches(',').rsplit(' ').next()) {
                let port = port.expect("a name");
                assert!(
                    port == "clk" || head.contains(&format!("`{port}`")),
                    "{port}"
                );
            }
            let latency = format!("{} clocks after", emission.read_latency);
            assert!(head.contains(&latency), "{head}");
            let names = emission
                .companions
                .iter()
                .map(|source| source.name.as_str());
            let names: Vec<&str> = names.collect();
            let expected = ["falcon_fft_tb.sv", "input.hex", "expected.hex", "README.md"];
            assert_eq!(names, expected);
            for vectors in &emission.companions[1..3] {
                assert_eq!(vectors.text.lines().count(), emission.words);
            }
        }
    }
}
