//! PQClean's `testvectors` output: for messages of 0, 1, 4, 16, .. 1024 bytes, a new key pair and
//! two signatures, attached and detached.
//!
//! One [`Surf`] stream gives message, key seed, and nonce and signing seed of both signatures, in
//! this order. The output has four lines for each message, in lower-case hexadecimal: public key,
//! secret key, attached signature, detached signature. PQClean publishes its SHA-256.

use crate::{
    Algorithm, Subject, Surf,
    replay::{Failure, GenerateError, Step},
};
use std::io::Write;

/// The message lengths, in order.
pub const MESSAGE_LENGTHS: [usize; 7] = [0, 1, 4, 16, 64, 256, 1024];

/// Writes the output of the driver.
///
/// # Errors
/// If the implementation fails (the error counts messages from 0), or writing to `out` does.
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
