//! The presets side by side: a table and its JSON form.

use super::report::{DesignForm, Timing, VERSION, concerns};
use crate::accelerator::Error;
use crate::catalog::Device;
use crate::design::Preset;
use crate::measurement::Measurement;
use crate::nest::Transform;
use crate::resources::{Resources, table_ii};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// A preset.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRow {
    /// The design.
    pub design: DesignForm,
    /// Cycles and time.
    #[serde(flatten)]
    pub timing: Timing,
    /// Speedup over the first preset, by time.
    pub speedup: f64,
    /// Resources. The DSP slices agree with Table II. The other numbers are estimates without
    /// control and AXI.
    pub resources: Resources,
    /// Table II, if the design is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<Resources>,
    /// Reasons why the circuit does not fit the part.
    pub concerns: Vec<String>,
}

/// All presets.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// [`VERSION`].
    pub version: u32,
    /// The transform.
    pub transform: Transform,
    /// Degree of the polynomial.
    pub degree: u32,
    /// The part to which `concerns` refers.
    pub part: &'static str,
    /// The presets, slowest first.
    pub presets: Vec<ComparedRow>,
}

impl Comparison {
    /// Runs `transform` of degree `2^logn` on every preset.
    ///
    /// # Errors
    /// If there is no such degree.
    pub fn new(transform: Transform, logn: u32, device: Device) -> Result<Self, Error> {
        let measured = |preset: &Preset| Measurement::new(preset.design(), transform, logn);
        let measurements: Result<Vec<_>, _> = Preset::ALL.iter().map(measured).collect();
        let measurements = measurements?;
        let row = |(preset, measurement): (Preset, &Measurement)| ComparedRow {
            design: (&measurement.design).into(),
            timing: measurement.into(),
            speedup: measurement.speedup(&measurements[0]).time,
            resources: measurement.estimate.total(),
            paper: table_ii(preset),
            concerns: concerns(&measurement.estimate, device),
        };
        Ok(Self {
            version: VERSION,
            transform,
            degree: 1 << logn,
            part: device.name,
            presets: Preset::ALL
                .into_iter()
                .zip(&measurements)
                .map(row)
                .collect(),
        })
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let transform = self.transform.name().to_uppercase();
        writeln!(f, "{transform} of degree {}\n", self.degree)?;
        write!(
            f,
            "{:<16}{:>5}{:>7}{:>9}{:>8}{:>7}{:>10}{:>8}{:>6}{:>7}{:>7}{:>6}",
            "preset",
            "II",
            "depth",
            "cycles",
            "stalls",
            "MHz",
            "us",
            "x",
            "DSP",
            "LUT",
            "FF",
            "BRAM"
        )?;
        for row in &self.presets {
            let timing = &row.timing;
            let Resources { dsp, lut, ff, bram } = row.resources;
            write!(
                f,
                "\n{:<16}{:>5}{:>7}{:>9}{:>8}{:>7}{:>10.2}{:>8.1}{dsp:>6}{lut:>7}{ff:>7}{bram:>6}",
                row.design.name,
                timing.interval,
                timing.depth,
                timing.cycles,
                timing.stalls,
                row.design.clock_hz as f64 / 1e6,
                timing.micros,
                row.speedup,
            )?;
            let mut concerns = row.concerns.iter();
            concerns
                .try_for_each(|concern| write!(f, "; does not fit {}: {concern}", self.part))?;
        }
        Ok(())
    }
}
