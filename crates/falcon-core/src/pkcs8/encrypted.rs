//! Private keys under a passphrase, as PBES2 (RFC 8018). They are written with scrypt and
//! AES-256-CBC. The cost is `N` = 2^14, `r` = 8, `p` = 1, which OpenSSL reads with its default
//! limits.
//!
//! Decrypting runs the key derivation that the file specifies. Its cost is checked first, so that a
//! file cannot make the reader spend too much time or memory.

use super::{
    DecodePrivateKey, EncodePrivateKey, Error, KeyUse, PrivateKeyInfoRef, Result, SecretDocument,
    der::asn1::OctetStringRef,
};
use crate::any::AnySigningKey;
use crate::keys::SigningKey;
use crate::lanes::wipe_below;
use crate::params::Parameters;
use ::pkcs8::EncryptedPrivateKeyInfoRef;
use ::pkcs8::pkcs5::{self, pbes2};
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;
#[cfg(feature = "pem")]
use {
    super::{LineEnding, der::pem::PemLabel},
    alloc::string::String,
};

/// Largest accepted `N r p` of scrypt, a bound on the time: one or two seconds. The memory is
/// `128 r (N + p)` bytes. Documents have `r` below 65,536, so it is 264 MiB at most.
pub const MAX_SCRYPT_COST: u64 = 1 << 21;
/// Largest accepted cost of PBKDF2: the number of iterations, times the number of outputs of the
/// hash that make up the cipher's key, times 7 with SHA-384 and SHA-512.
///
/// So a document may ask for 10,000,000 iterations of HMAC-SHA-256 or for 1,428,571 of
/// HMAC-SHA-512, which take about as long.
pub const MAX_PBKDF2_COST: u64 = 10_000_000;

/// The methods of encrypted documents, the same for every type of signing key.
macro_rules! encrypted_documents {
    ($key:ty, $($generics:tt)*) => {
        impl<$($generics)*> $key {
            /// Encrypts the PKCS#8 document under `passphrase`, with salt and IV from `rng`.
            ///
            /// # Errors
            /// If `rng` fails.
            pub fn to_pkcs8_encrypted_der_with_rng<R: TryCryptoRng>(
                &self,
                rng: &mut R,
                passphrase: impl AsRef<[u8]>,
            ) -> Result<SecretDocument> {
                encrypt_private_key(rng, self.to_pkcs8_der()?.as_bytes(), passphrase)
            }

            /// Encrypts the PKCS#8 document under `passphrase`, as PEM labelled `ENCRYPTED PRIVATE
            /// KEY`.
            ///
            /// # Errors
            /// If `rng` fails.
            #[cfg(feature = "pem")]
            pub fn to_pkcs8_encrypted_pem_with_rng<R: TryCryptoRng>(
                &self,
                rng: &mut R,
                passphrase: impl AsRef<[u8]>,
                line_ending: LineEnding,
            ) -> Result<Zeroizing<String>> {
                let document = self.to_pkcs8_encrypted_der_with_rng(rng, passphrase)?;
                Ok(document.to_pem(EncryptedPrivateKeyInfoRef::PEM_LABEL, line_ending)?)
            }

            /// Decrypts and decodes a PKCS#8 document under `passphrase`.
            ///
            /// # Errors
            /// As for [`DecodePrivateKey::from_pkcs8_der`]. Also if the passphrase is wrong, if the
            /// scheme is not PBES2, or if its cost is above [`MAX_SCRYPT_COST`] or
            /// [`MAX_PBKDF2_COST`].
            pub fn from_pkcs8_encrypted_der(bytes: &[u8], passphrase: impl AsRef<[u8]>) -> Result<Self> {
                open_der(bytes, passphrase)
            }

            /// Decrypts and decodes a document in PEM, labelled `ENCRYPTED PRIVATE KEY`.
            ///
            /// Needs the features `encryption` and `pem`.
            ///
            /// # Errors
            /// As for [`from_pkcs8_encrypted_der`](Self::from_pkcs8_encrypted_der).
            #[cfg(feature = "pem")]
            pub fn from_pkcs8_encrypted_pem(text: &str, passphrase: impl AsRef<[u8]>) -> Result<Self> {
                open_pem(text, passphrase)
            }
        }
    };
}

