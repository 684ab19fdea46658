//! Tests each check of the public functions with an input that only this check refuses.

use falcon_core::hazmat::{
    SignWithHashError, sign_deterministic, sign_with_hash, signature_from_nonce_and_s2,
    verify_point, verify_with_hash,
};
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint};
use falcon_core::seams::params::{NONCE_LEN, Q};
use falcon_core::{
    DecodeError, EncodeError, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature,
    SignatureError, SigningKey,
};

fn key<P: Parameters>() -> SigningKey<P> {
    SigningKey::from_seed(&[4; 32]).expect("no fault")
}

fn signed<P: Parameters>(key: &SigningKey<P>, message: &[u8]) -> Signature<P> {
    let mut stream = key.sign_stream_from_seed(&[5; 32]);
    stream.update(message);
    stream.finish().expect("no fault")
}

/// Converts bits to bytes. The first bit is the highest of the first byte, and zero bits fill up
/// the last byte.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, value: u32, width: u32) {
        self.0.extend((0..width).rev().map(|i| value >> i & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |byte, (i, &bit)| byte | u8::from(bit) << (7 - i))
        };
        self.0.chunks(8).map(byte).collect()
    }
}

/// Encodes `s2` in two ways: with 12 bits for each coefficient, and compressed.
fn encodings(s2: &[u32]) -> [Vec<u8>; 2] {
    let (mut fixed, mut compressed) = (Bits::default(), Bits::default());
    for &s in s2 {
        fixed.put(s, 12);
        compressed.put(s & 0x7f, 8);
        compressed.put(1, 1 + (s >> 7));
    }
    [fixed.bytes(), compressed.bytes()]
}

/// The largest accepted norm of `s2` is the bound of the scheme. The next norm is refused in every
/// form.
fn s2_is_accepted_up_to_the_bound<P: Parameters>(large: usize, rest: [u32; 5]) {
    let read = |s2: &[u32]| {
        let [fixed, compressed] = encodings(s2);
        let logn = P::LOGN as u8;
        let with_header = |header: u8, s2: &[u8]| {
            let mut bytes = vec![header | logn];
            bytes.extend([7; NONCE_LEN]);
            bytes.extend(s2);
            bytes
        };
        let mut padded = with_header(0x30, &compressed);
        padded.resize(P::PADDED_LEN, 0);
        let mut attached = (1 + compressed.len() as u16).to_be_bytes().to_vec();
        attached.extend([7; NONCE_LEN]);
        attached.extend(b"message");
        attached.push(0x20 | logn);
        attached.extend(&compressed);
        let forms = [
            (Format::ConstantTime, with_header(0x50, &fixed)),
            (Format::Compressed, with_header(0x30, &compressed)),
            (Format::Padded, padded),
        ];
        let mut read: Vec<_> = forms
            .iter()
            .map(|(format, bytes)| Signature::<P>::from_bytes(*format, bytes))
            .collect();
        read.push(Signature::from_attached(&attached).map(|(signature, _)| signature));
        read
    };
    let mut s2 = vec![0; P::N];
    s2[..large].fill(2047);
    s2[large..large + 5].copy_from_slice(&rest);
    for signature in read(&s2) {
        let signature = signature.expect("within the bound");
        assert!(
            signature
                .s2()
                .iter()
                .zip(&s2)
                .all(|(&x, &y)| i64::from(x) == i64::from(y))
        );
    }
    s2[P::N - 1] = 1;
    for signature in read(&s2) {
        assert_eq!(signature.err(), Some(DecodeError::Range));
    }
}

#[test]
fn an_s2_beyond_the_bound_by_one_is_refused() {
    // 34034726 = 8 2047^2 + 716^2 + 19^2 + 6^2 + 1.
    s2_is_accepted_up_to_the_bound::<Falcon512>(8, [716, 19, 6, 1, 0]);
    // 70265242 = 16 2047^2 + 1794^2 + 58^2 + 9^2 + 4^2 + 1.
    s2_is_accepted_up_to_the_bound::<Falcon1024>(16, [1794, 58, 9, 4, 1]);
}

