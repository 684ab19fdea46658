//! SHAKE256 and Keccak-256 on the best engine, and points from their output.

mod point;

use crate::engine::Best;
use crate::lanes::wipe_below;
pub(crate) use falcon_keccak::Customization;
#[cfg(feature = "eip8052")]
pub(crate) use falcon_keccak::Keccak256;
#[cfg(feature = "alloc")]
pub(crate) use falcon_keccak::{
    Message, RATE_WORDS, Start, hash_side_by_side, hash_side_by_side_from,
};
#[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
pub(crate) use falcon_keccak::{RATE, read_side_by_side};
pub use falcon_keccak::{Shake256, Shake256Reader};
#[cfg(any(feature = "eip8052", test))]
pub(crate) use point::LIMIT;
#[cfg(feature = "alloc")]
pub(crate) use point::PointFiller;
pub(crate) use point::fill_point;
#[cfg(feature = "fndsa-provisional")]
pub(crate) use point::fill_point_little_endian;

/// Returns SHAKE256 that permutes on the best engine.
pub(crate) fn shake256() -> Shake256 {
    Shake256::with_permutation(permute)
}

/// Returns cSHAKE256 that permutes on the best engine.
pub(crate) fn cshake256(customization: &Customization) -> Shake256 {
    Shake256::with_customization(permute, customization)
}

/// Returns the hash function of `customization`.
#[cfg(feature = "alloc")]
pub(crate) fn start(customization: &Customization) -> Start {
    customization.start(permute)
}

/// Returns the hash function of `start`, which permutes on the best engine.
#[cfg(feature = "alloc")]
pub(crate) fn from_start(start: &Start) -> Shake256 {
    Shake256::from_start(permute, start)
}

/// Returns Keccak-256 that permutes on the best engine.
#[cfg(feature = "eip8052")]
pub(crate) fn keccak256() -> Keccak256 {
    Keccak256::with_permutation(permute)
}

/// Calls `work` with the stream of SHAKE256 of the `pieces`, permuted on the best engine. Leaves no
/// input or output of the stream on the stack: the stream is not moved, and the stack below this
/// call, where the permutation spills words of its state, is wiped.
pub(crate) fn with_stream<T>(pieces: &[&[u8]], work: impl FnOnce(&mut Shake256Reader) -> T) -> T {
    let mut stream = empty_reader();
    stream.start(|hash| {
        for piece in pieces {
            hash.update(piece);
        }
    });
    let result = work(&mut stream);
    // Wipes the depth of stack that a permutation needs.
    wipe_below::<256>();
    result
}

/// Returns a stream that has absorbed nothing; see [`Shake256Reader::start`].
pub(crate) const fn empty_reader() -> Shake256Reader {
    Shake256Reader::with_permutation(permute)
}

/// Writes the first words of a state to `out`, least significant byte first.
#[cfg(feature = "alloc")]
pub(crate) fn read_words(state: &[u64; 25], out: &mut [u8]) {
    let words = state.iter().flat_map(|word| word.to_le_bytes());
    for (byte, out) in words.zip(out) {
        *out = byte;
    }
}

/// Permutes with Keccak-f on the best engine.
fn permute(state: &mut [u64; 25]) {
    on_best!(Best::find(), isa => falcon_keccak::permute_state(isa, state));
}
