//! Decodes signing keys. An accepted key has only one encoding, which is the input. Its verifying
//! key `h` can be decoded, and the first coefficient of `f h` equals that of `g` modulo `q`. The
//! type for any parameter set accepts the same keys.
#![no_main]

use falcon_core::{AnySigningKey, Falcon512, Falcon1024, Parameters, SigningKey, VerifyingKey};
use falcon_fuzz_inputs::bits::signed_fields;
use falcon_fuzz_inputs::{known::Q, mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

/// Returns true if `f h` and `g` have the same first coefficient. The other coefficients are the
/// first ones of keys with shifted polynomials, which the mutator makes.
fn is_quotient<P: Parameters>(bytes: &[u8], public: &VerifyingKey<P>) -> bool {
    let width = if P::LOGN == 9 { 6 } else { 5 };
    let f = signed_fields(&bytes[1..], width, P::N);
    let g = signed_fields(&bytes[1 + P::N * width as usize / 8..], width, 1);
    let q = i64::from(Q);
    let h = public.h();
    let h = h.as_ref();
    // As x^n = -1, the product of x^i and x^(n-i) is -1.
    let product: i64 = (1..P::N)
        .map(|i| -i64::from(f[i]) * i64::from(h[P::N - i]))
        .sum();
    let first = product + i64::from(f[0]) * i64::from(h[0]);
    first.rem_euclid(q) == i64::from(g[0]).rem_euclid(q)
}

fn decode<P: Parameters>(bytes: &[u8]) -> bool {
    if let Ok(key) = SigningKey::<P>::try_from(bytes) {
        let again = key.to_bytes();
        let again: &[u8] = (*again).as_ref();
        assert!(again == bytes);
        let public = key.verifying_key();
        assert!(is_quotient(bytes, public));
        assert!(VerifyingKey::<P>::try_from(public.to_bytes().as_ref()).as_ref() == Ok(public));
        return true;
    }
    false
}

fuzz_target!(|bytes: &[u8]| {
    let one = decode::<Falcon512>(bytes) | decode::<Falcon1024>(bytes);
    let any = AnySigningKey::try_from(bytes);
    assert!(any.is_ok_and(|key| **key.to_bytes() == *bytes) == one);
});

mutate_by!(mutate::signing_keys::mutate);
