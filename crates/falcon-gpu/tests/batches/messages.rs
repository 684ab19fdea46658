//! Messages of arbitrary, differing lengths, hashed on the device.

use crate::support::{PLENTY, context};
use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::{GpuContext, Options};

const SEED: [u8; 32] = [4; 32];

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 7 + len) as u8).collect()
}

fn signed<P: Parameters>(
    context: &GpuContext,
    jobs: &[SignJob<'_, P>],
) -> Result<Vec<Signature<P>>, falcon_core::batch::BatchError> {
    let mut out = vec![Signature::EMPTY; jobs.len()];
    context.sign_batch(&SEED, jobs, &mut out).map(|()| out)
}

#[test]
fn messages_of_all_lengths_are_signed_and_verified_side_by_side() {
    fn check<P: Parameters>() {
        let key = SigningKey::<P>::from_seed(&[1; 32])
            .expect("no fault")
            .expand();
        // The lengths are around a block, around 64 KiB, and long, in mixed order.
        let lengths = [
            65_537, 0, 136, 2_000_003, 1, 135, 65_536, 96, 300_000, 137, 65_535, 95, 272,
        ];
        let messages: Vec<_> = lengths.into_iter().map(message).collect();
        let jobs: Vec<_> = messages
            .iter()
            .map(|message| SignJob::new(&key, message))
            .collect();
        let mut expected = vec![Signature::EMPTY; jobs.len()];
        let engine = Engine::best();
        engine.sign_batch(&SEED, &jobs, &mut expected).unwrap();
        let bytes: Vec<_> = expected.iter().map(Signature::to_bytes).collect();
        for chunk in [None, Some(3)] {
            let mut options = Options::default();
            options.chunk = chunk;
            let Some((device, context)) = context(PLENTY, options) else {
                return;
            };
            assert!(signed(&context, &jobs).unwrap() == expected, "{chunk:?}");
            // Changes the last byte of every other message.
            let mut claimed = messages.clone();
            for message in claimed.iter_mut().step_by(2) {
                if let Some(last) = message.last_mut() {
                    *last ^= 1;
                }
            }
            let claims: Vec<_> = claimed
                .iter()
                .zip(&bytes)
                .map(|(message, signature)| VerifyBytesJob {
                    key: key.verifying_key(),
                    message,
                    signature,
                })
                .collect();
            let mut verdicts = vec![Verdict::Malformed; claims.len()];
            context.verify_bytes_batch(&claims, &mut verdicts).unwrap();
            for (i, (claimed, message)) in claimed.iter().zip(&messages).enumerate() {
                let valid = verdicts[i] == Verdict::Valid;
                assert_eq!(valid, claimed == message, "{}", message.len());
            }
            let launched = device.launched();
            let hashed = launched.iter().filter(|(name, _)| name.starts_with("hash"));
            let slots: u32 = hashed.map(|(_, count)| count).sum();
            assert_eq!(slots as usize, 2 * messages.len());
            context.forget_keys();
            assert!(device.is_wiped());
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// Chunks of long messages have fewer jobs. If a message does not fit on the device, the batch
/// fails, and all outputs stay unchanged.
#[test]
fn only_the_memory_of_the_device_limits_a_message() {
    let key = SigningKey::<Falcon512>::from_seed(&[1; 32])
        .expect("no fault")
        .expand();
    let (memory, long) = (8 << 20, message(3 << 20));
    let messages = [&long[..], b"short", &long[1..], &long[2..], b""];
    let jobs = messages.map(|message| SignJob::new(&key, message));
    let mut expected = vec![Signature::EMPTY; jobs.len()];
    let engine = Engine::best();
    engine.sign_batch(&SEED, &jobs, &mut expected).unwrap();
    let Some((device, context)) = context(memory, Options::default()) else {
        return;
    };
    assert!(signed(&context, &jobs).unwrap() == expected);
    let launched = device.launched();
    let chunks = launched.iter().filter(|(name, _)| name == "hash_9").count();
    assert!(chunks > 1, "{chunks}");

    let longer = message(memory);
    let mut with_it = jobs;
    with_it[1].message = &longer;
    let mut out = expected.clone();
    let error = context.sign_batch(&SEED, &with_it, &mut out).unwrap_err();
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert!(out == expected);
    assert!(signed(&context, &jobs).unwrap() == expected);
}
