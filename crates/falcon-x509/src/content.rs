//! Messages that are the signed part of a document.

/// A document whose signed part a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignedPart {
    /// `TBSCertificate` of RFC 5280.
    Certificate,
    /// `CertificationRequestInfo` of RFC 2986 (PKCS#10).
    Request,
    /// `TBSCertList` of RFC 5280.
    RevocationList,
}

impl SignedPart {
    /// Tells whether a message may be the signed part of a document.
    ///
    /// **A plain signature of such a message is the signature of the document.** Whoever wrote the
    /// message then has a certificate of the signer. So a program that signs the messages of
    /// others, with a key that may sign certificates, should refuse these.
    ///
    /// `start` is the beginning of the message, at least a few hundred bytes, or all of it if
    /// `is_whole`. Only tags and lengths are looked at, and those of BER are accepted, since some
    /// verifiers accept them. So a message that no verifier accepts may be taken for one: it
    /// begins with a tag of DER and with two to four further ones.
    ///
    /// ```
    /// use falcon_x509::SignedPart;
    ///
    /// assert_eq!(SignedPart::of_message(b"order #42", true), None);
    /// let request = [0x30, 0x09, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    /// assert_eq!(SignedPart::of_message(&request, true), Some(SignedPart::Request));
    /// ```
    pub fn of_message(start: &[u8], is_whole: bool) -> Option<Self> {
        let (tag, fields) = Fields::of_message(start, is_whole)?;
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
}

const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// `[0] EXPLICIT`.
const VERSION: u8 = 0xa0;

/// The message is of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Differs;

/// Whether a message is of a kind, as far as it is visible.
type Seen = Result<(), Differs>;

/// `version [0]` unless it is 1, serial number, algorithm, issuer, validity.
fn certificate(mut fields: Fields<'_>) -> Seen {
    if fields.next_is(VERSION) {
        fields.take(VERSION)?;
    }
    fields.take(INTEGER)?;
    fields.take(SEQUENCE)?.take(OBJECT_IDENTIFIER)?;
    name(&mut fields)?;
    time(&mut fields.take(SEQUENCE)?)
}

/// `version` unless it is 1, algorithm, issuer, the time of this update.
fn revocation_list(mut fields: Fields<'_>) -> Seen {
    if fields.next_is(INTEGER) {
        fields.take(INTEGER)?;
    }
    fields.take(SEQUENCE)?.take(OBJECT_IDENTIFIER)?;
    name(&mut fields)?;
    time(&mut fields)
}

/// Version, subject, public key.
fn request(mut fields: Fields<'_>) -> Seen {
    fields.take(INTEGER)?;
    name(&mut fields)?;
    fields.take(SEQUENCE)?.take(SEQUENCE).map(|_| ())
}

/// A sequence of sets.
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

/// The fields of a sequence that are not taken yet, as far as they are visible.
#[derive(Clone, Copy)]
struct Fields<'a> {
    bytes: &'a [u8],
    /// More may follow that is not visible.
    is_cut: bool,
}

impl<'a> Fields<'a> {
    /// The tag and the fields of a message that is one element.
    fn of_message(start: &'a [u8], is_whole: bool) -> Option<(u8, Self)> {
        let mut message = Self {
            bytes: start,
            is_cut: !is_whole,
        };
        let tag = *start.first()?;
        let fields = message.take(tag).ok()?;
        message.bytes.is_empty().then_some((tag, fields))
    }

    fn next_is(&self, tag: u8) -> bool {
        self.bytes.first() == Some(&tag)
    }

    /// Takes the next element, which must have this tag if it is visible, and returns its fields.
    fn take(&mut self, tag: u8) -> Result<Self, Differs> {
        let beyond = Self {
            bytes: &[],
            is_cut: true,
        };
        let found = self.header();
        let bytes = match found {
            Some((found, ..)) if found != tag => return Err(Differs),
            Some((_, Some(length), rest)) => match rest.split_at_checked(length) {
                Some((content, rest)) => {
                    self.bytes = rest;
                    return Ok(Self {
                        bytes: content,
                        is_cut: false,
                    });
                }
                None if self.is_cut => rest,
                None => return Err(Differs),
            },
            // Its end is not looked for.
            Some((_, None, rest)) => rest,
            None if self.is_cut => &[],
            None => return Err(Differs),
        };
        *self = beyond;
        Ok(Self { bytes, ..beyond })
    }

    /// Reads a tag and a length, which is `None` in the indefinite form, and the bytes behind them.
    fn header(&self) -> Option<(u8, Option<usize>, &'a [u8])> {
        let [tag, first, rest @ ..] = self.bytes else {
            return None;
        };
        match first {
            0x80 => Some((*tag, None, rest)),
            0x00..=0x7f => Some((*tag, Some(usize::from(*first)), rest)),
            _ => {
                let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                // A length that does not fit is larger than the message.
                let length = digits.iter().fold(0usize, |length, &digit| {
                    length
                        .checked_mul(256)
                        .map_or(usize::MAX, |length| length | usize::from(digit))
                });
                Some((*tag, Some(length), rest))
            }
        }
    }
}
