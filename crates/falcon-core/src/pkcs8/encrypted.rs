//! Private keys under a passphrase: PBES2 (RFC 8018), written with scrypt and
//! AES-256-CBC at a cost that OpenSSL reads with its default limits
//! (`N` = 2^14, `r` = 8, `p` = 1).
//!
//! Reading runs the key derivation that the file asks for, so its cost is
//! bounded before it starts: a file must not choose the memory of its reader.
//!
//! That bound has no way around it: generic code reads plain documents.
//!
//! ```
//! use falcon_core::pkcs8::DecodePrivateKey;
//!
//! fn open<K: DecodePrivateKey>(der: &[u8]) -> Option<K> {
//!     K::from_pkcs8_der(der).ok()
//! }
//! ```
//!
//! The same for encrypted ones is not compiled, unless another crate of the program
//! switches the feature `encryption` of `pkcs8` on:
//!
//! ```compile_fail,E0599
//! use falcon_core::pkcs8::DecodePrivateKey;
//!
//! fn open<K: DecodePrivateKey>(der: &[u8]) -> Option<K> {
//!     K::from_pkcs8_encrypted_der(der, "passphrase").ok()
//! }
//! ```
//!
//! It calls [`decrypt_private_key`] first.

use super::pkcs5::{self, pbes2};
use super::{
    DecodePrivateKey, EncodePrivateKey, EncryptedPrivateKeyInfoRef, Error, Result, SecretDocument,
    der::asn1::OctetStringRef,
};
use crate::any::AnySigningKey;
use crate::keys::SigningKey;
use crate::params::Parameters;
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;
#[cfg(feature = "pem")]
use {
    super::{LineEnding, der::pem::PemLabel},
    alloc::string::String,
};

/// Largest `N r p` of scrypt that is run: 256 MiB.
pub const MAX_SCRYPT_COST: u64 = 1 << 21;
/// Largest number of iterations of PBKDF2 that is run.
pub const MAX_PBKDF2_ITERATIONS: u32 = 10_000_000;

/// The methods of encrypted documents, the same for every type of signing key.
macro_rules! encrypted_documents {
    ($key:ty, $($generics:tt)*) => {
        impl<$($generics)*> $key {
            /// The PKCS#8 document encrypted under `passphrase`, salt and IV from `rng`.
            ///
            /// # Errors
            /// If `rng` fails.
            pub fn to_pkcs8_encrypted_der_with_rng<R: TryCryptoRng>(
                &self,
                rng: &mut R,
                passphrase: impl AsRef<[u8]>,
            ) -> Result<SecretDocument> {
                encrypt(rng, passphrase, self.to_pkcs8_der()?.as_bytes())
            }

            /// Encrypts the document, as PEM labelled `ENCRYPTED PRIVATE KEY`.
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

            /// Reads a PKCS#8 document that is encrypted under `passphrase`.
            ///
            /// # Errors
            /// As for [`DecodePrivateKey::from_pkcs8_der`]; also if the passphrase is
            /// wrong, the scheme is not PBES2, or its cost is above
            /// [`MAX_SCRYPT_COST`] or [`MAX_PBKDF2_ITERATIONS`].
            pub fn from_pkcs8_encrypted_der(bytes: &[u8], passphrase: impl AsRef<[u8]>) -> Result<Self> {
                Self::from_pkcs8_der(decrypt_private_key(bytes, passphrase)?.as_bytes())
            }

            /// Decrypts a document in PEM, labelled `ENCRYPTED PRIVATE KEY`.
            ///
            /// # Errors
            /// As for [`from_pkcs8_encrypted_der`](Self::from_pkcs8_encrypted_der).
            #[cfg(feature = "pem")]
            pub fn from_pkcs8_encrypted_pem(text: &str, passphrase: impl AsRef<[u8]>) -> Result<Self> {
                let (label, document) = SecretDocument::from_pem(text)?;
                EncryptedPrivateKeyInfoRef::validate_pem_label(label)?;
                Self::from_pkcs8_encrypted_der(document.as_bytes(), passphrase)
            }
        }
    };
}

encrypted_documents!(SigningKey<P>, P: Parameters);
encrypted_documents!(AnySigningKey,);

/// The plain PKCS#8 document of one that is encrypted under `passphrase`, for
/// readers who do not know the parameters of the key beforehand.
///
/// # Errors
/// If the document is malformed, the passphrase is wrong, the scheme is not
/// PBES2, or its cost is above [`MAX_SCRYPT_COST`] or
/// [`MAX_PBKDF2_ITERATIONS`].
pub fn decrypt_private_key(bytes: &[u8], passphrase: impl AsRef<[u8]>) -> Result<SecretDocument> {
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(bytes)?;
    let scheme = &encrypted.encryption_algorithm;
    check_cost(scheme)?;
    // In place: what is decrypted must be wiped also where it turns out to be damaged.
    let mut data = Zeroizing::new(encrypted.encrypted_data.as_bytes().to_vec());
    let plain = scheme.decrypt_in_place(passphrase, &mut data)?;
    Ok(SecretDocument::try_from(plain)?)
}

/// Encrypts the PKCS#8 document `plain` at the recommended cost.
fn encrypt<R: TryCryptoRng>(
    rng: &mut R,
    passphrase: impl AsRef<[u8]>,
    plain: &[u8],
) -> Result<SecretDocument> {
    let parameters = pbes2::Parameters::generate_recommended(rng)?;
    let data = parameters.encrypt(passphrase, plain)?;
    let encrypted = EncryptedPrivateKeyInfoRef {
        encryption_algorithm: parameters.into(),
        encrypted_data: OctetStringRef::new(&data)?,
    };
    Ok(SecretDocument::encode_msg(&encrypted)?)
}

/// Refuses a key derivation that would take too long, too much memory, or has
/// no meaning: `N` must be a power of two above one, `r` and `p` positive.
fn check_cost(scheme: &pkcs5::EncryptionScheme) -> Result<()> {
    let kdf = scheme.pbes2().map(|parameters| &parameters.kdf);
    let affordable = match kdf {
        Some(pbes2::Kdf::Scrypt(scrypt)) => {
            let [n, r, p] = [
                scrypt.cost_parameter,
                scrypt.block_size.into(),
                scrypt.parallelization.into(),
            ];
            // r p < 2^32, so only the product with N can pass 2^64.
            n > 1
                && n.is_power_of_two()
                && r * p > 0
                && n.checked_mul(r * p)
                    .is_some_and(|cost| cost <= MAX_SCRYPT_COST)
        }
        Some(pbes2::Kdf::Pbkdf2(pbkdf2)) => {
            (1..=MAX_PBKDF2_ITERATIONS).contains(&pbkdf2.iteration_count)
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
