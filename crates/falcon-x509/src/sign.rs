//! Makes documents with a Falcon key and the builders of the crate `x509-cert`.

use crate::error::Error;
use crate::verify::subject_key;
use alloc::vec::Vec;
use der::{Encode, asn1::BitString, referenced::OwnedToRef};
use falcon_core::pkcs8::CertificateSignature;
use falcon_core::pkcs8::spki::{
    DynSignatureAlgorithmIdentifier, EncodePublicKey, SubjectPublicKeyInfoRef,
};
use falcon_core::signature::Keypair;
use falcon_core::{AnySigningKey, AnyVerifyingKey, Parameters, SigningKey};
use rand_core::CryptoRng;
use x509_cert::Certificate;
use x509_cert::builder::profile::BuilderProfile;
use x509_cert::builder::{self, Builder, CertificateBuilder};
use x509_cert::certificate::{self, TbsCertificate};
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, CrlNumber, KeyUsage, KeyUsages, SubjectKeyIdentifier,
};
use x509_cert::ext::{Extension, ToExtension};
use x509_cert::name::Name;
use x509_cert::request::{CertReq, CertReqInfo, Version};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::{Time, Validity};

/// A Falcon key that signs certificates, requests and revocation lists.
///
/// Signatures are compressed, under the identifiers 1.3.9999.3.11 (Falcon-512) and 1.3.9999.3.14
/// (Falcon-1024). Implemented for [`SigningKey`] and [`AnySigningKey`] only.
pub trait CertificateSigner: sealed::Sealed {
    /// Signs the contents of a builder of `x509-cert`. Use it for certificates of other holders,
    /// and for documents that the other methods do not make.
    ///
    /// # Errors
    /// [`Error::Build`] if the builder or the signing fails. [`Error::ParameterSet`] if
    /// certificates cannot name the key's parameter set.
    fn build<B: Builder, R: CryptoRng + ?Sized>(
        &self,
        builder: B,
        rng: &mut R,
    ) -> Result<B::Output, Error>;

    /// Public key that belongs to this key.
    fn public_key(&self) -> AnyVerifyingKey;

    /// Makes a self-signed certificate of a certification authority, which may sign certificates
    /// and revocation lists. The serial number is random.
    ///
    /// # Errors
    /// [`Error::Dates`] if `validity` ends before it begins. [`Error::Build`] if `subject` is
    /// empty, or if the certificate cannot be encoded.
    fn self_signed_certificate<R: CryptoRng + ?Sized>(
        &self,
        subject: Name,
        validity: Validity,
        rng: &mut R,
    ) -> Result<Certificate, Error> {
        in_order(validity.not_before, validity.not_after)?;
        // The standard requires a non-empty issuer name.
        if subject.is_empty() {
            return Err(builder::Error::MissingAttributes.into());
        }
        let key = information(&self.public_key())?;
        let serial = SerialNumber::generate(rng);
        let builder = CertificateBuilder::new(Authority(subject), serial, validity, key)?;
        self.build(builder, rng)
    }

    /// Makes a certificate request (PKCS#10) without attributes.
    ///
    /// # Errors
    /// [`Error::Build`] if the request cannot be encoded.
    fn certificate_request<R: CryptoRng + ?Sized>(
        &self,
        subject: Name,
        rng: &mut R,
    ) -> Result<CertReq, Error> {
        let request = Request(CertReqInfo {
            version: Version::V1,
            subject,
            public_key: information(&self.public_key())?,
            attributes: Default::default(),
        });
        self.build(request, rng)
    }

    /// Makes a revocation list of the issuer whose certificate holds this key.
    ///
    /// # Errors
    /// [`Error::OtherKey`] if the certificate holds another Falcon key, [`Error::PublicKey`] if it
    /// holds none, [`Error::Dates`] if the time of the next list is before `this_update`, and
    /// [`Error::Build`] if the list cannot be encoded.
    fn revocation_list<R: CryptoRng + ?Sized>(
        &self,
        issuer: &Certificate,
        revocations: Revocations,
        rng: &mut R,
    ) -> Result<CertificateList, Error> {
        let held = subject_key(issuer.tbs_certificate().subject_public_key_info())?;
        if held != self.public_key() {
            return Err(Error::OtherKey);
        }
        in_order(revocations.this_update, revocations.next_update)?;
        self.build(List::new(issuer.tbs_certificate(), revocations)?, rng)
    }
}

fn in_order(first: Time, second: Time) -> Result<(), Error> {
    if first.to_unix_duration() <= second.to_unix_duration() {
        Ok(())
    } else {
        Err(Error::Dates)
    }
}

/// Contents of a revocation list.
#[derive(Clone, Debug)]
pub struct Revocations {
    /// Number of the list. It grows with each list of an issuer.
    pub number: CrlNumber,
    /// Time of the list.
    pub this_update: Time,
    /// Latest time of the next list.
    pub next_update: Time,
    /// The revoked certificates; may be empty.
    pub revoked: Vec<RevokedCert>,
}

mod sealed {
    /// Prevents implementations of this crate's traits outside of the crate.
    pub trait Sealed {}
}

impl<P: Parameters> sealed::Sealed for SigningKey<P> {}
impl sealed::Sealed for AnySigningKey {}

