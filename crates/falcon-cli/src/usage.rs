//! A command line that cannot be read.

use crate::{error::Error, ui::Ui};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::env;

/// Prints help, version or what is wrong, and ends the program.
pub(crate) fn exit(mut error: clap::Error) -> ! {
    conceal(&mut error);
    let asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if asked_for || !wants_json() {
        error.exit();
    }
    let ui = Ui {
        json: true,
        quiet: false,
    };
    ui.error(&as_json(&error));
    std::process::exit(error.exit_code());
}

/// Takes out of the message what was typed where nothing belongs: behind
/// `--passphrase`, which takes no value, that is a passphrase, and messages end
/// up in logs.
fn conceal(error: &mut clap::Error) {
    let place = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::TooManyValues => ContextKind::InvalidValue,
        _ => return,
    };
    let is_option = |value: &ContextValue| match value {
        ContextValue::String(text) => place == ContextKind::InvalidArg && text.starts_with('-'),
        _ => false,
    };
    if !error.get(place).is_some_and(is_option) {
        let hidden = ContextValue::String("(not shown)".to_owned());
        error.insert(place, hidden);
    }
}

/// What cannot be parsed can be searched.
fn wants_json() -> bool {
    let mut options = env::args_os().take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

/// The first paragraph says what is wrong; help and usage follow.
fn as_json(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let (what, rest) = match error.kind() {
        // The text is the help.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => ("a command is missing", ""),
        _ => text.split_once("\n\n").unwrap_or((&text, "")),
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = Error::new(words(what.strip_prefix("error: ").unwrap_or(what)));
    if rest.is_empty() {
        told.hint("see: falcon-cli --help")
    } else {
        told.hint(words(rest))
    }
}
