//! `sign-table`: adds a column of signatures to a column of messages.

use crate::{
    commands::sign::{Permitted, X509Option},
    engine::{Compute, batch_failed, other_algorithm},
    error::{Error, Result, Status},
    keys::{DEFAULT_SECRET_KEY, load_secret},
    passphrase::PassphraseSource,
    progress::Progress,
    scheme::with_type,
    seed::fresh_seed,
    tables::{
        ColumnFormat, SIGNATURE, Worker,
        batches::Batches,
        column::{Value, Values},
        encode,
        keys::message_column,
        ledger::{LedgerOptions, digest_of_key},
        output::Output,
        report::{Counts, Job},
        shards::Slice,
        table::Table,
        write::{Writer, is_signed, with_signatures},
    },
    ui::{Styled, Ui},
};
use clap::Args;
use falcon_core::{
    ExpandedKey, Parameters, Signature,
    batch::{BatchSign, SignJob},
};
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Sign a column of messages in Parquet files
#[derive(Debug, Args)]
#[command(after_help = "\
The column message is binary or text. For TABLE, or for each file a/b.parquet in a folder,
FOLDER has a/b.parquet: all columns of the table, which are copied, and the column
signature. The signature of a message that is null is null, and `verify-table` calls such a
row malformed. The folder FOLDER.reports has a/b.parquet.json with the counts, and
summary.json with the sums.

An output is whole or absent. After a crash, the same command with --skip-existing goes on.
Parts I/N may run at the same time and share the output folder. `verify-table -p KEY.pub`
verifies the outputs.")]
pub(crate) struct SignTable {
    /// The secret key
    #[arg(short, long, default_value = DEFAULT_SECRET_KEY,
        aliases = ["secret-key", "private-key", "sk"])]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Format of the signatures [default: padded; with --allow-x509: compressed]
    #[arg(short, long, value_enum)]
    format: Option<ColumnFormat>,
    #[command(flatten)]
    x509: X509Option,
    #[command(flatten)]
    ledger: LedgerOptions,
}

impl SignTable {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let key = load_secret(&self.key, &self.passphrase, ui)?;
        let (secret, permitted) = self.x509.permit(key, &self.key)?;
        let format = self.format.unwrap_or_else(|| self.x509.column_format());
        let job = Job {
            format,
            keys_sha256: Some(digest_of_key(&secret.verifying_key().to_bytes())),
            program_version: env!("CARGO_PKG_VERSION"),
        };
        let ledger = self.ledger.open(&[&self.key])?;
        let processor = engine.processor();
        let sign = with_type!(secret.set(), P => secret.typed::<P>().map(|key| -> Box<SignBatch> {
            let key = processor.expand(key);
            Box::new(move |worker, messages| sign(worker, &key, format, messages))
        }));
        let sign_batch = sign.ok_or_else(other_algorithm)?;
        drop(secret);
        ledger.run(&job, ui, |table, slice, output, threads, progress| {
            let worker = Worker::new(engine, threads);
            let refused = Mutex::new(None);
            let sign = |row, batch: &Values| {
                let is_refused = {
                    let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
                    check(permitted, row, batch, &mut refused);
                    refused.is_some()
                };
                match is_refused {
                    // A message was refused, so nothing more is signed. The remaining rows are only
                    // checked.
                    true => Ok(vec![None; batch.len()]),
                    false => sign_batch(&worker, batch),
                }
            };
            let signed = sign_slice(&worker, sign, table, slice, output, progress);
            match refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some(refused) => Err(refused.error(permitted).of_path(table.path())),
                None => signed,
            }
        })
    }
}

/// First message of a table that is not permitted, and the number of others.
struct Refused {
    row: u64,
    message: Vec<u8>,
    /// Number of other messages that are not permitted.
    more: u64,
}

impl Refused {
    fn error(&self, permitted: Permitted) -> Error {
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {} more", HumanCount(more)),
        };
        let otherwise = format!("leave out row {}{more} (the first one is row 0)", self.row);
        let checked = permitted.check(&self.message, &otherwise);
        checked.err().unwrap_or_else(|| Error::new("is refused"))
    }
}

