//! Sets bits at secret places of a vector.

use core::arch::aarch64::*;
use falcon_lanes::wipe;

/// Number of 128-bit registers that are written at a time.
const ABREAST: usize = 16;

/// Number of bytes of these registers.
const BYTES: usize = 16 * ABREAST;

/// Number of positions that are prepared at a time.
const PREPARED: usize = 8;

/// Implements [`Isa::set_bits`](falcon_lanes::Isa::set_bits).
///
/// A position `128 j + 16 k + l` is bit `l` of lane `k` of register `j`. Let `bit` be a register
/// with only this bit, and `v` a vector whose lane `i` is -1 if `i` equals `j`, else 0. Lane `i` of
/// `v` times `bit` is subtracted from register `i`. So a register takes one instruction.
#[inline(never)]
pub(crate) fn set_bits(positions: &[u16], offset: u16, out: &mut [u8]) {
    // If `out` were longer, the positions that fill up `last` could be inside of it.
    assert!(out.len() <= 4096);
    let (whole, rest) = positions.as_chunks::<PREPARED>();
    // Fills up with positions that are in no register.
    let mut last = [u16::MAX.wrapping_sub(offset); PREPARED];
    last[..rest.len()].copy_from_slice(rest);
    let last_one = (!rest.is_empty()).then_some(&last);
    let mut bytes = [0; BYTES];
    for (first, out) in (0u16..).step_by(8 * BYTES).zip(out.chunks_mut(BYTES)) {
        // SAFETY: the target has NEON. The eight 16-bit words of `eight` fill one register, and
        // each chunk of 16 bytes holds one register.
        unsafe {
            let mut sums = [vdupq_n_u16(0); ABREAST];
            for eight in whole.iter().chain(last_one) {
                let place = vaddq_u16(
                    vld1q_u16(eight.as_ptr()),
                    vdupq_n_u16(offset.wrapping_sub(first)),
                );
                let bit = vandq_u16(place, vdupq_n_u16(15));
                let bits = vshlq_u16(vdupq_n_u16(1), vreinterpretq_s16_u16(bit));
                let lanes = vandq_u16(vshrq_n_u16::<4>(place), vdupq_n_u16(7));
                let registers = vshrq_n_u16::<7>(place);
                add_one::<0>(&mut sums, registers, lanes, bits);
                add_one::<1>(&mut sums, registers, lanes, bits);
                add_one::<2>(&mut sums, registers, lanes, bits);
                add_one::<3>(&mut sums, registers, lanes, bits);
                add_one::<4>(&mut sums, registers, lanes, bits);
                add_one::<5>(&mut sums, registers, lanes, bits);
                add_one::<6>(&mut sums, registers, lanes, bits);
                add_one::<7>(&mut sums, registers, lanes, bits);
            }
            for (bytes, sum) in bytes.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
                vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u16(sum));
            }
        }
        out.copy_from_slice(&bytes[..out.len()]);
    }
    wipe(&mut last);
    wipe(&mut bytes);
}

/// Adds the bit of lane `I`.
#[inline(always)]
fn add_one<const I: i32>(
    sums: &mut [uint16x8_t; ABREAST],
    registers: uint16x8_t,
    lanes: uint16x8_t,
    bits: uint16x8_t,
) {
    const NUMBERS: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    // SAFETY: the target has NEON; the 16 words of `NUMBERS` fill two registers.
    unsafe {
        let [low, high] = [0, 8].map(|i| vld1q_u16(NUMBERS.as_ptr().add(i)));
        let register = vdupq_laneq_u16::<I>(registers);
        let lane = vceqq_u16(low, vdupq_laneq_u16::<I>(lanes));
        let bit = vandq_u16(lane, vdupq_laneq_u16::<I>(bits));
        let times = [vceqq_u16(low, register), vceqq_u16(high, register)];
        macro_rules! subtract {
            ($($i:literal)*) => {
                $(sums[$i] = vmlsq_laneq_u16::<{ $i % 8 }>(sums[$i], bit, times[$i / 8]);)*
            };
        }
        subtract!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }
}
