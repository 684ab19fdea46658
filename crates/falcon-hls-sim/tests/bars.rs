//! Figures that the simulator must reach.

use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::catalog::XC7Z020;
use falcon_hls_sim::design::{Design, LOOP_OVERHEAD, Pipelining, Preset};
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::resources::{Resources, table_ii};
use std::time::{Duration, Instant};

fn fft(design: Design, logn: u32) -> Measurement {
    Measurement::new(design, Transform::Fft, logn).expect("a design")
}

#[test]
fn the_first_row_of_table_ii_closes() {
    let original = fft(Preset::PaperOriginal.design(), 9);
    assert_eq!(original.kernel.body.schedule.interval, 168);
    assert_eq!(original.estimate.total().dsp, 25);
    assert_eq!(original.run.cycles, 172_032);
}

#[test]
fn the_second_row_of_table_ii_closes() {
    let optimized = fft(Preset::PaperOptimized.design(), 9);
    assert_eq!(optimized.kernel.body.schedule.interval, 4);
    assert_eq!(optimized.estimate.total().dsp, 17);
    let baseline = optimized.baseline().expect("a preset");
    let speedup = optimized.speedup(&baseline);
    assert_eq!(speedup.interval, 42.0);
    // The speedup of the whole transform is slightly smaller, because the pipeline must fill and
    // drain.
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

/// Checks that a preset has no conflict and no stall. A bank conflict would end the run, and a
/// stall would be counted.
#[test]
fn a_butterfly_a_cycle_meets_neither_conflicts_nor_stalls() {
    let design = Preset::Ii1Xor.design();
    for transform in [Transform::Fft, Transform::Ifft] {
        for logn in 8..=10 {
            let measurement = Measurement::new(design.clone(), transform, logn);
            let measurement = measurement.expect("no conflict");
            assert_eq!(measurement.kernel.body.schedule.interval, 1);
            assert_eq!(measurement.run.stalls, 0, "{transform:?} {logn}");
        }
        // Small transforms do stall.
        let small = Measurement::new(design.clone(), transform, 6).expect("no conflict");
        assert!(small.run.stalls > 0);
    }
}

/// Pipelining only the innermost loops costs `depth - interval + overhead` cycles for each loop. A
/// transform of degree 512 has 255 loops, and the last one has no overhead. The transform takes
/// 10,979 cycles if a butterfly takes 29 cycles, and 11,744 cycles with this schedule, in which a
/// butterfly takes 32.
#[test]
fn loops_that_end_one_by_one_take_more_than_twice_as_long() {
    let mut design = Preset::PaperOptimized.design();
    design.pipelining = Pipelining::Innermost {
        overhead: LOOP_OVERHEAD,
    };
    let nested = fft(design, 9);
    assert_eq!(nested.run.iterations, 1024);
    let by_hand = |depth: u64| 1024 * 4 + 255 * (depth - 4 + u64::from(LOOP_OVERHEAD)) - 2;
    assert_eq!(
        nested.run.cycles,
        by_hand(nested.kernel.body.depth().into())
    );
    assert_eq!(nested.run.cycles, 11_744);
    assert_eq!(by_hand(29), 10_979);
}

/// At least one of several runs must simulate 200 transforms per second. Other programs may slow
/// down some of the runs. Tests are compiled with optimization.
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

const DOCUMENT: &str = include_str!("../../../docs/HLS.md");

/// Fails unless the document contains the sentence. Line breaks do not matter.
fn says(sentence: &str) {
    let document: Vec<&str> = DOCUMENT.split_whitespace().collect();
    assert!(document.join(" ").contains(sentence), "{sentence}");
}

/// Returns the cells of the row that starts with `first`. Fails unless there is exactly one such
/// row.
fn cells(first: &str) -> Vec<String> {
    let start = format!("| {first} |");
    let mut rows = DOCUMENT.lines().filter(|line| line.starts_with(&start));
    let row = rows.next().unwrap_or_else(|| panic!("no row {first}"));
    assert_eq!(rows.next(), None, "two rows {first}");
    let row = row.trim_start_matches('|').trim_end_matches('|');
    row.split('|').map(|cell| cell.trim().into()).collect()
}

/// Formats a number with commas between thousands.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

#[test]
fn the_document_has_the_presets_as_they_are() {
    for preset in Preset::ALL {
        let design = preset.design();
        let [m256, m512, m1024] = [8, 9, 10].map(|logn| fft(design.clone(), logn));
        let row = cells(&format!("`{}`", preset.name()));
        let found = [2, 3, 5, 6, 7, 8].map(|column| row[column].as_str());
        let expected = [
            format!("{} + {}", design.multipliers, design.adders),
            m512.kernel.body.schedule.interval.to_string(),
            thousands(m256.run.cycles),
            thousands(m512.run.cycles),
            thousands(m1024.run.cycles),
            format!("{:.0}", m512.micros()),
        ];
        assert_eq!(found, expected, "{}", preset.name());
    }
    let nested = [Preset::PaperOptimized, Preset::Ii1Xor].map(|preset| {
        let mut design = preset.design();
        design.pipelining = Pipelining::NESTED;
        thousands(fft(design, 9).run.cycles)
    });
    let [optimized, fastest] = nested;
    let stalls = [7, 6].map(|logn| fft(Preset::Ii1Xor.design(), logn).run);
    let [s128, s64] = stalls.map(|run| format!("{} of {} cycles", run.stalls, run.cycles));
    let short = s64.trim_end_matches(" cycles");
    says(&format!(
        "`paper-optimized` takes {optimized} cycles, `ii1-xor` {fastest}:"
    ));
    says(&format!("({s128} at `n = 128`, {short} at 64)"));
    says(&format!("hls run --nested # {optimized} cycles"));
}

/// Checks the results at the top of `docs/HLS.md`, and the share of lookup tables that the paper's
/// circuit takes.
#[test]
fn the_document_begins_with_results_of_the_model() {
    let presets = [
        Preset::PaperOriginal,
        Preset::PaperOptimized,
        Preset::Ii1Xor,
    ];
    let [original, optimized, fastest] = presets.map(|preset| fft(preset.design(), 9));
    let [slow, fast] = [&original, &optimized].map(|it| it.kernel.body.schedule.interval);
    let [many, few, most] = [&original, &optimized, &fastest].map(|it| it.estimate.total().dsp);
    let speedup = optimized.speedup(&original).interval;
    for sentence in [
        format!(
            "The paper's speedup of {speedup} is the ratio of two initiation intervals, {slow} \
             and {fast} cycles. The model reproduces both intervals and the number of DSP slices, \
             {many} and {few}."
        ),
        format!(
            "A butterfly every cycle is possible with {most} DSP slices: {} cycles instead of {}.",
            thousands(fastest.run.cycles),
            thousands(optimized.run.cycles)
        ),
        format!(
            "hls run --preset paper-original # one design: II {slow}, {} cycles, {many} DSP",
            thousands(original.run.cycles)
        ),
        format!("hls explain # why a butterfly starts every {fast} cycles"),
    ] {
        says(&sentence);
    }
    let paper = table_ii(Preset::PaperOptimized).expect("a row of the paper");
    let part = XC7Z020.lut;
    says(&format!(
        "takes {:.1} % of the part's lookup tables ({} of {}), not",
        100.0 * f64::from(paper.lut) / f64::from(part),
        paper.lut,
        thousands(part.into())
    ));
}

/// Formats the numbers of lookup tables, flip-flops and block RAMs.
fn cheap(resources: Resources) -> String {
    let Resources { lut, ff, bram, .. } = resources;
    format!("{lut}, {ff}, {bram}")
}

/// A row of `rtl/circuits.tsv`.
struct Circuit {
    interval: u32,
    cycles: u64,
    resources: Resources,
}

fn circuit(preset: Preset, degree: u32) -> Circuit {
    let mut rows = include_str!("../rtl/circuits.tsv").lines();
    let start = format!("{}\t{degree}\t", preset.name());
    let row = rows.find_map(|row| row.split_once('\t')?.1.strip_prefix(&start));
    let numbers = row.expect("a circuit").split('\t');
    let numbers: Vec<u32> = numbers.map(|n| n.parse().expect("a number")).collect();
    let [interval, cycles, lut, lut_memory, ff, dsp, bram] = numbers[..] else {
        panic!("{numbers:?}");
    };
    Circuit {
        interval,
        cycles: cycles.into(),
        resources: Resources {
            dsp,
            lut: lut + lut_memory,
            ff,
            bram,
        },
    }
}

/// Checks every number in the second table of `docs/HLS.md`. The numbers come from the paper, from
/// the model, and from `rtl/circuits.tsv`. The cycles in that file are Verilator's
/// (`tests/hardware/fft_rtl.rs`).
#[test]
fn the_document_has_the_numbers_of_paper_model_and_tools() {
    let preset = |preset: Preset| fft(preset.design(), 9);
    let original = preset(Preset::PaperOriginal);
    let optimized = preset(Preset::PaperOptimized);
    let [ii2, fastest] = [Preset::Ii2, Preset::Ii1Xor].map(preset);
    let total = |measurement: &Measurement| measurement.estimate.total();
    let paper = |preset| table_ii(preset).expect("a row of the paper");
    let [p1, p2] = [Preset::PaperOriginal, Preset::PaperOptimized].map(paper);
    let c2 = circuit(Preset::PaperOptimized, 512);
    let c3 = circuit(Preset::Ii2, 512);
    let [c4, c5] = [512, 1024].map(|degree| circuit(Preset::Ii1Xor, degree));
    let large = fft(Preset::Ii1Xor.design(), 10);
    let interval = |measurement: &Measurement| measurement.kernel.body.schedule.interval;
    let speedup = optimized.speedup(&original);
    let all = |resources: Resources| format!("{}; {}", resources.dsp, cheap(resources));
    let both = |a: u64, b: u64| format!("{} and {}", thousands(a), thousands(b));
    let expected = [
        format!(
            "| `paper-original`: II | 168 | {} | | |",
            interval(&original)
        ),
        format!("| DSP | {} | {} | | |", p1.dsp, total(&original).dsp),
        format!(
            "| LUT, FF, BRAM | {} | {} (estimate) | | |",
            cheap(p1),
            cheap(total(&original))
        ),
        format!(
            "| `paper-optimized`: II | 4 | {} | {} | |",
            interval(&optimized),
            c2.interval
        ),
        format!(
            "| speedup | 42 | {:.1} by interval, {:.1} by cycles | | |",
            speedup.interval, speedup.cycles
        ),
        format!(
            "| cycles, FFT-512 | | {} | {} | |",
            thousands(optimized.run.cycles),
            thousands(c2.cycles)
        ),
        format!(
            "| DSP | {} | {} | | {} |",
            p2.dsp,
            total(&optimized).dsp,
            c2.resources.dsp
        ),
        format!(
            "| LUT, FF, BRAM | {} | {} (estimate) | | {} |",
            cheap(p2),
            cheap(total(&optimized)),
            cheap(c2.resources)
        ),
        format!(
            "| `ii2`: DSP; LUT, FF, BRAM | | {} | | {} |",
            all(total(&ii2)),
            all(c3.resources)
        ),
        format!(
            "| `ii1-xor`: cycles, FFT-512 and 1024 | | {} | {} | |",
            both(fastest.run.cycles, large.run.cycles),
            both(c4.cycles, c5.cycles)
        ),
        format!(
            "| DSP; LUT, FF, BRAM of FFT-512 | | {} | | {} |",
            all(total(&fastest)),
            all(c4.resources)
        ),
    ];
    let mut lines = DOCUMENT.lines();
    lines.find(|line| line.starts_with("| | paper `[P]` | model"));
    let table: Vec<&str> = lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(table, expected);
}
