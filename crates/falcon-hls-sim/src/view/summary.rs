//! The reports as text.

use super::report::{
    DesignForm, ExplainForm, KeccakDesignForm, KeccakVerilogForm, RunForm, Subject, SweepForm,
    SweepRow, Timing, VerilogForm,
};
use crate::nest::Transform;
use crate::quantity::{Count, Stalls};
use crate::resources::Resources;
use std::fmt::{self, Display, Formatter};

/// Writes the transform, the degree and the design.
fn heading(f: &mut Formatter<'_>, design: &str, transform: Transform, degree: u32) -> fmt::Result {
    let transform = transform.name().to_uppercase();
    write!(f, "{transform} of degree {degree} on {design}")
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transform {
                design,
                transform,
                degree,
            } => match degree {
                Some(degree) => heading(f, &design.name, *transform, *degree),
                None => write!(f, "{} on {}", transform.name().to_uppercase(), design.name),
            },
            Self::Keccak { design } => write!(f, "Keccak-f on {}", design.name),
        }
    }
}

impl Display for KeccakDesignForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "state in {}", self.state)?;
        if let Some(ports) = self.ports {
            write!(f, ", {ports} ports")?;
        }
        write!(
            f,
            "; {} of 24 rounds in the body; registers behind the parities {}, between rounds {}",
            self.unrolled_rounds, self.parity_latency, self.round_latency
        )
    }
}

impl Display for DesignForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} dmul of {}, {} daddsub of {}; {} {}, bank ports {}, read {}, write {}; \
             loops {}; dependence {}",
            self.multipliers,
            Count(self.multiplier_latency.into(), "cycle"),
            self.adders,
            self.adder_latency,
            self.memory.name(),
            self.banking.name(),
            self.ports,
            self.read_latency,
            self.write_latency,
            self.pipelining,
            self.dependence.name(),
        )
    }
}

impl Display for Timing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let butterflies = match self.butterflies {
            1 => "1 butterfly".into(),
            count => format!("{count} butterflies"),
        };
        write!(
            f,
            "{butterflies}, II {}, depth {}: {} ({}), {:.2} us",
            self.interval,
            self.depth,
            Count(self.cycles, "cycle"),
            Stalls(self.stalls),
            self.micros
        )
    }
}

/// Writes a line of a table of resources.
fn resources_line(f: &mut Formatter<'_>, name: &str, of: Resources) -> fmt::Result {
    let Resources { dsp, lut, ff, bram } = of;
    write!(f, "\n  {name:<36}{dsp:>6}{lut:>8}{ff:>8}{bram:>6}")
}

impl Display for RunForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        heading(f, &self.design.name, self.transform, self.degree)?;
        writeln!(f, ", {} MHz", self.design.clock_hz as f64 / 1e6)?;
        writeln!(f, "  {}", self.design)?;
        writeln!(f, "  {}", self.timing)?;
        write!(
            f,
            "  {:.1} times as fast as paper-original by interval, as the paper counts; {:.1} by cycles; \
             {:.1} by time\n\n",
            self.speedup.interval, self.speedup.cycles, self.speedup.time
        )?;
        let resources = &self.resources;
        write!(
            f,
            "  {:<36}{:>6}{:>8}{:>8}{:>6}",
            "resources", "DSP", "LUT", "FF", "BRAM"
        )?;
        for component in &resources.components {
            let name = match component.count {
                1 => component.name.clone(),
                count => format!("{count} x {}", component.name),
            };
            resources_line(f, &name, component.each * component.count)?;
        }
        resources_line(f, "estimate, without control and AXI", resources.estimate)?;
        if let Some(paper) = resources.paper {
            resources_line(f, "Table II of the paper", paper)?;
        }
        resources_line(f, resources.part, resources.available)?;
        let share = |(own, all): (u32, u32)| match all {
            0 => "-".into(),
            _ => format!("{:.1} %", 100.0 * f64::from(own) / f64::from(all)),
        };
        let (own, all) = (resources.estimate.named(), resources.available.named());
        let shares = own
            .into_iter()
            .zip(all)
            .map(|(own, all)| share((own.1, all.1)));
        let [dsp, lut, ff, bram] = Vec::from_iter(shares).try_into().unwrap_or_default();
        write!(
            f,
            "\n  {:<36}{dsp:>6}{lut:>8}{ff:>8}{bram:>6}",
            "share of the part"
        )
    }
}

impl Display for ExplainForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.subject)?;
        let sentences = |iteration: &str| self.explanation.sentences(iteration);
        match &self.subject {
            Subject::Transform { design, .. } => {
                writeln!(f, "{}\n\n{design}", sentences("butterfly"))?;
            }
            Subject::Keccak { design } => {
                let iteration = match design.unrolled_rounds {
                    1 => "round".into(),
                    rounds => format!("group of {rounds} rounds"),
                };
                writeln!(f, "{}\n\n{design}", sentences(&iteration))?;
            }
        }
        self.explanation.fmt(f)
    }
}

/// Writes the table of the designs on the Pareto front.
impl Display for SweepForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            designs,
            impossible,
            ..
        } = self;
        writeln!(
            f,
            "{} of degree {}: {} simulated{}. Best trade-offs of time and DSP slices:\n",
            self.transform.name().to_uppercase(),
            self.degree,
            Count(designs.len() as u64, "design"),
            match impossible.len() {
                0 => String::new(),
                count => format!(", {count} cannot be built"),
            },
        )?;
        write!(
            f,
            "{:>5}{:>9}{:>5}{:>10}{:>7}{:>8}{:>9}  {:<12}{:>5}{:>8}  {:<11}name",
            "DSP",
            "cycles",
            "II",
            "us",
            "MHz",
            "dmul",
            "daddsub",
            "memory",
            "ports",
            "rd/wr",
            "loops"
        )?;
        let mut front: Vec<&SweepRow> = designs.iter().filter(|row| row.pareto).collect();
        front.sort_by_key(|row| (row.resources.dsp, row.time()));
        front.iter().try_for_each(|row| self.line(f, row))
    }
}

impl SweepForm {
    fn line(&self, f: &mut Formatter<'_>, row: &SweepRow) -> fmt::Result {
        let SweepRow {
            design,
            timing,
            resources,
            concerns,
            ..
        } = row;
        let units = |count, latency| format!("{count} x {latency}");
        let name = match design.name.as_str() {
            "" => "-",
            name => name,
        };
        write!(
            f,
            "\n{:>5}{:>9}{:>5}{:>10.2}{:>7}{:>8}{:>9}  {:<12}{:>5}{:>8}  {:<11}{name}",
            resources.dsp,
            timing.cycles,
            timing.interval,
            timing.micros,
            design.clock_hz as f64 / 1e6,
            units(design.multipliers, design.multiplier_latency),
            units(design.adders, design.adder_latency),
            format!("{} {}", design.memory.name(), design.banking.name()),
            design.ports,
            format!("{}/{}", design.read_latency, design.write_latency),
            design.pipelining,
        )?;
        let mut concerns = concerns.iter();
        concerns.try_for_each(|concern| write!(f, "; does not fit {}: {concern}", self.part))
    }
}

impl Display for VerilogForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        heading(f, &self.design.name, self.transform, self.degree)?;
        let (interval, depth, top) = (self.interval, self.depth, self.top);
        write!(f, ": II {interval}, depth {depth}; top module {top}")
    }
}

impl Display for KeccakVerilogForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (design, top) = (&self.design.name, self.top);
        let cycles = Count(self.cycles, "cycle");
        write!(f, "Keccak-f on {design}: {cycles}; top module {top}")
    }
}
