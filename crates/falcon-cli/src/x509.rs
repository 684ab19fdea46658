//! Decodes certificates, certificate requests and revocation lists, and describes them in a few
//! fields.

use crate::{
    escape::Escaped,
    oids::is_falcon,
    ui::{BAD, GOOD, Styled},
};
use falcon_core::pkcs8::{self, ObjectIdentifier};
use falcon_core::{AnyVerifyingKey, ParameterSet};
use falcon_envelope::Fingerprint;
use falcon_x509::x509_cert::{
    Certificate, TbsCertificate,
    crl::CertificateList,
    der::Decode,
    ext::pkix::{AuthorityKeyIdentifier, SubjectKeyIdentifier},
    request::CertReq,
    spki::SubjectPublicKeyInfoOwned,
};
use falcon_x509::{Error, subject_key, verify_request, verify_self_signed};
use serde::Serialize;
use std::fmt;

/// Contents of a document, as the document claims them. Only the signature was verified, with the
/// result in the field `signature`.
#[derive(Clone, Serialize)]
pub(crate) struct Document {
    #[serde(skip)]
    pub(crate) kind: Kind,
    /// Algorithm of the signature, if it is a Falcon algorithm.
    #[serde(skip)]
    pub(crate) algorithm: Option<ParameterSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    serial: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// Times of a revocation list.
    #[serde(skip_serializing_if = "Option::is_none")]
    this_update: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_update: Option<String>,
    /// Number of certificates that a list revokes.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked: Option<usize>,
    /// Identifier of the algorithm of the signature.
    signature_algorithm: String,
    #[serde(flatten)]
    key: Option<Key>,
    signature: Signature,
}

/// Kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Certificate,
    Request,
    RevocationList,
}

impl Kind {
    /// Returns the name without an article.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Request => "certificate request",
            Self::RevocationList => "revocation list",
        }
    }

    /// Returns the name that the standard uses.
    pub(crate) fn standard(self) -> &'static str {
        match self {
            Self::Certificate | Self::RevocationList => "X.509",
            Self::Request => "PKCS#10",
        }
    }
}

/// Public key of a document.
#[derive(Clone, Serialize)]
struct Key {
    /// Name of the parameter set in JSON, or the identifier of another algorithm.
    key_algorithm: String,
    /// Name of the algorithm for people.
    #[serde(skip)]
    shown: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// The key, if it is a Falcon key.
    #[serde(skip)]
    falcon: Option<Box<AnyVerifyingKey>>,
}

impl Key {
    fn new(info: &SubjectPublicKeyInfoOwned) -> Self {
        let oid = info.algorithm.oid;
        match subject_key(info) {
            Ok(key) => Self {
                key_algorithm: key.name().to_lowercase(),
                shown: key.name().to_owned(),
                fingerprint: Some(Fingerprint(key.fingerprint()).to_string()),
                falcon: Some(Box::new(key)),
            },
            Err(_) => Self {
                key_algorithm: oid.to_string(),
                shown: match is_falcon(oid) {
                    true => format!("malformed, algorithm {oid}"),
                    false => format!("of the algorithm {oid}, not Falcon"),
                },
                fingerprint: None,
                falcon: None,
            },
        }
    }
}

/// Verdict on the signature of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Signature {
    /// The key in the document made the signature.
    Valid,
    /// The key in the document should have made the signature, but did not.
    Invalid,
    /// The key in the document made the signature, but the contents are not DER.
    NotDer,
    /// The issuer's key is not in the document, or the document names another key.
    NotVerified,
    /// The signature's identifier belongs to Falcon, but this library does not support it in
    /// certificates. Padded signatures have such an identifier.
    NotSupported,
    /// Another algorithm made the signature.
    NotFalcon,
}

impl Document {
    /// Decodes a document of the kind `kind` from DER.
    pub(crate) fn of_kind(kind: Kind, der: &[u8]) -> Option<Self> {
        match kind {
            Kind::Certificate => Certificate::from_der(der)
                .ok()
                .map(|it| Self::certificate(&it, der)),
            Kind::Request => CertReq::from_der(der).ok().map(|it| Self::request(it, der)),
            Kind::RevocationList => CertificateList::from_der(der).ok().map(Self::list),
        }
    }

    /// Decodes a document of any kind from DER. The same DER never decodes as two kinds.
    pub(crate) fn of_any_kind(der: &[u8]) -> Option<Self> {
        [Kind::Certificate, Kind::Request, Kind::RevocationList]
            .into_iter()
            .find_map(|kind| Self::of_kind(kind, der))
    }

