//! `verify-table`: checks the signatures in the rows of tables.

use crate::{
    engine::Compute,
    error::{Error, Result, Status},
    input::open_linked,
    keys::load_public,
    progress::Progress,
    tables::{
        ColumnFormat, KEY, KEY_ID, Worker,
        batches::Batches,
        keys::{Decoded, KeyTable, Keys, verify},
        ledger::{LedgerOptions, digest_of_key},
        output::{Output, digest},
        report::{Counts, Job},
        shards::Slice,
        state::State,
        table::Table,
        write::{Verdicts, has_verdicts},
    },
    ui::{BAD, GOOD, Styled, Ui},
};
use clap::{Args, ValueEnum};
use falcon_core::{AnyVerifyingKey, Threads, batch::Verdict};
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Verify a column of signatures in Parquet files
#[derive(Debug, Args)]
#[command(after_help = "\
Columns: message (binary or text), signature (binary), and key (binary), or with --keys
key_id (integers, text or binary). With --public-key, no key column is needed. Other columns
are ignored.

For TABLE, or for each file a/b.parquet in a folder, FOLDER has a/b.parquet with the columns
row and verdict. A verdict is 0 (valid), 1 (invalid), 2 (malformed signature, or message or
signature null) or 3 (unknown key). FOLDER has tables alone, so pandas, polars and others
read it as one data set. The folder FOLDER.reports has a/b.parquet.json with the counts, and
summary.json with the sums. docs/FORMATS.md specifies the files, and their names with --shard.

An output is whole or absent. After a crash, the same command with --skip-existing goes on.
Parts I/N may run at the same time and share the output folder:

  sbatch --array=1-64 --wrap 'falcon-cli verify-table --keys keys.parquet LEDGER \\
      -o verdicts --skip-existing --shard \"$SLURM_ARRAY_TASK_ID/64\"'

Exit status: 0 if all rows are valid (verdict 0); 1 if one is not (verdicts 1 to 3); 2 if
no such row was found, but some rows could not be checked.")]
pub(crate) struct VerifyTable {
    /// Table of keys: a Parquet file with the columns key_id and key
    #[arg(long, value_name = "KEYS.parquet", conflicts_with = "public_key")]
    keys: Option<PathBuf>,
    /// Public key of all rows
    #[arg(short, long, value_name = "KEY.pub", visible_aliases = ["key", "pub"],
        visible_short_alias = 'k')]
    public_key: Option<PathBuf>,
    /// Format of the signatures
    #[arg(short, long, value_enum, default_value = "padded")]
    format: ColumnFormat,
    #[command(flatten)]
    ledger: LedgerOptions,
}

impl VerifyTable {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let source = self.keys.as_deref().or(self.public_key.as_deref());
        let (keys, keys_sha256) = match (&self.keys, &self.public_key) {
            (Some(path), _) => {
                let before = State::at(path);
                let digest = digest(path, open_linked(path)?)?;
                let (table, state) = KeyTable::read(path, self.ledger.max_expansion)?;
                if before != Some(state) {
                    return Err(Error::at(path, "changed while it was read")
                        .hint("run the command again when nobody writes to the file"));
                }
                (Keys::Named(table), Some(digest))
            }
            (None, Some(path)) => {
                let key = only_key(path)?;
                let digest = digest_of_key(&key.to_bytes());
                (Keys::One(Arc::new(key)), Some(digest))
            }
            (None, None) => (Keys::Encoded, None),
        };
        let job = Job {
            format: self.format,
            keys_sha256,
            program_version: env!("CARGO_PKG_VERSION"),
        };
        let mut again = self.ledger.again();
        if let Some(format) = self.format.to_possible_value()
            && self.format != ColumnFormat::Padded
        {
            again += &format!(" --format {}", format.get_name());
        }
        let other_keys = OnceLock::new();
        let inputs: Vec<&Path> = source.into_iter().collect();
        let ledger = self.ledger.open(&inputs)?;
        let status = ledger.run(&job, ui, |table, slice, output, threads, progress| {
            let counted = verify_slice(
                engine,
                &keys,
                self.format,
                table,
                slice,
                output,
                threads,
                progress,
            )?;
            let column = [KEY_ID, KEY].into_iter().find(|&name| table.has(name));
            if let (Keys::One(_), Some(column), 1..) = (&keys, column, counted.invalid) {
                other_keys.get_or_init(|| column);
            }
            Ok(counted)
        })?;
        if let Some(column) = other_keys.into_inner() {
            let keys = match column {
                KEY_ID => "--keys KEYS.parquet ",
                _ => "",
            };
            ui.note(format_args!(
                "all rows were verified with the key of --public-key, and the column {column} was \
                 ignored; to verify each row with its own key: falcon-cli verify-table {keys}{again}"
            ));
        }
        Ok(status)
    }
}

