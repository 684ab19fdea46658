//! Properties of the prediction that hold for all circuits, and its results for the presets.

use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::amdahl::predict::{Fabric, Prediction, Processor, Scope, Transfer, predict};
use falcon_hls_sim::amdahl::{Accelerated, AmdahlError, Report, TableIRow, paper, speedup};
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::keccak::{KeccakCircuit, KeccakPreset, Summary};
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::profile::{Operation, Part, Profile, Target};

/// Cycles of Keccak-f on a circuit that does one round in every cycle. A test runs that circuit.
const PERMUTATION_CYCLES: u64 = 24;

const A9: Processor = Processor::CORTEX_A9;

fn fabric(preset: Preset, logn: u32, transfer: Option<Transfer>) -> Fabric {
    let accelerator = Accelerator::new(preset.design()).unwrap();
    Fabric::run(&accelerator, logn, PERMUTATION_CYCLES, transfer).unwrap()
}

fn predicted(target: Target, operation: Operation, fabric: &Fabric, scope: Scope) -> Prediction {
    let profile = Profile::committed().unwrap();
    predict(&profile, target, operation, &A9, fabric, scope).unwrap()
}

/// Fails unless `docs/HLS.md` contains the sentence. Line breaks do not matter.
fn says(sentence: &str) {
    let document = include_str!("../../../docs/HLS.md");
    let document: Vec<&str> = document.split_whitespace().collect();
    assert!(document.join(" ").contains(sentence), "{sentence}");
}

#[test]
fn the_fabric_takes_what_the_simulator_takes() {
    let fabric = fabric(Preset::PaperOptimized, 9, None);
    let accelerator = Accelerator::new(Preset::PaperOptimized.design()).unwrap();
    let mut f = vec![1.0; 512];
    let run = accelerator
        .transform(Transform::Fft, 9, &mut f, &mut ())
        .unwrap();
    assert_eq!(fabric.fft_cycles, run.cycles);
    let splits = (2..=9).map(|logn| {
        let (mut f0, mut f1) = (vec![0.0; 1 << (logn - 1)], vec![0.0; 1 << (logn - 1)]);
        let f = vec![1.0; 1 << logn];
        let run = accelerator.split(logn, &mut f0, &mut f1, &f).unwrap();
        run.cycles * 2 * (512 >> logn)
    });
    assert_eq!(fabric.split_cycles, splits.sum::<u64>());
    assert_eq!(fabric.clock_hz, paper::FABRIC_HZ);
    let circuit = KeccakCircuit::new(KeccakPreset::RoundPerCycle.design()).unwrap();
    assert_eq!(circuit.cycles().permute, PERMUTATION_CYCLES);
}

