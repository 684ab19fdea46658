//! SHAKE256 of many messages or of many streams side by side, one in each lane.
//!
//! A lane takes the next message as soon as its own is done, so no lane waits for a longer message.

use crate::keccak::permute;
use crate::shake::{RATE, RATE_WORDS, Shake256Reader, Start};
use crate::single::permute_state;
use falcon_lanes::{Isa, Register, wipe};

/// Number of messages that are hashed side by side.
const LANES: usize = 8;

/// The states of all lanes: word `i` of lane `u` is `[i][u]`. Each row is a cache line, so that one
/// load can take it whole.
#[repr(align(64))]
struct States([[u64; LANES]; 25]);

/// The states lane by lane, in whole cache lines: word `i` of lane `u` is `[u][i]`.
#[repr(align(64))]
struct Squeezed([[u64; 4 * LANES]; LANES]);

/// A message in pieces, and the output of its hash.
pub struct Message<'a, const PIECES: usize, T> {
    /// The pieces, absorbed one after the other.
    pub pieces: [&'a [u8]; PIECES],
    /// Output that receives the blocks.
    pub output: T,
}

/// Hashes `messages` with SHAKE256. `take` gets each block of each message, followed by the rest of
/// the state, and returns whether the message needs another block.
pub fn hash_side_by_side<'a, I: Isa, const PIECES: usize, T>(
    isa: I,
    messages: impl IntoIterator<Item = Message<'a, PIECES, T>>,
    take: impl Fn(&mut T, &[u64; 25]) -> bool,
) {
    hash_side_by_side_from(isa, &Start::SHAKE256, messages, take);
}

/// Hashes `messages` as [`hash_side_by_side`] does, with the hash function of `start`.
pub fn hash_side_by_side_from<'a, I: Isa, const PIECES: usize, T>(
    isa: I,
    start: &Start,
    messages: impl IntoIterator<Item = Message<'a, PIECES, T>>,
    take: impl Fn(&mut T, &[u64; 25]) -> bool,
) {
    let mut queue = messages.into_iter().fuse();
    let mut states = States([[0; LANES]; 25]);
    let mut squeezed = Squeezed([[0; 4 * LANES]; LANES]);
    let mut lanes: [Option<Hashing<'a, PIECES, T>>; LANES] = [const { None }; LANES];
    loop {
        let mut busy = [false; LANES];
        for (number, lane) in lanes.iter_mut().enumerate() {
            if lane.is_none() {
                *lane = queue.next().map(Hashing::new);
                for (row, word) in states.0.iter_mut().zip(start.state) {
                    row[number] = word;
                }
            }
            if let Some(lane) = lane {
                lane.absorb(&mut states, number, start.padding);
                busy[number] = true;
            }
        }
        if busy == [false; LANES] {
            break;
        }
        permute_all(isa, &mut states, busy);
        transpose_all(isa, &states, &mut squeezed);
        for (lane, state) in lanes.iter_mut().zip(&squeezed.0) {
            if let Some(squeezing) = lane.as_mut().filter(|lane| lane.absorbed)
                && let Some(state) = state.first_chunk()
                && !take(&mut squeezing.message.output, state)
            {
                *lane = None;
            }
        }
    }
    wipe(states.0.as_flattened_mut());
    wipe(squeezed.0.as_flattened_mut());
}

/// Least number of streams that are read side by side. One or two streams are read faster one at a
/// time.
const FEWEST_READ_TOGETHER: usize = 3;

/// Reads the next bytes of `streams`, `BLOCKS` blocks of each.
///
/// Streams at the end of a block are read side by side. The others are read one by one.
///
/// ```
/// use falcon_keccak::{RATE, Shake256, read_side_by_side};
/// use falcon_lanes::Baseline; // or a token of an instruction set
///
/// let mut streams = [b"one", b"two", b"six"].map(|seed| Shake256::reader(seed));
/// let mut blocks = [[[0; RATE]; 2]; 3];
/// read_side_by_side(Baseline, streams.iter_mut().zip(&mut blocks));
/// let alone: [u8; 2 * RATE] = Shake256::reader(b"two").read_array();
/// assert_eq!(blocks[1].as_flattened(), alone);
/// ```
pub fn read_side_by_side<'a, I: Isa, const BLOCKS: usize>(
    isa: I,
    streams: impl IntoIterator<Item = (&'a mut Shake256Reader, &'a mut [[u8; RATE]; BLOCKS])>,
) {
    let mut streams = streams.into_iter().fuse();
    let mut states = States([[0; LANES]; 25]);
    let mut squeezed = Squeezed([[0; 4 * LANES]; LANES]);
    loop {
        let mut lanes = [const { None }; LANES];
        for (lane, next) in lanes.iter_mut().zip(&mut streams) {
            *lane = Some(next);
        }
        if lanes.iter().flatten().count() < FEWEST_READ_TOGETHER {
            for (stream, out) in lanes.into_iter().flatten() {
                stream.read(out.as_flattened_mut());
            }
            break;
        }
        let mut busy = [false; LANES];
        for (number, lane) in lanes.iter_mut().enumerate() {
            if let Some((stream, out)) = lane {
                match stream.state_mut() {
                    Some(state) => {
                        busy[number] = true;
                        for (row, word) in states.0.iter_mut().zip(state) {
                            row[number] = *word;
                        }
                    }
                    None => stream.read(out.as_flattened_mut()),
                }
            }
        }
        for block in 0..BLOCKS {
            permute_all(isa, &mut states, busy);
            transpose_all(isa, &states, &mut squeezed);
            for (number, lane) in lanes.iter_mut().enumerate() {
                if let Some((_, out)) = lane
                    && busy[number]
                {
                    let (bytes, _) = out[block].as_chunks_mut();
                    for (bytes, word) in bytes.iter_mut().zip(&squeezed.0[number]) {
                        *bytes = word.to_le_bytes();
                    }
                }
            }
        }
        for (number, lane) in lanes.iter_mut().enumerate() {
            if let Some((stream, _)) = lane
                && busy[number]
                && let Some(state) = stream.state_mut()
            {
                state.copy_from_slice(&squeezed.0[number][..25]);
            }
        }
    }
    wipe(states.0.as_flattened_mut());
    wipe(squeezed.0.as_flattened_mut());
}

