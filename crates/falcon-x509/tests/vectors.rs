//! The documents in `kat/x509`: those of Bouncy Castle, and those of this crate.

mod common;

use common::{Kind, keys};
use falcon_x509::x509_cert::der::{Decode, pem};
use falcon_x509::x509_cert::ext::pkix::{BasicConstraints, CrlReason};
use falcon_x509::{Error, subject_key, verify_request, verify_revocation_list, verify_self_signed};
use std::path::PathBuf;
use std::{env, fs};

fn path(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kat/x509");
    PathBuf::from(folder).join(format!("{name}.pem"))
}

/// Reads the label and the DER of a file.
fn read(name: &str) -> (String, Vec<u8>) {
    let text = fs::read(path(name)).expect("a vector");
    let (label, der) = pem::decode_vec(&text).expect("PEM");
    (label.to_owned(), der)
}

#[test]
fn documents_of_bouncy_castle_are_verified() {
    for set in ["512", "1024"] {
        let (label, der) = read(&format!("bouncy-castle-{set}.certificate"));
        assert_eq!(label, "CERTIFICATE");
        let root = verify_self_signed(&der).unwrap();
        let root = root.tbs_certificate();
        let subject = format!("CN=Root of Falcon-{set},O=Bouncy Aerie,C=DE");
        assert_eq!(root.subject().to_string(), subject);
        assert_eq!(root.serial_number().as_bytes(), 4711_u16.to_be_bytes());
        assert_eq!(
            root.validity().not_before.to_string(),
            "2025-01-01T00:00:00Z"
        );
        assert_eq!(
            root.validity().not_after.to_string(),
            "2055-01-01T00:00:00Z"
        );
        let (_, constraints) = root.get_extension::<BasicConstraints>().unwrap().unwrap();
        assert!(constraints.ca);
        let key = subject_key(root.subject_public_key_info()).unwrap();
        assert_eq!(key.name(), format!("Falcon-{set}"));

        let (label, der) = read(&format!("bouncy-castle-{set}.request"));
        assert_eq!(label, "CERTIFICATE REQUEST");
        let request = verify_request(&der).unwrap().info;
        assert_eq!(request.subject.to_string(), "CN=Eyas,O=Bouncy Aerie,C=DE");
        assert_eq!(subject_key(&request.public_key).unwrap(), key);
        assert_eq!(request.attributes.len(), 1);

        let (label, der) = read(&format!("bouncy-castle-{set}.revocation-list"));
        assert_eq!(label, "X509 CRL");
        let list = verify_revocation_list(&der, &key).unwrap().tbs_cert_list;
        assert_eq!(list.issuer, *root.subject());
        let revoked = list.revoked_certificates.unwrap();
        assert_eq!(revoked.len(), 2);
        assert_eq!(revoked[0].serial_number.as_bytes(), [42]);
        let reason = &revoked[0].crl_entry_extensions.as_ref().unwrap()[0].extn_value;
        let reason = CrlReason::from_der(reason.as_bytes()).unwrap();
        assert_eq!(reason, CrlReason::KeyCompromise);
    }
}

#[test]
fn a_list_of_bouncy_castle_is_refused_with_another_key() {
    let (_, list) = read("bouncy-castle-512.revocation-list");
    let [own, _] = keys();
    let refused = verify_revocation_list(&list, &own.verifying_key());
    assert!(
        matches!(refused, Err(Error::InvalidSignature)),
        "{refused:?}"
    );
}

/// Makes the stored documents again from the same seeds. `FALCON_WRITE_TABLES=1` writes them.
#[test]
fn documents_have_the_same_bytes_as_ever() {
    for (key, set) in keys().iter().zip(["512", "1024"]) {
        for (kind, name, label) in [
            (Kind::Certificate, "certificate", "CERTIFICATE"),
            (Kind::Request, "request", "CERTIFICATE REQUEST"),
            (Kind::RevocationList, "revocation-list", "X509 CRL"),
        ] {
            let der = kind.make(key);
            let name = format!("falcon-x509-{set}.{name}");
            if env::var_os("FALCON_WRITE_TABLES").is_some() {
                let text = pem::encode_string(label, pem::LineEnding::LF, &der);
                fs::write(path(&name), text.expect("PEM")).expect("a file");
            }
            assert_eq!(read(&name), (label.to_owned(), der), "{name}");
        }
    }
}
