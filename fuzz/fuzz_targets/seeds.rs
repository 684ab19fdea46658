//! Writes the first inputs of every target to `$FALCON_CORPUS/TARGET/` and ends. This program is
//! built like a target, but is not one.
#![no_main]

use falcon_core::det1024::{self, CtSignature};
use falcon_core::pkcs8::der::{
    Encode,
    asn1::{BitStringRef, OctetStringRef},
};
use falcon_core::pkcs8::spki::AssociatedAlgorithmIdentifier;
use falcon_core::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding, PrivateKeyInfoRef};
use falcon_core::recovery::RecoverableSignature;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey};
use falcon_fuzz_inputs::known::{
    ENVELOPE_FILES, JOBS, Job, RECORDS, TRUST_LIST, certificates, fndsa, formats,
};
use falcon_fuzz_inputs::mutate::{encrypted::encrypt, signed::Input};
use libfuzzer_sys::fuzz_target;
use mceliece_core::{KeyPair, Mceliece348864f, Mceliece6960119f};
use parquet::{
    basic::{Compression, Encoding, Repetition, Type, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, Int64Type},
    file::{
        properties::{EnabledStatistics, WriterProperties, WriterVersion},
        writer::SerializedFileWriter,
    },
    schema::types::Type as SchemaType,
};
use pkcs8::pkcs5::pbes2;
use std::{env, fs, io, path::PathBuf, process::exit, sync::Arc};

fuzz_target!(
    init: write_seeds_and_exit(),
    |_bytes: &[u8]| {}
);

fn write_seeds_and_exit() {
    let folder = env::var_os("FALCON_CORPUS").expect("FALCON_CORPUS names a folder");
    write_seeds(&Corpus(folder.into())).expect("the folder can be written");
    exit(0)
}

/// The folder of first inputs, which has a folder for each target.
struct Corpus(PathBuf);

impl Corpus {
    fn write(&self, target: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.0.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    }
}

/// Writes the keys and the signature of FN-DSA for one degree.
fn write_fndsa<P: Parameters>(corpus: &Corpus) -> io::Result<()> {
    let (key, signature) = fndsa::<P>();
    let name = |kind: &str| format!("{}-{kind}", P::N);
    corpus.write("fndsa", &name("sk"), &key.to_bytes())?;
    corpus.write(
        "fndsa",
        &name("vk"),
        key.verifying_key().to_bytes().as_ref(),
    )?;
    corpus.write("fndsa", &name("sig"), signature.to_bytes().as_ref())
}

/// Writes small tables in every readable encoding and compression.
fn write_tables(corpus: &Corpus) -> io::Result<()> {
    let plain = || {
        WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
    };
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let encoded = |encoding| plain().set_column_encoding("message".into(), encoding);
    for (name, properties) in [
        ("plain", plain()),
        ("dictionary", plain().set_dictionary_enabled(true)),
        ("snappy", plain().set_compression(Compression::SNAPPY)),
        ("zstd", plain().set_compression(zstd)),
        ("lengths", encoded(Encoding::DELTA_LENGTH_BYTE_ARRAY)),
        ("prefixes", encoded(Encoding::DELTA_BYTE_ARRAY)),
        (
            "second-version",
            encoded(Encoding::DELTA_BYTE_ARRAY)
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_compression(zstd),
        ),
        (
            "statistics",
            plain().set_statistics_enabled(EnabledStatistics::Page),
        ),
    ] {
        let properties = Arc::new(properties.build());
        for (kind, columns) in [
            ("named", &["message", "signature", "key_id"][..]),
            ("encoded", &["message", "signature", "key"]),
            ("messages", &["message"]),
            ("keys", &["key_id", "key"]),
        ] {
            let bytes = table(columns, &properties).map_err(io::Error::other)?;
            corpus.write("tables", &format!("{kind}-{name}"), &bytes)?;
        }
    }
    Ok(())
}

