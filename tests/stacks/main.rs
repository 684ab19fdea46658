//! No secret is left on the stack. After a key was generated, decoded, encoded or expanded, and
//! after it has signed, no part of it stands there, in whatever width. Signing leaves no key of a
//! sampler and no seed.
//!
//! The work is done by a thread on memory of this test, which looks through it when the
//! thread has ended. Secrets are looked for as pieces of neighbouring bytes: a copy is found,
//! smaller parts of it (a word on every lane) are not. Numbers that were spilled from registers are
//! counted.
#![cfg(target_os = "linux")]

mod search;

use falcon_core::batch::{BatchSign, JobKey, SignJob};
use falcon_core::hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::ntt::{Ntt, PORTABLE_NTT};
use falcon_core::{
    AnySigningKey, DecodeError, Engine, Falcon512, Falcon1024, Parameters, Scratch, Signature,
    SigningKey,
};
use falcon_tests::Repeatable;
use search::{Search, Secret, stack_after};
use std::hint::black_box;

const KEY_SEED: [u8; 32] = *b"the seed from which the keys are";
/// The seed of hedged signing.
const SEED: [u8; 32] = *b"hedged signatures come from this";
const MESSAGE: &[u8] = b"message";
const NONCE: [u8; 40] = [5; 40];

/// Coefficients that are looked for together.
const COEFFICIENTS: usize = 8;

/// Most words of a transform that may be left: fewer than registers hold.
const SPILLED: usize = 15;

/// The parts of `key`.
fn parts<P: Parameters>(key: &SigningKey<P>) -> Vec<Secret> {
    let basis = hazmat::secret_basis(key).concat();
    let encoded = key.to_bytes().as_ref()[1..].to_vec();
    let hash = hazmat::secret_hash(key).to_vec();
    vec![
        in_width("the basis in bytes", &basis, i8::to_ne_bytes),
        in_width("the basis in 16 bits", &basis, |x| {
            i16::from(x).to_ne_bytes()
        }),
        in_width("the basis in 32 bits", &basis, |x| {
            i32::from(x).to_ne_bytes()
        }),
        in_width("the basis in binary64", &basis, |x| {
            f64::from(x).to_ne_bytes()
        }),
        Secret::new("the encoded key", encoded, 8, 1),
        Secret::new("the secret hash", hash, 8, 1),
        Secret::new("the seed of the key", KEY_SEED.to_vec(), 8, 1),
    ]
}

/// Small integers, each in as many bytes as `bytes` gives.
fn in_width<const WIDTH: usize>(
    name: &'static str,
    integers: &[i8],
    bytes: impl Fn(i8) -> [u8; WIDTH],
) -> Secret {
    let bytes = integers.iter().flat_map(|&x| bytes(x)).collect();
    Secret::new(name, bytes, COEFFICIENTS * WIDTH, WIDTH)
}

/// The transforms of the key, over the complex numbers as its norm is judged, and modulo `q` as the
/// short vector is computed from it. Numbers that were spilled may be left.
fn transforms<P: Parameters>(key: &SigningKey<P>) -> Vec<Secret> {
    let (mut reals, mut residues) = (Vec::new(), Vec::new());
    for row in hazmat::secret_basis(key) {
        let mut transform: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        Baseline.fft(P::LOGN, &mut transform);
        reals.extend(transform.iter().flat_map(|x| x.to_ne_bytes()));
        let mut transform = vec![0; P::N];
        PORTABLE_NTT.set_small(&mut transform, row);
        PORTABLE_NTT.ntt(P::LOGN, &mut transform);
        residues.extend(transform.iter().flat_map(|x| x.to_ne_bytes()));
    }
    let expanded = key.expand();
    let expanded = hazmat::expanded_reals(&expanded).iter();
    let expanded = expanded.flat_map(|x| x.to_ne_bytes()).collect();
    vec![
        Secret::new("the FFT of the key", reals, 8, 8).allowing(SPILLED),
        Secret::new("the NTT of the key", residues, 8, 8),
        Secret::new("the expanded key", expanded, 8, 8).allowing(SPILLED),
    ]
}

