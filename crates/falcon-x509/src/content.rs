//! Messages that are the signed part of a document.

use crate::error::Error;
use crate::verify::check_encoding;
use der::Decode;
use x509_cert::TbsCertificate;
use x509_cert::crl::TbsCertList;
use x509_cert::request::CertReqInfo;

/// Kind of the X.509 document, or of the handshake, to which a signed message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignedPart {
    /// `TBSCertificate` of RFC 5280.
    Certificate,
    /// `CertificationRequestInfo` of RFC 2986 (PKCS#10).
    Request,
    /// `TBSCertList` of RFC 5280.
    RevocationList,
    /// Text that `CertificateVerify` of TLS 1.3 signs (RFC 8446, section 4.4.3), a delegated
    /// credential (RFC 9345) or an exported authenticator (RFC 9261).
    Handshake,
}

/// Text before everything that is signed in a handshake.
const PADDING: [u8; 64] = [b' '; 64];
/// How the context that follows [`PADDING`] begins, in RFC 8446 and RFC 9345, and in RFC 9261.
const CONTEXTS: [&[u8]; 2] = [b"TLS", b"Exported Authenticator"];

impl SignedPart {
    /// Tells whether a message may be the signed part of a document or of a handshake.
    ///
    /// **A plain signature of such a message is the signature of the document.** Whoever wrote the
    /// message then has a certificate of the signer, or can answer for the signer in a TLS
    /// connection. So a program that signs the messages of others with a key for certificates or
    /// for TLS should refuse such messages.
    ///
    /// `message` is the whole message. If it is too long to hold in memory, call
    /// [`of_beginning`](Self::of_beginning). This function looks only at tags and lengths. It also
    /// accepts those of BER, in long and indefinite forms, since some verifiers accept them. So it
    /// may accept a message that no verifier accepts, if the first three to five fields have the
    /// tags of a document. A program that signs nothing but signed parts should call
    /// [`from_der`](Self::from_der).
    ///
    /// Other standards sign DER, too, such as OCSP, CMS and attribute certificates. This function
    /// does not recognize their signed parts.
    ///
    /// ```
    /// use falcon_x509::SignedPart;
    ///
    /// assert_eq!(SignedPart::of_message(b"order #42"), None);
    /// let request = [0x30, 0x09, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    /// assert_eq!(SignedPart::of_message(&request), Some(SignedPart::Request));
    /// ```
    pub fn of_message(message: &[u8]) -> Option<Self> {
        Self::of_visible(message, false)
    }

    /// Tells whether a message that begins with these bytes may be the signed part of a document.
    ///
    /// `start` should have at least a few hundred bytes. If [`of_message`](Self::of_message)
    /// accepts a message, this function accepts its beginning. It also accepts the beginning of a
    /// PKCS#12 file, although `of_message` refuses the whole file.
    ///
    /// ```
    /// use falcon_x509::SignedPart;
    ///
    /// let request = [0x30, 0x09, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    /// assert_eq!(SignedPart::of_message(&request[..9]), None);
    /// assert_eq!(SignedPart::of_beginning(&request[..9]), Some(SignedPart::Request));
    /// ```
    pub fn of_beginning(start: &[u8]) -> Option<Self> {
        Self::of_visible(start, true)
    }

