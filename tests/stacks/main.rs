//! Checks that no secret is left on the stack. After a key was generated, decoded, encoded,
//! expanded or used to sign, no part of the key is left, in any width. Signing leaves no sampler
//! key and no seed.
//!
//! A thread does the work on memory of this test, which is searched after the thread has ended. The
//! search looks for pieces of neighbouring bytes of secrets. It finds copies of such pieces, but
//! not single words, such as a word on every lane. If registers may have been spilled, a few pieces
//! are allowed.
#![cfg(target_os = "linux")]

mod documents;
mod search;

use falcon_core::batch::{BatchSign, JobKey, SignJob};
use falcon_core::hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::ntt::{Ntt, PORTABLE_NTT};
use falcon_core::{
    AnySigningKey, DecodeError, Engine, ExpandedKey, Falcon512, Falcon1024, ParameterSet,
    Parameters, Scratch, Signature, SigningKey, det1024, fndsa_provisional, recovery,
};
use falcon_kat::Again;
use falcon_tests::Repeatable;
use search::{Search, Secret, stack_after};
use std::hint::black_box;

const KEY_SEED: [u8; 32] = *b"the seed from which the keys are";
/// The seed of hedged signing.
const SEED: [u8; 32] = *b"hedged signatures come from this";
const MESSAGE: &[u8] = b"message";
const NONCE: [u8; 40] = [5; 40];

/// Number of neighbouring coefficients in a piece.
const COEFFICIENTS: usize = 8;

/// Largest number of a transform's words that may be left by spilled registers. All registers
/// together hold more words.
const SPILLED: usize = 15;

/// Returns the secrets of `key` to search for: the basis in four widths, the encoded key, the
/// secret hash and [`KEY_SEED`].
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

/// Returns small integers as bytes, in the width that `bytes` gives each integer.
fn in_width<const WIDTH: usize>(
    name: &'static str,
    integers: &[i8],
    bytes: impl Fn(i8) -> [u8; WIDTH],
) -> Secret {
    let bytes = integers.iter().flat_map(|&x| bytes(x)).collect();
    Secret::new(name, bytes, COEFFICIENTS * WIDTH, WIDTH)
}

/// Returns the FFT and the NTT of the key, and the expanded key. Some numbers of the FFT and of the
/// expanded key may be left, since registers may be spilled.
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
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED).expect("no fault");
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
        black_box(&SigningKey::<P>::from_seed_boxed(&KEY_SEED).expect("no fault"));
    });
    search.after("a key decoded by a plain call", || {
        let decoded = SigningKey::<P>::decode_boxed(encoded.as_ref());
        black_box(&decoded.expect("a key"));
    });
    // A word that the encoder of `F` holds in a register may be left.
    search.after_spilling(1, "a key encoded", || {
        black_box(&key.to_bytes());
    });
    search.after("a document written", || {
        black_box(&key.to_pkcs8_der().expect("it is written"));
    });
    search.after("a document of polynomials written", || {
        black_box(&key.to_pkcs8_polynomials_der().expect("it is written"));
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
        black_box(&key.sign_with_rng(&mut rng, MESSAGE).expect("no fault"));
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
            let signed = hazmat::sign_raw_on(engine, &*key, randomness, MESSAGE, Fit::Any, scratch)
                .expect("no fault");
            black_box(&signed);
        });
        search.after(
            format_args!("signed with an expanded key on {name}"),
            || {
                let scratch = &mut scratch;
                let signed =
                    hazmat::sign_raw_on(engine, &expanded, randomness, MESSAGE, Fit::Any, scratch)
                        .expect("no fault");
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
        sign_batches(
            &mut search,
            engine,
            &key,
            &expanded,
            &[randomness; JOBS],
            &[1, JOBS],
        );
    }
    search.end();
}