fn leaves_no_part_of_a_key<P: Parameters>() {
    const JOBS: usize = 19;
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED);
    let (encoded, expanded) = (key.to_bytes(), key.expand());
    let mut secrets = parts(&key);
    secrets.extend(transforms(&key));
    let mut search = Search::new(secrets);
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
    let randomness = RawRandomness {
        nonce: &NONCE,
        seed: &[3; SEED_LEN],
    };
    let hash = hazmat::Shake256HashToPoint;

    search.after("a key generated", || {
        black_box(&SigningKey::<P>::from_seed_boxed(&KEY_SEED));
    });
    search.after("a key decoded by a plain call", || {
        let decoded = SigningKey::<P>::decode_boxed(encoded.as_ref());
        black_box(&decoded.expect("a key"));
    });
    // A word that the encoder of `F` has in a register.
    search.after_spilling(1, "a key encoded", || {
        black_box(&key.to_bytes());
    });
    search.after("a document written", || {
        black_box(&key.to_pkcs8_der().expect("it is written"));
    });
    let document = key.to_pkcs8_der().expect("it is written");
    search.after("a key decoded from a document into a box", || {
        let decoded = Box::<SigningKey<P>>::from_pkcs8_der(document.as_bytes());
        black_box(&decoded.expect("a key"));
    });
    search.after("a key of any parameter set decoded from a document", || {
        let decoded = AnySigningKey::from_pkcs8_der(document.as_bytes());
        black_box(&decoded.expect("a key"));
    });
    search.after("signed with a random generator", || {
        let mut rng = Repeatable::new("signs");
        black_box(&key.sign_with_rng(&mut rng, MESSAGE));
    });
    search.after("signed deterministically with a key", || {
        let signed = hazmat::sign_deterministic(&*key, MESSAGE, &mut scratch);
        black_box(&signed.expect("no fault"));
    });
    search.after("signed deterministically with an expanded key", || {
        let signed = hazmat::sign_deterministic(&expanded, MESSAGE, &mut scratch);
        black_box(&signed.expect("no fault"));
    });
    for engine in Engine::available() {
        let name = engine.name();
        search.after(format_args!("a key decoded on {name}"), || {
            let decoded = engine.decode_signing_key::<P>(encoded.as_ref());
            black_box(&decoded.expect("a key"));
        });
        search.after(format_args!("a key expanded on {name}"), || {
            black_box(&engine.expand(&key));
        });
        search.after(format_args!("signed with a key on {name}"), || {
            let scratch = &mut scratch;
            let signed = hazmat::sign_raw_on(engine, &*key, randomness, MESSAGE, Fit::Any, scratch);
            black_box(&signed);
        });
        search.after(
            format_args!("signed with an expanded key on {name}"),
            || {
                let scratch = &mut scratch;
                let signed =
                    hazmat::sign_raw_on(engine, &expanded, randomness, MESSAGE, Fit::Any, scratch);
                black_box(&signed);
            },
        );
        search.after(format_args!("signed hedged with a key on {name}"), || {
            let scratch = &mut scratch;
            let signed = hazmat::sign_with_hash_on(engine, &*key, &SEED, &hash, MESSAGE, scratch);
            black_box(&signed.expect("a point"));
        });
        search.after(format_args!("a stream signed with a key on {name}"), || {
            let mut stream = key.sign_stream_from_seed(&SEED);
            stream.update(MESSAGE);
            black_box(&engine.finish(stream, &mut scratch));
        });
        search.after(
            format_args!("a stream signed with an expanded key on {name}"),
            || {
                let mut stream = expanded.sign_stream_from_seed(&SEED);
                stream.update(MESSAGE);
                black_box(&engine.finish(stream, &mut scratch));
            },
        );
        let forms = [JobKey::from(&expanded), JobKey::from(&*key)];
        for (form, count) in forms
            .into_iter()
            .flat_map(|form| [1, JOBS].map(|count| (form, count)))
        {
            let mut out = vec![Signature::EMPTY; count];
            let raw = vec![RawJob::new(form, MESSAGE, randomness); count];
            search.after(
                format_args!("a batch of {count} with {form:?} on {name}"),
                || {
                    let signed = engine.sign_batch_raw(&raw, Fit::Padded, &mut out);
                    signed.expect("as many results as jobs");
                },
            );
            let hedged = vec![SignJob::new(form, MESSAGE); count];
            search.after(
                format_args!("a hedged batch of {count} with {form:?} on {name}"),
                || {
                    let signed = engine.sign_batch(&SEED, &hedged, &mut out);
                    signed.expect("as many results as jobs");
                },
            );
        }
    }
    search.end();
}

#[test]
fn keys_leave_no_part_on_the_stack() {
    leaves_no_part_of_a_key::<Falcon512>();
    leaves_no_part_of_a_key::<Falcon1024>();
}

/// Bytes of a sampler's ChaCha20 key.
const KEY_LEN: usize = 48;
/// Bytes of a seed of [`RawRandomness`].
const SEED_LEN: usize = 48;

/// The keys of the first attempts of a signature with `seed`.
fn sampler_keys(seed: &[u8; SEED_LEN]) -> [[u8; KEY_LEN]; 4] {
    let mut stream = Shake256::reader(seed);
    std::array::from_fn(|_| {
        let [key @ .., _, _, _, _, _, _, _, _] = stream.read_array::<56>();
        key
    })
}

