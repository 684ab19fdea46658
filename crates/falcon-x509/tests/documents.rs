//! Reads and verifies the documents that this crate makes with `SigningKey` and `AnySigningKey`.

mod common;

use common::{ISSUER, Kind, certificate, keys, name, new_year, revocations, years};
use falcon_core::pkcs8::{EncodePublicKey, FALCON_512, FALCON_1024};
use falcon_core::{AnySigningKey, Falcon512, Parameters, SigningKey};
use falcon_kat::Again;
use falcon_x509::x509_cert::builder::{CertificateBuilder, profile::cabf};
use falcon_x509::x509_cert::der::asn1::GeneralizedTime;
use falcon_x509::x509_cert::der::{Decode, DecodePem, Encode, EncodePem, pem::LineEnding};
use falcon_x509::x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, CrlNumber, KeyUsage, SubjectKeyIdentifier,
};
use falcon_x509::x509_cert::request::RequestBuilder;
use falcon_x509::x509_cert::spki::SubjectPublicKeyInfo;
use falcon_x509::x509_cert::{
    Certificate, crl::CertificateList, name::Name, request::CertReq, serial_number::SerialNumber,
    time::Time,
};
use falcon_x509::{
    CertificateSigner, Error, Revocations, subject_key, verify_certificate, verify_request,
    verify_revocation_list, verify_self_signed,
};

#[test]
fn certificates_say_what_was_asked_for() {
    for (key, oid) in keys().iter().zip([FALCON_512, FALCON_1024]) {
        let der = certificate(key).to_der().unwrap();
        let read = verify_self_signed(&der).unwrap();
        assert_eq!(read, verify_certificate(&der, &key.public_key()).unwrap());
        let tbs = read.tbs_certificate();
        assert_eq!(tbs.subject().to_string(), ISSUER);
        assert_eq!(tbs.issuer(), tbs.subject());
        assert_eq!(*tbs.validity(), years());
        assert_eq!(tbs.serial_number().as_bytes(), [0x5a; 17]);
        let held = tbs.subject_public_key_info();
        assert_eq!(subject_key(held).unwrap(), key.public_key());
        for algorithm in [tbs.signature(), read.signature_algorithm(), &held.algorithm] {
            assert_eq!(algorithm.oid, oid);
            assert_eq!(algorithm.parameters, None);
        }

        let (critical, constraints) = tbs.get_extension::<BasicConstraints>().unwrap().unwrap();
        assert!(critical && constraints.ca && constraints.path_len_constraint.is_none());
        let (critical, usage) = tbs.get_extension::<KeyUsage>().unwrap().unwrap();
        assert!(critical && usage.key_cert_sign() && usage.crl_sign());
        assert!(!usage.digital_signature() && !usage.key_encipherment());
        let (critical, identifier) = tbs
            .get_extension::<SubjectKeyIdentifier>()
            .unwrap()
            .unwrap();
        assert!(!critical && identifier.0.as_bytes().len() == 20);
        assert_eq!(tbs.extensions().unwrap().len(), 3);
    }
}

#[test]
fn requests_say_what_was_asked_for() {
    for key in keys() {
        let read = verify_request(&Kind::Request.make(&key)).unwrap();
        assert_eq!(read.info.subject, name("CN=Eyas"));
        assert_eq!(
            subject_key(&read.info.public_key).unwrap(),
            key.public_key()
        );
        assert!(read.info.attributes.is_empty());
    }
}

#[test]
fn revocation_lists_say_what_was_asked_for() {
    for key in keys() {
        let issuer = certificate(&key);
        let der = Kind::RevocationList.make(&key);
        let list = verify_revocation_list(&der, &key.public_key())
            .unwrap()
            .tbs_cert_list;
        assert_eq!(list.issuer, name(ISSUER));
        assert_eq!(
            (list.this_update, list.next_update),
            (new_year(2025), Some(new_year(2026)))
        );
        let revoked = list.revoked_certificates.unwrap();
        let serials: Vec<_> = revoked
            .iter()
            .map(|it| it.serial_number.as_bytes())
            .collect();
        assert_eq!(serials, [[42], [43]]);
        let extensions = list.crl_extensions.unwrap();
        assert_eq!(extensions.len(), 2);
        assert_eq!(
            CrlNumber::from_der(extensions[0].extn_value.as_bytes()).unwrap(),
            { revocations().number }
        );
        let authority = AuthorityKeyIdentifier::from_der(extensions[1].extn_value.as_bytes());
        let subject = issuer
            .tbs_certificate()
            .get_extension::<SubjectKeyIdentifier>();
        assert_eq!(
            authority.unwrap().key_identifier.unwrap(),
            subject.unwrap().unwrap().1.0
        );
    }
}

