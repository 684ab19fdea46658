//! `make-table`: makes tables to try the other commands with.

use crate::{
    engine::{Compute, batch_failed, keygen, other_algorithm},
    error::{Error, Result, Status},
    escape::{Escaped, shown},
    output::Overwrite,
    progress::{Progress, Unit},
    scheme::{Algorithm, with_type},
    tables::{
        BATCH_ROWS, ColumnFormat, KEY, KEY_ID, MESSAGE, SIGNATURE, Worker, count, encode,
        output::{Place, appeared},
        shards::is_hidden,
        state::State,
        write::{Writer, binary, properties, schema},
    },
    ui::Ui,
};
use clap::Args;
use falcon_core::{
    AnySigningKey, Parameters, Signature, Threads,
    batch::{BatchSign, SignJob, Verdict},
};
use indicatif::HumanCount;
use parquet::{basic::Repetition, schema::types::ColumnPath};
use rayon::prelude::*;
use serde::Serialize;
use serde_json as json;
use std::{
    collections::BTreeMap,
    fmt, fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// Make Parquet files of signatures to try `verify-table` with
#[derive(Debug, Args)]
#[command(after_help = "\
Writes FOLDER/ledger/part-00000.parquet and so on, FOLDER/keys.parquet, and
FOLDER/expected.json: the rows that are not valid, and their verdicts. The same options give
the same files. The secret keys have known seeds: never use them for anything else.

Example:
  falcon-cli make-table example --rows 10000 --forge
  falcon-cli verify-table example/ledger --keys example/keys.parquet -o example/verdicts")]
pub(crate) struct MakeTable {
    /// Folder to write to; made if it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Number of tables
    #[arg(long, value_name = "N", default_value = "1", value_parser = count)]
    tables: NonZeroUsize,
    /// Rows of each table
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    rows: u64,
    /// Rows of each row group
    #[arg(long, value_name = "N", default_value = "32768", value_parser = count)]
    group_rows: NonZeroUsize,
    /// Number of keys
    #[arg(long, value_name = "N", default_value = "100", value_parser = count)]
    keys: NonZeroUsize,
    /// Bytes of each message, 8 or more
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=1 << 20))]
    message_bytes: u32,
    /// Algorithm of the keys
    #[arg(
        short,
        long,
        value_enum,
        ignore_case = true,
        default_value = "falcon-512"
    )]
    algorithm: Algorithm,
    /// Format of the signatures
    #[arg(short, long, value_enum, default_value = "padded")]
    format: ColumnFormat,
    /// Write a column key instead of key_id
    #[arg(long)]
    encoded_keys: bool,
    /// Forge the first, the middle and the last row of each table
    #[arg(long)]
    forge: bool,
    /// Seed of keys and signatures
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count)]
    threads: Option<NonZeroUsize>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// Largest number of message bytes in a batch.
const BATCH_BYTES: u64 = 32 << 20;

/// Ways to make a row that is not valid. A forged table uses them in turn.
#[derive(Clone, Copy)]
enum Forgery {
    /// The last byte of the message is changed.
    Message,
    /// The signature is that of another row.
    Signature,
    /// The signature lacks a byte.
    Truncated,
    /// The key is not in the table of keys.
    Unknown,
}

const FORGERIES: [Forgery; 4] = [
    Forgery::Message,
    Forgery::Signature,
    Forgery::Truncated,
    Forgery::Unknown,
];

impl Forgery {
    fn verdict(self) -> Verdict {
        match self {
            Self::Message | Self::Signature => Verdict::Invalid,
            Self::Truncated => Verdict::Malformed,
            Self::Unknown => Verdict::UnknownKey,
        }
    }
}

/// Contents of a table.
struct Contents<'m> {
    options: &'m MakeTable,
    table: u64,
}

