//! Prints rows and bars: as a table for people, or as one line of JSON each.

use crate::bars::Bar;
use crate::entry::{Case, Operation};
use crate::ours::AS_CALLED;
use crate::rounds::Timing;
use falcon_core::Engine;
use serde::Serialize;

/// A measured row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Row of the comparison.
    pub case: Case,
    /// Times of the rounds.
    pub timing: Timing,
    /// The peer's row for comparison, and the ratio of our time to the peer's.
    pub rival: Option<(Case, f64)>,
}

#[derive(Serialize)]
struct RowLine {
    #[serde(flatten)]
    case: Case,
    ns: f64,
    statistic: &'static str,
    ops_per_s: f64,
    ratio: Option<f64>,
    ratio_to: Option<&'static str>,
    spread: f64,
    rounds: usize,
}

#[derive(Serialize)]
struct BarLine {
    bar: String,
    peer: &'static str,
    ratio: f64,
    limit: f64,
    pass: bool,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Columns with a heading.
    Table,
    /// One JSON object a line.
    Json,
}

/// Prints how to read the rows, and their heading.
pub fn heading(style: Style) {
    if style == Style::Table {
        println!(
            "us: CPU time of one operation, median over rounds in which all take turns (keygen: \
             mean).\nratio: our time over the peer's. Smaller is faster in both.\n\
             encoded: the key is decoded each time. decoded: a signing key, not expanded.\n\
             prepared: an expanded key, or a verifying key. batch: prepared, many messages in \
             one call.\n"
        );
        println!(
            "{:<52} {:>12} {:>12} {:>7} {:>6}  ratio to",
            "operation/key/parameters/engine", "us", "ops/s", "spread", "ratio"
        );
    }
}

/// Prints a row.
pub fn row(style: Style, row: &Row) {
    let rounds = row.timing.rounds;
    let typical = row.timing.typical(row.case.operation);
    let (spread, ops_per_s) = (row.timing.spread(), 1e9 / typical);
    match style {
        Style::Table => {
            print!(
                "{:<52} {:>12.2} {ops_per_s:>12.1}",
                row.case.to_string(),
                typical / 1e3
            );
            print!(" {:>6.1}%", 100.0 * spread);
            match row.rival {
                Some((rival, ratio)) => println!(" {ratio:>6.3}  {}", rival.engine),
                None => println!(),
            }
        }
        Style::Json => json(&RowLine {
            case: row.case,
            ns: typical,
            statistic: match row.case.operation {
                Operation::Keygen => "mean",
                Operation::Sign | Operation::Verify | Operation::Expand => "median",
            },
            ops_per_s,
            ratio: row.rival.map(|(_, ratio)| ratio),
            ratio_to: row.rival.map(|(rival, _)| rival.engine),
            spread,
            rounds,
        }),
    }
}

/// One of our rows, the row it is compared with, and the required ratio.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The row to judge.
    pub ours: Case,
    /// Name of the engine or the peer in the other row. `None` if there is no such row.
    pub other: Option<&'static str>,
    /// Ratio of our time to the other row's.
    pub ratio: f64,
    /// Largest ratio that passes.
    pub limit: f64,
}

impl Verdict {
    /// True if the row is fast enough.
    pub fn passes(&self) -> bool {
        self.other.is_some() && self.ratio <= self.limit
    }

    /// Prints the verdict.
    pub fn print(&self, style: Style) {
        let pass = self.passes();
        let ours = self.ours.to_string();
        let (ratio, limit) = (self.ratio, self.limit);
        match (style, self.other) {
            (_, None) => println!("short {ours} has no row by name"),
            (Style::Table, Some(other)) => {
                let word = if pass { "PASS" } else { "short" };
                println!("{word:<5} {ours:<46} {ratio:>6.3} of {other}, at most {limit}");
            }
            (Style::Json, Some(peer)) => json(&BarLine {
                bar: ours,
                peer,
                ratio,
                limit,
                pass,
            }),
        }
    }
}

/// Judges the bars whose two rows are among `rows`.
pub fn bars(bars: &[Bar], rows: &[Row]) -> Vec<Verdict> {
    let typical = |case: Case| {
        let row = rows.iter().find(|row| row.case == case)?;
        Some(row.timing.typical(case.operation))
    };
    let verdict = |bar: &Bar| {
        Some(Verdict {
            ours: bar.ours,
            other: Some(bar.peer.engine),
            ratio: typical(bar.ours)? / typical(bar.peer)?,
            limit: bar.limit,
        })
    };
    bars.iter().filter_map(verdict).collect()
}

/// Judges plain calls. They may take at most `limit` times as long as calls that name the best
/// engine. Compares the fastest rounds of both or, for key generation, the means.
pub fn as_called(limit: f64, rows: &[Row]) -> Vec<Verdict> {
    let plain = rows.iter().filter(|row| row.case.engine == AS_CALLED);
    let verdict = |row: &Row| {
        let named = rows.iter().filter(|other| {
            let Case {
                operation,
                mode,
                parameters,
                engine,
            } = other.case;
            let is_ours = Engine::available().any(|ours| ours.name() == engine);
            is_ours
                && (operation, mode, parameters)
                    == (row.case.operation, row.case.mode, row.case.parameters)
        });
        let fastest = |row: &Row| match row.case.operation {
            // Each key takes a different time, so only the mean is meaningful.
            Operation::Keygen => row.timing.mean,
            _ => row.timing.fastest,
        };
        let best = named.min_by(|a, b| fastest(a).total_cmp(&fastest(b)));
        Verdict {
            ours: row.case,
            other: best.map(|best| best.case.engine),
            ratio: best.map_or(f64::NAN, |best| fastest(row) / fastest(best)),
            limit,
        }
    };
    plain.map(verdict).collect()
}

fn json(line: &impl Serialize) {
    // Rows and verdicts have string keys and finite numbers, so serialising them never fails.
    if let Ok(line) = serde_json::to_string(line) {
        println!("{line}");
    }
}
