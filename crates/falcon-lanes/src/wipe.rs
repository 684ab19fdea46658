//! Wiping large secrets.

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// Zeroes `secrets` with stores of whole registers. (`zeroize` makes a volatile store for each
/// element.) The barrier keeps the compiler from removing the stores.
pub fn wipe<T: DefaultIsZeroes>(secrets: &mut [T]) {
    secrets.fill(T::default());
    optimization_barrier(secrets);
}

#[cfg(test)]
mod tests {
    use super::wipe;

    #[test]
    fn nothing_is_left() {
        let mut secrets = [1u16; 77];
        wipe(&mut secrets[1..76]);
        assert_eq!(secrets[0], 1);
        assert_eq!(secrets[1..76], [0; 75]);
        assert_eq!(secrets[76], 1);
    }
}
