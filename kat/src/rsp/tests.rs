use super::*;

const SEED_DIGITS: usize = 96;

/// Makes a record that is short enough to be damaged by hand.
fn text() -> String {
    let seed = "0A".repeat(SEED_DIGITS / 2);
    format!(
        "# Title\n\ncount = 3\nseed = {seed}\nmlen = 2\nmsg = 00FF\npk = 09\nsk = 59AB\nsmlen = 3\nsm = 010203\n\n"
    )
}

fn read(text: &str) -> Result<Vec<Record>, ReadError> {
    Reader::new(text.as_bytes()).collect()
}

fn parse_error(text: &str) -> ParseError {
    match read(text) {
        Err(ReadError::Parse(error)) => error,
        other => panic!("expected a parse error, got {other:?}"),
    }
}

#[test]
fn what_carries_no_meaning_is_tolerated() {
    let plain = read(&text()).unwrap();
    assert_eq!(plain.len(), 1);
    assert_eq!(plain[0].count, 3);
    assert_eq!(plain[0].message, [0, 255]);
    for variant in [
        text().replace('\n', "\r\n"),
        text().replace("# Title\n\n", ""),
        text().replace('\n', "\n\n"),
        text().replace(" = ", "="),
        text().replace("0A", "0a"),
        text().trim_end().to_owned(),
        text().replace("\nmlen", "\n# between fields\nmlen"),
    ] {
        assert_eq!(read(&variant).unwrap(), plain, "{variant}");
    }
}

#[test]
fn the_title_is_the_first_comment() {
    let text = text().replace("pk =", "# second\npk =");
    let mut reader = Reader::new(text.as_bytes());
    assert_eq!(reader.title(), None);
    assert!(reader.next().is_some_and(|record| record.is_ok()));
    assert_eq!(reader.title(), Some("Title"));
}

#[test]
fn errors_name_line_and_field() {
    use ParseErrorKind::*;
    let missing = parse_error(&text().replace("sk = 59AB\n", ""));
    let field = Field::SecretKey;
    let found = Some(Field::SignedMessageLength);
    assert_eq!(
        (missing.line, missing.kind),
        (8, ExpectedField { field, found })
    );

    let digit = parse_error(&text().replace("00FF", "00GF"));
    let (field, position) = (Field::Message, 2);
    assert_eq!((digit.line, digit.kind), (6, Digit { field, position }));

    let odd = parse_error(&text().replace("00FF", "00F"));
    assert_eq!((odd.line, odd.kind), (6, OddDigits { field }));

    let long = parse_error(&text().replace("00FF", "00FF11"));
    let length = Length {
        field,
        declared: 2,
        actual: 3,
    };
    assert_eq!((long.line, long.kind), (6, length));

    let seed = parse_error(&text().replacen("0A", "", 1));
    let length = Length {
        field: Field::Seed,
        declared: 48,
        actual: 47,
    };
    assert_eq!((seed.line, seed.kind), (4, length));

    let field = Field::Count;
    for count in ["", "-1", "+1", "0x1", "99999999999999999999"] {
        let number = parse_error(&text().replace("count = 3", &format!("count = {count}")));
        assert_eq!((number.line, number.kind), (3, Number { field }), "{count}");
    }

    let text = text();
    let cut = parse_error(text.split("smlen").next().unwrap());
    let field = Field::SignedMessageLength;
    assert_eq!((cut.line, cut.kind), (8, UnexpectedEnd { field }));
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_memory() {
    let endless = io::BufReader::new(io::repeat(b'7'));
    let error = Reader::new(endless).next().unwrap().unwrap_err();
    let ReadError::Parse(error) = error else {
        panic!("{error}")
    };
    assert_eq!(error.line, 1);
    assert_eq!(error.kind, ParseErrorKind::LineTooLong { limit: MAX_LINE });
}

#[test]
fn nothing_follows_an_error() {
    let text = format!("garbage\n{}", text());
    let mut reader = Reader::new(text.as_bytes());
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn an_empty_message_is_written_as_nist_does_and_read_back() {
    let mut record = read(&text()).unwrap().remove(0);
    record.message.clear();
    let mut writer = Writer::new(Vec::new(), Style::Pqclean, "").unwrap();
    writer.write(&record).unwrap();
    let text = String::from_utf8(writer.into_inner()).unwrap();
    assert!(text.contains("mlen = 0\nmsg = 00\n"));
    assert_eq!(read(&text).unwrap(), [record]);
}

#[test]
fn pqclean_style_separates_records_and_nist_style_ends_them() {
    let record = read(&text()).unwrap().remove(0);
    let write = |style| {
        let mut writer = Writer::new(Vec::new(), style, "Title").unwrap();
        writer.write(&record).unwrap();
        writer.write(&record).unwrap();
        String::from_utf8(writer.into_inner()).unwrap()
    };
    let nist = write(Style::Nist);
    let body = nist.strip_prefix("# Title\n\n").unwrap();
    assert_eq!(body.strip_suffix('\n').unwrap(), write(Style::Pqclean));
}
