//! Decodes keys and signatures of FN-DSA. An accepted object has only one encoding, which is the
//! input. A verifying key is accepted if and only if its header and length are right and every
//! value is below the modulus. Only the known signature of a known key verifies.
#![no_main]

use falcon_core::batch::Verdict;
use falcon_core::fndsa_provisional::batch::VerifyBytesJob;
use falcon_core::fndsa_provisional::{Message, Signature, SigningKey, VerifyingKey};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters};
use falcon_fuzz_inputs::known::{FNDSA_MU, Q, fndsa};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// Returns true if all fields of 14 bits, least significant bit first, are below `q`.
fn is_key<P: Parameters>(bytes: &[u8]) -> bool {
    let Some((&header, body)) = bytes.split_first() else {
        return false;
    };
    let bit = |i: usize| u16::from(body[i / 8] >> (i % 8) & 1);
    let value = |i: usize| (0..14).fold(0, |x, j| x | bit(14 * i + j) << j);
    bytes.len() == P::VERIFYING_KEY_LEN
        && u32::from(header) == P::LOGN
        && (0..P::N).all(|i| value(i) < Q)
}

fn decode<P: Parameters>(known: &(VerifyingKey<P>, Signature<P>), bytes: &[u8]) {
    let key = VerifyingKey::<P>::try_from(bytes);
    assert_eq!(key.is_ok(), is_key::<P>(bytes));
    if let Ok(key) = key {
        assert_eq!(key.to_bytes().as_ref(), bytes);
        assert_eq!(key.verify_mu(&FNDSA_MU, &known.1).is_ok(), key == known.0);
    }
    if let Ok(signature) = Signature::<P>::try_from(bytes) {
        assert_eq!(signature.to_bytes().as_ref(), bytes);
        let verified = known.0.verify_mu(&FNDSA_MU, &signature);
        assert_eq!(verified.is_ok(), signature == known.1);
    }
    // A batch decodes signatures side by side.
    let job = VerifyBytesJob {
        key: &known.0,
        message: Message::Mu(&FNDSA_MU),
        signature: bytes,
    };
    let alone = match Signature::<P>::try_from(bytes) {
        Ok(signature) if signature == known.1 => Verdict::Valid,
        Ok(_) => Verdict::Invalid,
        Err(_) => Verdict::Malformed,
    };
    for engine in Engine::available() {
        let verdicts = VerifyingKey::verify_bytes_batch(engine, &[job; 9]);
        assert_eq!(verdicts, [alone; 9]);
    }
    if let Ok(key) = SigningKey::<P>::try_from(bytes) {
        assert_eq!(key.to_bytes()[..], *bytes);
    }
}

/// Returns the verifying key and the signature of [`fndsa`].
fn known<P: Parameters>() -> (VerifyingKey<P>, Signature<P>) {
    let (key, signature) = fndsa::<P>();
    (key.verifying_key().clone(), signature)
}

static KNOWN_512: LazyLock<(VerifyingKey<Falcon512>, Signature<Falcon512>)> = LazyLock::new(known);
static KNOWN_1024: LazyLock<(VerifyingKey<Falcon1024>, Signature<Falcon1024>)> =
    LazyLock::new(known);

fuzz_target!(|bytes: &[u8]| {
    decode(&KNOWN_512, bytes);
    decode(&KNOWN_1024, bytes);
});

mutate_by!(mutate::fndsa::mutate);