encrypted_documents!(SigningKey<P>, P: Parameters);
encrypted_documents!(AnySigningKey,);

/// Decrypts a document at bounded cost and decodes the key in it.
pub(super) fn open_der<K: DecodePrivateKey>(
    bytes: &[u8],
    passphrase: impl AsRef<[u8]>,
) -> Result<K> {
    K::from_pkcs8_der(decrypt_private_key(bytes, passphrase)?.as_bytes())
}

/// Does the same as [`open_der`] for a document in PEM.
#[cfg(feature = "pem")]
pub(super) fn open_pem<K: DecodePrivateKey>(text: &str, passphrase: impl AsRef<[u8]>) -> Result<K> {
    EncryptedPrivateKeyInfoRef::validate_pem_label(super::text::label(text)?)?;
    open_der(&super::text::content(text)?, passphrase)
}

/// Decrypts a PKCS#8 document under `passphrase` and returns the plain document, for programs that
/// do not know the type of the key beforehand.
///
/// # Errors
/// If the document is malformed, the passphrase is wrong, the scheme is not
/// PBES2, or its cost is above [`MAX_SCRYPT_COST`] or
/// [`MAX_PBKDF2_COST`].
pub fn decrypt_private_key(bytes: &[u8], passphrase: impl AsRef<[u8]>) -> Result<SecretDocument> {
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(bytes)?;
    let scheme = &encrypted.encryption_algorithm;
    check_cost(scheme)?;
    // Decrypts in place, so that the decrypted bytes are wiped even if they turn out to be damaged.
    let mut data = Zeroizing::new(encrypted.encrypted_data.as_bytes().to_vec());
    let plain = on_wiped_stack(|| scheme.decrypt_in_place(passphrase, &mut data))?;
    Ok(SecretDocument::try_from(plain)?)
}

/// Runs `work` and wipes the stack that it used, since the crates of the cipher and of the key
/// derivation leave the document's key there.
fn on_wiped_stack<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn in_a_frame<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let result = in_a_frame(work);
    wipe_below::<4096>();
    result
}

/// Encrypts a PKCS#8 document under `passphrase`, with salt and IV from `rng`.
///
/// The methods of keys encrypt the documents that they write themselves. This function is for
/// documents with more content, such as a [`KeyUse`].
///
/// ```
/// use falcon_core::pkcs8::{EncodePrivateKey, KeyUse, decrypt_private_key, encrypt_private_key};
/// use falcon_core::{Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
///
/// let key = SigningKey::<Falcon512>::from_seed(&[1; 32])?;
/// let marked = KeyUse::CertificatesOnly.write(key.to_pkcs8_der()?.as_bytes())?;
/// let encrypted = encrypt_private_key(&mut getrandom::SysRng, marked.as_bytes(), "horse")?;
/// let plain = decrypt_private_key(encrypted.as_bytes(), "horse")?;
/// assert_eq!(KeyUse::of_document(plain.as_bytes())?, KeyUse::CertificatesOnly);
/// # Ok(())
/// # }
/// ```
///
/// The key in `document` is not decoded: it may be of another algorithm.
///
/// # Errors
/// [`Error::EncryptedPrivateKey`] if `document` is encrypted already, or if `rng` fails.
/// [`Error::Asn1`] with `ErrorKind::Pem` if it is PEM. The errors of
/// [`KeyUse::of_document`] if it is not PKCS#8 in DER.
pub fn encrypt_private_key<R: TryCryptoRng>(
    rng: &mut R,
    document: &[u8],
    passphrase: impl AsRef<[u8]>,
) -> Result<SecretDocument> {
    // Bytes that are not a document could not be read again.
    KeyUse::of_document(document).map_err(|error| match error {
        Error::EncryptedPrivateKey(_) => pkcs5::Error::EncryptFailed.into(),
        error => error,
    })?;
    PrivateKeyInfoRef::try_from(document)?;
    let parameters = pbes2::Parameters::generate_recommended(rng)?;
    let data = on_wiped_stack(|| parameters.encrypt(passphrase, document))?;
    let encrypted = EncryptedPrivateKeyInfoRef {
        encryption_algorithm: parameters.into(),
        encrypted_data: OctetStringRef::new(&data)?,
    };
    Ok(SecretDocument::encode_msg(&encrypted)?)
}

