//! The option `--color`.

use anstream::ColorChoice;
use clap::ValueEnum;

/// Use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "help texts would show them")]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Applies the choice to all further output.
    pub fn choose(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}
