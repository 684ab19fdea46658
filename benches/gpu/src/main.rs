//! Measures Falcon on a GPU: the limits of the device, whether it gives the same bytes as the CPU,
//! and times. Prints one JSON object on each line. `run.sh` runs this program.

mod arguments;
mod bench;
mod budget;
mod ceilings;
mod compare;
mod fake;
mod jobs;
mod kind;
mod plan;
mod results;
mod table;
mod times;
mod watched;

use arguments::Arguments;
use bench::{Bench, Data, Outcome};
use budget::Budget;
use clap::Parser;
use fake::Fake;
use falcon_core::{Falcon512, Falcon1024, Threads};
use falcon_gpu::IMAGES;
use falcon_gpu::device::{Device, open_cuda};
use jobs::Result;
use kind::Set;
use plan::Row;
use results::{Line, Results};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the program. Returns false if a row failed, or if its bytes differ from those of the CPU.
fn run(arguments: &Arguments) -> Result<bool> {
    let budget = Budget::new(arguments.budget);
    let device = open(arguments, &arguments.images)?;
    let mut results = Results::new(arguments.out.as_deref())?;
    let mut bench = Bench {
        arguments,
        device,
        budget,
        threads: Threads::for_all_cores(),
    };
    let mut data = (Data::new(arguments), Data::new(arguments));
    introduce(&bench, &mut results, &arguments.images, None)?;
    rows(&mut bench, &mut data, &mut results, &plan::plan(arguments))?;
    for file in variants(arguments.variants.as_deref())? {
        let name = file.file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let of = std::slice::from_ref(&file);
        let (load, left) = (bench.budget.load(), bench.budget.left());
        if load > left {
            results.left_out(&format!("variant {name}"), load, left, bench.budget.spent())?;
            continue;
        }
        match open(arguments, of) {
            Ok(device) => {
                bench.device = device;
                introduce(&bench, &mut results, of, Some(name))?;
                let plan = plan::plan_of_variant(arguments);
                rows(&mut bench, &mut data, &mut results, &plan)?;
            }
            Err(error) => {
                let at = bench.budget.spent();
                results.about(bench.device.name(), Some(name.clone()));
                results.failed(&format!("variant {name}"), &error, at)?;
            }
        }
    }
    results.end(bench.budget.spent())
}

/// Opens the device with the kernels of these files, or with the built-in ones.
fn open(arguments: &Arguments, files: &[PathBuf]) -> Result<Arc<dyn Device>> {
    if arguments.host {
        return Ok(Arc::new(Fake::idle()));
    }
    let read = |file: &PathBuf| {
        std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let images: Vec<Vec<u8>> = files.iter().map(read).collect::<Result<_, _>>()?;
    let images: Vec<&[u8]> = match &images[..] {
        [] => IMAGES.to_vec(),
        images => images.iter().map(Vec::as_slice).collect(),
    };
    Ok(open_cuda(arguments.device, &images)?)
}

/// Lists the variants of the kernels in a folder, sorted by name.
fn variants(folder: Option<&Path>) -> Result<Vec<PathBuf>> {
    let Some(folder) = folder else {
        return Ok(Vec::new());
    };
    let files = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .map(|file| Ok(file?.path()));
    let mut files: Vec<PathBuf> = files.collect::<Result<_>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "ptx" || extension == "cubin")
    });
    files.sort();
    Ok(files)
}

/// Writes a line about the device and the kernels of the next rows.
fn introduce(
    bench: &Bench<'_>,
    results: &mut Results,
    kernels: &[PathBuf],
    variant: Option<String>,
) -> Result<()> {
    let device = &bench.device;
    results.about(device.name(), variant);
    let line = Line::Device {
        device: &device.name(),
        processors: device.processors(),
        memory: device.memory()?.total,
        streams: bench.arguments.streams,
        chunk: bench.arguments.chunk,
        kernels,
    };
    results.tell(&line, bench.budget.spent())
}

/// Runs these rows. If a row fails, the next rows still run.
fn rows(
    bench: &mut Bench<'_>,
    data: &mut (Data<Falcon512>, Data<Falcon1024>),
    results: &mut Results,
    rows: &[Row],
) -> Result<()> {
    let mut loaded = 0;
    for row in rows {
        let (small, large) = (&mut data.0, &mut data.1);
        let outcome = match *row {
            Row::Ceilings => ceilings::tell(bench, results),
            Row::Compare { kind, jobs } => {
                let outcome = match kind.parameters {
                    Set::Falcon512 => compare::compare(bench, small, (kind, jobs)),
                    Set::Falcon1024 => compare::compare(bench, large, (kind, jobs)),
                };
                let tell = |line| results.tell(&line, bench.budget.spent());
                outcome.and_then(|outcome| outcome.then(tell))
            }
            Row::Time { kind, batch } => {
                let outcome = match kind.parameters {
                    Set::Falcon512 => times::time(bench, small, (kind, batch)),
                    Set::Falcon1024 => times::time(bench, large, (kind, batch)),
                };
                let tell = |time| results.time(time, bench.budget.spent());
                outcome.and_then(|outcome| outcome.then(tell))
            }
        };
        let (left, at) = (bench.budget.left(), bench.budget.spent());
        match outcome {
            Ok(Outcome::Done(())) => {}
            Ok(Outcome::NoTime(needs)) => results.left_out(&row.to_string(), needs, left, at)?,
            Err(error) => results.failed(&row.to_string(), &error, at)?,
        }
        for image in bench.device.loaded().iter().skip(loaded) {
            results.tell(&Line::Loaded(image.into()), at)?;
            loaded += 1;
        }
    }
    Ok(())
}
