//! Mutators, one for each format. Each returns a new input, or `None` if the input is too far from
//! its format.

pub mod deterministic;
pub mod documents;
pub mod encrypted;
pub mod engine;
pub mod fndsa;
mod objects;
pub mod recoverable;
pub mod serde_forms;
pub mod signatures;
pub mod signed;
pub mod signing_keys;
pub mod text;
mod tlv;
pub mod verifying_keys;

pub use fastrand::Rng;
use libfuzzer_sys::fuzzer_mutate;

/// Mutator of one format. Returns a changed copy of the input, or `None` if the input is too far
/// from the format. In that case, libFuzzer changes the input.
pub type Mutator = fn(&mut Rng, &[u8]) -> Option<Vec<u8>>;

/// Declares the mutator of a target. `mutator` is tried on half of the inputs, and libFuzzer
/// changes the others byte by byte.
#[macro_export]
macro_rules! mutate_by {
    ($mutator:expr) => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate::mix(data, size, max_size, seed, $mutator)
        });
    };
}

/// Changes `data[..size]` in place and returns the new size, at most `max_size`.
pub fn mix(data: &mut [u8], size: usize, max_size: usize, seed: u32, mutator: Mutator) -> usize {
    let mut rng = Rng::with_seed(seed.into());
    if rng.bool()
        && let Some(changed) = mutator(&mut rng, &data[..size])
        && changed.len() <= max_size
    {
        data[..changed.len()].copy_from_slice(&changed);
        return changed.len();
    }
    fuzzer_mutate(data, size, max_size)
}

/// Returns true once in `n` calls, on average.
fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.u32(..n) == 0
}

/// Returns one of `choices`, which are not empty.
fn pick<T: Clone>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.usize(..choices.len())].clone()
}

/// Damages an encoding without regard to its structure: header, length, a bit or a byte.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return bytes.push(rng.u8(..));
    }
    let at = rng.usize(..bytes.len());
    match rng.u8(..6) {
        0 => bytes[0] ^= 1 << rng.u8(..8),
        1 => bytes.truncate(at),
        2 => drop(bytes.pop()),
        3 => bytes.push(pick(rng, &[0, 0x80, 0xff])),
        4 => bytes[at] ^= 1 << rng.u8(..8),
        _ => bytes[at] = pick(rng, &[0, 0x7f, 0x80, 0xff]),
    }
}
