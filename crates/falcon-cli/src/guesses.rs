//! Advice for commands and options that do not exist, but that users try.

use crate::usage;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// If the error is about a command or an option that users try, replaces clap's suggestion by
/// advice.
pub(crate) fn explain(mut error: clap::Error) -> clap::Error {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return error,
    };
    let Some(ContextValue::String(guess)) = error.get(kind) else {
        return error;
    };
    let Some(hint) = advice(&usage::command(&error), guess) else {
        return error;
    };
    error.remove(ContextKind::SuggestedSubcommand);
    if error.remove(ContextKind::SuggestedArg).is_some() {
        // It shows the option that clap suggested.
        error.remove(ContextKind::Usage);
    }
    let hint = ContextValue::StyledStrs(vec![hint.into()]);
    error.insert(ContextKind::Suggested, hint);
    error
}

/// Returns advice for an unknown command or option, after the words of `command`.
fn advice(command: &str, guess: &str) -> Option<String> {
    let command = command.strip_prefix("falcon-cli").unwrap_or_default();
    let hint = match (command.trim_start(), guess) {
        ("", "engines") => "to list the engines: falcon-cli inspect --engines",
        ("", "version") => "to print the version: falcon-cli --version",
        #[cfg(not(feature = "tables"))]
        ("", "verify-table" | "sign-table" | "make-table") => {
            return Some(format!(
                "this program was built without tables; for {guess}, type this in a clone: \
                 cargo install --locked --path crates/falcon-cli --features tables"
            ));
        }
        (command @ ("sign" | "verify"), "-r" | "-R" | "--recursive" | "--all") => {
            return Some(format!(
                "for all files of a folder: falcon-cli manifest {command} FOLDER"
            ));
        }
        ("sign" | "verify", "-i" | "-m" | "--input" | "--message") => {
            "a message comes from a file, or from `-`, which is standard input"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}