    /// `is_cut` is true if more bytes may follow `start`.
    fn of_visible(start: &[u8], is_cut: bool) -> Option<Self> {
        let context = start.strip_prefix(&PADDING);
        if context.is_some_and(|it| CONTEXTS.iter().any(|context| it.starts_with(context))) {
            return Some(Self::Handshake);
        }
        let (tag, fields) = Fields::of_message(start, is_cut)?;
        if tag != SEQUENCE {
            return None;
        }
        [
            (Self::Certificate, certificate as fn(Fields<'_>) -> Seen),
            (Self::RevocationList, revocation_list),
            (Self::Request, request),
        ]
        .into_iter()
        .find(|(_, is_kind)| is_kind(fields) != Err(Differs))
        .map(|(kind, _)| kind)
    }

    /// Decodes a whole message as the signed part of a document, and returns the kind of the
    /// document.
    ///
    /// Use this function if the key may sign signed parts only. The message is one
    /// `TBSCertificate`, `CertificationRequestInfo` or `TBSCertList` in strict DER, and nothing
    /// follows it. Values of extensions, of attributes and of public keys may be any bytes.
    /// Revocation lists of version 1 are refused.
    ///
    /// # Errors
    /// [`Error::NotSignedPart`] if the message does not have the first fields of a signed part.
    /// [`Error::Der`] or [`Error::NotDer`] if it has these fields, but is not the DER of a signed
    /// part.
    ///
    /// ```
    /// use falcon_x509::{Error, SignedPart};
    ///
    /// // The public key lacks its fields.
    /// let request = [0x30, 0x09, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    /// assert_eq!(SignedPart::of_message(&request), Some(SignedPart::Request));
    /// assert!(matches!(SignedPart::from_der(&request), Err(Error::Der(_))));
    /// ```
    pub fn from_der(message: &[u8]) -> Result<Self, Error> {
        let kind = Self::of_message(message).ok_or(Error::NotSignedPart)?;
        match kind {
            Self::Certificate => check_encoding(&TbsCertificate::from_der(message)?, message),
            Self::Request => check_encoding(&CertReqInfo::from_der(message)?, message),
            Self::RevocationList => check_encoding(&<TbsCertList>::from_der(message)?, message),
            Self::Handshake => Err(Error::NotSignedPart),
        }?;
        Ok(kind)
    }
}

/// A tag: its class in the upper two bits, and its number in the others. The bit for constructed
/// elements is left out, since some verifiers accept strings in pieces.
type Tag = u32;

const END: Tag = 0;
const INTEGER: Tag = 2;
const OBJECT_IDENTIFIER: Tag = 6;
const SEQUENCE: Tag = 16;
const SET: Tag = 17;
const UTC_TIME: Tag = 23;
const GENERALIZED_TIME: Tag = 24;
/// `[0]`.
const VERSION: Tag = 2 << 30;

/// The message is of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Differs;

/// Result of comparing the visible bytes of a message with a kind of document.
type Seen = Result<(), Differs>;

/// Reads `version [0]` (absent for version 1), serial number, algorithm, issuer and validity.
fn certificate(mut fields: Fields<'_>) -> Seen {
    if fields.next_is(VERSION) {
        fields.take(VERSION)?;
    }
    fields.take(INTEGER)?;
    algorithm(&mut fields)?;
    name(&mut fields)?;
    time(&mut fields.take(SEQUENCE)?)
}

/// Reads `version` (absent for version 1), algorithm, issuer and the time of this update.
fn revocation_list(mut fields: Fields<'_>) -> Seen {
    if fields.next_is(INTEGER) {
        fields.take(INTEGER)?;
    }
    algorithm(&mut fields)?;
    name(&mut fields)?;
    time(&mut fields)
}

/// Reads version, subject and public key.
fn request(mut fields: Fields<'_>) -> Seen {
    fields.take(INTEGER)?;
    name(&mut fields)?;
    fields.take(SEQUENCE)?.take(SEQUENCE).map(|_| ())
}

/// Reads a sequence that begins with an identifier.
fn algorithm(fields: &mut Fields<'_>) -> Seen {
    fields.take(SEQUENCE)?.take(OBJECT_IDENTIFIER).map(|_| ())
}

/// Reads a sequence of sets.
fn name(fields: &mut Fields<'_>) -> Seen {
    let name = fields.take(SEQUENCE)?;
    if name.bytes.is_empty() || name.next_is(SET) {
        Ok(())
    } else {
        Err(Differs)
    }
}

fn time(fields: &mut Fields<'_>) -> Seen {
    let tag = if fields.next_is(UTC_TIME) {
        UTC_TIME
    } else {
        GENERALIZED_TIME
    };
    fields.take(tag).map(|_| ())
}

/// The visible fields of a sequence that have not been taken yet.
#[derive(Clone, Copy)]
struct Fields<'a> {
    bytes: &'a [u8],
    /// True if further fields may follow that are not visible.
    is_cut: bool,
}

impl<'a> Fields<'a> {
    /// Returns the tag and the fields of a message that is a single element.
    fn of_message(start: &'a [u8], is_cut: bool) -> Option<(Tag, Self)> {
        let mut message = Self {
            bytes: start,
            is_cut,
        };
        let (tag, _) = read_tag(start)?;
        let fields = message.take(tag).ok()?;
        message.bytes.is_empty().then_some((tag, fields))
    }

