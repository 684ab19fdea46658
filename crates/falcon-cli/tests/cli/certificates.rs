//! `inspect` with certificates, certificate requests and revocation lists.

use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_core::pkcs8::spki::SignatureBitStringEncoding;
use falcon_core::pkcs8::{CertificateSignature, EncodePublicKey};
use falcon_core::{AnySigningKey, Falcon512, Falcon1024, SigningKey};
use falcon_x509::CertificateSigner;
use falcon_x509::x509_cert::Certificate;
use falcon_x509::x509_cert::builder::{CertificateBuilder, profile::cabf::tls::Subordinate};
use falcon_x509::x509_cert::der::asn1::{AnyRef, BitString};
use falcon_x509::x509_cert::der::{Decode, Encode, Tag, pem};
use falcon_x509::x509_cert::name::Name;
use falcon_x509::x509_cert::serial_number::SerialNumber;
use falcon_x509::x509_cert::spki::SubjectPublicKeyInfo;
use falcon_x509::x509_cert::time::Validity;
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::fs;

/// Returns a test vector from `kat/x509` as PEM.
fn vector(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kat/x509/");
    fs::read_to_string(format!("{folder}{name}.pem")).unwrap()
}

fn der_of(text: &str) -> Vec<u8> {
    pem::decode_vec(text.as_bytes()).unwrap().1
}

/// Returns a self-signed certificate of the key from the seed 7, 7, ...
pub fn certificate(name: Name) -> Vec<u8> {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let time = |text: &str| text.parse().unwrap();
    let validity = Validity::new(time("2025-01-01T00:00:00Z"), time("2026-01-01T00:00:00Z"));
    let made = key.self_signed_certificate(name, validity, &mut UnwrapErr(SysRng));
    made.unwrap().to_der().unwrap()
}

#[test]
fn certificates_of_bouncy_castle_are_shown() {
    let sandbox = Sandbox::empty();
    let certificate = vector("bouncy-castle-512.certificate");
    sandbox.write("c.pem", &certificate);
    sandbox.write("c.der", der_of(&certificate));
    let name = "CN=Root of Falcon-512,O=Bouncy Aerie,C=DE";
    let fingerprint = fingerprint(&sandbox, &der_of(&certificate));
    for (file, container) in [("c.pem", "PEM"), ("c.der", "DER")] {
        let told = sandbox.succeeds(&["inspect", file]);
        assert_eq!(
            text(&told.stdout),
            format!(
                "{file}: Falcon-512 certificate, X.509 ({container})\n  subject {name}\n  \
                issuer {name}\n  serial 1267\n  \
                valid from 2025-01-01T00:00:00Z until 2055-01-01T00:00:00Z\n  \
                key Falcon-512\n  fingerprint {fingerprint}\n  \
                signature valid, by the key in this certificate\n"
            )
        );
    }
    let told = &json_lines(&sandbox.succeeds(&["inspect", "c.der", "--json"]))[0];
    assert_eq!(told["kind"], "certificate");
    assert_eq!(told["algorithm"], "falcon-512");
    assert_eq!(told["encoding"], "X.509");
    assert_eq!(told["container"], "der");
    assert_eq!(told["subject"], name);
    assert_eq!(told["issuer"], name);
    assert_eq!(told["serial"], "1267");
    assert_eq!(told["valid_from"], "2025-01-01T00:00:00Z");
    assert_eq!(told["valid_until"], "2055-01-01T00:00:00Z");
    assert_eq!(told["signature_algorithm"], "1.3.9999.3.11");
    assert_eq!(told["key_algorithm"], "falcon-512");
    assert_eq!(told["fingerprint"], fingerprint);
    assert_eq!(told["signature"], "valid");
    assert_eq!(told.get("revoked"), None);
}

