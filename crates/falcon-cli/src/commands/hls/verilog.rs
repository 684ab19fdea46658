//! `hls verilog`: the circuit as Verilog, with its testbench.

use super::{
    design::{DesignOptions, Task},
    refused,
};
use crate::{
    PROGRAM,
    error::{Error, Result},
    escape::Escaped,
    escape::shown,
    input::is_standard,
    output::{Content, Overwrite, Pending, check_target},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    accelerator::Accelerator,
    verilog::{TESTBENCH, TOP, emit},
    view::report::{DesignForm, VERSION},
};
use serde::Serialize;
use std::{fmt, fs, path::PathBuf};

/// Write a transform on a design as synthesizable Verilog, with a testbench and a README
#[derive(Debug, Args)]
#[command(after_help = "\
Works for designs with the polynomial in block RAM and flattened loops, and for the transforms
fft and ifft. The top module is falcon_fft; comments at its head explain its ports. README.md
in DIR has the commands to simulate and to synthesize.")]
pub(crate) struct Verilog {
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    task: Task,
    /// Folder for the files, created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Overwrite files in DIR
    #[arg(long)]
    force: bool,
}

impl Verilog {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let design = self.design.design()?;
        let form = DesignForm::from(&design);
        let accelerator = Accelerator::new(design).map_err(refused)?;
        let Task { logn, transform } = self.task;
        let emission = emit(&accelerator, transform, logn).map_err(refused)?;
        let kernel = accelerator.kernel(transform);
        let folder = &self.output;
        if is_standard(folder) {
            return Err(Error::new(
                "standard output cannot take several files: name a folder with --output",
            ));
        }
        if folder.exists() && !folder.is_dir() {
            return Err(Error::at(folder, "is a file, not a folder"));
        }
        fs::create_dir_all(folder)
            .map_err(|error| Error::io(folder, "cannot create this folder", &error))?;
        let overwrite = Overwrite::from_force(self.force);
        let sources = emission.sources.iter().chain(&emission.companions);
        let files: Vec<_> = sources
            .map(|source| (folder.join(&source.name), &source.text))
            .collect();
        // If one file exists already, none is written.
        for (path, _) in &files {
            check_target(&PROGRAM, path, Content::Result, overwrite)?;
        }
        // All files are on the disk before the first one gets its name.
        let pending: Result<Vec<_>> = files
            .iter()
            .map(|(path, text)| {
                Pending::with_bytes(&PROGRAM, path, text.as_bytes(), Content::Result, overwrite)
            })
            .collect();
        for file in pending? {
            file.commit()?;
        }
        let path = |(path, _): &(PathBuf, _)| shown(path).into_owned();
        ui.report(&Written {
            version: VERSION,
            design: form,
            transform: transform.name(),
            degree: 1 << logn,
            interval: kernel.body.schedule.interval,
            depth: kernel.body.depth(),
            top: TOP,
            testbench: TESTBENCH,
            read_latency: emission.read_latency,
            files: files.iter().map(path).collect(),
        })
    }
}

/// The files, and what the circuit is.
#[derive(Serialize)]
struct Written {
    version: u32,
    design: DesignForm,
    transform: &'static str,
    degree: u32,
    interval: u32,
    depth: u32,
    /// The top module of the circuit.
    top: &'static str,
    /// The top module of the simulation.
    testbench: &'static str,
    /// Clocks from an address at the host port to the number that is read.
    read_latency: u32,
    files: Vec<String>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of degree {} on {}: II {}, depth {}; top module {}",
            self.transform.to_uppercase(),
            self.degree,
            self.design.name,
            self.interval,
            self.depth,
            self.top
        )?;
        for file in &self.files {
            write!(f, "\n  {}", Escaped(file))?;
        }
        write!(
            f,
            "\nREADME.md has the commands to simulate and to synthesize"
        )
    }
}
