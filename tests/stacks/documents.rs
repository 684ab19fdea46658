//! Checks that no key of an encrypted document is left on the stack.

use crate::KEY_SEED;
use crate::search::{Search, Secret};
use falcon_core::{AnySigningKey, Falcon512, SigningKey};
use falcon_tests::Repeatable;
use pkcs8::EncryptedPrivateKeyInfoRef;
use std::hint::black_box;

/// Derives the key that encrypts a document from the passphrase.
fn key_of_document(document: &[u8], passphrase: &[u8]) -> Vec<u8> {
    let document = EncryptedPrivateKeyInfoRef::try_from(document).expect("it is encrypted");
    let scheme = &document.encryption_algorithm;
    let scrypt = scheme.pbes2().and_then(|scheme| scheme.kdf.scrypt());
    let scrypt = scrypt.expect("scrypt");
    let log_n = scrypt.cost_parameter.ilog2() as u8;
    let (r, p) = (scrypt.block_size.into(), scrypt.parallelization.into());
    let params = scrypt::Params::new(log_n, r, p).expect("parameters");
    let mut key = vec![0; 32];
    scrypt::scrypt(passphrase, scrypt.salt.as_ref(), &params, &mut key).expect("a key");
    key
}

#[test]
fn no_key_of_an_encrypted_document_is_left() {
    let passphrase = b"correct horse";
    let key = SigningKey::<Falcon512>::from_seed_boxed(&KEY_SEED).expect("no fault");
    // Every call draws the same salt.
    let write = || {
        let written = key.to_pkcs8_encrypted_der_with_rng(&mut Repeatable::new("salt"), passphrase);
        written.expect("it is written")
    };
    let document = write();
    let secret = key_of_document(document.as_bytes(), passphrase);
    let mut search = Search::new(vec![Secret::new("the key of the document", secret, 16, 16)]);
    search.after("a document encrypted", || {
        black_box(&write());
    });
    search.after("a document decrypted", || {
        let read = AnySigningKey::from_pkcs8_encrypted_der(document.as_bytes(), passphrase);
        black_box(&read.expect("a key"));
    });
    search.end();
}
