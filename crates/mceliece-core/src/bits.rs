//! Bit matrices of 64 rows.

/// Transposes: bit `j` of word `i` becomes bit `i` of word `j`.
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
}
