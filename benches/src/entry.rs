//! What is measured, and by whom.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The message that everyone signs.
pub const MESSAGE: &[u8] = b"a message of thirty-two bytes...";

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A key pair from a fresh seed, encoded.
    Keygen,
    /// One signature of [`MESSAGE`].
    Sign,
    /// One verification of an encoded signature of [`MESSAGE`].
    Verify,
    /// An expanded key from a signing key.
    Expand,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Keygen, Self::Sign, Self::Verify, Self::Expand];
}

/// From what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// From a seed.
    Seed,
    /// From the key's bytes, decoded every time.
    EncodedKey,
    /// From a key decoded once: a signing key, not expanded.
    DecodedKey,
    /// From a key prepared once, in the form that serves best.
    PreparedKey,
    /// A verifying key decoded, and nothing else.
    KeyAlone,
    /// As [`PreparedKey`](Self::PreparedKey), many in one call.
    Batch,
}

/// A parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Degree {
    /// Falcon-512.
    #[serde(rename = "falcon-512")]
    D512,
    /// Falcon-1024.
    #[serde(rename = "falcon-1024")]
    D1024,
}

impl Degree {
    /// Both.
    pub const ALL: [Self; 2] = [Self::D512, Self::D1024];
}

/// The name that JSON output gives to a unit variant.
fn kebab(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// A row of the comparison, without its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// What is done.
    pub operation: Operation,
    /// From what.
    pub mode: Mode,
    /// At which degree.
    pub parameters: Degree,
    /// Our engine, or the peer.
    pub engine: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            mode,
            parameters,
            engine,
        } = self;
        let (operation, mode) = (kebab(operation), kebab(mode));
        write!(f, "{operation}/{mode}/{}/{engine}", kebab(parameters))
    }
}

impl Case {
    /// Whether operation, mode and parameters, written as in a row's heading,
    /// contain all of these words.
    pub fn matches(&self, words: &[String]) -> bool {
        let name = self.to_string();
        let group = name.trim_end_matches(self.engine);
        words.iter().all(|word| group.contains(word.as_str()))
    }
}

/// A thing to time.
pub struct Contestant<'a> {
    /// Runs the operation; called again and again.
    pub run: Box<dyn FnMut() + 'a>,
    /// Operations done by one call of `run`.
    pub operations: u32,
}

/// A row and how to run it.
pub struct Entry {
    /// The row.
    pub case: Case,
    /// The code to time.
    pub contestant: Contestant<'static>,
}

/// One operation a call.
pub fn entry(
    operation: Operation,
    mode: Mode,
    parameters: Degree,
    engine: &'static str,
    run: impl FnMut() + 'static,
) -> Entry {
    Entry {
        case: Case {
            operation,
            mode,
            parameters,
            engine,
        },
        contestant: Contestant {
            run: Box::new(run),
            operations: 1,
        },
    }
}
