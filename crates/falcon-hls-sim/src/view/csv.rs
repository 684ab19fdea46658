//! A sweep as CSV: a line for each design that ran.

use super::report::SweepForm;
use std::fmt::Write;

/// The first line.
const HEADER: &str = "name,transform,degree,clock_mhz,multipliers,adders,dmul_latency,\
                      dadd_latency,memory,banking,ports,read_latency,write_latency,pipelining,\
                      dependence,least_interval,interval,depth,cycles,stalls,micros,dsp,lut,ff,\
                      bram,fits,pareto";

/// The designs that ran. `fits` is 1 if nothing speaks against them on the part.
pub fn csv(sweep: &SweepForm) -> String {
    let mut text = format!("{HEADER}\n");
    for row in &sweep.designs {
        let (design, timing, resources) = (&row.design, &row.timing, &row.resources);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            field(&design.name),
            sweep.transform.name(),
            sweep.degree,
            design.clock_hz as f64 / 1e6,
            design.multipliers,
            design.adders,
            design.multiplier_latency,
            design.adder_latency,
            design.memory.name(),
            design.banking.name(),
            design.ports,
            design.read_latency,
            design.write_latency,
            design.pipelining,
            design.dependence.name(),
            design.least_interval,
            timing.interval,
            timing.depth,
            timing.cycles,
            timing.stalls,
            timing.micros,
            resources.dsp,
            resources.lut,
            resources.ff,
            resources.bram,
            u8::from(row.concerns.is_empty()),
            u8::from(row.pareto),
        );
    }
    text
}

/// A field that may hold anything (RFC 4180).
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::XC7Z020;
    use crate::design::Preset;
    use crate::nest::Transform;
    use crate::sweep::Sweep;

    #[test]
    fn every_line_has_every_column() {
        let mut base = Preset::PaperOptimized.design();
        base.name = "a \"b\"; c".into();
        let mut sweep = Sweep::new(base);
        sweep.adders = vec![1, 2];
        let outcome = sweep.run(Transform::Fft, 6).expect("two");
        let text = csv(&SweepForm::new(&outcome, Transform::Fft, 6, XC7Z020));
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(lines[1][0], "\"a \"\"b\"\"; c\"");
        let column = |name| lines[0].iter().position(|&column| column == name);
        let interval = column("interval").expect("a column");
        assert_eq!([lines[1][interval], lines[2][interval]], ["6", "4"]);
        assert_eq!(field("a,b"), "\"a,b\"");
    }
}
