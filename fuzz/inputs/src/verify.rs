//! Decoded keys and signatures for the targets that verify.

use crate::known::JOBS;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, VerifyingKey};
use std::sync::LazyLock;

/// A known key with a signature that it verifies.
pub struct Known<P: Parameters> {
    /// The verifying key.
    pub key: VerifyingKey<P>,
    /// The signature, decoded.
    pub signature: Signature<P>,
    /// The signature in its canonical bytes.
    pub encoded: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
}

/// Keys of Falcon-512.
pub static KNOWN_512: LazyLock<Vec<Known<Falcon512>>> = LazyLock::new(known);

/// Keys of Falcon-1024.
pub static KNOWN_1024: LazyLock<Vec<Known<Falcon1024>>> = LazyLock::new(known);

fn known<P: Parameters>() -> Vec<Known<P>> {
    let jobs = JOBS.iter().filter(|job| u32::from(job.logn) == P::LOGN);
    jobs.map(|job| {
        let signature = Signature::from_bytes(Format::Compressed, &job.signature)
            .expect("a stored signature decodes");
        Known {
            key: VerifyingKey::try_from(&job.key[..]).expect("a stored key decodes"),
            encoded: signature.to_bytes().to_vec(),
            signature,
            message: job.message.clone(),
        }
    })
    .collect()
}
