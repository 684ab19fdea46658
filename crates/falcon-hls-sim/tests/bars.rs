//! What the simulator has to reach.

use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::{Design, LOOP_OVERHEAD, Pipelining, Preset};
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use std::time::{Duration, Instant};

fn fft(design: Design, logn: u32) -> Measurement {
    Measurement::new(design, Transform::Fft, logn).expect("a design")
}

#[test]
fn the_first_row_of_table_ii_closes() {
    let original = fft(Preset::PaperOriginal.design(), 9);
    assert_eq!(original.kernel.schedule.interval, 168);
    assert_eq!(original.estimate.total().dsp, 25);
    assert_eq!(original.run.cycles, 172_032);
}

#[test]
fn the_second_row_of_table_ii_closes() {
    let optimized = fft(Preset::PaperOptimized.design(), 9);
    assert_eq!(optimized.kernel.schedule.interval, 4);
    assert_eq!(optimized.estimate.total().dsp, 17);
    let baseline = optimized.baseline().expect("a preset");
    let speedup = optimized.speedup(&baseline);
    assert_eq!(speedup.interval, 42.0);
    // Of the whole transform a little less: the pipeline fills and drains.
    assert!((41.0..42.0).contains(&speedup.cycles), "{speedup:?}");
}

#[test]
fn flattened_transforms_take_about_a_butterfly_an_interval() {
    for (preset, logn, most) in [
        (Preset::PaperOptimized, 9, 4_200),
        (Preset::Ii1Xor, 9, 1_100),
        (Preset::Ii1Xor, 10, 2_400),
    ] {
        let cycles = fft(preset.design(), logn).run.cycles;
        assert!(cycles <= most, "{}: {cycles}", preset.name());
    }
}

/// A conflict of banks would end the run; a stall would be counted.
#[test]
fn a_butterfly_a_cycle_meets_neither_conflicts_nor_stalls() {
    let design = Preset::Ii1Xor.design();
    for transform in [Transform::Fft, Transform::Ifft] {
        for logn in 8..=10 {
            let measurement = Measurement::new(design.clone(), transform, logn);
            let measurement = measurement.expect("no conflict");
            assert_eq!(measurement.kernel.schedule.interval, 1);
            assert_eq!(measurement.run.stalls, 0, "{transform:?} {logn}");
        }
        // Small ones do stall.
        let small = Measurement::new(design.clone(), transform, 6).expect("no conflict");
        assert!(small.run.stalls > 0);
    }
}

/// Pipelining the innermost loops alone costs `depth - interval + overhead` cycles a
/// loop, of which a transform of degree 512 has 255, the last without overhead: with
/// a butterfly of 29 cycles 10,979, with the 32 of this schedule 11,744.
#[test]
fn loops_that_end_one_by_one_take_more_than_twice_as_long() {
    let mut design = Preset::PaperOptimized.design();
    design.pipelining = Pipelining::Innermost {
        overhead: LOOP_OVERHEAD,
    };
    let nested = fft(design, 9);
    assert_eq!(nested.run.iterations, 1024);
    let by_hand = |depth: u64| 1024 * 4 + 255 * (depth - 4 + u64::from(LOOP_OVERHEAD)) - 2;
    assert_eq!(nested.run.cycles, by_hand(nested.kernel.depth().into()));
    assert_eq!(nested.run.cycles, 11_744);
    assert_eq!(by_hand(29), 10_979);
}

/// At least 200 transforms a second, in one of some runs: others may use the machine
/// meanwhile. The profile of tests is optimized.
#[test]
fn two_hundred_transforms_a_second_are_simulated() {
    const TRANSFORMS: u32 = 20;
    let accelerator = Accelerator::new(Preset::PaperOptimized.design()).expect("a preset");
    let mut f: Vec<f64> = (0..512).map(f64::from).collect();
    let mut time = || {
        let start = Instant::now();
        for _ in 0..TRANSFORMS {
            f.iter_mut().zip(0..).for_each(|(x, i)| *x = f64::from(i));
            let run = accelerator.transform(Transform::Fft, 9, &mut f, &mut ());
            assert_eq!(run.expect("it runs").cycles, 4124);
        }
        start.elapsed() / TRANSFORMS
    };
    let limit = Duration::from_secs(1) / 200;
    let best = (0..20).map(|_| time()).find(|&time| time <= limit);
    assert!(best.is_some(), "slower than {limit:?} each in every run");
}

/// The table of `docs/HLS.md` has the numbers of `rtl/circuits.tsv` and of the model.
#[test]
fn the_document_has_the_numbers_of_the_tables() {
    let document = include_str!("../../../docs/HLS.md");
    let mut circuits = 0;
    for row in include_str!("../rtl/circuits.tsv").lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let number = |i: usize| -> u32 { fields[i].parse().expect("a number") };
        let (design, degree) = (fields[1], number(2));
        let preset = Preset::by_name(design).expect("a preset");
        let model = fft(preset.design(), degree.ilog2());
        assert_eq!(model.run.cycles, u64::from(number(4)));
        if degree == 512 {
            let total = model.estimate.total();
            let (lut, ff, bram) = (number(5) + number(6), number(7), number(9));
            for expected in [
                format!("{lut}, {ff}, {bram} |"),
                format!("{}, {}, {}", total.lut, total.ff, total.bram),
            ] {
                assert!(document.contains(&expected), "{design}: {expected}");
            }
            circuits += 1;
        }
    }
    assert_eq!(circuits, 3);
    for preset in Preset::ALL {
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", preset.name())));
        let row = row.expect("a row of presets").replace(',', "");
        for logn in [9, 10] {
            let cycles = fft(preset.design(), logn).run.cycles;
            assert!(row.contains(&format!("| {cycles} |")), "{row}");
        }
    }
}
