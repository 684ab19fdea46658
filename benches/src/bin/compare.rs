//! Compares our engines with other implementations in one run, interleaved round by round, on one
//! thread.

use clap::Parser;
use falcon_benches::bars::{Bar, bars, rival};
use falcon_benches::clock::thread_nanos;
use falcon_benches::entry::{Case, Contestant, Degree, Entry, Operation};
use falcon_benches::report::{self, Row, Style, Verdict};
use falcon_benches::rounds::{Effort, Timing, interleave};
use falcon_benches::{ours, peers, provisional};
use falcon_core::Engine;
use std::process::ExitCode;
use std::time::Duration;

/// Compares the speed of this implementation with that of its peers.
///
/// Prints medians of interleaved rounds in thread CPU time, ratios to the peer, and the bars that
/// have to be passed. Smaller is faster. A whole run takes about two minutes, and --quick
/// less than half a minute.
#[derive(Parser)]
struct Arguments {
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
    /// A tenth of the time; less exact.
    #[arg(long)]
    quick: bool,
    /// Only this engine of ours (the peers still run).
    #[arg(long)]
    engine: Option<Engine>,
    /// Without the peers, for a profiler to look at.
    #[arg(long)]
    alone: bool,
    /// Exit with status 1 if a bar is missed, in a second and longer measurement too.
    #[arg(long)]
    strict: bool,
    /// Only operations and parameters that contain all of these words, such as
    /// `sign 512`.
    filters: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let style = if arguments.json {
        Style::Json
    } else {
        Style::Table
    };
    if let Some(text) = falcon_benches::load::warning(1) {
        eprintln!("warning: {text}. The ratios move less than the times");
    }
    let mut rows = Vec::new();
    report::heading(style);
    for parameters in Degree::ALL {
        for operation in Operation::ALL {
            let entries = entries(operation, parameters, &arguments);
            for row in measure(effort(operation, arguments.quick), entries) {
                report::row(style, &row);
                rows.push(row);
            }
        }
    }
    if style == Style::Table {
        println!();
    }
    // With a tenth of the rounds, a difference is measured less exactly, so the limit is larger.
    let limit = if arguments.quick { 1.10 } else { 1.03 };
    let verdicts = verdicts(limit, &rows);
    verdicts.iter().for_each(|verdict| verdict.print(style));
    let mut short = verdicts.iter().filter(|verdict| !verdict.passes());
    if arguments.strict && !short.all(|short| passes_again(short, limit, &arguments, style)) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Judges all bars and all plain calls among `rows`.
fn verdicts(limit: f64, rows: &[Row]) -> Vec<Verdict> {
    let demanded: Vec<Bar> = Degree::ALL.into_iter().flat_map(bars).collect();
    let mut verdicts = report::bars(&demanded, rows);
    verdicts.extend(report::as_called(limit, rows));
    verdicts
}

/// Repeats the measurement of a row that missed its bar, for the full time, and only together with
/// the rows it is compared with. In a quick run, other work on the machine can slow one contestant
/// all the time.
fn passes_again(short: &Verdict, limit: f64, arguments: &Arguments, style: Style) -> bool {
    let Case {
        operation,
        mode,
        parameters,
        ..
    } = short.ours;
    let mut entries = entries(operation, parameters, arguments);
    entries.retain(|entry| entry.case.mode == mode || Some(entry.case.engine) == short.other);
    let rows = measure(effort(operation, false), entries);
    let mut again = verdicts(limit, &rows);
    again.retain(|verdict| verdict.ours == short.ours);
    again.iter().for_each(|verdict| verdict.print(style));
    !again.is_empty() && again.iter().all(Verdict::passes)
}

/// Returns the rows of one group, ours first. Returns none if the filters remove all of our rows.
fn entries(operation: Operation, parameters: Degree, arguments: &Arguments) -> Vec<Entry> {
    let engines = Engine::available();
    let engines = engines.filter(|&e| arguments.engine.is_none_or(|only| only == e));
    let matches = |case: &Case| case.matches(&arguments.filters);
    let mut entries: Vec<Entry> = engines
        .flat_map(|engine| ours::entries(operation, parameters, engine))
        .collect();
    if arguments.engine.is_none() {
        entries.extend(ours::plain(operation, parameters));
        entries.extend(provisional::entries(operation, parameters));
    }
    entries.retain(|entry| matches(&entry.case));
    if entries.is_empty() || arguments.alone {
        return entries;
    }
    let ours: Vec<Case> = entries.iter().map(|entry| entry.case).collect();
    let peers = [
        peers::fn_dsa::entries(operation, parameters),
        peers::pqclean::entries(operation, parameters),
        peers::pqclean::clean_entries(operation, parameters),
    ];
    let peers = peers.into_iter().flatten();
    let wanted =
        |peer: &Entry| matches(&peer.case) || ours.iter().any(|&case| rival(case) == peer.case);
    entries.extend(peers.filter(wanted));
    entries
}

fn effort(operation: Operation, quick: bool) -> Effort {
    // The time of key generation varies, since candidates are rejected, so each key is timed alone.
    // The other operations vary little, so slices of many operations are timed.
    let (slice, budget, min_rounds) = match operation {
        Operation::Keygen => (0, 30_000, 31),
        Operation::Sign => (2_000, 12_000, 31),
        Operation::Verify => (500, 4_000, 31),
        Operation::Expand => (1_000, 2_000, 31),
    };
    Effort {
        slice: Duration::from_micros(slice),
        budget: Duration::from_millis(if quick { budget / 10 } else { budget }),
        min_rounds,
        max_rounds: 2_000,
    }
}

fn measure(effort: Effort, entries: Vec<Entry>) -> Vec<Row> {
    let (cases, mut contestants): (Vec<Case>, Vec<Contestant<'_>>) = entries
        .into_iter()
        .map(|entry| (entry.case, entry.contestant))
        .unzip();
    let timings = interleave(effort, thread_nanos, &mut contestants);
    let timed: Vec<_> = cases.iter().zip(timings).collect();
    let row = |&(&case, timing): &(&Case, Timing)| {
        let against = timed.iter().find(|(other, _)| **other == rival(case));
        let typical = |timing: &Timing| timing.typical(case.operation);
        let rival = against.map(|(other, their)| (**other, typical(&timing) / typical(their)));
        Row {
            case,
            timing,
            rival,
        }
    };
    timed.iter().map(row).collect()
}
