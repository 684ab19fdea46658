//! Reads envelopes, trust lists and manifests. A text that can be read is written again byte for
//! byte, and no text can be read as two of these formats. Only the envelopes of the vectors verify.
//! No trust list begins with another one.
#![no_main]

use falcon_core::AnyVerifyingKey;
use falcon_envelope::{Envelope, Fingerprint, Revoked, SignedManifest, TrustList, UnreadManifest};
use falcon_fuzz_inputs::known::{ENVELOPE_FILES, TRUST_LIST};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TRUST: LazyLock<TrustList> =
    LazyLock::new(|| TrustList::parse(TRUST_LIST).expect("a stored list"));

/// Returns the key with this fingerprint, if it is a key of the vectors.
fn key(fingerprint: Fingerprint) -> Option<&'static AnyVerifyingKey> {
    let mut keys = TRUST.keys().iter();
    keys.find(|key| key.fingerprint() == fingerprint)
        .map(|key| key.key())
}

/// Panics if the bytes are not those of a vector, or of the envelope at its end.
fn expect_stored(bytes: &[u8]) {
    assert!(
        ENVELOPE_FILES
            .iter()
            .any(|(_, stored)| stored.ends_with(bytes)),
        "a valid envelope that is not in kat/envelope: a forgery, or a file of fuzz/seeds or \
         fuzz/corpus from before the vectors were renewed, to be removed"
    );
}

fuzz_target!(|bytes: &[u8]| {
    let mut formats = 0;
    if let Ok(envelope) = Envelope::parse(bytes) {
        formats += 1;
        assert!(envelope.to_string().as_bytes() == bytes);
        let _ = TRUST.signer_of(&envelope, Revoked::AcceptIfSignedBefore);
        if let Some(key) = key(envelope.unverified().key())
            && envelope.verify_statement(key).is_ok()
        {
            expect_stored(bytes);
        }
    }
    if let Ok(signed) = SignedManifest::parse(bytes) {
        formats += 1;
        assert!(signed.to_string().as_bytes() == bytes);
        let unread = UnreadManifest::read(bytes).expect("a manifest");
        assert!(unread.envelope() == signed.envelope());
        if let Some(key) = key(signed.envelope().unverified().key()) {
            let valid = signed.verify(key).is_ok();
            if valid {
                expect_stored(bytes);
            }
            assert!(valid == unread.verify(key).is_ok());
        }
    }
    // The reader only hashes the lines, so they may be malformed.
    if let Ok(unread) = UnreadManifest::read(bytes)
        && let Some(key) = key(unread.envelope().unverified().key())
        && unread.verify(key).is_ok()
    {
        expect_stored(bytes);
    }
    if let Ok(list) = TrustList::parse(bytes) {
        formats += 1;
        assert!(list.to_string().as_bytes() == bytes);
        // If a list loses its last lines, it must not be read as a list.
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').rev();
        let mut length = bytes.len();
        for line in lines {
            length -= line.len();
            assert!(TrustList::parse(&bytes[..length]).is_err());
        }
    }
    assert!(formats <= 1);
});

mutate_by!(mutate::text::mutate);
