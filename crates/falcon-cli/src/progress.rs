//! A bar for work that takes long, on a terminal only.

use crate::ui::Ui;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal, Read},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// So long nothing is printed before a bar appears.
const DELAY: Duration = Duration::from_millis(400);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes read.
    Bytes,
    /// Records, keys, measurements.
    Items(&'static str),
}

/// A bar that is there while nothing else has been printed for [`DELAY`], so
/// that lines in quick succession do not draw it anew each.
///
/// indicatif draws nothing when standard error is no terminal.
pub(crate) struct Progress {
    ui: Ui,
    unit: Unit,
    total: Option<u64>,
    done: AtomicU64,
    start: Instant,
    shown: Mutex<Shown>,
}

struct Shown {
    bar: Option<ProgressBar>,
    /// When it may appear.
    due: Instant,
}

impl Progress {
    /// Of `total` units; `None` when the end is not known.
    pub(crate) fn new(ui: Ui, unit: Unit, total: Option<u64>) -> Self {
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

    /// More was done.
    pub(crate) fn add(&self, amount: u64) {
        let done = self.done.fetch_add(amount, Ordering::Relaxed) + amount;
        if self.ui.quiet {
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

    /// Makes way for a line on standard output, if that is where the bar is.
    pub(crate) fn clear_for_result(&self) {
        if io::stdout().is_terminal() {
            self.clear();
        }
    }

    /// Makes way for a line on standard error.
    pub(crate) fn clear(&self) {
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
        let template = match self.unit {
            Unit::Bytes => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            Unit::Items(_) => "{wide_bar} {pos}/{len} {msg} {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if let Unit::Items(name) = self.unit {
            bar.set_message(name);
        }
        bar
    }

    /// Counts what is read.
    pub(crate) fn reader<R: Read>(&self, inner: R) -> ProgressReader<'_, R> {
        ProgressReader {
            inner,
            progress: self,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Reports every read to a [`Progress`].
pub(crate) struct ProgressReader<'a, R> {
    inner: R,
    progress: &'a Progress,
}

impl<R: Read> Read for ProgressReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}
