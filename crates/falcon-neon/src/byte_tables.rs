//! Looks up many bytes in tables, which are loaded into registers piece by piece.

use core::arch::aarch64::*;
use falcon_lanes::check_look_up;

/// Implements [`Isa::look_up_bytes`](falcon_lanes::Isa::look_up_bytes). Every piece of 64 bytes of
/// a table is looked up with the low bits of every number. If the high bits are not the number of
/// the piece, the look-up is out of range and keeps the byte found before.
#[inline(never)]
pub(crate) fn look_up<const N: usize>(tables: [&[u8]; N], index: [&[u8]; 2], out: [&mut [u8]; N]) {
    /// Number of index registers that use a piece while it stays loaded.
    const GROUP: usize = 4;
    check_look_up(&tables, index, &out);
    let pieces = tables[0].len() / 64;
    for start in (0..index[0].len()).step_by(16 * GROUP) {
        // SAFETY: the target has NEON. All slices of numbers and of results have the same length, a
        // multiple of 256 bytes, and the tables have `pieces` times 64 bytes.
        unsafe {
            let mut piece_of = [vdupq_n_u8(0); GROUP];
            let mut places = [vdupq_n_u8(0); GROUP];
            let mut found = [[vdupq_n_u8(0); GROUP]; N];
            for g in 0..GROUP {
                let [low, high] =
                    [index[0], index[1]].map(|bytes| vld1q_u8(bytes.as_ptr().add(start + 16 * g)));
                piece_of[g] = vsliq_n_u8::<2>(vshrq_n_u8::<6>(low), high);
                places[g] = vandq_u8(low, vdupq_n_u8(63));
            }
            for piece in 0..pieces {
                let number = vdupq_n_u8(piece as u8);
                let mut control = [vdupq_n_u8(0); GROUP];
                for g in 0..GROUP {
                    control[g] = vornq_u8(places[g], vceqq_u8(piece_of[g], number));
                }
                for k in 0..N {
                    let table = vld1q_u8_x4(tables[k].as_ptr().add(64 * piece));
                    for g in 0..GROUP {
                        found[k][g] = vqtbx4q_u8(found[k][g], table, control[g]);
                    }
                }
            }
            for k in 0..N {
                for g in 0..GROUP {
                    vst1q_u8(out[k].as_mut_ptr().add(start + 16 * g), found[k][g]);
                }
            }
        }
    }
}
