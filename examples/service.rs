//! A service that holds a key and answers requests. It is generic over the traits of the
//! `signature` crate, so that the algorithm can be replaced.
//! `cargo run --release -p falcon-core --example service`.

use falcon_core::{Falcon512, Signature, SigningKey};
use rand_core::UnwrapErr;
use signature::{KeypairRef, RandomizedSigner, SignatureEncoding, Verifier};

/// Issues and checks receipts.
struct Receipts<K> {
    key: K,
}

impl<K> Receipts<K> {
    fn issue<S>(&self, order: &str) -> Result<Vec<u8>, signature::Error>
    where
        K: RandomizedSigner<S>,
        S: SignatureEncoding,
    {
        let mut rng = UnwrapErr(getrandom::SysRng);
        let signature = self.key.try_sign_with_rng(&mut rng, order.as_bytes())?;
        Ok(signature.to_bytes().as_ref().to_vec())
    }

    fn check<S>(&self, order: &str, receipt: &[u8]) -> bool
    where
        K: KeypairRef,
        K::VerifyingKey: Verifier<S>,
        S: for<'a> TryFrom<&'a [u8]>,
    {
        S::try_from(receipt).is_ok_and(|signature| {
            self.key
                .as_ref()
                .verify(order.as_bytes(), &signature)
                .is_ok()
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = UnwrapErr(getrandom::SysRng);
    let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
    let receipts = Receipts { key };
    let receipt = receipts.issue::<Signature<Falcon512>>("order #42")?;
    assert!(receipts.check::<Signature<Falcon512>>("order #42", &receipt));
    assert!(!receipts.check::<Signature<Falcon512>>("order #43", &receipt));
    println!("issued and checked a receipt of {} bytes", receipt.len());
    Ok(())
}
