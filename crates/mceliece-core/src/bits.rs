//! Vectors of bits in words and bytes, and bit matrices of 64 rows.

/// Transposes the bits: bit `j` of word `i` becomes bit `i` of word `j`.
pub(crate) fn transpose(x: &mut [u64; 64]) {
    let mut size = 32;
    let mut low = u64::MAX >> 32;
    while size > 0 {
        for group in x.chunks_exact_mut(2 * size) {
            let (a, b) = group.split_at_mut(size);
            for (a, b) in a.iter_mut().zip(b) {
                let different = (*a >> size ^ *b) & low;
                *a ^= different << size;
                *b ^= different;
            }
        }
        size /= 2;
        low ^= low << size;
    }
}

/// Removes the first `padding` bits of a vector, fewer than eight. The others move to the front,
/// and zeros follow them.
pub(crate) fn remove_padding(padding: usize, bytes: &mut [u8]) {
    if padding == 0 {
        return;
    }
    for i in 1..bytes.len() {
        bytes[i - 1] = (u16::from_le_bytes([bytes[i - 1], bytes[i]]) >> padding) as u8;
    }
    if let Some(last) = bytes.last_mut() {
        *last >>= padding;
    }
}

/// Writes a vector of bits, 64 in each word, to the bytes `out`, until `out` is full.
pub(crate) fn to_bytes(words: &[u64], out: &mut [u8]) {
    let (chunks, rest) = out.as_chunks_mut();
    for (bytes, word) in chunks.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    if let Some(word) = words.get(chunks.len()) {
        let len = rest.len();
        rest.copy_from_slice(&word.to_le_bytes()[..len]);
    }
}

/// Reads a vector of bits from bytes, 64 into each word of `out`. The rest of `out` becomes zero.
pub(crate) fn from_bytes(bytes: &[u8], out: &mut [u64]) {
    out.fill(0);
    let (chunks, rest) = bytes.as_chunks();
    for (word, bytes) in out.iter_mut().zip(chunks) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = out.get_mut(chunks.len()) {
        let mut eight = [0; 8];
        eight[..rest.len()].copy_from_slice(rest);
        *word = u64::from_le_bytes(eight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let x: [u64; 64] =
            core::array::from_fn(|i| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut y = x;
        transpose(&mut y);
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(x[i] >> j & 1, y[j] >> i & 1);
            }
        }
        transpose(&mut y);
        assert_eq!(x, y);
    }

    #[test]
    fn padding_is_removed_and_bytes_are_words() {
        let mut out = [0; 1040];
        (out[0], out[8], out[1024]) = (1 << 5, 1 << 3, 1 << 4);
        remove_padding(5, &mut out);
        assert_eq!([out[0], out[7], out[1023]], [1, 1 << 6, 1 << 7]);
        assert_eq!(out.iter().map(|byte| byte.count_ones()).sum::<u32>(), 3);
        let words: [u64; 128] = core::array::from_fn(|i| (i as u64 + 1) << 50 | i as u64);
        let mut bytes = [0; 1021];
        to_bytes(&words, &mut bytes);
        let mut back = [7; 128];
        from_bytes(&bytes, &mut back);
        assert_eq!(back[..127], words[..127]);
        assert_eq!(back[127], words[127] & 0xff_ffff_ffff);
        let mut back = [7; 3];
        from_bytes(&[5], &mut back);
        assert_eq!(back, [5, 0, 0]);
    }
}
