//! Staging writes the data for the device on several threads. A chunk is divided into blocks, and
//! each array into slices, one for each block.

use crate::division::{Block, Jobs, Size, padded_len, total};
use crate::error::GpuError;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::array;
use std::ops::Range;

/// The unit for which an array has one element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Each {
    Job,
    Key,
    Byte,
}

impl Each {
    fn of(self, size: Size) -> usize {
        match self {
            Self::Job => size.jobs,
            Self::Key => size.keys,
            Self::Byte => size.bytes,
        }
    }
}

/// Calls `write` for each block, on several threads. `write` gets the block's slice of each array.
/// `arrays` has the place of each array in `out`, and the unit of its elements.
pub(crate) fn stage<const ARRAYS: usize>(
    out: &mut [u8],
    blocks: &[Block],
    arrays: [(&Range<usize>, Each); ARRAYS],
    write: impl Fn(&Block, [&mut [u8]; ARRAYS]) + Sync,
) -> Result<(), GpuError> {
    let all = total(blocks);
    // Each array must consist of whole elements: bytes that are not written would keep the values
    // of an earlier chunk.
    for (range, each) in &arrays {
        let width = range.len() / each.of(all).max(1);
        if range.len() != width * each.of(all) {
            return Err(GpuError::Driver {
                doing: "stage",
                cause: "an array has not the length of its elements".to_owned(),
            });
        }
    }
    let places = arrays.map(|(range, _)| range.clone());
    let mut rest = out
        .get_disjoint_mut(places)
        .map_err(|error| GpuError::Driver {
            doing: "stage",
            cause: error.to_string(),
        })?;
    let parts = blocks.iter().map(|block| {
        let part = |array: usize| -> &mut [u8] {
            let (range, each) = &arrays[array];
            let width = range.len() / each.of(all).max(1);
            let len = width * each.of(block.size);
            rest[array].split_off_mut(..len).unwrap_or_default()
        };
        (block, array::from_fn(part))
    });
    let parts: Vec<_> = parts.collect();
    parts
        .into_par_iter()
        .for_each(|(block, parts)| write(block, parts));
    Ok(())
}

/// Writes `values` one after the other into `bytes`. Callers convert numbers to little-endian, the
/// byte order of CUDA devices.
pub(crate) fn put<const N: usize>(bytes: &mut [u8], values: impl IntoIterator<Item = [u8; N]>) {
    for (place, value) in bytes.as_chunks_mut().0.iter_mut().zip(values) {
        *place = value;
    }
}

/// Messages of a chunk, one after the other. The list of their ends begins with a zero, where the
/// first message begins.
pub(crate) struct Messages<'p> {
    bytes: &'p Range<usize>,
    ends: Range<usize>,
}

impl<'p> Messages<'p> {
    /// Writes the zero at the beginning of the list of ends.
    pub(crate) fn begin(
        out: &mut [u8],
        bytes: &'p Range<usize>,
        offsets: &'p Range<usize>,
    ) -> Self {
        put(&mut out[offsets.clone()], [[0; 8]]);
        let ends = offsets.start + 8..offsets.end;
        Self { bytes, ends }
    }

    /// The array of the messages themselves.
    pub(crate) fn bytes(&self) -> (&Range<usize>, Each) {
        (self.bytes, Each::Byte)
    }

    /// The array of the messages' ends.
    pub(crate) fn ends(&self) -> (&Range<usize>, Each) {
        (&self.ends, Each::Job)
    }
}

