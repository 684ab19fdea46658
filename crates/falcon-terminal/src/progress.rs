//! Progress bar for long work, on a terminal only.

use crate::{error::display, escape::Escaped, ui::Ui};
use indicatif::{
    BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};
use std::{
    fmt,
    io::{self, IsTerminal, Read},
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Time without other output before a bar appears.
const DELAY: Duration = Duration::from_millis(400);

/// Unit of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes read from the file of this name.
    Bytes(String),
    /// Files, records, designs, runs.
    Items(&'static str),
}

/// Length of the longest file name that a bar shows in full, in characters.
const MAX_NAME: usize = 40;

/// A bar that appears only if nothing else was printed for `DELAY`. So it is not redrawn after each
/// of several lines in quick succession.
///
/// indicatif draws nothing if standard error is not a terminal.
pub struct Progress {
    ui: Ui,
    unit: Unit,
    total: Option<u64>,
    done: AtomicU64,
    start: Instant,
    shown: Mutex<Shown>,
}

struct Shown {
    bar: Option<ProgressBar>,
    /// Earliest time at which the bar may appear.
    due: Instant,
}

impl Progress {
    /// Creates a bar for the files that a command reads. It counts the bytes if there is one file,
    /// otherwise the files.
    pub fn of_files<'a>(ui: Ui, files: impl ExactSizeIterator<Item = &'a Path>) -> Self {
        let count = files.len();
        let mut files = files;
        match files.next() {
            Some(file) if count == 1 => {
                let size = file.metadata().ok().filter(|metadata| metadata.is_file());
                Self::new(ui, Unit::Bytes(name(file)), size.map(|size| size.len()))
            }
            _ => Self::new(ui, Unit::Items("files"), Some(count as u64)),
        }
    }

    /// Creates a bar of `total` units. `None` means that the total is unknown.
    pub fn new(ui: Ui, unit: Unit, total: Option<u64>) -> Self {
        let start = Instant::now();
        Self {
            ui,
            unit,
            total,
            done: AtomicU64::new(0),
            start,
            shown: Mutex::new(Shown {
                bar: None,
                due: start + DELAY,
            }),
        }
    }

    /// Counts bytes that were read. If the bar counts files, only checks whether it may appear.
    fn read(&self, amount: u64) {
        match self.unit {
            Unit::Bytes(_) => self.advance(amount),
            Unit::Items(_) => self.advance(0),
        }
    }

    /// Counts finished items. If the bar counts bytes, their bytes have already been counted.
    pub fn add(&self, amount: u64) {
        if matches!(self.unit, Unit::Items(_)) {
            self.advance(amount);
        }
    }

    fn advance(&self, amount: u64) {
        let done = self.done.fetch_add(amount, Ordering::Relaxed) + amount;
        if !self.ui.notes() {
            return;
        }
        let mut shown = self.shown();
        if shown.bar.is_none() && Instant::now() >= shown.due {
            shown.bar = Some(self.bar());
        }
        if let Some(bar) = &shown.bar {
            bar.set_position(done);
        }
    }

    /// Hides the bar for a line on standard output, if both are on the same terminal.
    pub fn clear_for_result(&self) {
        if io::stdout().is_terminal() {
            self.clear();
        }
    }

    /// Hides the bar for a line on standard error.
    pub fn clear(&self) {
        let mut shown = self.shown();
        shown.due = Instant::now() + DELAY;
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr())
            .with_elapsed(self.start.elapsed());
        let (template, name) = match (&self.unit, self.total) {
            (Unit::Bytes(name), Some(_)) => (
                "{msg} {wide_bar} {bytes}/{total_bytes} {rate} {left}",
                name.as_str(),
            ),
            (Unit::Bytes(name), None) => ("{msg} {bytes} {rate}", name.as_str()),
            (Unit::Items(name), Some(_)) => {
                ("{wide_bar} {human_pos}/{human_len} {msg} {left}", *name)
            }
            (Unit::Items(name), None) => ("{human_pos} {msg}", *name),
        };
        let name = name.to_owned();
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", rate).with_key("left", left));
        }
        bar.set_message(name);
        bar
    }

    /// Wraps a reader whose bytes are counted.
    pub fn reader<R: Read>(&self, inner: R) -> ProgressReader<'_, R> {
        ProgressReader {
            inner,
            progress: self,
        }
    }
}

/// Returns the name of a file, shortened for the bar.
fn name(file: &Path) -> String {
    let name = Escaped(display(Path::new(file.file_name().unwrap_or_default()))).to_string();
    if name.chars().count() <= MAX_NAME {
        return name;
    }
    let start: String = name.chars().take(MAX_NAME - 3).collect();
    start + "..."
}

// The rate is the average since the beginning, since a new bar has too few samples for indicatif's
// own averages.

fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let per_second = state.pos() as f64 / state.elapsed().as_secs_f64();
    let _ = write!(out, "{}/s", BinaryBytes(per_second as u64));
}

fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let (done, total) = (state.pos(), state.len());
    if let Some(total) = total.filter(|&total| done > 0 && total >= done) {
        let ratio = (total - done) as f64 / done as f64;
        let left = Duration::try_from_secs_f64(state.elapsed().as_secs_f64() * ratio);
        let _ = write!(out, "{:#}", HumanDuration(left.unwrap_or_default()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Reports every read to a [`Progress`].
pub struct ProgressReader<'a, R> {
    inner: R,
    progress: &'a Progress,
}

impl<R: Read> Read for ProgressReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.read(read as u64);
        Ok(read)
    }
}
