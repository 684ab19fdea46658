//! The four algorithms that have published known-answer files.
//!
//! `falcon-512` and `falcon-1024` attach signatures as in NIST's API: big-endian 16-bit length L,
//! nonce (40), message, then L bytes: one header byte `0x20 + logn` and the compressed `s2`. The
//! padded algorithms, which are PQClean's, put the padded detached signature in front of the
//! message.

use crate::rsp::Record;
use std::{fmt, str::FromStr};

/// Degree and attached form of a known-answer file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Degree 512, compressed signatures.
    Falcon512,
    /// Degree 1024, compressed signatures.
    Falcon1024,
    /// Degree 512, signatures of exactly 666 bytes.
    FalconPadded512,
    /// Degree 1024, signatures of exactly 1280 bytes.
    FalconPadded1024,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 4] = [
        Self::Falcon512,
        Self::Falcon1024,
        Self::FalconPadded512,
        Self::FalconPadded1024,
    ];

    /// The name in lower case, as in PQClean: `falcon-padded-512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Falcon512 => "falcon-512",
            Self::Falcon1024 => "falcon-1024",
            Self::FalconPadded512 => "falcon-padded-512",
            Self::FalconPadded1024 => "falcon-padded-1024",
        }
    }

    /// The name in the first line of a NIST file: `Falcon-512`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Falcon512 => "Falcon-512",
            Self::Falcon1024 => "Falcon-1024",
            Self::FalconPadded512 => "Falcon-padded-512",
            Self::FalconPadded1024 => "Falcon-padded-1024",
        }
    }

    /// Base-2 logarithm of the degree: 9 or 10.
    pub const fn logn(self) -> u32 {
        match self {
            Self::Falcon512 | Self::FalconPadded512 => 9,
            Self::Falcon1024 | Self::FalconPadded1024 => 10,
        }
    }

    /// Length of every detached signature, for the padded algorithms.
    pub const fn padded_len(self) -> Option<usize> {
        match self {
            Self::Falcon512 | Self::Falcon1024 => None,
            Self::FalconPadded512 => Some(666),
            Self::FalconPadded1024 => Some(1280),
        }
    }

    /// Infers the algorithm of a record, if possible: the public key's header gives the degree, the
    /// attached signature its form.
    ///
    /// A padded signature starts with `0x30 + logn`. A NIST signature starts with the high byte of
    /// a length below `0x0600`. So the two cannot be mistaken.
    pub fn infer(record: &Record) -> Option<Self> {
        let logn = *record.public_key.first()?;
        let first = *record.signed_message.first()?;
        Self::ALL.into_iter().find(|algorithm| {
            let padded = algorithm.padded_len().is_some();
            u32::from(logn) == algorithm.logn()
                && if padded {
                    u32::from(first) == 0x30 + algorithm.logn()
                } else {
                    first < 0x06
                }
        })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No known-answer algorithm has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm `{}`, expected one of:", self.0)?;
        Algorithm::ALL
            .iter()
            .try_for_each(|algorithm| write!(f, " {algorithm}"))
    }
}

impl std::error::Error for UnknownAlgorithm {}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    /// Parses a name, ignoring letter case. So the title of a file is accepted, too.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_title_is_read_back() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(algorithm.title().parse(), Ok(algorithm));
        }
        assert!("falcon-256".parse::<Algorithm>().is_err());
    }
}
