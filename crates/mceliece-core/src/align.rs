//! Memory in whole cache lines.

/// Aligns a value to a cache line on x86-64. A load of 64 bytes that spans two cache lines takes
/// twice as long.
#[cfg_attr(target_arch = "x86_64", repr(align(64)))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// The largest number of words that [`aligned`] skips.
pub(crate) const SLACK: usize = 7;

/// Returns `words` from the first whole cache line on. Skips at most [`SLACK`] words.
pub(crate) fn aligned(words: &mut [u64]) -> &mut [u64] {
    let skipped = words.as_ptr().align_offset(64).min(SLACK);
    words.get_mut(skipped..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_at_a_cache_line() {
        let mut words = Aligned([0; 32]);
        for start in 0..8 {
            let words = aligned(&mut words.0[start..]);
            assert!(words.len() >= 32 - start - SLACK);
            assert!(words.as_ptr().addr().is_multiple_of(64) || !cfg!(target_arch = "x86_64"));
        }
        assert!(aligned(&mut []).is_empty());
    }
}