    fn next_is(&self, tag: Tag) -> bool {
        read_tag(self.bytes).is_some_and(|(found, _)| found == tag)
    }

    /// Takes the next element, which must have this tag if it is visible, and returns its fields.
    fn take(&mut self, tag: Tag) -> Result<Self, Differs> {
        let content = match read_header(self.bytes) {
            Some((found, ..)) if found != tag => return Err(Differs),
            Some((_, Some(length), behind)) => match behind.split_at_checked(length) {
                Some((bytes, rest)) => Ok((bytes, rest)),
                None => Err(behind),
            },
            Some((_, None, behind)) => match end_of_indefinite(behind) {
                Some((length, rest)) => Ok((&behind[..length], rest)),
                None => Err(behind),
            },
            None => Err(&[][..]),
        };
        match content {
            Ok((bytes, rest)) => {
                self.bytes = rest;
                Ok(Self {
                    bytes,
                    is_cut: false,
                })
            }
            // The end is not visible.
            Err(bytes) if self.is_cut => {
                self.bytes = &[];
                Ok(Self {
                    bytes,
                    is_cut: true,
                })
            }
            Err(_) => Err(Differs),
        }
    }
}

/// Reads a tag, in the low or the high form. Also returns the bytes after it.
fn read_tag(bytes: &[u8]) -> Option<(Tag, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    let class = Tag::from(first >> 6) << 30;
    let low = Tag::from(first & 0x1f);
    if low < 0x1f {
        return Some((class | low, rest));
    }
    let mut number: Tag = 0;
    loop {
        let (&digit, behind) = rest.split_first()?;
        rest = behind;
        // A number that does not fit is not one of the expected tags.
        number = number.saturating_mul(128).min(1 << 29) | Tag::from(digit & 0x7f);
        if digit & 0x80 == 0 {
            return Some((class | number, rest));
        }
    }
}

/// Reads a tag and a length, which is `None` in the indefinite form. Also returns the bytes after
/// them.
fn read_header(bytes: &[u8]) -> Option<(Tag, Option<usize>, &[u8])> {
    let (tag, rest) = read_tag(bytes)?;
    let (&first, rest) = rest.split_first()?;
    match first {
        0x80 => Some((tag, None, rest)),
        0x00..=0x7f => Some((tag, Some(usize::from(first)), rest)),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            // A length that does not fit is larger than the message.
            let length = digits.iter().fold(0usize, |length, &digit| {
                length
                    .checked_mul(256)
                    .map_or(usize::MAX, |length| length | usize::from(digit))
            });
            Some((tag, Some(length), rest))
        }
    }
}

/// Finds the end of an element of indefinite length. Returns the length of its fields and the bytes
/// after the element, or `None` if the end is not visible.
fn end_of_indefinite(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (mut rest, mut depth) = (bytes, 1);
    loop {
        let (tag, length, behind) = read_header(rest)?;
        rest = match length {
            Some(0) if tag == END => {
                depth -= 1;
                if depth == 0 {
                    return Some((bytes.len() - rest.len(), behind));
                }
                behind
            }
            Some(length) => behind.get(length..)?,
            None => {
                depth += 1;
                behind
            }
        };
    }
}
