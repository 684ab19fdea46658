//! Characters that a reader cannot see.

use crate::invisible_table::INVISIBLE;
use std::cmp::Ordering;

/// Whether a character is a control character or a line end, or is invisible otherwise: it may
/// turn the direction of the text, join its neighbours, or just fill no space.
///
/// These are the Unicode categories Cc, Zl and Zp and the properties `Default_Ignorable_Code_Point`
/// and `Bidi_Control`, in version 16 of Unicode. Texts and paths with such a character are refused
/// by the formats of this crate. A program that prints other foreign text should escape them.
///
/// ```
/// use falcon_envelope::is_invisible;
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
