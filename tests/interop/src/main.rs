//! Exchanges keys and signatures with implementations in other languages, as lines of text.
//!
//! `falcon-interop write FILE` writes a line for each case: a seed, its key, a message and its
//! signatures. A peer makes the same keys from the seeds, verifies the signatures, and writes lines
//! of its own. `falcon-interop check OURS THEIRS SET...` checks them.
//!
//! A line has ten fields, separated by tabs. The first one is the parameter set. The others are in
//! hexadecimal: the seed of 48 bytes, the public key, the secret key, the message, the compressed
//! signature, the padded signature, and in DER the public key as SubjectPublicKeyInfo, the secret
//! key as PKCS#8, and the secret key with separate polynomials. A peer writes `-` for each of the
//! last five fields that it does not support, and for the seed of a key that it generated itself.
//! It writes lines only for the parameter sets that it supports, which are the arguments SET of
//! `check`.
//!
//! Lines of `det1024` have seven fields. The last one is the signature of fixed length.
//!
//! `falcon-interop write-x509 FOLDER` and `falcon-interop check-x509 FOLDER` do the same with
//! certificates, requests and revocation lists.

mod x509;

use falcon_core::det1024::{self, CompressedSignature, CtSignature};
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, KeyUse};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::{env, fs};
use x509::Outcome;

/// Name of deterministic Falcon-1024.
const DETERMINISTIC: &str = "det1024";

/// Number of keys of each parameter set.
const KEYS: u8 = 8;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["write", file] => write(file),
        ["check", ours, theirs, ref sets @ ..] => check(ours, theirs, sets),
        ["write-x509", folder] => x509::write(folder),
        ["check-x509", folder] => x509::check(folder),
        _ => Err(
            "usage: falcon-interop write FILE | check OURS THEIRS SET... \
            | write-x509 FOLDER | check-x509 FOLDER"
                .into(),
        ),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("falcon-interop: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(file: &str) -> Outcome<()> {
    let mut lines = String::new();
    for i in 0..KEYS {
        lines += &case::<Falcon512>(i)?;
        lines += &case::<Falcon1024>(i)?;
        lines += &deterministic_case(i)?;
    }
    Ok(fs::write(file, lines)?)
}

/// Returns seed and message of case `i`. The message has `37 i` bytes, so the first one is empty.
fn seed_and_message(i: u8) -> ([u8; 48], Vec<u8>) {
    let mut seed = [0; 48];
    for (at, byte) in (0..).zip(&mut seed) {
        *byte = i.wrapping_mul(31).wrapping_add(at);
    }
    (seed, vec![i; 37 * usize::from(i)])
}

/// Returns the line of case `i` of deterministic Falcon-1024.
fn deterministic_case(i: u8) -> Outcome<String> {
    let (seed, message) = seed_and_message(i);
    let key = det1024::SigningKey::from_seed(&seed).expect("no fault");
    let signature = key.sign(&message)?;
    let (public, secret) = (key.verifying_key().to_bytes(), key.to_bytes());
    line_of(
        DETERMINISTIC,
        &[
            &seed,
            &public,
            &*secret,
            &message,
            &signature.to_bytes(),
            &CtSignature::from(signature).to_bytes(),
        ],
    )
}

/// Returns the line of case `i` of a parameter set.
fn case<P: Parameters>(i: u8) -> Outcome<String> {
    let (seed, message) = seed_and_message(i);
    let key = SigningKey::<P>::from_reference_seed_boxed(&seed)?;
    let mut stream = key.sign_stream_from_seed(&[i; 32]);
    stream.update(&message);
    let signature = stream.finish()?;
    // The key of every second document is marked for certificates only.
    let key_use = match i % 2 {
        0 => KeyUse::Any,
        _ => KeyUse::CertificatesOnly,
    };
    let polynomials = key_use.write(key.to_pkcs8_polynomials_der()?.as_bytes())?;
    let (public, secret) = (key.verifying_key().to_bytes(), key.to_bytes());
    line_of(
        P::NAME,
        &[
            &seed,
            public.as_ref(),
            (*secret).as_ref(),
            &message,
            &signature.to_vec(Format::Compressed)?,
            &signature.to_vec(Format::Padded)?,
            key.verifying_key().to_public_key_der()?.as_bytes(),
            key.to_pkcs8_der()?.as_bytes(),
            polynomials.as_bytes(),
        ],
    )
}

/// Makes a line of these fields.
fn line_of(name: &str, fields: &[&[u8]]) -> Outcome<String> {
    let mut line = name.to_owned();
    for field in fields {
        write!(line, "\t{}", base16ct::lower::encode_string(field))?;
    }
    line.push('\n');
    Ok(line)
}

