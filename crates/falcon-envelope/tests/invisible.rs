//! Texts and paths refuse the invisible characters, and no others.

use falcon_envelope::{FilePath, PathError, TextError, check_text, is_invisible};

/// Tries every character in a text and in a path.
#[test]
fn every_invisible_character_is_refused_and_no_other() {
    for character in '\0'..=char::MAX {
        let invisible = is_invisible(character);
        let text = format!("a{character}b");
        let refused = invisible.then_some(TextError::Character(character));
        assert_eq!(check_text(&text).err(), refused);
        if !matches!(character, '/' | '\\') {
            let refused = invisible.then_some(PathError::Character(character));
            assert_eq!(FilePath::parse(&text).err(), refused);
        }
    }
}