/// Makes a table of two row groups. Its columns have bytes, except `key_id`, which has integers.
fn table(columns: &[&str], properties: &Arc<WriterProperties>) -> parquet::errors::Result<Vec<u8>> {
    let fields = columns.iter().map(|&name| {
        let kind = match name {
            "key_id" => Type::INT64,
            _ => Type::BYTE_ARRAY,
        };
        let field = SchemaType::primitive_type_builder(name, kind);
        let field = field.with_repetition(Repetition::OPTIONAL).build()?;
        Ok(Arc::new(field))
    });
    let fields = fields.collect::<parquet::errors::Result<Vec<_>>>()?;
    let schema = SchemaType::group_type_builder("schema").with_fields(fields);
    let schema = Arc::new(schema.build()?);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::clone(properties))?;
    for _ in 0..2 {
        let mut group = writer.next_row_group()?;
        for &name in columns {
            let mut column = group.next_column()?.expect("a column for each name");
            // The second row is null.
            let levels = [1, 0, 1];
            if name == "key_id" {
                let writer = column.typed::<Int64Type>();
                writer.write_batch(&[0, 1], Some(&levels), None)?;
            } else {
                let values = [&b"one"[..], b"once more"].map(ByteArray::from);
                let writer = column.typed::<ByteArrayType>();
                writer.write_batch(&values, Some(&levels), None)?;
            }
            column.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

fn write_seeds(corpus: &Corpus) -> io::Result<()> {
    write_tables(corpus)?;
    corpus.write("envelopes", "trust", TRUST_LIST)?;
    for (name, bytes) in ENVELOPE_FILES {
        corpus.write("envelopes", name, bytes)?;
    }
    for (i, der) in certificates().iter().enumerate() {
        corpus.write("certificates", &i.to_string(), der)?;
    }
    write_mceliece(corpus)?;
    // Calls of the C library: each function, with pointers to objects of the arena.
    for function in 0..9 {
        for object in 0..8 {
            let other = object << 4 | 8;
            let call = [function, 2, 8, 2, other, other, 2, 8, other, 0x78, 2, 0x78];
            corpus.write("c_interface", &format!("{function}-{object}"), &call)?;
        }
    }
    write_fndsa::<Falcon512>(corpus)?;
    write_fndsa::<Falcon1024>(corpus)?;
    for (i, job) in JOBS.iter().enumerate() {
        match job.logn {
            9 => write_job::<Falcon512>(corpus, i, job)?,
            _ => write_job::<Falcon1024>(corpus, i, job)?,
        }
    }
    Ok(())
}

/// Writes the first inputs of the targets of Classic McEliece.
fn write_mceliece(corpus: &Corpus) -> io::Result<()> {
    let small = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]).secret_key;
    let large = KeyPair::<Mceliece6960119f>::from_seed(&[7; 32]).secret_key;
    for (name, bytes) in [
        ("348864f-sk", small.as_bytes()),
        ("348864f-40", small.compressed()),
        ("6960119f-sk", large.as_bytes()),
        ("348864-ct", &[7; 96]),
        ("6960119-ct", &[7; 194]),
        ("6960119pcf-ct", &[7; 226]),
    ] {
        corpus.write("mceliece_secret", name, bytes)?;
    }
    // Each input has set, filling, length, one changed byte, pieces of 300 and of 70 bytes.
    for (i, length) in (0..12).map(|i| (i, i / 2)) {
        let input = [i % 2, 0x5a, length, 1, 1, 2, 3, 0x15, 44, 1, 70, 0];
        corpus.write("mceliece_public", &i.to_string(), &input)?;
    }
    // Each input has set, number of changes of the key, and changes: places in two bytes, and
    // masks.
    for (i, changes) in [
        &[][..],
        &[0, 0, 1],
        &[5, 0, 0x20, 6, 0, 1],
        &[100, 0, 1, 160, 0, 1],
        &[40, 0, 1, 0, 2, 1],
    ]
    .iter()
    .enumerate()
    {
        for (set, of_key) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let input = [&[set, of_key][..], *changes].concat();
            corpus.write("mceliece_open", &format!("{set}-{of_key}-{i}"), &input)?;
        }
    }
    // Each input has set, kind and wrapping, options of the reader, number of changes, changes,
    // edits.
    for (i, how) in [0, 1, 2, 4, 5, 6, 9, 17, 33, 37].into_iter().enumerate() {
        for (j, [named, wanted]) in [[0, 0], [128, 128], [200, 201]].into_iter().enumerate() {
            for (k, rest) in [&[0][..], &[1, 1, 0, 0, 3], &[0, 0, 9, 0, b'-']]
                .iter()
                .enumerate()
            {
                let input = [&[i as u8, how, named, wanted][..], *rest].concat();
                corpus.write("mceliece_files", &format!("{i}-{j}-{k}"), &input)?;
            }
        }
    }
    Ok(())
}

