//! Escapes file names and other foreign text. A control character in a file name could otherwise
//! overwrite a verdict on the terminal.

use falcon_invisible::is_invisible;
use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
    path::Path,
};

/// Returns the text of a file name for messages. Different names have different texts. A byte that
/// is not UTF-8 is written as `\xff`. Backslashes are doubled only in a name in which a backslash
/// could be mistaken for an escape: a name that is not UTF-8, that has an invisible character, or
/// that contains `\x`, `\u` or `\\`. On Windows, where backslashes separate folders, they are
/// doubled only in names that are not Unicode.
pub fn shown(path: &Path) -> Cow<'_, str> {
    let name = path.as_os_str();
    if let Some(text) = name.to_str() {
        let like_escapes = ["\\x", "\\u", "\\\\"]
            .iter()
            .any(|like| text.contains(like));
        if cfg!(windows) || !(like_escapes || text.contains(is_invisible)) {
            return text.into();
        }
        return text.replace('\\', "\\\\").into();
    }
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        out.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.into()
}

/// Text whose invisible characters are shown like `\u{1b}`.
pub struct Escaped<T>(pub T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut escaping = Escaping {
            out: f,
            quoted: false,
        };
        write!(escaping, "{}", self.0)
    }
}

/// Text in quotation marks, escaped so that it cannot end them and imitate the text that follows.
pub struct Quoted<T>(pub T);

impl<T: Display> Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut escaping = Escaping {
            out: f,
            quoted: true,
        };
        write!(escaping, "{}", self.0)?;
        f.write_char('"')
    }
}

struct Escaping<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// True if quotation marks and backslashes are also escaped.
    quoted: bool,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| {
            if is_invisible(character) {
                write!(self.out, "{}", character.escape_unicode())
            } else {
                if self.quoted && matches!(character, '"' | '\\') {
                    self.out.write_char('\\')?;
                }
                self.out.write_char(character)
            }
        })
    }
}

/// Escapes invisible characters in a line of JSON. `serde_json` escapes only some of them, and only
/// in strings.
pub fn json(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        if is_invisible(character) {
            // JSON uses UTF-16, in which a character from U+10000 on is a pair of surrogates.
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn different_names_look_different() {
        use std::{collections::BTreeMap, ffi::OsStr, os::unix::ffi::OsStrExt};
        let text_of =
            |bytes: &[u8]| Escaped(shown(Path::new(OsStr::from_bytes(bytes)))).to_string();
        assert_eq!(text_of(b"a\\b\\"), "a\\b\\");
        assert_eq!(text_of(b"a\xff"), "a\\xff");
        assert_eq!(text_of(b"a\\xff"), "a\\\\xff");
        assert_eq!(text_of(b"a\x1b"), "a\\u{1b}");
        assert_eq!(text_of(b"a\\u{1b}"), "a\\\\u{1b}");
        assert_eq!(text_of(b"\\xfe\xfe\xe9\x80z"), "\\\\xfe\\xfe\\xe9\\x80z");
        // Tries all names that consist of at most five of these pieces.
        let pieces: [&[u8]; 6] = [b"\\", b"x", b"u{1b}", b"ff", b"\xff", b"\x1b"];
        let mut names = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..5 {
            let to = names.len();
            for i in from..to {
                for piece in pieces {
                    names.push([&names[i][..], piece].concat());
                }
            }
            from = to;
        }
        let mut texts = BTreeMap::new();
        for name in names {
            if let Some(other) = texts.insert(text_of(&name), name.clone()) {
                assert_eq!(other, name);
            }
        }
        assert!(texts.len() > 9000);
    }

    #[test]
    fn only_what_cannot_be_seen_is_escaped() {
        let text = "a b: \u{e9}\\'\u{1b}[1A\n\u{9b}\u{202e}\u{ad}\u{e0041}\u{1f980}z";
        let escaped = "a b: é\\'\\u{1b}[1A\\u{a}\\u{9b}\\u{202e}\\u{ad}\\u{e0041}\u{1f980}z";
        assert_eq!(Escaped(text).to_string(), escaped);
    }

    #[test]
    fn a_quoted_text_cannot_end_its_quotation_marks() {
        let text = "a\\\", b\n'\u{1f980}";
        assert_eq!(Quoted(text).to_string(), "\"a\\\\\\\", b\\u{a}'\u{1f980}\"");
    }

    #[test]
    fn json_stays_the_same_value() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}\n\u{200b}\u{e0041}\u{e01ef}";
        let line = json(&serde_json::to_string(text).unwrap());
        assert!(line.is_ascii() && !line.contains(char::is_control));
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