/// Checks the lines of a peer. They must have the keys of our lines for these parameter sets, valid
/// signatures, and documents of the same keys.
fn check(ours: &str, theirs: &str, sets: &[&str]) -> Outcome<()> {
    let ours = fs::read_to_string(ours)?;
    let theirs = fs::read_to_string(theirs)?;
    let (own, given): (Vec<_>, Vec<_>) = theirs.lines().map(key_of).partition(is_own);
    let found: BTreeSet<_> = given.into_iter().collect();
    let expected = ours.lines().map(key_of);
    let expected: BTreeSet<_> = expected
        .filter(|fields| sets.contains(&fields[0]))
        .collect();
    if expected.is_empty() || found != expected {
        return Err("the peer has other keys or messages".into());
    }
    let mut counts = Counts::default();
    for line in theirs.lines() {
        match line.split_once('\t') {
            Some(("Falcon-512", fields)) => verify::<Falcon512>(fields, &mut counts),
            Some(("Falcon-1024", fields)) => verify::<Falcon1024>(fields, &mut counts),
            Some((DETERMINISTIC, _)) => verify_deterministic(line, &ours, &mut counts),
            _ => Err("an unknown parameter set".into()),
        }
        .map_err(|error| format!("{error} in {line:.60}"))?;
    }
    println!(
        "{} keys of ours and {} of its own, {} signatures verified, {} documents read",
        found.len(),
        own.len(),
        counts.signatures,
        counts.documents
    );
    Ok(())
}

/// Number of objects of a peer that passed the checks.
#[derive(Default)]
struct Counts {
    signatures: usize,
    documents: usize,
}

/// Verifies a deterministic line. It must equal one of ours, since a message has only one
/// signature.
fn verify_deterministic(line: &str, ours: &str, counts: &mut Counts) -> Outcome<()> {
    if !ours.lines().any(|own| own == line) {
        return Err("another signature".into());
    }
    let fields: Result<Vec<_>, _> = line
        .split('\t')
        .skip(1)
        .map(base16ct::lower::decode_vec)
        .collect();
    let [_, public, _, message, compressed, fixed] = &fields?[..] else {
        return Err("not seven fields".into());
    };
    let key = det1024::VerifyingKey::try_from(&public[..])?;
    key.verify(message, &CompressedSignature::try_from(&compressed[..])?)?;
    key.verify_ct(message, &CtSignature::try_from(&fixed[..])?)?;
    counts.signatures += 2;
    Ok(())
}

/// Text of a field that a peer does not support.
const NONE: &str = "-";

/// Returns the fields of a line that a peer must return unchanged: parameter set, seed, public key,
/// secret key and message.
fn key_of(line: &str) -> Vec<&str> {
    line.split('\t').take(5).collect()
}

/// Returns true if the peer made the key itself, without our seed.
fn is_own(fields: &Vec<&str>) -> bool {
    fields.get(1) == Some(&NONE)
}

/// Verifies the signatures of a line, checks that each is refused for another message, and reads
/// the documents.
fn verify<P: Parameters>(fields: &str, counts: &mut Counts) -> Outcome<()> {
    let [
        _,
        public,
        secret,
        message,
        compressed,
        padded,
        spki,
        pkcs8,
        polynomials,
    ] = fields.split('\t').collect::<Vec<_>>()[..]
    else {
        return Err("not ten fields".into());
    };
    let key = VerifyingKey::<P>::try_from(&base16ct::lower::decode_vec(public)?[..])?;
    let signing_key = SigningKey::<P>::try_from(&base16ct::lower::decode_vec(secret)?[..])?;
    if *signing_key.verifying_key() != key {
        return Err("two keys that do not belong together".into());
    }
    let mut message = base16ct::lower::decode_vec(message)?;
    let mut signatures = Vec::new();
    for (format, text) in [(Format::Compressed, compressed), (Format::Padded, padded)] {
        if text != NONE {
            let bytes = base16ct::lower::decode_vec(text)?;
            signatures.push(Signature::<P>::from_bytes(format, &bytes)?);
        }
    }
    if signatures.is_empty() {
        return Err("no signature".into());
    }
    for signature in &signatures {
        key.verify(&message, signature)?;
    }
    message.push(0);
    for signature in &signatures {
        if key.verify(&message, signature).is_ok() {
            return Err("a signature of another message".into());
        }
    }
    counts.signatures += signatures.len();
    if spki != NONE {
        let document = base16ct::lower::decode_vec(spki)?;
        // The encoding is unique, so the document must have the bytes that we write.
        if document != key.to_public_key_der()?.as_bytes() {
            return Err("another document of the public key".into());
        }
        counts.documents += 1;
    }
    if pkcs8 != NONE {
        let document = base16ct::lower::decode_vec(pkcs8)?;
        let read = SigningKey::<P>::from_pkcs8_der(&document)?;
        if *read.to_bytes() != *signing_key.to_bytes() {
            return Err("another secret key in a document".into());
        }
        counts.documents += 1;
    }
    if polynomials != NONE {
        let document = base16ct::lower::decode_vec(polynomials)?;
        let read = SigningKey::<P>::from_pkcs8_der(&document)?;
        if *read.to_bytes() != *signing_key.to_bytes() {
            return Err("another secret key in separate polynomials".into());
        }
        if document != signing_key.to_pkcs8_polynomials_der()?.as_bytes() {
            return Err("other bytes of separate polynomials".into());
        }
        counts.documents += 1;
    }
    Ok(())
}
