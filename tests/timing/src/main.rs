//! Measures whether the time of secret work distinguishes two secrets, by the method of dudect
//! (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", eprint 2016/1123).
//!
//! Each case measures two classes, `Left` and `Right`, in random order, and computes Welch's t of
//! their times. `run.sh` evaluates t. One case leaks on purpose: it shows that the test can fail.

use dudect_bencher::rand::RngExt;
use dudect_bencher::{BenchRng, Class, CtRunner, ctbench_main_with_seeds};
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use falcon_core::{Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, SigningKey};
use mceliece_core::{Ciphertext, KeyPair, Mceliece348864f, Mceliece460896pcf};

const MESSAGE: &[u8] = b"order #42";
/// Number of measurements of a case, both classes together.
const MEASUREMENTS: usize = 100_000;

/// Measures `work` on one of two secrets, chosen at random each time. `prepare` makes the secret
/// from its encoding. `work` also gets random bytes.
fn measure<S, T>(
    runner: &mut CtRunner,
    rng: &mut BenchRng,
    secrets: [Vec<u8>; 2],
    prepare: impl Fn(&[u8]) -> S,
    work: impl Fn(&S, &[u8; 32]) -> T,
) {
    let mut chosen = vec![0; secrets[0].len()];
    for _ in 0..MEASUREMENTS {
        let which: bool = rng.random();
        let seed: [u8; 32] = rng.random();
        let class = if which { Class::Right } else { Class::Left };
        // Reads both secrets and copies one to the same address: the cache alone would distinguish
        // two addresses.
        let mask = u8::from(which).wrapping_neg();
        for ((out, left), right) in chosen.iter_mut().zip(&secrets[0]).zip(&secrets[1]) {
            *out = left ^ (mask & (left ^ right));
        }
        let secret = prepare(&chosen);
        runner.run_one(class, || work(&secret, &seed));
    }
}

/// Returns the encodings of two keys.
fn keys<P: Parameters>() -> [Vec<u8>; 2] {
    [1, 2].map(|byte| {
        let key = SigningKey::<P>::from_seed_boxed(&[byte; 32]).expect("no fault");
        key.to_bytes().as_ref().to_vec()
    })
}

fn decoded<P: Parameters>(bytes: &[u8]) -> Box<SigningKey<P>> {
    SigningKey::decode_boxed(bytes).expect("a key")
}

fn sign<P: Parameters>(runner: &mut CtRunner, rng: &mut BenchRng) {
    measure(runner, rng, keys::<P>(), decoded::<P>, |key, seed| {
        let mut stream = key.sign_stream_from_seed(seed);
        stream.update(MESSAGE);
        stream.finish().expect("no fault")
    });
}

fn sign_falcon_512(runner: &mut CtRunner, rng: &mut BenchRng) {
    sign::<Falcon512>(runner, rng);
}

fn sign_falcon_1024(runner: &mut CtRunner, rng: &mut BenchRng) {
    sign::<Falcon1024>(runner, rng);
}

fn sign_falcon_512_expanded(runner: &mut CtRunner, rng: &mut BenchRng) {
    let prepare = |bytes: &[u8]| -> ExpandedKey<Falcon512> { decoded(bytes).expand() };
    measure(runner, rng, keys::<Falcon512>(), prepare, |key, seed| {
        let mut stream = key.sign_stream_from_seed(seed);
        stream.update(MESSAGE);
        stream.finish().expect("no fault")
    });
}

fn decode_falcon_512(runner: &mut CtRunner, rng: &mut BenchRng) {
    let prepare = <[u8]>::to_vec;
    measure(runner, rng, keys::<Falcon512>(), prepare, |bytes, _| {
        decoded::<Falcon512>(bytes)
    });
}

fn decode_falcon_512_on_integers(runner: &mut CtRunner, rng: &mut BenchRng) {
    let prepare = <[u8]>::to_vec;
    measure(runner, rng, keys::<Falcon512>(), prepare, |bytes, _| {
        let key = Engine::Soft.decode_signing_key::<Falcon512>(bytes);
        key.expect("a key")
    });
}

fn open_falcon_512_document(runner: &mut CtRunner, rng: &mut BenchRng) {
    let documents = keys::<Falcon512>().map(|bytes| {
        let document = decoded::<Falcon512>(&bytes).to_pkcs8_der();
        document.expect("a document").as_bytes().to_vec()
    });
    measure(runner, rng, documents, <[u8]>::to_vec, |document, _| {
        SigningKey::<Falcon512>::from_pkcs8_der(document).expect("a key")
    });
}

/// Compares the times for a ciphertext that was made for the key and for one that was not and is
/// rejected implicitly.
fn decapsulate<P: mceliece_core::Parameters>(
    runner: &mut CtRunner,
    rng: &mut BenchRng,
    wrong_byte: usize,
) {
    let pair = KeyPair::<P>::from_seed(&[7; 32]);
    let (ciphertext, _) = pair.public_key.encapsulate(rng);
    let valid = ciphertext.as_bytes().to_vec();
    let mut invalid = valid.clone();
    invalid[wrong_byte] ^= 1;
    let prepare = |bytes: &[u8]| Ciphertext::<P>::try_from(bytes).expect("a ciphertext");
    measure(runner, rng, [valid, invalid], prepare, |ciphertext, _| {
        pair.secret_key.decapsulate(ciphertext)
    });
}

fn decapsulate_mceliece348864f(runner: &mut CtRunner, rng: &mut BenchRng) {
    decapsulate::<Mceliece348864f>(runner, rng, 0);
}

/// The ciphertext that was not made for the key has a wrong confirmation hash.
fn decapsulate_mceliece460896pcf(runner: &mut CtRunner, rng: &mut BenchRng) {
    let last = <Mceliece460896pcf as mceliece_core::Parameters>::CIPHERTEXT_LEN - 1;
    decapsulate::<Mceliece460896pcf>(runner, rng, last);
}

/// Takes about 400 nanoseconds longer for one of the two secrets. The test must find this leak.
fn leak(runner: &mut CtRunner, rng: &mut BenchRng) {
    let [bytes, _] = keys::<Falcon512>();
    let key = decoded::<Falcon512>(&bytes);
    let numbers = [vec![0], vec![100]];
    let prepare = |number: &[u8]| 16 * usize::from(number[0]);
    measure(runner, rng, numbers, prepare, |&count, seed| {
        let mut stream = key.sign_stream_from_seed(seed);
        stream.update(MESSAGE);
        let signature = stream.finish().expect("no fault");
        for i in 0..count {
            std::hint::black_box(i);
        }
        signature
    });
}

ctbench_main_with_seeds!(
    (decapsulate_mceliece348864f, Some(1)),
    (decapsulate_mceliece460896pcf, Some(2)),
    (decode_falcon_512, Some(3)),
    (decode_falcon_512_on_integers, Some(4)),
    (leak, Some(5)),
    (open_falcon_512_document, Some(6)),
    (sign_falcon_1024, Some(7)),
    (sign_falcon_512, Some(8)),
    (sign_falcon_512_expanded, Some(9))
);
