//! Keys and signatures have the same bytes in every floating-point environment of the host, on
//! every engine. The environment of the caller is preserved.

use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::eip8052::Keccak256HashToPoint;
use falcon_core::fndsa_provisional::{self as fndsa, MU_LEN};
use falcon_core::hazmat::{
    self, BatchSignRaw, Fit, RawJob, RawRandomness, SecretKey, Shake256HashToPoint,
};
use falcon_core::{
    Engine, ExpandedKey, FaultError, Parameters, Scratch, Signature, SigningKey, Threads, det1024,
    recovery,
};
use falcon_rounding::{Environment, read};
use falcon_tests::{Repeatable, engines, key};
use mceliece_core::{KeyPair, Mceliece348864};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

const MESSAGE: &[u8] = b"order #42";
const SEED: [u8; 32] = [5; 32];
const RAW: RawRandomness<'_> = RawRandomness {
    nonce: &[3; 40],
    seed: &[4; 48],
};

/// Computes `operation` in the default environment and in every other one. Compares the bytes of
/// all runs, and returns them.
fn same_bytes(what: &str, mut operation: impl FnMut() -> Vec<u8>) -> Vec<u8> {
    let expected = operation();
    for environment in Environment::all() {
        let found = environment.run(&mut operation);
        assert!(found == expected, "{what}, {environment}: other bytes");
    }
    expected
}

/// Calls [`same_bytes`] on every engine.
fn on_engines(what: &str, operation: impl Fn(Engine) -> Vec<u8>) {
    for engine in engines() {
        same_bytes(&format!("{what}, {engine}"), || operation(engine));
    }
}