/// Returns the cost of deriving a key of `key_len` bytes, in iterations of HMAC-SHA-256.
///
/// PBKDF2 runs all iterations again for each output of the hash. On a processor with instructions
/// for SHA-256, an iteration of HMAC-SHA-512 takes as long as 7 iterations of HMAC-SHA-256 (1.2 and
/// 0.17 microseconds).
fn pbkdf2_cost(pbkdf2: &pbes2::Pbkdf2Params, key_len: usize) -> u64 {
    let (output_len, weight) = match pbkdf2.prf {
        pbes2::Pbkdf2Prf::HmacWithSha1 => (20, 1),
        pbes2::Pbkdf2Prf::HmacWithSha224 => (28, 1),
        pbes2::Pbkdf2Prf::HmacWithSha256 => (32, 1),
        pbes2::Pbkdf2Prf::HmacWithSha384 => (48, 7),
        pbes2::Pbkdf2Prf::HmacWithSha512 => (64, 7),
        // The cost of another hash is unknown.
        _ => return u64::MAX,
    };
    u64::from(pbkdf2.iteration_count) * key_len.div_ceil(output_len) as u64 * weight
}

/// Refuses a key derivation that would take too much time or memory, or whose parameters are
/// invalid: `N` must be a power of two above one, `r` and `p` positive.
fn check_cost(scheme: &pkcs5::EncryptionScheme) -> Result<()> {
    let parameters = scheme.pbes2();
    let kdf = parameters.map(|parameters| &parameters.kdf);
    let key_len = parameters.map_or(0, |parameters| parameters.encryption.key_size());
    let affordable = match kdf {
        Some(pbes2::Kdf::Scrypt(scrypt)) => {
            let [n, r, p] = [
                scrypt.cost_parameter,
                scrypt.block_size.into(),
                scrypt.parallelization.into(),
            ];
            // r p < 2^32, so only the product with N can overflow 64 bits.
            n > 1
                && n.is_power_of_two()
                && r * p > 0
                && n.checked_mul(r * p)
                    .is_some_and(|cost| cost <= MAX_SCRYPT_COST)
        }
        Some(pbes2::Kdf::Pbkdf2(pbkdf2)) => {
            (1..=MAX_PBKDF2_COST).contains(&pbkdf2_cost(pbkdf2, key_len))
        }
        _ => false,
    };
    if affordable {
        Ok(())
    } else {
        let oid = kdf.map_or(scheme.oid(), pbes2::Kdf::oid);
        Err(Error::EncryptedPrivateKey(
            pkcs5::Error::AlgorithmParametersInvalid { oid },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AES_128: pbes2::EncryptionScheme = pbes2::EncryptionScheme::Aes128Cbc { iv: [0; 16] };
    const AES_192: pbes2::EncryptionScheme = pbes2::EncryptionScheme::Aes192Cbc { iv: [0; 16] };
    const AES_256: pbes2::EncryptionScheme = pbes2::EncryptionScheme::Aes256Cbc { iv: [0; 16] };

    fn is_affordable(kdf: pbes2::Kdf, encryption: pbes2::EncryptionScheme) -> bool {
        check_cost(&pbes2::Parameters { kdf, encryption }.into()).is_ok()
    }

    fn salt() -> pbes2::Salt {
        pbes2::Salt::new([7; 16]).expect("16 bytes")
    }

    #[test]
    fn scrypt_is_run_up_to_its_bound() {
        let affordable = |n, r, p| {
            let scrypt = pbes2::ScryptParams {
                salt: salt(),
                cost_parameter: n,
                block_size: r,
                parallelization: p,
                key_length: None,
            };
            is_affordable(scrypt.into(), AES_256)
        };
        assert!(affordable(2, 1, 1));
        assert!(affordable(1 << 14, 8, 1));
        // The products are 2^21, the bound. With the next larger value of any factor, the product
        // is above the bound.
        for [n, r, p] in [[1 << 21, 1, 1], [2, 1 << 15, 1 << 5], [2, 1 << 5, 1 << 15]] {
            assert!(affordable(n, r as u16, p as u16), "{n} {r} {p}");
            assert!(!affordable(2 * n, r as u16, p as u16), "{n} {r} {p}");
            assert!(!affordable(n, r as u16 + 1, p as u16), "{n} {r} {p}");
            assert!(!affordable(n, r as u16, p as u16 + 1), "{n} {r} {p}");
        }
        for n in [0, 1, 3, 6, (1 << 20) + 1, u64::MAX] {
            assert!(!affordable(n, 1, 1), "{n}");
        }
        for [r, p] in [[0, 0], [0, 1], [1, 0]] {
            assert!(!affordable(2, r, p), "{r} {p}");
        }
        // The product would wrap to zero.
        assert!(!affordable(1 << 63, 2, 1));
    }

    fn pbkdf2_is_affordable(
        prf: pbes2::Pbkdf2Prf,
        encryption: pbes2::EncryptionScheme,
        iteration_count: u32,
    ) -> bool {
        let pbkdf2 = pbes2::Pbkdf2Params {
            salt: salt(),
            iteration_count,
            key_length: None,
            prf,
        };
        is_affordable(pbkdf2.into(), encryption)
    }

    #[test]
    fn pbkdf2_is_run_up_to_its_bound() {
        use pbes2::Pbkdf2Prf::{
            HmacWithSha1, HmacWithSha224, HmacWithSha256, HmacWithSha384, HmacWithSha512,
        };
        for (prf, most) in [
            (HmacWithSha1, [10_000_000, 5_000_000, 5_000_000]),
            (HmacWithSha224, [10_000_000, 10_000_000, 5_000_000]),
            (HmacWithSha256, [10_000_000; 3]),
            (HmacWithSha384, [1_428_571; 3]),
            (HmacWithSha512, [1_428_571; 3]),
        ] {
            for (encryption, most) in [AES_128, AES_192, AES_256].into_iter().zip(most) {
                for count in [1, 2, most] {
                    assert!(
                        pbkdf2_is_affordable(prf, encryption, count),
                        "{prf:?} {count}"
                    );
                }
                for count in [0, most + 1, u32::MAX] {
                    assert!(
                        !pbkdf2_is_affordable(prf, encryption, count),
                        "{prf:?} {count}"
                    );
                }
            }
        }
    }

    /// Checks iteration counts that are usual or recommended. Even six times as many are accepted.
    #[test]
    fn usual_iterations_are_far_below_the_bound() {
        use pbes2::Pbkdf2Prf::{HmacWithSha1, HmacWithSha256, HmacWithSha512};
        for (prf, count) in [
            (HmacWithSha256, 2048),
            (HmacWithSha512, 210_000),
            (HmacWithSha256, 600_000),
            (HmacWithSha1, 10_000),
        ] {
            assert!(
                pbkdf2_is_affordable(prf, AES_256, 6 * count),
                "{prf:?} {count}"
            );
        }
    }
}
