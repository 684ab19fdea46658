//! Reproduces the keys and signatures of falcon.py's test vectors. Key generation and signing read
//! from one stream of random bytes.

use super::*;
use crate::hash::{Shake256, Shake256Reader};
use crate::params::{Falcon512, Falcon1024};
use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

/// The stream of all vectors, and the number of bytes read from it.
struct Stream(Shake256Reader, usize);

impl Stream {
    fn at(position: usize) -> Self {
        let mut stream = Self(Shake256::reader(b"external"), 0);
        stream.read(&mut vec![0; position]);
        stream
    }

    fn read(&mut self, out: &mut [u8]) {
        self.0.read(out);
        self.1 += out.len();
    }
}

/// Generates the key of a line from `stream`, then signs with the key of the line and the next
/// bytes. Returns true if the two keys are equal. If not, moves the stream to the position that the
/// line gives.
fn key_is_reproduced<P: Parameters>(stream: &mut Stream, line: &[&str]) -> bool {
    let hex = |bytes: &[u8]| base16ct::lower::encode_string(bytes);
    let mut key = SigningKey::<P>::EMPTY;
    key.find(&mut stream.0).expect("no fault");
    let polynomials = secret_basis(&key).map(|polynomial| {
        let bytes: Vec<_> = polynomial.iter().map(|&x| x as u8).collect();
        hex(&bytes)
    });
    let words: usize = line[1].parse().expect("a number");
    let position = stream.1 + 8 * words;
    let same = polynomials.iter().eq(&line[2..6]);
    if same {
        stream.1 = position;
    } else {
        *stream = Stream::at(position);
    }
    let mut nonce = [0; 40];
    stream.read(&mut nonce);
    assert_eq!(hex(&nonce), line[6][2..82], "bytes that are read");

    let basis = line[2..6].iter().map(|polynomial| {
        let bytes = base16ct::lower::decode_vec(polynomial).expect("hexadecimal");
        bytes.into_iter().map(|x| x as i8).collect::<Vec<_>>()
    });
    let basis: Vec<_> = basis.collect();
    let basis = [0, 1, 2, 3].map(|i| &basis[i][..]);
    let key = signing_key_from_basis::<P>(basis).expect("a key");
    let next_seed = |seed: &mut [u8; 56]| {
        stream.read(seed);
        Ok::<_, FaultError>(())
    };
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    let signature = sign_with_seeds(&key, &nonce, next_seed, b"data1", Fit::Padded, &mut scratch);
    let signature = signature.expect("no fault");
    assert_eq!(hex(&signature.to_bytes()), line[6]);
    same
}

/// Generates the keys of all vectors again. At degrees 512 and 1024, all are the reference's keys.
/// At smaller degrees, only some keys of degrees 8 and 32 differ.
#[test]
fn keys_from_the_stream_are_the_reference_s() {
    let text = include_str!("../../../../kat/falcon-py/sign.txt");
    let mut others = BTreeSet::new();
    let mut stream = Stream::at(0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let line: Vec<_> = line.split(' ').collect();
        let check = match line[0] {
            "2" => key_is_reproduced::<insecure::InsecureFalcon2>,
            "4" => key_is_reproduced::<insecure::InsecureFalcon4>,
            "8" => key_is_reproduced::<insecure::InsecureFalcon8>,
            "16" => key_is_reproduced::<insecure::InsecureFalcon16>,
            "32" => key_is_reproduced::<insecure::InsecureFalcon32>,
            "64" => key_is_reproduced::<insecure::InsecureFalcon64>,
            "128" => key_is_reproduced::<insecure::InsecureFalcon128>,
            "256" => key_is_reproduced::<insecure::InsecureFalcon256>,
            "512" => key_is_reproduced::<Falcon512>,
            "1024" => key_is_reproduced::<Falcon1024>,
            other => panic!("no parameter set of degree {other}"),
        };
        if !check(&mut stream, &line) {
            others.insert(line[0]);
        }
    }
    assert!(others.iter().eq(&["32", "8"]), "{others:?}");
}
