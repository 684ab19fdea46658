//! Kinds of batches.

use clap::ValueEnum;
use serde::Serialize;
use std::fmt;

/// A parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
pub(crate) enum Set {
    #[value(name = "512")]
    #[serde(rename = "Falcon-512")]
    Falcon512,
    #[value(name = "1024")]
    #[serde(rename = "Falcon-1024")]
    Falcon1024,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operation {
    Sign,
    Verify,
}

/// Form of the signing keys on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Basis and tree stay on the device
    Expanded,
    /// The basis stays on the device; the tree is computed for every signature
    Balanced,
    /// The key comes with the batch; basis and tree are computed for every signature
    Raw,
    /// As expanded, for keys that only the device expands
    Resident,
}

/// Sharing of keys among the jobs of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Keys {
    /// One key for all jobs
    Shared,
    /// Another key than the neighbours'
    Own,
}

/// A kind of batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) parameters: Set,
    /// Form of the signing keys. `None` if the batch verifies.
    pub(crate) mode: Option<Mode>,
    pub(crate) keys: Keys,
}

impl Kind {
    pub(crate) fn operation(self) -> Operation {
        match self.mode {
            Some(_) => Operation::Sign,
            None => Operation::Verify,
        }
    }

    /// Returns the kind that signs with expanded keys, which makes the signatures to verify.
    pub(crate) fn signing(self) -> Self {
        Self {
            mode: Some(Mode::Expanded),
            ..self
        }
    }
}

/// Returns the name on the command line.
fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(self))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = name(&self.parameters);
        write!(f, "Falcon-{number} {}", self.operation())?;
        if let Some(mode) = self.mode {
            write!(f, " {}", name(&mode))?;
        }
        write!(f, " {}", name(&self.keys))
    }
}

/// Sharing of keys in a batch, and form of the keys on the device.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Key {
    pub(crate) mode: Option<Mode>,
    pub(crate) keys: Keys,
}

impl From<Kind> for Key {
    fn from(kind: Kind) -> Self {
        Self {
            mode: kind.mode,
            keys: kind.keys,
        }
    }
}