/// Permutes the states of the registers that have a busy lane.
fn permute_all<I: Isa>(isa: I, states: &mut States, busy: [bool; LANES]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            for (part, busy) in busy.chunks(I::U64s::LEN).enumerate() {
                if busy.contains(&true) {
                    permute_part(isa, states, part);
                }
            }
        },
    );
}

/// Transposes the states, so that the words of each lane lie together. The first seventeen words of
/// a lane are the squeezed block. All words of a lane are the state from which its stream
/// continues.
fn transpose_all(isa: impl Isa, states: &States, squeezed: &mut Squeezed) {
    isa.vectorize(
        #[inline(always)]
        || {
            let (rows, last) = states.0.as_chunks::<LANES>();
            for (i, rows) in rows.iter().enumerate() {
                for (state, eight) in squeezed.0.iter_mut().zip(isa.transpose_words(rows)) {
                    if let Some(place) = state.as_chunks_mut::<LANES>().0.get_mut(i) {
                        *place = eight;
                    }
                }
            }
            if let [last] = last {
                for (state, &word) in squeezed.0.iter_mut().zip(last) {
                    state[24] = word;
                }
            }
        },
    );
}

#[inline(always)]
fn permute_part<I: Isa>(isa: I, states: &mut States, part: usize) {
    if I::U64s::LEN == 1 {
        // Nothing is side by side, so this permutes as for a single message.
        let mut state = states.0.map(|row| row[part]);
        permute_state(isa, &mut state);
        for (row, word) in states.0.iter_mut().zip(state) {
            row[part] = word;
        }
        return;
    }
    let mut words = [I::U64s::splat(isa, 0); 25];
    for (word, state) in words.iter_mut().zip(&states.0) {
        *word = I::U64s::load(isa, &I::U64s::chunks(state)[part]);
    }
    permute(&mut words);
    for (word, state) in words.iter().zip(&mut states.0) {
        word.store(&mut I::U64s::chunks_mut(state)[part]);
    }
}

/// A message that a lane hashes.
struct Hashing<'a, const PIECES: usize, T> {
    message: Message<'a, PIECES, T>,
    /// True if the padding has been absorbed.
    absorbed: bool,
}

impl<'a, const PIECES: usize, T> Hashing<'a, PIECES, T> {
    fn new(message: Message<'a, PIECES, T>) -> Self {
        Self {
            message,
            absorbed: false,
        }
    }

