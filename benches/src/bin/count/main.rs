//! Counts the instructions of an operation, for our code and for the peers' code, between two marks
//! that `qemu/plugin.c` sees. `arm/run.sh` builds this program and the plugin, and runs the program
//! under QEMU.

use clap::Parser;
use falcon_benches::counts::{BARS, Counts, Row, Verdict};
use falcon_benches::entry::{Degree, Entry, Mode, Operation};
use falcon_benches::loops::{self, Loop};
use falcon_benches::{mceliece, ours, peers, seeded};
use falcon_core::Engine;
use serde::Serialize;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Counts the instructions of each operation.
#[derive(Parser)]
struct Arguments {
    /// File that the plugin writes.
    #[arg(long)]
    counts: PathBuf,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
    /// Only this engine, or this peer.
    #[arg(long)]
    engine: Option<String>,
    /// Classic McEliece instead of Falcon: the sets with `f`.
    #[arg(long, conflicts_with = "loops")]
    mceliece: bool,
    /// Classic McEliece with PQClean's rows too. Building its C code takes minutes, and counting
    /// its key generation and decapsulation takes minutes more.
    #[arg(long, requires = "mceliece")]
    pqclean: bool,
    /// The inner loops alone instead: calls, butterflies (or permutations) of a
    /// call, and its instructions, loads and stores.
    #[arg(long)]
    loops: bool,
    /// Exit with status 1 if a bar is missed, or if a row is not that of `--committed`.
    #[arg(long)]
    strict: bool,
    /// Rows to compare with.
    #[arg(long)]
    committed: Option<PathBuf>,
    /// Only operations and parameters that contain all of these words, such as
    /// `sign 512`.
    filters: Vec<String>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    if arguments.loops {
        return count_loops(&arguments);
    }
    if arguments.mceliece {
        return count_mceliece(&arguments);
    }
    print_header(&arguments, "operation/mode/parameters/engine");
    let mut pairs = 0;
    let mut own_rows = Vec::new();
    let committed = arguments.committed.as_ref().map(std::fs::read_to_string);
    let committed = committed.transpose()?;
    let mut stale = 0;
    for parameters in Degree::ALL {
        for operation in Operation::ALL {
            let own: Vec<Entry> = Engine::available()
                .flat_map(|engine| ours::entries(operation, parameters, engine))
                .collect();
            let own_len = own.len();
            let peers = peers(operation, parameters);
            for (i, mut entry) in own.into_iter().chain(peers).enumerate() {
                let wanted = arguments.engine.as_deref();
                let wanted = wanted.is_none_or(|name| name == entry.case.engine);
                if !wanted || !entry.case.matches(&arguments.filters) {
                    continue;
                }
                let row = count(&mut entry, &arguments.counts, pairs)?;
                pairs += 1;
                print_row(&arguments, &row);
                if let Some(found) = committed.as_deref().and_then(|all| row.differs_from(all)) {
                    eprintln!(
                        "{}: {} instructions, {found} in counts.jsonl: arm/run.sh --renew",
                        row.case, row.instructions
                    );
                    stale += 1;
                }
                if i < own_len {
                    own_rows.push(row);
                }
            }
        }
    }
    if pairs == 0 {
        return Err("no row has this engine and these words".into());
    }
    let verdicts: Vec<Verdict> = BARS.iter().filter_map(|bar| bar.judge(&own_rows)).collect();
    for verdict in &verdicts {
        print_verdict(&arguments, verdict);
    }
    // A run without any bar does not pass.
    let pass = !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.pass);
    Ok(status(&arguments, pass && stale == 0))
}

