//! Properties over random inputs.

use falcon_core::{
    DecodeError, Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey,
};
use falcon_tests::{Repeatable, key};
use proptest::prelude::*;
use std::sync::LazyLock;

static KEY_512: LazyLock<SigningKey<Falcon512>> = LazyLock::new(|| key(1));
static KEY_1024: LazyLock<SigningKey<Falcon1024>> = LazyLock::new(|| key(2));

const FORMATS: [Format; 3] = [Format::Compressed, Format::Padded, Format::ConstantTime];

/// Signs and verifies. A signature is valid in every format, and only for its own message.
fn signs_and_verifies<P: Parameters>(
    key: &SigningKey<P>,
    message: &[u8],
    flip: usize,
) -> Result<(), TestCaseError> {
    let mut random = Repeatable::new(&format!("{flip}"));
    let signature = key.sign_with_rng(&mut random, message).expect("no fault");
    let public = key.verifying_key();
    for format in FORMATS {
        let bytes = signature
            .to_vec(format)
            .expect("our signatures fit every format");
        // A compressed signature that has exactly the padded length is also a padded signature.
        let padded = format == Format::Compressed && bytes.len() == P::PADDED_LEN;
        let detected = if padded { Format::Padded } else { format };
        prop_assert_eq!(Signature::<P>::detect(&bytes), Ok(detected));
        let decoded = Signature::from_bytes(format, &bytes).expect("canonical");
        prop_assert!(decoded == signature);
        prop_assert!(public.verify(message, &decoded).is_ok());

        let mut damaged = bytes;
        let bit = flip % (8 * damaged.len());
        damaged[bit / 8] ^= 1 << (bit % 8);
        let accepted = Signature::<P>::from_bytes(format, &damaged)
            .is_ok_and(|decoded| public.verify(message, &decoded).is_ok());
        prop_assert!(!accepted, "{:?}: bit {} does not matter", format, bit);
    }
    let mut other = message.to_vec();
    other.push(flip as u8);
    prop_assert!(public.verify(&other, &signature).is_err());
    if !message.is_empty() {
        let mut hasher = public.hasher(signature.nonce());
        let (a, b) = message.split_at(flip % message.len());
        hasher.update(a);
        hasher.update(b);
        prop_assert!(public.verify_hashed(hasher, &signature).is_ok());
        prop_assert!(public.verify_parts(&[a, b], &signature).is_ok());
    }
    Ok(())
}

