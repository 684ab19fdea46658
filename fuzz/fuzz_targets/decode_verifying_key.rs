//! A verifying key is accepted if and only if its header and its length are right and every
//! coefficient is below the modulus. An accepted key has only one encoding, which is the input. The
//! type for any parameter set accepts the same keys. Without its header, the input is a headerless
//! key under the same rules.
#![no_main]

use falcon_core::{AnyVerifyingKey, Falcon512, Falcon1024, Parameters, VerifyingKey};
use falcon_fuzz_inputs::bits::fields;
use falcon_fuzz_inputs::{known::Q, mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

fn is_key<P: Parameters>(bytes: &[u8]) -> bool {
    let Some((&header, body)) = bytes.split_first() else {
        return false;
    };
    bytes.len() == P::VERIFYING_KEY_LEN
        && u32::from(header) == P::LOGN
        && fields(body, 14, P::N).iter().all(|&x| x < Q)
}

fn decode<P: Parameters>(bytes: &[u8]) -> bool {
    let key = VerifyingKey::<P>::try_from(bytes);
    assert_eq!(key.is_ok(), is_key::<P>(bytes));
    if let Ok(key) = &key {
        assert_eq!(key.to_bytes().as_ref(), bytes);
    }
    if let Some((_, body)) = bytes.split_first() {
        let with_header = [&[P::LOGN as u8], body].concat();
        let headerless = VerifyingKey::<P>::from_headerless_bytes(body);
        assert_eq!(headerless.is_ok(), is_key::<P>(&with_header));
        if let Ok(headerless) = headerless {
            assert_eq!(headerless.to_headerless_bytes().as_ref(), body);
        }
    }
    key.is_ok()
}

fuzz_target!(|bytes: &[u8]| {
    let one = decode::<Falcon512>(bytes) | decode::<Falcon1024>(bytes);
    let any = AnyVerifyingKey::try_from(bytes);
    assert_eq!(any.is_ok(), one);
    assert!(any.is_ok_and(|key| key.to_bytes() == bytes) == one);
});

mutate_by!(mutate::verifying_keys::mutate);
