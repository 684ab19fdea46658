//! The published SamplerZ vectors, and the constants recomputed.

use super::first_byte::FixedLeaf;
use super::serial::{Center, sample};
use super::*;
use crate::lanes::{Binary64, Lanes, Scalar, Soft};
use std::vec::Vec;

/// Bytes in the order of the published vectors, where the nine bytes of a
/// base sample are written most significant first.
struct Octets<'a> {
    bytes: &'a [u8],
    pending: Option<u8>,
}

impl ByteSource for Octets<'_> {
    fn next_u64(&mut self) -> u64 {
        let (chunk, rest) = self.bytes.split_at(9);
        self.bytes = rest;
        self.pending = Some(chunk[0]);
        u64::from_be_bytes(chunk[1..].try_into().expect("8 bytes"))
    }
    fn next_u8(&mut self) -> u8 {
        self.pending.take().unwrap_or_else(|| {
            let (first, rest) = self.bytes.split_first().expect("octets left");
            self.bytes = rest;
            *first
        })
    }
}

fn unhex(s: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&s[i..i + 2], 16).expect("hex");
    (0..s.len()).step_by(2).map(digit).collect()
}

fn vectors_hold<B: Binary64>(b: B, file: &str, expected_count: usize) {
    let vectors: serde_json::Value = serde_json::from_str(file).expect("vector file");
    let vectors = vectors.as_array().expect("array");
    assert_eq!(vectors.len(), expected_count);
    for (i, v) in vectors.iter().enumerate() {
        let number = |key: &str| v[key].as_f64().expect(key);
        let inv_sigma = 1.0 / number("sigma");
        let leaf = Leaf {
            dss: 0.5 * (inv_sigma * inv_sigma),
            ccs: inv_sigma * number("sigmin"),
        };
        let bytes = unhex(v["octets"].as_str().expect("octets"));
        let mut source = Octets {
            bytes: &bytes,
            pending: None,
        };
        let mu = number("mu");
        let floor = Lanes::floor(b, mu);
        let center = Center::new(b, b.sub(mu, floor));
        let z = sample(b, &center, &leaf, FixedLeaf::new(b, &leaf), &mut source);
        assert_eq!(Some(floor as i64 + z), v["z"].as_i64(), "vector {i}");
        assert!(source.bytes.is_empty(), "vector {i} left randomness");
    }
}

const KAT512: &str = include_str!("../../../../kat/samplerz/samplerz_KAT512.json");
const KAT1024: &str = include_str!("../../../../kat/samplerz/samplerz_KAT1024.json");

#[test]
fn samplerz_vectors_on_scalar() {
    vectors_hold(Scalar, KAT512, 1024);
    vectors_hold(Scalar, KAT1024, 2048);
}

#[test]
fn samplerz_vectors_on_soft() {
    vectors_hold(Soft, KAT512, 1024);
    vectors_hold(Soft, KAT1024, 2048);
}
