//! Runs the emitted circuits in Verilator. They must have the bits and the cycles of the cycle
//! simulator.

use crate::hdl;
use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::fp::NAN;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::verilog::{self, Source, TOP};
use std::path::PathBuf;

/// A transform on a preset, as a program that Verilator built.
struct Circuit {
    accelerator: Accelerator,
    transform: Transform,
    logn: u32,
    read_latency: u32,
    program: PathBuf,
}

/// Form of the circuit that is simulated.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// The emitted sources.
    Source,
    /// The emitted sources, but a read of a word that is written in the same cycle is wrong.
    Collisions,
    /// The netlist that yosys makes from the sources, in cells of the 7 series.
    Netlist,
}

/// Inverts all bits of a read of `bank.v` of a word that a port writes in the same cycle.
fn with_collisions(source: &mut Source) {
    if source.name != "bank.v" {
        return;
    }
    for (port, other) in [(0, 1), (1, 0)] {
        let read = format!("read{port} <= words[address{port}];");
        let collision = format!("write{port} || (write{other} && address{other} == address{port})");
        let wrong =
            format!("read{port} <= {collision} ? ~words[address{port}] : words[address{port}];");
        assert!(source.text.contains(&read), "{}", source.text);
        source.text = source.text.replace(&read, &wrong);
    }
}

impl Circuit {
    fn build(form: Form, preset: Preset, transform: Transform, logn: u32) -> Self {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        let name = format!("{form:?}-{}-{transform:?}-{logn}", preset.name());
        let mut emission = verilog::emit(&accelerator, transform, logn).expect("Verilog");
        if let Form::Collisions = form {
            for source in &mut emission.sources {
                with_collisions(source);
            }
        }
        let module = hdl::Module {
            top: TOP,
            sources: &hdl::written(&name, &emission.sources),
            parameters: &[],
        };
        assert_eq!(module.lint(), Ok(()), "{name}");
        let harness = hdl::rtl().join("tests/fft.cpp");
        Self {
            program: match form {
                Form::Source | Form::Collisions => module.simulation(&name, &harness),
                Form::Netlist => module.netlist_simulation(&name, &harness),
            },
            accelerator,
            transform,
            logn,
            read_latency: emission.read_latency,
        }
    }

    /// Compares bits and cycles with the simulator's. A polynomial is given as the bits of its two
    /// halves.
    fn check(&self, polynomials: &[Vec<u64>]) {
        let half = (1usize << self.logn) / 2;
        let mut input = vec![
            half as u64,
            u64::from(self.read_latency),
            polynomials.len() as u64,
        ];
        for polynomial in polynomials {
            let (re, im) = polynomial.split_at(half);
            input.extend(re.iter().zip(im).flat_map(|(&re, &im)| [re, im]));
        }
        let output = hdl::pipe(&self.program, &hdl::rtl(), &input);
        assert_eq!(output.len(), polynomials.len() * (2 * half + 1));
        for (polynomial, output) in polynomials.iter().zip(output.chunks(2 * half + 1)) {
            let mut f: Vec<f64> = polynomial
                .iter()
                .map(|&bits| f64::from_bits(bits))
                .collect();
            let run = self
                .accelerator
                .transform(self.transform, self.logn, &mut f, &mut ())
                .expect("it runs");
            let (re, im) = f.split_at(half);
            let expected: Vec<u64> = re
                .iter()
                .zip(im)
                .flat_map(|(re, im)| [re.to_bits(), im.to_bits()])
                .chain([run.cycles])
                .collect();
            assert!(
                output == expected,
                "{:?}, {}, {}: {:x?} instead of {:x?}",
                self.transform,
                self.logn,
                self.accelerator.design().name,
                output,
                expected
            );
        }
    }
}

/// Special numbers that a circuit must get right.
const SPECIALS: [u64; 10] = [
    0,
    1 << 63,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    NAN,
    0x3ff0_0000_0000_0000,
];

/// Returns polynomials of three kinds: with moderate numbers, as in Falcon; with random bits; and
/// with moderate numbers mixed with special ones.
fn polynomials(label: &str, n: usize, count: usize) -> Vec<Vec<u64>> {
    let mut stream = Shake256::reader(label.as_bytes());
    let word = |stream: &mut Shake256Reader| u64::from_le_bytes(stream.read_array());
    let moderate = |bits: u64| {
        let exponent = 1023 - 30 + (bits >> 52) % 61;
        bits & (1 << 63 | ((1 << 52) - 1)) | exponent << 52
    };
    let mut polynomial = |kind: usize| -> Vec<u64> {
        (0..n)
            .map(|_| {
                let (bits, choice) = (word(&mut stream), word(&mut stream));
                match kind % 3 {
                    1 => bits,
                    2 if choice % 8 == 0 => SPECIALS[(choice >> 8) as usize % SPECIALS.len()],
                    _ => moderate(bits),
                }
            })
            .collect()
    };
    (0..count).map(&mut polynomial).collect()
}

#[test]
fn circuits_have_the_engines_bits_and_cycles() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    // The cases are a full FFT, and small transforms whose butterflies wait for earlier
    // butterflies.
    let mut cases = vec![
        (Preset::PaperOptimized, Transform::Fft, 9),
        (Preset::PaperOptimized, Transform::Ifft, 5),
        (Preset::Ii1Xor, Transform::Fft, 6),
        (Preset::Ii1Xor, Transform::Ifft, 7),
        (Preset::Ii2, Transform::Ifft, 5),
    ];
    if hdl::asked("FALCON_FULL") {
        cases.extend([
            (Preset::PaperOptimized, Transform::Fft, 5),
            (Preset::Ii1Xor, Transform::Fft, 9),
            (Preset::Ii1Xor, Transform::Fft, 10),
        ]);
    } else {
        hdl::skipped("three of eight circuits (FALCON_FULL=1 for all)");
    }
    for (preset, transform, logn) in cases {
        let circuit = Circuit::build(Form::Source, preset, transform, logn);
        let label = format!("{} {transform:?} {logn}", preset.name());
        circuit.check(&polynomials(&label, 1 << logn, 30));
    }
}

/// The memory of `bank.v` is declared with `no_rw_check`, so such a read can give anything.
#[test]
fn no_circuit_uses_a_read_of_a_word_that_is_being_written() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    let cases = [
        (Preset::PaperOptimized, Transform::Fft, 6),
        (Preset::Ii2, Transform::Fft, 6),
        (Preset::Ii1Xor, Transform::Fft, 6),
        (Preset::Ii1Xor, Transform::Ifft, 8),
    ];
    for (preset, transform, logn) in cases {
        let circuit = Circuit::build(Form::Collisions, preset, transform, logn);
        circuit.check(&polynomials("collisions", 1 << logn, 30));
    }
}

#[test]
fn netlists_have_the_engines_bits_and_cycles() {
    if !hdl::asked("FALCON_FULL") {
        return hdl::skipped("netlists (FALCON_FULL=1 for them)");
    }
    if !hdl::tools(&hdl::VERILATOR) || !hdl::tools(&["yosys"]) {
        return;
    }
    let cases = [
        (Preset::PaperOptimized, Transform::Fft, 5),
        (Preset::Ii1Xor, Transform::Ifft, 6),
    ];
    for (preset, transform, logn) in cases {
        let circuit = Circuit::build(Form::Netlist, preset, transform, logn);
        circuit.check(&polynomials("netlists", 1 << logn, 9));
    }
}
