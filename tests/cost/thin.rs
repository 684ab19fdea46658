//! Calls the functions of round 3 and of FN-DSA that need the most time. `run.sh` inspects the
//! compiled code of this crate and never runs it.

use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob};
use falcon_core::fndsa_provisional::{self as fndsa, Context, Message, batch};
use falcon_core::{
    Engine, ExpandedKey, Falcon1024, Parameters, Signature, SigningKey, VerifyingKey,
};

fn round_3<P: Parameters>(bytes: &[u8]) -> Option<()> {
    let key = SigningKey::<P>::try_from(bytes).ok()?;
    let expanded: ExpandedKey<P> = key.expand();
    let signature = Signature::<P>::try_from(bytes).ok()?;
    let _ = key.sign_stream_from_seed(&[1; 32]).finish()
        == expanded.sign_stream_from_seed(&[1; 32]).finish();
    let _ = SigningKey::<P>::from_seed(&[1; 32]).expect("no fault").to_bytes();
    let verifying = VerifyingKey::<P>::try_from(bytes).ok()?;
    verifying.verify(bytes, &signature).ok()?;
    let _ = (verifying.to_bytes(), signature.to_bytes());
    let jobs = [SignJob::new(&key, bytes), SignJob::new(&expanded, bytes)];
    Engine::best()
        .sign_batch(&[1; 32], &jobs, &mut [signature; 2])
        .ok()?;
    let (key, message) = (&verifying, bytes);
    let jobs = [VerifyJob {
        key,
        message,
        signature: &signature,
    }];
    Engine::best().verify_batch(&jobs, &mut [Ok(())]).ok()?;
    let jobs = [VerifyBytesJob {
        key,
        message,
        signature: bytes,
    }];
    Engine::best()
        .verify_bytes_batch(&jobs, &mut [Verdict::Valid])
        .ok()?;
    Some(())
}

fn fn_dsa<P: Parameters>(bytes: &[u8]) -> Option<()> {
    let key = fndsa::SigningKey::<P>::try_from(bytes).ok()?;
    let _ = fndsa::SigningKey::<P>::from_seed(&[1; 32]).expect("no fault").to_bytes();
    let (mu, seed) = ([1; 64], [1; 40]);
    let message = Message::Mu(&mu);
    let signature = key.sign_mu_from_seed(&seed, &mu).ok()?;
    let _ = key.sign_batch(
        Engine::best(),
        &[batch::SignJob {
            message,
            seed: &seed,
        }],
    );
    let verifying = fndsa::VerifyingKey::<P>::try_from(bytes).ok()?;
    let _ = (verifying.to_bytes(), signature.to_bytes());
    let decoded = fndsa::Signature::<P>::try_from(bytes).ok()?;
    verifying.verify(Context::EMPTY, bytes, &decoded).ok()?;
    let (key, signature) = (&verifying, &decoded);
    let jobs = [batch::VerifyJob {
        key,
        message,
        signature,
    }];
    let _ = fndsa::VerifyingKey::verify_batch(Engine::best(), &jobs);
    let jobs = [batch::VerifyBytesJob {
        key,
        message,
        signature: bytes,
    }];
    let _ = fndsa::VerifyingKey::verify_bytes_batch(Engine::best(), &jobs);
    Some(())
}

fn main() {
    let bytes: Vec<u8> = std::env::args()
        .map(|argument| argument.len() as u8)
        .collect();
    round_3::<Falcon1024>(&bytes);
    fn_dsa::<Falcon1024>(&bytes);
}
