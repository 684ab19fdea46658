//! Views of some iterations of a run.

use crate::rounds;
use falcon_hls_sim::amdahl::predict::Processor;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::keccak::{KeccakPreset, ROUNDS, Summary};
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::setting::Setting;
use falcon_hls_sim::view::{Traced, ViewError, Window};

#[test]
fn rounds_of_keccak_are_explained_and_drawn() {
    let summary = Summary::new(&Processor::CORTEX_A9).expect("presets");
    for (preset, row) in KeccakPreset::ALL.into_iter().zip(summary.rows) {
        let traced = rounds(preset);
        let explained = traced.explain();
        assert!(
            explained
                .to_string()
                .starts_with(&format!("Keccak-f on {}\n", row.name))
        );
        assert_eq!(explained.explanation.interval, row.interval);
        assert_eq!(explained.explanation.recurrence, row.recurrence_bound);
        let timeline = traced.timeline(Window::default()).expect("a round");
        assert_eq!(timeline.cycles, row.cycles.permute);
        assert_eq!(timeline.starts.len(), 1);
        // 25 words are read and 25 written, with logic in between.
        assert!(timeline.events.len() > 50);
        let picture = traced.gantt(Window::default()).expect("a chart");
        assert_eq!(picture.form.cycles, row.cycles.permute);
        let svg = String::from_utf8(picture.content).expect("text");
        assert!(svg.contains(&format!("Keccak-f on {}", row.name)));
        let (from, last) = (24, (ROUNDS / preset.design().unrolled_rounds) as usize - 1);
        let window = Window {
            from,
            ..Window::default()
        };
        let refused = traced.waveform(window).map(|_| ());
        assert_eq!(refused, Err(ViewError::Start { from, last }));
    }
}

/// Checks that the last time of a waveform is the end of its last cycle, at any clock.
#[test]
fn the_clock_of_a_waveform_does_not_drift() {
    for (hz, last) in [
        // There are 32 cycles.
        (3_000_000, "#10666666\n"),
        (1, "#32000000000\n"),
        (10_000_000_000, "#3200\n"),
    ] {
        let design = Preset::PaperOptimized.design().with(&[Setting::Clock(hz)]);
        let traced = Traced::transform(&design, Transform::Fft, 9).expect("a design");
        let count = Some(1);
        let waveform = traced.waveform(Window {
            count,
            ..Window::default()
        });
        let text = String::from_utf8(waveform.expect("a waveform").content);
        assert!(text.expect("text").contains(last), "{hz}");
    }
}