/// Calls `f` with memory for one signature.
fn with_scratch<P: Parameters, R>(f: impl FnOnce(&mut Scratch<'_, P>) -> R) -> R {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    f(&mut Scratch::new(&mut reals).expect("enough"))
}

/// Returns the concatenated encodings of signatures.
fn encoded<P: Parameters>(signatures: &[Signature<P>]) -> Vec<u8> {
    let bytes = signatures.iter().map(|signature| signature.to_bytes());
    bytes.flat_map(|bytes| bytes.to_vec()).collect()
}

/// Returns a key in both forms.
fn forms<P: Parameters>() -> (SigningKey<P>, ExpandedKey<P>) {
    let key = key::<P>(1);
    let expanded = key.expand();
    (key, expanded)
}

/// Returns a generator that gives the same bytes each time.
fn rng() -> Repeatable {
    Repeatable::new("rounding")
}

/// Defines two tests for each function, one for each degree.
macro_rules! both_degrees {
    ($($name:ident)*) => {
        $(
            mod $name {
                #[test]
                fn falcon512() {
                    super::$name::<falcon_core::Falcon512>();
                }

                #[test]
                fn falcon1024() {
                    super::$name::<falcon_core::Falcon1024>();
                }
            }
        )*
    };
}

both_degrees! {
    keys_from_seeds
    keys_from_reference_seeds
    expanded_keys
    keys_that_are_read
    plain_signatures
    streams
    raw_signatures
    signatures_of_given_seeds
    signatures_with_hashes
    batches
    raw_batches
    batches_on_threads
    recoverable_signatures
    keys_of_fndsa
    signatures_of_fndsa
    batches_of_fndsa
    panics
}

/// Returns the signature. Panics if signing has detected a hardware fault.
fn signed<P: Parameters>(signature: Result<Signature<P>, FaultError>) -> Signature<P> {
    signature.expect("no fault")
}

/// Generates a key from a seed. If the reduction rounded differently, the key would differ.
fn keys_from_seeds<P: Parameters>() {
    let mut seed = [0; 32];
    seed[31] = 12;
    let fingerprint = same_bytes("key", || {
        let key = SigningKey::<P>::from_seed_boxed(&seed).expect("no fault");
        key.verifying_key().fingerprint().to_vec()
    });
    let pinned = match P::N {
        512 => [0x90, 0x46, 0x63, 0xfa],
        _ => [0x4c, 0xe7, 0xaa, 0x47],
    };
    assert_eq!(fingerprint[..4], pinned);
}

/// Generates a key from a reference seed. With another rounding, the key of this seed would differ.
fn keys_from_reference_seeds<P: Parameters>() {
    let seed = [if P::N == 512 { 9 } else { 2 }; 48];
    same_bytes("key", || {
        let key = SigningKey::<P>::from_reference_seed_boxed(&seed).expect("no fault");
        key.to_bytes().as_ref().to_vec()
    });
}

fn expanded_keys<P: Parameters>() {
    let key = key::<P>(1);
    let bytes = |key: &ExpandedKey<P>| {
        let reals = hazmat::expanded_reals(key);
        reals
            .iter()
            .flat_map(|x| x.to_bits().to_le_bytes())
            .collect()
    };
    same_bytes("expanded key", || bytes(&key.expand()));
    on_engines("expanded key", |engine| bytes(&engine.expand(&key)));
}

fn keys_that_are_read<P: Parameters>() {
    let encoded = key::<P>(1).to_bytes();
    on_engines("key", |engine| {
        let key = engine.decode_signing_key::<P>(encoded.as_ref());
        key.expect("a key").to_bytes().as_ref().to_vec()
    });
}

fn plain_signatures<P: Parameters>() {
    let (key, expanded) = forms::<P>();
    same_bytes("signatures", || {
        with_scratch(|scratch| {
            encoded(
                &[
                    key.sign_with_rng(&mut rng(), MESSAGE),
                    expanded.sign_with_rng(&mut rng(), MESSAGE),
                    key.sign_in(&mut rng(), MESSAGE, scratch),
                    expanded.sign_in(&mut rng(), MESSAGE, scratch),
                ]
                .map(signed),
            )
        })
    });
    same_bytes("deterministic signatures", || {
        with_scratch(|scratch| {
            encoded(&[
                hazmat::sign_deterministic(&key, MESSAGE, scratch).expect("no fault"),
                hazmat::sign_deterministic(&expanded, MESSAGE, scratch).expect("no fault"),
            ])
        })
    });
}

fn streams<P: Parameters>() {
    let (key, expanded) = forms::<P>();
    let of_key = || {
        let mut stream = key.sign_stream_from_seed(&SEED);
        stream.update(MESSAGE);
        stream
    };
    let of_expanded = || {
        let mut stream = expanded.sign_stream_from_seed(&SEED);
        stream.update(MESSAGE);
        stream
    };
    same_bytes("streams", || {
        encoded(&[of_key().finish(), of_expanded().finish()].map(signed))
    });
    on_engines("streams", |engine| {
        with_scratch(|scratch| {
            encoded(
                &[
                    engine.finish(of_key(), scratch),
                    engine.finish(of_expanded(), scratch),
                ]
                .map(signed),
            )
        })
    });
}

fn raw_signatures<P: Parameters>() {
    let (key, expanded) = forms::<P>();
    same_bytes("raw", || {
        with_scratch(|scratch| {
            encoded(&[hazmat::sign_raw(&key, RAW, MESSAGE, Fit::Any, scratch)].map(signed))
        })
    });
    on_engines("raw", |on| {
        with_scratch(|scratch| {
            encoded(
                &[
                    hazmat::sign_raw_on(on, &key, RAW, MESSAGE, Fit::Any, scratch),
                    hazmat::sign_raw_on(on, &expanded, RAW, MESSAGE, Fit::Padded, scratch),
                ]
                .map(signed),
            )
        })
    });
}

fn signatures_of_given_seeds<P: Parameters>() {
    /// Signs with seeds 1, 2, 3 and so on.
    fn sign<P: Parameters>(on: Engine, key: &impl SecretKey<P>) -> Signature<P> {
        let mut last = 0;
        let next_seed = |seed: &mut [u8; hazmat::SAMPLER_SEED_LEN]| {
            last += 1;
            seed.fill(last);
            Ok::<_, FaultError>(())
        };
        signed(with_scratch(|scratch| {
            hazmat::sign_with_seeds_on(on, key, RAW.nonce, next_seed, MESSAGE, Fit::Any, scratch)
        }))
    }
    let (key, expanded) = forms::<P>();
    on_engines("given seeds", |on| {
        encoded(&[sign(on, &key), sign(on, &expanded)])
    });
}

fn signatures_with_hashes<P: Parameters>() {
    let (key, _) = forms::<P>();
    on_engines("hashes", |on| {
        with_scratch(|scratch| {
            let shake = &Shake256HashToPoint;
            let keccak = &Keccak256HashToPoint;
            encoded(&[
                hazmat::sign_with_hash_on(on, &key, &SEED, shake, MESSAGE, scratch)
                    .expect("points"),
                hazmat::sign_with_hash_on(on, &key, &SEED, keccak, MESSAGE, scratch)
                    .expect("points"),
            ])
        })
    });
}

/// Signs one job more than there are lanes with a signing key, and one job with an expanded key.
/// Then verifies the signatures.
fn batches<P: Parameters>() {
    let (key, expanded) = forms::<P>();
    on_engines("batch", |engine| {
        let mut jobs = vec![SignJob::new(&key, MESSAGE); engine.lanes() + 1];
        jobs.push(SignJob::new(&expanded, MESSAGE));
        let mut out = vec![Signature::EMPTY; jobs.len()];
        engine.sign_batch(&SEED, &jobs, &mut out).expect("as many");

        let bytes: Vec<_> = out.iter().map(|signature| signature.to_bytes()).collect();
        let public_key = key.verifying_key();
        let verify = |signature| VerifyBytesJob {
            key: public_key,
            message: MESSAGE,
            signature,
        };
        let jobs: Vec<_> = bytes.iter().map(|bytes| verify(&bytes[..])).collect();
        let mut verdicts = vec![Verdict::Invalid; jobs.len()];
        engine
            .verify_bytes_batch(&jobs, &mut verdicts)
            .expect("as many");
        assert_eq!(verdicts, vec![Verdict::Valid; jobs.len()], "{engine}");
        encoded(&out)
    });
}

fn raw_batches<P: Parameters>() {
    let (key, expanded) = forms::<P>();
    on_engines("raw batch", |engine| {
        let jobs = [
            RawJob::new(&key, MESSAGE, RAW),
            RawJob::new(&expanded, MESSAGE, RAW),
            RawJob::new(&expanded, b"order #43", RAW),
        ];
        let mut out = [Signature::EMPTY; 3];
        engine
            .sign_batch_raw(&jobs, Fit::Any, &mut out)
            .expect("as many");
        encoded(&out)
    });
}

/// Threads inherit the environment of the thread that starts them.
fn batches_on_threads<P: Parameters>() {
    let (_, expanded) = forms::<P>();
    let engine = Engine::best();
    let jobs = vec![SignJob::new(&expanded, MESSAGE); 4 * engine.lanes()];
    same_bytes("threads", || {
        let threads = Threads::new(NonZeroUsize::new(2).expect("not zero"));
        let of_threads = || {
            threads
                .pool()
                .expect("a pool")
                .broadcast(|_| read() & !0x3f)
        };
        let before = of_threads();
        let mut out = vec![Signature::EMPTY; jobs.len()];
        let on = engine.on(&threads);
        on.sign_batch(&SEED, &jobs, &mut out).expect("as many");
        assert_eq!(of_threads(), before, "a thread has another environment");
        encoded(&out)
    });
}

fn recoverable_signatures<P: Parameters>() {
    let (key, _) = forms::<P>();
    same_bytes("recoverable", || {
        let signature = recovery::sign_with_rng(&key, &mut rng(), MESSAGE).expect("no fault");
        let recovered = signature.recover(MESSAGE).expect("a key");
        assert!(recovered == *key.verifying_key());
        signature.to_bytes().as_ref().to_vec()
    });
}

fn keys_of_fndsa<P: Parameters>() {
    same_bytes("FN-DSA key", || {
        let key = fndsa::SigningKey::<P>::from_seed(&SEED).expect("no fault");
        key.to_bytes().to_vec()
    });
}

fn signatures_of_fndsa<P: Parameters>() {
    let key = fndsa::SigningKey::<P>::from_seed(&SEED).expect("no fault");
    same_bytes("FN-DSA signature", || {
        let signature = key.sign_mu_from_seed(&[6; fndsa::SEED_LEN], &[7; MU_LEN]);
        signature.expect("no fault").to_bytes().as_ref().to_vec()
    });
}

fn batches_of_fndsa<P: Parameters>() {
    let key = fndsa::SigningKey::<P>::from_seed(&SEED).expect("no fault");
    let message = fndsa::Message::Whole {
        context: fndsa::Context::EMPTY,
        message: MESSAGE,
    };
    on_engines("FN-DSA batch", |engine| {
        let messages = vec![message; engine.lanes() + 1];
        let signatures = key.sign_batch_with_rng(engine, &mut rng(), &messages);
        signatures
            .into_iter()
            .map(|signature| signature.expect("no fault"))
            .flat_map(|signature| signature.to_bytes().as_ref().to_vec())
            .collect()
    });
}

/// Checks that a panic in the caller's function also leaves the caller's floating-point environment
/// unchanged.
fn panics<P: Parameters>() {
    let key = key::<P>(1);
    for engine in engines() {
        for environment in Environment::all() {
            environment.run(|| {
                let next_seed = |_: &mut _| -> Result<(), FaultError> { panic!("no seed") };
                let signed = catch_unwind(AssertUnwindSafe(|| {
                    with_scratch::<P, _>(|scratch| {
                        let (nonce, fit) = (RAW.nonce, Fit::Any);
                        let on = engine;
                        hazmat::sign_with_seeds_on(
                            on, &key, nonce, next_seed, MESSAGE, fit, scratch,
                        )
                    })
                }));
                assert!(signed.is_err(), "{engine}: no panic");
            });
        }
    }
}

/// Checks that the caller's flags stay unchanged, and that no exception is trapped in environments
/// that trap exceptions.
#[cfg(feature = "engines")]
#[test]
fn flags_and_traps() {
    let (key, expanded) = forms::<falcon_core::Falcon512>();
    let encoded = key.to_bytes();
    let environments = Environment::all()
        .into_iter()
        .chain(Environment::trapping());
    for environment in environments {
        environment.run(|| {
            let before = read();
            let seeds = (SEED, [SEED[0]; 48]);
            SigningKey::<falcon_core::Falcon512>::from_seed_boxed(&seeds.0).expect("no fault");
            SigningKey::<falcon_core::Falcon512>::from_reference_seed_boxed(&seeds.1)
                .expect("no fault");
            let key = fndsa::SigningKey::<falcon_core::Falcon512>::from_seed(&SEED);
            let key = key.expect("no fault");
            assert!(key.sign_mu_from_seed(&[6; 40], &[7; MU_LEN]).is_ok());
            assert_eq!(read(), before, "{environment}");
        });
        for on in engines() {
            with_scratch(|scratch| {
                environment.run(|| {
                    let before = read();
                    signed(hazmat::sign_raw_on(
                        on,
                        &key,
                        RAW,
                        MESSAGE,
                        Fit::Any,
                        scratch,
                    ));
                    signed(hazmat::sign_raw_on(
                        on,
                        &expanded,
                        RAW,
                        MESSAGE,
                        Fit::Any,
                        scratch,
                    ));
                    on.expand(&key);
                    on.decode_signing_key::<falcon_core::Falcon512>(encoded.as_ref())
                        .expect("a key");
                    assert_eq!(read(), before, "{on}, {environment}");
                });
            });
        }
    }
}

#[test]
fn deterministic_falcon_1024() {
    same_bytes("det1024", || {
        let key = det1024::SigningKey::from_seed(b"key-0000").expect("no fault");
        let signature = key.sign(MESSAGE).expect("no fault");
        assert!(key.verifying_key().verify(MESSAGE, &signature).is_ok());
        [key.to_bytes().as_ref(), &signature.to_bytes()].concat()
    });
}

/// Classic McEliece computes with integers, so it does not depend on the environment.
#[test]
fn classic_mceliece() {
    same_bytes("Classic McEliece", || {
        let pair = KeyPair::<Mceliece348864>::from_seed(&SEED);
        let (ciphertext, secret) = pair.public_key.encapsulate(&mut rng());
        assert!(pair.secret_key.decapsulate(&ciphertext) == secret);
        [
            pair.public_key.as_bytes(),
            pair.secret_key.as_bytes(),
            ciphertext.as_bytes(),
            secret.as_bytes(),
        ]
        .concat()
    });
}
