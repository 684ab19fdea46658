//! Rows of a comparison: operation, form of the key, parameter set, implementation.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The message that every implementation signs.
pub const MESSAGE: &[u8] = b"a message of thirty-two bytes...";

/// A timed operation.
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
    /// Every operation.
    pub const ALL: [Self; 4] = [Self::Keygen, Self::Sign, Self::Verify, Self::Expand];
}

/// Form of the key at the start of an operation. `falcon-cli bench` and docs/PERFORMANCE.md use
/// the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A seed.
    Seed,
    /// The key's bytes, decoded in every operation.
    Encoded,
    /// A signing key, decoded once and not expanded.
    Decoded,
    /// A key in its fastest form, made once: an expanded key, or a verifying key.
    Prepared,
    /// The key's bytes. Only decoding them to a verifying key is timed.
    KeyAlone,
    /// A [`Prepared`](Self::Prepared) key, with many messages in one call.
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
    /// Both parameter sets.
    pub const ALL: [Self; 2] = [Self::D512, Self::D1024];
}

/// Returns the name that JSON output gives to a unit variant.
fn kebab(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// A row of the comparison, without its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Operation.
    pub operation: Operation,
    /// Form of the key.
    pub mode: Mode,
    /// Parameter set.
    pub parameters: Degree,
    /// Name of our engine, or of the peer.
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
    /// Returns true if the first column of a row, which has operation, mode and parameters,
    /// contains all of `words`.
    pub fn matches(&self, words: &[String]) -> bool {
        let name = self.to_string();
        let group = name.trim_end_matches(self.engine);
        words.iter().all(|word| group.contains(word.as_str()))
    }
}

/// Code to time.
pub struct Contestant<'a> {
    /// Runs the operation. The measurement calls it many times.
    pub run: Box<dyn FnMut() + 'a>,
    /// Number of operations that one call of `run` does.
    pub operations: u32,
}

/// A row, and the code whose time it shows.
pub struct Entry {
    /// The row.
    pub case: Case,
    /// The code to time.
    pub contestant: Contestant<'static>,
}

/// Makes an entry whose `run` does one operation in each call.
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
