//! Cases that run with marked secrets.

mod case;
mod documents;
mod keygen;
mod mceliece;
mod recovery;
mod refused;

pub(crate) use case::{Case, stored_keys};

use crate::valgrind::{classify, declassify};
use case::{MESSAGE, check, check_key, place, secret_key, silent, stored_key, with_scratch};
use falcon_core::batch::{self, BatchSign, JobKey};
use falcon_core::det1024::{self, CtSignature};
use falcon_core::fndsa_provisional::Message;
use falcon_core::fndsa_provisional::batch::SignJob;
use falcon_core::hazmat::{
    BatchSignRaw, FaultError, Fit, RawJob, RawRandomness, secret_basis, sign_deterministic,
    sign_raw_on, sign_with_hash_on, sign_with_seeds, signing_key_from_basis,
};
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash_to_point::Shake256HashToPoint;
use falcon_core::seams::lanes::{Baseline, Many, Soft};
use falcon_core::seams::sampler::{LaneSampler, SamplerZ, Sampling, SigningIsa};
use falcon_core::seams::tree::Leaf;
use falcon_core::seams::{LaneEngine, expand_on};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, Scratch, Signature, SigningKey};
use std::hint::black_box;
use std::rc::Rc;

/// Returns every case. Those that must be reported come first.
pub(crate) fn all() -> Vec<Case> {
    let leaky = |name: &str, run: fn()| Case {
        name: name.into(),
        leaks: true,
        run: Rc::new(run),
    };
    let mut all = vec![
        leaky("deliberate leak: branch", leak_branch),
        leaky("deliberate leak: index", leak_index),
        leaky("deliberate mistake: a sampler with known bytes", known_seed),
    ];
    let cases = &mut all;
    for_arithmetic(Baseline, "scalar", cases);
    for_arithmetic(Soft, "soft", cases);
    silent(cases, "soft: Falcon-512 batch", || batch(Soft, Soft));
    silent(cases, "four lanes: Falcon-512 batch", || {
        batch(Baseline, Many::<_, 4>(Baseline))
    });
    silent(cases, "four lanes: batch with refused attempts", || {
        refused::batch(Baseline, Many::<_, 4>(Baseline));
    });
    for_documents::<Falcon512>(cases);
    for_documents::<Falcon1024>(cases);
    silent(
        cases,
        "plain calls: Falcon-512 document under a passphrase",
        documents::written_under_a_passphrase::<Falcon512>,
    );
    silent(
        cases,
        "plain calls: Falcon-512 key document, stream, basis",
        plain_calls,
    );
    silent(cases, "plain calls: FN-DSA of degree 512", || {
        fndsa::<Falcon512>(6369)
    });
    silent(cases, "plain calls: FN-DSA of degree 1024", || {
        fndsa::<Falcon1024>(135)
    });
    silent(
        cases,
        "plain calls: deterministic Falcon-1024",
        deterministic,
    );
    keygen::add(cases);
    for engine in Engine::available() {
        silent(cases, format!("{engine}: FN-DSA batch"), move || {
            fndsa_batch::<Falcon512>(engine, 6369)
        });
    }
    let best = Engine::best();
    silent(
        cases,
        format!("{best}: FN-DSA batch of degree 1024"),
        move || {
            fndsa_batch::<Falcon1024>(best, 135);
        },
    );
    #[cfg(target_arch = "x86_64")]
    {
        let isa = falcon_x86::Avx2::detect().expect("the check needs a processor with AVX2");
        for_vectors(isa, Many::<_, 8>(isa), "avx2", cases);
        if let Some(isa) = falcon_x86::Avx512::detect() {
            for_vectors(isa, Many::<_, 16>(isa), "avx512", cases);
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let isa = falcon_neon::Neon::detect().expect("every AArch64 has NEON");
        for_vectors(isa, Many::<_, 4>(isa), "neon", cases);
        let isa = falcon_neon::NeonSha3::detect().expect("the emulator has SHA-3");
        for_vectors(isa, Many::<_, 4>(isa), "neonsha3", cases);
    }
    mceliece::add(cases);
    all
}

/// Adds cases of a vector unit's arithmetic, and of a batch on all its lanes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn for_vectors<B, F>(isa: B, lanes: F, engine: &'static str, cases: &mut Vec<Case>)
where
    B: SigningIsa + Fft<Real = f64>,
    F: Fft + 'static,
{
    for_arithmetic(isa, engine, cases);
    let count = F::LANES;
    silent(
        cases,
        format!("{engine}: Falcon-512 batch on {count} lanes"),
        move || batch(isa, lanes),
    );
    silent(
        cases,
        format!("{engine}: batch with refused attempts on {count} lanes"),
        move || refused::batch(isa, lanes),
    );
}

fn for_arithmetic<B: SigningIsa + Fft<Real = f64>>(b: B, engine: &str, cases: &mut Vec<Case>) {
    silent(cases, format!("{engine}: fft, split, merge"), move || {
        polynomials(b)
    });
    silent(cases, format!("{engine}: sampler"), move || {
        black_box(sampler(b));
    });
    silent(cases, format!("{engine}: refused attempts"), move || {
        refused::alone(b)
    });
    for_parameters::<Falcon512, B>(b, engine, cases);
    for_parameters::<Falcon1024, B>(b, engine, cases);
}

fn for_documents<P: Parameters>(cases: &mut Vec<Case>) {
    let name = |what: &str| format!("plain calls: {} {what}", P::NAME);
    silent(
        cases,
        name("document written and read"),
        documents::written::<P>,
    );
    silent(
        cases,
        name("document of polynomials"),
        documents::of_polynomials::<P>,
    );
    silent(
        cases,
        name("signature that recovers its key"),
        recovery::signed::<P>,
    );
}

fn for_parameters<P: Parameters, B: SigningIsa>(b: B, engine: &str, cases: &mut Vec<Case>) {
    let name = |what: &str| format!("{engine}: {} {what}", P::NAME);
    silent(cases, name("key decoded and encoded"), move || {
        secret_key_codec::<P, B>(b)
    });
    silent(cases, name("signed from the key"), move || {
        let key = secret_key::<P, B>(b);
        with_scratch(|scratch| check(&sign(b, &*key, Fit::Padded, scratch)));
    });
    silent(cases, name("expanded, then signed"), move || {
        let key = secret_key::<P, B>(b);
        with_scratch(|scratch| {
            let expanded = expand_on(b, &key);
            check(&sign(b, &expanded, Fit::Any, scratch));
        });
    });
    silent(cases, name("signed with hedged randomness"), move || {
        let key = secret_key::<P, B>(b);
        let seed = [7; 32];
        classify(&seed);
        with_scratch(|scratch| {
            check(
                &sign_with_hash_on(b, &*key, &seed, &Shake256HashToPoint, MESSAGE, scratch)
                    .expect("a point"),
            );
        });
    });
}

fn leak_branch() {
    let secret = [black_box(3u8)];
    classify(&secret);
    if black_box(secret[0]) == 3 {
        black_box("equal");
    }
}

fn leak_index() {
    let table = black_box([1u8, 2, 3, 4]);
    let secret = [black_box(3usize)];
    classify(&secret);
    black_box(table[black_box(secret[0]) & 3]);
}

/// Starts a sampler with a seed that has one public byte.
fn known_seed() {
    let seed = [5; 56];
    classify(&seed);
    declassify(&seed[17]);
    black_box(Baseline.sampling().feed(&seed));
}

fn polynomials<B: SigningIsa + Fft<Real = f64>>(b: B) {
    for logn in 2..=10 {
        let n = 1 << logn;
        let mut f: Vec<f64> = (0..n).map(|i| f64::from(i * 37 % 255 - 127)).collect();
        let half = f.len() / 2;
        classify(&f[..]);
        let (mut even, mut odd) = (vec![0.0; half], vec![0.0; half]);
        b.fft(logn, &mut f);
        b.split(logn, &mut even, &mut odd, &f);
        b.merge(logn, &mut f, &even, &odd);
        b.ifft(logn, &mut f);
        black_box(f);
    }
}

/// Samples around secret centres, with a secret leaf and secret bytes.
fn sampler<B: SigningIsa + Fft<Real = f64>>(b: B) -> f64 {
    let seed = [5; 56];
    classify(&seed);
    let mut feeds = [b.sampling().feed(&seed)];
    let leaf = Leaf {
        dss: 0.18,
        ccs: 0.75,
    };
    classify(&leaf);
    let centers = [-91.7, 14.2];
    classify(&centers);
    let mut sampler = LaneSampler::new(b, b.sampling(), &mut feeds);
    let mut sum = 0.0;
    for _ in 0..200 {
        let [z0, z1] = sampler.sample_pair(centers, &leaf);
        sum = Fft::add(&b, sum, Fft::add(&b, z0, z1));
    }
    sum
}

/// Reads a key from an unencrypted document and from its basis, and signs with it.
fn plain_calls() {
    let bytes = stored_key::<Falcon512>();
    let key = SigningKey::<Falcon512>::try_from(&bytes[..]).expect("a stored key decodes");
    let document = key.to_pkcs8_der().expect("a key has a document").to_bytes();
    // Marks all of the key except its header, which determines its length.
    classify(&document[place(&document, &bytes[1..])]);
    let key = SigningKey::<Falcon512>::from_pkcs8_der(&document).expect("a stored key decodes");
    let seed = [7; 32];
    classify(&seed);
    let mut stream = key.sign_stream_from_seed(&seed);
    stream.update(MESSAGE);
    check(&stream.finish().expect("no fault"));
    let again = signing_key_from_basis::<Falcon512>(secret_basis(&key));
    let key = again.expect("a basis of a key");
    with_scratch(|scratch| {
        check(&sign_deterministic(&key, MESSAGE, scratch).expect("no fault"));
        let next_seed = |seed: &mut [u8; 56]| {
            seed[0] += 1;
            classify(seed);
            Ok::<_, FaultError>(())
        };
        let signature = sign_with_seeds(&key, &[2; 40], next_seed, MESSAGE, Fit::Padded, scratch);
        check(&signature.expect("no fault"));
    });
}

/// Reads an FN-DSA key, signs with it and writes it. `tests/fndsa.rs` shows that the first attempt
/// with the seed `refused` is refused.
fn fndsa<P: Parameters>(refused: u64) {
    type Key<P> = falcon_core::fndsa_provisional::SigningKey<P>;
    let bytes = Key::from(SigningKey::<P>::from_seed(&[7; 32]).expect("no fault")).to_bytes();
    let marked = bytes.to_vec();
    classify(&marked[1..P::SIGNING_KEY_LEN]);
    let key = Key::<P>::try_from(&marked[..]).expect("its own encoding");
    let mut seed = [0; 40];
    seed[..8].copy_from_slice(&refused.to_le_bytes());
    classify(&seed);
    let signature = key.sign_mu_from_seed(&seed, &[4; 64]).expect("it signs");
    declassify(&signature);
    let verified = key.verifying_key().verify_mu(&[4; 64], &signature);
    verified.expect("it is valid");
    let written = key.to_bytes();
    declassify(&written[..]);
    assert_eq!(written, bytes);
}

/// Signs one FN-DSA job more than there are lanes. Every other job has the seed `refused`, with
/// which the first attempt is refused. The last job is signed on one lane.
fn fndsa_batch<P: Parameters>(engine: Engine, refused: u64) {
    type Key<P> = falcon_core::fndsa_provisional::SigningKey<P>;
    let bytes = Key::from(SigningKey::<P>::from_seed(&[7; 32]).expect("no fault")).to_bytes();
    let marked = bytes.to_vec();
    classify(&marked[1..P::SIGNING_KEY_LEN]);
    let key = Key::<P>::try_from(&marked[..]).expect("its own encoding");
    let seeds: Vec<_> = (0..=engine.lanes())
        .map(|job| {
            let mut seed = [0; 40];
            seed[..8].copy_from_slice(&[refused, 1][job % 2].to_le_bytes());
            seed
        })
        .collect();
    classify(&seeds[..]);
    let message = Message::Mu(&[4; 64]);
    let jobs: Vec<_> = seeds.iter().map(|seed| SignJob { message, seed }).collect();
    let signed = key.sign_batch(engine, &jobs);
    for signature in signed {
        let signature = signature.expect("it signs");
        declassify(&signature);
        let verified = key.verifying_key().verify_mu(&[4; 64], &signature);
        verified.expect("it is valid");
    }
}

/// Signs deterministically like Algorand's code, and encodes the key again.
fn deterministic() {
    let bytes = stored_key::<Falcon1024>();
    let marked = bytes.clone();
    // Marks all bytes except the header.
    classify(&marked[1..]);
    let key = det1024::SigningKey::try_from(&marked[..]).expect("a stored key decodes");
    let signature = key.sign(MESSAGE).expect("no fault");
    declassify(&signature);
    black_box(signature.to_bytes());
    black_box(CtSignature::from(signature).to_bytes());
    let encoded = key.to_bytes();
    declassify(&*encoded);
    assert_eq!(encoded[..], bytes[..]);
}

fn secret_key_codec<P: Parameters, B: SigningIsa>(b: B) {
    check_key(&secret_key::<P, B>(b));
}

fn sign<P: Parameters, B: SigningIsa>(
    b: B,
    key: &impl falcon_core::hazmat::SecretKey<P>,
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let (nonce, seed) = ([2; 40], [3; 48]);
    classify(&seed);
    let randomness = RawRandomness {
        nonce: &nonce,
        seed: &seed,
    };
    sign_raw_on(b, key, randomness, MESSAGE, fit, scratch).expect("no fault")
}

/// Signs batches in which some lanes are idle at the end. Except on eight lanes, there are more
/// jobs than lanes, so that lanes are used again.
fn batch<B: SigningIsa, F: Fft>(arith: B, fft: F) {
    let key = secret_key::<Falcon512, _>(Baseline);
    let other = secret_key::<Falcon512, _>(Baseline);
    let expanded = expand_on(Baseline, &key);
    // An engine signs jobs one at a time if they fill at most half of its lanes.
    let count = if F::LANES > 8 { F::LANES * 7 / 4 } else { 5 };
    let (nonces, seeds) = (vec![[2; 40]; count], vec![[3; 48]; count]);
    classify(&seeds[..]);
    let engine = LaneEngine { arith, fft };
    let mut out = vec![Signature::EMPTY; count];
    // A signing key is expanded for several jobs, but not for one.
    let mut of_keys = vec![JobKey::from(&*key); count - 1];
    of_keys.push(JobKey::from(&*other));
    for keys in [vec![JobKey::from(&expanded); count], of_keys] {
        let jobs: Vec<_> = keys
            .into_iter()
            .zip(nonces.iter().zip(&seeds))
            .map(|(key, (nonce, seed))| RawJob::new(key, MESSAGE, RawRandomness { nonce, seed }))
            .collect();
        engine
            .sign_batch_raw(&jobs, Fit::Padded, &mut out)
            .expect("as many results as jobs");
        out.iter().for_each(check);
    }

    // Nonces and streams are hashed side by side.
    let seed = [7; 32];
    classify(&seed);
    let jobs = vec![batch::SignJob::new(&expanded, MESSAGE); count];
    engine
        .sign_batch(&seed, &jobs, &mut out)
        .expect("as many results as jobs");
    out.iter().for_each(check);

    let jobs = [&key, &key, &other].map(|key| batch::SignJob::new(&**key, MESSAGE));
    engine
        .sign_batch(&seed, &jobs, &mut out[..3])
        .expect("as many results as jobs");
    out.iter().for_each(check);
}
