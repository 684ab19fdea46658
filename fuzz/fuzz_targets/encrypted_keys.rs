//! Opening an encrypted key document gives a key or an error. A document that requires too much
//! work is refused at once.
#![no_main]

use falcon_core::pkcs8::decrypt_private_key;
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_fuzz_inputs::known::{PASSPHRASE, is_quick};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use pkcs8::EncryptedPrivateKeyInfoRef;

fn open<P: Parameters>(bytes: &[u8]) {
    let Ok(key) = SigningKey::<P>::from_pkcs8_encrypted_der(bytes, PASSPHRASE) else {
        return;
    };
    let encoded = key.to_bytes();
    let again = SigningKey::<P>::try_from((*encoded).as_ref()).expect("its own encoding");
    assert!((*again.to_bytes()).as_ref() == (*encoded).as_ref());
    assert!(decrypt_private_key(bytes, PASSPHRASE).is_ok());
}

fuzz_target!(|bytes: &[u8]| {
    if EncryptedPrivateKeyInfoRef::try_from(bytes).is_ok_and(|document| !is_quick(&document)) {
        return;
    }
    open::<Falcon512>(bytes);
    open::<Falcon1024>(bytes);
});

mutate_by!(mutate::encrypted::mutate);
