//! Parsing a text and writing the value gives the same bytes. Writing a value and parsing the text
//! gives the same value.

mod common;

use common::{alice, bob, envelope, sign_at, signed_manifest, trust_list};
use falcon_core::AnyVerifyingKey;
use falcon_envelope::{
    Digest, Entry, Envelope, FilePath, Manifest, SignedManifest, Subject, Time, TrustList,
    UnreadManifest, is_invisible,
};
use proptest::prelude::*;
use std::sync::LazyLock;

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    vec![
        envelope(&alice()).to_string(),
        envelope(&bob()).to_string(),
        signed_manifest(&alice()).to_string(),
        trust_list().to_string(),
    ]
});

/// The key that signed the manifest.
static KEY: LazyLock<AnyVerifyingKey> = LazyLock::new(|| alice().verifying_key());

/// Returns true if a parser accepts the text. Checks that writing the value gives the same text.
fn is_read(bytes: &[u8]) -> bool {
    let written = [
        Envelope::parse(bytes).ok().map(|it| it.to_string()),
        SignedManifest::parse(bytes).ok().map(|it| it.to_string()),
        TrustList::parse(bytes).ok().map(|it| it.to_string()),
    ];
    if let Ok(signed) = SignedManifest::parse(bytes) {
        let unread = UnreadManifest::read(bytes).expect("a manifest");
        assert_eq!(unread.envelope(), signed.envelope());
        let key = &*KEY;
        assert_eq!(unread.verify(key).err(), signed.verify(key).err());
    }
    let mut written = written.into_iter().flatten();
    let first = written.next();
    if let Some(text) = &first {
        assert_eq!(text.as_bytes(), bytes);
    }
    assert_eq!(written.next(), None, "two formats");
    first.is_some()
}

#[test]
fn the_texts_are_read() {
    assert!(TEXTS.iter().all(|text| is_read(text.as_bytes())));
}

/// Makes texts with one small edit: up to two characters are inserted, and one may be removed.
fn edited() -> impl Strategy<Value = String> {
    let edit = (
        0..4_usize,
        any::<prop::sample::Index>(),
        "[ \\n\\r0aAzZ:=é\u{202e}\\\\./-]{0,2}",
        any::<bool>(),
    );
    edit.prop_map(|(text, index, new, replace)| {
        let text = &TEXTS[text];
        let places: Vec<_> = text.char_indices().map(|(place, _)| place).collect();
        let place = places[index.index(places.len())];
        let (before, after) = text.split_at(place);
        let removed = after
            .chars()
            .next()
            .filter(|_| replace)
            .map_or(0, char::len_utf8);
        format!("{before}{new}{}", &after[removed..])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn an_edited_text_is_refused_or_written_as_it_is(text in edited()) {
        is_read(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_refused_or_written_as_they_are(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        is_read(&bytes);
    }
}

/// Makes texts of visible characters and inner spaces.
fn comments() -> impl Strategy<Value = String> {
    let texts = "[^\\p{C}\\s]([^\\p{C}\\s]| ){0,40}[^\\p{C}\\s]";
    // The classes of characters also match invisible characters.
    texts.prop_map(|text| text.replace(is_invisible, "x"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn what_can_be_signed_can_be_read(
        comment in prop::option::of(comments()),
        seconds in 0..=Time::MAX.as_unix(),
        files in prop::collection::btree_map("[a-z]{1,3}(/[ä-ö.]{3,5}){0,2}", any::<u64>(), 0..5),
    ) {
        let time = Time::from_unix(seconds).expect("within the years");
        let entries = files.iter().map(|(path, seed)| Entry {
            path: FilePath::parse(path).expect("a path"),
            digest: Digest::of(&seed.to_le_bytes()),
        });
        let manifest = Manifest::new(entries.collect()).expect("different paths");
        let subject = manifest.subject();
        prop_assert!(matches!(subject, Subject::Manifest(_)));
        let envelope = sign_at(&alice(), time, comment.as_deref(), subject);
        let signed = SignedManifest::new(manifest, envelope);
        let read: SignedManifest = signed.to_string().parse().expect("its own text");
        let (_, statement) = read.verify(&alice().verifying_key()).expect("its own signature");
        prop_assert_eq!(statement.comment(), comment.as_deref());
        prop_assert_eq!(statement.time(), time);
        prop_assert_eq!(&read, &signed);
    }
}
