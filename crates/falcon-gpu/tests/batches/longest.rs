//! Decodes the longest possible signatures, and longer bytes, on the device.

use crate::attempts::squared_norm_bound;
use crate::support::{PLENTY, context};
use falcon_core::batch::{BatchVerify, Verdict, VerifyBytesJob};
use falcon_core::hazmat::signature_from_nonce_and_s2;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, VerifyingKey};
use falcon_gpu::Options;

const Q: u64 = 12289;
const NONCE: [u8; 40] = [7; 40];
const MESSAGE: &[u8] = b"a long one";

/// Returns `x^e` modulo q.
fn power(x: u64, e: u64) -> u64 {
    (0..e).fold(1, |power, _| power * x % Q)
}

/// Returns the roots of `x^n + 1` modulo q. They are the odd powers of one root. 11 generates all
/// nonzero residues.
fn roots(n: usize) -> Vec<u64> {
    let root = power(11, (Q - 1) / (2 * n as u64));
    assert_eq!(power(root, n as u64), Q - 1);
    let odd = |i: &u64| Some(i * root % Q * root % Q);
    std::iter::successors(Some(root), odd).take(n).collect()
}

/// Returns the values of a polynomial at the roots.
fn values(a: impl DoubleEndedIterator<Item = u64> + Clone, roots: &[u64]) -> Vec<u64> {
    let value = |&root: &u64| a.clone().rev().fold(0, |sum, c| (sum * root + c) % Q);
    roots.iter().map(value).collect()
}

/// Returns the polynomial that has these values.
fn polynomial(mut values: Vec<u64>, roots: &[u64]) -> Vec<u64> {
    let inverses: Vec<u64> = roots.iter().map(|&root| power(root, Q - 2)).collect();
    let inverse_of_n = power(roots.len() as u64, Q - 2);
    let coefficient = |_| {
        let sum = values.iter().sum::<u64>() % Q * inverse_of_n % Q;
        for (value, inverse) in values.iter_mut().zip(&inverses) {
            *value = *value * inverse % Q;
        }
        sum
    };
    (0..roots.len()).map(coefficient).collect()
}

/// Returns the vector with the longest code within the bound, from `fits_the_bound` of
/// `falcon-core`. Also returns a key for which (0, s2) is a signature of the message: `h = c / s2`.
fn longest<P: Parameters>() -> (Vec<i16>, VerifyingKey<P>) {
    let roots = roots(P::N);
    let mut point = vec![0; P::N];
    Shake256HashToPoint.hash_to_point(&NONCE, MESSAGE, &mut point);
    let c = values(point.iter().map(|&c| u64::from(c)), &roots);
    let all_256 = P::N as u64 * 256 * 256;
    let larger = (squared_norm_bound::<P>() - all_256) / (384 * 384 - 256 * 256);
    // Tries signs until `s2` has an inverse.
    let (s2, s2_values) = (0u8..)
        .map(|turn| {
            let mut signs = Shake256::reader(&[turn]);
            let s2 = (0..P::N as u64).map(|i| {
                let magnitude = if i < larger { 384 } else { 256 };
                let [sign] = signs.read_array();
                if sign & 1 == 0 { magnitude } else { -magnitude }
            });
            let s2: Vec<i16> = s2.collect();
            let residues = s2.iter().map(|&s| i64::from(s).rem_euclid(Q as i64) as u64);
            let values = values(residues, &roots);
            (s2, values)
        })
        .find(|(_, values)| !values.contains(&0))
        .expect("one in two has");
    let quotients = c.iter().zip(&s2_values);
    let quotients = quotients.map(|(c, s)| c * power(*s, Q - 2) % Q).collect();
    let h = polynomial(quotients, &roots);
    let bits = h
        .iter()
        .flat_map(|h| (0..14).rev().map(move |i| h >> i & 1));
    let bits: Vec<u64> = bits.collect();
    let mut bytes = vec![P::LOGN as u8];
    bytes.extend(
        bits.chunks(8)
            .map(|byte| byte.iter().fold(0, |a, b| 2 * a + *b as u8)),
    );
    (s2, VerifyingKey::try_from(&bytes[..]).expect("a key"))
}

fn the_longest_signature_is_read<P: Parameters>(len: usize) {
    let (s2, key) = longest::<P>();
    let signature = signature_from_nonce_and_s2::<P>(&NONCE, &s2).expect("within the bound");
    let valid = signature.to_bytes().to_vec();
    assert_eq!(valid.len(), len);
    let resized = |len: usize| {
        let mut bytes = valid.clone();
        bytes.resize(len, 0);
        bytes
    };
    let most = P::COMPRESSED_MAX_LEN;
    // There are three streams. With chunks of one job, a signature overwrites the one that was
    // three before it. If that one was longer, its last bytes remain after the new one.
    let mut signatures = vec![valid.clone(), valid.clone(), valid.clone()];
    signatures.extend([len - 1, len - 2, len - 16].map(resized));
    signatures.extend([len + 1, most - 1, most, most + 1, most + 16, 2 * most].map(resized));
    signatures.extend([
        valid.clone(),
        Vec::new(),
        vec![valid[0]],
        resized(P::PADDED_LEN),
    ]);
    // The unused bits of the last byte: 3 for Falcon-512, 2 for Falcon-1024.
    for bit in 0..if P::LOGN == 9 { 3 } else { 2 } {
        let mut flipped = valid.clone();
        flipped[len - 1] ^= 1 << bit;
        signatures.push(flipped);
    }
    let claims = signatures.iter().map(|signature| VerifyBytesJob {
        key: &key,
        message: MESSAGE,
        signature,
    });
    let claims: Vec<_> = claims.collect();
    let mut expected = vec![Verdict::Valid; claims.len()];
    let engine = Engine::best();
    engine.verify_bytes_batch(&claims, &mut expected).unwrap();
    let holds = signatures.iter().map(|signature| *signature == valid);
    assert!(expected.iter().map(|it| *it == Verdict::Valid).eq(holds));
    for chunk in [None, Some(1)] {
        let mut options = Options::default();
        options.chunk = chunk;
        let Some((_, context)) = context(PLENTY, options) else {
            return;
        };
        for before in [Verdict::Valid, Verdict::Invalid] {
            let mut verdicts = vec![before; claims.len()];
            context.verify_bytes_batch(&claims, &mut verdicts).unwrap();
            assert_eq!(verdicts, expected);
        }
    }
}

#[test]
fn the_longest_signature_of_512_is_read() {
    the_longest_signature_is_read::<Falcon512>(746);
}

#[test]
fn the_longest_signature_of_1024_is_read() {
    the_longest_signature_is_read::<Falcon1024>(1454);
}
