//! Resources of the emitted circuits on an FPGA, as yosys counts them: `rtl/circuits.tsv`.
//!
//! `FALCON_FULL=1 FALCON_WRITE_TABLES=1 cargo test -p falcon-hls-sim --test hardware fft_yosys`
//! writes the table. Counts differ between versions of yosys, so they are compared only if the
//! installed version is the one that made the table.

use crate::hdl;
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::verilog::{self, TOP};
use std::fs;

const HEADER: &str = "tool\tdesign\tdegree\tinterval\tcycles\tlut\tlut_memory\tff\tdsp\tbram18\n";

/// The rows of the table. The circuit whose synthesis takes least time comes first.
const CIRCUITS: [(Preset, u32); 5] = [
    (Preset::PaperOptimized, 9),
    (Preset::PaperOptimized, 10),
    (Preset::Ii2, 9),
    (Preset::Ii1Xor, 9),
    (Preset::Ii1Xor, 10),
];

/// Returns the row of the FFT of degree `2^logn` on a preset.
fn row(preset: Preset, logn: u32) -> String {
    let accelerator = Accelerator::new(preset.design()).expect("a preset");
    let mut zeros = vec![0.0; 1 << logn];
    let run = accelerator.transform(Transform::Fft, logn, &mut zeros, &mut ());
    let cycles = run.expect("it runs").cycles;
    let emission = verilog::emit(&accelerator, Transform::Fft, logn).expect("Verilog");
    let name = format!("resources_{}_{logn}", preset.name());
    let module = hdl::Module {
        top: TOP,
        sources: &hdl::written(&name, &emission.sources),
        parameters: &[],
    };
    let cells = module.synthesis(&name).expect("a synthesis");
    let interval = accelerator.kernel(Transform::Fft).body.schedule.interval;
    let columns = [
        hdl::yosys_version(),
        preset.name().into(),
        (1 << logn).to_string(),
        interval.to_string(),
        cycles.to_string(),
        cells.lut().to_string(),
        cells.lut_memory().to_string(),
        cells.ff().to_string(),
        cells.dsp().to_string(),
        cells.bram().to_string(),
    ];
    columns.join("\t") + "\n"
}

#[test]
fn circuits_take_what_the_table_says() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    let path = hdl::rtl().join("circuits.tsv");
    let wanted = if hdl::asked("FALCON_FULL") {
        &CIRCUITS[..]
    } else {
        hdl::skipped("all circuits but the first (FALCON_FULL=1 for all)");
        &CIRCUITS[..1]
    };
    if hdl::asked("FALCON_WRITE_TABLES") {
        let rows = CIRCUITS.map(|(preset, logn)| row(preset, logn));
        fs::write(&path, HEADER.to_owned() + &rows.concat()).expect("a folder that can be written");
    }
    let table = fs::read_to_string(&path).expect("the table");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), CIRCUITS.len());
    let version = hdl::yosys_version();
    if !rows[0].starts_with(&format!("{version}\t")) {
        hdl::skipped(&format!("the table is not of {version}"));
        return;
    }
    for (&(preset, logn), there) in wanted.iter().zip(rows) {
        assert_eq!(row(preset, logn).trim_end(), there);
    }
}
