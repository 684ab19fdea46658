//! Reads compressed polynomials side by side, one in each lane.
//!
//! The place of a code word is known only when the word before it has been read. So a decoder of
//! one polynomial waits for a chain of shifts at every word. Here, every lane runs a separate
//! chain.
//!
//! If a sequence of code words is invalid, this module does not say why. The decoder of
//! [`compressed`](super::compressed) then reads it again alone and reports the error.

use super::compressed::{MAX_LEN, MIN_LEN, evaluate, spare_bits};
use crate::lanes::{Isa, Register};

/// A compressed polynomial, and the result of reading it.
pub(crate) struct Item<'b, 's> {
    /// The code and the bytes after it.
    pub(crate) body: &'b [u8],
    /// Memory for the polynomial.
    pub(crate) s2: &'s mut [i16],
    /// Length of the code in bytes, or `None` if the polynomial must be read alone.
    pub(crate) used: Option<usize>,
}

/// Number of lanes if registers hold four words or more. With 16 chains, the processor need not
/// wait for the latency of each.
pub(crate) const LANES: usize = 16;

/// Number of lanes if registers hold fewer than four words.
const FEW_LANES: usize = 4;

/// Number of code words that are read from one load of eight bytes. They are nearly always
/// complete: four words of 14 bits fit.
const GROUP: usize = 4;

/// Number of lanes whose groups are moved together.
const TOGETHER: usize = 8;

/// Number of groups that are read before they are moved to their places.
const ROWS: usize = 32;

/// The groups of all lanes. With [`LANES`] lanes, no two rows share a cache line.
#[repr(align(64))]
struct Rows<const N: usize>([[u64; N]; ROWS]);

/// Length of a load in bytes.
const LOAD: usize = 8;

/// Reads all `items`.
pub(crate) fn decompress<I: Isa>(isa: I, items: &mut [Item<'_, '_>]) {
    if I::U64s::LEN >= 4 {
        for items in items.chunks_mut(LANES) {
            decompress_lanes::<LANES>(isa, items);
        }
    } else {
        for items in items.chunks_mut(FEW_LANES) {
            decompress_lanes::<FEW_LANES>(isa, items);
        }
    }
}

/// Reads up to `N` items, one in each lane.
fn decompress_lanes<const N: usize>(isa: impl Isa, items: &mut [Item<'_, '_>]) {
    let mut bodies = [&[0; LOAD][..]; N];
    for (body, item) in bodies.iter_mut().zip(&*items) {
        if item.body.len() >= LOAD {
            *body = item.body;
        }
    }
    let n = items.iter().map(|item| item.s2.len()).min().unwrap_or(0);
    let mut rows = Rows([[0; N]; ROWS]);
    let mut bits = [0; N];
    for start in (0..n).step_by(GROUP * ROWS) {
        isa.vectorize(
            #[inline(always)]
            || read(&bodies, &mut bits, &mut rows.0),
        );
        if N >= TOGETHER {
            isa.vectorize(
                #[inline(always)]
                || move_together(isa, start, &rows.0, items),
            );
            continue;
        }
        for (lane, item) in items.iter_mut().enumerate() {
            let (groups, _) = item.s2[start..].as_chunks_mut::<GROUP>();
            for (group, row) in groups.iter_mut().zip(&rows.0) {
                let words = row[lane];
                *group = [0, 16, 32, 48].map(|shift| (words >> shift) as i16);
            }
        }
    }
    for (item, (body, bits)) in items.iter_mut().zip(bodies.iter().zip(bits)) {
        let whole = item.s2.len() == n && n.is_multiple_of(GROUP * ROWS);
        let valid = isa.vectorize(
            #[inline(always)]
            || {
                let fits = lengths_fit(item.s2);
                fits & !evaluate(item.s2)
            },
        );
        let used = bits.div_ceil(8) as usize;
        item.used = (whole
            && valid
            && spare_bits(body, bits as usize) == 0
            && core::ptr::eq(*body, item.body))
        .then_some(used);
    }
}

