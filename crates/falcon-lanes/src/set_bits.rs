//! Sets bits at secret places of a vector: every place is compared with all words.

use crate::{Isa, Register, U64s, wipe};
use core::marker::PhantomData;

/// Number of registers that are written at a time.
const ABREAST: usize = 8;

/// Number of positions that are prepared at a time.
const PREPARED: usize = 8;

/// The numbers `0, 1, 2, ..`, one for each word of [`ABREAST`] registers.
struct Numbers<I>(PhantomData<I>);

impl<I: Isa> Numbers<I> {
    const ALL: &[u64] = if I::U64s::LEN == 1 {
        &numbers::<ABREAST>()
    } else {
        &numbers::<{ 8 * ABREAST }>()
    };
}

const fn numbers<const N: usize>() -> [u64; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = i as u64;
        i += 1;
    }
    numbers
}

/// Sets bits as [`Isa::set_bits`] states.
pub(crate) fn set_bits<I: Isa>(isa: I, positions: &[u16], offset: u16, out: &mut [u8]) {
    assert!(out.len() <= 4096);
    let mut ones = [[0; 2]; PREPARED];
    let mut words = [0; 8];
    let len = I::U64s::LEN;
    for (first, out) in (0..)
        .step_by(ABREAST * len)
        .zip(out.chunks_mut(8 * ABREAST * len))
    {
        isa.vectorize_words(
            #[inline(always)]
            || {
                let mut sums = [I::U64s::splat(isa, 0); ABREAST];
                for positions in positions.chunks(PREPARED) {
                    let ones = &mut ones[..positions.len()];
                    for (one, &position) in ones.iter_mut().zip(positions) {
                        let position = u64::from(position) + u64::from(offset);
                        *one = [
                            (position / 64).wrapping_sub(first as u64),
                            1 << (position % 64),
                        ];
                    }
                    set_ones(isa, ones, &mut sums);
                }
                for (out, sum) in out.chunks_mut(8 * len).zip(sums) {
                    sum.store(&mut I::U64s::chunks_mut(&mut words)[0]);
                    for (out, word) in out.chunks_mut(8).zip(words) {
                        out.copy_from_slice(&word.to_le_bytes()[..out.len()]);
                    }
                }
            },
        );
    }
    wipe(&mut words);
    wipe(ones.as_flattened_mut());
}

/// Sets bits of `sums`. Each element of `ones` is the number of a word and the bit to set in it.
/// The number may be that of a word outside of `sums`.
#[inline(always)]
fn set_ones<I: Isa>(isa: I, ones: &[[u64; 2]], sums: &mut [I::U64s; ABREAST]) {
    let numbers = I::U64s::chunks(Numbers::<I>::ALL);
    for &[word, bit] in ones {
        let (word, bit) = (I::U64s::splat(isa, word), I::U64s::splat(isa, bit));
        for (sum, numbers) in sums.iter_mut().zip(numbers) {
            *sum = sum.or_where_equal(bit, word, I::U64s::load(isa, numbers));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Baseline, Isa};

    #[test]
    fn bits_are_at_the_positions() {
        let mut out = [0xff; 1040];
        for offset in [0, 5] {
            Baseline.set_bits(&[0, 63, 64, 8191, 9999], offset, &mut out);
            for (i, byte) in out.into_iter().enumerate() {
                let bits = [0, 63, 64, 8191].map(|position| position + usize::from(offset));
                let bits = bits.iter().filter(|&&position| position / 8 == i);
                assert_eq!(
                    byte,
                    bits.fold(0, |byte, position| byte | 1 << (position % 8))
                );
            }
        }
    }
}
