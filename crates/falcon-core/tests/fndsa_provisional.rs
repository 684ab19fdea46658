//! Known answers of the crate `fn-dsa` 0.4.0, and inputs that its verifier refuses.

use falcon_core::fndsa_provisional::{
    AnySigningKey, AnyVerifyingKey, Context, KEY_SEED_LEN, PreHash, Prehashed, SEED_LEN, Signature,
    SigningKey, VerifyingKey,
};
use falcon_core::hazmat::insecure;
use falcon_core::seams::hash::Shake256;
use falcon_core::{
    DecodeError, EncodeError, Falcon512, Falcon1024, ParameterSet, Parameters, SignatureError,
};
use falcon_kat::Again;
use serde_json::Value;
use sha3::{Digest, Sha3_256};

fn hex(value: &Value) -> Vec<u8> {
    base16ct::lower::decode_vec(value.as_str().expect("text")).expect("hexadecimal")
}

const CONTEXT: Context<'_> = Context::new(b"context").unwrap();
const MESSAGE: &[u8] = b"message";

/// Returns the encoded key, `mu` of [`MESSAGE`] and the encoded signature, of degree 512 and 1024.
fn vectors() -> [[Vec<u8>; 3]; 2] {
    let file: Value =
        serde_json::from_str(include_str!("../../../kat/fn-dsa/verify.json")).expect("JSON");
    [0, 1].map(|i| ["vk", "mu", "sig"].map(|name| hex(&file["vectors"][i][name])))
}

fn known_answers<P: Parameters>(key: &[u8], mu: &[u8], signature: &[u8]) {
    let encoded_key = key;
    let key = VerifyingKey::<P>::try_from(key).expect("a key");
    let bytes = signature;
    let signature = Signature::<P>::try_from(signature).expect("a signature");
    assert_eq!(key.to_bytes().as_ref(), encoded_key);
    assert_eq!(signature.to_bytes().as_ref(), bytes);
    assert_eq!(key.verify(CONTEXT, MESSAGE, &signature), Ok(()));
    let mut hasher = key.mu_hasher(CONTEXT);
    for piece in MESSAGE.chunks(3) {
        hasher.update(piece);
    }
    let found = hasher.finalize();
    assert_eq!(found[..], *mu);
    assert_eq!(key.verify_mu(&found, &signature), Ok(()));

    let refused = Err(SignatureError);
    assert_eq!(key.verify(Context::EMPTY, MESSAGE, &signature), refused);
    assert_eq!(key.verify(CONTEXT, b"messagf", &signature), refused);
    let digest = Prehashed::new(PreHash::Sha256, &[7; 32]).expect("32 bytes");
    assert_eq!(key.verify_prehashed(CONTEXT, digest, &signature), refused);
    // The hash changes if a byte moves from the message to the context.
    assert_eq!(
        key.verify(Context::new(b"contextm").unwrap(), b"essage", &signature),
        refused
    );
    for at in (8..8 * bytes.len()).step_by(53) {
        let mut changed = bytes.to_vec();
        changed[at / 8] ^= 1 << (at % 8);
        if let Ok(changed) = Signature::<P>::try_from(&changed[..]) {
            assert_eq!(key.verify(CONTEXT, MESSAGE, &changed), refused, "bit {at}");
            assert_ne!(changed, signature);
        }
    }
    for at in (8..8 * encoded_key.len()).step_by(53) {
        let mut changed = encoded_key.to_vec();
        changed[at / 8] ^= 1 << (at % 8);
        if let Ok(changed) = VerifyingKey::<P>::try_from(&changed[..]) {
            assert_eq!(
                changed.verify(CONTEXT, MESSAGE, &signature),
                refused,
                "bit {at}"
            );
            assert_ne!(changed, key);
        }
    }
}

#[test]
fn signatures_of_fn_dsa_verify() {
    let [[key, mu, signature], [key1024, mu1024, signature1024]] = vectors();
    known_answers::<Falcon512>(&key, &mu, &signature);
    known_answers::<Falcon1024>(&key1024, &mu1024, &signature1024);
    let file: Value =
        serde_json::from_str(include_str!("../../../kat/fn-dsa/sign_512.json")).expect("JSON");
    known_answers::<Falcon512>(&hex(&file["vk"]), &hex(&file["mu"]), &hex(&file["sig"]));
}