#[test]
fn a_compressed_form_shorter_than_the_padded_one_is_not_the_canonical_bytes() {
    fn check<P: Parameters>() {
        let signature = signed(&key::<P>(), b"m");
        let compressed = signature.to_vec(Format::Compressed).expect("it fits");
        assert!(compressed.len() < P::PADDED_LEN);
        let read = Signature::<P>::try_from(&compressed[..]);
        assert_eq!(read.err(), Some(DecodeError::Length));
        assert!(Signature::<P>::try_from(&signature.to_bytes()[..]) == Ok(signature));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// `s2` is a preimage of the point that the hasher gives, but the signature has another nonce. No
/// other verifier would accept this signature.
#[test]
fn a_hasher_that_was_begun_with_another_nonce_is_refused() {
    let key = key::<Falcon512>();
    let signature = signed(&key, b"m");
    let public = key.verifying_key();
    let hasher = || {
        let mut hasher = public.hasher(signature.nonce());
        hasher.update(b"m");
        hasher
    };
    assert_eq!(public.verify_hashed(hasher(), &signature), Ok(()));
    for byte in 1..=40 {
        let mut bytes = signature.to_bytes().to_vec();
        bytes[byte] ^= 1;
        let other = Signature::try_from(&bytes[..]).expect("any nonce is well encoded");
        let verified = public.verify_hashed(hasher(), &other);
        assert_eq!(verified, Err(SignatureError), "byte {byte}");
    }
}

#[test]
fn points_are_verified_without_hashing() {
    fn check<P: Parameters>() {
        let key = key::<P>();
        let public = key.verifying_key();
        let signature = signed(&key, b"m");
        let mut point = vec![0; P::N];
        Shake256HashToPoint.hash_to_point(signature.nonce(), b"m", &mut point);
        assert_eq!(verify_point(public, &point, &signature), Ok(()));

        let refused = |c: &[u16]| verify_point(public, c, &signature) == Err(SignatureError);
        assert!(refused(&point[1..]));
        assert!(refused(&[&point[..], &[0]].concat()));
        assert!(refused(&[]));
        let mut other = vec![0; P::N];
        Shake256HashToPoint.hash_to_point(signature.nonce(), b"n", &mut other);
        assert!(refused(&other));
        // The point is the same modulo q, but not reduced.
        for i in [0, P::N - 1] {
            let mut unreduced = point.clone();
            unreduced[i] += Q as u16;
            assert!(refused(&unreduced));
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// A hash with a domain before the message, and with one word of SHAKE256 for each coefficient.
struct Domain(&'static [u8]);

struct DomainHasher(Shake256);

impl HashToPoint for Domain {
    type Hasher = DomainHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> DomainHasher {
        let mut hash = Shake256::new();
        hash.update(self.0).update(nonce);
        DomainHasher(hash)
    }
}

impl PointHasher for DomainHasher {
    fn update(&mut self, chunk: &[u8]) {
        self.0.update(chunk);
    }

    fn finish(self, point: &mut [u16]) {
        let mut reader = self.0.finalize();
        for c in point {
            *c = (u64::from_le_bytes(reader.read_array()) % u64::from(Q)) as u16;
        }
    }
}

#[test]
fn signatures_under_another_hash_verify_under_it_alone() {
    type P = Falcon512;
    let key = key::<P>();
    let public = key.verifying_key();
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
    let hash = Domain(b"chain");
    let signature = sign_with_hash(&key, &[6; 32], &hash, b"m", &mut scratch).expect("a point");
    assert_eq!(verify_with_hash(public, &hash, b"m", &signature), Ok(()));
    let refused = Err(SignatureError);
    assert_eq!(verify_with_hash(public, &hash, b"n", &signature), refused);
    let other = Domain(b"other chain");
    assert_eq!(verify_with_hash(public, &other, b"m", &signature), refused);
    assert_eq!(public.verify(b"m", &signature), refused);
    let own = signed(&key, b"m");
    assert_eq!(
        verify_with_hash(public, &Shake256HashToPoint, b"m", &own),
        Ok(())
    );
}

/// A hash that gives the same value as every coefficient.
struct Constant(u16);

impl HashToPoint for Constant {
    type Hasher = Self;

    fn hasher(&self, _: &[u8; NONCE_LEN]) -> Self {
        Self(self.0)
    }
}

impl PointHasher for Constant {
    fn update(&mut self, _: &[u8]) {}

    fn finish(self, point: &mut [u16]) {
        point.fill(self.0);
    }
}

/// 100 and 100 + q are the same point modulo q. Two signatures with one seed would give two
/// different short preimages of this point, and the difference of these is a short vector of the
/// lattice.
#[test]
fn a_point_that_is_not_reduced_is_neither_signed_nor_verified() {
    let key = key::<Falcon512>();
    let mut reals = vec![0.0; Scratch::<Falcon512>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    let mut sign = |c| sign_with_hash(&key, &[6; 32], &Constant(c), b"m", &mut scratch);
    let signature = sign(100).expect("a point");
    assert!(sign(Q as u16 - 1).is_ok());
    for c in [Q as u16, 100 + Q as u16, 32767, u16::MAX] {
        assert_eq!(sign(c), Err(SignWithHashError::Point), "{c}");
    }
    let expanded = key.expand();
    let above = Constant(100 + Q as u16);
    let signed = sign_with_hash(&expanded, &[6; 32], &above, b"m", &mut scratch);
    assert_eq!(signed, Err(SignWithHashError::Point));
    let verify = |c| verify_with_hash(key.verifying_key(), &Constant(c), b"m", &signature);
    assert_eq!(verify(100), Ok(()));
    assert_eq!(verify(100 + Q as u16), Err(SignatureError));
}

/// Deterministic signatures never change: two messages, one key of each size. The pinned values are
/// the first 16 bytes of SHAKE256 of the padded signatures.
#[test]
fn deterministic_signatures_are_the_pinned_ones() {
    fn digest<P: Parameters>(message: &[u8]) -> String {
        let key = key::<P>();
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
        let signature = sign_deterministic(&key, message, &mut scratch).expect("no fault");
        assert_eq!(key.verifying_key().verify(message, &signature), Ok(()));
        let again = sign_deterministic(&key.expand(), message, &mut scratch).expect("no fault");
        assert!(signature == again, "the form of the key does not matter");
        let digest: [u8; 16] = Shake256::reader(&signature.to_bytes()).read_array();
        base16ct::lower::encode_string(&digest)
    }
    let messages: [&[u8]; 2] = [b"one", b"two"];
    assert_eq!(
        messages.map(digest::<Falcon512>),
        [
            "7b91c3776aa99e52aa20abeff45aff86",
            "d3d909ecaa3da42ee23ac3aab372ce1d"
        ]
    );
    assert_eq!(
        messages.map(digest::<Falcon1024>),
        [
            "ad77aba3c9a327692e4734966af6385f",
            "de7a9c47586f169f4ee714999ba8061b"
        ]
    );
}

#[test]
fn a_header_that_no_signature_has_is_of_no_format() {
    type S = Signature<Falcon512>;
    assert_eq!(S::detect(&[]), Err(DecodeError::Length));
    for header in 0..=u8::MAX {
        let padded = [[header].as_slice(), &[0; 665]].concat();
        let [expected, longer] = match header {
            0x39 => [Ok(Format::Padded), Ok(Format::Compressed)],
            0x59 => [Ok(Format::ConstantTime); 2],
            _ => [Err(DecodeError::Header); 2],
        };
        assert_eq!(S::detect(&padded), expected, "{header:#x}");
        assert_eq!(S::detect(&[&padded[..], &[0]].concat()), longer);
    }
}

/// A buffer that is too short gives another error than a signature that is too long for the format.
#[test]
fn what_cannot_be_written_has_its_error() {
    type S = Signature<Falcon512>;
    let from = |s2| signature_from_nonce_and_s2::<Falcon512>(&[7; NONCE_LEN], s2);
    let fits = from(&[0; 512]).expect("within the bound");
    let message = b"message";
    let written = |signature: &S, how: usize, out: &mut [u8]| match how {
        0 => signature.encode(Format::Compressed, out),
        1 => signature.encode(Format::Padded, out),
        2 => signature.encode(Format::ConstantTime, out),
        3 => signature.encode_attached(message, out),
        _ => signature.encode_attached_padded(message, out),
    };
    for how in 0..5 {
        let mut out = [0; 1000];
        let len = written(&fits, how, &mut out).expect("enough");
        for short in [0, 1, 40, len - message.len() - 1, len - 1] {
            let result = written(&fits, how, &mut out[..short]);
            assert_eq!(result, Err(EncodeError::BufferTooSmall), "{how}, {short}");
        }
    }
    // Each coefficient takes ten bits, so the signature needs 15 bytes more than the padded format
    // has.
    let long = from(&[128; 512]).expect("within the bound");
    assert_eq!(long.to_bytes().len(), 41 + 640);
    for how in [1, 4] {
        let result = written(&long, how, &mut [0; 1000]);
        assert_eq!(result, Err(EncodeError::TooLong), "{how}");
    }
    assert_eq!(long.to_vec(Format::Padded), Err(EncodeError::TooLong));
}
