//! Sweeps of several degrees and clocks, including the presets.

use falcon_hls_sim::catalog::XC7Z020;
use falcon_hls_sim::design::{Preset, StorageKind};
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::setting::Setting;
use falcon_hls_sim::sweep::{Sweep, SweepError};
use falcon_hls_sim::view::chart::chart;
use falcon_hls_sim::view::csv::csv;
use falcon_hls_sim::view::report::SweepForm;

fn swept(lists: Vec<Vec<Setting>>, logns: &[u32]) -> Vec<SweepForm> {
    let sweep = Sweep::over(Preset::PaperOptimized, lists);
    let forms = SweepForm::of_degrees(&sweep, Transform::Fft, logns, XC7Z020, |_| ());
    forms.expect("a sweep")
}

#[test]
fn the_usual_sweep_has_every_preset_once() {
    let forms = swept(Vec::new(), &[9]);
    let designs = &forms[0].designs;
    // 3 multipliers, 4 adders, 3 bankings, 2 kinds of loops, and two presets that are not among
    // these combinations.
    assert_eq!(designs.len(), 3 * 4 * 3 * 2 + 2);
    for preset in Preset::ALL {
        let named = designs
            .iter()
            .filter(|row| row.design.name == preset.name());
        assert_eq!(named.count(), 1, "{}", preset.name());
    }
    assert_eq!(csv(&forms).lines().count(), designs.len() + 1);
    assert!(chart(&forms[0]).contains("paper-optimized"));
}

/// Checks that each degree has its own front, and that the CSV has all degrees.
#[test]
fn a_sweep_takes_several_degrees() {
    let lists = vec![[1, 3].map(Setting::Adders).to_vec()];
    let forms = swept(lists.clone(), &[6, 9]);
    for (form, logn) in forms.iter().zip([6, 9]) {
        let alone = swept(lists.clone(), &[logn]);
        let json = [form, &alone[0]].map(|form| serde_json::to_value(form).expect("JSON"));
        assert_eq!(json[0], json[1]);
    }
    let table = csv(&forms);
    let degrees = table.lines().skip(1).map(|line| line.split(',').nth(2));
    assert!(degrees.eq([["64"; 7], ["512"; 7]].concat().into_iter().map(Some)));
}

#[test]
fn a_sweep_that_builds_nothing_fails() {
    let lists = vec![[0, 65].map(Setting::Multipliers).to_vec()];
    let sweep = Sweep::over(Preset::Ii2, lists);
    let forms = SweepForm::of_degrees(&sweep, Transform::Fft, &[9], XC7Z020, |_| ());
    assert!(matches!(forms, Err(SweepError::Run(_))));
    let forms = swept(vec![[0, 1, 65].map(Setting::Multipliers).to_vec()], &[4]);
    let warning = "2 designs cannot be built; the first one: number of multipliers is 0, \
                   must be from 1 to 64";
    assert_eq!(forms[0].warning().as_deref(), Some(warning));
}

/// A design with three times the clock and the same cycles beats designs with twice the DSP slices.
#[test]
fn a_sweep_compares_times_where_clocks_differ() {
    let clocks = [100_000_000, 300_000_000].map(Setting::Clock).to_vec();
    let forms = swept(vec![clocks], &[9]);
    let designs = &forms[0].designs;
    for row in designs {
        let beaten = designs.iter().any(|other| {
            let [own, others] = [row, other].map(|row| (row.resources.dsp, row.timing.micros));
            others.0 <= own.0 && others.1 <= own.1 && others != own
        });
        assert_eq!(row.pareto, !beaten, "{row:?}");
        let design = &row.design;
        let is_best = design.clock_hz == 300_000_000
            && design.memory == StorageKind::Bram
            && design.name != "bram-dep";
        assert_eq!(row.pareto, is_best, "{row:?}");
    }
    let front = designs.iter().filter(|row| row.pareto);
    let names: Vec<&str> = front.map(|row| row.design.name.as_str()).collect();
    assert_eq!(names, ["paper-optimized", "ii2", "ii1-xor"]);
    assert!(chart(&forms[0]).contains("microseconds against DSP slices"));
}

/// Checks that the limit counts the designs of all degrees together.
#[test]
fn a_sweep_has_a_bound_over_all_degrees() {
    let lists = vec![(1..=5001).map(Setting::Interval).collect()];
    let sweep = Sweep::over(Preset::Ii2, lists);
    let run = |_| unreachable!("nothing runs");
    let forms = SweepForm::of_degrees(&sweep, Transform::Fft, &[2, 3], XC7Z020, run);
    assert!(matches!(forms, Err(SweepError::TooMany(10_002))));
}
