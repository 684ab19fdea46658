//! Keys in PKCS#8 and `SubjectPublicKeyInfo` documents, as other programs
//! read and write them.
//!
//! ```
//! # #[cfg(all(feature = "pem", feature = "encryption"))]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use falcon_core::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
//! use falcon_core::{Falcon512, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::<Falcon512>::from_seed(&[1; 32])?;
//! let private = key.to_pkcs8_pem(LineEnding::LF)?;
//! let public = key.verifying_key().to_public_key_pem(LineEnding::LF)?;
//! assert!(public.starts_with("-----BEGIN PUBLIC KEY-----\n"));
//! let read = SigningKey::<Falcon512>::from_pem(&private, None)?; // or Some(passphrase)
//! assert_eq!(&VerifyingKey::<Falcon512>::from_pem(&public)?, read.verifying_key());
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "pem", feature = "encryption")))]
//! # fn main() {}
//! ```
//!
//! Feature `pkcs8` gives DER, `pem` text, `encryption` private keys under a
//! passphrase (PBES2: scrypt and AES-256-CBC). Reading plain DER needs no
//! allocator. The traits and their methods are those of the `pkcs8` crate. This module re-exports
//! what they need.
//!
//! [`CertificateSignature`] is a signature in the format of certificates.
//!
//! # Encrypted keys
//!
//! Decrypting has a bounded cost, whatever a document asks for: `MAX_SCRYPT_COST` and
//! `MAX_PBKDF2_COST`. The bounds hold for each type of signing key, also in generic code over
//! [`DecodePrivateKey`]. `decrypt_private_key` returns the plain document for every other type.
//!
//! Enable the feature `encryption` of this crate wherever documents are decrypted. Without it the
//! bounds do not exist. If another crate of the program then enables `encryption` of the crate
//! `pkcs8`, generic code decrypts documents at any cost. The methods `decrypt` of the crates
//! `pkcs8` and `pkcs5` have no bounds either; this module does not re-export their types.
//!
//! # Errors
//!
//! A document of the other parameter set gives "unknown/unsupported OID" and the
//! identifier: `der::ErrorKind::OidUnknown` for a private key,
//! `spki::Error::OidUnknown` for a public key. If the parameter set is not known
//! beforehand, read the document as an `AnySigningKey` or `AnyVerifyingKey`. An encrypted document
//! needs the feature `encryption`, and `from_pem` with its passphrase.
//!
//! # Identifiers
//!
//! No standard assigns identifiers to Falcon yet. Keys are written with the identifiers that the
//! OQS provider of OpenSSL and Bouncy Castle share, without parameters. Keys are read with every
//! identifier below, and the identifier does not change the key. The padded identifiers announce
//! the format of the key's signatures.
//!
//! | identifier | written | read |
//! |---|---|---|
//! | [`FALCON_512`], [`FALCON_1024`] | yes | yes |
//! | [`FALCON_PADDED_512`], [`FALCON_PADDED_1024`] | no | yes |
//! | 1.3.9999.3.6, 1.3.9999.3.9: earlier versions of both programs | no | yes |
//!
//! # Contents
//!
//! The public key has the encoding of the specification, with its header byte.
//! Private keys exist in several forms. This crate writes the first, the last on request, and reads
//! all:
//!
//! | `privateKey` holds | as written by |
//! |---|---|
//! | `OCTET STRING` of the secret key, then the public key, encoded | OQS provider, this crate |
//! | `OCTET STRING` of the encoded secret key | OQS provider built with `NOPUBKEY_IN_PRIVKEY` |
//! | the encoded secret key itself | - |
//! | `SEQUENCE { 0, f, g, F, SEQUENCE { h } OPTIONAL }` | Bouncy Castle |
//!
//! Bouncy Castle 1.87 writes the same public keys byte for byte and reads them. It reads only the
//! last form of private keys. `SigningKey::to_pkcs8_polynomials_der` and `to_pkcs8_polynomials_pem`
//! write that form, with `h`, in the bytes of Bouncy Castle. No other program is known to read it.
//!
//! In the last form each polynomial is an `OCTET STRING` of its bits in the encoding, without a
//! header byte. A document may also hold the public key, inside `privateKey` or in the `publicKey`
//! field of PKCS#8 version 2. It must then belong to the secret key. Attributes are ignored, and so
//! are fields after `publicKey`, where the standard allows extensions. Any other byte is refused.
//!
//! So a key that an attribute marks for certificates only signs every message once it is decoded.
//! [`KeyUse`] reads and writes the mark.
//!
//! # Memory
//!
//! `Box<SigningKey<P>>` and [`AnySigningKey`](crate::AnySigningKey) implement [`DecodePrivateKey`]
//! too. They decode the key in place. A `SigningKey` that is returned and then moved may leave
//! copies on the stack that nobody wipes. `from_public_key_pem` decodes a text before it looks at
//! the label, so a secret key that is passed to it by mistake stays in freed memory.

