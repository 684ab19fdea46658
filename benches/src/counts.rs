//! Instructions per operation, as `qemu/plugin.c` counts them: the rows, and their bars.

use crate::entry::{Case, Degree, Mode, Operation};
use serde::Serialize;
use std::str::FromStr;

/// Number of instructions executed from one mark to the next, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Loads into general registers.
    pub loads: u64,
    /// Stores from general registers.
    pub stores: u64,
    /// Loads into vector and floating-point registers.
    pub vector_loads: u64,
    /// Stores from vector and floating-point registers.
    pub vector_stores: u64,
    /// Arithmetic and moves of vector and floating-point registers.
    pub vector: u64,
    /// Other instructions on general registers.
    pub integer: u64,
    /// Branches and system instructions.
    pub branches: u64,
}

impl Counts {
    /// Number of all instructions.
    pub fn total(&self) -> u64 {
        self.memory() + self.vector + self.integer + self.branches
    }

    /// Number of loads and stores.
    pub fn memory(&self) -> u64 {
        self.loads + self.stores + self.vector_loads + self.vector_stores
    }
}

impl FromStr for Counts {
    type Err = String;

    /// Reads a line of the plugin.
    fn from_str(line: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok(
                &[
                    loads,
                    stores,
                    vector_loads,
                    vector_stores,
                    vector,
                    integer,
                    branches,
                ],
            ) => Ok(Self {
                loads,
                stores,
                vector_loads,
                vector_stores,
                vector,
                integer,
                branches,
            }),
            _ => Err(format!("not a line of the plugin: {line:?}")),
        }
    }
}

/// A counted row. `C` is the type that describes it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Row<C = Case> {
    /// Row of the comparison.
    #[serde(flatten)]
    pub case: C,
    /// Number of counted operations. The fields below are means over these operations.
    pub operations: u64,
    /// Instructions of one operation.
    pub instructions: u64,
    /// Loads of one operation.
    pub loads: u64,
    /// Stores of one operation.
    pub stores: u64,
    /// Instructions of one operation on vector and floating-point registers, including loads and
    /// stores.
    pub vector: u64,
    /// Share of loads and stores in the instructions.
    pub memory_share: f64,
}

impl<C> Row<C> {
    /// Makes the row of `operations` calls that executed `counts` together.
    pub fn new(case: C, operations: u64, counts: &Counts) -> Self {
        let each = |sum: u64| (sum + operations / 2) / operations;
        Self {
            case,
            operations,
            instructions: each(counts.total()),
            loads: each(counts.loads + counts.vector_loads),
            stores: each(counts.stores + counts.vector_stores),
            vector: each(counts.vector + counts.vector_loads + counts.vector_stores),
            memory_share: counts.memory() as f64 / counts.total() as f64,
        }
    }
}

/// Finds the row of `committed` with this name, in the format of a printed [`Case`]. `committed`
/// has a JSON object on each line, as `count --json` prints them.
pub fn committed_row(committed: &str, name: &str) -> Option<serde_json::Value> {
    let rows = committed.lines().map(serde_json::from_str);
    rows.filter_map(Result::ok).find(|row: &serde_json::Value| {
        let fields = ["operation", "mode", "parameters", "engine"];
        fields
            .map(|key| row[key].as_str().unwrap_or_default())
            .join("/")
            == name
    })
}

impl Row {
    /// Returns the instructions of this row in `committed` if they differ from this row by more
    /// than 0.5 %. Returns zero if `committed` does not have the row.
    pub fn differs_from(&self, committed: &str) -> Option<u64> {
        let found = committed_row(committed, &self.case.to_string())
            .and_then(|row| row["instructions"].as_u64())
            .unwrap_or_default();
        (200 * self.instructions.abs_diff(found) > found).then_some(found)
    }
}

/// Largest number of instructions that the best of our engines may execute.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bar {
    /// Operation.
    pub operation: Operation,
    /// Form of the key.
    pub mode: Mode,
    /// Degree.
    pub parameters: Degree,
    /// Instructions of one operation. The limit leaves some margin for changes that serve other
    /// processors.
    pub limit: u64,
}

