//! Checks that the memory for a batch is available, since a user may ask for a batch that exceeds
//! the machine's memory.

use crate::error::{Error, Result};
use falcon_core::{Parameters, Signature, batch::SignJob};

/// Upper bound on the bytes that an engine keeps for each job while it signs a batch: references to
/// key, message and randomness.
const WITHIN_ENGINE: usize = 64;

/// Returns the bytes needed to sign a batch of `count` jobs. Verifying needs less.
fn needed<P: Parameters>(count: usize) -> usize {
    let each = size_of::<SignJob<'_, P>>() + size_of::<Signature<P>>() + WITHIN_ENGINE;
    count.saturating_mul(each)
}

/// Fails if the memory for a batch of `count` jobs is not available.
pub(super) fn check_memory<P: Parameters>(count: usize) -> Result<()> {
    let mut memory = Vec::<u8>::new();
    memory
        .try_reserve_exact(needed::<P>(count))
        .map_err(|_| too_large::<P>(count))
}

/// Returns `count` copies of `item`, or an error if memory is short.
pub(super) fn filled<P: Parameters, T: Clone>(count: usize, item: T) -> Result<Vec<T>> {
    let mut items = Vec::new();
    items
        .try_reserve_exact(count)
        .map_err(|_| too_large::<P>(count))?;
    items.resize(count, item);
    Ok(items)
}

fn too_large<P: Parameters>(count: usize) -> Error {
    let gigabytes = needed::<P>(count) as f64 / 1e9;
    let name = P::NAME;
    Error::new(format_args!(
        "a batch of {count} needs {gigabytes:.1} GB for {name}, more memory than this machine gives"
    ))
    .hint("take a smaller --batch")
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_core::{Falcon512, Falcon1024};

    #[test]
    fn what_no_machine_has_is_an_error() {
        check_memory::<Falcon512>(1).unwrap();
        let error = check_memory::<Falcon1024>(1 << 52).unwrap_err().to_string();
        assert!(
            error.starts_with("a batch of 4503599627370496 needs "),
            "{error}"
        );
        assert!(filled::<Falcon512, u64>(1 << 60, 0).is_err());
        assert_eq!(filled::<Falcon512, u8>(3, 7).unwrap(), [7; 3]);
    }
}
