//! Reads files of `mceliece-cli`, PEM and raw bytes. Each object that the reader accepts has a
//! valid encoding, and the reader accepts a file written from that object.
//!
//! Public keys are long, so an input only describes a file: parameter set, kind, wrapping, options
//! of the reader, changes of the encoding, and changes of the text of the file. The reader must
//! accept a file without changes.
#![no_main]

// The program has no library, so its source file is included.
#[allow(dead_code, reason = "the reader alone is used")]
#[path = "../../crates/mceliece-cli/src/object.rs"]
mod object;
#[allow(dead_code, reason = "the reader alone is used")]
#[path = "../../crates/mceliece-cli/src/sets.rs"]
mod sets;

use libfuzzer_sys::fuzz_target;
use object::{Container, Kind, decode, encode};
use sets::{SETS, Set, find};
use std::sync::LazyLock;
use zeroize::Zeroizing;

const KINDS: [Kind; 3] = [Kind::PublicKey, Kind::SecretKey, Kind::Ciphertext];

/// Returns a valid secret key of a set with `f`.
fn secret_key(set: &Set) -> &'static [u8] {
    fn generated(name: &str) -> Vec<u8> {
        (find(name).expect("a set").keygen)(&[7; 32]).0.to_vec()
    }
    static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| generated("mceliece348864f"));
    static LARGE: LazyLock<Vec<u8>> = LazyLock::new(|| generated("mceliece6960119f"));
    match set.name {
        "mceliece348864f" => &SMALL,
        _ => &LARGE,
    }
}

/// Makes `changes`. Each sets one byte: three bytes give its place, and the fourth its value.
fn change(bytes: &mut [u8], changes: &[[u8; 4]]) {
    for [a, b, c, value] in changes {
        let place = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        if let Some(len) = std::num::NonZero::new(bytes.len()) {
            bytes[place % len] = *value;
        }
    }
}

/// Changes the text of a file: near its beginning, near its end, or as a whole.
fn edit(text: &mut Vec<u8>, edits: &[[u8; 4]]) {
    for [what, low, high, value] in edits {
        let distance = usize::from(u16::from_le_bytes([*low, *high]));
        let place = match what & 1 {
            0 => distance.min(text.len()),
            _ => text.len().saturating_sub(distance),
        };
        match what >> 1 & 7 {
            0 | 1 if place < text.len() => text[place] = *value,
            2 if place < text.len() => drop(text.remove(place)),
            3 => text.insert(place, *value),
            4 => text.truncate(place),
            5 => text.extend_from_within(place..),
            6 => drop(text.drain(..place)),
            _ => {}
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [set, how, named, wanted, count, rest @ ..] = bytes else {
        return;
    };
    let kind = KINDS[usize::from(how & 3) % 3];
    let raw = how & 4 != 0;
    let mut set = &SETS[usize::from(*set) % SETS.len()];
    let mut encoding = match kind {
        Kind::PublicKey => vec![0; set.public_key_len],
        Kind::Ciphertext => vec![0; set.ciphertext_len],
        Kind::SecretKey => {
            let name = ["mceliece348864f", "mceliece6960119f"][usize::from(how >> 3 & 1)];
            set = find(name).expect("a set");
            let key = secret_key(set);
            let len = [key.len(), 40, 32][usize::from(how >> 4 & 3) % 3];
            key[..len].to_vec()
        }
    };
    let named = match named {
        0..128 => None,
        128..192 => Some(set),
        _ => Some(&SETS[usize::from(*named) % SETS.len()]),
    };
    let wanted = match wanted {
        0..128 => None,
        128..192 => Some(kind),
        _ => Some(KINDS[usize::from(*wanted) % 3]),
    };
    let chunks = rest.as_chunks().0;
    let (changes, edits) = chunks.split_at(chunks.len().min(*count as usize % 8));
    change(&mut encoding, changes);
    let mut text = encode(set, kind, &encoding, raw).expect("memory").to_vec();
    edit(&mut text, edits);

    let read = decode(Zeroizing::new(text), named, wanted);
    let Ok(object) = read else {
        let told = named.is_none_or(|named| named.name == set.name)
            && wanted.is_none_or(|wanted| wanted == kind);
        let enough = !raw || named.is_some();
        let unchanged = changes.is_empty() && edits.is_empty();
        assert!(!(told && enough && unchanged), "a valid file is refused");
        return;
    };
    assert!(named.is_none_or(|named| named.name == object.set.name));
    assert!(wanted.is_none_or(|wanted| wanted == object.kind));
    let raw = object.container == Container::Raw;
    let again = encode(object.set, object.kind, &object.bytes, raw).expect("memory");
    let again = decode(again, Some(object.set), Some(object.kind)).ok();
    let again = again.expect("what is written is read");
    assert_eq!(again.bytes, object.bytes);
    assert_eq!(again.container, object.container);
    assert_eq!(again.set.name, object.set.name);
});
