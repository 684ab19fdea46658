//! Verifies certificates, requests and revocation lists. A document that verifies equals a vector
//! byte for byte, since nobody else has these keys.
#![no_main]

use falcon_core::AnyVerifyingKey;
use falcon_core::pkcs8::der::pem::decode_vec;
use falcon_fuzz_inputs::known::certificates;
use falcon_fuzz_inputs::{mutate, mutate_by};
use falcon_x509::{
    subject_key, verify_certificate, verify_request, verify_revocation_list, verify_self_signed,
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// The vectors, and the keys of their certificates.
static KNOWN: LazyLock<(Vec<Vec<u8>>, Vec<AnyVerifyingKey>)> = LazyLock::new(|| {
    let documents = certificates();
    let certificates = documents
        .iter()
        .filter_map(|der| verify_self_signed(der).ok());
    let keys = certificates
        .map(|certificate| {
            subject_key(certificate.tbs_certificate().subject_public_key_info()).expect("a key")
        })
        .collect();
    (documents, keys)
});

fuzz_target!(|bytes: &[u8]| {
    let decoded;
    let der = match decode_vec(bytes) {
        Ok((_, der)) => {
            decoded = der;
            &decoded[..]
        }
        Err(_) => bytes,
    };
    let (documents, keys) = &*KNOWN;
    let verified = verify_self_signed(der).is_ok()
        || verify_request(der).is_ok()
        || keys.iter().any(|key| {
            verify_certificate(der, key).is_ok() || verify_revocation_list(der, key).is_ok()
        });
    assert_eq!(verified, documents.iter().any(|known| known == der));
});

mutate_by!(mutate::documents::mutate);
