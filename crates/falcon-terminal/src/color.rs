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

/// Environment variables of `auto`, each with what it does, for the manual pages.
pub(crate) const ENVIRONMENT: [(&str, &str); 3] = [
    (
        "NO_COLOR",
        "If set to any text but the empty one: no colours.",
    ),
    ("CLICOLOR", "If 0: no colours."),
    (
        "CLICOLOR_FORCE",
        "If set to any text but 0: colours even if the output is not a terminal.",
    ),
];

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
