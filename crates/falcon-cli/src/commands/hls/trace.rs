//! A traced run as text, Gantt chart or waveform.

use super::{file::write, refused};
use crate::{
    PROGRAM,
    error::{Error, Result},
    escape::shown,
    input::is_standard,
    output::{Content, Outputs, Overwrite, check_target},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    accelerator,
    quantity::Count,
    view::{
        Detail, Trace,
        events::EventsForm,
        gantt::{columns, gantt},
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

/// Selection of what a run shows, and the file for it.
#[derive(Debug, Args)]
pub(super) struct Shown {
    /// Number of the first iteration to show
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    from: usize,
    /// Number of iterations [default: 1 to 3 as text, up to 8 in a chart, all as waveform]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    iterations: Option<usize>,
    /// Show every operation and every unit in a row of its own, however many there are
    #[arg(long)]
    full: bool,
    /// Draw a Gantt chart (SVG); `-` writes to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a waveform (VCD); `-` writes to standard output
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
/// Iterations in a chart, unless a number is given: the first of these with which the chart has at
/// most [`READABLE_COLUMNS`], or the last.
const IN_CHART: [usize; 4] = [8, 4, 2, 1];
/// With more columns a cycle is narrower than the text in its bars.
const READABLE_COLUMNS: usize = 90;

fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

/// A run that may be traced.
pub(super) struct Traced<F> {
    /// Circuit or program that runs.
    pub(super) subject: Subject,
    /// Clock of the circuit, in hertz.
    pub(super) clock_hz: u64,
    /// Iterations of the whole run.
    pub(super) iterations: usize,
    /// Iterations that are shown as text, unless a number is given.
    pub(super) in_text: usize,
    /// Runs the subject and records some iterations.
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
        let mut chosen = None;
        let detail = match self.full {
            true => Detail::Full,
            false => Detail::Readable,
        };
        if let Some(path) = &self.svg {
            let mut counts = IN_CHART.into_iter();
            let mut trace_next = || trace(counts.next().unwrap_or(1));
            let mut trace = trace_next()?;
            while self.iterations.is_none()
                && columns(&trace) > READABLE_COLUMNS
                && trace.starts.len() > 1
            {
                trace = trace_next()?;
            }
            check_cycles(&trace, "Gantt chart", MAX_DRAWN_CYCLES)?;
            let picture = gantt(&trace, &title(&run.subject, &trace), detail);
            write(path, self.force, ui, |out| {
                out.write_all(picture.as_bytes())
            })?;
            chosen = Some(trace);
        }
        if let Some(path) = &self.vcd {
            let trace = trace(usize::MAX)?;
            check_cycles(&trace, "waveform", MAX_TRACED_CYCLES)?;
            let title = title(&run.subject, &trace);
            write(path, self.force, ui, |out| {
                vcd(&trace, &title, run.clock_hz, out)
            })?;
            chosen = Some(trace);
        }
        let Some(trace) = chosen else {
            let trace = trace(run.in_text)?;
            return ui.report(&Text {
                title: title(&run.subject, &trace),
                text: timeline(&trace, detail),
                form: EventsForm::new(&trace, run.subject.clone()),
            });
        };
        // If a file goes to standard output, nothing else does.
        if !self.files().any(|path| is_standard(path)) {
            let path = |path: &PathBuf| shown(path).into_owned();
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

    /// Refuses what cannot be written or shown, before anything is written.
    fn check(&self, iterations: usize) -> Result<()> {
        if self.files().filter(|path| is_standard(path)).count() > 1 {
            return Err(Error::new(
                "only one of --svg and --vcd can go to standard output",
            ));
        }
        let mut outputs = Outputs::default();
        for (path, option) in [(&self.svg, "--svg"), (&self.vcd, "--vcd")] {
            if let Some(path) = path.as_deref().filter(|path| !is_standard(path)) {
                outputs.add(path, Path::new(option))?;
                check_target(
                    &PROGRAM,
                    path,
                    Content::Result,
                    Overwrite::from_force(self.force),
                )?;
            }
        }
        let drawn = self.svg.is_some() || self.vcd.is_none();
        if drawn && self.iterations.is_some_and(|count| count > MAX_DRAWN) {
            return Err(Error::new(format_args!(
                "text and Gantt chart show at most {MAX_DRAWN} iterations"
            ))
            .hint("write a waveform, which has no such limit: --vcd FILE"));
        }
        if self.from >= iterations {
            let last = iterations.saturating_sub(1);
            return Err(Error::new(format_args!(
                "there is no iteration {}: the last one is {last}",
                self.from
            )));
        }
        Ok(())
    }
}

fn title(subject: &Subject, trace: &Trace<'_>) -> String {
    format!(
        "{subject}: II {}, depth {}, {} in all",
        trace.schedule.interval,
        trace.schedule.depth(trace.graph),
        Count(trace.run.cycles, "cycle")
    )
}

/// Refuses what is too long for a view.
fn check_cycles(trace: &Trace<'_>, view: &str, most: u64) -> Result<()> {
    let cycles = trace.cycles();
    let len = cycles.end - cycles.start;
    if len > most {
        let what =
            format_args!("these iterations take {len} cycles; a {view} shows at most {most}");
        return Err(Error::new(what).hint("show fewer iterations: --iterations COUNT"));
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

/// The report on the file that was written.
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
