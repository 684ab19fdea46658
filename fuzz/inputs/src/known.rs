//! Known answers, from which the inputs are made.

use falcon_core::fndsa_provisional as fndsa_types;
use falcon_core::pkcs8::der::pem::decode_vec;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey};
use falcon_kat::rsp::{Reader, Record};
use pkcs8::EncryptedPrivateKeyInfoRef;
use pkcs8::pkcs5::pbes2::Kdf;
use std::sync::LazyLock;

/// Modulus of the coefficients of a verifying key.
pub const Q: u16 = 12289;

/// Passphrase of the encrypted keys.
pub const PASSPHRASE: &str = "passphrase";

/// The first records of the NIST Falcon-512 file.
pub fn records_512() -> Vec<Record> {
    records(include_bytes!(
        "../../../kat/falcon-round3/falcon512-KAT.first10.rsp"
    ))
}

/// The first records of the NIST Falcon-1024 file.
pub fn records_1024() -> Vec<Record> {
    records(include_bytes!(
        "../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"
    ))
}

/// Number of records of each parameter set from which inputs are made.
pub const RECORDS: usize = 3;

/// Reads the certificates, requests and revocation lists of `kat/x509`, in DER.
pub fn certificates() -> Vec<Vec<u8>> {
    macro_rules! files {
        ($($name:literal)*) => {
            [$(&include_bytes!(concat!("../../../kat/x509/", $name, ".pem"))[..]),*]
        };
    }
    let files = files! {
        "bouncy-castle-512.certificate" "bouncy-castle-1024.certificate"
        "bouncy-castle-512.request" "bouncy-castle-1024.request"
        "bouncy-castle-512.revocation-list" "bouncy-castle-1024.revocation-list"
        "falcon-x509-512.certificate" "falcon-x509-1024.certificate"
        "falcon-x509-512.request" "falcon-x509-1024.request"
        "falcon-x509-512.revocation-list" "falcon-x509-1024.revocation-list"
    };
    let der = |pem: &[u8]| decode_vec(pem).expect("a vector").1;
    files.into_iter().map(der).collect()
}

/// Hash of the message in the signature of [`fndsa`].
pub const FNDSA_MU: [u8; fndsa_types::MU_LEN] = [5; fndsa_types::MU_LEN];

/// Makes a key of FN-DSA, and its signature of [`FNDSA_MU`].
///
/// # Panics
/// Panics if the key does not sign.
pub fn fndsa<P: Parameters>() -> (fndsa_types::SigningKey<P>, fndsa_types::Signature<P>) {
    let key =
        fndsa_types::SigningKey::from(SigningKey::<P>::from_seed(&[7; 32]).expect("no fault"));
    let signature = key.sign_mu_from_seed(&[6; fndsa_types::SEED_LEN], &FNDSA_MU);
    (key, signature.expect("27 attempts are enough"))
}

/// A known key with a signature that it verifies.
#[derive(Clone)]
pub struct Job {
    /// Base-2 logarithm of the degree, 9 or 10.
    pub logn: u8,
    /// Encoded verifying key.
    pub key: Vec<u8>,
    /// Encoded signing key.
    pub signing_key: Vec<u8>,
    /// Compressed signature.
    pub signature: Vec<u8>,
    /// Message.
    pub message: Vec<u8>,
}

/// Jobs of Falcon-512, followed by the same number of jobs of Falcon-1024.
pub static JOBS: LazyLock<Vec<Job>> = LazyLock::new(|| {
    let job = |logn, record: Record| Job {
        logn,
        signature: detached(logn, &record),
        key: record.public_key,
        signing_key: record.secret_key,
        message: record.message,
    };
    let first = records_512().into_iter().take(RECORDS);
    let second = records_1024().into_iter().take(RECORDS);
    let first = first.map(|record| job(9, record));
    first.chain(second.map(|record| job(10, record))).collect()
});

/// The signatures of [`JOBS`] in every format.
pub static SIGNATURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let of = |job: &Job| match job.logn {
        9 => formats::<Falcon512>(&job.signature),
        _ => formats::<Falcon1024>(&job.signature),
    };
    JOBS.iter().flat_map(of).map(|(_, bytes)| bytes).collect()
});

/// The signing keys of [`JOBS`].
pub static SIGNING_KEYS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| JOBS.iter().map(|job| job.signing_key.clone()).collect());

/// The verifying keys of [`JOBS`].
pub static VERIFYING_KEYS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| JOBS.iter().map(|job| job.key.clone()).collect());

/// Returns the signature in every format, with the name of each format.
pub fn formats<P: Parameters>(compressed: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let signature = Signature::<P>::from_bytes(Format::Compressed, compressed)
        .expect("a stored signature decodes");
    [
        ("compressed", Format::Compressed),
        ("padded", Format::Padded),
        ("ct", Format::ConstantTime),
    ]
    .map(|(name, format)| (name, signature.to_vec(format).expect("it fits")))
    .to_vec()
}

/// Largest work for decrypting a key. It is small, so that many inputs are tried in a second.
const LITTLE: u64 = 1 << 10;

/// Returns true if opening the document is quick. Its work must be at most [`LITTLE`], or above the
/// documented bound, so that the document is refused.
pub fn is_quick(document: &EncryptedPrivateKeyInfoRef<'_>) -> bool {
    // Uses the documented bounds instead of the constants. If a constant is too large, the fuzzer
    // then finds a slow input.
    let (cost, most) = match document.encryption_algorithm.pbes2().map(|p| &p.kdf) {
        Some(Kdf::Scrypt(scrypt)) => {
            let rp = u64::from(scrypt.block_size) * u64::from(scrypt.parallelization);
            (scrypt.cost_parameter.saturating_mul(rp), 1 << 21)
        }
        // An iteration costs at least one unit of work.
        Some(Kdf::Pbkdf2(pbkdf2)) => (pbkdf2.iteration_count.into(), 10_000_000),
        _ => (0, 0),
    };
    cost <= LITTLE || cost > most
}

fn records(file: &[u8]) -> Vec<Record> {
    Reader::new(file)
        .map(|record| record.expect("a stored file is well formed"))
        .collect()
}

/// Returns the detached compressed signature of a record. `logn` is 9 or 10.
pub fn detached(logn: u8, record: &Record) -> Vec<u8> {
    let attached = &record.signed_message;
    let s2 = &attached[42 + record.message.len() + 1..];
    [&[0x30 + logn][..], &attached[2..42], s2].concat()
}

/// A stored trust list.
pub const TRUST_LIST: &[u8] = include_bytes!("../../../kat/envelope/trust");

/// The stored envelopes and manifests, with their names.
pub const ENVELOPE_FILES: [(&str, &[u8]); 4] = [
    (
        "order-512",
        include_bytes!("../../../kat/envelope/order-512.sig"),
    ),
    (
        "order-1024",
        include_bytes!("../../../kat/envelope/order-1024.sig"),
    ),
    (
        "folder-512",
        include_bytes!("../../../kat/envelope/folder-512.manifest"),
    ),
    (
        "folder-1024",
        include_bytes!("../../../kat/envelope/folder-1024.manifest"),
    ),
];
