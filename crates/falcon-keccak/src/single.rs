//! Keccak-f of one state.

use crate::keccak::permute;
use crate::keccak::permute_one;
use falcon_lanes::{Baseline, Isa, Register};

#[cfg(target_arch = "aarch64")]
cpufeatures::new!(sha3, "sha3");

/// A function that permutes a state with `Keccak-f[1600]`.
pub type Permutation = fn(&mut [u64; 25]);

/// Permutes `state` with the instructions of `isa`.
///
/// ```
/// use falcon_keccak::{Shake256, permute_state};
/// use falcon_lanes::Baseline; // or a token of an instruction set
///
/// let mut hash = Shake256::with_permutation(|state| permute_state(Baseline, state));
/// hash.update(b"order #42");
/// let digest: [u8; 32] = hash.finalize().read_array();
/// assert_eq!(digest, Shake256::reader(b"order #42").read_array());
/// ```
#[inline(always)]
pub fn permute_state<I: Isa>(isa: I, state: &mut [u64; 25]) {
    if <I::OneU64 as Register<I>>::LEN > 1 {
        return isa.vectorize_words(
            #[inline(always)]
            || permute_in_first_lane(isa, state),
        );
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if I::U64s::LEN > 1 {
        return isa.vectorize_words(
            #[inline(always)]
            || permute_one(isa, state),
        );
    }
    permute_portably(state);
}

/// Permutes without an engine. Not inlined: `falcon-hls-sim` counts its executions.
#[inline(never)]
fn permute_portably(state: &mut [u64; 25]) {
    #[cfg(target_arch = "aarch64")]
    if sha3::get() {
        return permute_by_crate(state);
    }
    // On Cortex-M4, this crate's own permutation takes half as many instructions, and 1.9 KB more
    // flash.
    #[cfg(not(target_arch = "x86_64"))]
    if cfg!(all(falcon_keccak = "small", target_pointer_width = "32")) {
        return permute_by_crate(state);
    }
    permute_one(Baseline, state);
}

/// Permutes with the `keccak` crate. Its code is small, and it uses the SHA-3 instructions of
/// AArch64.
#[cfg(not(target_arch = "x86_64"))]
fn permute_by_crate(state: &mut [u64; 25]) {
    ::keccak::Keccak::new().with_f1600(|f1600| f1600(state));
}

/// Permutes with the features that every processor of the build target has.
pub(crate) fn portable(state: &mut [u64; 25]) {
    permute_state(Baseline, state);
}

/// Permutes one state in the first lane of registers. More registers, with rotations and functions
/// of three operands, are faster than single words, even if all lanes but one are idle.
#[inline(always)]
fn permute_in_first_lane<I: Isa>(isa: I, state: &mut [u64; 25]) {
    let mut words = [I::OneU64::splat(isa, 0); 25];
    for (word, &x) in words.iter_mut().zip(&*state) {
        *word = I::OneU64::splat(isa, x);
    }
    permute(&mut words);
    for (word, x) in words.iter().zip(state) {
        let mut lanes = [0; 8];
        if let Some(lanes) = I::OneU64::chunks_mut(&mut lanes).first_mut() {
            word.store(lanes);
        }
        *x = lanes[0];
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use falcon_x86::{Avx2, Avx512};

    fn check(isa: impl Isa) {
        let mut state = core::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15 << i);
        let mut expected = state;
        for _ in 0..3 {
            permute_state(isa, &mut state);
            portable(&mut expected);
            assert_eq!(state, expected, "{isa:?}");
        }
    }

    #[test]
    fn every_instruction_set_permutes_as_portable_code_does() {
        if let Some(isa) = Avx2::detect() {
            check(isa);
        }
        if let Some(isa) = Avx512::detect() {
            check(isa);
        }
    }
}
