//! An envelope, a trust list or a manifest that is read is written again byte for byte, and no text
//! is two of them. Only the envelopes that the vectors begin with verify.
#![no_main]

use falcon_core::AnyVerifyingKey;
use falcon_envelope::{Envelope, Fingerprint, Revoked, SignedManifest, TrustList};
use falcon_fuzz::{ENVELOPE_FILES, TRUST_LIST};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TRUST: LazyLock<TrustList> =
    LazyLock::new(|| TrustList::parse(TRUST_LIST).expect("a stored list"));

/// The key that the envelope names, if it is one of the vectors'.
fn key(fingerprint: Fingerprint) -> Option<&'static AnyVerifyingKey> {
    let mut keys = TRUST.keys().iter();
    keys.find(|key| key.fingerprint() == fingerprint)
        .map(|key| key.key())
}

/// Whether the bytes are those of a vector, or of the envelope at its end.
fn is_stored(bytes: &[u8]) -> bool {
    ENVELOPE_FILES
        .iter()
        .any(|(_, stored)| stored.ends_with(bytes))
}

fuzz_target!(|bytes: &[u8]| {
    let mut formats = 0;
    if let Ok(envelope) = Envelope::parse(bytes) {
        formats += 1;
        assert!(envelope.to_string().as_bytes() == bytes);
        let _ = TRUST.signer_of(&envelope, Revoked::AcceptIfSignedBefore);
        if let Some(key) = key(envelope.unverified().key()) {
            assert!(envelope.verify_statement(key).is_err() || is_stored(bytes));
        }
    }
    if let Ok(signed) = SignedManifest::parse(bytes) {
        formats += 1;
        assert!(signed.to_string().as_bytes() == bytes);
        if let Some(key) = key(signed.envelope().unverified().key()) {
            assert!(signed.verify(key).is_err() || is_stored(bytes));
        }
    }
    if let Ok(list) = TrustList::parse(bytes) {
        formats += 1;
        assert!(list.to_string().as_bytes() == bytes);
    }
    assert!(formats <= 1);
});
