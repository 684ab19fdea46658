//! Files of an emitted circuit.

/// Name of the emitted module.
pub const TOP: &str = "falcon_fft";

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name, without a folder.
    pub name: String,
    /// File content.
    pub text: String,
}
