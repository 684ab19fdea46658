//! Signers, and whether their keys may sign: one test for each rule.

mod common;

use common::{
    FILE, alice, at, bob, envelope, manifest, noon, sign, sign_at, signed_manifest, trust_list,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey, Falcon512, Signature, SigningKey};
use falcon_envelope::{
    Digest, Envelope, Fingerprint, Revoked, SignedManifest, Statement, StatementError, Subject,
    TextError, TrustError, TrustList, TrustListError, TrustedKey, VerifyError,
};

fn stranger() -> AnySigningKey {
    SigningKey::<Falcon512>::from_seed_boxed(&[3; 32])
        .expect("no fault")
        .into()
}

fn file() -> Subject {
    Subject::File(Digest::of(FILE))
}

#[test]
fn a_wrong_key_a_forgery_and_a_changed_file_are_told_apart() {
    let (envelope, digest) = (envelope(&alice()), Digest::of(FILE));
    let key = alice().verifying_key();
    assert!(envelope.verify_file(&key, &digest).is_ok());

    let wrong = VerifyError::WrongKey {
        named: Fingerprint::of(&key),
        found: Fingerprint::of(&stranger().verifying_key()),
    };
    assert_eq!(
        envelope.verify_file(&stranger().verifying_key(), &digest),
        Err(wrong)
    );
    // The error is the same if the file was changed as well.
    let other = Digest::of(b"order #43\n");
    assert_eq!(
        envelope.verify_file(&stranger().verifying_key(), &other),
        Err(wrong)
    );
    let (signed, found) = (digest.length(), other.length());
    let changed = VerifyError::Changed { signed, found };
    assert_eq!(envelope.verify_file(&key, &other), Err(changed));
    assert_eq!(changed.to_string(), "the content was changed");
    let longer = envelope.verify_file(&key, &Digest::of(b"order #42\n\n"));
    assert_eq!(
        longer.map_err(|error| error.to_string()),
        Err("the content was changed: 10 bytes were signed, 11 are there".to_owned())
    );

    // Every field of a statement is signed.
    let text = envelope.to_string();
    for (from, to) in [
        ("12:00:00Z", "12:00:01Z"),
        ("paid in full", "paid in part"),
        (" 10\n", " 11\n"),
        ("file: 6", "file: 7"),
        ("\ncomment: paid in full, für alle Zeit", ""),
    ] {
        let forged = Envelope::parse(text.replacen(from, to, 1).as_bytes()).expect("well formed");
        assert_ne!(forged, envelope, "{from}");
        assert_eq!(
            forged.verify_statement(&key),
            Err(VerifyError::Signature),
            "{from}"
        );
    }
}

#[test]
fn a_manifest_is_not_a_file() {
    let key = alice().verifying_key();
    let text = manifest().to_string();
    let Subject::Manifest(digest) = manifest().subject() else {
        panic!("not a manifest");
    };
    assert_eq!(digest, Digest::of(text.as_bytes()));
    // The signature of a file that looks like a manifest is not the signature of a manifest.
    let of_file = sign(&alice(), None, Subject::File(digest));
    assert!(of_file.verify_file(&key, &digest).is_ok());
    let signed = SignedManifest::new(manifest(), of_file);
    assert_eq!(signed.verify(&key), Err(VerifyError::Subject));
    let of_manifest = signed_manifest(&alice()).envelope().clone();
    assert_eq!(
        of_manifest.verify_file(&key, &digest),
        Err(VerifyError::Subject)
    );
}

#[test]
fn the_envelope_of_another_manifest_is_refused() {
    let key = alice().verifying_key();
    let mut entries = manifest().entries().to_vec();
    entries.pop();
    let fewer = falcon_envelope::Manifest::new(entries).expect("different paths");
    let signed = SignedManifest::new(fewer, signed_manifest(&alice()).envelope().clone());
    assert!(matches!(
        signed.verify(&key),
        Err(VerifyError::Changed { .. })
    ));
    assert!(signed_manifest(&alice()).verify(&key).is_ok());
}