#[cfg(feature = "alloc")]
mod any;
mod certificate;
#[cfg(feature = "encryption")]
mod encrypted;
mod key_use;
#[cfg(feature = "encryption")]
mod open;
#[cfg(feature = "pem")]
mod open_public;
#[cfg(feature = "pem")]
mod text;

pub use certificate::CertificateSignature;
#[cfg(feature = "encryption")]
pub use encrypted::{MAX_PBKDF2_COST, MAX_SCRYPT_COST, decrypt_private_key, encrypt_private_key};
pub use key_use::KeyUse;
#[cfg(feature = "encryption")]
pub use open::{OpenError, OpenedKey};
#[cfg(feature = "pem")]
pub use {
    open_public::OpenPublicError,
    text::{PemError, pem_contents},
};

use crate::engine::Best;
use crate::error::DecodeError;
use crate::keys::SigningKey;
use crate::params::{Array, FG_BITS, Parameters};
use crate::verify::VerifyingKey;
use core::marker::PhantomData;
use zeroize::Zeroizing;

#[cfg(feature = "pem")]
pub use ::pkcs8::LineEnding;
/// Reason why an encrypted document is refused, inside [`Error::EncryptedPrivateKey`].
#[cfg(feature = "encryption")]
pub use ::pkcs8::pkcs5::Error as EncryptionError;
pub use ::pkcs8::{
    AlgorithmIdentifierRef, DecodePrivateKey, DecodePublicKey, Error, KeyError, ObjectIdentifier,
    PrivateKeyInfoRef, Result, SubjectPublicKeyInfoRef, der, spki,
};
#[cfg(feature = "alloc")]
pub use ::pkcs8::{Document, EncodePrivateKey, EncodePublicKey, SecretDocument};

#[cfg(feature = "pem")]
use der::pem::PemLabel;
use der::{
    Decode, ErrorKind, Reader, SliceReader,
    asn1::{AnyRef, OctetStringRef},
};
#[cfg(feature = "alloc")]
use der::{Encode, SliceWriter, Tag, asn1::BitStringRef};
use spki::{AlgorithmIdentifier, AssociatedAlgorithmIdentifier, SignatureAlgorithmIdentifier};

/// Identifier of Falcon-512 keys with compressed signatures.
pub const FALCON_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.11");
/// Identifier of Falcon-1024 keys with compressed signatures.
pub const FALCON_1024: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.14");
/// Identifier of Falcon-512 keys with padded signatures.
pub const FALCON_PADDED_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.16");
/// Identifier of Falcon-1024 keys with padded signatures.
pub const FALCON_PADDED_1024: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.19");

const FORMER_FALCON_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.6");
const FORMER_FALCON_1024: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.9999.3.9");

/// The object identifiers of a parameter set.
struct Identifiers<P>(PhantomData<P>);

impl<P: Parameters> Identifiers<P> {
    /// The identifiers of the set's keys. The first one is written. Does not compile
    /// for a set without identifiers.
    const ALL: [ObjectIdentifier; 3] = match P::LOGN {
        9 => [FALCON_512, FALCON_PADDED_512, FORMER_FALCON_512],
        10 => [FALCON_1024, FALCON_PADDED_1024, FORMER_FALCON_1024],
        _ => panic!("a parameter set without identifiers"),
    };
}

const fn algorithm<P: Parameters>() -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifier {
        oid: Identifiers::<P>::ALL[0],
        parameters: None,
    }
}

/// Returns true if `algorithm` is the identifier of a key of `P`.
pub(crate) fn names<P: Parameters>(algorithm: &AlgorithmIdentifierRef<'_>) -> bool {
    Identifiers::<P>::ALL.contains(&algorithm.oid)
}

impl<P: Parameters> AssociatedAlgorithmIdentifier for SigningKey<P> {
    type Params = AnyRef<'static>;
    const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<P>();
}

