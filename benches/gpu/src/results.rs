//! Output. Writes each line as soon as it is known, and the tables after each timed batch.

use crate::jobs::{Result, milliseconds};
use crate::kind::Key;
use crate::table::table;
use crate::times::Time;
use falcon_gpu::LoadedImage;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One line of the results.
#[derive(Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    Device {
        device: &'a str,
        processors: u32,
        memory: u64,
        /// Number of streams on the command line. By default the engine chooses.
        streams: Option<usize>,
        chunk: Option<usize>,
        /// Files of the kernels. Empty for the built-in kernels.
        kernels: &'a [PathBuf],
    },
    /// The driver has loaded an image of kernels, or refused it.
    Loaded(Loaded),
    Ceiling {
        what: &'a str,
        unit: &'a str,
        per_s: Option<f64>,
        error: Option<String>,
    },
    Compare {
        parameters: &'a str,
        operation: String,
        #[serde(flatten)]
        key: Key,
        jobs: usize,
        /// True if the device gave the bytes or verdicts of the CPU.
        equal: bool,
        ms: f64,
        /// Milliseconds of the first call of a kind, which loads its kernels.
        #[serde(skip_serializing_if = "Option::is_none")]
        first_ms: Option<f64>,
    },
    Time(&'a Time),
    /// No time was left for a row.
    LeftOut {
        row: String,
        needs_s: f64,
        left_s: f64,
    },
    /// A row ended with an error.
    Failed {
        row: String,
        error: String,
    },
    /// The last line. If it is missing, the program was stopped.
    End {
        rows: usize,
        left_out: usize,
        failed: usize,
        unequal: usize,
    },
}

/// An image of kernels that was tried.
#[derive(Serialize)]
pub(crate) struct Loaded {
    /// Position in the list of images.
    image: usize,
    /// Form of the image, such as `cubin sm_90` or `PTX sm_80`.
    form: String,
    /// The kernel that was launched first.
    kernel: String,
    /// Milliseconds to load the image and to find kernels in it. The driver compiles PTX.
    ms: f64,
    /// The driver's reason, if it refused the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl From<&LoadedImage> for Loaded {
    fn from(image: &LoadedImage) -> Self {
        Self {
            image: image.number,
            form: image.form.to_string(),
            kernel: image.kernel.clone(),
            ms: milliseconds(image.took.as_secs_f64()),
            refused: image.refused.clone(),
        }
    }
}

/// A line with its kernel variant and the time when it was written.
#[derive(Serialize)]
struct Stamped<'a> {
    #[serde(flatten)]
    line: &'a Line<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    at_s: f64,
}

pub(crate) struct Results {
    folder: Option<PathBuf>,
    lines: Option<File>,
    device: String,
    /// Kernel variant recorded in each line.
    variant: Option<String>,
    times: Vec<Time>,
    rows: usize,
    left_out: usize,
    failed: usize,
    unequal: usize,
}

impl Results {
    /// Creates `results.jsonl` in `folder`, if one is given. The file must not exist yet.
    pub(crate) fn new(folder: Option<&Path>) -> Result<Self> {
        Ok(Self {
            lines: folder.map(open).transpose()?,
            folder: folder.map(Path::to_owned),
            device: String::new(),
            variant: None,
            times: Vec::new(),
            rows: 0,
            left_out: 0,
            failed: 0,
            unequal: 0,
        })
    }

    /// Sets the device and the kernel variant of the next lines.
    pub(crate) fn about(&mut self, device: String, variant: Option<String>) {
        (self.device, self.variant) = (device, variant);
    }

    /// Writes a line with one system call, so that it survives a crash of the program.
    pub(crate) fn tell(&mut self, line: &Line<'_>, at_s: f64) -> Result<()> {
        match line {
            Line::Compare { equal, .. } => {
                self.rows += 1;
                self.unequal += usize::from(!equal);
            }
            Line::Time(time) => {
                self.rows += 1;
                self.unequal += usize::from(time.equal == Some(false));
            }
            Line::LeftOut { .. } => self.left_out += 1,
            Line::Failed { .. } => self.failed += 1,
            _ => {}
        }
        let line = Stamped {
            line,
            variant: self.variant.as_deref(),
            at_s: thousandths(at_s),
        };
        let text = serde_json::to_string(&line)? + "\n";
        if let Some(file) = &mut self.lines {
            file.write_all(text.as_bytes())?;
        }
        // Lines about skipped rows are only written to the file, so that they do not hide results
        // on the screen. Errors when writing to the screen are ignored.
        if self.lines.is_none() || !matches!(line.line, Line::LeftOut { .. }) {
            let mut out = std::io::stdout();
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
        Ok(())
    }

    /// Writes a time, and writes the tables again.
    pub(crate) fn time(&mut self, mut time: Time, at_s: f64) -> Result<()> {
        self.tell(&Line::Time(&time), at_s)?;
        time.variant.clone_from(&self.variant);
        self.times.push(time);
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let (path, unfinished) = (folder.join("table.md"), folder.join("table.md.part"));
        fs::write(&unfinished, table(&self.device, &self.times))?;
        Ok(fs::rename(unfinished, path)?)
    }

    pub(crate) fn failed(
        &mut self,
        row: &str,
        error: &dyn std::fmt::Display,
        at_s: f64,
    ) -> Result<()> {
        let line = Line::Failed {
            row: row.to_owned(),
            error: error.to_string(),
        };
        self.tell(&line, at_s)
    }

    pub(crate) fn left_out(
        &mut self,
        row: &str,
        needs_s: f64,
        left_s: f64,
        at_s: f64,
    ) -> Result<()> {
        let line = Line::LeftOut {
            row: row.to_owned(),
            needs_s: thousandths(needs_s),
            left_s: thousandths(left_s),
        };
        self.tell(&line, at_s)
    }

    /// Writes the last line. Returns false if a row failed or was wrong.
    pub(crate) fn end(mut self, at_s: f64) -> Result<bool> {
        self.variant = None;
        let line = Line::End {
            rows: self.rows,
            left_out: self.left_out,
            failed: self.failed,
            unequal: self.unequal,
        };
        self.tell(&line, at_s)?;
        Ok(self.failed + self.unequal == 0)
    }
}

fn thousandths(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}

/// Opens a new file for the lines in this folder.
fn open(folder: &Path) -> Result<File> {
    fs::create_dir_all(folder)?;
    let path = folder.join("results.jsonl");
    let file = OpenOptions::new().append(true).create_new(true).open(&path);
    file.map_err(|error| format!("{}: {error}; choose another folder", path.display()).into())
}