impl Contents<'_> {
    /// Returns the forgery of a row, if it is forged.
    fn forgery(&self, row: u64) -> Option<Forgery> {
        let rows = self.options.rows;
        let places = [0, rows / 2, rows.saturating_sub(1)];
        // If there are few rows, some of the places are the same row.
        let place = places.iter().rposition(|&place| place == row)?;
        let number = self.table as usize + place;
        self.options
            .forge
            .then_some(FORGERIES[number % FORGERIES.len()])
    }

    /// Returns the message that is signed: the number of the row, then zeros.
    fn message(&self, row: u64) -> Vec<u8> {
        let number = self.table.wrapping_mul(self.options.rows).wrapping_add(row);
        let mut message = number.to_be_bytes().to_vec();
        message.resize(self.options.message_bytes as usize, 0);
        message
    }

    /// Returns the number of the key that signs a row.
    fn signer(&self, row: u64) -> usize {
        let keys = self.options.keys.get() as u64;
        ((self.table % keys + row % keys) % keys) as usize
    }

    /// Returns the row whose signature is stored in `row`.
    fn signed_row(&self, row: u64) -> u64 {
        match self.forgery(row) {
            Some(Forgery::Signature) if row + 1 < self.options.rows => row + 1,
            Some(Forgery::Signature) => row.wrapping_sub(1),
            _ => row,
        }
    }

    /// Returns the message that is stored in the table.
    fn shown_message(&self, row: u64) -> Vec<u8> {
        let mut message = self.message(row);
        if let (Some(Forgery::Message), Some(last)) = (self.forgery(row), message.last_mut()) {
            *last ^= b'!';
        }
        message
    }

    fn shown_key(&self, row: u64, public: &[Vec<u8>]) -> Vec<u8> {
        let is_unknown = matches!(self.forgery(row), Some(Forgery::Unknown));
        match (self.options.encoded_keys, is_unknown) {
            (true, true) => b"no key".to_vec(),
            (true, false) => public[self.signer(row)].clone(),
            (false, true) => b"nobody".to_vec(),
            (false, false) => name(self.signer(row)).into_bytes(),
        }
    }
}

fn name(key: usize) -> String {
    format!("signer-{key}")
}

/// Refuses a folder with other tables, since these would stay and `expected.json` would not
/// describe them.
fn check_for_others(ledger: &Path, names: &[String]) -> Result<()> {
    let cannot = |error: io::Error| Error::io(ledger, "cannot read", &error);
    for entry in fs::read_dir(ledger).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name();
        // `verify-table` reads tables and folders of tables.
        let is_read = name.as_encoded_bytes().ends_with(b".parquet") || entry.path().is_dir();
        if is_read && !is_hidden(&name) && !names.iter().any(|known| name == **known) {
            let what = format_args!(
                "would stay beside the tables of this run, part-00000 to part-{:05}",
                names.len() - 1
            );
            return Err(Error::at(&entry.path(), what).hint("remove it, or name another folder"));
        }
    }
    Ok(())
}

/// Returns a seed made of `parts`. Such a seed is not secret.
fn seed_of(parts: [u64; 4]) -> [u8; 32] {
    let mut seed = [0; 32];
    for (bytes, part) in seed.chunks_exact_mut(8).zip(parts) {
        bytes.copy_from_slice(&part.to_be_bytes());
    }
    seed
}