/// Writes the keys and the signature of a known answer.
fn write_job<P: Parameters>(corpus: &Corpus, i: usize, job: &Job) -> io::Result<()> {
    let name = |what: &str| format!("{}-{}-{what}", job.logn, i % RECORDS);
    corpus.write("decode_verifying_key", &name("vk"), &job.key)?;
    corpus.write("decode_signing_key", &name("sk"), &job.signing_key)?;
    for engine in 0..3 {
        let input = [&[engine][..], &job.signing_key].concat();
        corpus.write(
            "signing_key_engines",
            &name(&format!("sk-{engine}")),
            &input,
        )?;
    }
    corpus.write("attached", &name("sm"), &attached(job))?;
    if job.logn == 10 {
        let [compressed, fixed] = deterministic(job);
        corpus.write("deterministic", &name("det"), &compressed)?;
        corpus.write("deterministic", &name("det-ct"), &fixed)?;
    }
    // At most one signature in eleven cannot be made recoverable.
    if let Some(bytes) = recoverable::<P>(job) {
        corpus.write("recoverable", &name("signature"), &bytes)?;
    }
    for (what, bytes) in &formats::<P>(&job.signature) {
        corpus.write("decode_signature", &name(what), bytes)?;
        let input = Input {
            choice: i as u8,
            signature: bytes,
            message: &job.message,
        };
        corpus.write("verify", &name(what), &input.write())?;
        for engine in 0..3 {
            let choice = (i + engine * JOBS.len()) as u8;
            let input = Input { choice, ..input };
            corpus.write(
                "verify_batch",
                &name(&format!("{what}-{engine}")),
                &input.write(),
            )?;
        }
    }
    for (target, files) in [
        ("key_documents", documents::<P>(job)),
        ("encrypted_keys", encrypted::<P>(job)),
        ("serde_forms", serde_forms::<P>(job)),
    ] {
        for (what, bytes) in files {
            corpus.write(target, &name(what), &bytes)?;
        }
    }
    Ok(())
}

/// Names of files and their contents.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Makes the recoverable form of the signature. Returns `None` if the key cannot be recovered from
/// the signature.
fn recoverable<P: Parameters>(job: &Job) -> Option<Vec<u8>> {
    let key = VerifyingKey::<P>::try_from(&job.key[..]).expect("a stored key");
    let signature = Signature::from_bytes(Format::Compressed, &job.signature).expect("stored");
    let signature = RecoverableSignature::from_signature(&key, &job.message, &signature);
    let signature = signature.expect("a stored signature is valid")?;
    Some(signature.to_bytes().as_ref().to_vec())
}

/// Makes the deterministic signature of the message, in both forms.
fn deterministic(job: &Job) -> [Vec<u8>; 2] {
    let key = det1024::SigningKey::try_from(&job.signing_key[..]).expect("a stored key");
    let signature = key.sign(&job.message).expect("no fault");
    let fixed = CtSignature::from(signature).to_bytes();
    [signature.to_bytes().to_vec(), fixed.to_vec()]
}

/// Makes the signed message in the attached form of NIST.
fn attached(job: &Job) -> Vec<u8> {
    let code = &job.signature[41..];
    let length = (code.len() as u16 + 1).to_be_bytes();
    let header = [0x20 + job.logn];
    [&length, &job.signature[1..41], &job.message, &header, code].concat()
}

