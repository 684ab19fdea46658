//! Limits how many bytes a table may decode to.

use crate::error::Error;
use indicatif::HumanCount;
use std::{
    fmt,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Number of bytes that every table may decode to, however small its file is.
const SMALL: u64 = 1 << 30;

/// Default of `--max-expansion`: bytes that a table may decode to for each byte of its file.
pub(crate) const EXPANSION: u64 = 1000;

/// Number of bytes counted for each row in addition to its values, since a column of nulls takes
/// time, too.
const ROW: u64 = 8;

/// Counts the bytes that a table decodes to. A page can be filled up with bytes that belong to no
/// value. A dictionary can have one long value for any number of rows. Without a limit, a small
/// file could take hours, or fill a disk with signatures.
pub(super) struct Expansion {
    /// Length of the file in bytes.
    file: u64,
    /// Number of rows that the footer claims.
    rows: u64,
    /// Total length of all pages in bytes, as the footer claims.
    pages: u64,
    taken: Mutex<Taken>,
}

struct Taken {
    /// Bytes that the table may decode to for each byte of its file.
    times: u64,
    /// Total length in bytes of the pages that were read.
    pages: u64,
    /// Values that were decoded, and signatures that were made for their rows.
    values: Rows,
    signatures: Rows,
}

/// Number of rows, and of all their bytes.
#[derive(Default)]
struct Rows {
    rows: u64,
    bytes: u64,
}

impl Rows {
    fn add(&mut self, rows: usize, bytes: u64) {
        self.rows = self.rows.saturating_add(rows as u64);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Estimates the bytes of `all` rows from these rows. Adds an eighth, since the other rows may
    /// be longer.
    fn of_all(&self, all: u64) -> u64 {
        if self.rows == 0 || self.rows >= all {
            return self.bytes;
        }
        let bytes = u128::from(self.bytes) * u128::from(all) / u128::from(self.rows);
        u64::try_from(bytes + bytes / 8).unwrap_or(u64::MAX)
    }
}

impl Expansion {
    pub(super) fn new(file: u64, rows: u64, pages: u64) -> Self {
        Self {
            file,
            rows,
            pages,
            taken: Mutex::new(Taken {
                times: EXPANSION,
                pages: 0,
                values: Rows::default(),
                signatures: Rows::default(),
            }),
        }
    }

    pub(super) fn limit(&self, times: u64) {
        let _ = self.take(|taken| taken.times = times);
    }

    /// Counts a page that decompresses to `bytes` bytes.
    pub(super) fn take_page(&self, bytes: u64) -> Result<(), TooLarge> {
        self.take(|taken| taken.pages = taken.pages.saturating_add(bytes))
    }

    /// Counts rows whose values were decoded.
    pub(super) fn take_values(&self, rows: usize, bytes: usize) -> Result<(), TooLarge> {
        let bytes = (bytes as u64).saturating_add(ROW.saturating_mul(rows as u64));
        self.take(|taken| taken.values.add(rows, bytes))
    }

    /// Counts rows for which signatures were made.
    pub(super) fn take_signatures(&self, rows: usize, bytes: usize) -> Result<(), TooLarge> {
        self.take(|taken| taken.signatures.add(rows, bytes as u64))
    }

    fn take(&self, add: impl FnOnce(&mut Taken)) -> Result<(), TooLarge> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut taken);
        let limit = self.file.saturating_mul(taken.times).max(SMALL);
        let (values, signatures) = (&taken.values, &taken.signatures);
        let bytes = values.bytes.saturating_add(signatures.bytes);
        let found = if taken.pages > limit {
            format!("{} bytes of pages", HumanCount(taken.pages))
        } else if bytes > limit {
            let [bytes, rows, all] = [bytes, values.rows, self.rows].map(HumanCount);
            format!("{bytes} bytes of values and signatures in {rows} of {all} rows")
        } else {
            return Ok(());
        };
        let [of_values, of_signatures] = [values, signatures].map(|it| it.of_all(self.rows));
        let claimed = self.pages.saturating_add(ROW.saturating_mul(self.rows));
        let all = of_values.saturating_add(of_signatures);
        let all = all.max(claimed).max(taken.pages);
        Err(TooLarge {
            what: format!(
                "has {found}; at most {} are read (1 GiB, or {} times the file if that is more)",
                HumanCount(limit),
                taken.times
            ),
            passes: all.div_ceil(self.file.max(1)),
        })
    }
}

/// Error for a table that exceeds the limit.
#[derive(Debug)]
pub(super) struct TooLarge {
    what: String,
    /// Value of `--max-expansion` that suffices for the whole table, as far as is known.
    passes: u64,
}

impl TooLarge {
    pub(super) fn at(&self, path: &Path) -> Error {
        Error::at(path, &self.what).hint(format_args!(
            "raise --max-expansion to {} if you trust whoever wrote the file",
            self.passes
        ))
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for TooLarge {}
