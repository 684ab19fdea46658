//! Clocks of Falcon's operations on a simulated processor with circuits beside it.
//!
//! `system/run.sh` simulates the system and writes `system/operations.tsv`, which
//! [`Table::committed`] reads.
//!
//! ```
//! use falcon_hls_sim::system::Table;
//!
//! let table = Table::committed()?.of_degree(512);
//! let verify = table.rows.iter().filter(|row| row.operation == "verify");
//! assert!(verify.clone().all(|row| row.clocks > 0));
//! assert!(verify.count() > 1);
//! # Ok::<(), falcon_hls_sim::system::TableError>(())
//! ```

use crate::VERSION;
use serde::Serialize;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Columns of the table, in their order.
const HEAD: &str = "degree\toperation\tform\tratio\tclocks\tfft_runs\tfft_moved\tfft_waited\t\
    keccak_runs\tkeccak_moved\tkeccak_waited\tfpu_operations";

/// An operation that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Degree of the polynomials.
    pub degree: u32,
    /// Operation, such as `verify`.
    pub operation: String,
    /// Circuits that the operation used, or `software`.
    pub form: String,
    /// Clock of the processor divided by that of the circuits, such as `20:3`.
    pub ratio: String,
    /// Clocks of the processor from the start of the operation to its end.
    pub clocks: u64,
    /// Number of transforms on the FFT circuits.
    pub fft_runs: u64,
    /// Clocks in which the processor copied polynomials to the FFT circuits and back.
    pub fft_moved: u64,
    /// Clocks in which the processor waited for the FFT circuits.
    pub fft_waited: u64,
    /// Number of permutations on the circuit for Keccak-f.
    pub keccak_runs: u64,
    /// Clocks in which the processor copied states to the circuit for Keccak-f and back.
    pub keccak_moved: u64,
    /// Clocks in which the processor waited for the circuit for Keccak-f.
    pub keccak_waited: u64,
    /// Number of additions, subtractions and multiplications on the floating-point unit.
    pub fpu_operations: u64,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [degree, operation, form, ratio, numbers @ ..] = &cells[..] else {
            return None;
        };
        let numbers = numbers.iter().map(|number| number.parse().ok());
        let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
        let &[
            clocks,
            fft_runs,
            fft_moved,
            fft_waited,
            keccak_runs,
            keccak_moved,
            keccak_waited,
            fpu_operations,
        ] = &numbers[..]
        else {
            return None;
        };
        let others = [fft_moved, fft_waited, keccak_moved, keccak_waited];
        let others = others.into_iter().try_fold(0, u64::checked_add)?;
        (clocks > 0 && others <= clocks).then_some(())?;
        Some(Self {
            degree: degree.parse().ok()?,
            operation: (*operation).to_owned(),
            form: (*form).to_owned(),
            ratio: (*ratio).to_owned(),
            clocks,
            fft_runs,
            fft_moved,
            fft_waited,
            keccak_runs,
            keccak_moved,
            keccak_waited,
            fpu_operations,
        })
    }

    /// Returns the clocks in which the processor copied data to circuits and back.
    pub fn moved(&self) -> u64 {
        self.fft_moved + self.keccak_moved
    }

    /// Returns the clocks in which the processor waited for circuits.
    pub fn waited(&self) -> u64 {
        self.fft_waited + self.keccak_waited
    }
}

/// A line is not one of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableError {
    /// Number of the line, from 1.
    pub line: usize,
}

impl Display for TableError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not one of a table of clocks", self.line)
    }
}

impl Error for TableError {}

/// A table of measured operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// Date and commit of the measurement.
    pub origin: String,
    /// SHA-256, in hexadecimal, of the programs, of the circuits and of what builds them.
    pub sources: String,
    /// Operations, in the order of the file.
    pub rows: Vec<Row>,
}

impl Table {
    /// Reads the table of this crate.
    ///
    /// # Errors
    /// Never: a test reads it.
    pub fn committed() -> Result<Self, TableError> {
        Self::parse(include_str!("../system/operations.tsv"))
    }

