//! Verifies the signatures of documents over the bytes that were received.

use crate::error::Error;
use der::asn1::BitStringRef;
use der::referenced::OwnedToRef;
use der::{Decode, Encode, Reader, SliceReader};
use falcon_core::pkcs8::{AlgorithmIdentifierRef, CertificateSignature};
use falcon_core::signature::Verifier;
use falcon_core::{AnyVerifyingKey, Parameters, VerifyingKey};
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;
use x509_cert::request::CertReq;
use x509_cert::spki::AssociatedAlgorithmIdentifier;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

/// Decodes a certificate and verifies its signature with the key of its issuer.
///
/// Only the signature is verified. The caller checks the dates, the names and the extensions.
///
/// # Errors
/// [`Error::Der`] or [`Error::NotDer`] if `der` is not the DER of one certificate. The other errors
/// are about the signature or its algorithm identifiers.
pub fn verify_certificate(der: &[u8], issuer: &AnyVerifyingKey) -> Result<Certificate, Error> {
    let certificate = Certificate::from_der(der)?;
    let signed = Signed::from_der(der)?;
    signed.names_the_same(certificate.tbs_certificate().signature())?;
    signed.verify(issuer)?;
    check_encoding(&certificate, der)?;
    Ok(certificate)
}

/// Decodes a self-signed certificate and verifies its signature with the key that it holds.
///
/// Anyone can make such a certificate, with any name. Compare its key, or the key's fingerprint,
/// with one that you trust.
///
/// # Errors
/// [`Error::NotSelfIssued`] if issuer and subject differ, [`Error::PublicKey`] if the certificate
/// holds no Falcon key, and the errors of [`verify_certificate`].
pub fn verify_self_signed(der: &[u8]) -> Result<Certificate, Error> {
    let certificate = Certificate::from_der(der)?;
    let tbs = certificate.tbs_certificate();
    if tbs.issuer() != tbs.subject() {
        return Err(Error::NotSelfIssued);
    }
    verify_certificate(der, &subject_key(tbs.subject_public_key_info())?)
}

/// Decodes a certificate request (PKCS#10) and verifies its signature with the key that it holds. A
/// valid signature shows that the requester has the secret key.
///
/// # Errors
/// [`Error::Der`] or [`Error::NotDer`] if `der` is not the DER of one request,
/// [`Error::PublicKey`] if the request holds no Falcon key. The other errors are about the
/// signature or its algorithm identifier.
pub fn verify_request(der: &[u8]) -> Result<CertReq, Error> {
    let request = CertReq::from_der(der)?;
    Signed::from_der(der)?.verify(&subject_key(&request.info.public_key)?)?;
    check_encoding(&request, der)?;
    Ok(request)
}

/// Decodes a certificate revocation list and verifies its signature with the key of its issuer.
///
/// Only the signature is verified. The caller checks the dates, the issuer and the extensions.
///
/// # Errors
/// [`Error::Der`] or [`Error::NotDer`] if `der` is not the DER of one revocation list. The other
/// errors are about the signature or its algorithm identifiers.
pub fn verify_revocation_list(
    der: &[u8],
    issuer: &AnyVerifyingKey,
) -> Result<CertificateList, Error> {
    let list = CertificateList::from_der(der)?;
    let signed = Signed::from_der(der)?;
    signed.names_the_same(&list.tbs_cert_list.signature)?;
    signed.verify(issuer)?;
    check_encoding(&list, der)?;
    Ok(list)
}

/// Checks that encoding the fields of a document gives the received bytes. The decoder accepts some
/// documents that are not DER.
pub(crate) fn check_encoding(document: &impl Encode, der: &[u8]) -> Result<(), Error> {
    if document.to_der()? == der {
        Ok(())
    } else {
        Err(Error::NotDer)
    }
}

/// Decodes the Falcon key of a certificate or of a request.
///
/// # Errors
/// [`Error::PublicKey`] if the key is not a Falcon key, or is malformed.
pub fn subject_key(info: &SubjectPublicKeyInfoOwned) -> Result<AnyVerifyingKey, Error> {
    AnyVerifyingKey::try_from(info.owned_to_ref()).map_err(Error::PublicKey)
}

/// The common layout of certificates, requests and revocation lists.
struct Signed<'a> {
    /// The signed bytes, as they were received.
    content: &'a [u8],
    algorithm: AlgorithmIdentifierRef<'a>,
    signature: BitStringRef<'a>,
}

impl<'a> Signed<'a> {
    fn from_der(der: &'a [u8]) -> Result<Self, Error> {
        let mut reader = SliceReader::new(der)?;
        let signed = reader.sequence(|fields| {
            let content = fields.tlv_bytes()?;
            Ok::<_, Error>(Self {
                content,
                algorithm: fields.decode()?,
                signature: fields.decode()?,
            })
        })?;
        reader.finish()?;
        Ok(signed)
    }

    /// Checks that the signed part names the same algorithm as the signature's identifier.
    fn names_the_same(&self, inner: &AlgorithmIdentifierOwned) -> Result<(), Error> {
        if inner.owned_to_ref() == self.algorithm {
            Ok(())
        } else {
            Err(Error::AlgorithmsDiffer)
        }
    }

    fn verify(&self, key: &AnyVerifyingKey) -> Result<(), Error> {
        match key {
            AnyVerifyingKey::Falcon512(key) => self.verify_with(key),
            AnyVerifyingKey::Falcon1024(key) => self.verify_with(key),
            _ => Err(Error::ParameterSet),
        }
    }

    fn verify_with<P: Parameters>(&self, key: &VerifyingKey<P>) -> Result<(), Error> {
        if self.algorithm.oid != CertificateSignature::<P>::ALGORITHM_IDENTIFIER.oid {
            return Err(Error::Algorithm(self.algorithm.oid));
        }
        if self.algorithm.parameters.is_some() {
            return Err(Error::Parameters);
        }
        let bytes = self.signature.as_bytes().ok_or(Error::UnusedBits)?;
        let signature =
            CertificateSignature::<P>::try_from(bytes).map_err(Error::MalformedSignature)?;
        Verifier::verify(key, self.content, &signature).map_err(|_| Error::InvalidSignature)
    }
}