/// An envelope refuses a plain signature of the same text, and the other way round.
#[test]
fn statements_have_a_hash_of_their_own() {
    let AnySigningKey::Falcon512(key) = alice() else {
        panic!("another parameter set");
    };
    let public = AnyVerifyingKey::from(key.verifying_key().clone());
    let statement = || Statement::new(&public, noon(), None, file()).expect("no comment");
    let bytes = statement().to_signed_bytes();
    let signature: Signature<Falcon512> = key
        .sign_with_rng(&mut rand::rng(), &bytes)
        .expect("no fault");
    assert_eq!(public.verify(&bytes, &signature.to_bytes()), Ok(()));
    let plain = statement()
        .with_signature(&signature.to_bytes())
        .expect("a padded signature");
    assert_eq!(plain.verify_statement(&public), Err(VerifyError::Signature));

    let key = AnySigningKey::from(key);
    let envelope = statement()
        .sign_with_rng(&mut rand::rng(), &key)
        .expect("a statement of this key");
    assert!(envelope.verify_statement(&public).is_ok());
    assert!(public.verify(&bytes, envelope.signature()).is_err());

    // Other programs can sign statements with `Statement::HASH`.
    let signature = key.sign_with_hash(&mut rand::rng(), &Statement::HASH, &bytes);
    let envelope = statement()
        .with_signature(&signature.expect("no fault"))
        .expect("a padded signature");
    assert!(envelope.verify_statement(&public).is_ok());
}

#[test]
fn a_statement_is_signed_by_the_key_that_it_names() {
    let statement = |comment| Statement::new(&alice().verifying_key(), noon(), comment, file());
    let signed = statement(None).and_then(|it| it.sign_with_rng(&mut rand::rng(), &stranger()));
    assert_eq!(signed, Err(StatementError::Key));
    let comment = StatementError::Comment(TextError::Character('\n'));
    assert_eq!(statement(Some("a\nsignature: b")), Err(comment));
    let short = statement(None).and_then(|statement| statement.with_signature(&[0x39; 600]));
    assert!(matches!(short, Err(StatementError::Signature(_))));
}

#[test]
fn the_list_says_who_signed() {
    let list = trust_list();
    let signer = list
        .signer_of(&envelope(&alice()), Revoked::Refuse)
        .expect("a known key");
    assert_eq!(signer.name(), "Alice <alice@example.org>");
    assert_eq!(signer.key(), &alice().verifying_key());

    let fingerprint = Fingerprint::of(&stranger().verifying_key());
    let unknown = list.signer_of(&envelope(&stranger()), Revoked::Refuse);
    assert_eq!(unknown, Err(TrustError::UnknownKey { fingerprint }));
    assert!(
        TrustList::default()
            .signer_of(&envelope(&alice()), Revoked::Refuse)
            .is_err()
    );

    // A stranger who writes Alice's fingerprint cannot sign as Alice.
    let statement = Statement::new(&alice().verifying_key(), noon(), None, file());
    let statement = statement.expect("no comment");
    let signature = stranger()
        .sign_with_hash(
            &mut rand::rng(),
            &Statement::HASH,
            &statement.to_signed_bytes(),
        )
        .expect("no fault");
    let forged = statement
        .with_signature(&signature)
        .expect("a padded signature");
    let refused = list.signer_of(&forged, Revoked::Refuse);
    assert_eq!(refused, Err(TrustError::Envelope(VerifyError::Signature)));
}

#[test]
fn the_first_and_the_last_second_count() {
    let list = trust_list();
    let judge = |time: &str| {
        let envelope = sign_at(&alice(), at(time), None, file());
        list.signer_of(&envelope, Revoked::Refuse)
            .map(TrustedKey::name)
    };
    assert!(matches!(
        judge("2024-12-31T23:59:59Z"),
        Err(TrustError::NotYetValid { .. })
    ));
    assert!(judge("2025-01-01T00:00:00Z").is_ok());
    assert!(judge("2025-12-31T23:59:59Z").is_ok());
    assert!(matches!(
        judge("2026-01-01T00:00:00Z"),
        Err(TrustError::Expired { .. })
    ));
}