impl<P: Parameters> AssociatedAlgorithmIdentifier for VerifyingKey<P> {
    type Params = AnyRef<'static>;
    const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<P>();
}

impl<P: Parameters> SignatureAlgorithmIdentifier for SigningKey<P> {
    type Params = AnyRef<'static>;
    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<P>();
}

impl<P: Parameters> SignatureAlgorithmIdentifier for VerifyingKey<P> {
    type Params = AnyRef<'static>;
    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<P>();
}

#[cfg(feature = "alloc")]
impl<P: Parameters> EncodePublicKey for VerifyingKey<P> {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let bytes = self.to_bytes();
        SubjectPublicKeyInfoRef {
            algorithm: Self::ALGORITHM_IDENTIFIER,
            subject_public_key: BitStringRef::from_bytes(bytes.as_ref())?,
        }
        .try_into()
    }
}

impl<P: Parameters> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<P> {
    type Error = spki::Error;

    fn try_from(spki: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        if !names::<P>(&spki.algorithm) {
            let oid = spki.algorithm.oid;
            return Err(spki::Error::OidUnknown { oid });
        }
        if spki.algorithm.parameters.is_some() {
            return Err(spki::Error::KeyMalformed);
        }
        spki.subject_public_key
            .as_bytes()
            .and_then(|bytes| Self::try_from(bytes).ok())
            .ok_or(spki::Error::KeyMalformed)
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> EncodePrivateKey for SigningKey<P> {
    fn to_pkcs8_der(&self) -> Result<SecretDocument> {
        let len = P::SIGNING_KEY_LEN + P::VERIFYING_KEY_LEN;
        // The vector has its final size from the start, since growing would leave a copy behind.
        let mut keys = Zeroizing::new(alloc::vec![0; len]);
        let (secret, public) = keys.split_at_mut(P::SIGNING_KEY_LEN);
        self.encode(secret);
        public.copy_from_slice(self.verifying_key().to_bytes().as_ref());
        let wrapped = Zeroizing::new(OctetStringRef::new(&keys)?.to_der()?);
        PrivateKeyInfoRef::new(Self::ALGORITHM_IDENTIFIER, OctetStringRef::new(&wrapped)?)
            .try_into()
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> SigningKey<P> {
    /// Encodes the key as PKCS#8 with separate polynomials, the only form that Bouncy Castle 1.87
    /// reads. It writes the same bytes.
    ///
    /// For every other program use [`EncodePrivateKey::to_pkcs8_der`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::pkcs8::DecodePrivateKey;
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[1; 32])?;
    /// let document = key.to_pkcs8_polynomials_der()?;
    /// let read = SigningKey::<Falcon512>::from_pkcs8_der(document.as_bytes())?;
    /// assert_eq!(read.verifying_key(), key.verifying_key());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// No error occurs: the lengths are those of a key.
    pub fn to_pkcs8_polynomials_der(&self) -> Result<SecretDocument> {
        let mut secret = Zeroizing::new(P::SigningKeyBytes::ZERO);
        self.encode(secret.as_mut());
        let public = self.verifying_key().to_bytes();
        let contents = write_polynomials(P::LOGN, (*secret).as_ref(), public.as_ref())?;
        PrivateKeyInfoRef::new(Self::ALGORITHM_IDENTIFIER, OctetStringRef::new(&contents)?)
            .try_into()
    }

    /// Encodes the key as [`to_pkcs8_polynomials_der`](Self::to_pkcs8_polynomials_der) does, in PEM
    /// labelled `PRIVATE KEY`.
    ///
    /// # Errors
    /// No error occurs.
    #[cfg(feature = "pem")]
    pub fn to_pkcs8_polynomials_pem(
        &self,
        line_ending: LineEnding,
    ) -> Result<Zeroizing<alloc::string::String>> {
        let document = self.to_pkcs8_polynomials_der()?;
        Ok(document.to_pem(PrivateKeyInfoRef::PEM_LABEL, line_ending)?)
    }
}

/// Writes `SEQUENCE { 0, f, g, F, SEQUENCE { h } }` of the encoded keys of degree `2^logn`.
#[cfg(feature = "alloc")]
fn write_polynomials(
    logn: u32,
    secret: &[u8],
    public: &[u8],
) -> Result<Zeroizing<alloc::vec::Vec<u8>>> {
    let (fg, capital_f) = secret[1..].split_at(2 * fg_len(logn));
    let (f, g) = fg.split_at(fg_len(logn));
    let polynomials = [f, g, capital_f].map(OctetStringRef::new);
    let h = OctetStringRef::new(&public[1..])?;
    let h_len = h.encoded_len()?;
    let mut len = (0u8.encoded_len()? + h_len.for_tlv(Tag::Sequence)?)?;
    for polynomial in &polynomials {
        len = (len + (*polynomial)?.encoded_len()?)?;
    }
    // The vector has its final size from the start, since growing would leave a copy behind.
    let total = usize::try_from(len.for_tlv(Tag::Sequence)?)?;
    let mut out = Zeroizing::new(alloc::vec![0; total]);
    let mut writer = SliceWriter::new(&mut out);
    writer.sequence(len, |fields| {
        0u8.encode(fields)?;
        for polynomial in polynomials {
            polynomial?.encode(fields)?;
        }
        fields.sequence(h_len, |public| h.encode(public))
    })?;
    writer.finish()?;
    Ok(out)
}

/// Length of `f` in a document, in bytes. `g` has the same length.
const fn fg_len(logn: u32) -> usize {
    (FG_BITS[logn as usize] as usize) << logn >> 3
}

/// Implements [`DecodePrivateKey`] with a function that decodes a document. Encrypted documents are
/// decrypted within the bounds of `decrypt_private_key`.
///
/// Implementing `TryFrom<PrivateKeyInfoRef>` would need no macro, but the blanket implementation of
/// [`DecodePrivateKey`] decrypts at any cost once a crate of the program enables the feature
/// `encryption` of `pkcs8`.
macro_rules! decode_private_key {
    ($key:ty, $decode:path, $($generics:tt)*) => {
        impl<$($generics)*> DecodePrivateKey for $key {
            fn from_pkcs8_der(bytes: &[u8]) -> Result<Self> {
                $decode(&PrivateKeyInfoRef::try_from(bytes)?)
            }

            #[cfg(feature = "pem")]
            fn from_pkcs8_pem(text: &str) -> Result<Self> {
                let label = $crate::pkcs8::text::label(text)?;
                <PrivateKeyInfoRef<'_> as $crate::pkcs8::der::pem::PemLabel>::validate_pem_label(label)?;
                Self::from_pkcs8_der(&$crate::pkcs8::text::content(text)?)
            }

            #[cfg(feature = "encryption")]
            fn from_pkcs8_encrypted_der(
                bytes: &[u8],
                passphrase: impl AsRef<[u8]>,
            ) -> Result<Self> {
                $crate::pkcs8::encrypted::open_der(bytes, passphrase)
            }

            #[cfg(all(feature = "encryption", feature = "pem"))]
            fn from_pkcs8_encrypted_pem(
                text: &str,
                passphrase: impl AsRef<[u8]>,
            ) -> Result<Self> {
                $crate::pkcs8::encrypted::open_pem(text, passphrase)
            }
        }
    };
}
#[cfg(feature = "alloc")]
use decode_private_key;

decode_private_key!(SigningKey<P>, decode_returned, P: Parameters);
#[cfg(feature = "alloc")]
decode_private_key!(alloc::boxed::Box<SigningKey<P>>, decode_boxed, P: Parameters);

/// Decodes the key into the place where it is returned, since a copy on the way would not be wiped.
fn decode_returned<P: Parameters>(info: &PrivateKeyInfoRef<'_>) -> Result<SigningKey<P>> {
    let mut result = Ok(SigningKey::EMPTY);
    if let Ok(key) = &mut result
        && let Err(error) = read_document(info, key)
    {
        result = Err(error);
    }
    result
}

/// Decodes the key into the box, and does not copy it.
#[cfg(feature = "alloc")]
fn decode_boxed<P: Parameters>(
    info: &PrivateKeyInfoRef<'_>,
) -> Result<alloc::boxed::Box<SigningKey<P>>> {
    let mut key = alloc::boxed::Box::new(SigningKey::EMPTY);
    read_document(info, &mut key)?;
    Ok(key)
}

/// Decodes the document into `key`.
fn read_document<P: Parameters>(
    info: &PrivateKeyInfoRef<'_>,
    key: &mut SigningKey<P>,
) -> Result<()> {
    if !names::<P>(&info.algorithm) {
        // The error is not `Error::PublicKey`, since the message of that error names a public key.
        let oid = info.algorithm.oid;
        return Err(ErrorKind::OidUnknown { oid }.into());
    }
    if info.algorithm.parameters.is_some() {
        return Err(Error::ParametersMalformed);
    }
    let mut joined = Zeroizing::new(P::SigningKeyBytes::ZERO);
    let contents = read_contents::<P>(info.private_key.as_bytes(), &mut joined)?;
    decode_encoded(contents.secret, key)?;
    let beside = match info.public_key {
        None => None,
        Some(bits) => {
            let public = bits.as_bytes().ok_or(KeyError::Invalid)?;
            Some(without_header::<P>(public)?)
        }
    };
    for h in [contents.h, beside].into_iter().flatten() {
        if key.verifying_key().to_bytes().as_ref()[1..] != *h {
            return Err(KeyError::Invalid.into());
        }
    }
    Ok(())
}

/// Contents of `privateKey`, not decoded yet.
struct Contents<'a> {
    /// The encoded secret key.
    secret: &'a [u8],
    /// The encoded public key beside the secret key, without its header byte.
    h: Option<&'a [u8]>,
}

/// Reads any form of `privateKey`. The first byte identifies the form: the tag of an octet string,
/// the tag of a sequence, or the header 0x59 or 0x5a of an encoded key. Separate polynomials are
/// joined in `joined`.
fn read_contents<'a, P: Parameters>(
    bytes: &'a [u8],
    joined: &'a mut P::SigningKeyBytes,
) -> Result<Contents<'a>> {
    let encoded = |secret| Contents { secret, h: None };
    match bytes.first() {
        Some(0x04) => {
            let bytes = <&OctetStringRef>::from_der(bytes)?.as_bytes();
            match bytes.split_at_checked(P::SIGNING_KEY_LEN) {
                Some((secret, public)) if !public.is_empty() => Ok(Contents {
                    secret,
                    h: Some(without_header::<P>(public)?),
                }),
                _ => Ok(encoded(bytes)),
            }
        }
        Some(0x30) => {
            let h = read_polynomials::<P>(bytes, joined.as_mut())?;
            let secret = (*joined).as_ref();
            Ok(Contents { secret, h })
        }
        _ => Ok(encoded(bytes)),
    }
}

