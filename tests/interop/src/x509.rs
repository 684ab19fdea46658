//! Certificates, certificate requests and revocation lists, as PEM files in a folder:
//! `SET.certificate.pem`, `SET.request.pem` and `SET.revocation-list.pem`, where `SET` is
//! `Falcon-512` or `Falcon-1024`. The certificate is self-signed, and its key signs the other two.
//! The list revokes the certificates 42 and 43.

use falcon_core::{AnyVerifyingKey, Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_x509::x509_cert::Certificate;
use falcon_x509::x509_cert::crl::{CertificateList, RevokedCert};
use falcon_x509::x509_cert::der::{DateTime, Decode, EncodePem, pem};
use falcon_x509::x509_cert::ext::pkix::CrlNumber;
use falcon_x509::x509_cert::request::CertReq;
use falcon_x509::x509_cert::serial_number::SerialNumber;
use falcon_x509::x509_cert::time::{Time, Validity};
use falcon_x509::{
    CertificateSigner, Revocations, subject_key, verify_request, verify_revocation_list,
    verify_self_signed,
};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Result of a command, or of a step of a command.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Writes documents of both parameter sets.
pub(crate) fn write(folder: &str) -> Outcome<()> {
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    write_set::<Falcon512>(folder)?;
    write_set::<Falcon1024>(folder)
}

fn write_set<P: Parameters>(folder: &Path) -> Outcome<()>
where
    SigningKey<P>: CertificateSigner,
{
    let mut rng = rand::rng();
    let key = SigningKey::<P>::generate(&mut rng).expect("no fault");
    let name = |common: &str| format!("CN={common},O=Aerie,C=DE").parse();
    let validity = Validity::new(new_year(2025)?, new_year(2055)?);
    let certificate = key.self_signed_certificate(name("Root")?, validity, &mut rng)?;
    let request = key.certificate_request(name("Eyas")?, &mut rng)?;
    let revoked = |serial: u32| {
        Ok::<_, Box<dyn Error>>(RevokedCert {
            serial_number: SerialNumber::from(serial),
            revocation_date: new_year(2025)?,
            crl_entry_extensions: None,
        })
    };
    let revocations = Revocations {
        number: CrlNumber::try_from(7_u8)?,
        this_update: new_year(2025)?,
        next_update: new_year(2055)?,
        revoked: vec![revoked(42)?, revoked(43)?],
    };
    let list = key.revocation_list(&certificate, revocations, &mut rng)?;
    let write =
        |kind: &str, text: String| fs::write(folder.join(format!("{}.{kind}.pem", P::NAME)), text);
    write("certificate", certificate.to_pem(pem::LineEnding::LF)?)?;
    write("request", request.to_pem(pem::LineEnding::LF)?)?;
    write("revocation-list", list.to_pem(pem::LineEnding::LF)?)?;
    Ok(())
}

/// Returns the first second of a year.
fn new_year(year: u16) -> Outcome<Time> {
    Ok(DateTime::new(year, 1, 1, 0, 0, 0)?.into())
}

/// Verifies the documents of a peer for both parameter sets. Then changes each document and checks
/// that it is refused.
pub(crate) fn check(folder: &str) -> Outcome<()> {
    let mut refused = 0;
    for set in [Falcon512::NAME, Falcon1024::NAME] {
        let read = |kind: &str| read_pem(&Path::new(folder).join(format!("{set}.{kind}.pem")));
        let certificate = read("certificate")?;
        let request = read("request")?;
        let list = read("revocation-list")?;

        let root = verify_self_signed(&certificate)?;
        let root = root.tbs_certificate();
        let key = subject_key(root.subject_public_key_info())?;
        if key.name() != set {
            return Err(format!("{set}: a key of {}", key.name()).into());
        }
        let asked = verify_request(&request)?;
        if asked.info.subject == *root.subject() || asked.info.attributes.is_empty() {
            return Err(format!("{set}: another request").into());
        }
        let revoked = verify_revocation_list(&list, &key)?.tbs_cert_list;
        let entries = revoked.revoked_certificates.unwrap_or_default();
        let serials: Vec<_> = entries
            .iter()
            .map(|it| it.serial_number.as_bytes())
            .collect();
        if revoked.issuer != *root.subject() || serials != [[42], [43]] {
            return Err(format!("{set}: another revocation list").into());
        }
        let is_certificate = |der: &[u8]| verify_self_signed(der).is_ok();
        let is_request = |der: &[u8]| verify_request(der).is_ok();
        let is_list = |der: &[u8]| verify_revocation_list(der, &key).is_ok();
        refused += refuse_changed::<Certificate>(&certificate, is_certificate)?;
        refused += refuse_changed::<CertReq>(&request, is_request)?;
        refused += refuse_changed::<CertificateList>(&list, is_list)?;
        refuse_other_key(&list, &certificate, set)?;
    }
    println!("6 documents of X.509 verified, {refused} changed ones refused");
    Ok(())
}

fn read_pem(path: &Path) -> Outcome<Vec<u8>> {
    let text = fs::read(path)?;
    let (_, der) = pem::decode_vec(&text).map_err(|error| format!("{error} in {path:?}"))?;
    Ok(der)
}

/// Changes every byte of a document in turn. Returns the number of changed documents that still
/// decode.
fn refuse_changed<D: for<'a> Decode<'a>>(
    der: &[u8],
    is_valid: impl Fn(&[u8]) -> bool,
) -> Outcome<usize> {
    let mut decoded = 0;
    let mut changed = der.to_vec();
    for at in 0..der.len() {
        changed[at] ^= 1;
        if is_valid(&changed) {
            return Err(format!("accepted with byte {at} changed").into());
        }
        decoded += usize::from(D::from_der(&changed).is_ok());
        changed[at] ^= 1;
    }
    Ok(decoded)
}

/// Checks that a revocation list and a certificate are refused with another key.
fn refuse_other_key(list: &[u8], certificate: &[u8], set: &str) -> Outcome<()> {
    let other: AnyVerifyingKey = match set {
        Falcon512::NAME => SigningKey::<Falcon512>::from_seed(&[1; 32])
            .expect("no fault")
            .verifying_key()
            .clone()
            .into(),
        _ => SigningKey::<Falcon1024>::from_seed(&[1; 32])
            .expect("no fault")
            .verifying_key()
            .clone()
            .into(),
    };
    if verify_revocation_list(list, &other).is_ok()
        || falcon_x509::verify_certificate(certificate, &other).is_ok()
    {
        return Err(format!("{set}: accepted with another key").into());
    }
    Ok(())
}