/// Moves the groups of all lanes to their places from `start` on, eight lanes at a time.
#[inline(always)]
fn move_together<const N: usize>(
    isa: impl Isa,
    start: usize,
    rows: &[[u64; N]; ROWS],
    items: &mut [Item<'_, '_>],
) {
    for (lanes, items) in items.chunks_mut(TOGETHER).enumerate() {
        for (i, rows) in rows.as_chunks::<TOGETHER>().0.iter().enumerate() {
            let start = start + GROUP * TOGETHER * i;
            let square = rows.each_ref().map(|row| {
                let lanes = row.as_chunks().0.get(lanes);
                lanes.copied().unwrap_or_default()
            });
            for (item, groups) in items.iter_mut().zip(isa.transpose_words(&square)) {
                if let Some(s2) = item.s2.get_mut(start..)
                    && let Some(places) = s2.first_chunk_mut::<{ GROUP * TOGETHER }>()
                {
                    *places = split(&groups);
                }
            }
        }
    }
}

/// Splits groups into their words.
#[inline(always)]
fn split(groups: &[u64; TOGETHER]) -> [i16; GROUP * TOGETHER] {
    let bytes = groups.map(u64::to_le_bytes);
    let mut words = [0; GROUP * TOGETHER];
    for (word, bytes) in words.iter_mut().zip(bytes.as_flattened().as_chunks().0) {
        *word = i16::from_le_bytes(*bytes);
    }
    words
}

/// Reads a group of code words into every row, in the form that [`evaluate`] needs. `bits` has the
/// position of the next bit of each lane.
///
/// A lane reads zeros after the end of its body, and a code word ends with a one. So a word of a
/// valid length has been read whole, and a word that is cut off has an invalid length.
#[inline(always)]
fn read<const N: usize>(bodies: &[&[u8]; N], bits: &mut [u64; N], rows: &mut [[u64; N]; ROWS]) {
    let mut last = [0; N];
    for (last, body) in last.iter_mut().zip(bodies) {
        *last = (body.len() - LOAD) as u64;
    }
    let mut at = *bits;
    for row in rows {
        let mut start = [0; N];
        for k in 0..N {
            start[k] = (at[k] / 8).min(last[k]);
        }
        let mut window = [0; N];
        for k in 0..N {
            let bytes = bodies[k].get(start[k] as usize..);
            let load = bytes.and_then(|bytes| bytes.first_chunk::<LOAD>());
            window[k] = load.map_or(0, |load| u64::from_be_bytes(*load));
        }
        let mut lengths = [0; N];
        let mut words = [0; N];
        for k in 0..N {
            window[k] = window[k].unbounded_shl((at[k] - 8 * start[k]) as u32);
        }
        for _ in 0..GROUP {
            for k in 0..N {
                let run = (window[k] << 8).leading_zeros();
                let sign_and_low = window[k] >> 56;
                words[k] = words[k] >> 16 | sign_and_low << 48 | u64::from(run) << 56;
                window[k] = (window[k] << MIN_LEN).unbounded_shl(run);
                lengths[k] += u64::from(run);
            }
        }
        for k in 0..N {
            at[k] += lengths[k] + GROUP as u64 * u64::from(MIN_LEN);
            row[k] = words[k] + EACH_MIN_LEN;
        }
    }
    *bits = at;
}

/// The shortest length, in the high byte of each of four code words.
const EACH_MIN_LEN: u64 = (MIN_LEN as u64) * 0x0100_0100_0100_0100;

/// Returns true if no code word is longer than [`MAX_LEN`].
#[inline(always)]
fn lengths_fit(words: &[i16]) -> bool {
    let mut longer = 0;
    for &word in words {
        longer |= MAX_LEN as i16 - (word >> 8);
    }
    longer >= 0
}
