//! Signs and verifies with the program's own hash from messages to points:
//! `cargo run --release -p falcon-core --example own_hash`.
//!
//! A system may need a hash that is cheap in its circuit, its contract or its virtual machine. The
//! rest of Falcon stays as it is. The hash must follow these rules, or signatures reveal the key:
//!
//! 1. **The nonce is hashed, and every byte of the message.** Two signatures of one point reveal
//!    the key. Fresh nonces give fresh points only if the point depends on the nonce.
//! 2. **Every coefficient is below `q` and uniform.** Words of 16 bits from `5 q` on are skipped,
//!    and the others are reduced modulo `q`. An unreduced coefficient is an error,
//!    `SignWithHashError::Point`.
//! 3. **The whole point comes from one stream of hash output.** Nobody may find two messages whose
//!    points differ and have the same first 40 coefficients: if the seed of the signer repeats,
//!    only these coefficients change the randomness of the signature. A tag or a counter belongs
//!    in the input of the hash, never in the point.
//! 4. **The input begins with a tag of its own.** Otherwise a signature could be valid under two
//!    hashes, for two messages.
//! 5. **The seed is fresh for every signature.**
//! 6. **The hash behaves like a random function**, as the security proof needs.

use falcon_core::hazmat::{HashToPoint, PointHasher, sign_with_hash, verify_point};
use falcon_core::hazmat::{SignWithHashError, verify_with_hash};
use falcon_core::rand_core::{Rng, UnwrapErr};
use falcon_core::{Falcon512, NONCE_LEN, Scratch, SigningKey};
use sha3::Shake128;
use sha3::digest::{ExtendableOutput, Update, XofReader};

/// Hash of this program: SHAKE128 of a tag, the nonce and the message.
struct OwnHash;

/// State of [`OwnHash`] while a message is absorbed.
struct OwnHasher(Shake128);

/// Follows rule 4. The lengths of tag and nonce are fixed, so each input has only one meaning.
const TAG: &[u8; 16] = b"example own_hash";

impl HashToPoint for OwnHash {
    type Hasher = OwnHasher;

    /// Follows rule 1: absorbs the nonce.
    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> OwnHasher {
        OwnHasher(Shake128::default().chain(TAG).chain(nonce))
    }
}

impl PointHasher for OwnHasher {
    fn update(&mut self, chunk: &[u8]) {
        self.0.update(chunk);
    }

    /// Follows rules 2 and 3: writes uniform coefficients from one stream.
    fn finish(self, point: &mut [u16]) {
        const Q: u16 = 12289;
        let mut stream = self.0.finalize_xof();
        for coefficient in point {
            *coefficient = loop {
                let mut word = [0; 2];
                stream.read(&mut word);
                let word = u16::from_be_bytes(word);
                if word < 5 * Q {
                    break word % Q;
                }
            };
        }
    }
}

/// A hash that breaks rule 2: its words are not reduced.
struct Unreduced;

impl HashToPoint for Unreduced {
    type Hasher = Self;

    fn hasher(&self, _: &[u8; NONCE_LEN]) -> Self {
        Self
    }
}

impl PointHasher for Unreduced {
    fn update(&mut self, _: &[u8]) {}

    fn finish(self, point: &mut [u16]) {
        point.fill(12289);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = UnwrapErr(getrandom::SysRng);
    let key = SigningKey::<Falcon512>::generate(&mut rng)?;
    let public_key = key.verifying_key();
    let mut reals = vec![0.0; Scratch::<Falcon512>::LEN];
    let mut scratch = Scratch::new(&mut reals)?;

    // Rule 5: draws a fresh seed.
    let mut seed = [0; 32];
    rng.fill_bytes(&mut seed);
    let signature = sign_with_hash(&key, &seed, &OwnHash, b"order #42", &mut scratch)?;
    verify_with_hash(public_key, &OwnHash, b"order #42", &signature)?;
    assert!(verify_with_hash(public_key, &OwnHash, b"order #43", &signature).is_err());
    // Rule 4: the signature is not valid under the hash of the scheme.
    assert!(public_key.verify(b"order #42", &signature).is_err());

    // If a circuit or contract computes the point, the verifier needs only the rest of the scheme.
    let mut point = [0; 512];
    OwnHash.hash_to_point(signature.nonce(), b"order #42", &mut point);
    verify_point(public_key, &point, &signature)?;

    // The signer refuses a hash that breaks rule 2. It cannot detect a hash that breaks another
    // rule.
    rng.fill_bytes(&mut seed);
    let refused = sign_with_hash(&key, &seed, &Unreduced, b"order #42", &mut scratch);
    assert_eq!(refused, Err(SignWithHashError::Point));

    println!("signed and verified with a hash of one's own");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_runs() {
        super::main().expect("it ends well");
    }
}
