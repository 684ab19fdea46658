//! The attribute `keyUsage` of private keys.

use super::der::{Decode, ErrorKind, Tag, TagNumber, Tagged, asn1::AnyRef};
use super::{Error, Result, spki};
#[cfg(feature = "alloc")]
use {
    super::SecretDocument,
    super::der::{Encode, Header, Length},
    alloc::vec::Vec,
};

/// Messages that a key may sign, according to its PKCS#8 document.
///
/// A plain signature of the signed part of a certificate is the signature of the certificate. So a
/// key that signs certificates must not sign messages that others choose. The attribute `keyUsage`
/// of its document says so. Programs that read documents check the attribute and obey it.
///
/// **The types of keys do not hold the mark.** The decoders of this crate ignore attributes, and
/// every signing key signs every message. A program reads the mark with
/// [`of_document`](Self::of_document), keeps it beside the key, and writes it with
/// [`write`](Self::write).
///
/// ```
/// use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey, KeyUse};
/// use falcon_core::{Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
///
/// let key = SigningKey::<Falcon512>::from_seed(&[1; 32])?;
/// let document = key.to_pkcs8_der()?;
/// assert_eq!(KeyUse::of_document(document.as_bytes())?, KeyUse::Any);
///
/// let marked = KeyUse::CertificatesOnly.write(document.as_bytes())?;
/// assert_eq!(KeyUse::of_document(marked.as_bytes())?, KeyUse::CertificatesOnly);
/// let read = SigningKey::<Falcon512>::from_pkcs8_der(marked.as_bytes())?;
/// assert_eq!(read.verifying_key(), key.verifying_key());
/// # Ok(())
/// # }
/// ```
///
/// A key in PEM is decoded to DER first:
///
/// ```
/// # #[cfg(feature = "pem")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use falcon_core::pkcs8::{EncodePrivateKey, LineEnding};
/// use falcon_core::pkcs8::{DecodePrivateKey, KeyUse, SecretDocument};
/// use falcon_core::{Falcon512, SigningKey};
/// # let pem = SigningKey::<Falcon512>::from_seed(&[1; 32])?.to_pkcs8_pem(LineEnding::LF)?;
///
/// let (_label, document) = SecretDocument::from_pem(&pem)?;
/// let key = SigningKey::<Falcon512>::from_pkcs8_der(document.as_bytes())?;
/// assert_eq!(KeyUse::of_document(document.as_bytes())?, KeyUse::Any);
/// # let _ = key;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "pem"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyUse {
    /// Every message: the document has no `keyUsage`, or one that allows signing messages.
    #[default]
    Any,
    /// Only the signed parts of X.509 documents: certificates, certificate requests and revocation
    /// lists.
    CertificatesOnly,
}

/// Contents of the object identifier of `keyUsage`, 2.5.29.15, in DER.
const KEY_USAGE: [u8; 3] = [0x55, 0x1d, 0x0f];

/// Bits of the first byte of `KeyUsage` in RFC 5280: `digitalSignature` and `nonRepudiation`.
const SIGNS_MESSAGES: u8 = 0b1100_0000;

/// Attribute `keyUsage` with `keyCertSign` and `cRLSign`, as DER.
#[cfg(feature = "alloc")]
const CERTIFICATES_ONLY: [u8; 13] = [
    0x30, 0x0b, 0x06, 0x03, 0x55, 0x1d, 0x0f, 0x31, 0x04, 0x03, 0x02, 0x01, 0x06,
];

/// Tag of the attributes.
const ATTRIBUTES: Tag = Tag::ContextSpecific {
    constructed: true,
    number: TagNumber(0),
};

/// Returns true if a tag has the number of the attributes, constructed or not.
fn is_attributes(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::ContextSpecific {
            number: TagNumber(0),
            ..
        }
    )
}

impl KeyUse {
    /// Reads the use of a key from its PKCS#8 document in DER, which is not encrypted. The key
    /// itself is not decoded, nor are the contents of the fields after the attributes.
    ///
    /// A document is marked if it has an attribute `keyUsage` with neither `digitalSignature` nor
    /// `nonRepudiation`. So a key for another purpose, such as `keyAgreement`, signs no messages
    /// either. Other attributes do not matter.
    ///
    /// # Errors
    /// [`Error::EncryptedPrivateKey`] if the document is encrypted. [`Error::PublicKey`] if it is a
    /// public key. [`Error::Asn1`] with [`ErrorKind::Pem`] if it is PEM. Without the features
    /// `encryption` and `pem`, encrypted documents and PEM give other kinds of [`Error::Asn1`].
    ///
    /// [`Error::Asn1`] if a field or an attribute is malformed, if the attributes do not follow the
    /// private key or are there twice, or if `keyUsage` has no bit, ends with zero bits, has
    /// several values, or is there twice.
    pub fn of_document(document: &[u8]) -> Result<Self> {
        Fields::of_document(document)?.key_use()
    }