/// Flips each bit of a signature in turn. The signature must be refused, in every format.
fn refuses_every_flipped_bit<P: Parameters>() {
    let key = SigningKey::<P>::from_seed(&[1; 32]).expect("no fault");
    let mut stream = key.sign_stream_from_seed(&[2; 32]);
    stream.update(b"message");
    let signature = stream.finish();
    for format in FORMATS {
        let mut bytes = signature
            .expect("no fault")
            .to_vec(format)
            .expect("it fits every format");
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let accepted = Signature::from_bytes(format, &bytes)
                .is_ok_and(|read| key.verifying_key().verify(b"message", &read).is_ok());
            assert!(!accepted, "{format:?}: bit {bit} does not matter");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let read = Signature::from_bytes(format, &bytes).expect("as it was");
        assert!(key.verifying_key().verify(b"message", &read).is_ok());
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    refuses_every_flipped_bit::<Falcon512>();
    refuses_every_flipped_bit::<Falcon1024>();
}

/// Checks that a decoder accepts `bytes` only if an encoder writes the same bytes. Returns the
/// number of decoders that accept.
fn decodes_canonically<P: Parameters>(bytes: &[u8]) -> Result<usize, TestCaseError> {
    let mut accepted = 0;
    for format in FORMATS {
        if let Ok(signature) = Signature::<P>::from_bytes(format, bytes) {
            prop_assert_eq!(signature.to_vec(format), Ok(bytes.to_vec()));
            accepted += 1;
        }
    }
    if let Ok(signature) = Signature::<P>::try_from(bytes) {
        prop_assert_eq!(&*signature.to_bytes(), bytes);
        accepted += 1;
    }
    if let Ok(key) = VerifyingKey::<P>::try_from(bytes) {
        let encoded = key.to_bytes();
        prop_assert_eq!(encoded.as_ref(), bytes);
        accepted += 1;
    }
    if let Ok(key) = SigningKey::<P>::try_from(bytes) {
        let encoded = key.to_bytes();
        prop_assert_eq!(encoded.as_ref(), bytes);
        accepted += 1;
    }
    Ok(accepted)
}

/// Checks [`decodes_canonically`] for valid encodings with some bits flipped.
fn decodes_canonically_when_damaged<P: Parameters>(
    key: &SigningKey<P>,
    seed: u64,
    flips: &[usize],
) -> Result<(), TestCaseError> {
    let signature = key
        .sign_with_rng(&mut Repeatable::new(&format!("{seed}")), b"m")
        .expect("no fault");
    let mut encodings: Vec<_> = FORMATS
        .iter()
        .map(|&format| signature.to_vec(format).expect("it fits"))
        .collect();
    encodings.push(key.verifying_key().to_bytes().as_ref().to_vec());
    encodings.push(key.to_bytes().as_ref().to_vec());
    for mut bytes in encodings {
        for flip in flips {
            let bit = flip % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let accepted = decodes_canonically::<P>(&bytes)?;
        prop_assert!(accepted > 0 || !flips.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn falcon_512_signs_and_verifies(message: Vec<u8>, flip: usize) {
        signs_and_verifies(&KEY_512, &message, flip)?;
    }

    #[test]
    fn falcon_1024_signs_and_verifies(message: Vec<u8>, flip: usize) {
        signs_and_verifies(&KEY_1024, &message, flip)?;
    }

    #[test]
    fn garbage_never_panics_and_decodes_canonically(
        header in prop_oneof![Just(0x39u8), Just(0x3a), Just(0x59), Just(0x5a), Just(0x09), Just(0x0a), any::<u8>()],
        length in prop_oneof![Just(666usize), Just(1280), Just(809), Just(1577), Just(897), Just(1793), Just(1281), Just(2305), 0..2400usize],
        seed: u64,
    ) {
        let mut bytes = Repeatable::new(&format!("{seed}")).vec(length);
        if let Some(first) = bytes.first_mut() {
            *first = header;
        }
        decodes_canonically::<Falcon512>(&bytes)?;
        decodes_canonically::<Falcon1024>(&bytes)?;
    }

    /// Most damage of this kind is refused. If damaged bytes are accepted, they are another valid
    /// encoding, and encoding the result again must give the same bytes.
    #[test]
    fn damaged_encodings_decode_canonically_or_not_at_all(
        seed: u64,
        flips in prop::collection::vec(0usize..8 * 2305, 0..4),
    ) {
        decodes_canonically_when_damaged(&KEY_512, seed, &flips)?;
        decodes_canonically_when_damaged(&KEY_1024, seed, &flips)?;
    }

    #[test]
    fn damaged_keys_decode_to_an_error_or_to_themselves(bit in 0usize..8 * 1281, public_bit in 0usize..8 * 897) {
        let mut bytes = KEY_512.to_bytes().as_ref().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(SigningKey::<Falcon512>::try_from(&bytes[..]).is_err(), "bit {}", bit);
        let mut bytes = KEY_512.verifying_key().to_bytes().to_vec();
        bytes[public_bit / 8] ^= 1 << (public_bit % 8);
        decodes_canonically::<Falcon512>(&bytes)?;
    }

    #[test]
    fn truncated_and_extended_encodings_have_a_wrong_length(cut in 1usize..600, extra in 1usize..20) {
        let secret = KEY_512.to_bytes();
        let public = KEY_512.verifying_key().to_bytes();
        let signature = KEY_512.sign_with_rng(&mut Repeatable::new("length"), b"m").expect("no fault").to_bytes();
        for change in [|b: &mut Vec<u8>, cut, _| b.truncate(b.len() - cut), |b: &mut Vec<u8>, _, extra| b.resize(b.len() + extra, 0)] {
            let changed = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                change(&mut bytes, cut, extra);
                bytes
            };
            prop_assert_eq!(SigningKey::<Falcon512>::try_from(&changed(secret.as_ref())[..]).err(), Some(DecodeError::Length));
            prop_assert_eq!(VerifyingKey::<Falcon512>::try_from(&changed(public.as_ref())[..]).err(), Some(DecodeError::Length));
            prop_assert!(Signature::<Falcon512>::try_from(&changed(&signature)[..]).is_err());
        }
    }
}