impl MakeTable {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let ledger = self.folder.join("ledger");
        fs::create_dir_all(&ledger)
            .map_err(|error| Error::io(&ledger, "cannot make the folder", &error))?;
        // Unfinished tables are not among the finished ones, which readers take all.
        let look = |path| Place::look(path, Overwrite::from_force(self.force), &self.folder);
        let tables = self.tables.get() as u64;
        let names: Vec<_> = (0..tables)
            .map(|table| format!("part-{table:05}.parquet"))
            .collect();
        let keys_place = look(self.folder.join("keys.parquet"))?;
        let places = names.iter().map(|name| look(ledger.join(name)));
        let places = places.collect::<Result<Vec<_>>>()?;
        let expected_place = look(self.folder.join("expected.json"))?;
        check_for_others(&ledger, &names)?;
        // The file is removed first, so that it never describes other tables, even if this run is
        // killed.
        expected_place.clear()?;
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = Threads::new(self.threads.unwrap_or(cores));
        let worker = Worker::new(engine, Some(&threads));
        let keys = self.signing_keys(&threads)?;
        let public: Vec<Vec<u8>> = keys
            .iter()
            .map(|key| key.verifying_key().to_bytes())
            .collect();
        write_keys(&keys_place, &public)?;
        let state = |place: &Place| (place.path().to_owned(), State::of_name(place.path()));
        let mut written = vec![state(&keys_place)];
        let progress = Progress::new(
            ui,
            Unit::Items("rows"),
            Some(tables.saturating_mul(self.rows)),
        );
        let mut expected: BTreeMap<String, BTreeMap<u64, u8>> = BTreeMap::new();
        for ((table, name), place) in (0..).zip(names).zip(&places) {
            let contents = Contents {
                options: &self,
                table,
            };
            self.write_table(place, &contents, &worker, &keys, &public, &progress)?;
            written.push(state(place));
            let places = [0, self.rows / 2, self.rows.saturating_sub(1)];
            let forged = places
                .iter()
                .filter(|&&row| row < self.rows)
                .filter_map(|&row| Some((row, contents.forgery(row)?.verdict() as u8)));
            expected.insert(name, forged.collect());
        }
        drop(progress);
        let expected = json::json!({ "rows": self.rows, "shards": expected });
        // Checks that no other run has replaced the tables of this run.
        for (path, state) in written {
            if State::of_name(&path) != state {
                return Err(appeared(&path));
            }
        }
        expected_place.write_json(&expected)?;
        ui.report(&Made {
            folder: shown(&self.folder).into_owned(),
            tables,
            rows: tables.saturating_mul(self.rows),
        })?;
        Ok(Status::Valid)
    }

    fn signing_keys(&self, threads: &Threads) -> Result<Vec<AnySigningKey>> {
        let make = |key| keygen(self.algorithm.0, &seed_of([0, 0, self.seed, key]));
        let keys = 0..self.keys.get() as u64;
        match threads.pool() {
            Some(pool) => pool.install(|| keys.into_par_iter().map(make).collect()),
            None => keys.map(make).collect(),
        }
    }

    fn write_table(
        &self,
        place: &Place,
        contents: &Contents<'_>,
        worker: &Worker<'_>,
        keys: &[AnySigningKey],
        public: &[Vec<u8>],
        progress: &Progress,
    ) -> Result<()> {
        let key = if self.encoded_keys { KEY } else { KEY_ID };
        let columns = vec![
            binary(MESSAGE, Repetition::OPTIONAL, false)?,
            binary(SIGNATURE, Repetition::OPTIONAL, false)?,
            binary(key, Repetition::OPTIONAL, !self.encoded_keys)?,
        ];
        let properties = properties()
            .set_column_dictionary_enabled(ColumnPath::from(key), true)
            .build();
        let mut output = place.create()?;
        let mut writer = Writer::new(&mut output, schema(columns)?, properties)?;
        let step = (BATCH_BYTES / u64::from(self.message_bytes)).clamp(1, BATCH_ROWS as u64);
        let mut start = 0;
        while start < self.rows {
            let end = self.rows.min(start + self.group_rows.get() as u64);
            let mut group = writer.group()?;
            group.binary(in_batches(start, end, step, |rows| {
                Ok(rows.map(|row| contents.shown_message(row)).collect())
            }))?;
            group.binary(in_batches(start, end, step, |rows| {
                let count = rows.end - rows.start;
                let signed = self.sign(contents, rows, worker, keys)?;
                progress.add(count);
                Ok(signed)
            }))?;
            group.binary(in_batches(start, end, step, |rows| {
                Ok(rows.map(|row| contents.shown_key(row, public)).collect())
            }))?;
            group.close()?;
            start = end;
        }
        writer.close()?;
        output.commit().map(drop)
    }

    /// Makes the signatures of some rows.
    fn sign(
        &self,
        contents: &Contents<'_>,
        rows: std::ops::Range<u64>,
        worker: &Worker<'_>,
        keys: &[AnySigningKey],
    ) -> Result<Vec<Vec<u8>>> {
        let seed = seed_of([u64::MAX, self.seed, contents.table, rows.start]);
        let messages = rows
            .clone()
            .map(|row| contents.message(contents.signed_row(row)));
        let messages: Vec<_> = messages.collect();
        // Sorts the jobs by key, since a key is prepared only once for neighbouring jobs.
        let mut order: Vec<(usize, usize)> = rows
            .clone()
            .map(|row| contents.signer(contents.signed_row(row)))
            .zip(0..)
            .collect();
        order.sort_unstable();
        let mut signatures = with_type!(self.algorithm.0, P => {
            sign::<P>(worker, &seed, &order, &messages, self.format, keys)
        })?;
        for (row, signature) in rows.zip(&mut signatures) {
            if matches!(contents.forgery(row), Some(Forgery::Truncated)) {
                signature.pop();
            }
        }
        Ok(signatures)
    }
}

