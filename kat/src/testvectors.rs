//! PQClean's `testvectors` output: for messages of 0, 1, 4, 16, .. 1024 bytes
//! a fresh key pair and two signatures, attached and detached.
//!
//! Message, key seed, and nonce and signing seed of either signature come from
//! one [`Surf`] stream, in that order. The output is four lines a message, in
//! lower-case hexadecimal: public key, secret key, attached, detached. PQClean
//! publishes its SHA-256.

use crate::{
    Algorithm, Subject, Surf,
    replay::{Failure, GenerateError, Step},
};
use std::io::Write;

/// The message lengths, in order.
pub const MESSAGE_LENGTHS: [usize; 7] = [0, 1, 4, 16, 64, 256, 1024];

/// Writes what the driver prints.
///
/// # Errors
/// The implementation refused (the failure counts messages from 0), or `out`
/// did.
pub fn generate(
    algorithm: Algorithm,
    subject: &impl Subject,
    out: &mut impl Write,
) -> Result<(), GenerateError> {
    let mut surf = Surf::new();
    for (count, length) in (0..).zip(MESSAGE_LENGTHS) {
        let failed = |step| {
            move |source| {
                GenerateError::Failure(Failure {
                    count,
                    step,
                    source,
                })
            }
        };
        let mut message = vec![0; length];
        surf.fill(&mut message);
        let keys = subject
            .keygen(algorithm, &surf.bytes())
            .map_err(failed(Step::Keygen))?;
        let (nonce, seed) = (surf.bytes(), surf.bytes());
        let attached = subject
            .sign_attached(algorithm, &keys.secret, &nonce, &seed, &message)
            .map_err(failed(Step::Sign))?;
        let (nonce, seed) = (surf.bytes(), surf.bytes());
        let detached = subject
            .sign_detached(algorithm, &keys.secret, &nonce, &seed, &message)
            .map_err(failed(Step::Sign))?;
        for bytes in [&keys.public, &keys.secret, &attached, &detached] {
            let line = base16ct::lower::encode_string(bytes);
            writeln!(out, "{line}").map_err(GenerateError::Io)?;
        }
    }
    Ok(())
}
