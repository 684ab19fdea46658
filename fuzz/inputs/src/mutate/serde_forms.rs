//! Keys and signatures in JSON (a string of hexadecimal digits) and in postcard (a length and
//! bytes).

use super::objects::{object, stored_object};
use super::{Rng, damage, one_in, pick};

/// Changes the object, or its form.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let is_json = bytes.first() == Some(&b'"');
    let object_bytes = if is_json {
        serde_json::from_slice::<String>(bytes)
            .ok()
            .and_then(|digits| base16ct::mixed::decode_vec(digits).ok())
    } else {
        postcard::from_bytes::<&[u8]>(bytes)
            .ok()
            .map(<[u8]>::to_vec)
    };
    let old = object_bytes.unwrap_or_else(|| stored_object(rng));
    let new = object(rng, &old).unwrap_or_else(|| stored_object(rng));
    let to_json = if one_in(rng, 4) { !is_json } else { is_json };
    let mut form = if to_json {
        let mut text = format!("\"{}\"", base16ct::lower::encode_string(&new)).into_bytes();
        let at = rng.usize(..text.len());
        match rng.u8(..8) {
            0 => text[at] = pick(rng, b"AF0g\"\\ "),
            1 => text.make_ascii_uppercase(),
            // Writes the digit 0 as an escape.
            2 => drop(text.splice(1..2, *b"\\u0030")),
            3 => text.insert(at, b'0'),
            4 => text.extend(b" \n"),
            _ => {}
        }
        text
    } else {
        postcard::to_allocvec(&new[..]).ok()?
    };
    if one_in(rng, 8) {
        damage(rng, &mut form);
    }
    Some(form)
}