/// Checks a rule of RFC 5280: if no certificate is revoked, the list of certificates is absent.
#[test]
fn a_list_that_revokes_nothing_has_no_empty_field() {
    let [key, _] = keys();
    let nothing = Revocations {
        revoked: Vec::new(),
        ..revocations()
    };
    let list = key
        .revocation_list(&certificate(&key), nothing, &mut Again([0x5a]))
        .unwrap();
    let list = verify_revocation_list(&list.to_der().unwrap(), &key.public_key()).unwrap();
    assert_eq!(list.tbs_cert_list.revoked_certificates, None);
}

/// Another key signed the certificate of the issuer. The revocation list must not name that key.
#[test]
fn a_list_of_an_issuer_below_the_root_names_the_key_of_that_issuer() {
    let [root, key] = keys();
    let subordinate = cabf::tls::Subordinate {
        issuer: name(ISSUER),
        subject: name("CN=Falcon Branch,O=Aerie,C=DE"),
        path_len_constraint: Some(0),
        client_auth: false,
        emits_ocsp_response: false,
    };
    let info = key.public_key().to_public_key_der().unwrap();
    let info = SubjectPublicKeyInfo::try_from(info.as_bytes()).unwrap();
    let serial = SerialNumber::from(8_u8);
    let builder = CertificateBuilder::new(subordinate, serial, years(), info).unwrap();
    let issuer = root.build(builder, &mut Again([0x5a])).unwrap();
    let list = key
        .revocation_list(&issuer, revocations(), &mut Again([0x5a]))
        .unwrap();
    let list = verify_revocation_list(&list.to_der().unwrap(), &key.public_key()).unwrap();
    let list = list.tbs_cert_list;
    let tbs = issuer.tbs_certificate();
    assert_eq!(list.issuer, *tbs.subject());
    let extensions = list.crl_extensions.unwrap();
    let named = AuthorityKeyIdentifier::from_der(extensions[1].extn_value.as_bytes()).unwrap();
    let (_, own) = tbs
        .get_extension::<SubjectKeyIdentifier>()
        .unwrap()
        .unwrap();
    assert_eq!(named.key_identifier, Some(own.0));
    let (_, above) = tbs
        .get_extension::<AuthorityKeyIdentifier>()
        .unwrap()
        .unwrap();
    assert_ne!(above.key_identifier, named.key_identifier);
}

/// Checks a rule of RFC 5280: `UTCTime` up to 2049, `GeneralizedTime` from 2050 on, in whatever
/// form a time was passed.
#[test]
fn times_of_lists_have_the_form_of_their_year() {
    let [key, _] = keys();
    let long = |year| GeneralizedTime::from_date_time(new_year(year).to_date_time()).into();
    let mut given = revocations();
    given.this_update = long(2025);
    given.next_update = long(2050);
    given.revoked[0].revocation_date = long(2024);
    let list = key
        .revocation_list(&certificate(&key), given, &mut Again([0x5a]))
        .unwrap();
    let list = verify_revocation_list(&list.to_der().unwrap(), &key.public_key())
        .unwrap()
        .tbs_cert_list;
    let revoked = list.revoked_certificates.unwrap();
    assert!(matches!(list.this_update, Time::UtcTime(_)));
    assert!(matches!(list.next_update, Some(Time::GeneralTime(_))));
    assert!(matches!(revoked[0].revocation_date, Time::UtcTime(_)));
    assert_eq!(revoked[0].revocation_date, new_year(2024));
}

#[test]
fn an_issuer_has_a_name() {
    let [key, _] = keys();
    let made = key.self_signed_certificate(Name::default(), years(), &mut Again([0x5a]));
    assert!(matches!(made, Err(Error::Build(_))));
    // The issuer may choose the name later, so the name in a request may be empty.
    key.certificate_request(Name::default(), &mut Again([0x5a]))
        .unwrap();
}

#[test]
fn a_list_needs_the_certificate_of_its_own_key() {
    let [key, other] = keys();
    let made = key.revocation_list(&certificate(&other), revocations(), &mut Again([0x5a]));
    assert!(matches!(made, Err(Error::OtherKey)));
}

#[test]
fn a_period_does_not_end_before_it_begins() {
    use falcon_x509::x509_cert::time::Validity;

    let [key, _] = keys();
    let (earlier, later) = (new_year(2049), new_year(2050));
    let certificate = |from, to| {
        let validity = Validity::new(from, to);
        key.self_signed_certificate(name(ISSUER), validity, &mut Again([0x5a]))
    };
    assert!(matches!(certificate(later, earlier), Err(Error::Dates)));
    let issuer = certificate(later, later).expect("one second is a period");
    let list = |this_update, next_update| {
        let revocations = Revocations {
            this_update,
            next_update,
            ..revocations()
        };
        key.revocation_list(&issuer, revocations, &mut Again([0x5a]))
    };
    assert!(matches!(list(later, earlier), Err(Error::Dates)));
    list(later, later).expect("a list that is replaced at once");
}