/// Returns the fingerprint of a certificate's key, as the program prints it for the key alone.
fn fingerprint(sandbox: &Sandbox, certificate: &[u8]) -> String {
    let certificate = falcon_x509::verify_self_signed(certificate).unwrap();
    let key = certificate.tbs_certificate().subject_public_key_info();
    sandbox.write("key.der", key.to_der().unwrap());
    let told = sandbox.succeeds(&["fingerprint", "key.der", "--json"]);
    json_lines(&told)[0]["fingerprint"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn requests_and_revocation_lists_are_shown() {
    let sandbox = Sandbox::empty();
    sandbox.write("r", vector("bouncy-castle-1024.request"));
    sandbox.write("l", vector("bouncy-castle-1024.revocation-list"));
    sandbox.write("r.der", der_of(&vector("falcon-x509-1024.request")));
    sandbox.write("l.der", der_of(&vector("falcon-x509-1024.revocation-list")));
    let told = sandbox.succeeds(&["inspect", "r", "r.der"]);
    let told = text(&told.stdout);
    let start = "r: Falcon-1024 certificate request, PKCS#10 (PEM)\n  \
        subject CN=Eyas,O=Bouncy Aerie,C=DE\n  key Falcon-1024\n  fingerprint ";
    assert!(told.starts_with(start), "{told}");
    let valid = "\n  signature valid, by the key in this certificate request\n";
    assert_eq!(told.matches(valid).count(), 2, "{told}");
    let told = sandbox.succeeds(&["inspect", "l", "l.der"]);
    let unknown = "signature not verified: the issuer's key is not here\n";
    assert_eq!(
        text(&told.stdout),
        format!(
            "l: Falcon-1024 revocation list, X.509 (PEM)\n  \
            issuer CN=Root of Falcon-1024,O=Bouncy Aerie,C=DE\n  \
            this update 2025-01-01T00:00:00Z\n  next update 2055-01-01T00:00:00Z\n  \
            revoked certificates 2\n  {unknown}\
            l.der: Falcon-1024 revocation list, X.509 (DER)\n  \
            issuer CN=Falcon Root,O=Aerie,C=DE\n  \
            this update 2025-01-01T00:00:00Z\n  next update 2026-01-01T00:00:00Z\n  \
            revoked certificates 2\n  {unknown}"
        )
    );
    let told = json_lines(&sandbox.succeeds(&["inspect", "r", "l", "--json"]));
    assert_eq!(told[0]["kind"], "certificate request");
    assert_eq!(told[0]["signature"], "valid");
    assert_eq!(told[1]["kind"], "revocation list");
    assert_eq!(told[1]["signature"], "not-verified");
    assert_eq!(told[1]["revoked"], 2);
    assert_eq!(told[1].get("fingerprint"), None);
}

/// An invalid signature determines the exit status, also among other files.
#[test]
fn a_changed_certificate_is_invalid() {
    let sandbox = Sandbox::new();
    for (kind, name) in [
        ("certificate", "certificate"),
        ("request", "certificate request"),
    ] {
        sandbox.write("c", der_of(&vector(&format!("bouncy-castle-512.{kind}"))));
        assert_eq!(sandbox.status(&["inspect", "c"]), 0);
        let len = sandbox.read("c").len();
        sandbox.flip("c", len - 100);
        let told = sandbox.run(&["inspect", "c", "k.pub", "--json"]);
        assert_eq!(told.status.code(), Some(1));
        let told = json_lines(&told);
        assert_eq!(told[0]["signature"], "invalid");
        assert_eq!(told[1]["kind"], "public key");
        let told = sandbox.run(&["inspect", "c"]);
        let line = format!("  signature invalid: not by the key in this {name}\n");
        assert!(text(&told.stdout).ends_with(&line), "{told:?}");
        // An invalid signature outweighs a missing file.
        for files in [["missing", "c"], ["c", "missing"]] {
            assert_eq!(sandbox.status(&with(&["inspect"], files)), 1);
        }
    }
}

#[test]
fn certificates_of_other_issuers_and_algorithms_are_not_verified() {
    let sandbox = Sandbox::empty();
    let own = der_of(&vector("bouncy-castle-512.certificate"));
    // The first occurrence is the issuer's name.
    let at = own.windows(5).position(|it| it == b"Aerie").unwrap();
    let mut other = own.clone();
    other[at] = b'B';
    sandbox.write("c", &other);
    let told = sandbox.succeeds(&["inspect", "c"]);
    let told = text(&told.stdout);
    assert!(
        told.contains("\n  issuer CN=Root of Falcon-512,O=Bouncy Berie,C=DE\n"),
        "{told}"
    );
    assert!(
        told.ends_with("  signature not verified: the issuer's key is not here\n"),
        "{told}"
    );

    // 1.3.9999.3.12 is an algorithm other than Falcon.
    let oid = |last: u8| [6, 5, 0x2b, 0xce, 0x0f, 3, last];
    let mut other = own.clone();
    for at in 0..other.len() - 7 {
        if other[at..at + 7] == oid(11) {
            other[at + 6] = 12;
        }
    }
    sandbox.write("c", &other);
    let told = sandbox.succeeds(&["inspect", "c"]);
    let told = text(&told.stdout);
    assert!(told.starts_with("c: certificate, X.509 (DER)\n"), "{told}");
    assert!(
        told.contains("\n  key of the algorithm 1.3.9999.3.12, not Falcon\n"),
        "{told}"
    );
    let line = "\n  signature not verified: algorithm 1.3.9999.3.12, not Falcon\n";
    assert!(told.ends_with(line), "{told}");
    let told = &json_lines(&sandbox.succeeds(&["inspect", "c", "--json"]))[0];
    assert_eq!(told["key_algorithm"], "1.3.9999.3.12");
    assert_eq!(told["signature"], "not-falcon");
    assert_eq!(
        (told.get("algorithm"), told.get("fingerprint")),
        (None, None)
    );
}

/// If a key of another algorithm is in the certificate, another key made the signature.
#[test]
fn a_falcon_signature_over_a_key_of_another_algorithm_is_not_verified() {
    let sandbox = Sandbox::empty();
    let own = der_of(&vector("bouncy-castle-512.certificate"));
    let oid = [6, 5, 0x2b, 0xce, 0x0f, 3, 11];
    let places: Vec<_> = (0..own.len() - oid.len())
        .filter(|&at| own[at..].starts_with(&oid))
        .collect();
    // The identifier occurs three times: in the signed part as the signature's algorithm, in the
    // key, and beside the signature.
    let [_, key, _] = places[..] else {
        panic!("{places:?}")
    };
    let mut other = own.clone();
    other[key + 6] = 99;
    sandbox.write("c", &other);
    let told = sandbox.succeeds(&["inspect", "c"]);
    let told = text(&told.stdout);
    let shown = "\n  key of the algorithm 1.3.9999.3.99, not Falcon\n";
    assert!(told.contains(shown), "{told}");
    let line = "\n  signature not verified: the issuer's key is not here\n";
    assert!(told.ends_with(line), "{told}");

    // Makes a malformed Falcon key. Its first byte follows two lengths and the number of unused
    // bits.
    let mut damaged = own;
    let header = damaged[key..].iter().position(|&byte| byte == 9).unwrap();
    damaged[key + header] = 8;
    sandbox.write("c", &damaged);
    let told = sandbox.run(&["inspect", "c"]);
    assert_eq!(told.status.code(), Some(1), "{told:?}");
    let told = text(&told.stdout);
    let shown = "\n  key malformed, algorithm 1.3.9999.3.11\n";
    assert!(told.contains(shown), "{told}");
    let line = "\n  signature invalid: not by the key in this certificate\n";
    assert!(told.ends_with(line), "{told}");
}

/// Uses the identifier of padded Falcon-512, which OpenSSL with the OQS provider writes. It is
/// accepted for keys, but not for signatures.
#[test]
fn signatures_under_other_identifiers_of_falcon_are_not_supported() {
    let sandbox = Sandbox::empty();
    let mut other = der_of(&vector("bouncy-castle-512.certificate"));
    let own = [6, 5, 0x2b, 0xce, 0x0f, 3, 11];
    for at in 0..other.len() - own.len() {
        if other[at..].starts_with(&own) {
            other[at + 6] = 16;
        }
    }
    sandbox.write("c", &other);
    let told = sandbox.succeeds(&["inspect", "c"]);
    let told = text(&told.stdout);
    assert!(told.contains("\n  key Falcon-512\n"), "{told}");
    let line =
        "\n  signature not verified: algorithm 1.3.9999.3.16, not supported for signatures\n";
    assert!(told.ends_with(line), "{told}");
    let told = &json_lines(&sandbox.succeeds(&["inspect", "c", "--json"]))[0];
    assert_eq!(told["key_algorithm"], "falcon-512");
    assert_eq!(told["signature"], "not-supported");
}

/// A root that changes its key uses the old key to sign a certificate of the new key, under the
/// same name.
#[test]
fn certificates_of_an_older_key_of_the_same_name_are_not_verified() {
    let sandbox = Sandbox::empty();
    let new = SigningKey::<Falcon512>::from_seed_boxed(&[8; 32]).expect("no fault");
    let sign = |old: AnySigningKey| {
        let time = |text: &str| text.parse().unwrap();
        let validity = Validity::new(time("2025-01-01T00:00:00Z"), time("2026-01-01T00:00:00Z"));
        let name: Name = "CN=Root,O=Aerie,C=DE".parse().unwrap();
        let profile = Subordinate {
            issuer: name.clone(),
            subject: name,
            path_len_constraint: None,
            client_auth: false,
            emits_ocsp_response: false,
        };
        let info = new.verifying_key().to_public_key_der().unwrap();
        let info = SubjectPublicKeyInfo::try_from(info.as_bytes()).unwrap();
        let serial = SerialNumber::from(1_u8);
        let builder = CertificateBuilder::new(profile, serial, validity, info).unwrap();
        let made = old.build(builder, &mut UnwrapErr(SysRng));
        made.unwrap().to_der().unwrap()
    };
    let line = |word: &str| format!("\n  signature {word}\n");
    for old in [
        SigningKey::<Falcon512>::from_seed_boxed(&[7; 32])
            .expect("no fault")
            .into(),
        SigningKey::<Falcon1024>::from_seed_boxed(&[7; 32])
            .expect("no fault")
            .into(),
    ] {
        sandbox.write("c", sign(old));
        let told = sandbox.succeeds(&["inspect", "c"]);
        let unknown = line("not verified: the issuer's key is not here");
        assert!(text(&told.stdout).ends_with(&unknown), "{told:?}");
    }
    // The extensions name the certificate's own key twice, so a wrong signature is invalid.
    let mut own = sign(
        SigningKey::<Falcon512>::from_seed_boxed(&[8; 32])
            .expect("no fault")
            .into(),
    );
    sandbox.write("c", &own);
    let told = sandbox.succeeds(&["inspect", "c"]);
    let valid = line("valid, by the key in this certificate");
    assert!(text(&told.stdout).ends_with(&valid), "{told:?}");
    let at = own.len() - 100;
    own[at] ^= 1;
    sandbox.write("c", &own);
    assert_eq!(sandbox.status(&["inspect", "c"]), 1);
}

/// The decoder accepts a four-digit year before 2050, but RFC 5280 requires two digits.
#[test]
fn a_signed_certificate_that_is_not_der_is_invalid() {
    let sandbox = Sandbox::empty();
    let key = SigningKey::<Falcon512>::from_seed_boxed(&[7; 32]).expect("no fault");
    let der = certificate("CN=Root".parse().unwrap());
    let read = Certificate::from_der(&der).unwrap();
    let signed = read.tbs_certificate().to_der().unwrap();
    let sequence = |contents: &[u8]| {
        let length = (contents.len() as u16).to_be_bytes();
        [&[0x30, 0x82][..], &length, contents].concat()
    };
    let (short, long) = (
        b"\x30\x1e\x17\x0d250101000000Z",
        b"\x30\x20\x18\x0f20250101000000Z",
    );
    let is_short = |bytes: &[u8]| bytes == short;
    let at = signed.windows(short.len()).position(is_short).unwrap();
    let signed = sequence(&[&signed[4..at], long, &signed[at + short.len()..]].concat());
    let signature = key
        .sign_with_rng(&mut UnwrapErr(SysRng), &signed)
        .expect("no fault");
    let bits = CertificateSignature::from(signature)
        .to_bitstring()
        .unwrap()
        .to_der()
        .unwrap();
    let algorithm = read.signature_algorithm().to_der().unwrap();
    sandbox.write("c", sequence(&[signed, algorithm, bits].concat()));
    let told = sandbox.run(&["inspect", "c"]);
    assert_eq!(told.status.code(), Some(1), "{told:?}");
    let line = "\n  signature invalid: the signed contents are not DER\n";
    assert!(text(&told.stdout).ends_with(line), "{told:?}");
}

/// Names in a certificate cannot add lines or colours to the output.
#[test]
fn invisible_characters_in_names_are_escaped() {
    let sandbox = Sandbox::empty();
    let name = "CN=a\u{202e}\u{9b}31m\\0a  signature valid\\1b[2J\u{200b}";
    sandbox.write("c", certificate(name.parse().unwrap()));
    let told = sandbox.succeeds(&["inspect", "c"]);
    let told = text(&told.stdout);
    assert_eq!(told.lines().count(), 8, "{told}");
    let subject = "  subject CN=a\\u{202e}\\u{9b}31m\\0a  signature valid\\1b[2J\\u{200b}";
    assert_eq!(told.lines().nth(1), Some(subject));
    let told = sandbox.succeeds(&["inspect", "c", "--json"]);
    assert!(text(&told.stdout).is_ascii());
    let subject = "CN=a\u{202e}\u{9b}31m\\0a  signature valid\\1b[2J\u{200b}";
    assert_eq!(json_lines(&told)[0]["subject"], subject);
}

#[test]
fn a_file_of_a_chain_and_a_key_is_shown_in_its_order() {
    let sandbox = Sandbox::new();
    let [certificate, list] =
        ["certificate", "revocation-list"].map(|kind| vector(&format!("falcon-x509-512.{kind}")));
    let key = String::from_utf8(sandbox.read("k.pub")).unwrap();
    sandbox.write("all", format!("{certificate}{key}{list}"));
    let told = json_lines(&sandbox.succeeds(&["inspect", "all", "--json"]));
    let kinds: Vec<_> = told.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["certificate", "public key", "revocation list"]);
}

#[test]
fn commands_that_need_a_key_refuse_certificates() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    sandbox.write("c", vector("falcon-x509-512.certificate"));
    let take_key = |kind| format!("{kind}\n hint: write its key to a file: falcon-cli pubkey c\n");
    for (arguments, expected) in [
        (&["verify", "-p", "c", "m"][..], take_key("a public key")),
        (
            &["trust", "add", "team", "Ann", "c"],
            take_key("a public key"),
        ),
        (&["sign", "-k", "c", "m"], "a secret key\n".to_owned()),
        (
            &["fingerprint", "c"],
            "a key\n hint: for the fingerprint of its key: falcon-cli inspect c\n".to_owned(),
        ),
    ] {
        let told = sandbox.refuses(arguments);
        assert_eq!(told, format!("error: c: is a certificate, not {expected}"));
    }
}

