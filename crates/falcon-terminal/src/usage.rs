//! Reports command lines that cannot be parsed.

use crate::{
    color::Color,
    error::{Error, Status},
    escape::Escaped,
    program::Program,
    ui::Ui,
};
use clap::{
    Arg, Command, ValueEnum,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    path::Path,
};

/// Prints the help, the version or the error, and ends the program.
pub fn exit(mut error: clap::Error, root: &Command, program: &Program) -> ! {
    correct_suggestions(&mut error, root);
    conceal(&mut error);
    escape(&mut error);
    color().choose();
    let json = wants_json();
    let ui = Ui { json, quiet: false };
    let asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if asked_for {
        let printed = error.print().and_then(|()| io::stdout().flush());
        if let Err(error) = printed {
            ui.error(&Error::stdout(&error));
            end(Status::Failure);
        }
    } else if json {
        ui.error(&as_json(&error, program));
    } else {
        // If standard error is closed, nothing can be reported.
        let _ = error.print();
    }
    end(if asked_for {
        Status::Valid
    } else {
        Status::Failure
    })
}

fn end(status: Status) -> ! {
    std::process::exit(status.code().into())
}

/// Returns the words of the command that could not be parsed, such as `falcon-cli manifest sign`.
/// They begin the usage of the error.
pub fn command(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    let words = usage.split_whitespace().skip(1);
    let words = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces hidden names in suggestions by the names that the help shows. Removes the advice to
/// pass an unknown option as a value, unless there is a file with its name.
fn correct_suggestions(error: &mut clap::Error, root: &Command) {
    let mut parent = Some(root);
    for word in command(error).split(' ').skip(1) {
        parent = parent.and_then(|command| command.find_subcommand(word));
    }
    let command_of = |name| Some(parent?.find_subcommand(name)?.get_name().to_owned());
    if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
        let mut shown = Vec::new();
        for name in names {
            let name = command_of(name).unwrap_or_else(|| name.clone());
            // The best suggestion is the last one.
            shown.retain(|other| *other != name);
            shown.push(name);
        }
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(shown),
        );
    }
    let option_of = |name: &str| {
        let name = name.strip_prefix("--")?;
        let is_alias = |option: &&Arg| {
            let aliases = option.get_all_aliases();
            aliases.is_some_and(|aliases| aliases.contains(&name))
        };
        let option = parent?.get_arguments().find(is_alias)?;
        Some(format!("--{}", option.get_long()?))
    };
    if let Some(ContextValue::String(name)) = error.get(ContextKind::SuggestedArg)
        && let Some(option) = option_of(name)
    {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(option));
    }
    let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if error.kind() == ErrorKind::UnknownArgument
        && !unknown.is_some_and(|name| Path::new(&name).exists())
        && let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
    {
        let other = |tip: &&StyledStr| !tip.to_string().contains(" as a value, use ");
        let tips: Vec<_> = tips.iter().filter(other).cloned().collect();
        error.remove(ContextKind::Suggested);
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
}

/// Removes any value that follows `--passphrase` from the message. The option takes no value, so
/// the user may have typed a passphrase after it, and messages may end up in logs.
fn conceal(error: &mut clap::Error) {
    let place = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::TooManyValues => ContextKind::InvalidValue,
        _ => return,
    };
    let arguments = env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let hide = match error.get(place) {
        Some(ContextValue::String(shown)) => may_be_passphrase(shown, arguments),
        _ => true,
    };
    if hide {
        let hidden = ContextValue::String("(not shown)".to_owned());
        error.insert(place, hidden);
        // These contexts of the error repeat the value.
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::SuggestedArg);
    }
}

/// Escapes the control characters of the arguments. A file name that a shell inserts for `*` could
/// otherwise overwrite the message with a verdict.
fn escape(error: &mut clap::Error) {
    let escaped = |text: &String| Escaped(text).to_string();
    let values: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| {
            let new = match value {
                ContextValue::String(text) => ContextValue::String(escaped(text)),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(escaped).collect())
                }
                _ => return None,
            };
            (new != *value).then_some((kind, new))
        })
        .collect();
    if !values.is_empty() {
        // These contexts of the error repeat the arguments.
        error.remove(ContextKind::Suggested);
    }
    for (kind, value) in values {
        error.insert(kind, value);
    }
}