impl<P: Parameters> CertificateSigner for SigningKey<P>
where
    AnyVerifyingKey: From<falcon_core::VerifyingKey<P>>,
{
    fn build<B: Builder, R: CryptoRng + ?Sized>(
        &self,
        builder: B,
        rng: &mut R,
    ) -> Result<B::Output, Error> {
        Ok(builder.build_with_rng::<_, CertificateSignature<P>, _>(self, rng)?)
    }

    fn public_key(&self) -> AnyVerifyingKey {
        self.verifying_key().clone().into()
    }
}

impl CertificateSigner for AnySigningKey {
    fn build<B: Builder, R: CryptoRng + ?Sized>(
        &self,
        builder: B,
        rng: &mut R,
    ) -> Result<B::Output, Error> {
        match self {
            Self::Falcon512(key) => key.build(builder, rng),
            Self::Falcon1024(key) => key.build(builder, rng),
            _ => Err(Error::ParameterSet),
        }
    }

    fn public_key(&self) -> AnyVerifyingKey {
        self.verifying_key()
    }
}

/// Encodes a key for a certificate or a request.
fn information(key: &AnyVerifyingKey) -> builder::Result<SubjectPublicKeyInfoOwned> {
    Ok(SubjectPublicKeyInfoOwned::from_key(key)?)
}

/// Profile of a self-signed certification authority (RFC 5280).
struct Authority(Name);

impl BuilderProfile for Authority {
    fn get_issuer(&self, subject: &Name) -> Name {
        subject.clone()
    }

    fn get_subject(&self) -> Name {
        self.0.clone()
    }

    fn build_extensions(
        &self,
        key: SubjectPublicKeyInfoRef<'_>,
        _: SubjectPublicKeyInfoRef<'_>,
        tbs: &TbsCertificate,
    ) -> builder::Result<Vec<Extension>> {
        let constraints = BasicConstraints {
            ca: true,
            path_len_constraint: None,
        };
        let usage = KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign);
        Ok([
            constraints.to_extension(tbs.subject(), &[])?,
            usage.to_extension(tbs.subject(), &[])?,
            SubjectKeyIdentifier::try_from(key)?.to_extension(tbs.subject(), &[])?,
        ]
        .into())
    }
}

/// A request without attributes. The builder of `x509-cert` always adds an attribute for
/// extensions, even if the list of extensions is empty, which the standard forbids.
struct Request(CertReqInfo);

impl Builder for Request {
    type Output = CertReq;

    fn finalize<S>(&mut self, _: &S) -> builder::Result<Vec<u8>>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        Ok(self.0.to_der()?)
    }

    fn assemble<S>(self, signature: BitString, signer: &S) -> builder::Result<CertReq>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        Ok(CertReq {
            info: self.0,
            algorithm: signer.signature_algorithm_identifier()?,
            signature,
        })
    }
}

/// A revocation list. The builder of `x509-cert` has two defects. It copies
/// `authorityKeyIdentifier` from the issuer's certificate, where the field names the key that
/// signed that certificate. It also writes times in the form in which they are passed.
struct List(TbsCertList);

impl List {
    fn new(issuer: &TbsCertificate, revocations: Revocations) -> builder::Result<Self> {
        let Revocations {
            number,
            this_update,
            next_update,
            mut revoked,
        } = revocations;
        let info = issuer.subject_public_key_info();
        let key = match issuer.get_extension::<SubjectKeyIdentifier>()? {
            Some((_, identifier)) => identifier,
            None => SubjectKeyIdentifier::try_from(info.owned_to_ref())?,
        };
        let authority = AuthorityKeyIdentifier {
            key_identifier: Some(key.0),
            ..Default::default()
        };
        let name = issuer.subject();
        let extensions = [
            number.to_extension(name, &[])?,
            authority.to_extension(name, &[])?,
        ];
        for certificate in &mut revoked {
            certificate.revocation_date = shortest(certificate.revocation_date);
        }
        Ok(Self(TbsCertList {
            version: certificate::Version::V2,
            // `finalize` replaces this identifier by that of the signer's algorithm.
            signature: info.algorithm.clone(),
            issuer: name.clone(),
            this_update: shortest(this_update),
            next_update: Some(shortest(next_update)),
            // The standard forbids an empty list of certificates.
            revoked_certificates: Some(revoked).filter(|revoked| !revoked.is_empty()),
            crl_extensions: Some(extensions.into()),
        }))
    }
}

/// Converts to the form that RFC 5280 requires: `UTCTime` up to 2049, `GeneralizedTime` from 2050
/// on.
fn shortest(time: Time) -> Time {
    time.to_date_time().into()
}

impl Builder for List {
    type Output = CertificateList;

    fn finalize<S>(&mut self, signer: &S) -> builder::Result<Vec<u8>>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        self.0.signature = signer.signature_algorithm_identifier()?;
        Ok(self.0.to_der()?)
    }

    fn assemble<S>(self, signature: BitString, _: &S) -> builder::Result<CertificateList>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        Ok(CertificateList {
            signature_algorithm: self.0.signature.clone(),
            tbs_cert_list: self.0,
            signature,
        })
    }
}
