//! Views show what ran: each is read back and compared with the trace.

mod forms;
mod pictures;
mod text;
mod waveform;

use falcon_hls_sim::accelerator::Kernel;
use falcon_hls_sim::design::{Design, Preset};
use falcon_hls_sim::keccak::{KeccakCircuit, KeccakPreset};
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::view::Trace;

pub(crate) fn kernel(design: &Design, transform: Transform) -> Kernel {
    Kernel::new(design, transform).expect("a design")
}

/// Runs `check` on traces of all presets and transforms, some with stalls, and of rounds
/// of Keccak-f, some of whose operations take no time.
pub(crate) fn on_traces(check: impl Fn(&Trace<'_>, &str)) {
    for preset in Preset::ALL {
        let design = preset.design();
        for transform in Transform::ALL {
            let kernel = kernel(&design, transform);
            for (logn, window) in [(9, 0..4), (6, 14..20), (3, 0..usize::MAX), (1, 0..4)] {
                let trace = Trace::of_transform(&design, &kernel, logn, window);
                let name = format!("{} {} {logn}", preset.name(), transform.name());
                check(&trace.expect("it runs"), &name);
            }
        }
    }
    for preset in KeccakPreset::ALL {
        let circuit = KeccakCircuit::new(preset.design()).expect("a preset");
        for window in [0..2, 11..12] {
            let trace = Trace::of_rounds(&circuit, window);
            check(&trace.expect("it runs"), preset.name());
        }
    }
}