/// Signs two batches of each size with each form of the key: one with raw randomness, and a hedged
/// one.
fn sign_batches<P: Parameters>(
    search: &mut Search,
    engine: Engine,
    key: &SigningKey<P>,
    expanded: &ExpandedKey<P>,
    randomness: &[RawRandomness<'_>],
    sizes: &[usize],
) {
    for form in [JobKey::from(expanded), JobKey::from(key)] {
        for &size in sizes {
            let what = format!("batch of {size} with {form:?} on {engine}");
            let mut out = vec![Signature::EMPTY; size];
            let job = |&randomness| RawJob::new(form, MESSAGE, randomness);
            let raw: Vec<_> = randomness[..size].iter().map(job).collect();
            search.after(format_args!("a {what}"), || {
                let signed = engine.sign_batch_raw(&raw, Fit::Padded, &mut out);
                signed.expect("as many results as jobs");
            });
            let hedged = vec![SignJob::new(form, MESSAGE); size];
            search.after(format_args!("a hedged {what}"), || {
                let signed = engine.sign_batch(&SEED, &hedged, &mut out);
                signed.expect("as many results as jobs");
            });
        }
    }
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

/// Returns the sampler keys of the first attempts of a signature with `seed`.
fn sampler_keys(seed: &[u8; SEED_LEN]) -> [[u8; KEY_LEN]; 4] {
    let mut stream = Shake256::reader(seed);
    std::array::from_fn(|_| {
        let [key @ .., _, _, _, _, _, _, _, _] = stream.read_array::<56>();
        key
    })
}

fn leaves_no_sampler_key<P: Parameters>() {
    const JOBS: usize = 19;
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED).expect("no fault");
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
        let signed =
            hazmat::sign_raw(&*key, first, MESSAGE, Fit::Any, &mut scratch).expect("no fault");
        black_box(&signed);
    });
    search.after("a plain call with an expanded key", || {
        let signed =
            hazmat::sign_raw(&expanded, first, MESSAGE, Fit::Any, &mut scratch).expect("no fault");
        black_box(&signed);
    });
    for engine in Engine::available() {
        let name = engine.name();
        search.after(format_args!("with a key on {name}"), || {
            let signed = hazmat::sign_raw_on(engine, &*key, first, MESSAGE, Fit::Any, &mut scratch)
                .expect("no fault");
            black_box(&signed);
        });
        search.after(format_args!("with an expanded key on {name}"), || {
            let signed =
                hazmat::sign_raw_on(engine, &expanded, first, MESSAGE, Fit::Any, &mut scratch)
                    .expect("no fault");
            black_box(&signed);
        });
        sign_batches(
            &mut search,
            engine,
            &key,
            &expanded,
            &randomness,
            &[1, 2, 8, JOBS],
        );
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

const DRAWN: &[u8] = b"a generator of a system gave this seed to the caller";

/// Checks the seeds that plain calls draw from a generator.
#[test]
fn no_seed_that_is_drawn_is_left_on_the_stack() {
    let key = AnySigningKey::from_seed(ParameterSet::Falcon512, &KEY_SEED).expect("no fault");
    let hash = hazmat::Cshake256HashToPoint::new(b"another").expect("short");
    let drawn = DRAWN[..32].to_vec();
    let mut search = Search::new(vec![Secret::new("the seed that was drawn", drawn, 8, 1)]);
    search.after("a key generated", || {
        let set = ParameterSet::Falcon512;
        black_box(&AnySigningKey::generate(set, &mut Again(DRAWN)).is_ok());
    });
    search.after("a key of det1024 generated", || {
        black_box(&det1024::SigningKey::generate(&mut Again(DRAWN)).is_ok());
    });
    search.after("signed", || {
        black_box(&key.sign_with_rng(&mut Again(DRAWN), MESSAGE).is_ok());
    });
    search.after("signed with another hash", || {
        black_box(
            &key.sign_with_hash(&mut Again(DRAWN), &hash, MESSAGE)
                .is_ok(),
        );
    });
    search.end();
}

/// Checks that no FN-DSA key, no encoded key and no seed of a signature is left on the stack.
#[test]
fn fn_dsa_leaves_no_key_and_no_seed_on_the_stack() {
    type Key = fndsa_provisional::SigningKey<Falcon512>;
    let key = Key::from_seed_boxed(&KEY_SEED).expect("no fault");
    let encoded = key.to_bytes();
    // The Falcon key of the same basis. Its fields of six bits begin with the highest bit.
    let mut of_round_3 = encoded[..1281].to_vec();
    of_round_3[0] = 0x59;
    of_round_3[1..769].fill(0);
    for i in 0..8 * 768 {
        let from = i - i % 6 + 5 - i % 6;
        of_round_3[1 + i / 8] |= (encoded[1 + from / 8] >> (from % 8) & 1) << (7 - i % 8);
    }
    let round_3 = SigningKey::<Falcon512>::decode_boxed(&of_round_3).expect("a key");
    let short = &encoded[1..][..2 * 512 * 6 / 8];
    let hash: [u8; 40] = Shake256::reader(short).read_array();
    let mu = [4; 64];
    let mut derived = Shake256::new();
    derived.update(&hash).update(&mu).update(&DRAWN[..40]);
    let derived: [u8; 40] = derived.finalize().read_array();
    let mut secrets = parts(&round_3);
    secrets.extend([
        Secret::new(
            "the key of FN-DSA, encoded",
            encoded[1..1281].to_vec(),
            8,
            1,
        ),
        Secret::new("the hash of f and g", hash.to_vec(), 8, 1),
        Secret::new("the seed that was drawn", DRAWN[..40].to_vec(), 8, 1),
        Secret::new("the seed that was derived", derived.to_vec(), 8, 1),
    ]);
    let mut search = Search::new(secrets);
    search.after("generated", || {
        black_box(&Key::from_seed_boxed(&KEY_SEED).expect("no fault"));
    });
    search.after("decoded into a box", || {
        black_box(&Key::decode_boxed(&encoded).expect("a key"));
    });
    search.after("signed", || {
        black_box(&key.sign_mu_with_rng(&mut Again(DRAWN), &mu));
    });
    search.after("encoded", || {
        black_box(&key.to_bytes());
    });
    search.end();

    // The sampler reads some 150 blocks of the first attempt's stream, behind the nonce.
    let mut stream = vec![0; 200 * 136];
    Shake256::reader(&[&derived[..], &[0]].concat()).read(&mut stream);
    let of_batches = [
        Secret::new("the seed that was drawn", DRAWN[..40].to_vec(), 8, 1),
        Secret::new("the seed that was derived", derived.to_vec(), 8, 1),
        Secret::new("its stream", stream.split_off(NONCE.len()), 8, 8),
    ];
    let mut search = Search::new(of_batches.into());
    for engine in Engine::available() {
        search.after(format_args!("a batch signed on {engine}"), || {
            let messages = [fndsa_provisional::Message::Mu(&mu); 3];
            black_box(&key.sign_batch_with_rng(engine, &mut Again(DRAWN), &messages));
        });
    }
    search.end();

    // A key that is returned may leave its polynomials, but not the encoded `f` and `g`.
    let reversed = short.iter().map(|byte| byte.reverse_bits()).collect();
    let mut search = Search::new(vec![
        Secret::new("the encoding of f and g", short.to_vec(), 8, 1),
        Secret::new("the same with reversed bits", reversed, 8, 1),
    ]);
    search.after("decoded", || {
        black_box(&Key::try_from(&encoded[..]).expect("a key"));
    });
    // The key is refused at the last coefficient of `F`, after all others were read.
    let mut wrong = encoded.to_vec();
    wrong[1280] = 0x80;
    search.after("refused", || {
        assert_eq!(Key::try_from(&wrong[..]).err(), Some(DecodeError::Range));
    });
    search.end();
}

/// Checks that no seed that the library draws or derives is left on the stack.
#[test]
fn a_seed_that_is_drawn_or_derived_is_not_left_on_the_stack() {
    type P = Falcon512;
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED).expect("no fault");
    let message_hash: [u8; 64] = Shake256::reader(MESSAGE).read_array();
    let mut derived = Shake256::new();
    for piece in [
        &b"falcon deterministic"[..],
        hazmat::secret_hash(&*key),
        &message_hash,
    ] {
        derived.update(piece);
    }
    let derived: [u8; 32] = derived.finalize().read_array();
    let mut search = Search::new(vec![
        Secret::new("the seed that was drawn", DRAWN[..32].to_vec(), 8, 1),
        Secret::new("the seed that was derived", derived.to_vec(), 8, 1),
    ]);
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
    search.after("a key generated", || {
        black_box(&SigningKey::<P>::generate(&mut Again(DRAWN)).expect("no fault"));
    });
    search.after("a key of FN-DSA generated", || {
        black_box(
            &fndsa_provisional::SigningKey::<P>::generate(&mut Again(DRAWN)).expect("no fault"),
        );
    });
    search.after("a key of FN-DSA of any set generated", || {
        let set = ParameterSet::Falcon512;
        black_box(&fndsa_provisional::AnySigningKey::generate(set, &mut Again(DRAWN)).unwrap());
    });
    search.after("signed", || {
        black_box(
            &key.sign_with_rng(&mut Again(DRAWN), MESSAGE)
                .expect("no fault"),
        );
    });
    search.after("a stream signed", || {
        black_box(&key.sign_stream(&mut Again(DRAWN)).finish());
    });
    search.after("signed so that the key can be recovered", || {
        let signed = recovery::sign_in(&*key, &mut Again(DRAWN), MESSAGE, &mut scratch);
        black_box(&signed.expect("no fault"));
    });
    search.after("signed deterministically", || {
        let signed = hazmat::sign_deterministic(&*key, MESSAGE, &mut scratch);
        black_box(&signed.expect("no fault"));
    });
    let jobs = vec![SignJob::new(&*key, MESSAGE); 3];
    for engine in Engine::available() {
        search.after(format_args!("a batch signed on {engine}"), || {
            let signed = engine.sign_batch_with_rng(&mut Again(DRAWN), &jobs);
            black_box(&signed.expect("as many results as jobs"));
        });
    }
    search.end();
}

