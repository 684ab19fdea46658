//! Checks the line number and the reason of each refusal of the parsers.

mod common;

use common::{alice, envelope, signed_manifest, trust_list};
use falcon_envelope::{
    Digest, Entry, Envelope, FilePath, Manifest, ParseError, Problem, ReadError, SignedManifest,
    TrustList, UnreadManifest,
};
use std::{
    error::Error,
    io::{BufReader, Read},
};

fn expect_value(error: ParseError, line: usize) {
    assert_eq!(error.line(), line, "{error}");
    assert!(matches!(error.problem(), Problem::Value { .. }), "{error}");
}

fn expect(error: ParseError, line: usize, problem: Problem) {
    assert_eq!((error.line(), error.problem()), (line, problem), "{error}");
}

fn envelope_error(text: &str) -> ParseError {
    Envelope::parse(text.as_bytes()).expect_err(text)
}

fn manifest_error(text: &str) -> ParseError {
    SignedManifest::parse(text.as_bytes()).expect_err(text)
}

fn trust_error(text: &str) -> ParseError {
    TrustList::parse(text.as_bytes()).expect_err(text)
}

/// Replaces `from`, which must be there exactly once.
fn replace(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?}");
    text.replacen(from, to, 1)
}

#[test]
fn of_any_format() {
    let text = envelope(&alice()).to_string();
    let known = "falcon-envelope v1";
    expect(envelope_error(""), 1, Problem::Truncated);
    expect(envelope_error("\n"), 1, Problem::Format { expected: known });
    expect(envelope_error(known), 1, Problem::Truncated);
    expect(envelope_error(&format!("{known}\n")), 2, Problem::Truncated);
    for other in [
        "falcon-envelope v2",
        "falcon-envelope v11",
        "falcon-envelope v1 ",
    ] {
        let error = envelope_error(&replace(&text, known, other));
        expect(error, 1, Problem::Version { known });
    }
    let format = Problem::Format { expected: known };
    expect(envelope_error(&format!("\u{feff}{text}")), 1, format);
    expect(envelope_error(&trust_list().to_string()), 1, format);
    expect(
        envelope_error(&text.replace('\n', "\r\n")),
        1,
        Problem::CarriageReturn,
    );
    expect(
        envelope_error(&format!("{text}\n")),
        8,
        Problem::TrailingLine,
    );
    expect(envelope_error(text.trim_end()), 7, Problem::Truncated);

    let mut bytes = text.clone().into_bytes();
    let position = text.find("time").expect("a field");
    bytes[position] = 0xff;
    expect(
        Envelope::parse(&bytes).expect_err("not UTF-8"),
        4,
        Problem::Encoding,
    );

    let max = Envelope::MAX_LEN;
    expect(
        envelope_error(&"x".repeat(max + 1)),
        1,
        Problem::TooLong { max },
    );
    expect(envelope_error(&"x".repeat(max)), 1, Problem::Truncated);
}

/// `is_likely` recognises a format by the start of its first line, whatever the version.
#[test]
fn every_format_is_told_by_its_first_bytes() {
    let texts = [
        envelope(&alice()).to_string(),
        signed_manifest(&alice()).to_string(),
        trust_list().to_string(),
    ];
    let formats = [
        Envelope::is_likely,
        SignedManifest::is_likely,
        TrustList::is_likely,
    ];
    for (i, text) in texts.iter().enumerate() {
        for (k, is_likely) in formats.iter().enumerate() {
            assert_eq!(is_likely(text.as_bytes()), i == k, "{text}");
            let later = text.replacen("v1", "v27", 1);
            assert_eq!(is_likely(later.as_bytes()), i == k, "{later}");
            let cut = &text[..text.find("v1").expect("a version")];
            assert!(!is_likely(cut.as_bytes()), "{cut}");
        }
    }
}

#[test]
fn of_an_envelope() {
    let text = envelope(&alice()).to_string();
    let changed = |from: &str, to: &str| envelope_error(&replace(&text, from, to));
    expect_value(changed("Falcon-512", "falcon-512"), 2);
    expect_value(changed("Falcon-512", "Falcon-1024"), 7);
    expect_value(changed("key: 4", "key: A"), 3);
    expect_value(changed("key: 4", "key: "), 3);
    expect_value(changed("00Z", "00z"), 4);
    expect_value(changed("comment: p", "comment:  p"), 5);
    expect_value(changed("comment: paid", "comment: \u{1b}[1A"), 5);
    expect_value(changed(" 10\n", " 010\n"), 6);
    expect_value(changed(" 10\n", " 10 \n"), 6);
    expect_value(changed("signature: O", "signature: "), 7);
    expect_value(changed("signature: O", "signature: A"), 7);
    for (field, line) in [
        ("algorithm", 2),
        ("key", 3),
        ("time", 4),
        ("file", 6),
        ("signature", 7),
    ] {
        let error = changed(&format!("\n{field}: "), &format!("\n{field}:"));
        expect(error, line, Problem::Field { expected: field });
    }
    let error = changed("\ncomment: ", "\nComment: ");
    expect(error, 5, Problem::Field { expected: "file" });
    let two = changed("\nfile: ", "\ncomment: again\nfile: ");
    expect(two, 6, Problem::Field { expected: "file" });
}