fn leaves_no_sampler_key<P: Parameters>() {
    const JOBS: usize = 19;
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED);
    let expanded = key.expand();
    let seeds: [[u8; SEED_LEN]; JOBS] =
        std::array::from_fn(|i| std::array::from_fn(|j| (SEED_LEN * i + j) as u8 ^ 0x5a));
    let keys: Vec<_> = seeds.iter().flat_map(sampler_keys).collect();
    let mut search = Search::new(vec![
        Secret::new("the keys of samplers", keys.concat(), KEY_LEN, KEY_LEN),
        Secret::new("the seeds", seeds.concat(), SEED_LEN, SEED_LEN),
        Secret::new("the seed of hedged signing", SEED.to_vec(), SEED.len(), 1),
    ]);
    let randomness = seeds.each_ref().map(|seed| RawRandomness {
        nonce: &NONCE,
        seed,
    });
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
    let [first, ..] = randomness;
    search.after("a plain call with a key", || {
        let signed = hazmat::sign_raw(&*key, first, MESSAGE, Fit::Any, &mut scratch);
        black_box(&signed);
    });
    search.after("a plain call with an expanded key", || {
        let signed = hazmat::sign_raw(&expanded, first, MESSAGE, Fit::Any, &mut scratch);
        black_box(&signed);
    });
    for engine in Engine::available() {
        let name = engine.name();
        search.after(format_args!("with a key on {name}"), || {
            let signed = hazmat::sign_raw_on(engine, &*key, first, MESSAGE, Fit::Any, &mut scratch);
            black_box(&signed);
        });
        search.after(format_args!("with an expanded key on {name}"), || {
            let signed =
                hazmat::sign_raw_on(engine, &expanded, first, MESSAGE, Fit::Any, &mut scratch);
            black_box(&signed);
        });
        let forms = [JobKey::from(&expanded), JobKey::from(&*key)];
        for (form, count) in forms
            .into_iter()
            .flat_map(|form| [1, 2, 8, JOBS].map(|count| (form, count)))
        {
            let mut out = vec![Signature::EMPTY; count];
            let jobs: Vec<_> = randomness[..count]
                .iter()
                .map(|&randomness| RawJob::new(form, MESSAGE, randomness))
                .collect();
            search.after(
                format_args!("a batch of {count} with {form:?} on {name}"),
                || {
                    let signed = engine.sign_batch_raw(&jobs, Fit::Padded, &mut out);
                    signed.expect("as many results as jobs");
                },
            );
            let hedged = vec![SignJob::new(form, MESSAGE); count];
            search.after(
                format_args!("a hedged batch of {count} with {form:?} on {name}"),
                || {
                    let signed = engine.sign_batch(&SEED, &hedged, &mut out);
                    signed.expect("as many results as jobs");
                },
            );
        }
        search.after(format_args!("hedged with a key on {name}"), || {
            let hash = hazmat::Shake256HashToPoint;
            let signed =
                hazmat::sign_with_hash_on(engine, &*key, &SEED, &hash, MESSAGE, &mut scratch);
            black_box(&signed.expect("a point"));
        });
    }
    search.end();
}

#[test]
fn signing_leaves_no_sampler_key_and_no_seed_on_the_stack() {
    leaves_no_sampler_key::<Falcon512>();
    leaves_no_sampler_key::<Falcon1024>();
}

/// A key whose orthogonalised norm is judged by integers, and too large: nothing is computed after
/// that, which would hide what the judge leaves.
#[test]
fn the_judge_of_a_key_leaves_no_numbers_on_the_stack() {
    type P = Falcon512;
    let key = SigningKey::<P>::from_seed_boxed(&[7; 32]);
    let [f, g, ..] = hazmat::secret_basis(&key);
    let square = |row: &[i8]| row.iter().map(|&x| i32::from(x).pow(2)).sum::<i32>();
    // Six bits a coefficient, after the header. A change of `f` by 8 that keeps its length.
    let too_long = (0..P::N).find_map(|i| {
        let mut changed = f.to_vec();
        changed[i] = (changed[i] ^ 8) << 2 >> 2;
        let mut bytes = key.to_bytes().as_ref().to_vec();
        let bit = 8 + 6 * i + 2;
        bytes[bit / 8] ^= 0x80 >> (bit % 8);
        let read = Engine::Soft.decode_signing_key::<P>(&bytes);
        let judged = square(&changed) + square(g) < 16823 && changed[i] > -32;
        (judged && read.err() == Some(DecodeError::KeyNorm)).then_some(bytes)
    });
    let bytes = too_long.expect("some key is too long");
    let stack = stack_after(|| {
        black_box(&Engine::Soft.decode_signing_key::<P>(&bytes).is_err());
    });
    let words = stack.as_chunks::<8>().0;
    let left = words.iter().filter(|word| **word != [0; 8]).count();
    assert!(left < P::N / 2, "{left} words");
}