/// Returns a DER value of less than 64 KiB.
fn value(tag: u8, contents: &[u8]) -> Vec<u8> {
    let [high, low] = (contents.len() as u16).to_be_bytes();
    let header = match contents.len() {
        ..128 => vec![tag, low],
        128..256 => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [header, contents.to_vec()].concat()
}

/// Returns the document of a key with separate polynomials, as Bouncy Castle writes it.
fn document_of_polynomials(encoded: &[u8]) -> Vec<u8> {
    let zero = [2, 1, 0];
    let identifier = value(0x30, &value(6, &[0x2b, 0xce, 0x0f, 3, 11]));
    let polynomials = [&encoded[1..385], &encoded[385..769], &encoded[769..]];
    let polynomials = polynomials.map(|bits| value(4, bits)).concat();
    let key = value(0x30, &[&zero[..], &polynomials].concat());
    value(0x30, &[&zero[..], &identifier, &value(4, &key)].concat())
}

/// Decoding separate polynomials or text assembles the encoding on the stack. Checks that it is
/// wiped, even if the key is refused.
#[test]
fn an_encoding_that_is_read_is_not_left_on_the_stack() {
    type P = Falcon512;
    let key = SigningKey::<P>::from_seed_boxed(&KEY_SEED).expect("no fault");
    let encoded = key.to_bytes();
    // Leaves out `F`: its encoding has eight bits for each coefficient, like the key that a caller
    // moves.
    let secret = encoded.as_ref()[1..769].to_vec();
    let mut search = Search::new(vec![Secret::new("the encoded f and g", secret, 8, 1)]);
    let mut wrong = encoded.as_ref().to_vec();
    wrong[1280] ^= 1;
    for (what, encoded) in [("read", encoded.as_ref()), ("refused", &wrong)] {
        let document = document_of_polynomials(encoded);
        search.after(format_args!("polynomials {what}"), || {
            let read = Box::<SigningKey<P>>::from_pkcs8_der(&document);
            assert_eq!(read.is_ok(), what == "read");
        });
        let text = format!("\"{}\"", base16ct::lower::encode_string(encoded));
        search.after(format_args!("text {what}"), || {
            let read = serde_json::from_str::<SigningKey<P>>(&text);
            assert_eq!(read.is_ok(), what == "read");
        });
    }
    search.end();
}

/// The orthogonalised norm of this key is too large, and is computed with integers. No later
/// computation overwrites the traces of this one.
#[test]
fn the_judge_of_a_key_leaves_no_numbers_on_the_stack() {
    type P = Falcon512;
    let text = include_str!("../../kat/keys/too_long_512.hex").replace('\n', "");
    let bytes = base16ct::lower::decode_vec(text).expect("digits");
    let read = Engine::Soft.decode_signing_key::<P>(&bytes);
    assert_eq!(read.err(), Some(DecodeError::KeyNorm));
    let left = words_after(|| {
        black_box(&Engine::Soft.decode_signing_key::<P>(&bytes).is_err());
    });
    assert!(left < P::N / 2, "{left} words");
}

/// Counts the nonzero words of 8 bytes that `work` leaves on the stack.
fn words_after(work: impl FnOnce() + Send) -> usize {
    let stack = stack_after(work);
    let words = stack.as_chunks::<8>().0;
    words.iter().filter(|word| **word != [0; 8]).count()
}

/// Checks that the working memory in which decoding completes a key is wiped. It holds transforms
/// of the key modulo two primes, as `4n` words of 16 bits, which fill `n` of the counted words.
#[test]
fn a_key_that_is_decoded_leaves_no_numbers_on_the_stack() {
    type P = Falcon512;
    let encoded = SigningKey::<P>::from_seed_boxed(&KEY_SEED)
        .expect("no fault")
        .to_bytes();
    let mut wrong = encoded.as_ref().to_vec();
    wrong[1280] ^= 1;
    for engine in Engine::available() {
        for encoded in [encoded.as_ref(), &wrong] {
            let left = words_after(|| {
                black_box(&engine.decode_signing_key::<P>(encoded).is_ok());
            });
            assert!(left < P::N, "{left} words on {engine}");
        }
    }
}