fn decode_encoded<P: Parameters>(bytes: &[u8], key: &mut SigningKey<P>) -> Result<()> {
    key.decode(Best::find(), bytes).map_err(|error| {
        Error::KeyMalformed(match error {
            DecodeError::Length if bytes.len() < P::SIGNING_KEY_LEN => KeyError::TooShort,
            DecodeError::Length => KeyError::TooLong,
            _ => KeyError::Invalid,
        })
    })
}

/// Reads the polynomials one by one, in the layout of the module's documentation. Writes their
/// encoding, and returns `h` if the document has it.
fn read_polynomials<'a, P: Parameters>(
    bytes: &'a [u8],
    encoded: &mut [u8],
) -> Result<Option<&'a [u8]>> {
    let fg_len = fg_len(P::LOGN);
    let mut reader = SliceReader::new(bytes)?;
    let h = reader.sequence(|fields| {
        if u8::decode(fields)? != 0 {
            return Err(Error::KeyMalformed(KeyError::Invalid));
        }
        let mut rest = encoded;
        if let Some(header) = rest.split_off_first_mut() {
            *header = 0x50 + P::LOGN as u8;
        }
        for len in [fg_len, fg_len, P::N] {
            let polynomial = <&OctetStringRef>::decode(fields)?.as_bytes();
            match rest.split_off_mut(..len) {
                Some(place) if polynomial.len() == len => place.copy_from_slice(polynomial),
                _ => return Err(KeyError::Invalid.into()),
            }
        }
        if fields.is_finished() {
            return Ok(None);
        }
        fields.sequence(|public| Ok(Some(<&OctetStringRef>::decode(public)?.as_bytes())))
    })?;
    reader.finish()?;
    Ok(h)
}

/// Returns an encoded public key without its header byte. The header byte must be there.
fn without_header<P: Parameters>(public: &[u8]) -> Result<&[u8]> {
    match public.split_first() {
        Some((&header, h)) if u32::from(header) == P::LOGN => Ok(h),
        _ => Err(KeyError::Invalid.into()),
    }
}