/// Records messages that are not permitted in `refused`. The first message is row `first` of the
/// table.
fn check(permitted: Permitted, first: u64, messages: &Values, refused: &mut Option<Refused>) {
    for (row, i) in (first..).zip(0..messages.len()) {
        let Value::Bytes(message) = messages.get(i) else {
            continue;
        };
        if permitted.check(message, "").is_ok() {
            continue;
        }
        match refused {
            Some(refused) => refused.more += 1,
            None => {
                *refused = Some(Refused {
                    row,
                    message: message.to_vec(),
                    more: 0,
                });
            }
        }
    }
}

/// Copies the row groups of a slice, and adds the column of signatures.
fn sign_slice(
    worker: &Worker<'_>,
    sign: impl Fn(u64, &Values) -> Result<Vec<Option<Vec<u8>>>> + Sync,
    table: &Table,
    slice: &Slice,
    output: &mut Output,
    progress: &Progress,
) -> Result<Signed> {
    let column = message_column(table)?;
    if table.has(SIGNATURE) {
        return Err(
            Error::at(table.path(), "has a column signature already").hint(
                "leave the column out where the file is written, or verify it with verify-table",
            ),
        );
    }
    let (schema, properties) = with_signatures(table)?;
    let mut output = Writer::new(output, schema, properties)?;
    let mut signed = Signed::default();
    let mut row = slice.first_row;
    for group in slice.groups.clone() {
        let mut written = output.group()?;
        written.copy(table, group)?;
        let mut batches = Batches::new(table, group, &[column])?;
        let mut next = batches.next()?;
        written.binary(|| {
            let Some(batch) = next.take() else {
                return Ok(None);
            };
            let signatures = || sign(row, &batch[0]);
            // Reads the next batch while this one is signed.
            let (signatures, following) = match worker.pool() {
                Some(pool) => pool.install(|| rayon::join(signatures, || batches.next())),
                None => (signatures(), batches.next()),
            };
            let signatures = signatures.map_err(|error| error.of_path(table.path()))?;
            let bytes = signatures.iter().flatten().map(Vec::len).sum();
            table.count_signed(signatures.len(), bytes)?;
            next = following?;
            batches.reuse(batch);
            let count = signatures.iter().flatten().count() as u64;
            signed.signed += count;
            signed.null += signatures.len() as u64 - count;
            progress.add(signatures.len() as u64);
            row += signatures.len() as u64;
            Ok(Some(signatures))
        })?;
        written.close()?;
    }
    output.close()?;
    Ok(signed)
}

type SignBatch = dyn Fn(&Worker<'_>, &Values) -> Result<Vec<Option<Vec<u8>>>> + Sync;

fn sign<P: Parameters>(
    worker: &Worker<'_>,
    key: &ExpandedKey<P>,
    format: ColumnFormat,
    messages: &Values,
) -> Result<Vec<Option<Vec<u8>>>> {
    let (mut rows, mut jobs) = (Vec::new(), Vec::new());
    for row in 0..messages.len() {
        if let Value::Bytes(message) = messages.get(row) {
            rows.push(row);
            jobs.push(SignJob::new(key, message));
        }
    }
    let mut signatures = vec![Signature::EMPTY; jobs.len()];
    worker
        .sign_batch(&*fresh_seed()?, &jobs, &mut signatures)
        .map_err(batch_failed)?;
    let mut encoded = vec![None; messages.len()];
    for (row, signature) in rows.into_iter().zip(&signatures) {
        encoded[row] = Some(encode(signature, format)?);
    }
    Ok(encoded)
}

/// Number of rows by outcome.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Signed {
    signed: u64,
    /// Number of rows without a message.
    null: u64,
}

impl Counts for Signed {
    fn add(&mut self, _: &str, other: &Self) {
        self.signed += other.signed;
        self.null += other.null;
    }

    fn rows(&self) -> u64 {
        self.signed + self.null
    }

    fn is_output(table: &Table) -> bool {
        is_signed(table)
    }

    fn is_bad(&self) -> bool {
        false
    }

    fn verdict(&self) -> Option<Styled<&'static str>> {
        None
    }
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} signed", HumanCount(self.signed))?;
        if self.null > 0 {
            write!(f, ", {} without a message", HumanCount(self.null))?;
        }
        Ok(())
    }
}
