//! fn-dsa: pure Rust, with AVX2 if the processor has it. The comparison uses its types of fixed
//! degree, which decode into smaller buffers than its general types.

use crate::entry::{Degree, Entry, MESSAGE, Mode, Operation, entry};
use crate::random::SplitMix;
use fn_dsa::{
    CryptoRng, DOMAIN_NONE, HASH_ID_RAW, KeyPairGenerator, KeyPairGenerator512,
    KeyPairGenerator1024, RngCore, RngError, SigningKey, SigningKey512, SigningKey1024,
    VerifyingKey, VerifyingKey512, VerifyingKey1024, sign_key_size, signature_size, vrfy_key_size,
};
use std::hint::black_box;

/// Name of this peer in the tables.
pub const NAME: &str = "fn-dsa";

/// Returns the rows of this peer for one operation.
pub fn entries(operation: Operation, degree: Degree) -> Vec<Entry> {
    match degree {
        Degree::D512 => {
            rows::<KeyPairGenerator512, SigningKey512, VerifyingKey512>(operation, degree, 9)
        }
        Degree::D1024 => {
            rows::<KeyPairGenerator1024, SigningKey1024, VerifyingKey1024>(operation, degree, 10)
        }
    }
}

/// The generator, with the traits of the release of `rand_core` that fn-dsa uses.
struct Random(SplitMix);

impl CryptoRng for Random {}
impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        self.0.next_u64() as u32
    }
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        self.0.fill(dest);
    }
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), RngError> {
        self.0.fill(dest);
        Ok(())
    }
}

fn rows<G, S, V>(operation: Operation, degree: Degree, logn: u32) -> Vec<Entry>
where
    G: KeyPairGenerator + 'static,
    S: SigningKey + 'static,
    V: VerifyingKey + 'static,
{
    let mut rng = Random(SplitMix::new(1));
    let mut generator = G::default();
    let mut sk = vec![0; sign_key_size(logn)];
    let mut vk = vec![0; vrfy_key_size(logn)];
    let mut sig = vec![0; signature_size(logn)];
    generator.keygen(logn, &mut rng, &mut sk, &mut vk);
    match operation {
        Operation::Keygen => {
            vec![entry(operation, Mode::Seed, degree, NAME, move || {
                generator.keygen(logn, &mut rng, &mut sk, &mut vk);
                black_box(&vk);
            })]
        }
        Operation::Sign => {
            let mut decoded = S::decode(&sk).expect("its own key");
            let (mut rng2, mut sig2) = (Random(SplitMix::new(2)), sig.clone());
            let sign = move |key: &mut S, rng: &mut Random, sig: &mut [u8]| {
                key.sign(rng, &DOMAIN_NONE, &HASH_ID_RAW, black_box(MESSAGE), sig)
                    .expect("it signs");
                black_box(sig);
            };
            vec![
                entry(operation, Mode::Encoded, degree, NAME, move || {
                    let mut key = S::decode(black_box(&sk)).expect("its own key");
                    sign(&mut key, &mut rng, &mut sig);
                }),
                entry(operation, Mode::Prepared, degree, NAME, move || {
                    sign(&mut decoded, &mut rng2, &mut sig2);
                }),
            ]
        }
        // fn-dsa has no expanded keys.
        Operation::Expand => vec![],
        Operation::Verify => {
            let mut key = S::decode(&sk).expect("its own key");
            let signatures: Vec<Vec<u8>> = (0..crate::SIGNATURES)
                .map(|_| {
                    key.sign(&mut rng, &DOMAIN_NONE, &HASH_ID_RAW, MESSAGE, &mut sig)
                        .expect("it signs");
                    sig.clone()
                })
                .collect();
            let decoded = V::decode(&vk).expect("its own key");
            let verify = |key: &V, sig: &[u8]| {
                assert!(key.verify(
                    black_box(sig),
                    &DOMAIN_NONE,
                    &HASH_ID_RAW,
                    black_box(MESSAGE)
                ));
            };
            let mut first = crate::Cycle::new(signatures.clone());
            let mut second = crate::Cycle::new(signatures);
            vec![
                entry(operation, Mode::Encoded, degree, NAME, move || {
                    let key = V::decode(black_box(&vk)).expect("its own key");
                    verify(&key, first.turn());
                }),
                entry(operation, Mode::Prepared, degree, NAME, move || {
                    verify(&decoded, second.turn());
                }),
            ]
        }
    }
}