#[test]
fn the_key_of_a_certificate_or_a_request_is_written() {
    let sandbox = Sandbox::new();
    for kind in ["certificate", "request"] {
        sandbox.write(kind, vector(&format!("falcon-x509-512.{kind}")));
        let shown = json_lines(&sandbox.succeeds(&["inspect", kind, "--json"])).remove(0);
        let made = sandbox.succeeds(&["pubkey", kind]);
        assert!(text(&made.stderr).contains("were not checked"), "{made:?}");
        let public = format!("{kind}.pub");
        let key = json_lines(&sandbox.succeeds(&["fingerprint", &public, "--json"])).remove(0);
        assert_eq!(key["fingerprint"], shown["fingerprint"]);
        sandbox.encrypted_key();
        let told = sandbox.refuses(&["pubkey", kind, "--force", "--passphrase-file", "p"]);
        assert!(told.contains("is not encrypted"), "{told}");
        fs::remove_file(sandbox.path("e")).unwrap();
        fs::remove_file(sandbox.path("e.pub")).unwrap();
    }
    // The last byte of the file belongs to the signature.
    let mut damaged = der_of(&vector("falcon-x509-512.request"));
    *damaged.last_mut().unwrap() ^= 1;
    sandbox.write("damaged", damaged);
    let told = sandbox.refuses(&["pubkey", "damaged"]);
    assert_eq!(
        told,
        "error: damaged: is a certificate request whose signature is invalid\n \
         hint: see: falcon-cli inspect damaged\n"
    );
    sandbox.write("list", vector("falcon-x509-512.revocation-list"));
    let told = sandbox.refuses(&["pubkey", "list"]);
    assert!(
        told.contains("is a revocation list without a Falcon key"),
        "{told}"
    );
}

