//! Finds the kernel that stopped a chunk, by the statuses of its jobs. `kernels/jobs.h` defines the
//! order of the kernels.

use crate::error::GpuError;
use crate::kernels::{Kernel, Operation, status};
use falcon_core::batch::Verdict;

/// Returns the kernel at which jobs of a signing attempt stopped. `told` contains the statuses of
/// the chunk's jobs. `sign` is the kernel that signs. `hedged` is true if kernels derive the nonces
/// and seeds, and false if the caller gives them.
pub(crate) fn stopped(told: &[u8], sign: Operation, hedged: bool, attempt: u32) -> Operation {
    let first = if hedged {
        Operation::Seed
    } else {
        Operation::Prng
    };
    let chain = [
        (status::GIVEN, Operation::Hash),
        (status::HASHED, first),
        (status::SEEDED, Operation::Prng),
        (status::READY, sign),
        (status::SHORT, Operation::Accept),
        (status::LONG, Operation::Accept),
    ];
    let stopped = chain.into_iter().find(|(stage, _)| told.contains(stage));
    match stopped {
        Some((_, operation)) => operation,
        // A job waits for another attempt, but no kernel of this attempt has begun it.
        None if attempt > 0 && told.contains(&status::REDO) => first,
        None => Operation::Accept,
    }
}

/// Returns the verdict on a claim, or the kernel at which the claim stopped. Only an `encoded`
/// signature can be malformed.
pub(crate) fn verdict(told: u8, encoded: bool) -> Result<Verdict, Operation> {
    match told {
        status::DONE => Ok(Verdict::Valid),
        status::INVALID => Ok(Verdict::Invalid),
        status::MALFORMED if encoded => Ok(Verdict::Malformed),
        status::GIVEN => Err(Operation::Hash),
        status::UNPREPARED => Err(Operation::Prepare),
        status::NONE if encoded => Err(Operation::Unpack),
        _ => Err(Operation::Verify),
    }
}

/// Returns the error for a kernel that left jobs unfinished.
pub(crate) fn undone(kernel: Kernel) -> GpuError {
    GpuError::Launch {
        kernel: kernel.name(),
        cause: "it was launched, but left jobs unfinished".to_owned(),
    }
}