    /// Reads the output of `system/run.sh renew`.
    ///
    /// # Errors
    /// If a line is neither a comment nor a row of twelve cells. The first line after the comments
    /// must name the columns.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = Self {
            version: VERSION,
            origin: String::new(),
            sources: String::new(),
            rows: Vec::new(),
        };
        let mut has_head = false;
        for (line, text) in (1..).zip(text.lines()) {
            if let Some(comment) = text.strip_prefix("# ") {
                for (name, field) in [
                    ("Origin: ", &mut table.origin),
                    ("Sources: ", &mut table.sources),
                ] {
                    if let Some(value) = comment.strip_prefix(name) {
                        value.clone_into(field);
                    }
                }
            } else if !has_head {
                has_head = text == HEAD;
                has_head.then_some(()).ok_or(TableError { line })?;
            } else {
                table
                    .rows
                    .push(Row::parse(text).ok_or(TableError { line })?);
            }
        }
        Ok(table)
    }

    /// Returns the table with only the rows of one degree.
    pub fn of_degree(mut self, degree: u32) -> Self {
        self.rows.retain(|row| row.degree == degree);
        self
    }

    /// Returns the clocks of the same operation in software.
    pub(crate) fn in_software(&self, row: &Row) -> Option<u64> {
        let is_software = |other: &&Row| {
            other.form == "software"
                && (other.degree, &other.operation) == (row.degree, &row.operation)
        };
        self.rows.iter().find(is_software).map(|row| row.clocks)
    }
}

/// Formats a share of a row's clocks in percent. Zero is a dash.
fn share(part: u64, row: &Row) -> String {
    match part {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / row.clocks as f64),
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Clocks of a simulated RISC-V processor with circuits beside it; fewer are better\n"
        )?;
        write!(
            f,
            "{:>6}  {:<15}{:<12}{:>6}{:>13}{:>7}{:>9}{:>9}",
            "degree", "operation", "circuits", "ratio", "clocks", "x", "copying", "waiting"
        )?;
        for row in &self.rows {
            let speedup = self.in_software(row).map_or_else(String::new, |software| {
                format!("{:.2}", software as f64 / row.clocks as f64)
            });
            let form = &row.form;
            write!(
                f,
                "\n{:>6}  {:<15}{form:<12}{:>6}{:>13}{speedup:>7}{:>9}{:>9}",
                row.degree,
                row.operation,
                row.ratio,
                row.clocks,
                share(row.moved(), row),
                share(row.waited(), row),
            )?;
        }
        write!(
            f,
            "\n\nboth: FFT and Keccak-f; all: both and the FPU\n\
             ratio: clock of the processor to that of the circuits; x: speedup over software\n\
             measured: {}\n\
             sources:  {}\n\
             again, in a clone: crates/falcon-hls-sim/system/run.sh all {}",
            self.origin,
            self.sources,
            self.rows.first().map_or(512, |row| row.degree),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> Result<Table, TableError> {
        Table::parse(&format!("# Origin: today\n# Sources: ab\n{HEAD}\n{rows}"))
    }

    #[test]
    fn the_committed_table_is_read() {
        let table = Table::committed().unwrap();
        assert_eq!(table.sources.len(), 64);
        assert!(!table.origin.is_empty());
        for degree in [256, 512, 1024] {
            let table = table.clone().of_degree(degree);
            let is_row = |row: &&Row| row.operation == "verify" && row.form == "software";
            assert!(table.rows.iter().any(|row| is_row(&row)), "{degree}");
            assert!(
                table
                    .rows
                    .iter()
                    .all(|row| table.in_software(row).is_some())
            );
        }
    }

    #[test]
    fn speedups_and_shares_are_shown() {
        let table = table(
            "512\tverify\tsoftware\t1:1\t2000\t0\t0\t0\t0\t0\t0\t0\n\
             512\tverify\tkeccak\t20:3\t800\t0\t0\t0\t3\t80\t4\t0\n",
        );
        let shown = table.unwrap().to_string();
        let lines: Vec<Vec<&str>> = shown
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let software = ["512", "verify", "software", "1:1", "2000", "1.00", "-", "-"];
        assert_eq!(lines[3], software);
        let keccak = "512 verify keccak 20:3 800 2.50 10.0 % 0.5 %";
        assert_eq!(lines[4], keccak.split(' ').collect::<Vec<_>>());
        assert!(shown.contains("measured: today\nsources:  ab\n"), "{shown}");
    }

    #[test]
    fn lines_of_another_form_are_refused() {
        let good = "512\tverify\tsoftware\t1:1\t2000\t0\t0\t0\t0\t0\t0\t0\n";
        assert!(table(good).is_ok());
        for bad in [
            good.replace("2000", "0"),
            good.replace("\t0\t0\n", "\t2001\t0\n"),
            good.replace(
                "1:1\t2000\t0\t0\t0",
                &format!("1:1\t2000\t0\t{}\t1", u64::MAX),
            ),
            good.replace("512", "many"),
            good.replace("2000\t", ""),
            good.replace("2000", "2000\t1"),
            good.replace("2000", "-1"),
            "\n".to_owned(),
        ] {
            let rows = format!("{good}{bad}");
            assert_eq!(table(&rows), Err(TableError { line: 5 }), "{bad}");
        }
        assert_eq!(Table::parse("degree\n"), Err(TableError { line: 1 }));
    }
}
