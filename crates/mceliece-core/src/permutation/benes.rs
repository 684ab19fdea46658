//! The Benes network on vectors of `2^m` bits.
//!
//! Layer `l` of `2m - 1` exchanges the bits `i` and `i + stride` if the control bit of the pair is
//! set. The strides are 1, 2, .., `2^(m-1)`, .., 2, 1. A layer has `2^(m-1)` control bits, one for
//! each pair, ordered by `i`. The network with the control bits of `pi` turns `x_0, x_1, ..` into
//! `x_pi(0), x_pi(1), ..`.
//!
//! Source: Classic McEliece submission of 2022-10-23, section on control bits.

use crate::fft::basis::PATTERNS;
use falcon_lanes::Isa;

/// Permutes `bits`, `2^m` bits in words, by the network.
pub(crate) fn permute<I: Isa>(isa: I, m: usize, control: &[u8], bits: &mut [u64]) {
    isa.vectorize(
        #[inline(always)]
        || {
            for l in 0..2 * m - 1 {
                layer(m, l, control, bits);
            }
        },
    );
}

/// The inverse of [`permute`]: the layers in reversed order.
pub(crate) fn permute_back<I: Isa>(isa: I, m: usize, control: &[u8], bits: &mut [u64]) {
    isa.vectorize(
        #[inline(always)]
        || {
            for l in (0..2 * m - 1).rev() {
                layer(m, l, control, bits);
            }
        },
    );
}

#[inline(always)]
fn layer(m: usize, l: usize, control: &[u8], bits: &mut [u64]) {
    let log_stride = if l < m { l } else { 2 * m - 2 - l };
    let len = 1 << (m - 4);
    let control = &control[l * len..][..len];
    match log_stride {
        // The stride is a constant inside each arm.
        0 => inside_words::<0>(control, bits),
        1 => inside_words::<1>(control, bits),
        2 => inside_words::<2>(control, bits),
        3 => inside_words::<3>(control, bits),
        4 => inside_words::<4>(control, bits),
        5 => inside_words::<5>(control, bits),
        _ => between_words(log_stride - 6, control, bits),
    }
}

/// Applies a layer with a stride of `2^LOG` bits, `LOG < 6`: 32 control bits for each word.
#[inline(always)]
fn inside_words<const LOG: usize>(control: &[u8], bits: &mut [u64]) {
    for (word, control) in bits.iter_mut().zip(control.as_chunks().0) {
        // Spreads the control bits to the places with bit `LOG` zero.
        let mut mask = u64::from(u32::from_le_bytes(*control));
        for b in (LOG..5).rev() {
            mask = (mask | mask << (1 << b)) & !PATTERNS[b];
        }
        let difference = (*word ^ *word >> (1 << LOG)) & mask;
        *word ^= difference | difference << (1 << LOG);
    }
}

/// Applies a layer with a stride of `2^log` words.
#[inline(always)]
fn between_words(log: usize, control: &[u8], bits: &mut [u64]) {
    let stride = 1 << log;
    let masks = control.as_chunks().0.chunks(stride);
    for (pair, masks) in bits.chunks_exact_mut(2 * stride).zip(masks) {
        let (x, y) = pair.split_at_mut(stride);
        for ((x, y), mask) in x.iter_mut().zip(y).zip(masks) {
            let difference = (*x ^ *y) & u64::from_le_bytes(*mask);
            *x ^= difference;
            *y ^= difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Applies the network by its definition.
    fn slow(m: usize, control: &[u8], bits: &mut [u64]) {
        for l in 0..2 * m - 1 {
            let stride = 1 << if l < m { l } else { 2 * m - 2 - l };
            let firsts = (0..1 << m).filter(|i| i & stride == 0);
            for (pair, i) in firsts.enumerate() {
                let number = (l << (m - 1)) + pair;
                if control[number / 8] >> (number % 8) & 1 == 1 {
                    let bit = |i: usize| bits[i / 64] >> (i % 64) & 1;
                    let different = bit(i) ^ bit(i + stride);
                    bits[i / 64] ^= different << (i % 64);
                    bits[(i + stride) / 64] ^= different << ((i + stride) % 64);
                }
            }
        }
    }

    fn networks<I: Isa>(isa: I) {
        for m in [12, 13] {
            let noise = |i: usize| ((i as u32 + 1).wrapping_mul(0x9e37_79b9) >> 13) as u8;
            let control: Vec<u8> = (0..(2 * m - 1) << (m - 4)).map(noise).collect();
            let bits: Vec<u64> = (0..1u64 << (m - 6))
                .map(|i| (i + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect();
            let mut expected = bits.clone();
            slow(m, &control, &mut expected);
            let mut out = bits.clone();
            permute(isa, m, &control, &mut out);
            assert_eq!(out, expected);
            permute_back(isa, m, &control, &mut out);
            assert_eq!(out, bits);
        }
    }

    #[test]
    fn the_network_is_its_definition_and_goes_back() {
        on_every_engine!(isa => networks(isa));
    }
}
