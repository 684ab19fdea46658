#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod table;

use core::cmp::Ordering;
use table::INVISIBLE;

/// Returns true if a character is a control character, a line end, or otherwise invisible. An
/// invisible character may change the direction of the text, join its neighbours, or take up no
/// space.
///
/// These are the Unicode categories Cc, Zl and Zp and the properties `Default_Ignorable_Code_Point`
/// and `Bidi_Control`, in version 16 of Unicode.
///
/// ```
/// use falcon_invisible::is_invisible;
///
/// assert!(is_invisible('\u{1b}') && is_invisible('\u{202e}') && is_invisible('\u{200b}'));
/// assert!(!is_invisible(' ') && !is_invisible('ä'));
/// ```
pub fn is_invisible(character: char) -> bool {
    let compare = |&(first, last): &(char, char)| {
        if last < character {
            Ordering::Less
        } else if first > character {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    };
    INVISIBLE.binary_search_by(compare).is_ok()
}