/// Compares the prediction with Amdahl's law for the same shares and factors.
#[test]
fn predictions_follow_the_law() {
    for preset in [Preset::PaperOriginal, Preset::Ii1Xor] {
        for transfer in [None, Some(Transfer::AXI)] {
            let fabric = fabric(preset, 10, transfer);
            for &target in Target::ALL {
                for &operation in Operation::ALL {
                    for scope in Scope::ALL {
                        let p = predicted(target, operation, &fabric, scope);
                        let part = |us: f64, factor: Option<f64>| {
                            Accelerated::new(us / p.processor_us, factor.unwrap_or(1.0)).unwrap()
                        };
                        let parts = [
                            part(p.butterflies_us, p.butterfly_factor()),
                            part(p.permutations_us, p.permutation_factor()),
                        ];
                        let law = speedup(&parts).unwrap();
                        assert!((p.speedup / law - 1.0).abs() < 1e-12, "{p:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_fabric_without_limits_gains_what_the_counted_shares_allow() {
    let fast = Fabric {
        clock_hz: u64::MAX,
        ..fabric(Preset::Ii1Xor, 9, None)
    };
    let profile = Profile::committed().unwrap();
    for operation in [Operation::Sign, Operation::SignExpanded, Operation::Verify] {
        let p = predicted(Target::ArmV7, operation, &fast, Scope::Butterflies);
        let run = profile.run(Target::ArmV7, operation, 512).unwrap();
        let share = run.share(&Part::BUTTERFLIES) + run.share(&[Part::KeccakF]);
        assert!((p.speedup * (1.0 - share) - 1.0).abs() < 1e-6, "{p:?}");
    }
}

#[test]
fn only_signing_has_butterflies_to_give_away() {
    let fabric = fabric(Preset::PaperOptimized, 9, None);
    for operation in [
        Operation::Keygen,
        Operation::Verify,
        Operation::VerifyEncoded,
    ] {
        let p = predicted(Target::ArmV7, operation, &fabric, Scope::Butterflies);
        assert_eq!(p.butterfly_factor(), None, "{p:?}");
        assert!(p.permutation_factor().unwrap() > 90.0, "{p:?}");
    }
    let p = predicted(
        Target::ArmV7,
        Operation::Expand,
        &fabric,
        Scope::Butterflies,
    );
    assert_eq!(p.permutation_factor(), None);
}

/// Checks the section "What does not add up in the paper" of `docs/HLS.md`.
#[test]
fn the_document_says_what_contradicts_the_paper() {
    let design = Preset::PaperOptimized.design();
    let interval = Measurement::new(design, Transform::Fft, 9).unwrap();
    let interval = interval.kernel.body.schedule.interval;
    let factors = |target| {
        let of = |logn, operation| {
            let fabric = fabric(Preset::PaperOptimized, logn, Some(Transfer::AXI));
            let p = predicted(target, operation, &fabric, Scope::Transforms);
            p.butterfly_factor().unwrap()
        };
        let operations = [
            Operation::Sign,
            Operation::SignExpanded,
            Operation::SignHedged,
        ];
        let mut factors = [9, 10]
            .map(|logn| operations.map(|operation| of(logn, operation)))
            .concat();
        factors.sort_by(f64::total_cmp);
        [factors[0], factors[factors.len() - 1]]
    };
    let [unit, _] = factors(Target::ArmV7).map(f64::recip);
    let [least, most] = factors(Target::ArmV7Soft);
    says(&format!(
        "a Cortex-A9 at {} MHz with its floating-point unit computes our butterflies {unit:.1} \
         times as fast as the circuit of II = {interval} at {} MHz. With emulated binary64 the \
         circuit is {least:.0} to {most:.0} times faster",
        A9.clock_hz / 1_000_000,
        paper::FABRIC_HZ / 1_000_000
    ));
    let findings = paper::findings(&Profile::committed().unwrap()).unwrap();
    let of = |claim: &str| {
        let found = findings.iter().find(|it| it.claim.starts_with(claim));
        found.unwrap().computed
    };
    says(&format!(
        "{} MHz give {:.1} times, not {}: with shares of {:.0} % and {:.0} % nothing exceeds {:.2}.",
        paper::FASTER_HZ / 1_000_000,
        of("250 MHz turn"),
        paper::FASTER_OVERALL,
        100.0 * paper::FFT_SHARE,
        100.0 * paper::KECCAK_SHARE,
        of("A clock of 250 MHz"),
    ));
    let reported = |operation| paper::reported(operation).unwrap();
    says(&format!(
        "One profile cannot give {} times for key generation, {} for signing and {} for \
         verification.",
        reported(Operation::Keygen),
        reported(Operation::Sign),
        reported(Operation::VerifyEncoded),
    ));
    let summary = Summary::new(&A9).unwrap();
    let row = |preset: KeccakPreset| {
        let mut rows = summary.rows.iter();
        rows.find(|row| row.name == preset.name()).unwrap()
    };
    let [two_rounds, round] = [KeccakPreset::Pipelined, KeccakPreset::RoundPerCycle].map(row);
    says(&format!(
        "its {} times for `process_block` compares with. Against a loop on AXI without pipelining \
         we get {:.0} times with two rounds in four cycles. A round every cycle gives {:.0} times; \
         {} of its {} cycles move the state",
        paper::KECCAK_FACTOR,
        two_rounds.factor_to_sequential,
        round.factor_to_sequential,
        round.cycles.process_block - round.cycles.permute,
        round.cycles.process_block,
    ));
}

/// As the docs say: at 100 MHz the paper's circuit is slower than the floating-point unit of a
/// processor at 667 MHz, and much faster than emulated arithmetic.
#[test]
fn the_papers_circuit_serves_a_processor_without_a_floating_point_unit() {
    let optimized = fabric(Preset::PaperOptimized, 9, None);
    let sign = |target| predicted(target, Operation::Sign, &optimized, Scope::Transforms);
    let (unit, soft) = (sign(Target::ArmV7), sign(Target::ArmV7Soft));
    assert!(unit.butterfly_factor().unwrap() < 1.0, "{unit:?}");
    assert!(soft.butterfly_factor().unwrap() > 20.0, "{soft:?}");

    // A circuit that starts a butterfly in every cycle is 2 to 4 times as fast as the
    // floating-point unit, if moving the data takes no time.
    let best = fabric(Preset::Ii1Xor, 9, None);
    let p = predicted(Target::ArmV7, Operation::Sign, &best, Scope::Transforms);
    assert!((2.0..4.0).contains(&p.butterfly_factor().unwrap()), "{p:?}");

    // If the circuit also does the splits and merges of ffSampling, moving the data takes longer
    // than the circuit saves.
    let moved = fabric(Preset::Ii1Xor, 9, Some(Transfer::AXI));
    let p = predicted(Target::ArmV7, Operation::Sign, &moved, Scope::Butterflies);
    assert!(p.speedup < 1.0, "{p:?}");
}

#[test]
fn given_costs_replace_the_counted_ones() {
    let fabric = fabric(Preset::PaperOptimized, 9, None);
    let profile = Profile::committed().unwrap();
    let processor = Processor {
        cycles_per_butterfly: Some(100.0),
        cycles_per_permutation: Some(10_000.0),
        ..A9
    };
    let scope = Scope::Transforms;
    let p = predict(
        &profile,
        Target::ArmV7,
        Operation::Sign,
        &processor,
        &fabric,
        scope,
    )
    .unwrap();
    let butterflies = 7.0 * 1024.0;
    let expected_us = butterflies * 100.0 / 667.0;
    assert!(
        (p.butterflies_us / expected_us - 1.0).abs() < 1e-12,
        "{p:?}"
    );
    let expected = 100.0 / 667.0 / (fabric.fft_cycles as f64 / 1024.0 / 100.0);
    assert!(
        (p.butterfly_factor().unwrap() / expected - 1.0).abs() < 0.01,
        "{p:?}"
    );
    let expected = 10_000.0 / 667.0 / (24.0 / 100.0);
    assert!((p.permutation_factor().unwrap() / expected - 1.0).abs() < 1e-12);
}

#[test]
fn impossible_models_are_refused() {
    let good = fabric(Preset::PaperOptimized, 9, Some(Transfer::AXI));
    let profile = Profile::committed().unwrap();
    let run = |processor: &Processor, fabric: &Fabric| {
        let scope = Scope::Transforms;
        predict(
            &profile,
            Target::ArmV7,
            Operation::Sign,
            processor,
            fabric,
            scope,
        )
    };
    assert!(run(&A9, &good).is_ok());
    let stopped = Processor { clock_hz: 0, ..A9 };
    assert_eq!(run(&stopped, &good), Err(AmdahlError::Clock));
    let stopped = Fabric {
        clock_hz: 0,
        ..good
    };
    assert_eq!(run(&A9, &stopped), Err(AmdahlError::Clock));
    for given in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let processor = Processor {
            cycles_per_instruction: given,
            ..A9
        };
        let result = run(&processor, &good);
        assert!(matches!(result, Err(AmdahlError::Quantity { .. })));
        let processor = Processor {
            cycles_per_butterfly: Some(given),
            ..A9
        };
        let result = run(&processor, &good);
        assert!(matches!(result, Err(AmdahlError::Quantity { .. })));
    }
    let stuck = Fabric {
        transfer: Some(Transfer {
            bytes_per_cycle: 0,
            cycles_per_call: 0,
        }),
        ..good
    };
    let result = run(&A9, &stuck);
    assert!(matches!(result, Err(AmdahlError::Quantity { .. })));
    let result = run(&A9, &Fabric { logn: 8, ..good });
    assert!(matches!(result, Err(AmdahlError::Profile(_))));
    let result = run(&A9, &Fabric { logn: 40, ..good });
    assert!(matches!(result, Err(AmdahlError::Profile(_))));
    let accelerator = Accelerator::new(Preset::PaperOptimized.design()).unwrap();
    for logn in [0, 11, 64] {
        let result = Fabric::run(&accelerator, logn, 24, None);
        assert!(matches!(result, Err(AmdahlError::Accelerator(_))), "{logn}");
    }
}

#[test]
fn the_report_is_text_and_data() {
    let accelerator = Accelerator::new(Preset::PaperOptimized.design()).unwrap();
    let report = Report::new(
        &accelerator,
        PERMUTATION_CYCLES,
        A9,
        Some(Transfer::AXI),
        Scope::Transforms,
    )
    .unwrap();
    let text = report.to_string();
    for line in [
        "keygen              40.0      15.0      2.16    2.22      2.00",
        "verify-encoded       0.0      15.0      1.17    1.18      2.00",
        "The paper's 1.8 times is ",
        "the paper                                -      2.00      1.40      2.00      1.80",
        "Predicted for paper-optimized, larger is faster. Fabric at 100 MHz: \
         FFT-256, 512, 1024 in 1820, 4124, 9244 cycles",
        "keygen             256      325000           -             -",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()));

    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["paper"][1]["operation"], "sign");
    assert_eq!(json["shares"][0]["target"], "x86-64");
    assert_eq!(json["fabric"][0]["permutation_cycles"], 24);
    assert_eq!(json["predictions"].as_array().unwrap().len(), 20);
    assert_eq!(json["predictions"][0]["scope"], "transforms");
    // Every operation and degree of Table I has a row. The row has our time if we implement the
    // degree.
    for (degree, times) in paper::TABLE_I_US {
        let rows = report.table_i.iter().filter(|row| row.degree == degree);
        let rows: Vec<_> = rows.collect();
        assert_eq!([0, 1, 2].map(|i| rows[i].table_i_us), times);
        let ours = |row: &&TableIRow| row.armv7_us.is_some() && row.armv7_soft_us.is_some();
        assert_eq!(rows.into_iter().all(|row| ours(&row)), degree != 256);
    }
    // The document states the range of the first line.
    let first = text.lines().next().unwrap();
    let range = first.split(" is ").nth(1).unwrap();
    let range = range.split(" times").next().unwrap();
    says(&format!(
        "The paper's average speedup of {:.1} over key generation, signing and verification is \
         {range} here",
        paper::OVERALL
    ));
    // The summary is the average of what is predicted below it.
    assert_eq!(report.summary.len(), 4);
    for row in &report.summary {
        let of = |operation| {
            let key = (row.target, operation, row.degree);
            let mut rows = report.predictions.iter();
            let found = rows.find(|p| (p.target, p.operation, p.degree) == key);
            found.unwrap().speedup
        };
        let operations = [Operation::Keygen, Operation::Sign, Operation::VerifyEncoded];
        let sum: f64 = operations.map(of).iter().sum();
        assert!((row.average - sum / 3.0).abs() < 1e-12, "{row:?}");
    }
    // The rows of the paper's three operations also have the paper's numbers.
    for row in json["predictions"].as_array().unwrap() {
        let reported = !row["reported"].is_null();
        assert_eq!(reported, !row["table_i_us"].is_null());
    }
}

/// Applies the paper's factors to the shares counted on a 64-bit processor. The speedups are about
/// those that the paper reports at degree 512: 2.0, 1.4 and 2.0.
#[test]
fn counted_shares_come_near_the_reported_speedups() {
    let accelerator = Accelerator::new(Preset::PaperOptimized.design()).unwrap();
    let report = Report::new(
        &accelerator,
        PERMUTATION_CYCLES,
        A9,
        None,
        Scope::Butterflies,
    );
    let report = report.unwrap();
    let of = |operation| {
        let mut rows = report.shares.iter();
        let key = (Target::X86_64, operation, 512);
        rows.find(|row| (row.target, row.operation, row.degree) == key)
            .unwrap()
    };
    assert!((of(Operation::Sign).speedup - 1.33).abs() < 0.01);
    assert!((of(Operation::Keygen).speedup - 2.17).abs() < 0.01);
    assert!((of(Operation::VerifyEncoded).speedup - 1.92).abs() < 0.01);
    assert!((of(Operation::Verify).speedup - 2.86).abs() < 0.01);
}
