//! Wiping large secrets.

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// Zeroes `secrets`. The stores are whole registers, where `zeroize` makes a
/// volatile store an element, and the barrier keeps them.
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
