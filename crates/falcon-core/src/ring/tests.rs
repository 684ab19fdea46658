//! Compares keys and verification with the NIST records.

use super::*;
use crate::codec::{attached, public_key as pk_codec, secret_key};
use crate::hash_to_point::{HashToPoint, Shake256HashToPoint};
use crate::lanes::Baseline;
use crate::ntt::PORTABLE_NTT;
use crate::params::NONCE_LEN;
use falcon_kat::rsp::{Reader, Record};
use std::vec;
use std::vec::Vec;

const KAT_512: &str = include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp");
const KAT_1024: &str = include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp");

/// Returns the records of both degrees, each with its `logn`.
fn records() -> Vec<(u32, Record)> {
    let read = |(logn, file): (u32, &'static str)| {
        Reader::new(file.as_bytes()).map(move |record| (logn, record.unwrap()))
    };
    let records: Vec<_> = [(9, KAT_512), (10, KAT_1024)]
        .into_iter()
        .flat_map(read)
        .collect();
    assert_eq!(records.len(), 20);
    records
}

struct Opened {
    logn: u32,
    nonce: [u8; NONCE_LEN],
    s2: Vec<i16>,
    h: Vec<i16>,
}

impl Opened {
    fn new(logn: u32, record: &Record) -> Self {
        let n = 1 << logn;
        let mut residues = vec![0; n];
        pk_codec::decode(logn, &record.public_key, &mut residues).unwrap();
        let (mut h, mut s2) = (vec![0; n], vec![0; n]);
        PORTABLE_NTT.set_residues(&mut h, &residues);
        PORTABLE_NTT.ntt(logn, &mut h);
        let (nonce, message) = attached::open(logn, &record.signed_message, &mut s2).unwrap();
        assert_eq!(message, record.message);
        Self {
            logn,
            nonce: *nonce,
            s2,
            h,
        }
    }

    fn verifies(&self, message: &[u8]) -> bool {
        let n = self.h.len();
        let mut c = vec![0; n];
        Shake256HashToPoint.hash_to_point(&self.nonce, message, &mut c);
        let mut words = vec![0; n];
        let (ntt, logn) = (PORTABLE_NTT, self.logn);
        multiply(&ntt, logn, &self.s2, &self.h, &mut words);
        is_preimage(Baseline, logn, &c, &self.s2, &mut words)
    }
}

#[test]
fn nist_signatures_verify_and_no_altered_ones_do() {
    for (logn, record) in records() {
        let mut signature = Opened::new(logn, &record);
        assert!(signature.verifies(&record.message));
        let mut message = record.message.clone();
        message[0] ^= 1;
        assert!(!signature.verifies(&message));
        signature.s2[17] += 1;
        assert!(!signature.verifies(&record.message));
    }
}

#[test]
fn nist_signed_messages_are_sealed_as_the_reference_seals_them() {
    for (logn, record) in records() {
        let Opened {
            logn, nonce, s2, ..
        } = Opened::new(logn, &record);
        let mut sm = vec![0; record.signed_message.len()];
        let len = attached::seal(Baseline, logn, &nonce, &record.message, &s2, &mut sm);
        assert_eq!(len, Some(record.signed_message.len()));
        assert_eq!(sm, record.signed_message);
    }
}

struct Secret {
    logn: u32,
    f: Vec<i8>,
    g: Vec<i8>,
    capital_f: Vec<i8>,
}

impl Secret {
    fn new(logn: u32, record: &Record) -> Self {
        let n = 1 << logn;
        let (mut f, mut g, mut capital_f) = (vec![0; n], vec![0; n], vec![0; n]);
        secret_key::decode(logn, &record.secret_key, &mut f, &mut g, &mut capital_f).unwrap();
        Self {
            logn,
            f,
            g,
            capital_f,
        }
    }

    fn complete(&self) -> Result<Vec<i8>, DecodeError> {
        let n = self.f.len();
        let (mut capital_g, mut h) = (vec![0; n], vec![0; n]);
        let given = [&self.f[..], &self.g, &self.capital_f];
        let scratch = &mut vec![0; 4 * n];
        complete_private(Baseline, self.logn, given, &mut capital_g, &mut h, scratch)?;
        assert_eq!(Ok(h), self.public_key());
        Ok(capital_g)
    }

    fn public_key(&self) -> Result<Vec<u16>, NotInvertible> {
        let n = self.f.len();
        let mut h = vec![0; n];
        public_key(
            &PORTABLE_NTT,
            self.logn,
            &self.f,
            &self.g,
            &mut h,
            &mut vec![0; 2 * n],
        )?;
        Ok(h)
    }
}

#[test]
fn the_public_key_of_a_nist_secret_key_is_the_recorded_one() {
    for (logn, record) in records() {
        let mut bytes = vec![0; record.public_key.len()];
        let h = Secret::new(logn, &record).public_key().unwrap();
        pk_codec::encode(logn, &h, &mut bytes);
        assert_eq!(bytes, record.public_key);
    }
}

fn product(a: &[i8], b: &[i8]) -> Vec<i64> {
    let n = a.len();
    let mut c = vec![0; n];
    for i in 0..n {
        for j in 0..n {
            let sign = if i + j < n { 1 } else { -1 };
            c[(i + j) % n] += sign * i64::from(a[i]) * i64::from(b[j]);
        }
    }
    c
}

