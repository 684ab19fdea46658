//! A bar for work that takes long, on a terminal only.

use crate::ui::Ui;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, Read},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Shorter work shows nothing.
const DELAY: Duration = Duration::from_millis(400);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes read.
    Bytes,
    /// Records, keys, measurements.
    Items(&'static str),
}

/// A bar that appears once the work has taken [`DELAY`].
///
/// indicatif draws nothing when standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    visible: AtomicBool,
}

impl Progress {
    /// Of `total` units; `None` when the end is not known.
    pub(crate) fn new(ui: Ui, unit: Unit, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match unit {
            Unit::Bytes => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            Unit::Items(_) => "{wide_bar} {pos}/{len} {msg} {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if let Unit::Items(name) = unit {
            bar.set_message(name);
        }
        Self {
            bar,
            start: Instant::now(),
            visible: AtomicBool::new(ui.quiet),
        }
    }

    /// More was done.
    pub(crate) fn add(&self, amount: u64) {
        if self.start.elapsed() >= DELAY && !self.visible.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(amount);
    }

    /// Prints lines without tearing the bar.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
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
        self.bar.finish_and_clear();
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
