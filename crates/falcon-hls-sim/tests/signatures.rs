//! NIST's records of round 3, signed with every FFT on a simulated circuit.

use falcon_core::seams::LaneEngine;
use falcon_core::seams::lanes::Baseline;
use falcon_core::{Engine, Falcon512, SigningKey};
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::seam::{HlsFft, Meter};
use falcon_hls_sim::signed::SignedForm;
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
            // A signature needs at least one FFT, one inverse, and the splits and merges of a tree.
            let butterflies = meter.total().iterations;
            assert!(butterflies > 10 * 4096, "{algorithm}: {butterflies}");
        }
    }
}

/// Signs with the slowest and the fastest preset. The signatures are the same, but not the numbers
/// of cycles.
#[test]
fn signatures_on_a_circuit_are_the_processors() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("a key");
    let [slow, fast] = [Preset::PaperOriginal, Preset::Ii1Xor].map(|preset| {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        let signed = SignedForm::new(&accelerator, &key, b"a message", &[8; 32], 3);
        signed.expect("signatures")
    });
    for form in [&slow, &fast] {
        assert!(form.equal && form.valid && form.signatures == 3);
        let text = form.to_string();
        assert!(
            text.ends_with("\n  equal to the processor's bytes, valid"),
            "{text}"
        );
    }
    assert!(fast.butterflies > 3 * 4096);
    assert_eq!(slow.butterflies, fast.butterflies);
    assert!(slow.cycles > 20 * fast.cycles);
    let wrong = SignedForm {
        equal: false,
        ..fast
    };
    let marked = wrong.text(|good, verdict| format!("{good}:{verdict}"));
    assert!(marked.ends_with("false:NOT EQUAL to the processor's bytes, true:valid"));
}

/// Returns all 100 records of NIST's file, computed by `subject`.
fn whole_file(algorithm: Algorithm, subject: &impl Subject) -> Vec<u8> {
    let mut text = Vec::new();
    replay::generate(algorithm, 100, Style::Nist, subject, &mut text, |_| ()).expect("generation");
    text
}

/// Signs all 100 records, but only with `FALCON_FULL=1`.
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
