//! Fingerprints: short names of public keys.

use crate::sets::Set;
use falcon_keccak::Shake256;

/// Prefix of the hashed bytes, so that no other use of SHAKE256 hashes the same bytes.
const DOMAIN: &[u8] = b"Classic McEliece public key fingerprint\0";

/// Returns the fingerprint in hexadecimal: 16 bytes of SHAKE256 of [`DOMAIN`], the name of the set
/// in lower case, a zero byte and the public key.
pub(crate) fn fingerprint(set: &Set, public_key: &[u8]) -> String {
    let mut hash = Shake256::new();
    hash.update(DOMAIN)
        .update(set.name.as_bytes())
        .update(&[0])
        .update(public_key);
    base16ct::lower::encode_string(&hash.finalize().read_array::<16>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::find;

    #[test]
    fn a_fingerprint_binds_the_set_and_the_key() {
        let of = |name, key| fingerprint(find(name).unwrap(), key);
        let first = of("mceliece348864", b"key");
        assert_eq!(first.len(), 32);
        assert_ne!(first, of("mceliece348864f", b"key"));
        assert_ne!(first, of("mceliece348864", b"kez"));
    }
}