    /// XORs the next block of the message into lane `number`. After the last block, nothing is
    /// absorbed. The padding begins with `padding`.
    fn absorb(&mut self, states: &mut States, number: usize, padding: u8) {
        if self.absorbed {
            return;
        }
        let mut block = [0; RATE];
        let mut free = &mut block[..];
        for piece in &mut self.message.pieces {
            let (now, later) = piece.split_at(piece.len().min(free.len()));
            let (head, rest) = free.split_at_mut(now.len());
            head.copy_from_slice(now);
            free = rest;
            *piece = later;
        }
        // If a message ends with the block, it is padded in the next block.
        if let Some(first) = free.first_mut() {
            *first = padding;
            block[RATE - 1] |= 0x80;
            self.absorbed = true;
        }
        let (words, _) = block.as_chunks();
        for (state, word) in states.0.iter_mut().zip(words).take(RATE_WORDS) {
            state[number] ^= u64::from_le_bytes(*word);
        }
        // The block may hold a seed.
        wipe(&mut block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single::portable;
    use crate::{Customization, Shake256};
    use falcon_lanes::Baseline;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn hashes_of_all_lengths_equal_those_of_single_messages() {
        let data: Vec<u8> = (0..1000).map(|i| (i * 167 + 13) as u8).collect();
        let lengths = [0, 1, 135, 136, 137, 271, 272, 273, 1000, 40, 7, 500, 2];
        let mut outputs = vec![Vec::new(); lengths.len()];
        let messages = lengths.iter().zip(&mut outputs).enumerate();
        hash_side_by_side(
            Baseline,
            messages.map(|(i, (&length, output))| Message {
                pieces: [&data[..length / 3], &data[length / 3..length]],
                output: (i % 3, output),
            }),
            |(blocks, output), state| {
                output.extend(state[..RATE_WORDS].iter().flat_map(|w| w.to_le_bytes()));
                output.len() <= RATE * *blocks
            },
        );
        for (i, (&length, output)) in lengths.iter().zip(&outputs).enumerate() {
            assert_eq!(output.len(), RATE * (1 + i % 3));
            let mut expected = vec![0; output.len()];
            Shake256::reader(&data[..length]).read(&mut expected);
            assert_eq!(*output, expected, "length {length}");
        }
    }

    /// With more messages than lanes, a lane starts from the customization for each message.
    #[test]
    fn customized_hashes_equal_those_of_single_messages() {
        let customization = Customization::new(b"invoices").unwrap();
        let data: Vec<u8> = (0..300).map(|i| (i * 89 + 5) as u8).collect();
        let mut outputs = vec![Vec::new(); 21];
        hash_side_by_side_from(
            Baseline,
            &customization.start(portable),
            outputs.iter_mut().enumerate().map(|(i, output)| Message {
                pieces: [&data[..i], &data[i..15 * i]],
                output,
            }),
            |output, state| {
                output.extend(state[..RATE_WORDS].iter().flat_map(|w| w.to_le_bytes()));
                output.len() <= RATE
            },
        );
        for (i, output) in outputs.iter().enumerate() {
            let mut hash = Shake256::with_customization(portable, &customization);
            hash.update(&data[..15 * i]);
            assert_eq!(
                output[..],
                hash.finalize().read_array::<{ 2 * RATE }>(),
                "{i}"
            );
        }
    }

    /// Reads up to 19 streams twice. Some of them are in the middle of a block.
    #[test]
    fn streams_read_side_by_side_go_on_as_those_read_alone() {
        for count in 0..20 {
            let streams = || -> Vec<_> {
                let reader = |seed: u8| {
                    let mut stream = Shake256::reader(&[seed; 41]);
                    if seed % 5 == 3 {
                        stream.read(&mut [0; 40]);
                    }
                    stream
                };
                (0..count).map(reader).collect()
            };
            let (mut ours, mut alone) = (streams(), streams());
            for _ in 0..2 {
                let mut blocks = vec![[[0; RATE]; 3]; ours.len()];
                read_side_by_side(Baseline, ours.iter_mut().zip(&mut blocks));
                for (blocks, stream) in blocks.iter().zip(&mut alone) {
                    let expected: [u8; 3 * RATE] = stream.read_array();
                    assert_eq!(blocks.as_flattened(), expected, "{count} streams");
                }
            }
            for (ours, alone) in ours.iter_mut().zip(&mut alone) {
                assert_eq!(ours.read_array::<200>(), alone.read_array());
            }
        }
    }
}
