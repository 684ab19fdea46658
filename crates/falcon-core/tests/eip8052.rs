//! Hashing to points with Keccak-256: compares points with those of an implementation in Python,
//! which agrees with ETHFALCON; signs and verifies with this hash.

use falcon_core::eip8052::Keccak256HashToPoint;
use falcon_core::hazmat::{
    HashToPoint, PointHasher, Shake256HashToPoint, sign_with_hash, signature_from_nonce_and_s2,
    verify_point, verify_with_hash,
};
use falcon_core::{
    Falcon512, Falcon1024, Format, Parameters, Scratch, Signature, SignatureError, SigningKey,
};
use sha3::digest::Digest;

fn bytes(hex: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(hex).expect("hexadecimal")
}

#[test]
fn points_are_those_of_the_records() {
    let text = include_str!("../../../kat/eip8052/records.txt");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 36);
    let mut whole = 0;
    for line in lines {
        let fields: Vec<_> = line.split(' ').collect();
        let n: usize = fields[0].parse().expect("a degree");
        let nonce = bytes(fields[1]).try_into().expect("40 bytes");
        let message = bytes(fields[2].trim_start_matches('-'));
        let mut point = vec![0xffff; n];
        Keccak256HashToPoint.hash_to_point(&nonce, &message, &mut point);
        let code: Vec<_> = point.iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(
            sha3::Sha3_256::digest(&code)[..],
            bytes(fields[3]),
            "{line}"
        );
        if let Some(point) = fields.get(4) {
            assert_eq!(code, bytes(point), "{line}");
            whole += 1;
        }

        for piece in [1, 39, 96, 136] {
            let mut hasher = Keccak256HashToPoint.hasher(&nonce);
            for chunk in message.chunks(piece) {
                hasher.update(chunk);
            }
            let mut again = vec![0; n];
            hasher.clone().finish(&mut again);
            assert_eq!(again, point, "pieces of {piece}: {line}");
            // A shorter point equals the beginning of a longer one.
            let mut short = [0; 15];
            hasher.finish(&mut short);
            assert_eq!(short, point[..15]);
        }
    }
    assert_eq!(whole, 4);
}

#[test]
fn signatures_are_valid_under_this_hash_alone() {
    fn check<P: Parameters>() {
        let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
        let public_key = key.verifying_key();
        let message = [0x42; 32];
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::new(&mut reals).expect("enough");
        let signature = sign_with_hash(
            &key,
            &[8; 32],
            &Keccak256HashToPoint,
            &message,
            &mut scratch,
        );
        let padded = signature
            .expect("points are reduced")
            .to_vec(Format::Padded);
        let signature = Signature::<P>::from_bytes(Format::Padded, &padded.expect("it fits"));
        let signature = signature.expect("well encoded");
        let verify = |message: &[u8]| {
            verify_with_hash(public_key, &Keccak256HashToPoint, message, &signature)
        };
        assert_eq!(verify(&message), Ok(()));
        assert_eq!(verify(&message[1..]), Err(SignatureError));
        assert_eq!(public_key.verify(&message, &signature), Err(SignatureError));
        assert_eq!(
            verify_with_hash(public_key, &Shake256HashToPoint, &message, &signature),
            Err(SignatureError)
        );

        let mut point = vec![0; P::N];
        Keccak256HashToPoint.hash_to_point(signature.nonce(), &message, &mut point);
        assert_eq!(verify_point(public_key, &point, &signature), Ok(()));

        let mut stream = key.sign_stream_from_seed(&[8; 32]);
        stream.update(&message);
        let ordinary = stream.finish().expect("no fault");
        assert_eq!(public_key.verify(&message, &ordinary), Ok(()));
        assert_eq!(
            verify_with_hash(public_key, &Keccak256HashToPoint, &message, &ordinary),
            Err(SignatureError)
        );
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// The draft refuses a norm equal to the bound. The specification of Falcon accepts it.
#[test]
fn the_bound_itself_is_accepted() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let zero = signature_from_nonce_and_s2::<Falcon512>(&[0; 40], &[0; 512]).expect("a signature");
    // With `s2 = 0` the point is `s1`.
    let verdict = |norm: u32| {
        let (mut rest, mut point) = (norm, [0; 512]);
        for x in &mut point {
            *x = rest.isqrt().min(6144) as u16;
            rest -= u32::from(*x).pow(2);
        }
        assert_eq!(rest, 0);
        verify_point(key.verifying_key(), &point, &zero)
    };
    assert_eq!(verdict(34_034_725), Ok(()));
    assert_eq!(verdict(34_034_726), Ok(()));
    assert_eq!(verdict(34_034_727), Err(SignatureError));
}