/// Makes documents with a key of a typed parameter set and with the same key as `AnySigningKey`.
/// They must be equal.
#[test]
fn typed_keys_sign_as_keys_by_name() {
    fn check<P: Parameters>(key: &SigningKey<P>, any: &AnySigningKey)
    where
        SigningKey<P>: CertificateSigner,
    {
        let issuer = certificate(key);
        assert_eq!(issuer, certificate(any));
        assert_eq!(
            key.certificate_request(name("CN=x"), &mut Again([0x5a]))
                .unwrap(),
            any.certificate_request(name("CN=x"), &mut Again([0x5a]))
                .unwrap()
        );
        assert_eq!(
            key.revocation_list(&issuer, revocations(), &mut Again([0x5a]))
                .unwrap(),
            any.revocation_list(&issuer, revocations(), &mut Again([0x5a]))
                .unwrap()
        );
    }
    for any in keys() {
        match &any {
            AnySigningKey::Falcon512(key) => check(key, &any),
            AnySigningKey::Falcon1024(key) => check(key, &any),
            _ => unreachable!(),
        }
    }
}

#[test]
fn signatures_and_serial_numbers_are_fresh() {
    let [key, _] = keys();
    let make = || {
        key.self_signed_certificate(name(ISSUER), years(), &mut rand::rng())
            .unwrap()
    };
    let (one, other) = (make(), make());
    let serial = |it: &Certificate| it.tbs_certificate().serial_number().clone();
    assert_ne!(serial(&one), serial(&other));
    assert_ne!(one.signature(), other.signature());
    verify_self_signed(&one.to_der().unwrap()).unwrap();
}

/// The key of a root of one parameter set signs the certificate of a key of the other parameter
/// set.
#[test]
fn builders_of_x509_cert_sign_with_both_kinds_of_keys() {
    let [root, leaf] = keys();
    let subject = name("CN=leaf.example,O=Aerie,C=DE");
    let profile = cabf::Root::new(false, subject.clone()).unwrap();
    let info = leaf.public_key().to_public_key_der().unwrap();
    let info = SubjectPublicKeyInfo::try_from(info.as_bytes()).unwrap();
    let serial = SerialNumber::from(9_u8);
    let builder = CertificateBuilder::new(profile, serial, years(), info).unwrap();
    let der = root
        .build(builder, &mut Again([0x5a]))
        .unwrap()
        .to_der()
        .unwrap();
    let read = verify_certificate(&der, &root.public_key()).unwrap();
    let held = read.tbs_certificate().subject_public_key_info();
    assert_eq!(subject_key(held).unwrap(), leaf.public_key());
    let refused = verify_certificate(&der, &leaf.public_key());
    assert!(matches!(refused, Err(Error::Algorithm(FALCON_512))));

    let mut builder = RequestBuilder::new(subject).unwrap();
    let constraints = BasicConstraints {
        ca: true,
        path_len_constraint: None,
    };
    builder.add_extension(&constraints).unwrap();
    let request = leaf
        .build(builder, &mut Again([0x5a]))
        .unwrap()
        .to_der()
        .unwrap();
    assert_eq!(verify_request(&request).unwrap().info.attributes.len(), 1);
}

#[test]
fn pem_has_the_usual_labels() {
    let key = SigningKey::<Falcon512>::from_seed_boxed(&[1; 32]).expect("no fault");
    let certificate = certificate(&*key);
    let text = certificate.to_pem(LineEnding::LF).unwrap();
    assert!(text.starts_with("-----BEGIN CERTIFICATE-----\n"));
    assert_eq!(Certificate::from_pem(&text).unwrap(), certificate);
    let request = key
        .certificate_request(name("CN=x"), &mut Again([0x5a]))
        .unwrap();
    let text = request.to_pem(LineEnding::LF).unwrap();
    assert!(text.starts_with("-----BEGIN CERTIFICATE REQUEST-----\n"));
    assert_eq!(CertReq::from_pem(&text).unwrap(), request);
    let list = key
        .revocation_list(&certificate, revocations(), &mut Again([0x5a]))
        .unwrap();
    let text = list.to_pem(LineEnding::LF).unwrap();
    assert!(text.starts_with("-----BEGIN X509 CRL-----\n"));
    assert_eq!(CertificateList::from_pem(&text).unwrap(), list);
}
