//! Results that are restored if a later step fails.

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use std::any::Any;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of results that a thread replaces in one step.
pub(crate) const BLOCK: usize = 64;

/// Results of a caller, some of which have been replaced. When dropped, the old results are
/// restored, unless the new ones are [kept](Self::keep).
pub(crate) struct Undo<'o, T: Copy> {
    results: &'o mut [T],
    /// Beginnings of the blocks that were replaced.
    places: Vec<usize>,
    /// Old contents of these blocks, followed by spare memory.
    old: Backup<T>,
}

/// Old contents in blocks, or spare memory for them.
pub(crate) type Backup<T> = Vec<Vec<T>>;

impl<'o, T: Copy + Send> Undo<'o, T> {
    pub(crate) fn new(results: &'o mut [T], backup: Backup<T>) -> Self {
        Self {
            results,
            places: Vec::new(),
            old: backup,
        }
    }

    /// Replaces the results of `range` on several threads. `write` gets the number of a block and
    /// the block's contents. Call this at most once for each result.
    pub(crate) fn replace<E: Send>(
        &mut self,
        range: Range<usize>,
        write: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let before = self.places.len();
        self.places.extend(range.clone().step_by(BLOCK));
        self.old
            .resize_with(self.places.len().max(self.old.len()), Vec::new);
        let old = &mut self.old[before..];
        // A block that is not reached has an empty backup, so it is not restored.
        old.iter_mut().for_each(Vec::clear);
        self.results[range]
            .par_chunks_mut(BLOCK)
            .zip(old)
            .enumerate()
            .try_for_each(|(block, (results, old))| {
                old.extend_from_slice(results);
                write(block, results)
            })
    }

    /// Returns the current results.
    pub(crate) fn results(&self) -> &[T] {
        self.results
    }

    /// Keeps the new results. Returns the memory of the backup.
    pub(crate) fn keep(mut self) -> Backup<T> {
        self.places.clear();
        std::mem::take(&mut self.old)
    }
}

impl<T: Copy> Drop for Undo<'_, T> {
    fn drop(&mut self) {
        for (&place, old) in self.places.iter().zip(&self.old) {
            self.results[place..][..old.len()].copy_from_slice(old);
        }
    }
}

/// Memory of the last batch's backup, for the next batch of the same kind. Allocating new pages
/// would take longer than the copies.
#[derive(Default)]
pub(crate) struct LastBackup(Mutex<Option<Box<dyn Any + Send>>>);

impl LastBackup {
    pub(crate) fn take<T: Send + 'static>(&self) -> Backup<T> {
        let last = self.lock().take();
        let same = last.and_then(|last| last.downcast::<Backup<T>>().ok());
        same.map_or_else(Backup::new, |backup| *backup)
    }

    pub(crate) fn give<T: Send + 'static>(&self, backup: Backup<T>) {
        *self.lock() = Some(Box::new(backup));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        // A panic leaves the backup whole or empty, so it can be used.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(backup: Backup<u32>, keep: bool) -> (Vec<u32>, Backup<u32>) {
        let mut results: Vec<u32> = (0..500).collect();
        let mut undo = Undo::new(&mut results, backup);
        for range in [100..300, 7..9, 300..300, 400..500] {
            let written = undo.replace(range.clone(), |block, results| {
                let first = range.start + block * BLOCK;
                for (i, result) in (first as u32..).zip(results) {
                    assert_eq!(*result, i);
                    *result += 1000;
                }
                // A block in the middle fails. Its neighbours must also be restored.
                if !keep && first == 100 + BLOCK {
                    Err(())
                } else {
                    Ok(())
                }
            });
            assert_eq!(written.is_err(), !keep && range.start == 100);
        }
        let backup = if keep {
            undo.keep()
        } else {
            drop(undo);
            Backup::new()
        };
        (results, backup)
    }

    #[test]
    fn results_are_kept_or_taken_back() {
        let before: Vec<u32> = (0..500).collect();
        let new = |i| {
            if [(100..300), (7..9), (400..500)]
                .iter()
                .any(|range| range.contains(&i))
            {
                i + 1000
            } else {
                i
            }
        };
        let after: Vec<u32> = (0..500).map(new).collect();
        let (results, backup) = replaced(Backup::new(), true);
        assert_eq!(results, after);
        assert_eq!(replaced(backup, false).0, before);
        assert_eq!(replaced(Backup::new(), false).0, before);
    }

    #[test]
    fn a_backup_is_given_to_batches_of_its_kind() {
        let last = LastBackup::default();
        assert!(last.take::<u32>().is_empty());
        last.give(vec![vec![1u32, 2]]);
        assert!(last.take::<u64>().is_empty());
        last.give(vec![vec![1u32, 2]]);
        assert_eq!(last.take::<u32>(), [[1, 2]]);
        assert!(last.take::<u32>().is_empty());
    }
}