    /// Reads the values of the attribute. There must be one value.
    fn of_values(mut values: &[u8]) -> Result<Self> {
        let usage = take_as(Tag::BitString, &mut values)?;
        let malformed = Tag::BitString.value_error();
        let &[unused, first, ref more @ ..] = usage else {
            return Err(malformed.into());
        };
        let last = more.last().copied().unwrap_or(first);
        // In DER, the last used bit is set, and the unused bits after it are zero.
        let is_der = last != 0 && last.trailing_zeros() == u32::from(unused);
        if !values.is_empty() || !is_der {
            return Err(malformed.into());
        }
        Ok(match first & SIGNS_MESSAGES {
            0 => Self::CertificatesOnly,
            _ => Self::Any,
        })
    }

    /// Copies a PKCS#8 document in DER, which is not encrypted, and gives the copy this use.
    ///
    /// If the document has this use already, the copy is identical. Otherwise [`Any`](Self::Any)
    /// removes the attribute `keyUsage`, and [`CertificatesOnly`](Self::CertificatesOnly) replaces
    /// it with `keyCertSign` and `cRLSign`. Everything else in the document stays as it is.
    ///
    /// # Errors
    /// As for [`of_document`](Self::of_document).
    #[cfg(feature = "alloc")]
    pub fn write(self, document: &[u8]) -> Result<SecretDocument> {
        let fields = Fields::of_document(document)?;
        if fields.key_use()? == self {
            return Ok(SecretDocument::try_from(document)?);
        }
        fields.with_usage((self == Self::CertificatesOnly).then_some(&CERTIFICATES_ONLY))
    }

    /// Copies a document as [`write`](Self::write) does. If the document `model` has this use, the
    /// copy gets the attribute `keyUsage` of `model` unchanged, or none if `model` has none.
    ///
    /// Use it to write another document of the same key: `keyUsage` may have bits that `KeyUse`
    /// does not represent.
    ///
    /// # Errors
    /// As for [`of_document`](Self::of_document), for both documents.
    #[cfg(feature = "alloc")]
    pub fn write_like(self, model: &[u8], document: &[u8]) -> Result<SecretDocument> {
        let model = Fields::of_document(model)?;
        if model.key_use()? != self {
            return self.write(document);
        }
        let fields = Fields::of_document(document)?;
        fields.key_use()?;
        fields.with_usage(model.usage()?)
    }
}

/// Encodes an element whose contents are these parts. Allocates once, since growing would leave a
/// copy of the parts behind.
#[cfg(feature = "alloc")]
fn element(tag: Tag, parts: &[&[u8]]) -> Result<Vec<u8>> {
    let len = parts.iter().map(|part| part.len()).sum::<usize>();
    let header = Header::new(tag, Length::try_from(len)?).to_der()?;
    let mut out = Vec::with_capacity(header.len() + len);
    out.extend_from_slice(&header);
    for part in parts {
        out.extend_from_slice(part);
    }
    Ok(out)
}

/// Takes the first element from `rest`. Returns its tag, its contents and the whole element.
fn take<'a>(rest: &mut &'a [u8]) -> Result<(Tag, &'a [u8], &'a [u8])> {
    let (element, behind) = AnyRef::from_der_partial(rest)?;
    let encoded = &rest[..rest.len() - behind.len()];
    *rest = behind;
    Ok((element.tag(), element.value(), encoded))
}

/// Takes the first element from `rest`, which must have this tag. Returns its contents.
fn take_as<'a>(tag: Tag, rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let (found, contents, _) = take(rest)?;
    found.assert_eq(tag)?;
    Ok(contents)
}

/// Returns true if these bytes are an object identifier: complete numbers in base 128, without
/// leading zeros.
fn is_identifier(bytes: &[u8]) -> bool {
    let mut starts = true;
    for &byte in bytes {
        if starts && byte == 0x80 {
            return false;
        }
        starts = byte < 0x80;
    }
    starts && !bytes.is_empty()
}

/// Returns an error if elements are left.
fn finish(rest: &[u8]) -> Result<()> {
    match rest {
        [] => Ok(()),
        _ => Err(Tag::Sequence.length_error().into()),
    }
}

/// Fields of a PKCS#8 document, encoded.
#[cfg_attr(
    not(feature = "alloc"),
    expect(dead_code, reason = "parts that are written need memory")
)]
struct Fields<'a> {
    /// Version, algorithm and private key.
    before: &'a [u8],
    /// Contents of the attributes.
    attributes: &'a [u8],
    /// Public key and extensions.
    after: &'a [u8],
}

