//! Operations on the best engine, for functions that do not handle instruction sets.

use crate::code::Code;
use crate::decapsulate::{self, Job};
use crate::decode;
use crate::encode::Encoding;
use crate::engine::Best;
use crate::keygen::{Memory, Task};
use core::iter;

/// Runs a task of key generation.
pub(crate) fn run(
    code: &Code,
    seed: &[u8; 32],
    task: Task<'_>,
    memory: &mut Memory<'_>,
    secret_key: &mut [u8],
) -> bool {
    on_best!(Best::find(), isa => crate::keygen::run(isa, code, seed, task, memory, secret_key))
}

/// Adds the rows of a public key to an encoding.
pub(crate) fn add_rows(encoding: &mut Encoding, code: &Code, public_key: &[u8]) {
    on_best!(Best::find(), isa => encoding.add_rows(isa, code, public_key));
}

/// Adds a piece of a row to an encoding.
pub(crate) fn add_piece(encoding: &mut Encoding, row: usize, offset: usize, piece: &[u8]) {
    on_best!(Best::find(), isa => encoding.add_piece_on(isa, row, offset, piece));
}

/// Writes the session key of a ciphertext.
pub(crate) fn decapsulate(code: &Code, secret_key: &[u8], job: Job<'_>) {
    let mut jobs = iter::once(job);
    on_best!(Best::find(), isa => {
        decapsulate::decapsulate::<_, 1>(isa, code, secret_key, &mut jobs);
    });
}

/// Writes the session keys of ciphertexts, eight of them together.
// Not generic over the iterator: the engines are compiled once, in this crate, and not again in
// every crate that decapsulates.
#[cfg(feature = "alloc")]
pub(crate) fn decapsulate_batch<'a>(
    code: &Code,
    secret_key: &[u8],
    jobs: &mut dyn Iterator<Item = Job<'a>>,
) {
    on_best!(Best::find(), isa => {
        decapsulate::decapsulate::<_, 8>(isa, code, secret_key, jobs);
    });
}

/// Returns true if a point is a zero of the Goppa polynomial.
pub(crate) fn has_root(code: &Code, goppa: &[u8]) -> bool {
    on_best!(Best::find(), isa => match code.m {
        12 => decode::has_root::<_, 12>(isa, goppa),
        _ => decode::has_root::<_, 13>(isa, goppa),
    })
}