fn status(arguments: &Arguments, pass: bool) -> ExitCode {
    if arguments.strict && !pass {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Counts the rows of Classic McEliece, and judges their bars.
fn count_mceliece(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if arguments.pqclean && !mceliece::HAS_PQCLEAN {
        return Err("--pqclean needs a build with the feature mceliece".into());
    }
    print_header(arguments, "operation/parameters/engine");
    let mut rows = Vec::new();
    let mut result = Ok(());
    let selection = mceliece::Selection {
        engine: arguments.engine.as_deref(),
        pqclean: arguments.pqclean,
        words: &arguments.filters,
    };
    mceliece::each(&selection, &mut |case, run| {
        let (warm, counted) = case.operation.calls();
        match between_marks(run, warm, counted, &arguments.counts, rows.len()) {
            Ok(counts) => {
                let row = Row::new(case, counted * case.operations(), &counts);
                print_row(arguments, &row);
                rows.push(row);
            }
            Err(error) => result = Err(error),
        }
    });
    result?;
    if rows.is_empty() {
        return Err("no row has this engine and these words".into());
    }
    let verdicts: Vec<_> = mceliece::BARS
        .iter()
        .filter_map(|bar| bar.judge(&rows))
        .collect();
    for verdict in &verdicts {
        if arguments.json {
            json(verdict);
        } else {
            println!("{verdict}");
        }
    }
    // A run without any bar does not pass.
    let pass = !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.pass);
    Ok(status(arguments, pass))
}

/// Returns the peers' rows. Their randomness does not depend on earlier rows.
fn peers(operation: Operation, parameters: Degree) -> Vec<Entry> {
    seeded::restart(1);
    let fn_dsa = peers::fn_dsa::entries(operation, parameters);
    let pqclean = peers::pqclean::entries(operation, parameters);
    seeded::restart(1);
    let clean = match operation {
        // The integer-only peer is compared with `soft`, whose key generation is that of the other
        // engines. The peer's own key generation takes a thousand million instructions.
        Operation::Keygen => vec![],
        _ => peers::pqclean::clean_entries(operation, parameters),
    };
    fn_dsa.into_iter().chain(pqclean).chain(clean).collect()
}

/// Number of calls before the first mark, and between the two marks.
fn calls(operation: Operation, mode: Mode) -> (u64, u64) {
    match (operation, mode) {
        (_, Mode::Batch) => (1, 2),
        (Operation::Keygen, _) => (1, 8),
        (Operation::Sign | Operation::Expand, _) => (1, 32),
        (Operation::Verify, _) => (1, falcon_benches::SIGNATURES as u64),
    }
}

/// Runs `entry` between the marks `2 * pairs` and `2 * pairs + 1`.
fn count(entry: &mut Entry, file: &Path, pairs: usize) -> Result<Row, Box<dyn Error>> {
    let (warm, counted) = calls(entry.case.operation, entry.case.mode);
    seeded::restart(2);
    let counts = between_marks(&mut entry.contestant.run, warm, counted, file, pairs)?;
    let operations = counted * u64::from(entry.contestant.operations);
    Ok(Row::new(entry.case, operations, &counts))
}

/// Counts the instructions of `counted` calls of `run`, after `warm` calls that are not counted.
fn between_marks(
    run: &mut dyn FnMut(),
    warm: u64,
    counted: u64,
    file: &Path,
    pairs: usize,
) -> Result<Counts, Box<dyn Error>> {
    for _ in 0..warm {
        run();
    }
    mark();
    for _ in 0..counted {
        run();
    }
    mark();
    let lines = std::fs::read_to_string(file)?;
    let line = lines.lines().nth(2 * pairs + 1);
    Ok(line.ok_or("no mark was seen: no plugin?")?.parse()?)
}

/// Counts the inner loops, in the order in which the plugin sees their marks.
fn count_loops(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    const CALLS: u64 = 4;
    let mut pairs = 0;
    let mut result = Ok(ExitCode::SUCCESS);
    loops::each(&mut |one, run| {
        match between_marks(run, 1, CALLS, &arguments.counts, pairs) {
            Ok(counts) => print_loop(arguments, one, CALLS, &counts),
            Err(error) => result = Err(error),
        }
        pairs += 1;
    });
    result
}

fn print_loop(arguments: &Arguments, one: Loop, calls: u64, counts: &Counts) {
    let line = LoopLine {
        what: one.what,
        code: one.code.to_owned() + if one.one { "" } else { "/lanes" },
        calls,
        units: one.units,
        instructions: counts.total() / calls,
        loads: (counts.loads + counts.vector_loads) / calls,
        stores: (counts.stores + counts.vector_stores) / calls,
    };
    if arguments.json {
        return json(&line);
    }
    println!(
        "{:<26} {:>2} {:>6} {:>8} {:>7} {:>7}",
        format!("{}/{}", line.what, line.code),
        line.calls,
        line.units,
        line.instructions,
        line.loads,
        line.stores
    );
}

/// A counted loop, with the instructions, loads and stores of one call.
#[derive(Serialize)]
struct LoopLine {
    what: &'static str,
    code: String,
    calls: u64,
    units: usize,
    instructions: u64,
    loads: u64,
    stores: u64,
}

/// The function whose address the plugin gets.
#[inline(never)]
fn mark() {
    // Each function has its own constant, since the compiler would merge two functions with the
    // same code and remove a symbol.
    black_box("count::mark");
}

fn print_header(arguments: &Arguments, names: &str) {
    if !arguments.json {
        println!(
            "{names:<54} {:>12} {:>11} {:>11} {:>7}  of",
            "instructions", "loads", "stores", "share"
        );
    }
}

fn print_row(arguments: &Arguments, row: &Row<impl Serialize + ToString>) {
    if arguments.json {
        return json(row);
    }
    println!(
        "{:<54} {:>12} {:>11} {:>11} {:>6.1}%  {}",
        row.case.to_string(),
        row.instructions,
        row.loads,
        row.stores,
        100.0 * row.memory_share,
        row.operations
    );
}

fn print_verdict(arguments: &Arguments, verdict: &Verdict) {
    if arguments.json {
        return json(verdict);
    }
    let word = if verdict.pass { "PASS" } else { "short" };
    println!(
        "{word:<5} {:?} {:?} {:?}: {} on {}, at most {}",
        verdict.bar.operation,
        verdict.bar.mode,
        verdict.bar.parameters,
        verdict.instructions,
        verdict.engine,
        verdict.bar.limit
    );
}

fn json(line: &impl Serialize) {
    // A line has string keys and finite numbers, so serialising it never fails.
    if let Ok(line) = serde_json::to_string(line) {
        println!("{line}");
    }
}
