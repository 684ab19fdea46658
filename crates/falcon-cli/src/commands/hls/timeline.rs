//! `hls timeline`: what happens in which cycle.

use super::{
    design::{DesignOptions, Task},
    file::write,
    refused,
};
use crate::{
    error::{Error, Result},
    input::is_standard,
    output::{Content, Outputs, Overwrite, check_target},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    accelerator::Kernel,
    design::Design,
    view::{
        Trace, events::EventsForm, gantt::gantt, summary::heading, timeline::timeline,
        waveform::vcd,
    },
};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Show what happens in which cycle: as text, Gantt chart or waveform
#[derive(Debug, Args)]
#[command(after_help = "\
The polynomial has the coefficients 0, 1, 2 ... Cycles depend on no number.

Without --svg and --vcd the timeline goes to standard output.")]
pub(crate) struct Timeline {
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    task: Task,
    /// The first iteration shown
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    from: usize,
    /// How many iterations [default: 3 as text, 8 in a chart, all as waveform]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    iterations: Option<usize>,
    /// Draw a Gantt chart (SVG); `-` is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a waveform (VCD); `-` is standard output
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Overwrite files
    #[arg(long)]
    force: bool,
}

/// Most iterations that text and Gantt chart show.
const MAX_DRAWN: usize = 500;
/// Most cycles that the chart shows.
const MAX_DRAWN_CYCLES: u64 = 20_000;
/// Most cycles of a waveform, of which each takes some 100 bytes.
const MAX_TRACED_CYCLES: u64 = 1_000_000;

fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be 1 at least".into()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

impl Timeline {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let files = || self.svg.iter().chain(&self.vcd);
        if files().filter(|path| is_standard(path)).count() > 1 {
            return Err(Error::new("standard output takes one of --svg and --vcd"));
        }
        let mut outputs = Outputs::default();
        for (path, option) in [(&self.svg, "--svg"), (&self.vcd, "--vcd")] {
            if let Some(path) = path.as_deref().filter(|path| !is_standard(path)) {
                outputs.add(path, Path::new(option))?;
                check_target(path, Content::Result, Overwrite::from_force(self.force))?;
            }
        }
        let drawn = self.svg.is_some() || self.vcd.is_none();
        if drawn && self.iterations.is_some_and(|count| count > MAX_DRAWN) {
            return Err(Error::new(format_args!(
                "text and Gantt chart show {MAX_DRAWN} iterations at most"
            ))
            .hint("a waveform has all: --vcd FILE"));
        }
        let design = self.design.design()?;
        let kernel = Kernel::new(&design, self.task.transform).map_err(refused)?;
        let count = self.task.transform.iterations(self.task.logn).len();
        if self.from >= count {
            return Err(Error::new(format_args!(
                "no iteration {}: there are {count}, from 0",
                self.from
            )));
        }
        if let Some(path) = &self.svg {
            let trace = self.trace(&design, &kernel, 8)?;
            let title = self.title(&design, &trace);
            check_cycles(&trace, "Gantt chart", MAX_DRAWN_CYCLES)?;
            let picture = gantt(&trace, &title);
            write(path, self.force, ui, |out| {
                out.write_all(picture.as_bytes())
            })?;
        }
        if let Some(path) = &self.vcd {
            let trace = self.trace(&design, &kernel, usize::MAX)?;
            check_cycles(&trace, "waveform", MAX_TRACED_CYCLES)?;
            let title = self.title(&design, &trace);
            let clock = design.clock_hz;
            write(path, self.force, ui, |out| vcd(&trace, &title, clock, out))?;
        }
        if files().next().is_none() {
            let trace = self.trace(&design, &kernel, 3)?;
            let Self { task, .. } = &self;
            return ui.report(&Shown {
                title: self.title(&design, &trace),
                text: timeline(&trace),
                form: EventsForm::new(&trace, &design, task.transform, task.logn),
            });
        }
        Ok(())
    }

    fn trace<'k>(&self, design: &Design, kernel: &'k Kernel, default: usize) -> Result<Trace<'k>> {
        let count = self.iterations.unwrap_or(default);
        let window = self.from..self.from.saturating_add(count);
        Trace::of_transform(design, kernel, self.task.logn, window).map_err(refused)
    }

    fn title(&self, design: &Design, trace: &Trace<'_>) -> String {
        let what = heading(&design.into(), self.task.transform, 1 << self.task.logn);
        format!(
            "{what}: II {}, depth {}, {} cycles in all",
            trace.schedule.interval,
            trace.schedule.depth(trace.graph),
            trace.run.cycles
        )
    }
}

/// Refuses what is too long for a view.
fn check_cycles(trace: &Trace<'_>, view: &str, most: u64) -> Result<()> {
    let cycles = trace.cycles();
    let len = cycles.end - cycles.start;
    if len > most {
        let what =
            format_args!("these iterations take {len} cycles, a {view} shows {most} at most");
        return Err(Error::new(what).hint("fewer iterations: --iterations"));
    }
    Ok(())
}

/// The timeline, for people and for machines.
#[derive(Serialize)]
struct Shown {
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    text: String,
    #[serde(flatten)]
    form: EventsForm,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.title, self.text.trim_end())
    }
}