/// Writes the keys as documents, in every readable form.
fn documents<P: Parameters>(job: &Job) -> Files {
    let public = VerifyingKey::<P>::try_from(&job.key[..]).expect("a stored key");
    let private = SigningKey::<P>::try_from(&job.signing_key[..]).expect("a stored key");
    let written = "a key can be written";
    let spki = public.to_public_key_der().expect(written);
    let spki_pem = public.to_public_key_pem(LineEnding::LF).expect(written);
    let pkcs8 = private.to_pkcs8_der().expect(written);
    let pkcs8_pem = private.to_pkcs8_pem(LineEnding::LF).expect(written);
    let octets = |bytes: &[u8]| OctetStringRef::new(bytes).and_then(|x| x.to_der());
    // Makes the form that Bouncy Castle writes.
    let short = (job.signing_key.len() - 1 - P::N) / 2;
    let (f, rest) = job.signing_key[1..].split_at(short);
    let (g, capital) = rest.split_at(short);
    let h = tlv_sequence(&octets(&job.key[1..]).expect(written));
    let polynomials: Vec<u8> = [f, g, capital]
        .iter()
        .flat_map(|polynomial| octets(polynomial).expect(written))
        .collect();
    let polynomials = tlv_sequence(&[&[2, 1, 0], &polynomials[..], &h].concat());
    let info = |contents: &[u8], beside: Option<&[u8]>| {
        let mut info = PrivateKeyInfoRef::new(
            SigningKey::<P>::ALGORITHM_IDENTIFIER,
            OctetStringRef::new(contents).expect(written),
        );
        info.public_key = beside.map(|key| BitStringRef::from_bytes(key).expect(written));
        info.to_der().expect(written)
    };
    let alone = octets(&job.signing_key).expect(written);
    vec![
        ("spki", spki.into_vec()),
        ("spki-pem", spki_pem.into()),
        ("pkcs8", pkcs8.as_bytes().to_vec()),
        ("pkcs8-pem", pkcs8_pem.as_bytes().to_vec()),
        ("pkcs8-alone", info(&alone, None)),
        ("pkcs8-bare", info(&job.signing_key, None)),
        ("pkcs8-polynomials", info(&polynomials, None)),
        ("pkcs8-v2", info(&alone, Some(&job.key))),
    ]
}

/// Makes a `SEQUENCE` of these contents, at least 256 bytes.
fn tlv_sequence(contents: &[u8]) -> Vec<u8> {
    let length = (contents.len() as u16).to_be_bytes();
    [&[0x30, 0x82], &length[..], contents].concat()
}

/// Encrypts the signing key with a passphrase, at little cost.
fn encrypted<P: Parameters>(job: &Job) -> Files {
    let key = SigningKey::<P>::try_from(&job.signing_key[..]).expect("a stored key");
    let document = key.to_pkcs8_der().expect("a key can be written");
    let (salt, iv) = ([1; 16], [2; 16]);
    let scrypt = pbes2::ScryptParams {
        salt: pbes2::Salt::new(salt).expect("short"),
        cost_parameter: 2,
        block_size: 1,
        parallelization: 1,
        key_length: None,
    };
    let pbkdf2 = pbes2::Pbkdf2Params::hmac_sha256(1, &salt).expect("a salt");
    [("scrypt", scrypt.into()), ("pbkdf2", pbkdf2.into())]
        .map(|(name, kdf)| {
            let parameters = pbes2::Parameters {
                kdf,
                encryption: pbes2::EncryptionScheme::Aes256Cbc { iv },
            };
            let bytes = encrypt(parameters, document.as_bytes());
            (name, bytes.expect("a document"))
        })
        .to_vec()
}

/// Writes keys and signature as text and in a binary format.
fn serde_forms<P: Parameters>(job: &Job) -> Files {
    let public = VerifyingKey::<P>::try_from(&job.key[..]).expect("a stored key");
    let private = SigningKey::<P>::try_from(&job.signing_key[..]).expect("a stored key");
    let signature = Signature::<P>::from_bytes(Format::Compressed, &job.signature).expect("stored");
    let written = "it can be written";
    vec![
        ("vk-json", serde_json::to_vec(&public).expect(written)),
        ("sk-json", serde_json::to_vec(&private).expect(written)),
        ("sig-json", serde_json::to_vec(&signature).expect(written)),
        ("vk-binary", postcard::to_allocvec(&public).expect(written)),
        ("sk-binary", postcard::to_allocvec(&private).expect(written)),
        (
            "sig-binary",
            postcard::to_allocvec(&signature).expect(written),
        ),
    ]
}