#[test]
fn signatures_are_those_of_fn_dsa() {
    let file: Value =
        serde_json::from_str(include_str!("../../../kat/fn-dsa/sign_512.json")).expect("JSON");
    let sk = hex(&file["sk"]);
    let key = SigningKey::<Falcon512>::try_from(&sk[..]).expect("a key");
    assert_eq!(key.to_bytes()[..], sk);
    assert_eq!(key.verifying_key().to_bytes()[..], hex(&file["vk"]));
    let seed = hex(&file["kgen_seed"]).try_into().expect("32 bytes");
    let generated = SigningKey::<Falcon512>::from_seed(&seed).expect("no fault");
    assert_eq!(generated.to_bytes()[..], sk);
    let seed = hex(&file["sign_seed"]).try_into().expect("40 bytes");
    let mu = hex(&file["mu"]).try_into().expect("64 bytes");
    let signature = key.sign_mu_from_seed(&seed, &mu).expect("it signs");
    assert_eq!(signature.to_bytes()[..], hex(&file["sig"]));
}

/// Generates keys and signs from seeds, and compares with the ten answers of `fn-dsa` for this
/// degree.
fn generates_and_signs<P: Parameters>() {
    let file: Value =
        serde_json::from_str(include_str!("../../../kat/fn-dsa/keygen_sign_sha3.json"))
            .expect("JSON");
    let answers = file["vectors"][P::LOGN.to_string()].as_array();
    let answers = answers.expect("a list");
    assert_eq!(answers.len(), 10);
    for (j, answer) in (0u32..).zip(answers) {
        let mut label = Shake256::new();
        label.update(&[P::LOGN as u8]);
        label.update(&j.to_le_bytes());
        let mut stream = label.finalize();
        let key = SigningKey::<P>::from_seed(&stream.read_array()).expect("no fault");
        let mut seed = Again(stream.read_array::<SEED_LEN>());
        let context = Context::new(b"domain").unwrap();
        let signature = if j % 2 == 0 {
            key.sign_with_rng(&mut seed, context, MESSAGE)
                .expect("it signs")
        } else {
            let digest = Sha3_256::digest(MESSAGE);
            let message = Prehashed::new(PreHash::Sha3_256, &digest).expect("a digest");
            key.sign_prehashed_with_rng(&mut seed, context, message)
                .expect("it signs")
        };
        let mut hash = Sha3_256::new();
        hash.update(&key.to_bytes()[..]);
        hash.update(key.verifying_key().to_bytes());
        hash.update(signature.to_bytes());
        assert_eq!(hash.finalize()[..], hex(answer), "{} {j}", P::NAME);
    }
}

#[test]
fn keys_and_signatures_from_seeds_are_those_of_fn_dsa() {
    generates_and_signs::<insecure::InsecureFalcon4>();
    generates_and_signs::<insecure::InsecureFalcon8>();
    generates_and_signs::<insecure::InsecureFalcon16>();
    generates_and_signs::<insecure::InsecureFalcon32>();
    generates_and_signs::<insecure::InsecureFalcon64>();
    generates_and_signs::<insecure::InsecureFalcon128>();
    generates_and_signs::<insecure::InsecureFalcon256>();
    generates_and_signs::<Falcon512>();
    generates_and_signs::<Falcon1024>();
}

/// `generate` uses the next 32 bytes of the generator as the seed.
#[test]
fn a_key_is_that_of_its_seed() {
    let seed = [7; KEY_SEED_LEN];
    let key = SigningKey::<Falcon512>::generate(&mut Again(seed)).expect("no fault");
    assert_eq!(
        key.to_bytes(),
        SigningKey::<Falcon512>::from_seed(&seed)
            .expect("no fault")
            .to_bytes()
    );
    let other = SigningKey::<Falcon512>::generate(&mut Again([8; KEY_SEED_LEN])).expect("no fault");
    assert_ne!(key.to_bytes(), other.to_bytes());
    // Round 3 generates another key from the seed.
    let round_3 =
        SigningKey::<Falcon512>::from(falcon_core::SigningKey::from_seed(&seed).expect("no fault"));
    assert_ne!(key.to_bytes(), round_3.to_bytes());
}

