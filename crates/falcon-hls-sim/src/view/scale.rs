//! Ticks of an axis.

/// Returns the smallest distance between ticks that divides `span` into at most `most` steps. It is
/// 1, 2 or 5 times a power of ten.
pub(super) fn step(span: u64, most: u64) -> u64 {
    let fits = |step: &u64| span / step <= most.max(1);
    let powers = (0..19).map(|exponent| 10u64.pow(exponent));
    let steps = powers.flat_map(|power| [1, 2, 5].map(|factor: u64| factor.saturating_mul(power)));
    steps.into_iter().find(fits).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        assert_eq!(step(45, 10), 5);
        assert_eq!(step(100, 10), 10);
        assert_eq!(step(101, 9), 20);
        assert_eq!(step(0, 0), 1);
        for span in [1, 7, 168, 387_072, u64::MAX / 2] {
            assert!(span / step(span, 12) <= 12);
        }
    }
}
