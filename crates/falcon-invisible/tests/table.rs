//! Compares the invisible characters with those that Unicode defines. `FALCON_WRITE_TABLES=1`
//! writes the table.

use falcon_invisible::is_invisible;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use std::{env, fmt::Write, fs, path::Path};

/// Control characters, line ends, characters that are invisible by default, and characters that
/// change the direction of the text.
const CLASS: &str = r"[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]";

fn class() -> ClassUnicode {
    match regex_syntax::parse(CLASS).expect("a class").into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_table_is_that_of_unicode() {
    let mut table = String::from(
        "//! The ranges of invisible characters, written by the test `table`.\n\n\
        /// First and last character of each range, in order.\n\
        pub(crate) const INVISIBLE: &[(char, char)] = &[\n",
    );
    for range in class().ranges() {
        let [first, last] = [range.start(), range.end()].map(u32::from);
        writeln!(table, "    ('\\u{{{first:x}}}', '\\u{{{last:x}}}'),").expect("a string");
    }
    table.push_str("];\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/table.rs");
    if env::var_os("FALCON_WRITE_TABLES").is_some() {
        fs::write(&path, &table).expect("the table can be written");
    }
    assert_eq!(fs::read_to_string(path).expect("a table"), table);
}

#[test]
fn every_invisible_character_is_found_and_no_other() {
    let class = class();
    let expected = |character| {
        let ranges = class.ranges();
        ranges
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&character))
    };
    for character in '\0'..=char::MAX {
        assert_eq!(
            is_invisible(character),
            expected(character),
            "{character:?}"
        );
    }
}
