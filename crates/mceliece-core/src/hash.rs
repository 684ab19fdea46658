//! The hash `H`: SHAKE256, 32 bytes, of a domain byte and the input. The permutation runs on the
//! best engine.
//!
//! Source: Classic McEliece submission of 2022-10-23, section on symmetric-cryptography
//! parameters.

use crate::engine::Best;
use crate::stack::wipe_below;
use falcon_keccak::{Shake256, Shake256Reader, hash_side_by_side};
use falcon_lanes::{Isa, Register};

/// First byte of the hash that gives the session key of a refused ciphertext.
pub(crate) const REJECTION: u8 = 0;
/// First byte of the hash that gives the session key of a good ciphertext.
pub(crate) const SESSION: u8 = 1;
/// First byte of the hash that confirms an error vector.
pub(crate) const CONFIRMATION: u8 = 2;
/// First byte of the expansion of a seed.
pub(crate) const EXPANSION: u8 = 64;

fn permute(state: &mut [u64; 25]) {
    on_best!(Best::find(), isa => falcon_keccak::permute_state(isa, state));
}

/// Calls `work` with `SHAKE256(first | pieces)` as a stream. The stream is not moved, because
/// moving would leave a copy of its state that is not wiped.
pub(crate) fn with_stream<T>(
    first: u8,
    pieces: &[&[u8]],
    work: impl FnOnce(&mut Shake256Reader) -> T,
) -> T {
    let mut reader = Shake256Reader::with_permutation(permute);
    reader.start(|hash: &mut Shake256| {
        hash.update(&[first]);
        for piece in pieces {
            hash.update(piece);
        }
    });
    work(&mut reader)
}

/// Writes `H(first | pieces)` to `out`.
pub(crate) fn hash(first: u8, pieces: &[&[u8]], out: &mut [u8; 32]) {
    with_stream(first, pieces, |stream| stream.read(out));
}

/// A message and the array for its hash. The first piece of the message is the domain byte.
pub(crate) type Message<'a> = falcon_keccak::Message<'a, 3, &'a mut [u8; 32]>;

/// Least number of messages that are hashed side by side. One or two messages are faster one by
/// one.
const FEWEST_SIDE_BY_SIDE: usize = 3;

/// Writes the hashes of `count` messages, at most `N`. They are hashed side by side if there are
/// enough of them.
pub(crate) fn hash_all<'a, I: Isa, const N: usize>(
    isa: I,
    count: usize,
    messages: impl Iterator<Item = Message<'a>>,
) {
    if N < FEWEST_SIDE_BY_SIDE || count < FEWEST_SIDE_BY_SIDE || I::U64s::LEN == 1 {
        for message in messages {
            let [first, pieces @ ..] = message.pieces;
            hash(first[0], &pieces, message.output);
        }
        // The frame of a group is long, and the memory that its caller wipes may end above the
        // hash's frame.
        if N > 1 {
            wipe_below();
        }
        return;
    }
    hash_side_by_side(isa, messages, |out, state| {
        for (out, word) in out.as_chunks_mut().0.iter_mut().zip(state) {
            *out = word.to_le_bytes();
        }
        false
    });
    wipe_below();
}