fn write_keys(place: &Place, public: &[Vec<u8>]) -> Result<()> {
    let columns = vec![
        binary(KEY_ID, Repetition::OPTIONAL, true)?,
        binary(KEY, Repetition::OPTIONAL, false)?,
    ];
    let mut output = place.create()?;
    let mut writer = Writer::new(&mut output, schema(columns)?, properties().build())?;
    let mut group = writer.group()?;
    group.binary(once((0..public.len()).map(|key| name(key).into_bytes())))?;
    group.binary(once(public.iter().cloned()))?;
    group.close()?;
    writer.close()?;
    output.commit().map(drop)
}

fn sign<P: Parameters>(
    worker: &Worker<'_>,
    seed: &[u8; 32],
    order: &[(usize, usize)],
    messages: &[Vec<u8>],
    format: ColumnFormat,
    keys: &[AnySigningKey],
) -> Result<Vec<Vec<u8>>> {
    let jobs = order
        .iter()
        .map(|&(signer, row)| Some(SignJob::new(keys[signer].typed::<P>()?, &messages[row])));
    let jobs = jobs.collect::<Option<Vec<_>>>();
    let jobs = jobs.ok_or_else(other_algorithm)?;
    let mut signatures = vec![Signature::EMPTY; jobs.len()];
    worker
        .sign_batch(seed, &jobs, &mut signatures)
        .map_err(batch_failed)?;
    let mut encoded = vec![Vec::new(); messages.len()];
    for (&(_, row), signature) in order.iter().zip(&signatures) {
        encoded[row] = encode(signature, format)?;
    }
    Ok(encoded)
}

type Cells = Option<Vec<Option<Vec<u8>>>>;

/// Returns all values with the first call, and then `None`.
fn once(values: impl Iterator<Item = Vec<u8>>) -> impl FnMut() -> Result<Cells> {
    let mut values = Some(values);
    move || Ok(values.take().map(|values| values.map(Some).collect()))
}

/// Returns the values of rows in batches of `step`.
fn in_batches(
    start: u64,
    end: u64,
    step: u64,
    values: impl Fn(std::ops::Range<u64>) -> Result<Vec<Vec<u8>>>,
) -> impl FnMut() -> Result<Cells> {
    let mut next = start;
    move || {
        if next == end {
            return Ok(None);
        }
        let rows = next..end.min(next + step);
        next = rows.end;
        Ok(Some(values(rows)?.into_iter().map(Some).collect()))
    }
}

/// Report on the tables that were made.
#[derive(Serialize)]
struct Made {
    folder: String,
    tables: u64,
    rows: u64,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tables, rows) = (HumanCount(self.tables), HumanCount(self.rows));
        let plural = if self.tables == 1 { "" } else { "s" };
        write!(
            f,
            "{}: {rows} rows in {tables} table{plural}",
            Escaped(&*self.folder)
        )
    }
}
