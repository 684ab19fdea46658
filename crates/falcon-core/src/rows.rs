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
use core::any::Any;
use core::iter;
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
#[non_exhaustive]
pub enum RowKey<'a> {
    /// A key of degree 512.
    Falcon512(&'a VerifyingKey<Falcon512>),
    /// A key of degree 1024.
    Falcon1024(&'a VerifyingKey<Falcon1024>),
}

impl<'a> RowKey<'a> {
    /// Returns the key if its parameter set is `P`.
    fn typed<P: Parameters>(self) -> Option<&'a VerifyingKey<P>> {
        let key: &'a dyn Any = match self {
            Self::Falcon512(key) => key,
            Self::Falcon1024(key) => key,
        };
        key.downcast_ref()
    }
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
}

impl<'a> Row<'a> {
    /// Makes a row. `None` is an unknown key, a null message or a null signature.
    pub const fn new(
        key: Option<RowKey<'a>>,
        message: Option<&'a [u8]>,
        signature: Option<&'a [u8]>,
    ) -> Self {
        Self {
            key,
            message,
            signature,
        }
    }
}

/// Decodes and verifies every row: `out[i]` is the verdict on `rows[i]`.
///
/// [`Format::Padded`] stands for canonical bytes, as [`Signature::to_bytes`] writes them: padded,
/// or compressed if the signature is too long for the padded form. With another format, every
/// signature has that format.
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
/// let small = Some(RowKey::Falcon512(small.verifying_key()));
/// let large = Some(RowKey::Falcon1024(large.verifying_key()));
/// let [first, second] = signatures.each_ref().map(|bytes| Some(&bytes[..]));
/// let table = [
///     Row::new(small, Some(b"one"), first),
///     Row::new(large, Some(b"one"), second),
///     Row::new(small, Some(b"two"), second),
///     Row::new(None, Some(b"two"), second),
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
    verify_ahead(engine, format, rows, &[], out)
}

/// Does the same as [`verify`]. While an [`Engine`](crate::Engine) verifies `rows[i]`, it may also
/// load `ahead[i]`, if it exists, into the cache. The caller reads these bytes next.
#[doc(hidden)]
pub fn verify_ahead<E: BatchVerify<Falcon512> + BatchVerify<Falcon1024>>(
    engine: &E,
    format: Format,
    rows: &[Row<'_>],
    ahead: &[&[u8]],
    out: &mut [Verdict],
) -> Result<(), BatchError> {
    check_lengths(rows.len(), out.len())?;
    for (row, out) in rows.iter().zip(&mut *out) {
        *out = match row.key {
            None => Verdict::UnknownKey,
            Some(_) => Verdict::Malformed,
        };
    }
    verify_those::<Falcon512>(engine, format, rows, ahead, out)?;
    verify_those::<Falcon1024>(engine, format, rows, ahead, out)
}

/// Verifies the rows whose key has the parameter set `P` and that have a message and a signature.
fn verify_those<'a, P: Parameters>(
    engine: &impl BatchVerify<P>,
    format: Format,
    rows: &[Row<'a>],
    ahead: &[&[u8]],
    out: &mut [Verdict],
) -> Result<(), BatchError> {
    let job = |row: &Row<'a>| {
        Some(VerifyBytesJob {
            key: row.key?.typed()?,
            message: row.message?,
            signature: row.signature?,
        })
    };
    // If no row has this parameter set, allocates nothing.
    let Some(first) = rows.iter().position(|row| job(row).is_some()) else {
        return Ok(());
    };
    let most = rows.len() - first;
    let mut jobs = Vec::with_capacity(most);
    let mut next = Vec::with_capacity(most);
    let mut places = Vec::with_capacity(most);
    let ahead = ahead.iter().copied().chain(iter::repeat(&[][..]));
    for ((row, ahead), out) in rows.iter().zip(ahead).zip(out).skip(first) {
        if let Some(job) = job(row) {
            jobs.push(job);
            next.push(ahead);
            places.push(out);
        }
    }
    let mut verdicts = vec![Verdict::Malformed; jobs.len()];
    match format {
        Format::Padded => engine.verify_bytes_batch_ahead(&jobs, &next, &mut verdicts)?,
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
