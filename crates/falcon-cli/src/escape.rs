//! Escapes for file names and other foreign text. A control character in a file name
//! could otherwise overwrite a verdict on the terminal.

use std::fmt::{self, Display, Write};

/// Text with its control characters as `\u{1b}`.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| {
            if is_unseen(character) {
                write!(self.0, "{}", character.escape_unicode())
            } else {
                self.0.write_char(character)
            }
        })
    }
}

/// Escapes these characters in a line of JSON. `serde_json` leaves some of them as they
/// are, and only in strings.
pub(crate) fn json(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        if is_unseen(character) {
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether the character moves the cursor, ends a line or changes the direction of the
/// text. All such characters are below U+10000.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_seen_is_escaped() {
        let text = "a b: \u{e9}\\'\u{1b}[1A\n\u{9b}\u{202e}z";
        let escaped = r"a b: é\'\u{1b}[1A\u{a}\u{9b}\u{202e}z";
        assert_eq!(Escaped(text).to_string(), escaped);
    }

    #[test]
    fn json_stays_the_same_value() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}\n";
        let line = json(&serde_json::to_string(text).unwrap());
        assert!(line.is_ascii() && !line.contains(char::is_control));
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
