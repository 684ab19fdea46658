//! Checks that views show the actual run. Each view is read back and compared with the trace.

mod forms;
mod pictures;
mod sweeps;
mod text;
mod traced;
mod waveform;

use falcon_hls_sim::design::Preset;
use falcon_hls_sim::keccak::KeccakPreset;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::view::{Trace, Traced};

/// The FFT of degree `2^logn` on a preset.
pub(crate) fn fft(preset: Preset, logn: u32) -> Traced {
    Traced::transform(&preset.design(), Transform::Fft, logn).expect("a preset")
}

pub(crate) fn rounds(preset: KeccakPreset) -> Traced {
    Traced::rounds(preset.design()).expect("a preset")
}

/// Runs `check` on traces of all presets and transforms, of which some stall, and on traces of
/// rounds of Keccak-f, in which some operations take no time.
pub(crate) fn on_traces(check: impl Fn(&Trace<'_>, &str)) {
    for preset in Preset::ALL {
        let design = preset.design();
        for transform in Transform::ALL {
            for (logn, window) in [(9, 0..4), (6, 14..20), (3, 0..usize::MAX), (1, 0..4)] {
                let traced = Traced::transform(&design, transform, logn).expect("a preset");
                let trace = traced.trace(window);
                let name = format!("{} {} {logn}", preset.name(), transform.name());
                check(&trace.expect("it runs"), &name);
            }
        }
    }
    for preset in KeccakPreset::ALL {
        let traced = rounds(preset);
        for window in [0..2, 11..12] {
            let trace = traced.trace(window);
            check(&trace.expect("it runs"), preset.name());
        }
    }
}