#[test]
fn of_a_manifest() {
    let text = signed_manifest(&alice()).to_string();
    let lines: Vec<_> = text.lines().collect();
    let with = |number: usize, line: &str| {
        let mut lines = lines.clone();
        lines[number - 1] = line;
        manifest_error(&(lines.join("\n") + "\n"))
    };
    let digest = Digest::of(b"larger\n");
    for path in [
        "/etc/passwd",
        "../up",
        "a/../../up",
        "C\\up",
        "a/",
        "",
        ".",
        "tab\there",
    ] {
        expect_value(with(2, &format!("{digest} {path}")), 2);
    }
    expect_value(with(2, &format!("{digest}")), 2);
    expect_value(with(2, ""), 2);
    expect_value(with(2, "paid"), 2);
    expect_value(with(2, &"x".repeat(FilePath::MAX_LEN + 200)), 2);
    expect(with(2, lines[2]), 3, Problem::Duplicate { what: "path" });
    expect(with(2, &format!("{digest} z")), 3, Problem::Order);
    expect(
        with(1, "falcon-manifest v9"),
        1,
        Problem::Version {
            known: "falcon-manifest v1",
        },
    );
    expect(
        with(5, "falcon-envelope v9"),
        5,
        Problem::Version {
            known: "falcon-envelope v1",
        },
    );
    expect(
        with(1, "hello"),
        1,
        Problem::Format {
            expected: "falcon-manifest v1",
        },
    );
    let unsigned = lines[..4].join("\n") + "\n";
    expect(manifest_error(&unsigned), 5, Problem::Truncated);
    expect(
        manifest_error(&format!("{text}{text}")),
        12,
        Problem::TrailingLine,
    );
    assert_eq!(
        Manifest::new(Vec::new()).expect("no file").to_string(),
        "falcon-manifest v1\n"
    );
}

/// Tests manifests whose lines are only hashed. Malformed lines are accepted, but the memory stays
/// bounded.
#[test]
fn of_a_manifest_that_is_not_read() {
    let text = signed_manifest(&alice()).to_string();
    let error = |text: &str| match UnreadManifest::read(text.as_bytes()) {
        Err(ReadError::Parse(error)) => error,
        other => panic!("{other:?}"),
    };
    let version = "falcon-manifest v1";
    let expected = Problem::Format { expected: version };
    expect(error(&replace(&text, version, "hello")), 1, expected);
    expect(error(&envelope(&alice()).to_string()), 1, expected);
    expect(error(&"x".repeat(10_000)), 1, expected);
    let other = Problem::Version { known: version };
    expect(
        error(&replace(&text, version, "falcon-manifest v2")),
        1,
        other,
    );
    expect(error(""), 1, Problem::Truncated);
    expect(error(version), 1, Problem::Truncated);
    let end = text.find("falcon-envelope").expect("an envelope");
    expect(error(&text[..end]), 5, Problem::Truncated);
    expect(error(&text[..end - 1]), 4, Problem::Truncated);
    expect(error(&text[..text.len() - 1]), 11, Problem::Truncated);
    expect(error(&format!("{text}\n")), 12, Problem::TrailingLine);
    let line = "x".repeat(10_000);
    expect_value(error(&format!("{version}\n{line}\n{}", &text[end..])), 2);
    // The longest possible line.
    let entry = Entry {
        path: FilePath::parse(&"x".repeat(FilePath::MAX_LEN)).expect("a path"),
        digest: Digest::parse(&format!("{} {}", "0".repeat(128), u64::MAX)).expect("a digest"),
    };
    let manifest = Manifest::new(vec![entry]).expect("a file");
    let unread = UnreadManifest::read(format!("{manifest}{}", &text[end..]).as_bytes());
    assert!(unread.is_ok());
    // The shortest possible manifest.
    let unread = UnreadManifest::read(format!("{version}\n{}", &text[end..]).as_bytes());
    assert_eq!(unread.expect("no file").files(), 0);
    let unread = UnreadManifest::read(text.as_bytes());
    assert_eq!(unread.expect("three files").files(), 3);
    // Reading stops although the input is endless.
    let start = std::io::Cursor::new(format!("{version}\n"));
    let endless = BufReader::with_capacity(4000, start.chain(Endless));
    let Err(ReadError::Parse(error)) = UnreadManifest::read(endless) else {
        panic!("no end");
    };
    let max = SignedManifest::MAX_LEN;
    assert_eq!(error.problem(), Problem::TooLong { max });
}