fn signs_and_verifies<P: Parameters>() {
    let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    let key =
        SigningKey::<P>::from(falcon_core::SigningKey::from_seed(&[7; 32]).expect("no fault"));
    let stored = key.to_bytes();
    assert_eq!(stored.len(), SigningKey::<P>::LEN);
    let key = SigningKey::<P>::try_from(&stored[..]).expect("its own encoding");
    assert_eq!(key.to_bytes(), stored);
    let public = key.verifying_key();
    assert_eq!(
        &VerifyingKey::try_from(public.to_bytes().as_ref()),
        &Ok(public.clone())
    );

    let signature = key.sign_with_rng(&mut rng, CONTEXT, MESSAGE);
    let signature = signature.expect("it signs");
    assert_eq!(public.verify(CONTEXT, MESSAGE, &signature), Ok(()));
    assert_eq!(
        Signature::try_from(signature.to_bytes().as_ref()),
        Ok(signature)
    );
    let again = key.sign_with_rng(&mut rng, CONTEXT, MESSAGE);
    let again = again.expect("it signs");
    assert_ne!(again.nonce(), signature.nonce());

    let [message, other] = [PreHash::Sha384, PreHash::Sha3_384]
        .map(|pre_hash| Prehashed::new(pre_hash, &[9; 48]).expect("48 bytes"));
    let signature = key.sign_prehashed_with_rng(&mut rng, CONTEXT, message);
    let signature = signature.expect("it signs");
    let verified = public.verify_prehashed(CONTEXT, message, &signature);
    assert_eq!(verified, Ok(()));
    // The digest is the same, but is said to come from another function.
    let verified = public.verify_prehashed(CONTEXT, other, &signature);
    assert_eq!(verified, Err(SignatureError));
    assert!(!format!("{key:?}").contains('['));
}

