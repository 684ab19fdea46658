//! Resources of the units on an FPGA, as yosys counts them: `rtl/resources.tsv`.
//!
//! `FALCON_WRITE_TABLES=1 cargo test -p falcon-hls-sim --test hardware units_yosys` writes the
//! table. Counts differ between versions of yosys, so they are compared only if the installed
//! version is the one that made the table.

use crate::hdl::{self, Module};
use falcon_hls_sim::catalog::{DADDSUB, DMUL, DSCALE};
use std::fs;

const HEADER: &str = "tool\tunit\tlatency\tlut\tlut_memory\tff\tdsp\tbram18\n";

/// Returns the table that the installed tool makes.
fn table() -> String {
    let version = hdl::yosys_version();
    let mut text = HEADER.to_owned();
    for core in [DMUL, DADDSUB, DSCALE] {
        let unit = core.name;
        let sources = &[hdl::rtl().join(format!("{unit}.v"))];
        let parameters = &[("LATENCY", core.latency.into())];
        let cells = Module {
            top: unit,
            sources,
            parameters,
        }
        .synthesis(&format!("resources_{unit}"))
        .unwrap_or_else(|text| panic!("{unit}: {text}"));
        let (lut, memory, ff) = (cells.lut(), cells.lut_memory(), cells.ff());
        let (dsp, bram, latency) = (cells.dsp(), cells.bram(), core.latency);
        text += &format!("{version}\t{unit}\t{latency}\t{lut}\t{memory}\t{ff}\t{dsp}\t{bram}\n");
    }
    text
}

#[test]
fn units_take_what_the_table_says() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    let path = hdl::rtl().join("resources.tsv");
    if hdl::asked("FALCON_WRITE_TABLES") {
        fs::write(&path, table()).expect("a folder that can be written");
    }
    let there = fs::read_to_string(&path).expect("the table");
    let version = hdl::yosys_version();
    let made_by = there
        .lines()
        .nth(1)
        .and_then(|line| line.split('\t').next())
        .expect("a row");
    if version != made_by {
        hdl::skipped(&format!("the table is of {made_by}, this is {version}"));
        return;
    }
    assert_eq!(table(), there);
}