#[test]
fn damaged_documents_are_refused() {
    let sandbox = Sandbox::empty();
    for (kind, name) in [
        ("certificate", "certificate"),
        ("request", "certificate request"),
        ("revocation-list", "revocation list"),
    ] {
        let text = vector(&format!("falcon-x509-512.{kind}"));
        let (label, der) = pem::decode_vec(text.as_bytes()).unwrap();
        for damaged in [
            &der[..der.len() - 1],
            &[&der[..], &[0]].concat(),
            &[0x30, 0],
        ] {
            let text = pem::encode_string(label, pem::LineEnding::LF, damaged).unwrap();
            sandbox.write("c", text);
            let told = sandbox.refuses(&["inspect", "c"]);
            assert_eq!(told, format!("error: c: is a damaged {name}\n"));
            sandbox.write("c", damaged);
            sandbox.refuses(&["inspect", "c"]);
        }
        // Puts a document of one kind under the label of another kind.
        let other = if label == "CERTIFICATE" {
            "X509 CRL"
        } else {
            "CERTIFICATE"
        };
        sandbox.write("c", text.replace(label, other));
        assert!(
            sandbox
                .refuses(&["inspect", "c"])
                .starts_with("error: c: is a damaged ")
        );
    }
}

/// Checks that documents of the largest allowed size take little time, whatever their contents.
#[test]
fn the_costliest_documents_are_read_briefly() {
    let sandbox = Sandbox::empty();
    let encode = |tag, fields: &[u8]| AnyRef::new(tag, fields).unwrap().to_der().unwrap();
    let own = certificate("CN=x".parse().unwrap());
    let parts = fields_of(&own);
    let with_issuer = |name: &[u8]| {
        let mut content = fields_of(&parts[0]);
        content[3] = encode(Tag::Sequence, name);
        let content = encode(Tag::Sequence, &content.concat());
        let der = encode(
            Tag::Sequence,
            &[&content[..], &parts[1], &parts[2]].concat(),
        );
        assert!((60_000..65_536).contains(&der.len()), "{}", der.len());
        der
    };
    let attribute = |value: u16| {
        let value = [&[6, 1, 0x2a, 4, 2][..], &value.to_be_bytes()].concat();
        encode(Tag::Sequence, &value)
    };
    // Makes one set with thousands of elements in reverse order.
    let one_set: Vec<u8> = (0..6900).rev().flat_map(attribute).collect();
    sandbox.write("c", with_issuer(&encode(Tag::Set, &one_set)));
    // Older versions of `der` sorted such a set in quadratic time.
    let inspect = || {
        let start = std::time::Instant::now();
        let status = sandbox.status(&["inspect", "c"]);
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
        status
    };
    assert_eq!(inspect(), 0);
    // Makes many sets, each in reverse order.
    let set = |at: u16| {
        let attributes: Vec<u8> = (32 * at..32 * at + 32).rev().flat_map(attribute).collect();
        encode(Tag::Set, &attributes)
    };
    let many_sets: Vec<u8> = (0..210).flat_map(set).collect();
    sandbox.write("c", with_issuer(&many_sets));
    assert_eq!(inspect(), 0);
    // Makes names with one attribute each.
    let name = |value| encode(Tag::Set, &attribute(value));
    let many_names: Vec<u8> = (0..5600).flat_map(name).collect();
    sandbox.write("c", with_issuer(&many_names));
    assert_eq!(inspect(), 0);
}