#[test]
fn a_revoked_key_is_refused_unless_asked_and_signed_before() {
    let list = trust_list();
    let judge = |time: &str, revoked| {
        let envelope = sign_at(&bob(), at(time), None, file());
        list.signer_of(&envelope, revoked).map(TrustedKey::name)
    };
    let (before, at_once) = ("2025-06-30T23:59:59Z", "2025-07-01T00:00:00Z");
    for (time, signed_before) in [(before, true), (at_once, false)] {
        match judge(time, Revoked::Refuse) {
            Err(TrustError::Revoked {
                signed_before: told,
                revocation,
                ..
            }) => {
                assert_eq!(
                    (told, revocation.reason.as_str()),
                    (signed_before, "laptop stolen")
                );
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(judge(before, Revoked::AcceptIfSignedBefore), Ok("Bob"));
    let refused = judge(at_once, Revoked::AcceptIfSignedBefore);
    assert!(matches!(
        refused,
        Err(TrustError::Revoked {
            signed_before: false,
            ..
        })
    ));
    // The period also applies to a key that is revoked.
    let early = judge("2024-06-30T23:59:59Z", Revoked::AcceptIfSignedBefore);
    assert!(matches!(early, Err(TrustError::NotYetValid { .. })));
}

#[test]
fn a_removed_key_is_unknown() {
    let mut list = trust_list();
    let others: Vec<_> = list
        .keys()
        .iter()
        .filter(|key| key.name() != "Bob")
        .cloned()
        .collect();
    assert_eq!(list.remove("bob"), Err(TrustListError::UnknownName));
    assert_eq!(list, trust_list());
    assert_eq!(
        list.remove("Bob").map(|key| key.fingerprint()),
        Ok(Fingerprint::of(&bob().verifying_key()))
    );
    assert_eq!(list.keys(), others);
    let envelope = sign_at(&bob(), at("2025-06-01T00:00:00Z"), None, file());
    let refused = list.signer_of(&envelope, Revoked::Refuse);
    assert!(matches!(refused, Err(TrustError::UnknownKey { .. })));
}

#[test]
fn an_entry_is_checked_when_it_is_made() {
    let key = || stranger().verifying_key();
    let (from, until) = (at("2025-01-01T00:00:00Z"), at("2025-12-31T23:59:59Z"));
    assert_eq!(
        TrustedKey::new("C", key(), until..=from),
        Err(TrustListError::EmptyPeriod)
    );
    assert_eq!(
        TrustedKey::new("a\nb", key(), from..=until),
        Err(TrustListError::Text(TextError::Character('\n')))
    );
    let mut list = trust_list();
    let same_name = TrustedKey::new("Bob", key(), from..=until).expect("an entry");
    assert_eq!(list.add(same_name), Err(TrustListError::DuplicateName));
    let same_key = TrustedKey::new("C", bob().verifying_key(), from..=until).expect("an entry");
    assert_eq!(list.add(same_key), Err(TrustListError::DuplicateKey));
    assert_eq!(list, trust_list());
    let alice = "Alice <alice@example.org>";
    assert_eq!(
        list.revoke(alice, from, ""),
        Err(TrustListError::Text(TextError::Empty))
    );
    assert_eq!(
        list.revoke("C", from, "retired"),
        Err(TrustListError::UnknownName)
    );
    assert_eq!(list, trust_list());
    let revoked = list.revoke(alice, from, "retired").expect("a reason");
    assert_eq!(revoked.name(), alice);
    assert_eq!(list.to_string().parse(), Ok(list));
}

/// If a revocation could move to a later time, a list would accept signatures that the key's thief
/// made before it.
#[test]
fn a_revocation_moves_to_an_earlier_time_only() {
    let mut list = trust_list();
    let (before, time, after) = (
        at("2025-06-30T23:59:59Z"),
        at("2025-07-01T00:00:00Z"),
        at("2025-07-01T00:00:01Z"),
    );
    let refused = list.revoke("Bob", after, "laptop found");
    assert_eq!(refused, Err(TrustListError::RevokedBefore(time)));
    assert_eq!(list, trust_list());
    // With the same time, only the reason changes.
    for (time, reason) in [(time, "laptop lost"), (before, "laptop stolen")] {
        let revoked = list.revoke("Bob", time, reason).expect("not later");
        let revocation = revoked.revoked().expect("a revocation");
        assert_eq!(
            (revocation.time, revocation.reason.as_str()),
            (time, reason)
        );
    }
    let kept = list.clone();
    let refused = list.revoke("Bob", time, "laptop lost");
    assert_eq!(refused, Err(TrustListError::RevokedBefore(before)));
    assert_eq!(list, kept);
}

/// Lists 36,864 different keys.
fn many_keys() -> impl Iterator<Item = AnyVerifyingKey> {
    let mut bytes = bob().verifying_key().to_bytes().to_vec();
    (0..192 * 192).map(move |number| {
        // Keeps the coefficients below q.
        bytes[1] = (number % 192) as u8;
        bytes[2] = 0;
        bytes[3] = (number / 192) as u8;
        AnyVerifyingKey::try_from(bytes.clone()).expect("a key")
    })
}

/// Makes a list and a key. With the key, the list is too long if the key's name has 1024 bytes. The
/// names of the first keys are shorter by `spare` bytes together.
fn long_list(mut spare: usize) -> (TrustList, AnyVerifyingKey) {
    let mut text = "falcon-trust v1\n".to_owned();
    for (number, key) in many_keys().enumerate() {
        let len = 1024 - spare.min(1000);
        spare -= 1024 - len;
        let name = format!("{number:0>len$}");
        let entry = TrustedKey::new(&name, key.clone(), noon()..=noon()).expect("an entry");
        let entry = format!("\n{entry}");
        let end = format!("\nend: {number}\n");
        if text.len() + entry.len() + end.len() > TrustList::MAX_LEN {
            let list = TrustList::parse((text + &end).as_bytes()).expect("a list");
            return (list, key);
        }
        text += &entry;
    }
    panic!("too few keys");
}

/// No change may make a list longer than the parser accepts.
#[test]
fn a_key_that_makes_a_list_too_long_is_refused() {
    let (mut list, key) = long_list(2400);
    let before = list.clone();
    let entry = |name: &str| {
        let entry = TrustedKey::new(name, key.clone(), noon()..=noon());
        entry.expect("an entry")
    };
    let room = TrustList::MAX_LEN - list.to_string().len();
    let other = "\n".len() + entry("y").to_string().len() - "y".len();
    let name = "y".repeat(room - other);
    let refused = list.add(entry(&format!("{name}y")));
    assert_eq!(refused, Err(TrustListError::TooLong));
    assert_eq!(list, before);
    assert_eq!(list.add(entry(&name)), Ok(()));
    assert_eq!(list.to_string().len(), TrustList::MAX_LEN);
}

#[test]
fn a_revocation_that_makes_a_list_too_long_is_refused() {
    let (mut list, _) = long_list(0);
    let reason = "x".repeat(1024);
    let mut refused = None;
    for index in 0..4 {
        let before = list.clone();
        let name = format!("{index:0>1024}");
        if let Err(error) = list.revoke(&name, noon(), &reason) {
            assert_eq!(list, before);
            refused = Some((name, error));
            break;
        }
        assert!(list.to_string().len() <= TrustList::MAX_LEN);
    }
    let (name, error) = refused.expect("a list that would be too long");
    assert_eq!(error, TrustListError::TooLong);
    let index = list.keys().iter().position(|key| key.name() == name);
    let index = index.expect("the key");
    let room = TrustList::MAX_LEN - list.to_string().len();
    let line = "revoked: 2025-06-01T12:00:00Z\nreason: \n".len();
    let fits = "x".repeat(room - line);
    list.revoke(&name, noon(), &fits)
        .expect("a reason that fits");
    assert_eq!(list.to_string().len(), TrustList::MAX_LEN);
    // For a key that is already revoked, the length of the new reason counts, too.
    let longer = list.revoke(&name, noon(), &format!("{fits}x"));
    assert_eq!(longer, Err(TrustListError::TooLong));
    let kept = list.keys()[index].revoked().expect("a revocation");
    assert_eq!(kept.reason, fits);
    assert!(TrustList::parse(list.to_string().as_bytes()).is_ok());
}
