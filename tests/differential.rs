//! Compares with PQClean's implementation: keys and signatures, in both directions.
// PQClean is C code, which is not built for these targets.
#![cfg(not(target_family = "wasm"))]

use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey};
use falcon_tests::{Repeatable, extent, key};

/// Defines a differential test against a module of `pqcrypto_falcon`.
macro_rules! against {
    ($name:ident, $p:ty, $theirs:ident, $format:expr) => {
        #[test]
        fn $name() {
            use pqcrypto_falcon::$theirs as theirs;
            use pqcrypto_traits::sign::{DetachedSignature, PublicKey, SecretKey};

            let keys = extent(concat!(stringify!($theirs), ": keys"), 2u8, 20);
            let messages = extent(
                concat!(stringify!($theirs), ": messages a key"),
                25usize,
                100,
            );
            let mut random = Repeatable::new(stringify!($name));
            for k in 0..keys {
                let (their_public, their_secret) = theirs::keypair();
                let imported = SigningKey::<$p>::try_from(their_secret.as_bytes())
                    .expect("their secret key is one of ours");
                assert_eq!(
                    imported.verifying_key().to_bytes().as_ref(),
                    their_public.as_bytes(),
                    "the public key follows from the secret key"
                );
                let ours = key::<$p>(100 + k);
                let exported = theirs::SecretKey::from_bytes(ours.to_bytes().as_ref())
                    .expect("our secret key is one of theirs");
                let our_public =
                    theirs::PublicKey::from_bytes(ours.verifying_key().to_bytes().as_ref())
                        .expect("our public key is one of theirs");

                for i in 0..messages {
                    let message = random.vec(i * 7);
                    // Verifies PQClean's signatures here, with PQClean's key and with ours.
                    for (secret, verifying) in [
                        (&their_secret, imported.verifying_key()),
                        (&exported, ours.verifying_key()),
                    ] {
                        let signature = theirs::detached_sign(&message, secret);
                        let signature = Signature::from_bytes($format, signature.as_bytes())
                            .expect("their signature decodes");
                        verifying
                            .verify(&message, &signature)
                            .expect("their signature verifies");
                    }
                    // Verifies our signatures with PQClean.
                    for (signing, public) in [(&imported, &their_public), (&ours, &our_public)] {
                        let signature = signing
                            .sign_with_rng(&mut random, &message)
                            .expect("no fault");
                        let bytes = signature.to_vec($format).expect("our signatures fit");
                        let bytes = theirs::DetachedSignature::from_bytes(&bytes)
                            .expect("our signature has their length");
                        theirs::verify_detached_signature(&bytes, &message, public)
                            .expect("our signature verifies");
                    }
                    // Both implementations refuse a changed message.
                    let signature = ours.sign_with_rng(&mut random, &message).expect("no fault");
                    let bytes = signature.to_vec($format).expect("our signatures fit");
                    let bytes = theirs::DetachedSignature::from_bytes(&bytes).expect("length");
                    let mut other = message.clone();
                    other.push(0);
                    assert!(
                        theirs::verify_detached_signature(&bytes, &other, &our_public).is_err()
                    );
                    assert!(ours.verifying_key().verify(&other, &signature).is_err());
                }
            }
        }
    };
}

against!(
    falcon_512_agrees_with_pqclean,
    Falcon512,
    falcon512,
    Format::Compressed
);
against!(
    falcon_padded_512_agrees_with_pqclean,
    Falcon512,
    falconpadded512,
    Format::Padded
);
against!(
    falcon_1024_agrees_with_pqclean,
    Falcon1024,
    falcon1024,
    Format::Compressed
);
against!(
    falcon_padded_1024_agrees_with_pqclean,
    Falcon1024,
    falconpadded1024,
    Format::Padded
);

/// Compares the verdicts of both implementations on signatures with one random bit flipped, in the
/// encoded `s2` or in the padding.
#[test]
fn verdicts_on_damaged_signatures_agree_with_pqclean() {
    use pqcrypto_falcon::falconpadded512 as theirs;
    use pqcrypto_traits::sign::{DetachedSignature, PublicKey};

    let ours = key::<Falcon512>(7);
    let public: VerifyingKey<Falcon512> = ours.verifying_key().clone();
    let their_public =
        theirs::PublicKey::from_bytes(public.to_bytes().as_ref()).expect("a public key");
    let mut random = Repeatable::new("damaged signatures");
    let trials = extent("damaged signatures", 300, 3000);
    let mut refused = 0;
    for _ in 0..trials {
        let good = ours
            .sign_with_rng(&mut random, b"message")
            .expect("no fault")
            .to_bytes();
        let mut bytes = good.to_vec();
        let [at, bit] = random.bytes();
        let index = 41 + usize::from(at) * (Falcon512::PADDED_LEN - 41) / 256;
        bytes[index] ^= 1 << (bit & 7);
        let here = Signature::<Falcon512>::from_bytes(Format::Padded, &bytes)
            .is_ok_and(|signature| public.verify(b"message", &signature).is_ok());
        let there = theirs::DetachedSignature::from_bytes(&bytes).is_ok_and(|s| {
            theirs::verify_detached_signature(&s, b"message", &their_public).is_ok()
        });
        assert_eq!(here, there);
        refused += u32::from(!here);
    }
    assert!(
        refused > trials * 9 / 10,
        "nearly every damaged signature must be refused"
    );
}