impl<'a> Fields<'a> {
    fn of_document(document: &'a [u8]) -> Result<Self> {
        if document.starts_with(b"-----BEGIN ") {
            return Err(is_pem());
        }
        let mut rest = document;
        let fields = take_as(Tag::Sequence, &mut rest)?;
        finish(rest)?;
        check_kind(fields)?;
        rest = fields;
        for tag in [Tag::Integer, Tag::Sequence, Tag::OctetString] {
            take_as(tag, &mut rest)?;
        }
        let (before, mut after) = fields.split_at(fields.len() - rest.len());
        let mut attributes = None;
        let mut is_first = true;
        while !rest.is_empty() {
            let (tag, contents, _) = take(&mut rest)?;
            if is_attributes(tag) {
                // Other readers would overlook such attributes, and a mark in them.
                if !is_first || tag != ATTRIBUTES {
                    return Err(tag.unexpected_error(None).into());
                }
                attributes = Some(contents);
                after = rest;
            }
            is_first = false;
        }
        let attributes = attributes.unwrap_or_default();
        Ok(Self {
            before,
            attributes,
            after,
        })
    }

    /// Reads all attributes. At most one may be `keyUsage`.
    fn key_use(&self) -> Result<KeyUse> {
        let mut found = None;
        let mut rest = self.attributes;
        while !rest.is_empty() {
            let Attribute { usage, .. } = Attribute::take(&mut rest)?;
            if let Some(values) = usage
                && found.replace(KeyUse::of_values(values)?).is_some()
            {
                return Err(Tag::Set.value_error().into());
            }
        }
        Ok(found.unwrap_or_default())
    }

    /// Returns the first attribute `keyUsage`, encoded.
    #[cfg(feature = "alloc")]
    fn usage(&self) -> Result<Option<&'a [u8]>> {
        let mut rest = self.attributes;
        while !rest.is_empty() {
            let attribute = Attribute::take(&mut rest)?;
            if attribute.usage.is_some() {
                return Ok(Some(attribute.encoded));
            }
        }
        Ok(None)
    }

    /// Encodes the document with this attribute `keyUsage` in place of its own.
    #[cfg(feature = "alloc")]
    fn with_usage(mut self, mut mark: Option<&[u8]>) -> Result<SecretDocument> {
        let mut attributes = Vec::new();
        while !self.attributes.is_empty() {
            let Attribute { encoded, usage } = Attribute::take(&mut self.attributes)?;
            // DER sorts the elements of a set. No attribute is a prefix of another one.
            let before = mark.take_if(|mark| encoded > *mark);
            attributes.extend_from_slice(before.unwrap_or_default());
            if usage.is_none() {
                attributes.extend_from_slice(encoded);
            }
        }
        attributes.extend_from_slice(mark.unwrap_or_default());

        if !attributes.is_empty() {
            attributes = element(ATTRIBUTES, &[&attributes])?;
        }
        let document = element(Tag::Sequence, &[self.before, &attributes, self.after])?;
        Ok(SecretDocument::try_from(document)?)
    }
}

/// Error for a document in PEM.
fn is_pem() -> Error {
    #[cfg(feature = "pem")]
    return ErrorKind::Pem(super::der::pem::Error::PreEncapsulationBoundary).into();
    #[cfg(not(feature = "pem"))]
    ErrorKind::TagUnknown { byte: b'-' }.into()
}

/// Refuses an encrypted document and a public key. Both begin with the algorithm, where a private
/// key has its version.
fn check_kind(mut fields: &[u8]) -> Result<()> {
    let mut tag = || take(&mut fields).map(|(tag, ..)| tag);
    match (tag(), tag()) {
        #[cfg(feature = "encryption")]
        (Ok(Tag::Sequence), Ok(Tag::OctetString)) => Err(Error::EncryptedPrivateKey(
            super::EncryptionError::DecryptFailed,
        )),
        (Ok(Tag::Sequence), Ok(Tag::BitString)) => Err(Error::PublicKey(spki::Error::KeyMalformed)),
        _ => Ok(()),
    }
}

/// An attribute of a private key.
#[cfg_attr(
    not(feature = "alloc"),
    expect(dead_code, reason = "parts that are written need memory")
)]
struct Attribute<'a> {
    /// The whole attribute.
    encoded: &'a [u8],
    /// Values of the attribute, if it is `keyUsage`.
    usage: Option<&'a [u8]>,
}

impl<'a> Attribute<'a> {
    /// Takes the first attribute from `rest`.
    fn take(rest: &mut &'a [u8]) -> Result<Self> {
        let (tag, mut fields, encoded) = take(rest)?;
        tag.assert_eq(Tag::Sequence)?;
        let kind = take_as(Tag::ObjectIdentifier, &mut fields)?;
        // Other readers may accept a different spelling of `keyUsage`.
        if !is_identifier(kind) {
            return Err(Tag::ObjectIdentifier.value_error().into());
        }
        let values = take_as(Tag::Set, &mut fields)?;
        finish(fields)?;
        Ok(Self {
            encoded,
            usage: (kind == KEY_USAGE).then_some(values),
        })
    }
}
