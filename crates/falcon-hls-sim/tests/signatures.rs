//! NIST's records of round 3, signed with every FFT on a simulated circuit.

use falcon_core::Engine;
use falcon_core::seams::LaneEngine;
use falcon_core::seams::lanes::Baseline;
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::seam::{HlsFft, Meter};
use falcon_kat::{Algorithm, EngineSubject, KeyForm, Subject, replay, rsp::Style};

#[test]
fn every_preset_reproduces_nists_records() {
    let files = [
        (
            Algorithm::Falcon512,
            include_str!("../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        ),
        (
            Algorithm::Falcon1024,
            include_str!("../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        ),
    ];
    for preset in Preset::ALL {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        for (algorithm, text) in files {
            let meter = Meter::default();
            let engine = LaneEngine {
                arith: Baseline,
                fft: HlsFft::new(&accelerator, &meter),
            };
            let subject = EngineSubject {
                engine,
                form: KeyForm::Batch,
            };
            let report = replay::check(text.as_bytes(), Some(algorithm), &subject, |_| ());
            let report = report.expect("the file is well formed");
            assert_eq!(report.records, 10, "{algorithm}, {}", preset.name());
            assert!(
                report.finding.is_none(),
                "{algorithm}, {}: {:?}",
                preset.name(),
                report.finding
            );
            // One FFT, one inverse, and the splitting and merging of a tree at least.
            let butterflies = meter.total().iterations;
            assert!(butterflies > 10 * 4096, "{algorithm}: {butterflies}");
        }
    }
}

/// All 100 records of NIST's file, as `subject` writes it.
fn whole_file(algorithm: Algorithm, subject: &impl Subject) -> Vec<u8> {
    let mut text = Vec::new();
    replay::generate(algorithm, 100, Style::Nist, subject, &mut text, |_| ()).expect("generation");
    text
}

/// The rest of the records, where the whole extent of the tests is asked for.
#[test]
fn every_preset_writes_nists_files_as_the_portable_engine_does() {
    if std::env::var("FALCON_FULL").as_deref() != Ok("1") {
        eprintln!("ten records only (FALCON_FULL=1 for all)");
        return;
    }
    let form = KeyForm::Batch;
    for algorithm in [Algorithm::Falcon512, Algorithm::Falcon1024] {
        let engine = Engine::Scalar;
        let expected = whole_file(algorithm, &EngineSubject { engine, form });
        for preset in Preset::ALL {
            let accelerator = Accelerator::new(preset.design()).expect("a preset");
            let meter = Meter::default();
            let engine = LaneEngine {
                arith: Baseline,
                fft: HlsFft::new(&accelerator, &meter),
            };
            let subject = EngineSubject { engine, form };
            let file = whole_file(algorithm, &subject);
            assert!(file == expected, "{algorithm}, {}", preset.name());
        }
    }
}
