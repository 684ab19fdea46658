//! JSON forms, and refused inputs.

use falcon_hls_sim::accelerator::MAX_LOGN;
use falcon_hls_sim::amdahl::predict::Scope;
use falcon_hls_sim::catalog::XC7Z020;
use falcon_hls_sim::design::{Aliasing, Design, Preset, StorageKind};
use falcon_hls_sim::graph::Banking;
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::resources::table_ii;
use falcon_hls_sim::setting::Setting;
use falcon_hls_sim::view::Traced;
use falcon_hls_sim::view::compare::Comparison;
use falcon_hls_sim::view::report::{RunForm, VERSION};

#[test]
fn the_json_of_a_run_is_versioned_and_whole() {
    let measurement = Measurement::new(Preset::PaperOptimized.design(), Transform::Fft, 9);
    let measurement = measurement.expect("a preset");
    let form = RunForm::new(&measurement, XC7Z020).expect("measured");
    let json = serde_json::to_value(&form).expect("JSON");
    assert_eq!(json["version"], VERSION);
    assert_eq!(json["design"]["name"], "paper-optimized");
    assert_eq!(json["design"]["memory"], "bram");
    assert_eq!(json["design"]["banking"], "single");
    assert_eq!(json["transform"], "fft");
    assert_eq!(json["degree"], 512);
    assert_eq!(json["interval"], 4);
    assert_eq!(json["cycles"], measurement.run.cycles);
    assert_eq!(json["speedup"]["interval"], 42.0);
    assert_eq!(json["resources"]["estimate"]["dsp"], 17);
    assert_eq!(json["resources"]["paper"]["lut"], 6661);
    assert!(
        json["resources"]["concerns"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
}

fn run_form(design: Design, transform: Transform, logn: u32) -> RunForm {
    let measurement = Measurement::new(design, transform, logn).expect("a design");
    RunForm::new(&measurement, XC7Z020).expect("measured")
}

#[test]
fn every_preset_and_transform_runs() {
    for (preset, interval, dsp) in [
        (Preset::PaperOriginal, 168, 25),
        (Preset::BramDep, 29, 25),
        (Preset::PaperOptimized, 4, 17),
        (Preset::Ii2, 2, 31),
        (Preset::Ii1Xor, 1, 62),
    ] {
        for transform in Transform::ALL {
            let form = run_form(preset.design(), transform, 9);
            assert_eq!(form.transform, transform);
            assert_eq!(form.design.name, preset.name());
            assert_eq!(form.resources.estimate.dsp, dsp);
            if transform == Transform::Fft {
                assert_eq!(form.timing.interval, interval);
                assert_eq!(form.speedup.interval, 168.0 / f64::from(interval));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let settings = [Setting::Multipliers(64), Setting::Ports(4)];
    let design = Preset::PaperOptimized.design().with(&settings);
    let form = run_form(design, Transform::Fft, 9);
    let said = form.warnings().join("\n");
    assert!(
        said.contains("does not fit xc7z020: DSP: 710 needed, 220 available"),
        "{said}"
    );
    assert!(said.contains("a block RAM has 2"), "{said}");
    let form = run_form(Preset::Ii1Xor.design(), Transform::Fft, 10);
    assert!(form.warnings().is_empty());
}

#[test]
fn the_comparison_has_what_each_preset_takes() {
    for (transform, logn) in [(Transform::Fft, 9), (Transform::Merge, 4)] {
        let comparison = Comparison::new(transform, logn, XC7Z020).expect("a degree");
        let json = serde_json::to_value(&comparison).expect("JSON");
        assert_eq!(json["version"], VERSION);
        let text = comparison.to_string();
        let table: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(table.len(), Preset::ALL.len());
        for ((preset, line), row) in Preset::ALL.into_iter().zip(table).zip(&comparison.presets) {
            let run = Measurement::new(preset.design(), transform, logn).expect("a preset");
            let total = run.estimate.total();
            let baseline = run.baseline().expect("a preset");
            let of_line: Vec<&str> = line.split_whitespace().collect();
            let expected = [
                preset.name().to_owned(),
                run.kernel.body.schedule.interval.to_string(),
                run.kernel.body.depth().to_string(),
                run.run.cycles.to_string(),
                run.run.stalls.to_string(),
                "100".into(),
                format!("{:.2}", run.micros()),
                format!("{:.1}", run.speedup(&baseline).time),
                total.dsp.to_string(),
                total.lut.to_string(),
                total.ff.to_string(),
                total.bram.to_string(),
            ];
            assert_eq!(of_line, expected);
            assert_eq!(row.paper, table_ii(preset));
            // Each row equals the form of the preset alone.
            let alone = RunForm::new(&run, XC7Z020).expect("measured");
            let json = [serde_json::to_value(row), serde_json::to_value(&alone)];
            let [row, alone] = json.map(|form| form.expect("JSON"));
            for field in ["design", "interval", "depth", "cycles", "stalls", "micros"] {
                assert_eq!(row[field], alone[field], "{field}");
            }
            assert_eq!(row["speedup"], alone["speedup"]["time"]);
            assert_eq!(row["resources"], alone["resources"]["estimate"]);
        }
    }
    assert!(Comparison::new(Transform::Fft, MAX_LOGN + 1, XC7Z020).is_err());
}

#[test]
fn names_in_json_are_those_of_the_program() {
    fn as_named<T: serde::Serialize>(value: T, name: &str) {
        assert_eq!(serde_json::to_value(value).expect("JSON"), name);
    }
    for banking in Banking::ALL {
        as_named(banking, banking.name());
    }
    for kind in StorageKind::ALL {
        as_named(kind, kind.name());
    }
    for scope in Scope::ALL {
        as_named(scope, scope.name());
    }
    for aliasing in Aliasing::ALL {
        as_named(aliasing, aliasing.name());
    }
    for transform in Transform::ALL {
        as_named(transform, transform.name());
    }
}

#[test]
fn there_is_no_degree_beyond_the_largest() {
    let design = Preset::PaperOptimized.design();
    for logn in [0, MAX_LOGN + 1, u32::MAX] {
        assert!(Traced::transform(&design, Transform::Fft, logn).is_err());
        assert!(Measurement::new(design.clone(), Transform::Fft, logn).is_err());
    }
}
