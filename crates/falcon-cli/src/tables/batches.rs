//! Reads columns of a table in batches.

use super::{
    BATCH_ROWS,
    column::{ColumnReader, Values},
    source::contained,
    table::Table,
};
use crate::error::{Error, Result};

/// A batch ends when it has at least this many bytes.
const BATCH_BYTES: usize = 32 << 20;

/// Reads batches of some columns of a row group. Each column has a value for each row.
pub(crate) struct Batches<'t> {
    table: &'t Table,
    readers: Vec<ColumnReader>,
    group: usize,
    rows: u64,
    read: u64,
    /// A batch that is no longer needed. The next batch reuses its memory.
    spare: Option<Vec<Values>>,
}

impl<'t> Batches<'t> {
    /// Opens the columns with these numbers.
    pub(crate) fn new(table: &'t Table, group: usize, columns: &[usize]) -> Result<Self> {
        let readers = columns.iter().map(|&column| table.reader(group, column));
        Ok(Self {
            table,
            readers: readers.collect::<Result<_>>()?,
            group,
            rows: table.metadata().row_group(group).num_rows() as u64,
            read: 0,
            spare: None,
        })
    }

    /// Takes back a batch, so that the next batch uses its memory. New memory would cost a copy
    /// each time that a batch grows, and a page fault for each 4 KiB.
    pub(crate) fn reuse(&mut self, batch: Vec<Values>) {
        self.spare = Some(batch);
    }

    /// Reads the next batch: the values of each column, or `None` at the end of the row group.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<Values>>> {
        let mut batch = self.spare.take().unwrap_or_default();
        batch.iter_mut().for_each(Values::clear);
        batch.resize_with(self.readers.len(), Values::default);
        let (readers, path) = (&mut self.readers, self.table.path());
        readers
            .iter_mut()
            .for_each(|reader| reader.is_counted = false);
        let step = readers.iter().map(|reader| reader.step).min().unwrap_or(1);
        let mut read = 0;
        let mut size = 0;
        while read < BATCH_ROWS {
            let counts = contained(path, || {
                let each = readers.iter_mut().zip(&mut batch);
                each.map(|(reader, values)| reader.read(step, values))
                    .collect::<parquet::errors::Result<Vec<_>>>()
            })?;
            let count = counts.first().copied().unwrap_or(0);
            if counts.iter().any(|&other| other != count) {
                return Err(self.wrong_count());
            }
            read += count;
            size = batch.iter().map(|values| values.size).sum();
            if count == 0 || size >= BATCH_BYTES {
                break;
            }
        }
        self.table.count_decoded(read, size)?;
        self.read += read as u64;
        if self.read > self.rows || read == 0 && self.read < self.rows {
            return Err(self.wrong_count());
        }
        Ok((read > 0).then_some(batch))
    }

    fn wrong_count(&self) -> Error {
        let what = format_args!(
            "is damaged: row group {} does not have the {} rows that it claims",
            self.group, self.rows
        );
        Error::at(self.table.path(), what).hint(
            "copy or write the file again, and compare its checksum with that of the original",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{super::keys::tests::write, *};

    /// Two values lie in one page of the size of a batch. Each batch that has one of them keeps it.
    #[test]
    fn a_batch_counts_the_pages_that_it_keeps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let short = vec![b"a".to_vec(), b"b".to_vec()];
        let long = vec![vec![7; 1 << 17], vec![8; BATCH_BYTES]];
        write(&path, &[("short", short), ("long", long.clone())]);
        let table = Table::open(&path).unwrap();
        let mut batches = Batches::new(&table, 0, &[0, 1]).unwrap();
        for expected in long {
            let batch = batches.next().unwrap().expect("a row");
            assert_eq!((batch[0].len(), batch[1].len()), (1, 1));
            assert_eq!(batch[1].get(0).bytes(), Some(&expected[..]));
            let size = batch[1].size;
            assert!(size > expected.len() + BATCH_BYTES, "{size}");
        }
        assert!(batches.next().unwrap().is_none());
    }
}
