//! Every engine decodes the same signing keys and refuses the same ones. A decoded key signs like
//! its expanded form.

use falcon_core::hazmat::insecure::{InsecureFalcon16, InsecureFalcon256};
use falcon_core::{
    DecodeError, Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Scratch, Signature,
    SigningKey, fndsa_provisional,
};
use falcon_tests::{Repeatable, engines, extent, key};

/// Signs `message` on `engine` from the key itself and from its expanded form.
fn both_forms<P: Parameters>(
    engine: Engine,
    key: &SigningKey<P>,
    expanded: &ExpandedKey<P>,
    message: &[u8],
) -> [Signature<P>; 2] {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("made with this length");
    let seed = [message.len() as u8; 32];
    let mut stream = key.sign_stream_from_seed(&seed);
    stream.update(message);
    let from_key = engine.finish(stream, &mut scratch);
    let mut stream = expanded.sign_stream_from_seed(&seed);
    stream.update(message);
    [
        from_key.expect("no fault"),
        engine.finish(stream, &mut scratch).expect("no fault"),
    ]
}

fn keys_are_read_on_every_engine<P: Parameters>() {
    let engines = engines();
    let mut messages = Repeatable::new("keys");
    for number in 0..extent("keys read on every engine", 2, 50) {
        let original = key::<P>(number);
        let bytes = original.to_bytes();
        let expanded = Engine::Scalar.expand(&original);
        let message = messages.vec(usize::from(number));
        let [expected, _] = both_forms(Engine::Scalar, &original, &expanded, &message);
        for &engine in &engines {
            let read = engine
                .decode_signing_key::<P>((*bytes).as_ref())
                .expect("its own key");
            assert!(read.to_bytes() == bytes, "{engine}");
            assert!(
                read.verifying_key() == original.verifying_key(),
                "{engine}, key {number}"
            );
            for signature in both_forms(engine, &read, &expanded, &message) {
                assert!(signature == expected, "{engine}, key {number}");
            }
        }
    }
}

#[test]
fn keys_of_512_are_read_on_every_engine() {
    keys_are_read_on_every_engine::<Falcon512>();
}

#[test]
fn keys_of_1024_are_read_on_every_engine() {
    keys_are_read_on_every_engine::<Falcon1024>();
}

/// Compares the NTT of a public key with values computed by Horner's rule, in the order that the
/// documentation gives.
fn the_ntt_of_a_public_key_has_its_values<P: Parameters>() {
    const Q: u32 = 12289;
    let key = key::<P>(1);
    let (h, ntt) = (key.verifying_key().h(), key.verifying_key().ntt_of_h());
    let at = |root: u32| {
        let coefficients = h.as_ref().iter().rev();
        coefficients.fold(0, |sum, &h| (sum * root + u32::from(h)) % Q)
    };
    let power = |exponent: usize| (0..exponent).fold(1, |power, _| power * 7 % Q);
    for (i, &value) in ntt.as_ref().iter().enumerate() {
        let reversed = i.reverse_bits() >> (usize::BITS - P::LOGN);
        let root = power(1024 / P::N * (2 * reversed + 1));
        assert_eq!(u32::from(value), at(root), "{}, {i}", P::NAME);
    }
}

#[test]
fn the_ntt_of_public_keys_has_their_values() {
    the_ntt_of_a_public_key_has_its_values::<Falcon512>();
    the_ntt_of_a_public_key_has_its_values::<Falcon1024>();
}

/// Changes a bit of `f`, `g` or `F`. Every engine must refuse the key.
#[test]
fn damaged_keys_are_refused_alike_on_every_engine() {
    let bytes = key::<Falcon512>(5).to_bytes();
    let bits = 8 * bytes.len();
    let engines = engines();
    let mut refused_as_a_key = 0;
    for bit in (8..bits).step_by(extent("bits between damages", 97, 3)) {
        let mut damaged = (*bytes).to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        for &engine in &engines {
            match engine.decode_signing_key::<Falcon512>(&damaged).err() {
                Some(DecodeError::InvalidKey | DecodeError::KeyNorm) => refused_as_a_key += 1,
                error => assert_eq!(error, Some(DecodeError::Range), "{engine}, bit {bit}"),
            }
        }
    }
    assert!(refused_as_a_key > bits / 97 / 2 * engines.len());
}

/// Returns the digest of encoded keys, as `tests/ct/firmware` prints it: 32-bit FNV-1a.
fn digest(keys: impl Iterator<Item = Vec<u8>>) -> u32 {
    keys.flatten().fold(0x811c_9dc5, |all, byte| {
        (all ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

fn seed(number: u64) -> [u8; 32] {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    seed
}

fn digest_of_keys<P: Parameters>(seeds: &[u64]) -> String {
    let key = |&number| SigningKey::<P>::from_seed(&seed(number)).expect("no fault");
    let keys = seeds
        .iter()
        .map(|number| key(number).to_bytes().as_ref().to_vec());
    format!("{}={}", P::NAME, digest(keys))
}

fn digest_of_fndsa_keys<P: Parameters>(seeds: &[u64]) -> String {
    type Key<P> = fndsa_provisional::SigningKey<P>;
    let key = |&number| Key::<P>::from_seed(&seed(number)).expect("no fault");
    let keys = seeds.iter().map(|number| key(number).to_bytes().to_vec());
    format!("FN-DSA {}={}", P::NAME, digest(keys))
}

#[test]
fn keys_made_on_riscv_are_those_made_here() {
    let expected = [
        digest_of_keys::<InsecureFalcon16>(&[0, 1, 2, 3]),
        digest_of_keys::<InsecureFalcon256>(&[0, 1]),
        digest_of_keys::<Falcon512>(&[217, 330]),
        digest_of_keys::<Falcon1024>(&[88, 1488]),
        digest_of_fndsa_keys::<InsecureFalcon16>(&[0, 1, 2, 3]),
        digest_of_fndsa_keys::<InsecureFalcon256>(&[0, 1]),
        digest_of_fndsa_keys::<Falcon512>(&[350, 640]),
        digest_of_fndsa_keys::<Falcon1024>(&[632]),
    ];
    // `tests/ct/run.sh` compares this file with the output of the program for RV32IMAC.
    let printed = include_str!("ct/firmware/digests.txt");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}
