//! A key document that is accepted holds a key; the document that is written
//! for it holds the same key.
#![no_main]

use falcon_core::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey, VerifyingKey};
use libfuzzer_sys::fuzz_target;

fn public<P: Parameters>(key: &VerifyingKey<P>) {
    let document = key.to_public_key_der().expect("a key can be written");
    let again = VerifyingKey::<P>::from_public_key_der(document.as_bytes());
    assert!(again.as_ref() == Ok(key));
}

fn private<P: Parameters>(key: &SigningKey<P>) {
    let document = key.to_pkcs8_der().expect("a key can be written");
    let again = SigningKey::<P>::from_pkcs8_der(document.as_bytes()).expect("and read again");
    let (key, again) = (key.to_bytes(), again.to_bytes());
    assert!((*key).as_ref() == (*again).as_ref());
}

fn decode<P: Parameters>(bytes: &[u8]) {
    if let Ok(key) = VerifyingKey::<P>::from_public_key_der(bytes) {
        public(&key);
    }
    if let Ok(key) = SigningKey::<P>::from_pkcs8_der(bytes) {
        private(&key);
    }
    let Ok(text) = core::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(key) = VerifyingKey::<P>::from_public_key_pem(text) {
        public(&key);
    }
    if let Ok(key) = SigningKey::<P>::from_pkcs8_pem(text) {
        private(&key);
    }
}

fuzz_target!(|bytes: &[u8]| {
    decode::<Falcon512>(bytes);
    decode::<Falcon1024>(bytes);
});