/// Returns true if `shown` was typed after `--passphrase`: as the next argument, of any form, or as
/// a later argument before the next option.
fn may_be_passphrase(shown: &str, arguments: impl Iterator<Item = String>) -> bool {
    // `behind` is 0 before the option, 1 at the next argument, and 2 at a later argument.
    let mut behind = 0;
    for argument in arguments {
        let value = argument.strip_prefix("--passphrase=");
        if value == Some(shown) {
            return true;
        }
        if argument == "--passphrase" {
            behind = 1;
            continue;
        }
        if behind == 2 && argument.starts_with('-') {
            behind = 0;
        }
        // Clap shows only the beginning of an unknown option.
        let is_shown = argument == shown || (shown.starts_with('-') && argument.starts_with(shown));
        if behind > 0 && is_shown {
            return true;
        }
        behind = if behind > 0 { 2 } else { 0 };
    }
    false
}

/// Returns the arguments up to `--`, even if the command line cannot be parsed.
fn options() -> impl Iterator<Item = OsString> {
    env::args_os().take_while(|argument| argument != "--")
}

fn wants_json() -> bool {
    options().any(|argument| argument == "--json")
}

/// Returns the value of `--color`, if it is valid.
fn color() -> Color {
    let mut options = options().map(|option| option.to_string_lossy().into_owned());
    let value = options.find_map(|option| match option.strip_prefix("--color") {
        Some("") => Some(String::new()),
        Some(value) => value.strip_prefix('=').map(str::to_owned),
        None => None,
    });
    let value = match value {
        Some(value) if value.is_empty() => options.next(),
        value => value,
    };
    value
        .and_then(|value| Color::from_str(&value, false).ok())
        .unwrap_or(Color::Auto)
}

/// Converts an error of clap. The first paragraph of its text says what is wrong. Tips and usage
/// follow. The hint has the tips, or otherwise the command that prints the help.
fn as_json(error: &clap::Error, program: &Program) -> Error {
    let text = error.render().to_string();
    let (what, rest) = match error.kind() {
        // The text of this error is the help.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => ("a command is missing", ""),
        _ => text.split_once("\n\n").unwrap_or((&text, "")),
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = Error::new(words(what.strip_prefix("error: ").unwrap_or(what)));
    let tips = rest.lines();
    let tips = tips.filter_map(|line| line.trim().strip_prefix("tip: "));
    let tips = tips.collect::<Vec<_>>().join("; ");
    let command = command(error);
    if !tips.is_empty() {
        told.hint(tips)
    } else if !command.is_empty() {
        told.hint(format_args!("see: {command} --help"))
    } else if !rest.is_empty() {
        told.hint(words(rest))
    } else {
        told.hint(format_args!("see: {} --help", program.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_option_may_be_a_passphrase() {
        let hidden =
            |line: &str, shown: &str| may_be_passphrase(shown, line.split(' ').map(str::to_owned));
        for (line, shown) in [
            ("keygen --passphrase hunter2", "hunter2"),
            ("keygen --passphrase=hunter2", "hunter2"),
            ("keygen --passphrase --hunter2 x", "--hunter2"),
            ("keygen --passphrase -xyz", "-x"),
            ("keygen --passphrase --a=b", "--a"),
            ("keygen --passphrase three words here", "here"),
        ] {
            assert!(hidden(line, shown), "{line}");
        }
        for (line, shown) in [
            ("keygen a b", "b"),
            ("keygen a b --passphrase c", "b"),
            ("keygen --passphrase a --sead b", "--sead"),
            ("keygen --passphrase a --force b", "b"),
            ("bench sign", "sign"),
        ] {
            assert!(!hidden(line, shown), "{line}");
        }
    }
}