/// The source of a `ReadError` is the error of the reader or the error of the text.
#[test]
fn an_error_of_reading_has_its_source() {
    let source = |reader: Box<dyn Read>| {
        let error = UnreadManifest::read(BufReader::new(reader)).expect_err("no manifest");
        let source = error.source().expect("a source");
        assert_eq!(source.to_string(), error.to_string());
        (source.is::<std::io::Error>(), source.is::<ParseError>())
    };
    let closed = std::fs::File::open(".").expect("a folder");
    assert_eq!(source(Box::new(closed)), (true, false));
    assert_eq!(source(Box::new(&b"hello\n"[..])), (false, true));
}

/// A reader that returns a line for each read, endlessly.
struct Endless;

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b'x');
        if let Some(last) = buffer.last_mut() {
            *last = b'\n';
        }
        Ok(buffer.len())
    }
}

#[test]
fn of_a_trust_list() {
    let text = trust_list().to_string();
    let bob = text.find("\nname: Bob").expect("an entry");
    let end = text.find("\nend: 2\n").expect("an end");
    let (first, second) = text.split_at(bob);
    assert!(TrustList::parse(format!("{first}\nend: 1\n").as_bytes()).is_ok());
    let changed =
        |from: &str, to: &str| trust_error(&format!("{first}{}", replace(second, from, to)));
    expect_value(changed("\nname", "name"), 8);
    expect_value(changed("Bob", " Bob"), 9);
    expect(
        changed("Bob", "Alice <alice@example.org>"),
        15,
        Problem::Duplicate { what: "name" },
    );
    expect_value(changed("public-key: Ci", "public-key: AA"), 11);
    expect_value(changed("public-key: Ci", "public-key: C"), 11);
    expect(
        changed("key: fb", "key: fc"),
        11,
        Problem::FingerprintOfAnotherKey,
    );
    expect(
        changed("until: 2025", "until: 2024"),
        13,
        Problem::EmptyPeriod,
    );
    expect(
        changed("reason: laptop stolen\n", ""),
        15,
        Problem::Field { expected: "reason" },
    );
    expect_value(changed("laptop stolen", "laptop\u{202e}stolen"), 15);
    expect_value(changed("revoked: 2025-07-01T00:00:00Z\n", ""), 14);
    let again = second.replace("Bob", "Robert");
    let error = trust_error(&format!("{}{again}", &text[..end]));
    expect(error, 23, Problem::Duplicate { what: "key" });
    for count in ["1", "3", "02", "+2", "", "2 "] {
        expect_value(changed("end: 2", &format!("end: {count}")), 17);
    }
    expect(
        changed("end: 2", "end:"),
        17,
        Problem::Field { expected: "name" },
    );
    for rest in ["\n", "\nend: 2\n", second] {
        let error = trust_error(&format!("{text}{rest}"));
        expect(error, 18, Problem::TrailingLine);
    }
}

/// A list that has lost its last entries, or only the lines that revoke a key, is refused.
#[test]
fn of_a_trust_list_that_is_cut() {
    let text = trust_list().to_string();
    for length in 0..text.len() {
        let error = TrustList::parse(&text.as_bytes()[..length]).expect_err("a part");
        assert_eq!(error.problem(), Problem::Truncated, "{length}");
    }
    // A correct last line does not hide that an entry is missing.
    let bob = text.find("\nname: Bob").expect("an entry");
    let end = text.find("\nend: 2\n").expect("an end");
    expect_value(trust_error(&format!("{}{}", &text[..bob], &text[end..])), 9);
}

/// Every field of a text is read, and written again unchanged.
#[test]
fn every_field_is_written_as_it_was_read() {
    let envelope_text = envelope(&alice()).to_string();
    let manifest_text = signed_manifest(&alice()).to_string();
    let trust_text = trust_list().to_string();
    assert_eq!(
        envelope_text
            .parse::<Envelope>()
            .expect("its own text")
            .to_string(),
        envelope_text
    );
    let manifest = manifest_text
        .parse::<SignedManifest>()
        .expect("its own text");
    assert_eq!(manifest.to_string(), manifest_text);
    assert_eq!(
        trust_text
            .parse::<TrustList>()
            .expect("its own text")
            .to_string(),
        trust_text
    );
}
