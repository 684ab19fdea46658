//! What a traced run is shown as: text, Gantt chart, waveform.

use super::{file::write, refused};
use crate::{
    error::{Error, Result},
    input::is_standard,
    output::{Content, Outputs, Overwrite, check_target},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    accelerator,
    view::{
        Trace,
        events::EventsForm,
        gantt::gantt,
        report::{Subject, VERSION},
        timeline::timeline,
        waveform::vcd,
    },
};
use serde::Serialize;
use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

/// What is shown of a run, and where.
#[derive(Debug, Args)]
pub(super) struct Shown {
    /// The first iteration shown
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    from: usize,
    /// How many iterations [default: few as text, 8 in a chart, all as waveform]
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
/// Iterations in a chart, unless a number is given.
const IN_CHART: usize = 8;

fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be 1 at least".into()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

/// A run that may be traced.
pub(super) struct Traced<F> {
    /// Of what.
    pub(super) subject: Subject,
    /// Its clock.
    pub(super) clock_hz: u64,
    /// Iterations of all of it.
    pub(super) iterations: usize,
    /// Of these as text, unless a number is given.
    pub(super) in_text: usize,
    /// Runs it and keeps what some iterations do.
    pub(super) trace: F,
}

impl Shown {
    pub(super) fn show<'t, F>(&self, run: &Traced<F>, ui: Ui) -> Result<()>
    where
        F: Fn(Range<usize>) -> std::result::Result<Trace<'t>, accelerator::Error>,
    {
        self.check(run.iterations)?;
        let trace = |default: usize| {
            let count = self.iterations.unwrap_or(default);
            (run.trace)(self.from..self.from.saturating_add(count)).map_err(refused)
        };
        let mut shown = None;
        if let Some(path) = &self.svg {
            let trace = trace(IN_CHART)?;
            check_cycles(&trace, "Gantt chart", MAX_DRAWN_CYCLES)?;
            let picture = gantt(&trace, &title(&run.subject, &trace));
            write(path, self.force, ui, |out| {
                out.write_all(picture.as_bytes())
            })?;
            shown = Some(trace);
        }
        if let Some(path) = &self.vcd {
            let trace = trace(usize::MAX)?;
            check_cycles(&trace, "waveform", MAX_TRACED_CYCLES)?;
            let title = title(&run.subject, &trace);
            write(path, self.force, ui, |out| {
                vcd(&trace, &title, run.clock_hz, out)
            })?;
            shown = Some(trace);
        }
        let Some(trace) = shown else {
            let trace = trace(run.in_text)?;
            return ui.report(&Text {
                title: title(&run.subject, &trace),
                text: timeline(&trace),
                form: EventsForm::new(&trace, run.subject.clone()),
            });
        };
        // Nothing else belongs there where standard output is one of the files.
        if !self.files().any(|path| is_standard(path)) {
            let path = |path: &PathBuf| path.to_string_lossy().into_owned();
            ui.report(&Written {
                title: title(&run.subject, &trace),
                version: VERSION,
                subject: run.subject.clone(),
                interval: trace.schedule.interval,
                depth: trace.schedule.depth(trace.graph),
                cycles: trace.run.cycles,
                files: self.files().map(path).collect(),
            })?;
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.svg.iter().chain(&self.vcd)
    }

    /// Refuses what cannot be written or shown, before anything is.
    fn check(&self, iterations: usize) -> Result<()> {
        if self.files().filter(|path| is_standard(path)).count() > 1 {
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
        if self.from >= iterations {
            return Err(Error::new(format_args!(
                "no iteration {}: there are {iterations}, from 0",
                self.from
            )));
        }
        Ok(())
    }
}

fn title(subject: &Subject, trace: &Trace<'_>) -> String {
    format!(
        "{subject}: II {}, depth {}, {} cycles in all",
        trace.schedule.interval,
        trace.schedule.depth(trace.graph),
        trace.run.cycles
    )
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
struct Text {
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    text: String,
    #[serde(flatten)]
    form: EventsForm,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.title, self.text.trim_end())
    }
}

/// What was written instead.
#[derive(Serialize)]
struct Written {
    #[serde(skip)]
    title: String,
    version: u32,
    #[serde(flatten)]
    subject: Subject,
    interval: u32,
    depth: u32,
    cycles: u64,
    files: Vec<String>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}
