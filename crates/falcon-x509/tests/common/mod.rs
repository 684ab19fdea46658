//! Keys and documents that are the same in every run.
#![allow(dead_code, reason = "each test uses some of it")]

use falcon_core::{AnySigningKey, Falcon512, Falcon1024, SigningKey};
use falcon_kat::Again;
use falcon_x509::x509_cert::der::{DateTime, Encode};
use falcon_x509::x509_cert::ext::pkix::CrlNumber;
use falcon_x509::x509_cert::{
    Certificate, crl::RevokedCert, name::Name, serial_number::SerialNumber, time::Time,
    time::Validity,
};
use falcon_x509::{CertificateSigner, Revocations};

/// Name of the issuer.
pub const ISSUER: &str = "CN=Falcon Root,O=Aerie,C=DE";

/// A key of each parameter set.
pub fn keys() -> [AnySigningKey; 2] {
    [
        SigningKey::<Falcon512>::from_seed_boxed(&[1; 32])
            .expect("no fault")
            .into(),
        SigningKey::<Falcon1024>::from_seed_boxed(&[2; 32])
            .expect("no fault")
            .into(),
    ]
}

/// Parses a name.
pub fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

/// Returns the first second of a year.
pub fn new_year(year: u16) -> Time {
    DateTime::new(year, 1, 1, 0, 0, 0).expect("a year").into()
}

/// Returns the validity of certificates. It ends in 2050, the first year that is written with four
/// digits.
pub fn years() -> Validity {
    Validity::new(new_year(2025), new_year(2050))
}

/// Makes a self-signed certificate of [`ISSUER`].
pub fn certificate(key: &impl CertificateSigner) -> Certificate {
    key.self_signed_certificate(name(ISSUER), years(), &mut Again([0x5a]))
        .expect("a certificate")
}

/// Returns the contents of a list that revokes the certificates 42 and 43.
pub fn revocations() -> Revocations {
    let revoked = |serial: u32| RevokedCert {
        serial_number: SerialNumber::from(serial),
        revocation_date: new_year(2025),
        crl_entry_extensions: None,
    };
    Revocations {
        number: CrlNumber::try_from(7_u8).expect("a number"),
        this_update: new_year(2025),
        next_update: new_year(2026),
        revoked: vec![revoked(42), revoked(43)],
    }
}

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Certificate,
    Request,
    RevocationList,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Certificate, Self::Request, Self::RevocationList];

    /// Makes a document of this kind, signed by `key`.
    pub fn make(self, key: &AnySigningKey) -> Vec<u8> {
        let certificate = certificate(key);
        let made = match self {
            Self::Certificate => certificate.to_der(),
            Self::Request => key
                .certificate_request(name("CN=Eyas"), &mut Again([0x5a]))
                .expect("a request")
                .to_der(),
            Self::RevocationList => key
                .revocation_list(&certificate, revocations(), &mut Again([0x5a]))
                .expect("a list")
                .to_der(),
        };
        made.expect("DER")
    }

    /// Verifies a document. A request is verified with the key that it holds.
    pub fn verify(
        self,
        der: &[u8],
        key: &falcon_core::AnyVerifyingKey,
    ) -> Result<(), falcon_x509::Error> {
        match self {
            Self::Certificate => falcon_x509::verify_certificate(der, key).map(drop),
            Self::Request => falcon_x509::verify_request(der).map(drop),
            Self::RevocationList => falcon_x509::verify_revocation_list(der, key).map(drop),
        }
    }
}
