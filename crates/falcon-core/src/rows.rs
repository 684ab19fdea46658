//! Rows of tables: signatures under keys of any parameter sets.

#[cfg(feature = "threads")]
mod fold;
#[cfg(feature = "threads")]
mod interner;

use crate::any::AnyVerifyingKey;
use crate::batch::{
    BatchError, BatchVerify, Verdict, VerifyBytesJob, check_lengths, verify_decoded,
};
use crate::params::{Falcon512, Falcon1024, Parameters};
use crate::signatures::{Format, Signature};
use crate::verify::VerifyingKey;
use alloc::vec;
use alloc::vec::Vec;
#[cfg(feature = "threads")]
#[doc(hidden)]
pub use {fold::Fold, interner::Interner};

/// The key of a row, with its parameter set.
///
/// ```
/// use falcon_core::AnyVerifyingKey;
/// use falcon_core::rows::RowKey;
/// # use falcon_core::{Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let bytes = SigningKey::<Falcon512>::from_seed(&[7; 32])?.verifying_key().to_bytes();
/// let key = AnyVerifyingKey::try_from(&bytes[..])?;
/// assert!(matches!(RowKey::from(&key), RowKey::Falcon512(_)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum RowKey<'a> {
    /// A key of degree 512.
    Falcon512(&'a VerifyingKey<Falcon512>),
    /// A key of degree 1024.
    Falcon1024(&'a VerifyingKey<Falcon1024>),
}

impl<'a> From<&'a AnyVerifyingKey> for RowKey<'a> {
    fn from(key: &'a AnyVerifyingKey) -> Self {
        match key {
            AnyVerifyingKey::Falcon512(key) => Self::Falcon512(key),
            AnyVerifyingKey::Falcon1024(key) => Self::Falcon1024(key),
        }
    }
}

/// A row of a table: a signature to verify. [`verify`] has an example.
#[derive(Clone, Copy, Default)]
pub struct Row<'a> {
    /// Verifying key that the signature must match, if it is known.
    pub key: Option<RowKey<'a>>,
    /// Message as it was signed, unless it is null.
    pub message: Option<&'a [u8]>,
    /// Encoded signature, unless it is null.
    pub signature: Option<&'a [u8]>,
    /// Bytes that the caller reads next. An [`Engine`](crate::Engine) brings them into the cache.
    #[doc(hidden)]
    pub ahead: &'a [u8],
}

/// Decodes and verifies every row: `out[i]` is the verdict on `rows[i]`. [`Format::Padded`] reads
/// canonical bytes, as [`VerifyBytesJob`] does.
///
/// ```
/// use falcon_core::batch::Verdict;
/// use falcon_core::rows::{self, Row, RowKey};
/// use falcon_core::{Engine, Falcon512, Falcon1024, Format, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// let small = SigningKey::<Falcon512>::generate(&mut rng)?;
/// let large = SigningKey::<Falcon1024>::generate(&mut rng)?;
/// let signatures = [
///     small.sign_with_rng(&mut rng, b"one")?.to_bytes().to_vec(),
///     large.sign_with_rng(&mut rng, b"two")?.to_bytes().to_vec(),
/// ];
///
/// let row = |key, message, signature| Row {
///     key,
///     message: Some(message),
///     signature: Some(signature),
///     ..Row::default()
/// };
/// let (small, large) = (small.verifying_key(), large.verifying_key());
/// let table = [
///     row(Some(RowKey::Falcon512(small)), &b"one"[..], &signatures[0][..]),
///     row(Some(RowKey::Falcon1024(large)), b"one", &signatures[1]),
///     row(Some(RowKey::Falcon512(small)), b"two", &signatures[1]),
///     row(None, b"two", &signatures[1]),
/// ];
/// let mut out = [Verdict::Invalid; 4];
/// rows::verify(&Engine::best(), Format::Padded, &table, &mut out)?;
/// let expected = [Verdict::Valid, Verdict::Invalid, Verdict::Malformed, Verdict::UnknownKey];
/// assert_eq!(out, expected);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`BatchError`]. Then ignore `out`.
pub fn verify<E: BatchVerify<Falcon512> + BatchVerify<Falcon1024>>(
    engine: &E,
    format: Format,
    rows: &[Row<'_>],
    out: &mut [Verdict],
) -> Result<(), BatchError> {
    check_lengths(rows.len(), out.len())?;
    for (row, out) in rows.iter().zip(&mut *out) {
        *out = match row.key {
            None => Verdict::UnknownKey,
            Some(_) => Verdict::Malformed,
        };
    }
    let small = |key| match key {
        RowKey::Falcon512(key) => Some(key),
        RowKey::Falcon1024(_) => None,
    };
    let large = |key| match key {
        RowKey::Falcon1024(key) => Some(key),
        RowKey::Falcon512(_) => None,
    };
    verify_those::<Falcon512>(engine, format, rows, small, out)?;
    verify_those::<Falcon1024>(engine, format, rows, large, out)
}

/// Verifies the rows for whose key `typed` returns a key, if the row lacks nothing.
fn verify_those<'a, P: Parameters>(
    engine: &impl BatchVerify<P>,
    format: Format,
    rows: &[Row<'a>],
    typed: impl Fn(RowKey<'a>) -> Option<&'a VerifyingKey<P>>,
    out: &mut [Verdict],
) -> Result<(), BatchError> {
    let job = |row: &Row<'a>| {
        Some(VerifyBytesJob {
            key: typed(row.key?)?,
            message: row.message?,
            signature: row.signature?,
        })
    };
    let mut jobs = Vec::with_capacity(rows.len());
    let mut ahead = Vec::with_capacity(rows.len());
    let mut places = Vec::with_capacity(rows.len());
    for (row, out) in rows.iter().zip(out) {
        if let Some(job) = job(row) {
            jobs.push(job);
            ahead.push(row.ahead);
            places.push(out);
        }
    }
    let mut verdicts = vec![Verdict::Malformed; jobs.len()];
    match format {
        Format::Padded => engine.verify_bytes_batch_ahead(&jobs, &ahead, &mut verdicts)?,
        _ => {
            let decode = |bytes: &[u8]| Signature::from_bytes(format, bytes);
            verify_decoded(engine, &jobs, decode, &mut verdicts)?;
        }
    }
    for (place, verdict) in places.into_iter().zip(verdicts) {
        *place = verdict;
    }
    Ok(())
}
