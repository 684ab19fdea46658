//! NIST's records of round 3, signed with every FFT on a simulated circuit.

use falcon::batch::{BatchError, LaneEngine};
use falcon::hazmat::{self, Fit, RawJob};
use falcon::lanes::Scalar;
use falcon::{Engine, Parameters, Signature};
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::seam::{HlsFft, Meter};
use falcon_kat::{Algorithm, EngineSubject, KeyForm, RawSigner, replay};

struct Circuit<'a> {
    accelerator: &'a Accelerator,
    meter: &'a Meter,
}

impl RawSigner for Circuit<'_> {
    fn processor(&self) -> Engine {
        Engine::Scalar
    }

    fn lanes(&self) -> usize {
        1
    }

    fn sign_batch_raw<P: Parameters>(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let engine = LaneEngine {
            arith: Scalar,
            fft: HlsFft::new(self.accelerator, self.meter),
        };
        hazmat::sign_batch_raw(&engine, jobs, fit, out)
    }
}

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
            let engine = Circuit {
                accelerator: &accelerator,
                meter: &meter,
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
