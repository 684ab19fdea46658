//! Encrypted key documents. The mutator changes the tree of the document, or the plain document
//! inside.

use super::{Rng, documents, one_in, pick};
use crate::known::{PASSPHRASE, is_quick};
use falcon_core::pkcs8::decrypt_private_key;
use falcon_core::pkcs8::der::{Encode, asn1::OctetStringRef};
use pkcs8::EncryptedPrivateKeyInfoRef;
use pkcs8::pkcs5::pbes2::{EncryptionScheme, Parameters, Pbkdf2Params, Salt, ScryptParams};

/// Changes the document, or the plain document inside.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    if rng.bool() {
        return documents::mutate_der(rng, bytes);
    }
    let document = EncryptedPrivateKeyInfoRef::try_from(bytes).ok()?;
    if !is_quick(&document) {
        return documents::mutate_der(rng, bytes);
    }
    let plain = decrypt_private_key(bytes, PASSPHRASE).ok()?;
    let mut plain = plain.as_bytes().to_vec();
    if !one_in(rng, 4) {
        plain = documents::mutate_der(rng, &plain)?;
    }
    encrypt(any_parameters(rng)?, &plain)
}

/// Makes parameters of little cost.
fn any_parameters(rng: &mut Rng) -> Option<Parameters> {
    let (salt, iv) = ([1; 16], [2; 16]);
    let length = pick(rng, &[8, 16]);
    let kdf = if rng.bool() {
        let scrypt = ScryptParams {
            salt: Salt::new(&salt[..length]).ok()?,
            cost_parameter: pick(rng, &[2, 4, 16]),
            block_size: pick(rng, &[1, 2]),
            parallelization: pick(rng, &[1, 2]),
            key_length: pick(rng, &[None, Some(32), Some(16)]),
        };
        scrypt.into()
    } else {
        let iterations = pick(rng, &[1, 2, 10]);
        Pbkdf2Params::hmac_sha256(iterations, &salt[..length])
            .ok()?
            .into()
    };
    let schemes = [
        EncryptionScheme::Aes128Cbc { iv },
        EncryptionScheme::Aes192Cbc { iv },
        EncryptionScheme::Aes256Cbc { iv },
    ];
    Some(Parameters {
        kdf,
        encryption: pick(rng, &schemes),
    })
}

/// Encrypts a plain document.
pub fn encrypt(parameters: Parameters, plain: &[u8]) -> Option<Vec<u8>> {
    let data = parameters.encrypt(PASSPHRASE, plain).ok()?;
    let info = EncryptedPrivateKeyInfoRef {
        encryption_algorithm: parameters.into(),
        encrypted_data: OctetStringRef::new(&data).ok()?,
    };
    info.to_der().ok()
}