/// Signs the part of a certificate that its issuer signs. A plain signature would complete the
/// certificate.
#[test]
fn what_becomes_a_certificate_is_signed_only_if_asked_for() {
    let sandbox = Sandbox::new();
    let der = certificate("CN=Root".parse().unwrap());
    let content = fields_of(&der).remove(0);
    sandbox.write("content", &content);
    sandbox.write("long", [&content[..], &[0; 100_000]].concat());
    let sign = ["sign", "-k", "k", "content"];
    for options in [&[][..], &["--format", "compressed"], &["--format", "ct"]] {
        let message = sandbox.refuses(&with(&sign, options.iter().copied()));
        assert!(
            message.contains("content: looks like the signed part of a certificate"),
            "{message}"
        );
        assert!(!sandbox.path("content.sig").exists());
    }
    // Deterministic signatures cannot be in an envelope.
    sandbox.succeeds(&["keygen", "large", "--algorithm", "falcon-1024"]);
    let message = sandbox.refuses(&[
        "sign",
        "-k",
        "large",
        "content",
        "--algorithm",
        "falcon-det1024",
    ]);
    assert!(
        message.contains("or sign it without --algorithm and with --format envelope"),
        "{message}"
    );
    // An envelope signs a hash of the message, so it is allowed. The file `long` only begins like a
    // signed part, so it is allowed, too.
    sandbox.succeeds(&with(&sign, ["--format", "envelope"]));
    sandbox.succeeds(&["sign", "-k", "k", "long"]);

    // The signature has the format that X.509 uses.
    sandbox.succeeds(&with(&sign, ["--allow-x509", "--force"]));
    let key = AnySigningKey::from(SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault"));
    let made = with_signature(&der, &sandbox.read("content.sig"));
    falcon_x509::verify_certificate(&made, &key.verifying_key()).unwrap();
}

/// Returns a certificate with its signature replaced.
pub fn with_signature(der: &[u8], signature: &[u8]) -> Vec<u8> {
    let mut fields = fields_of(der);
    fields[2] = BitString::from_bytes(signature).unwrap().to_der().unwrap();
    let fields = fields.concat();
    let length = (fields.len() as u16).to_be_bytes();
    [&[0x30, 0x82][..], &length, &fields].concat()
}

/// Returns the encoded fields of a sequence.
pub fn fields_of(der: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = Vec::new();
    let mut rest = AnyRef::from_der(der).unwrap().value();
    while !rest.is_empty() {
        let (field, after) = AnyRef::from_der_partial(rest).unwrap();
        fields.push(field.to_der().unwrap());
        rest = after;
    }
    fields
}
