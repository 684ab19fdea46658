//! A sweep as CSV (RFC 4180): a line for each design that ran.

use super::report::{SweepForm, SweepRow};
use crate::design::{Aliasing, StorageKind};
use crate::graph::Banking;
use crate::nest::Transform;
use serde::{Serialize, Serializer};

/// A line. The names of its fields are the header.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    transform: Transform,
    degree: u32,
    #[serde(serialize_with = "plain")]
    clock_mhz: f64,
    multipliers: u32,
    adders: u32,
    dmul_latency: u32,
    dadd_latency: u32,
    memory: StorageKind,
    banking: Banking,
    ports: u32,
    read_latency: u32,
    write_latency: u32,
    pipelining: &'static str,
    dependence: Aliasing,
    least_interval: u32,
    interval: u32,
    depth: u32,
    cycles: u64,
    stalls: u64,
    #[serde(serialize_with = "plain")]
    micros: f64,
    dsp: u32,
    lut: u32,
    ff: u32,
    bram: u32,
    /// 1 if there are no concerns about the part.
    fits: u8,
    pareto: u8,
}

/// Writes a whole number without its decimals: 100 instead of 100.0.
fn plain<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

impl<'a> Line<'a> {
    fn new(sweep: &SweepForm, row: &'a SweepRow) -> Self {
        let (design, timing, resources) = (&row.design, &row.timing, &row.resources);
        Self {
            name: &design.name,
            transform: sweep.transform,
            degree: sweep.degree,
            clock_mhz: design.clock_hz as f64 / 1e6,
            multipliers: design.multipliers,
            adders: design.adders,
            dmul_latency: design.multiplier_latency,
            dadd_latency: design.adder_latency,
            memory: design.memory,
            banking: design.banking,
            ports: design.ports,
            read_latency: design.read_latency,
            write_latency: design.write_latency,
            pipelining: design.pipelining,
            dependence: design.dependence,
            least_interval: design.least_interval,
            interval: timing.interval,
            depth: timing.depth,
            cycles: timing.cycles,
            stalls: timing.stalls,
            micros: timing.micros,
            dsp: resources.dsp,
            lut: resources.lut,
            ff: resources.ff,
            bram: resources.bram,
            fits: row.concerns.is_empty().into(),
            pareto: row.pareto.into(),
        }
    }
}

/// Returns a header, and a line for each design of all `sweeps` that ran. Empty if no design ran.
pub fn csv(sweeps: &[SweepForm]) -> String {
    let mut text = Vec::new();
    let mut writer = csv::Writer::from_writer(&mut text);
    for sweep in sweeps {
        for row in &sweep.designs {
            // Writing to memory does not fail.
            let _ = writer.serialize(Line::new(sweep, row));
        }
    }
    drop(writer);
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::XC7Z020;
    use crate::design::Preset;
    use crate::setting::Setting;
    use crate::sweep::Sweep;

    #[test]
    fn every_line_has_every_column() {
        let mut base = Preset::PaperOptimized.design();
        base.name = "a \"b\", c".into();
        let mut sweep = Sweep::new(base);
        sweep.lists = vec![[1, 2].map(Setting::Adders).to_vec()];
        let forms = [6, 7].map(|logn| {
            let outcome = sweep.run(Transform::Fft, logn).expect("two");
            SweepForm::new(&outcome, Transform::Fft, logn, XC7Z020)
        });
        let text = csv(&forms);
        assert!(text.starts_with("name,transform,degree,clock_mhz,multipliers,adders,"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        assert_eq!(header.len(), 27);
        // The reader refuses lines with different numbers of fields.
        let lines: Vec<_> = reader.records().collect::<Result<_, _>>().expect("lines");
        let column = |name| {
            let index = header.iter().position(|column| column == name);
            let index = index.expect("a column");
            [0, 1, 2, 3].map(|line: usize| &lines[line][index])
        };
        assert_eq!(lines.len(), 4);
        assert_eq!(column("name"), ["a \"b\", c"; 4]);
        assert_eq!(column("degree"), ["64", "64", "128", "128"]);
        assert_eq!(column("interval"), ["6", "4", "6", "4"]);
        assert_eq!(column("clock_mhz"), ["100"; 4]);
    }
}
