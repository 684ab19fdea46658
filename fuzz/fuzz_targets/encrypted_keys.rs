//! An encrypted key document that opens holds a key or an error, and one that
//! asks for too much work is refused at once.
#![no_main]

use falcon_core::pkcs8::pkcs5::pbes2::Kdf;
use falcon_core::pkcs8::{
    EncryptedPrivateKeyInfoRef, MAX_PBKDF2_ITERATIONS, MAX_SCRYPT_COST, decrypt_private_key,
};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_fuzz::PASSPHRASE;
use libfuzzer_sys::fuzz_target;

/// Work that is done for one input: little, so that many inputs get their turn.
const LITTLE: u64 = 1 << 10;

/// True if opening the document is quick: its work is little, or more than is ever done.
fn is_quick(document: &EncryptedPrivateKeyInfoRef<'_>) -> bool {
    let (cost, most) = match document.encryption_algorithm.pbes2().map(|p| &p.kdf) {
        Some(Kdf::Scrypt(scrypt)) => {
            let rp = u64::from(scrypt.block_size) * u64::from(scrypt.parallelization);
            (scrypt.cost_parameter.saturating_mul(rp), MAX_SCRYPT_COST)
        }
        Some(Kdf::Pbkdf2(pbkdf2)) => (pbkdf2.iteration_count.into(), MAX_PBKDF2_ITERATIONS.into()),
        _ => (0, 0),
    };
    cost <= LITTLE || cost > most
}

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
