//! Parameter sets that are chosen at run time.

use crate::params::{Falcon512, Falcon1024, Parameters};
use crate::signatures::Format;
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// Evaluates `$body` with the type `$P` of a [`ParameterSet`].
macro_rules! with_type {
    ($set:expr, $P:ident => $body:expr) => {
        match $set {
            $crate::any::ParameterSet::Falcon512 => {
                type $P = $crate::params::Falcon512;
                $body
            }
            $crate::any::ParameterSet::Falcon1024 => {
                type $P = $crate::params::Falcon1024;
                $body
            }
        }
    };
}
pub(crate) use with_type;

/// A parameter set as a value, for programs that choose it at run time.
///
/// ```
/// use falcon_core::{Format, ParameterSet};
/// # fn main() -> Result<(), falcon_core::UnknownParameterSet> {
/// let set: ParameterSet = "falcon-1024".parse()?;
/// assert_eq!(set, ParameterSet::Falcon1024);
/// assert_eq!(set.name(), "Falcon-1024");
/// assert_eq!(set.signature_len(Format::Padded), Some(1280));
/// assert_eq!(ParameterSet::of_header(0x3a), Some(set)); // the first byte of a padded signature
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParameterSet {
    /// Degree 512, NIST security level I.
    Falcon512,
    /// Degree 1024, NIST security level V.
    Falcon1024,
}

impl ParameterSet {
    /// All parameter sets, in order of degree.
    pub const ALL: &'static [Self] = &[Self::Falcon512, Self::Falcon1024];

    /// Returns the name, such as `"Falcon-512"`.
    pub const fn name(self) -> &'static str {
        with_type!(self, P => P::NAME)
    }

    /// Returns the parameter set of the degree in `header`, the first byte of an encoded key or
    /// signature. The other bits of the byte are not checked.
    pub fn of_header(header: u8) -> Option<Self> {
        match u32::from(header & 0x0f) {
            Falcon512::LOGN => Some(Self::Falcon512),
            Falcon1024::LOGN => Some(Self::Falcon1024),
            _ => None,
        }
    }

    /// Returns the parameter set that the header of an encoded key or signature names. If it names
    /// none, returns Falcon-512, whose decoders refuse the bytes.
    pub fn of_encoding(bytes: &[u8]) -> Self {
        let header = bytes.first().copied();
        header.and_then(Self::of_header).unwrap_or(Self::Falcon512)
    }

    /// Length of an encoded verifying key in bytes.
    pub const fn verifying_key_len(self) -> usize {
        with_type!(self, P => P::VERIFYING_KEY_LEN)
    }

    /// Length of a signing key in bytes, as round 3 encodes it.
    pub const fn signing_key_len(self) -> usize {
        with_type!(self, P => P::SIGNING_KEY_LEN)
    }

    /// Length in bytes of a signature in `format`; `None` if the length varies.
    pub const fn signature_len(self, format: Format) -> Option<usize> {
        match format {
            Format::Compressed => None,
            Format::Padded => Some(with_type!(self, P => P::PADDED_LEN)),
            Format::ConstantTime => Some(with_type!(self, P => P::CT_LEN)),
        }
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ParameterSet {
    type Err = UnknownParameterSet;

    /// Parses a name, ignoring letter case.
    fn from_str(name: &str) -> Result<Self, UnknownParameterSet> {
        let mut all = Self::ALL.iter().copied();
        all.find(|set| set.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownParameterSet(name.to_owned()))
    }
}

/// Error for the name of a parameter set that does not exist.
///
/// ```
/// use falcon_core::{ParameterSet, UnknownParameterSet};
///
/// let error: UnknownParameterSet = "Falcon-256".parse::<ParameterSet>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown parameter set \"Falcon-256\"; known are \"Falcon-512\" and \"Falcon-1024\""
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownParameterSet(String);

impl fmt::Display for UnknownParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown parameter set {:?}; known are ", self.0)?;
        for (i, set) in ParameterSet::ALL.iter().enumerate() {
            write!(f, "{}{:?}", if i == 0 { "" } else { " and " }, set.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownParameterSet {}
