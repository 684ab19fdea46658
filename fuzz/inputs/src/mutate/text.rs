//! Envelopes, trust lists and manifests: lines, and the values of their fields.

use super::objects::stored_object;
use super::{Rng, damage, one_in, pick, signatures, verifying_keys};
use base64ct::{Base64, Encoding};
use falcon_core::AnyVerifyingKey;
use falcon_envelope::{Digest, Fingerprint};

/// Lines that occur in the formats, and lines of versions that do not exist.
const LINES: [&str; 14] = [
    "",
    "end: 1",
    "end: 2",
    "falcon-envelope v1",
    "falcon-envelope v2",
    "falcon-trust v1",
    "falcon-trust v10",
    "falcon-manifest v1",
    "algorithm: Falcon-512",
    "algorithm: Falcon-1024",
    "comment: twice",
    "revoked: 2025-07-01T00:00:00Z",
    "reason: lost",
    "valid-until: 9999-12-31T23:59:59Z",
];

/// Texts: names, comments, reasons, paths. The parsers must refuse some of them.
const TEXTS: [&str; 20] = [
    "Alice",
    "Bob",
    "a/b",
    "a//b",
    "/a",
    "a/",
    "..",
    "a/../b",
    ".",
    "a\\b",
    " a",
    "a ",
    "",
    "gr\u{f6}\u{df}er",
    "a\u{202e}b",
    "a\u{200b}b",
    "a\u{ad}b",
    "a\tb",
    "a\u{85}b",
    "\u{e0041}",
];

const TIMES: [&str; 9] = [
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2025-06-01T12:00:00Z",
    "2024-02-29T23:59:59Z",
    "2025-02-29T00:00:00Z",
    "2025-06-01T24:00:00Z",
    "2025-06-01T12:00:60Z",
    "2025-06-01t12:00:00z",
    "1969-12-31T23:59:59Z",
];

const NUMBERS: [&str; 8] = [
    "0",
    "1",
    "10",
    "01",
    "+1",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
];

/// Changes lines. Sometimes damages the text.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok()?;
    if text.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..=rng.u8(..2) {
        change_lines(rng, &mut lines);
        if lines.is_empty() {
            return None;
        }
    }
    let mut text = lines.join("\n").into_bytes();
    if one_in(rng, 16) {
        damage(rng, &mut text);
    }
    Some(text)
}

fn change_lines(rng: &mut Rng, lines: &mut Vec<String>) {
    let (i, j) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.u8(..16) {
        0 => drop(lines.remove(i)),
        1 => lines.insert(j, lines[i].clone()),
        2 => lines.swap(i, j),
        3 => lines.insert(i, pick(rng, &LINES).to_owned()),
        4 => lines[i] = pick(rng, &LINES).to_owned(),
        // Repeats the lines of an entry or of a statement.
        5 => {
            let range = lines[i.min(j)..i.max(j)].to_vec();
            let at = if rng.bool() { i } else { j };
            lines.splice(at..at, range);
        }
        6 => lines.truncate(i),
        7 => {
            let ending = pick(rng, &["\r", " ", "\n", "\u{2028}"]);
            lines[i].push_str(ending);
        }
        _ => change_field(rng, lines, i),
    }
}

/// Changes the value of a line `name: value`, or a line of a file in a manifest.
fn change_field(rng: &mut Rng, lines: &mut [String], i: usize) {
    let Some((name, value)) = lines[i].split_once(": ") else {
        let line = lines[i].clone();
        lines[i] = file_of_manifest(rng, &line).unwrap_or(line);
        return;
    };
    let new = match name {
        "key" => digits(rng, value),
        "time" | "valid-from" | "valid-until" | "revoked" => time(rng),
        "file" | "manifest" => digest(rng, value),
        "algorithm" => pick(rng, &["Falcon-512", "Falcon-1024", "Falcon-256"]).to_owned(),
        "end" => pick(rng, &NUMBERS).to_owned(),
        "signature" => base64(rng, value, signatures::mutate),
        "public-key" => {
            let new = base64(rng, value, verifying_keys::mutate);
            // In most cases, sets the fingerprint to that of the new key.
            if let Ok(key) = Base64::decode_vec(&new)
                && let Ok(key) = AnyVerifyingKey::try_from(key)
                && !one_in(rng, 8)
                && i > 0
                && lines[i - 1].starts_with("key: ")
            {
                lines[i - 1] = format!("key: {}", Fingerprint::of(&key));
            }
            new
        }
        _ => text(rng, value),
    };
    let name = lines[i].split_once(": ").map_or("", |(name, _)| name);
    lines[i] = format!("{name}: {new}");
}

fn text(rng: &mut Rng, value: &str) -> String {
    match rng.u8(..4) {
        0 => value.repeat(rng.usize(1..40)),
        1 => format!("{value}{}", pick(rng, &TEXTS)),
        2 => "x".repeat(pick(rng, &[1, 1023, 1024, 1025])),
        _ => pick(rng, &TEXTS).to_owned(),
    }
}

fn time(rng: &mut Rng) -> String {
    if rng.bool() {
        return pick(rng, &TIMES).to_owned();
    }
    let (year, month, day) = (rng.u16(1960..2100), rng.u8(0..14), rng.u8(0..33));
    let (hour, minute, second) = (rng.u8(0..25), rng.u8(0..61), rng.u8(0..62));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Changes hexadecimal digits.
fn digits(rng: &mut Rng, value: &str) -> String {
    let mut digits = value.as_bytes().to_vec();
    if digits.is_empty() {
        return "0".repeat(64);
    }
    let at = rng.usize(..digits.len());
    match rng.u8(..4) {
        0 => digits[at] = pick(rng, b"0f9aAFg "),
        1 => digits.make_ascii_uppercase(),
        2 => drop(digits.remove(at)),
        _ => digits[at] = pick(rng, b"0123456789abcdef"),
    }
    String::from_utf8_lossy(&digits).into_owned()
}

/// Changes the digest of a file.
fn digest(rng: &mut Rng, value: &str) -> String {
    let (hash, length) = value.split_once(' ').unwrap_or((value, "0"));
    match rng.u8(..4) {
        0 => format!("{} {length}", digits(rng, hash)),
        1 => format!("{hash} {}", pick(rng, &NUMBERS)),
        2 => Digest::of(pick(rng, &TEXTS).as_bytes()).to_string(),
        _ => value.to_owned(),
    }
}

/// Changes a line of a manifest: digest and path.
fn file_of_manifest(rng: &mut Rng, line: &str) -> Option<String> {
    let (hash, rest) = line.split_once(' ')?;
    let (length, path) = rest.split_once(' ')?;
    let value = format!("{hash} {length}");
    Some(match rng.u8(..3) {
        0 => format!("{value} {}", text(rng, path)),
        1 => format!("{} {path}", digest(rng, &value)),
        _ => format!("{value} {path}{}", rng.lowercase()),
    })
}

/// Changes the bytes that are encoded in Base64, or the Base64 itself.
fn base64(rng: &mut Rng, value: &str, mutator: super::Mutator) -> String {
    let Ok(bytes) = Base64::decode_vec(value) else {
        return Base64::encode_string(&stored_object(rng));
    };
    let changed = mutator(rng, &bytes).unwrap_or_else(|| stored_object(rng));
    let mut text = Base64::encode_string(&changed);
    match rng.u8(..16) {
        0 => drop(text.pop()),
        1 => text.push('='),
        2 => text.insert(
            rng.usize(..=text.len()),
            pick(rng, &[' ', '-', '_', '=', 'A']),
        ),
        _ => {}
    }
    text
}