/// Writes the messages of a block one after the other to `messages`, each padded with zeros to its
/// [padded length](padded_len). Writes to `ends` the end of each message, counted from the
/// beginning of the chunk's messages.
pub(crate) fn put_messages(batch: &impl Jobs, block: &Block, messages: &mut [u8], ends: &mut [u8]) {
    let mut rest = messages;
    let mut begin = block.before.bytes as u64;
    let ends_of_jobs = block.jobs.clone().map(|job| {
        let message = batch.message(job);
        let padded_len = padded_len(message.len());
        if let Some(place) = rest.split_off_mut(..padded_len) {
            let (place, behind) = place.split_at_mut(message.len());
            place.copy_from_slice(message);
            behind.fill(0);
        }
        let end = begin + message.len() as u64;
        begin += padded_len as u64;
        end.to_le_bytes()
    });
    put(ends, ends_of_jobs);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::division::blocks;
    use crate::layout::Layout;

    /// Messages of differing lengths, and keys.
    struct Batch(Vec<(Vec<u8>, u32)>);

    impl Batch {
        fn new(count: usize) -> Self {
            let message = |job: usize| (0..job * 7 % 50).map(|i| (i + job) as u8).collect();
            // Long runs of jobs with one key, and runs in which every job has its own key.
            let key = |job: usize| if job % 1200 < 600 { job / 200 } else { job } as u32;
            Self((0..count).map(|job| (message(job), key(job))).collect())
        }
    }

    impl Jobs for Batch {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn message(&self, job: usize) -> &[u8] {
            &self.0[job].0
        }

        fn another(&self, job: usize) -> bool {
            self.0[job].1 != self.0[job - 1].1
        }
    }

    /// Compares arrays that are written block by block with arrays that are written for the whole
    /// chunk.
    #[test]
    fn blocks_write_what_one_would_write() {
        let batch = Batch::new(3000);
        for chunk in [
            0..3000,
            0..1,
            5..261,
            5..262,
            599..601,
            2999..3000,
            100..1700,
        ] {
            let jobs = &batch.0[chunk.clone()];
            let padded = |message: &[u8]| {
                let mut padded = message.to_vec();
                padded.resize(message.len().div_ceil(8) * 8, 0);
                padded
            };
            let messages: Vec<u8> = jobs.iter().flat_map(|job| padded(&job.0)).collect();
            let mut keys: Vec<u32> = jobs.iter().map(|job| job.1).collect();
            keys.dedup();
            let blocks = blocks(&batch, chunk.clone());
            let size = total(&blocks);
            assert_eq!(size.jobs, jobs.len());
            assert_eq!((size.keys, size.bytes), (keys.len(), messages.len()));

            let mut layout = Layout::default();
            let bytes = layout.take(size.bytes, 1);
            let ends = layout.take(size.jobs, 8);
            let key_of_job = layout.take(size.jobs, 4);
            let keys_of_chunk = layout.take(size.keys, 4);
            let none = layout.take(0, 4);
            let mut out = vec![0xa5; layout.len()];
            let arrays = [
                (&bytes, Each::Byte),
                (&ends, Each::Job),
                (&key_of_job, Each::Job),
                (&keys_of_chunk, Each::Key),
                (&none, Each::Key),
            ];
            stage(&mut out, &blocks, arrays, |block, arrays| {
                let [messages, ends, key_of_job, keys_of_chunk, none] = arrays;
                assert!(none.is_empty());
                put_messages(&batch, block, messages, ends);
                put(key_of_job, block.keys(&batch).map(u32::to_le_bytes));
                let firsts = block.first_of_keys(&batch);
                put(
                    keys_of_chunk,
                    firsts.map(|job| batch.0[job].1.to_le_bytes()),
                );
            })
            .unwrap();

            assert_eq!(out[bytes], messages);
            let words = |range: Range<usize>| out[range].as_chunks().0.iter();
            assert!(
                words(keys_of_chunk)
                    .map(|&key| u32::from_le_bytes(key))
                    .eq(keys.iter().copied())
            );
            let mut begin = 0;
            let ends = out[ends]
                .as_chunks()
                .0
                .iter()
                .map(|&end| u64::from_le_bytes(end));
            for (job, found) in jobs.iter().zip(ends) {
                assert_eq!(found, begin + job.0.len() as u64);
                begin = found.next_multiple_of(8);
            }
            for (job, &place) in jobs.iter().zip(words(key_of_job)) {
                assert_eq!(keys[u32::from_le_bytes(place) as usize], job.1);
            }
        }
    }

    #[test]
    fn arrays_of_another_length_are_refused() {
        let batch = Batch::new(3);
        for len in [1, 11, 13] {
            let arrays = [(&(0..len), Each::Job)];
            let staged = stage(&mut [0; 20], &blocks(&batch, 0..3), arrays, |_, _| {});
            assert!(matches!(staged, Err(GpuError::Driver { .. })));
        }
    }

    #[test]
    fn arrays_that_are_not_apart_are_refused() {
        let batch = Batch::new(3);
        let arrays = [(&(0..12), Each::Job), (&(8..20), Each::Job)];
        let staged = stage(&mut [0; 20], &blocks(&batch, 0..3), arrays, |_, _| {});
        assert!(matches!(staged, Err(GpuError::Driver { .. })));
    }
}
