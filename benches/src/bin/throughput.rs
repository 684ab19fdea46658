//! Times batches by their size and by the number of threads, on every engine. Prints the points as
//! JSON, and draws a chart of them.

use clap::Parser;
use falcon_benches::clock::{thread_nanos, wall_nanos};
use falcon_benches::entry::{Contestant, Degree, Operation};
use falcon_benches::rounds::{Effort, interleave};
use falcon_benches::throughput::{Point, Time, call, chart};
use falcon_core::{Engine, Threads};
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

/// Number of jobs of the largest batch, which threads share.
const LARGEST: usize = 1024;

/// Times one call of a batch: by size from 1 to 1024 on one thread, medians of
/// thread CPU time, and of 1024 jobs by threads from 1 to the number of cores,
/// the fastest in wall time. One JSON object a line.
#[derive(Parser)]
struct Arguments {
    /// Falcon-1024 instead of Falcon-512.
    #[arg(long)]
    large: bool,
    /// Only this engine.
    #[arg(long)]
    engine: Option<Engine>,
    /// A tenth of the time; less exact.
    #[arg(long)]
    quick: bool,
    /// Measure nothing: read the points of an earlier run.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Draw the chart.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Under this title.
    #[arg(long, default_value = "One call of a batch")]
    title: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let points = match &arguments.from {
        Some(file) => {
            let text = fs::read_to_string(file)?;
            let points: Result<Vec<Point>, _> = text.lines().map(serde_json::from_str).collect();
            points?
        }
        None => {
            let points = measure(&arguments);
            let mut out = io::stdout().lock();
            for point in &points {
                writeln!(out, "{}", serde_json::to_string(point)?)?;
            }
            points
        }
    };
    if let Some(file) = &arguments.svg {
        fs::write(file, chart(&arguments.title, &points)?)?;
    }
    Ok(())
}

/// Returns the engine that the user named, or all engines except `soft`, which is far slower.
fn engines(arguments: &Arguments) -> Vec<Engine> {
    Engine::available()
        .filter(|&engine| match arguments.engine {
            Some(only) => engine == only,
            None => engine != Engine::Soft,
        })
        .collect()
}

fn measure(arguments: &Arguments) -> Vec<Point> {
    let degree = if arguments.large {
        Degree::D1024
    } else {
        Degree::D512
    };
    let alone = Arc::new(Threads::new(NonZeroUsize::MIN));
    let sizes: Vec<_> = (0..=LARGEST.ilog2())
        .map(|log| (Arc::clone(&alone), 1 << log))
        .collect();
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let counts = (1..=cores.get()).filter_map(NonZeroUsize::new);
    let shared: Vec<_> = counts
        .map(|count| (Arc::new(Threads::new(count)), LARGEST))
        .collect();

    let mut points = Vec::new();
    for operation in [Operation::Sign, Operation::Verify] {
        points.extend(times(arguments, operation, degree, Time::Cpu, &sizes));
        points.extend(times(arguments, operation, degree, Time::Wall, &shared));
    }
    points
}

/// Times all engines on all `cases`, interleaved.
fn times(
    arguments: &Arguments,
    operation: Operation,
    parameters: Degree,
    time: Time,
    cases: &[(Arc<Threads>, usize)],
) -> Vec<Point> {
    let effort = Effort {
        slice: Duration::from_millis(2),
        budget: Duration::from_secs(if arguments.quick { 3 } else { 30 }),
        min_rounds: 5,
        max_rounds: 500,
    };
    let mut points = Vec::new();
    let mut contestants: Vec<Contestant<'_>> = Vec::new();
    for engine in engines(arguments) {
        for (threads, batch) in cases {
            contestants.extend(call(operation, parameters, engine, threads, *batch));
            points.push(Point {
                operation,
                parameters,
                engine: engine.name().to_owned(),
                threads: threads.count(),
                batch: *batch,
                time,
                ops_per_s: 0.0,
            });
        }
    }
    let clock = match time {
        Time::Cpu => thread_nanos,
        Time::Wall => wall_nanos,
    };
    let timings = interleave(effort, clock, &mut contestants);
    for (point, timing) in points.iter_mut().zip(timings) {
        let nanos = match time {
            Time::Cpu => timing.median,
            Time::Wall => timing.fastest,
        };
        point.ops_per_s = (1e10 / nanos).round() / 10.0;
    }
    points
}