#[test]
fn the_completed_basis_satisfies_the_ntru_equation_over_the_integers() {
    for (logn, record) in records() {
        let secret = Secret::new(logn, &record);
        let capital_g = secret.complete().unwrap();
        let mut difference = product(&secret.f, &capital_g);
        for (d, x) in difference
            .iter_mut()
            .zip(product(&secret.g, &secret.capital_f))
        {
            *d -= x;
        }
        assert_eq!(difference[0], i64::from(Q::P));
        assert!(difference[1..].iter().all(|&x| x == 0));
    }
}

#[test]
fn a_basis_that_satisfies_the_equation_only_modulo_q_is_refused() {
    for (logn, record) in records() {
        let mut secret = Secret::new(logn, &record);
        // `G = gF/f` becomes 0 in the first case, and `g` in the second. Both are in range, though
        // `fG - gF = 0`.
        secret.capital_f.fill(0);
        assert_eq!(secret.complete(), Err(DecodeError::InvalidKey));
        secret.capital_f = secret.f.clone();
        assert_eq!(secret.complete(), Err(DecodeError::InvalidKey));
    }
}

/// `n = 2`: `f = -96`, `g = 1`, `F = -1`, `G = -128` solve `fG - gF = q`, but `G` is out of range.
/// Values of magnitude 127 are accepted.
#[test]
fn a_completed_polynomial_is_accepted_up_to_127() {
    let complete = |f: i8, capital_f: i8| {
        let secret = Secret {
            logn: 1,
            f: vec![f, 0],
            g: vec![1, 0],
            capital_f: vec![capital_f, 0],
        };
        secret.complete()
    };
    assert_eq!(complete(97, 30), Ok(vec![127, 0]));
    assert_eq!(complete(-97, 30), Ok(vec![-127, 0]));
    assert_eq!(complete(96, -1), Err(DecodeError::InvalidKey));
    assert_eq!(complete(-96, -1), Err(DecodeError::InvalidKey));
}

#[test]
fn a_secret_key_with_one_wrong_coefficient_is_refused() {
    for (logn, record) in records() {
        let mut secret = Secret::new(logn, &record);
        secret.capital_f[3] ^= 1;
        assert_eq!(secret.complete(), Err(DecodeError::InvalidKey));
    }
}

#[test]
fn a_key_whose_f_is_not_invertible_is_refused() {
    let (logn, record) = &records()[0];
    let mut secret = Secret::new(*logn, record);
    secret.f.fill(0);
    assert_eq!(secret.complete(), Err(DecodeError::InvalidKey));
    assert_eq!(secret.public_key(), Err(NotInvertible));
}

/// The bound of degree 2 is 101498 = 318^2 + 13^2 + 13^2 + 6^2.
#[test]
fn both_halves_of_a_vector_count_up_to_the_bound() {
    let short = |s1: [i16; 2], s2: [i16; 2]| {
        let c = s1.map(|s| s.rem_euclid(12289) as u16);
        is_preimage(Baseline, 1, &c, &s2, &mut [0, 0])
    };
    assert!(short([318, -13], [13, -6]));
    assert!(short([13, -6], [318, -13]));
    assert!(!short([318, -13], [13, -7]));
    assert!(!short([318, -14], [13, -6]));
    assert!(!short([0, 0], [i16::MIN, 0]));
}

/// Tries every coefficient of a point with some words of a product, and some coefficients with
/// every word.
#[test]
fn differences_are_centred() {
    let centred = |x: i32| (x + 6144).rem_euclid(12289) - 6144;
    for c in 0..12289 {
        for x in [-12288, -6145, -6144, -1, 0, 1, 6144, 6145, 9218, 12288] {
            let found = barrett_reduce::<Q>(difference(c, x as i16));
            assert_eq!(i32::from(found), centred(i32::from(c) - x), "{c} {x}");
        }
    }
    for c in [0, 1, 6143, 6144, 6145, 12287, 12288] {
        for x in -12288..=12288 {
            let found = barrett_reduce::<Q>(difference(c, x as i16));
            assert_eq!(i32::from(found), centred(i32::from(c) - x), "{c} {x}");
        }
    }
}

/// With `f = 1` and `F = 0` the vector is `z0`, whatever the size of `z0` is. Now and then, the
/// inverse transform gives a large coefficient as another representative modulo `q`.
#[test]
fn preimages_are_centred() {
    for logn in [9, 10] {
        let n = 1 << logn;
        let mut f = vec![0; n];
        f[0] = 1;
        for start in [-6144, -6100, -3300, 3200, 5000] {
            let expected: Vec<i16> = (0..n as i16).map(|i| start + i % 1024).collect();
            let [mut z0, mut z1, mut small] = [expected.clone(), vec![0; n], vec![0; n]];
            let mut s2 = vec![0; n];
            let norm = preimage(
                Baseline,
                logn,
                [&f, &vec![0; n]],
                &vec![0; n],
                &vec![0; n],
                [&mut z0, &mut z1, &mut small],
                &mut s2,
            );
            assert_eq!(s2, expected, "{logn} {start}");
            let squares = expected.iter().map(|&x| u64::from(x.unsigned_abs()).pow(2));
            assert_eq!(norm, squares.sum::<u64>(), "{logn} {start}");
        }
    }
}