/// Bars that `count --strict` checks.
pub const BARS: [Bar; 7] = {
    use {Mode::*, Operation::*};
    const fn bar(operation: Operation, mode: Mode, limit: u64) -> Bar {
        Bar {
            operation,
            mode,
            parameters: Degree::D512,
            limit,
        }
    }
    [
        bar(Sign, Prepared, 400_000),
        bar(Sign, Encoded, 670_000),
        bar(Sign, Batch, 355_000),
        bar(Verify, Prepared, 43_500),
        bar(Verify, Encoded, 50_000),
        bar(Verify, Batch, 38_000),
        bar(Keygen, Seed, 14_500_000),
    ]
};

/// A bar and the row that is judged by it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Verdict {
    /// The bar.
    #[serde(flatten)]
    pub bar: Bar,
    /// The engine with the fewest instructions.
    pub engine: &'static str,
    /// Number of instructions of that engine.
    pub instructions: u64,
    /// True if the engine needs no more instructions than the bar allows.
    pub pass: bool,
}

impl Bar {
    /// Judges `rows`, which must be ours. Returns `None` if no row is of this kind.
    pub fn judge(self, rows: &[Row]) -> Option<Verdict> {
        let Self {
            operation,
            mode,
            parameters,
            limit,
        } = self;
        let best = rows
            .iter()
            .filter(|row| {
                let case = row.case;
                (case.operation, case.mode, case.parameters) == (operation, mode, parameters)
            })
            .min_by_key(|row| row.instructions)?;
        Some(Verdict {
            bar: self,
            engine: best.case.engine,
            instructions: best.instructions,
            pass: best.instructions <= limit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &'static str, instructions: u64) -> Row {
        let case = Case {
            operation: Operation::Sign,
            mode: Mode::Batch,
            parameters: Degree::D512,
            engine,
        };
        let counts = Counts {
            loads: instructions / 4,
            vector: instructions - instructions / 4,
            ..Counts::default()
        };
        Row::new(case, 1, &counts)
    }

    #[test]
    fn a_line_has_the_kinds_in_the_order_of_the_plugin() {
        let counts: Counts = "1 2 3 4 5 6 7\n".parse().unwrap();
        assert_eq!(counts.total(), 28);
        assert_eq!(counts.memory(), 10);
        assert_eq!((counts.integer, counts.branches), (6, 7));
        for wrong in ["", "1 2 3 4 5 6", "1 2 3 4 5 6 7 8", "1 2 3 4 5 6 x"] {
            assert!(wrong.parse::<Counts>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bar_judges_the_best_engine_and_can_fail() {
        let bar = BARS[2];
        let judge = |rows: &[Row]| bar.judge(rows).map(|verdict| verdict.pass);
        assert_eq!(judge(&[]), None);
        assert_eq!(judge(&[row("a", bar.limit + 1)]), Some(false));
        assert_eq!(
            judge(&[row("a", bar.limit + 1), row("b", bar.limit)]),
            Some(true)
        );
        assert_eq!(BARS[0].judge(&[row("a", 1)]).map(|v| v.pass), None);
    }

    #[test]
    fn a_row_of_other_code_differs_from_the_committed_one() {
        let committed = r#"{"operation":"sign","mode":"batch","parameters":"falcon-512",
            "engine":"a","instructions":1000}"#;
        let committed = committed.replace('\n', "");
        let judge = |engine, count| row(engine, count).differs_from(&committed);
        assert_eq!([995, 1000, 1005].map(|count| judge("a", count)), [None; 3]);
        assert_eq!(judge("a", 994), Some(1000));
        assert_eq!(judge("a", 1006), Some(1000));
        assert_eq!(judge("b", 1000), Some(0));
        assert_eq!(row("a", 1000).differs_from(""), Some(0));
    }

    #[test]
    fn shares_are_of_all_instructions() {
        let row = row("a", 400);
        assert_eq!((row.loads, row.stores, row.vector), (100, 0, 300));
        assert!((row.memory_share - 0.25).abs() < 1e-12);
    }
}