/// Checks keys of any parameter set against the typed keys of `P`.
fn is_the_typed_key<P: Parameters>(set: ParameterSet, other: ParameterSet)
where
    AnySigningKey: From<SigningKey<P>> + From<Box<SigningKey<P>>>,
    AnyVerifyingKey: From<VerifyingKey<P>> + From<Box<VerifyingKey<P>>>,
{
    let seed = [7; KEY_SEED_LEN];
    let typed = SigningKey::<P>::from_seed(&seed).expect("no fault");
    let bytes = typed.to_bytes();
    let public = typed.verifying_key();
    let encoded = public.to_bytes();
    let encoded = encoded.as_ref();
    let mu = &{
        let mut hasher = public.mu_hasher(CONTEXT);
        hasher.update(MESSAGE);
        hasher.finalize()
    };
    let signature = typed.sign_with_rng(&mut Again([3]), CONTEXT, MESSAGE);
    let signature = signature.expect("it signs").to_bytes();
    let signature = signature.as_ref();

    let boxed = SigningKey::<P>::decode_boxed(&bytes).expect("a key");
    let again = SigningKey::<P>::try_from(&bytes[..]).expect("a key");
    for key in [
        boxed.into(),
        again.into(),
        AnySigningKey::from_bytes(set, &bytes).expect("a key"),
        AnySigningKey::from_seed(set, &seed).expect("no fault"),
        AnySigningKey::generate(set, &mut Again(seed)).expect("no fault"),
    ] {
        assert_eq!(key.set(), set);
        assert_eq!(key.to_bytes(), bytes);
        assert_eq!(
            key.typed().map(SigningKey::<P>::to_bytes),
            Some(bytes.clone())
        );
        assert_ne!(
            key.typed::<Falcon512>().is_some(),
            key.typed::<Falcon1024>().is_some()
        );
        assert_eq!(key.verifying_key().typed(), Some(public));
        let signed = key.sign_with_rng(&mut Again([3]), CONTEXT, MESSAGE);
        assert_eq!(signed.as_deref(), Ok(signature));
        let signed = key.sign_mu_with_rng(&mut Again([3]), mu);
        assert_eq!(signed.as_deref(), Ok(signature));
    }

    for key in [
        public.clone().into(),
        Box::new(public.clone()).into(),
        AnyVerifyingKey::from_bytes(set, encoded).expect("a key"),
    ] {
        assert_eq!(key.set(), set);
        assert_eq!((&key.to_bytes()[..], key.hash()), (encoded, public.hash()));
        assert_eq!(key.typed(), Some(public));
        assert_ne!(
            key.typed::<Falcon512>().is_some(),
            key.typed::<Falcon1024>().is_some()
        );
        let mut hasher = key.mu_hasher(CONTEXT);
        hasher.update(MESSAGE);
        assert_eq!(hasher.finalize(), *mu);
        assert_eq!(key.verify(CONTEXT, MESSAGE, signature), Ok(()));
        assert_eq!(key.verify_mu(mu, signature), Ok(()));
        let refused = Err(SignatureError);
        assert_eq!(key.verify(Context::EMPTY, MESSAGE, signature), refused);
        assert_eq!(key.verify(CONTEXT, b"messagf", signature), refused);
        assert_eq!(key.verify(CONTEXT, MESSAGE, &signature[1..]), refused);
        assert_eq!(key.verify_mu(&[0; 64], signature), refused);
        assert_eq!(key.verify_mu(mu, &signature[1..]), refused);
        let stranger = AnySigningKey::from_seed(other, &seed).expect("no fault");
        let foreign = stranger.sign_with_rng(&mut Again([3]), CONTEXT, MESSAGE);
        assert_eq!(
            key.verify(CONTEXT, MESSAGE, &foreign.expect("it signs")),
            refused
        );
        assert_eq!(
            stranger.verifying_key().verify(CONTEXT, MESSAGE, signature),
            refused
        );
        assert_ne!(stranger.verifying_key(), key);
    }

    let read = |set, bytes| AnySigningKey::from_bytes(set, bytes).err();
    assert_eq!(
        read(set, &bytes[..bytes.len() - 1]),
        Some(DecodeError::Length)
    );
    assert_eq!(read(set, &[]), Some(DecodeError::Length));
    assert_eq!(read(other, &bytes), Some(DecodeError::Header));
    let read = |set, bytes| AnyVerifyingKey::from_bytes(set, bytes).err();
    assert_eq!(
        read(set, &encoded[..encoded.len() - 1]),
        Some(DecodeError::Length)
    );
    assert_eq!(read(set, &[]), Some(DecodeError::Length));
    assert_eq!(read(other, encoded), Some(DecodeError::Header));
}

#[test]
fn a_key_of_any_set_does_what_the_typed_key_does() {
    is_the_typed_key::<Falcon512>(ParameterSet::Falcon512, ParameterSet::Falcon1024);
    is_the_typed_key::<Falcon1024>(ParameterSet::Falcon1024, ParameterSet::Falcon512);
}

#[test]
fn what_is_signed_verifies() {
    signs_and_verifies::<Falcon512>();
    signs_and_verifies::<Falcon1024>();
}