fn only_key(path: &Path) -> Result<AnyVerifyingKey> {
    let keys = load_public(path, "ask the signer for it, and name it with --public-key")?;
    let [key] = <[AnyVerifyingKey; 1]>::try_from(keys).map_err(|keys| {
        Error::at(
            path,
            format_args!("holds {} keys, and one is needed", keys.len()),
        )
        .hint("put the keys in a table, and name it with --keys")
    })?;
    Ok(key)
}

fn verify_slice(
    engine: &Compute,
    keys: &Keys,
    format: ColumnFormat,
    table: &Table,
    slice: &Slice,
    output: &mut Output,
    threads: Option<&Threads>,
    progress: &Progress,
) -> Result<Counted> {
    let columns = keys.columns(table)?;
    let mut output = Verdicts::new(output, slice.first_row)?;
    let worker = Worker::new(engine, threads);
    let mut decoded = Decoded::default();
    let mut counted = Counted::default();
    let mut row = slice.first_row;
    for group in slice.groups.clone() {
        let mut batches = Batches::new(table, group, &columns)?;
        let mut next = batches.next()?;
        while let Some(batch) = next {
            let mut verdicts = || verify(&worker, keys, &mut decoded, format, &batch);
            // With several threads, reads the next batch while this one is verified.
            let (verdicts, following) = match worker.pool() {
                Some(pool) => pool.install(|| rayon::join(verdicts, || batches.next())),
                None => (verdicts(), batches.next()),
            };
            let verdicts = verdicts?;
            counted.count(row, &verdicts);
            row += verdicts.len() as u64;
            output.add(&verdicts)?;
            progress.add(verdicts.len() as u64);
            next = following?;
            batches.reuse(batch);
        }
    }
    output.close()?;
    Ok(counted)
}

/// A summary lists at most this many rows that are not valid.
const FIRST: usize = 10;

/// Number of rows by verdict.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Counted {
    valid: u64,
    invalid: u64,
    malformed: u64,
    unknown_key: u64,
    /// The first rows that are not valid. Only the summary of an output has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_not_valid: Option<Vec<u64>>,
    /// For each output with rows that are not valid, the first of these rows. Only the sum has
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_valid: Option<BTreeMap<String, Vec<u64>>>,
}

impl Counted {
    fn count(&mut self, row: u64, verdicts: &[Verdict]) {
        let first = self.first_not_valid.get_or_insert_default();
        for (row, &verdict) in (row..).zip(verdicts) {
            *match verdict {
                Verdict::Valid => &mut self.valid,
                Verdict::Invalid => &mut self.invalid,
                Verdict::Malformed => &mut self.malformed,
                Verdict::UnknownKey => &mut self.unknown_key,
            } += 1;
            if !verdict.is_valid() && first.len() < FIRST {
                first.push(row);
            }
        }
    }

    fn not_valid(&self) -> u64 {
        self.invalid + self.malformed + self.unknown_key
    }
}

impl Counts for Counted {
    fn add(&mut self, name: &str, other: &Self) {
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.malformed += other.malformed;
        self.unknown_key += other.unknown_key;
        let not_valid = self.not_valid.get_or_insert_default();
        match &other.first_not_valid {
            Some(first) if !first.is_empty() => {
                not_valid.insert(name.to_owned(), first.clone());
            }
            _ => {}
        }
    }

    fn rows(&self) -> u64 {
        self.valid + self.not_valid()
    }

    fn is_output(table: &Table) -> bool {
        has_verdicts(table)
    }

    fn is_bad(&self) -> bool {
        self.not_valid() > 0
    }

    fn verdict(&self) -> Option<Styled<&'static str>> {
        Some(match self.is_bad() {
            false => Styled(GOOD, "OK"),
            true => Styled(BAD, "INVALID"),
        })
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} valid", HumanCount(self.valid))?;
        for (count, name) in [
            (self.invalid, "invalid"),
            (self.malformed, "malformed"),
            (self.unknown_key, "with an unknown key"),
        ] {
            if count > 0 {
                write!(f, ", {} {name}", HumanCount(count))?;
            }
        }
        let first = self.first_not_valid.as_deref().unwrap_or_default();
        if !first.is_empty() {
            let rows: Vec<_> = first.iter().map(u64::to_string).collect();
            let more = match self.not_valid() > first.len() as u64 {
                true => " and more",
                false => "",
            };
            write!(f, "; rows {}{more}", rows.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_that_are_not_valid_are_kept() {
        let mut counted = Counted::default();
        let verdicts = [Verdict::Valid, Verdict::Invalid, Verdict::UnknownKey];
        for row in (0..30).step_by(3) {
            counted.count(row, &verdicts);
        }
        let rows = counted.first_not_valid.as_deref();
        assert_eq!(rows, Some(&[1, 2, 4, 5, 7, 8, 10, 11, 13, 14][..]));
        assert_eq!((counted.valid, counted.not_valid()), (10, 20));
    }
}
