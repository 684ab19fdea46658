//! Views of some iterations of a run.

use super::events::EventsForm;
use super::explain::Explanation;
use super::gantt::{columns, gantt};
use super::report::{ExplainForm, Subject};
use super::waveform::vcd;
use super::{Detail, Trace};
use crate::VERSION;
use crate::accelerator::{self, Kernel, MAX_LOGN, blank_memories, control, to_words};
use crate::cycles::{Control, Words};
use crate::design::Design;
use crate::keccak::{self, KeccakCircuit, KeccakDesign, ROUND_CONSTANTS};
use crate::nest::{Iteration, Transform};
use crate::quantity::Count;
use crate::scheduled::Scheduled;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// Upper bound on the number of iterations that text and Gantt chart show.
pub const MAX_DRAWN: usize = 500;
/// Upper bound on the number of cycles that the chart shows.
pub const MAX_DRAWN_CYCLES: u64 = 20_000;
/// Upper bound on the number of cycles of a waveform. Each cycle takes about 100 bytes.
pub const MAX_TRACED_CYCLES: u64 = 1_000_000;
/// Numbers of iterations to try for a chart, unless the user gives a number. The chart gets the
/// first number with which it has at most [`READABLE_COLUMNS`] columns, or otherwise the last one.
const IN_CHART: [usize; 4] = [8, 4, 2, 1];
/// With more columns, a cycle is narrower than the text in its bars.
const READABLE_COLUMNS: usize = 90;

/// A circuit and the loop iterations it runs. Explains the initiation interval, and shows
/// iterations as text, Gantt chart or waveform.
///
/// ```
/// use falcon_hls_sim::{design::Preset, nest::Transform};
/// use falcon_hls_sim::view::{Traced, Window};
///
/// let traced = Traced::transform(&Preset::PaperOptimized.design(), Transform::Fft, 9)?;
/// let window = Window { from: 2, count: Some(1), ..Window::default() };
/// let view = traced.timeline(window)?;
/// assert!(view.to_string().contains("y.re*w.re   dmul"));
/// assert_eq!(view.starts[0].cycle, 8);
/// assert!(traced.gantt(window)?.content.starts_with(b"<svg"));
/// # Ok::<(), falcon_hls_sim::view::ViewError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Traced {
    subject: Subject,
    clock_hz: u64,
    least_interval: u32,
    body: Scheduled,
    control: Control,
    iterations: Vec<Iteration>,
    memories: Vec<Words>,
    /// Number of iterations in a timeline, unless a number is given.
    in_text: usize,
}

/// Iterations to show, and the amount of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Number of the first iteration.
    pub from: usize,
    /// Number of iterations. If `None`, each view has its own default.
    pub count: Option<usize>,
    /// Amount of detail.
    pub detail: Detail,
}

/// A run of a circuit. The iterations are not included.
#[derive(Clone, Debug, Serialize)]
pub struct TracedForm {
    /// [`VERSION`].
    pub version: u32,
    /// Circuit that was run.
    #[serde(flatten)]
    pub subject: Subject,
    /// Initiation interval, cycles.
    pub interval: u32,
    /// Cycles of one iteration.
    pub depth: u32,
    /// Cycles of the whole run.
    pub cycles: u64,
}

impl Display for TracedForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            interval,
            depth,
            ..
        } = self;
        let cycles = Count(self.cycles, "cycle");
        write!(
            f,
            "{subject}: II {interval}, depth {depth}, {cycles} in all"
        )
    }
}

/// A picture or waveform.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The run that is shown.
    pub form: TracedForm,
    /// Content of the file.
    pub content: Vec<u8>,
}

/// A view cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewError {
    /// More iterations than [`MAX_DRAWN`].
    Iterations,
    /// The run has no such iteration.
    Start {
        /// Number of the iteration.
        from: usize,
        /// Number of the run's last iteration.
        last: usize,
    },
    /// The iterations take too long for this view.
    Cycles {
        /// Cycles of the iterations.
        cycles: u64,
        /// Name of the view.
        view: &'static str,
        /// Largest number of cycles that the view shows.
        most: u64,
    },
    /// The circuit cannot be built, or does not run.
    Run(accelerator::Error),
}

impl Display for ViewError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterations => {
                write!(
                    f,
                    "text and Gantt chart show at most {MAX_DRAWN} iterations"
                )
            }
            Self::Start { from, last } => {
                write!(f, "there is no iteration {from}: the last one is {last}")
            }
            Self::Cycles { cycles, view, most } => {
                write!(
                    f,
                    "these iterations take {cycles} cycles; a {view} shows at most {most}"
                )
            }
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ViewError {}

impl From<accelerator::Error> for ViewError {
    fn from(error: accelerator::Error) -> Self {
        Self::Run(error)
    }
}

impl Traced {
    /// Prepares a transform of degree `2^logn` on `design`. The polynomial has the coefficients 0,
    /// 1, 2 ...
    ///
    /// # Errors
    /// If the design cannot be built, or there is no such degree.
    pub fn transform(
        design: &Design,
        transform: Transform,
        logn: u32,
    ) -> Result<Self, accelerator::Error> {
        if !(1..=MAX_LOGN).contains(&logn) {
            return Err(accelerator::Error::Degree { logn });
        }
        // Sets all memories except the last one, which holds the twiddles.
        let mut memories = blank_memories(transform, logn);
        if let Some((_, polynomials)) = memories.split_last_mut() {
            for words in polynomials {
                let counted: Vec<f64> = (0..2 * words.len()).map(|i| i as f64).collect();
                *words = to_words(&counted);
            }
        }
        Ok(Self {
            subject: Subject::Transform {
                design: design.into(),
                transform,
                degree: Some(1 << logn),
            },
            clock_hz: design.clock_hz,
            least_interval: design.least_interval,
            body: Kernel::new(design, transform)?.body,
            control: control(design),
            iterations: transform.iterations(logn),
            memories,
            in_text: 3,
        })
    }