#[test]
fn signing_keys_that_are_none_are_refused() {
    let key = SigningKey::<Falcon512>::from(
        falcon_core::SigningKey::from_seed(&[7; 32]).expect("no fault"),
    );
    let good = key.to_bytes();
    let read = |bytes: &[u8]| SigningKey::<Falcon512>::try_from(bytes).err();
    let changed = |at: usize, bits: u8| {
        let mut bytes = good.to_vec();
        bytes[at] ^= bits;
        read(&bytes)
    };
    assert_eq!(read(&good), None);
    assert_eq!(read(&[]), Some(DecodeError::Length));
    assert_eq!(read(&good[..1344]), Some(DecodeError::Length));
    assert_eq!(read(&[&good[..], &[0]].concat()), Some(DecodeError::Length));
    assert_eq!(changed(0, 3), Some(DecodeError::Header));
    assert_eq!(changed(500, 1), Some(DecodeError::InvalidKey));
    assert_eq!(changed(1344, 1), Some(DecodeError::InvalidKey), "the hash");
    // Sets the first coefficient of `f`, which has six bits, to -32. Its negative does not fit.
    let mut bytes = good.to_vec();
    bytes[1] = bytes[1] & 0xc0 | 0x20;
    assert_eq!(read(&bytes), Some(DecodeError::Range));
    let mut short = [0; 1344];
    assert_eq!(key.encode(&mut short), Err(EncodeError::BufferTooSmall));
    let mut long = [7; 1346];
    assert_eq!(key.encode(&mut long), Ok(1345));
    assert_eq!(long[..1345], good[..]);
    assert_eq!(long[1345], 7);
}

#[test]
fn malformed_keys_and_signatures_get_their_error() {
    let [[key, _, signature], [key1024, ..]] = vectors();
    let read = |bytes: &[u8]| VerifyingKey::<Falcon512>::try_from(bytes).map(|_| ());
    assert_eq!(read(&key), Ok(()));
    assert_eq!(read(&[]), Err(DecodeError::Length));
    assert_eq!(read(&key[..896]), Err(DecodeError::Length));
    assert_eq!(read(&[&key[..], &[0]].concat()), Err(DecodeError::Length));
    assert_eq!(read(&key1024), Err(DecodeError::Header));
    let mut large = key.clone();
    large[1..3].fill(0xff);
    assert_eq!(read(&large), Err(DecodeError::Range));

    let read = |bytes: &[u8]| Signature::<Falcon512>::try_from(bytes).map(|_| ());
    assert_eq!(read(&signature), Ok(()));
    assert_eq!(read(&[]), Err(DecodeError::Length));
    assert_eq!(read(&signature[..665]), Err(DecodeError::Length));
    assert_eq!(
        read(&[&signature[..], &[0]].concat()),
        Err(DecodeError::Length)
    );
    let mut padding = signature.clone();
    padding[665] ^= 0x80;
    assert_eq!(read(&padding), Err(DecodeError::NonCanonical));
    let mut header = signature.clone();
    header[0] = 0x3a;
    assert_eq!(read(&header), Err(DecodeError::Header));
}

/// FN-DSA refuses a signature of round 3, although the headers and lengths of both schemes are
/// equal.
#[test]
fn a_signature_of_round_3_is_none_of_fn_dsa() {
    let signer = falcon_core::SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    let signature = signer
        .sign_with_rng(&mut rng, MESSAGE)
        .expect("no fault")
        .to_bytes();
    let key = signer.verifying_key().to_bytes();
    if let Ok(key) = VerifyingKey::<Falcon512>::try_from(&key[..])
        && let Ok(signature) = Signature::try_from(&signature[..])
    {
        assert!(key.verify(Context::EMPTY, MESSAGE, &signature).is_err());
    }
}

#[test]
fn a_digest_has_the_length_of_its_hash() {
    for len in 0..=65 {
        for (pre_hash, right) in [
            (PreHash::Sha256, 32),
            (PreHash::Sha3_384, 48),
            (PreHash::Shake256, 64),
        ] {
            let digest = vec![0; len];
            let message = Prehashed::new(pre_hash, &digest);
            assert_eq!(message.is_some(), len == right, "{pre_hash:?} {len}");
        }
    }
}

#[test]
fn formatting_shows_the_parameter_set() {
    let [[key, _, signature], _] = vectors();
    let key = VerifyingKey::<Falcon512>::try_from(&key[..]).expect("a key");
    let signature = Signature::<Falcon512>::try_from(&signature[..]).expect("a signature");
    for text in [format!("{key:?}"), format!("{signature:?}")] {
        assert!(text.contains("Falcon-512"), "{text}");
    }
    assert!(!format!("{:?}", key.mu_hasher(CONTEXT)).is_empty());
}
