//! Keys and signatures with the system's random generator: each call is random, and its signature
//! verifies.

use falcon_core::{AnySigningKey, Falcon512, FaultError, ParameterSet, SigningKey, SystemError};

#[test]
fn keys_and_signatures_are_random_and_verify() {
    let keys = [(); 2].map(|()| SigningKey::<Falcon512>::generate_from_system().expect("a key"));
    assert_ne!(keys[0].to_bytes(), keys[1].to_bytes());
    let [key, _] = keys;
    let prepared = key.expand();
    let signatures = [
        key.sign(b"order #42"),
        key.sign(b"order #42"),
        prepared.sign(b"order #42"),
        prepared.sign(b"order #42"),
    ];
    let signatures = signatures.map(|signature| signature.expect("a signature"));
    for (i, signature) in signatures.iter().enumerate() {
        assert_eq!(key.verifying_key().verify(b"order #42", signature), Ok(()));
        assert!(
            signatures[..i]
                .iter()
                .all(|other| other.nonce() != signature.nonce())
        );
    }

    let key = AnySigningKey::generate_from_system(ParameterSet::Falcon1024).expect("a key");
    assert_eq!(key.set(), ParameterSet::Falcon1024);
    let signatures = [(); 2].map(|()| key.sign(b"order #42").expect("a signature"));
    assert_ne!(signatures[0], signatures[1]);
    for signature in signatures {
        assert_eq!(key.verifying_key().verify(b"order #42", &signature), Ok(()));
    }
}

#[test]
fn errors_say_whether_the_generator_or_the_device_failed() {
    assert_eq!(SystemError::from(FaultError), SystemError::Fault);
    assert_eq!(SystemError::Fault.to_string(), FaultError.to_string());
    let error = SystemError::NoRandomness;
    assert_eq!(error.to_string(), "the system gave no random bytes");
}
