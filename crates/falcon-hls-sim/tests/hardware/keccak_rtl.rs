//! Runs the emitted Keccak-f in Verilator. It must have the bits of the permutation and the cycles
//! of the simulator.

use crate::hdl;
use falcon_core::seams::hash::Shake256;
use falcon_hls_sim::keccak::{KeccakCircuit, KeccakDesign, KeccakPreset, ROTATIONS, WORDS};
use falcon_hls_sim::verilog::keccak::{TOP, emit};
use falcon_hls_sim::verilog::{EmitError, Source};

/// Builds a simulation of `source` and runs it on random states and extreme ones. Returns the
/// number of results that are not the permutation's. Every result must take `cycles` cycles.
fn wrong(name: &str, source: Source, cycles: u64) -> usize {
    let module = hdl::Module {
        top: TOP,
        sources: &hdl::written(name, &[source]),
        parameters: &[],
    };
    assert_eq!(module.lint(), Ok(()), "{name}");
    let program = module.simulation(name, &hdl::rtl().join("tests/keccak.cpp"));
    let mut stream = Shake256::reader(b"states of the circuit");
    let mut random = |_| [(); WORDS].map(|()| u64::from_le_bytes(stream.read_array()));
    let extreme = [[0; WORDS], [u64::MAX; WORDS]];
    let states: Vec<_> = extreme
        .into_iter()
        .chain((0..200).map(&mut random))
        .collect();
    let input = [&[states.len() as u64], states.as_flattened()].concat();
    let output = hdl::pipe(&program, &hdl::rtl(), &input);
    assert_eq!(output.len(), states.len() * (WORDS + 1));
    let differs = |(state, output): (&[u64; WORDS], &[u64])| {
        let mut expected = *state;
        keccak::Keccak::new().with_f1600(|f1600| f1600(&mut expected));
        assert_eq!(output[WORDS], cycles, "{name}");
        output[..WORDS] != expected
    };
    let results = states.iter().zip(output.chunks(WORDS + 1));
    results.filter(|&pair| differs(pair)).count()
}

/// Rounds in each cycle: one as in the preset, and two. Then the comparison must fail if a rotation
/// or a round constant of the text is changed.
#[test]
fn the_permutation_has_its_bits_and_cycles() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    let design = KeccakPreset::RoundPerCycle.design();
    let mut cases = vec![1];
    if hdl::asked("FALCON_FULL") {
        cases.push(2);
    } else {
        hdl::skipped("two rounds a cycle (FALCON_FULL=1)");
    }
    for unrolled_rounds in cases {
        let circuit = KeccakCircuit::new(KeccakDesign {
            unrolled_rounds,
            ..design.clone()
        });
        let circuit = circuit.expect("a design");
        let cycles = circuit.cycles().permute;
        assert_eq!(cycles, 24 / u64::from(unrolled_rounds));
        let source = emit(&circuit).expect("Verilog");
        let name = format!("keccak-{unrolled_rounds}");
        assert_eq!(wrong(&name, source, cycles), 0, "{name}");
    }

    let circuit = KeccakCircuit::new(design).expect("a design");
    let source = emit(&circuit).expect("Verilog");
    // Rho rotates word 24, which pi moves to place 4.
    let by = ROTATIONS[24];
    let line = source.text.lines().find(|line| line.ends_with("// b[4]"));
    let line = line.expect("a rotation");
    let more = line.replace(&format!("[{}:0]", 63 - by), &format!("[{}:0]", 62 - by));
    let more = more.replace(&format!("63:{}]", 64 - by), &format!("63:{}]", 63 - by));
    for (name, old, new) in [
        ("rotation", line, &more[..]),
        ("constant", "64'h8000000080008008", "64'h8000000080008009"),
    ] {
        let text = source.text.replacen(old, new, 1);
        assert_ne!(text, source.text, "{name}");
        let planted = Source {
            text,
            ..source.clone()
        };
        let name = format!("keccak-planted-{name}");
        assert_eq!(wrong(&name, planted, 24), 202, "{name}");
    }
}

#[test]
fn other_designs_of_keccak_have_no_circuit() {
    for preset in KeccakPreset::ALL {
        let circuit = KeccakCircuit::new(preset.design()).expect("a preset");
        let emitted = emit(&circuit).map(|_| ());
        let expected = match preset {
            KeccakPreset::RoundPerCycle => Ok(()),
            _ => Err(EmitError::Rounds),
        };
        assert_eq!(emitted, expected, "{}", preset.name());
    }
}