    /// Prepares the rounds of Keccak-f on `design`. The state has the words 0, 1, 2 ...
    ///
    /// # Errors
    /// If the design cannot be built.
    pub fn rounds(design: KeccakDesign) -> Result<Self, accelerator::Error> {
        let circuit = KeccakCircuit::new(design)?;
        let (design, rounds) = (circuit.design(), circuit.rounds());
        let state = std::array::from_fn(|i| i as u64);
        Ok(Self {
            subject: Subject::Keccak {
                design: design.into(),
            },
            clock_hz: design.clock_hz,
            least_interval: design.least_interval,
            body: rounds.body.clone(),
            control: keccak::CONTROL,
            iterations: rounds.iterations().to_vec(),
            memories: keccak::memories(&state, &ROUND_CONSTANTS).into(),
            in_text: 1,
        })
    }

    /// Explains the initiation interval.
    pub fn explain(&self) -> ExplainForm {
        let mut subject = self.subject.clone();
        if let Subject::Transform { degree, .. } = &mut subject {
            *degree = None;
        }
        ExplainForm {
            version: VERSION,
            subject,
            explanation: Explanation::new(&self.body, self.least_interval),
        }
    }

    /// Runs the circuit and records the iterations of `window`.
    ///
    /// # Errors
    /// The first fault of the run.
    pub fn trace(&self, window: Range<usize>) -> Result<Trace<'_>, accelerator::Error> {
        let (body, iterations) = (&self.body, &self.iterations);
        let mut memories = self.memories.clone();
        Ok(Trace::record(
            body,
            self.control,
            iterations,
            &mut memories,
            window,
        )?)
    }

    /// Shows the iterations as text. Without a number in `window`, shows 3 butterflies, or 1
    /// iteration of Keccak-f.
    ///
    /// # Errors
    /// If there are no such iterations, or too many, or the run fails.
    pub fn timeline(&self, window: Window) -> Result<EventsForm, ViewError> {
        let trace = self.drawn(window, self.in_text)?;
        let (title, subject) = (self.form(&trace).to_string(), self.subject.clone());
        Ok(EventsForm::new(&trace, subject, &title, window.detail))
    }

    /// Draws a Gantt chart of the iterations. Without a number in `window`, draws up to 8
    /// iterations, if the chart remains readable.
    ///
    /// # Errors
    /// If there are no such iterations, or too many, or they take more than [`MAX_DRAWN_CYCLES`],
    /// or the run fails.
    pub fn gantt(&self, window: Window) -> Result<Picture, ViewError> {
        let [most, fewer @ ..] = IN_CHART;
        let mut trace = self.drawn(window, most)?;
        for count in fewer {
            let readable = columns(&trace) <= READABLE_COLUMNS || trace.starts.len() < 2;
            if window.count.is_some() || readable {
                break;
            }
            trace = self.drawn(window, count)?;
        }
        check_cycles(&trace, "Gantt chart", MAX_DRAWN_CYCLES)?;
        let form = self.form(&trace);
        let content = gantt(&trace, &form.to_string(), window.detail).into();
        Ok(Picture { form, content })
    }

    /// Writes a waveform (VCD) of the iterations. Without a number in `window`, writes all
    /// iterations.
    ///
    /// # Errors
    /// If there are no such iterations, or they take more than [`MAX_TRACED_CYCLES`], or the run
    /// fails.
    pub fn waveform(&self, window: Window) -> Result<Picture, ViewError> {
        let trace = self.shown(window, usize::MAX)?;
        check_cycles(&trace, "waveform", MAX_TRACED_CYCLES)?;
        let (form, mut content) = (self.form(&trace), Vec::new());
        // Writing to memory does not fail.
        let _ = vcd(&trace, &form.to_string(), self.clock_hz, &mut content);
        Ok(Picture { form, content })
    }

    fn drawn(&self, window: Window, usual: usize) -> Result<Trace<'_>, ViewError> {
        match window.count {
            Some(count) if count > MAX_DRAWN => Err(ViewError::Iterations),
            _ => self.shown(window, usual),
        }
    }

    fn shown(&self, window: Window, usual: usize) -> Result<Trace<'_>, ViewError> {
        let (from, iterations) = (window.from, self.iterations.len());
        if from >= iterations {
            let last = iterations.saturating_sub(1);
            return Err(ViewError::Start { from, last });
        }
        let count = window.count.unwrap_or(usual);
        Ok(self.trace(from..from.saturating_add(count))?)
    }

    fn form(&self, trace: &Trace<'_>) -> TracedForm {
        TracedForm {
            version: VERSION,
            subject: self.subject.clone(),
            interval: trace.schedule.interval,
            depth: trace.schedule.depth(trace.graph),
            cycles: trace.run.cycles,
        }
    }
}

/// Refuses traces that are too long for a view.
fn check_cycles(trace: &Trace<'_>, view: &'static str, most: u64) -> Result<(), ViewError> {
    let range = trace.cycles();
    let cycles = range.end - range.start;
    match cycles > most {
        true => Err(ViewError::Cycles { cycles, view, most }),
        false => Ok(()),
    }
}
