//! Moves the words to keep, among eight, to the front.

/// For each set of words among eight, given as a bit mask: the places of the bytes of these words,
/// in order, then zeros.
pub static KEPT: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut word, mut at) = (0, 0);
        while word < 8 {
            if mask >> word & 1 == 1 {
                table[mask][at] = 2 * word;
                table[mask][at + 1] = 2 * word + 1;
                at += 2;
            }
            word += 1;
        }
        mask += 1;
    }
    table
};

/// Computes [`Isa::keep_below`](crate::Isa::keep_below). `move_eight` does so for eight keys and
/// words, and returns the kept words as a bit mask.
#[inline(always)]
pub fn keep_by_eights(
    keys: &[u16; 16],
    x: &[u16; 16],
    out: &mut [u16; 16],
    move_eight: impl Fn(&[u16; 8], &[u16; 8], &mut [u16; 8]) -> u8,
) -> usize {
    let mut count = 0;
    for (keys, x) in keys.as_chunks().0.iter().zip(x.as_chunks().0) {
        // At most eight words come before the second eight, so there is always room.
        let Some(out) = out.get_mut(count..).and_then(<[u16]>::first_chunk_mut) else {
            break;
        };
        count += move_eight(keys, x, out).count_ones() as usize;
    }
    count
}