    /// Returns true if the document's own key should have made its signature but did not, or if the
    /// signed contents are not DER.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.signature, Signature::Invalid | Signature::NotDer)
    }

    /// Returns true if the key in the document made the signature.
    pub(crate) fn is_verified(&self) -> bool {
        self.signature == Signature::Valid
    }

    /// Returns the Falcon key of a certificate or a request.
    pub(crate) fn public_key(&self) -> Option<&AnyVerifyingKey> {
        self.key.as_ref()?.falcon.as_deref()
    }

    fn new(kind: Kind, algorithm: ObjectIdentifier) -> Self {
        let falcon = match algorithm {
            pkcs8::FALCON_512 => Some(ParameterSet::Falcon512),
            pkcs8::FALCON_1024 => Some(ParameterSet::Falcon1024),
            _ => None,
        };
        Self {
            kind,
            algorithm: falcon,
            subject: None,
            issuer: None,
            serial: None,
            valid_from: None,
            valid_until: None,
            this_update: None,
            next_update: None,
            revoked: None,
            signature_algorithm: algorithm.to_string(),
            key: None,
            signature: match falcon {
                Some(_) => Signature::NotVerified,
                None if is_falcon(algorithm) => Signature::NotSupported,
                None => Signature::NotFalcon,
            },
        }
    }

    fn certificate(certificate: &Certificate, der: &[u8]) -> Self {
        let tbs = certificate.tbs_certificate();
        let new = Self::new(Kind::Certificate, certificate.signature_algorithm().oid);
        Self {
            subject: Some(tbs.subject().to_string()),
            issuer: Some(tbs.issuer().to_string()),
            serial: Some(base16ct::lower::encode_string(
                tbs.serial_number().as_bytes(),
            )),
            valid_from: Some(tbs.validity().not_before.to_string()),
            valid_until: Some(tbs.validity().not_after.to_string()),
            key: Some(Key::new(tbs.subject_public_key_info())),
            signature: new.verdict(verify_self_signed(der).map(drop).map_err(|error| {
                match is_of_another_key(tbs, &error) {
                    true => Error::NotSelfIssued,
                    false => error,
                }
            })),
            ..new
        }
    }

    fn request(request: CertReq, der: &[u8]) -> Self {
        let new = Self::new(Kind::Request, request.algorithm.oid);
        Self {
            subject: Some(request.info.subject.to_string()),
            key: Some(Key::new(&request.info.public_key)),
            signature: new.verdict(verify_request(der).map(drop)),
            ..new
        }
    }

    fn list(list: CertificateList) -> Self {
        let content = list.tbs_cert_list;
        Self {
            issuer: Some(content.issuer.to_string()),
            this_update: Some(content.this_update.to_string()),
            next_update: content.next_update.map(|time| time.to_string()),
            revoked: Some(content.revoked_certificates.map_or(0, |it| it.len())),
            ..Self::new(Kind::RevocationList, list.signature_algorithm.oid)
        }
    }

    /// Converts the result of verifying with the key in the document to a verdict.
    fn verdict(&self, verified: Result<(), Error>) -> Signature {
        match verified {
            _ if self.algorithm.is_none() => self.signature,
            Ok(()) => Signature::Valid,
            Err(Error::NotSelfIssued) => Signature::NotVerified,
            Err(Error::NotDer) => Signature::NotDer,
            Err(_) => Signature::Invalid,
        }
    }
}

/// Returns true if a key other than its own should have signed a certificate, although its issuer
/// is its subject. `error` comes from verifying with its own key: the signature or the key is of
/// another algorithm, or the extensions name another key as the signer. An issuer that changes its
/// key makes such certificates.
fn is_of_another_key(tbs: &TbsCertificate, error: &Error) -> bool {
    let names_another = || {
        let (_, authority) = tbs.get_extension::<AuthorityKeyIdentifier>().ok()??;
        let (_, subject) = tbs.get_extension::<SubjectKeyIdentifier>().ok()??;
        Some(authority.key_identifier? != subject.0)
    };
    match error {
        Error::Algorithm(_) => true,
        Error::PublicKey(_) => !is_falcon(tbs.subject_public_key_info().algorithm.oid),
        Error::InvalidSignature => names_another().unwrap_or(false),
        _ => false,
    }
}

/// Writes the lines that follow the line of the file.
impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, text) in [
            ("subject", &self.subject),
            ("issuer", &self.issuer),
            ("serial", &self.serial),
        ] {
            if let Some(text) = text {
                write!(f, "\n  {name} {}", Escaped(text))?;
            }
        }
        if let (Some(from), Some(until)) = (&self.valid_from, &self.valid_until) {
            write!(f, "\n  valid from {from} until {until}")?;
        }
        if let Some(update) = &self.this_update {
            write!(f, "\n  this update {update}")?;
        }
        if let Some(update) = &self.next_update {
            write!(f, "\n  next update {update}")?;
        }
        if let Some(revoked) = self.revoked {
            write!(f, "\n  revoked certificates {revoked}")?;
        }
        if let Some(key) = &self.key {
            write!(f, "\n  key {}", key.shown)?;
            if let Some(fingerprint) = &key.fingerprint {
                write!(f, "\n  fingerprint {fingerprint}")?;
            }
        }
        write!(f, "\n  signature ")?;
        let kind = self.kind.name();
        match self.signature {
            Signature::Valid => {
                write!(f, "{}, by the key in this {kind}", Styled(GOOD, "valid"))
            }
            Signature::Invalid => {
                write!(
                    f,
                    "{}: not by the key in this {kind}",
                    Styled(BAD, "invalid")
                )
            }
            Signature::NotDer => {
                write!(
                    f,
                    "{}: the signed contents are not DER",
                    Styled(BAD, "invalid")
                )
            }
            Signature::NotVerified => f.write_str("not verified: the issuer's key is not here"),
            Signature::NotSupported => {
                write!(
                    f,
                    "not verified: algorithm {}, not supported for signatures",
                    self.signature_algorithm
                )
            }
            Signature::NotFalcon => {
                write!(
                    f,
                    "not verified: algorithm {}, not Falcon",
                    self.signature_algorithm
                )
            }
        }
    }
}
