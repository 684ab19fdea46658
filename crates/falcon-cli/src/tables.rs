//! Tables of signatures: columns of Parquet files.
//!
//! A table is read in batches of limited size, independent of its row groups. If a file exceeds the
//! limits of `docs/TABLES.md` or is damaged, the error names this file. A panic of the `parquet`
//! crate also becomes an error of the file.

pub(crate) mod batches;
pub(crate) mod column;
mod expansion;
mod folders;
pub(crate) mod keys;
pub(crate) mod ledger;
pub(crate) mod output;
pub(crate) mod report;
pub(crate) mod shards;
mod source;
pub(crate) mod state;
pub(crate) mod table;
mod thrift;
pub(crate) mod write;

use crate::{
    engine::Compute,
    error::{Error, Result},
};
use clap::ValueEnum;
use falcon_core::{
    Format, OnThreads, Parameters, Signature, SignatureError, Threads,
    batch::{BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob},
};
use serde::Serialize;
use std::num::NonZeroUsize;

/// Upper bound on the number of tables, keys, threads and rows of a group.
const LARGEST_COUNT: usize = 1 << 20;

/// Parses a number up to [`LARGEST_COUNT`].
pub(crate) fn count(text: &str) -> std::result::Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new);
    let number = number.filter(|number| number.get() <= LARGEST_COUNT);
    number.ok_or_else(|| format!("write a number from 1 to {LARGEST_COUNT}"))
}

/// Names of the columns.
pub(crate) const MESSAGE: &str = "message";
pub(crate) const SIGNATURE: &str = "signature";
pub(crate) const KEY: &str = "key";
pub(crate) const KEY_ID: &str = "key_id";

/// A batch ends when it has at least this many rows.
pub(crate) const BATCH_ROWS: usize = 8192;

/// Encoding of the signatures of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColumnFormat {
    /// 666 bytes (Falcon-512) or 1280 bytes (Falcon-1024)
    Padded,
    /// Shortest: about 655 or 1271 bytes, varying
    Compressed,
    /// Constant-time format: 809 bytes (Falcon-512) or 1577 (Falcon-1024)
    Ct,
}

impl ColumnFormat {
    pub(crate) fn encoding(self) -> Format {
        match self {
            Self::Padded => Format::Padded,
            Self::Compressed => Format::Compressed,
            Self::Ct => Format::ConstantTime,
        }
    }
}

/// The engine that works on the batches of a table: the CPU with its threads, or a GPU.
pub(crate) struct Worker<'c> {
    compute: &'c Compute,
    threads: Option<&'c Threads>,
}

impl<'c> Worker<'c> {
    /// Makes a worker on `threads`. Without threads, and on a GPU, it works on the calling thread.
    pub(crate) fn new(compute: &'c Compute, threads: Option<&'c Threads>) -> Self {
        Self { compute, threads }
    }

    /// Returns the engine on its threads, if several threads share a batch.
    fn shared(&self) -> Option<OnThreads<'c>> {
        match self.compute {
            Compute::Cpu(engine) => self.threads.map(|threads| engine.on(threads)),
            #[cfg(feature = "cuda")]
            Compute::Gpu(_) => None,
        }
    }

    /// Returns the pool in which reading and verifying can overlap.
    pub(crate) fn pool(&self) -> Option<&'c rayon::ThreadPool> {
        self.threads.and_then(Threads::pool)
    }
}

impl<P: Parameters> BatchVerify<P> for Worker<'_> {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        match self.shared() {
            Some(engine) => engine.verify_batch(jobs, out),
            None => self.compute.verify_batch(jobs, out),
        }
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        match self.shared() {
            Some(engine) => engine.verify_bytes_batch(jobs, out),
            None => self.compute.verify_bytes_batch(jobs, out),
        }
    }
}

impl<P: Parameters> BatchSign<P> for Worker<'_> {
    fn sign_part(
        &self,
        seed: &[u8; 32],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        match self.shared() {
            Some(engine) => engine.sign_part(seed, first, jobs, out),
            None => self.compute.sign_part(seed, first, jobs, out),
        }
    }
}

/// Encodes a signature. A padded signature gets its canonical bytes. The few signatures that are
/// too long for the padded form get the compressed form.
pub(crate) fn encode<P: Parameters>(
    signature: &Signature<P>,
    format: ColumnFormat,
) -> Result<Vec<u8>> {
    if format == ColumnFormat::Padded {
        return Ok(signature.to_bytes().to_vec());
    }
    signature
        .to_vec(format.encoding())
        .map_err(|error| Error::new("the signature cannot be encoded").because(error))
}
