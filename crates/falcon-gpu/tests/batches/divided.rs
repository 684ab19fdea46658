//! Batches on a device that the host emulates have the same bytes as those of the CPU's engines,
//! for various sizes and divisions.

use crate::fixture::{Fixture, MODES, SEED, options};
use crate::support::{Fault, PLENTY, context};
use falcon_core::batch::{BatchError, BatchSign, BatchVerify, Verdict, VerifyBytesJob, VerifyJob};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::{Engine, Falcon512, Falcon1024, Format, Parameters, Signature, SignatureError};
use falcon_gpu::kernels::status;
use falcon_gpu::{GpuContext, KeyMode, Options};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a function for both degrees.
macro_rules! both {
    ($function:ident $(, $argument:expr)*) => {{
        $function::<Falcon512>($($argument),*);
        $function::<Falcon1024>($($argument),*);
    }};
}

#[test]
fn every_mode_gives_the_bytes_of_the_processor() {
    fn check<P: Parameters>() {
        let fixture = Fixture::<P>::new(3, 33);
        let expected = fixture.expected();
        for mode in MODES {
            let Some((device, context)) = context(PLENTY, options(mode)) else {
                return;
            };
            // Keys come in each form, and in both forms within a batch. If keys are kept, they are
            // on the device from the second batch on.
            let forms: [fn(usize) -> bool; 4] =
                [|_| false, |_| true, |job| job % 2 == 0, |job| job % 7 < 4];
            for expanded in forms {
                let jobs = fixture.jobs_where(expanded);
                let mut out = vec![Signature::EMPTY; jobs.len()];
                context.sign_batch(&SEED, &jobs, &mut out).unwrap();
                assert!(out == expected, "{mode:?}");
            }
            let (sign, expand) = match mode {
                KeyMode::Transient => ("sign_raw", None),
                KeyMode::Balanced => ("sign_balanced", Some("basis")),
                KeyMode::Expanded => ("sign_expanded", Some("expand")),
            };
            let launched = device.launched();
            let names = launched.iter().map(|(name, _)| name.as_str());
            let signing = names.clone().filter(|name| name.starts_with("sign"));
            assert!(signing.clone().count() > 0);
            assert!(signing.clone().all(|name| name.starts_with(sign)));
            let expanding = names.filter(|name| ["basi", "expa"].contains(&&name[..4]));
            let once = expand.map(|expand| format!("{expand}_{}", P::LOGN));
            assert!(expanding.eq(once.as_deref()), "{mode:?}: {launched:?}");
        }
    }
    both!(check);
}

/// Checks that `upload_key` does nothing if keys are not kept.
#[test]
fn keys_that_are_not_kept_are_not_uploaded() {
    let fixture = Fixture::<Falcon512>::new(1, 3);
    let Some((device, context)) = context(PLENTY, options(KeyMode::Transient)) else {
        return;
    };
    context.upload_key(&fixture.keys[0]).unwrap();
    assert_eq!(device.calls(), 0);
    assert_eq!(context.memory_of_keys::<Falcon512>(100), 0);
    assert!(fixture.signed(&context) == fixture.expected());
    assert!(device.is_wiped());
}

#[test]
fn batches_of_every_size_are_divided_without_a_trace() {
    fn check<P: Parameters>() {
        for messages in [0, 1, 2, 31, 65] {
            let fixture = Fixture::<P>::new(2, messages);
            let expected = fixture.expected();
            for chunk in [1, 7, 32, 1000] {
                let mut options = Options::default();
                options.chunk = Some(chunk);
                let Some((device, context)) = context(PLENTY, options) else {
                    return;
                };
                assert!(fixture.signed(&context) == expected);
                let lanes = messages.div_ceil(chunk).min(3);
                assert!(device.streams_used() >= lanes);
                context.forget_keys();
                assert!(device.is_wiped());
            }
        }
    }
    check::<Falcon512>();
}

#[test]
fn a_batch_uses_as_many_streams_as_the_options_say() {
    let fixture = Fixture::<Falcon512>::new(2, 20);
    let expected = fixture.expected();
    // The device has three streams.
    for (asked, used) in [
        (Some(0), 1),
        (Some(1), 1),
        (Some(2), 2),
        (Some(16), 3),
        (None, 3),
    ] {
        let mut options = Options::default();
        (options.streams, options.chunk) = (asked, Some(3));
        let Some((device, context)) = context(PLENTY, options) else {
            return;
        };
        assert!(fixture.signed(&context) == expected);
        assert_eq!(device.streams_used(), used, "{asked:?}");
        context.forget_keys();
        assert!(device.is_wiped());
    }
}

/// Checks that the device is asked for its free memory before the first batch, and again only
/// before a larger batch.
#[test]
fn a_batch_that_fits_does_not_ask_for_memory() {
    let few = Fixture::<Falcon512>::new(1, 5);
    let many = Fixture::<Falcon512>::new(1, 40);
    let Some((device, context)) = context(PLENTY, Options::default()) else {
        return;
    };
    let asked = |fixture: &Fixture<Falcon512>| {
        assert!(fixture.signed(&context) == fixture.expected());
        device.memory_asked()
    };
    assert!(asked(&few) > 0);
    assert!(asked(&many) > 0, "the pool must grow");
    assert_eq!(asked(&many), 0);
    assert_eq!(asked(&few), 0);
}

fn compressed_len<P: Parameters>(signature: &Signature<P>) -> u32 {
    signature.encoded_len(Format::Compressed).unwrap() as u32
}

/// Returns the median length of the signatures. If this length is the limit, about half of the
/// attempts are refused.
fn median_len<P: Parameters>(signatures: &[Signature<P>]) -> u32 {
    let mut lengths: Vec<_> = signatures.iter().map(compressed_len).collect();
    lengths.sort_unstable();
    lengths[lengths.len() / 2]
}

#[test]
fn attempts_go_on_until_all_jobs_are_done() {
    let fixture = Fixture::<Falcon512>::new(2, 100);
    let expected = fixture.expected();
    let limit = median_len(&expected);
    let mut first: Option<Vec<_>> = None;
    // With chunks of one job, no job can be mistaken for another.
    for chunk in [1000, 11, 1] {
        let mut options = Options::default();
        options.chunk = Some(chunk);
        options.prng_rows = Some(2);
        let Some((device, context)) = context(PLENTY, options) else {
            return;
        };
        device.refuse_longer_than(limit);
        let out = fixture.signed(&context);
        for ((signature, expected), job) in out.iter().zip(&expected).zip(fixture.jobs()) {
            assert!(compressed_len(signature) <= limit);
            assert!(signature == expected || compressed_len(expected) > limit);
            let key = job.key.verifying_key();
            assert_eq!(key.verify(job.message, signature), Ok(()));
        }
        assert!(*first.get_or_insert_with(|| out.clone()) == out);
        let launched = device.launched();
        let accepted = launched.iter().filter(|(name, _)| name == "accept_9");
        let slots: Vec<_> = accepted.map(|&(_, count)| count).collect();
        assert!(slots.iter().sum::<u32>() > 130, "{slots:?}");
        if chunk == 1000 {
            assert!(slots.is_sorted_by(|a, b| a >= b));
            assert!(slots[0] == 100 && slots.len() > 3, "{slots:?}");
        }
    }
}

#[test]
fn given_randomness_is_followed_through_all_attempts() {
    fn check<P: Parameters>(mode: KeyMode, fit: Fit, count: usize) {
        let fixture = Fixture::<P>::new(1, count);
        let bytes: Vec<_> = (0..count as u16)
            .map(|i| {
                let [a, b] = i.to_le_bytes();
                let mut nonce = [a; 40];
                nonce[0] = b;
                (nonce, [a, b, 7])
            })
            .collect();
        let jobs: Vec<_> = fixture
            .messages
            .iter()
            .zip(&bytes)
            .enumerate()
            .map(|(i, (message, (nonce, seed)))| {
                let randomness = RawRandomness { nonce, seed };
                match i % 3 {
                    0 => RawJob::new(&fixture.expanded[0], message, randomness),
                    _ => RawJob::new(&fixture.keys[0], message, randomness),
                }
            })
            .collect();
        let mut expected = vec![Signature::EMPTY; count];
        let engine = Engine::best();
        engine.sign_batch_raw(&jobs, fit, &mut expected).unwrap();
        let Some((device, context)) = context(PLENTY, options(mode)) else {
            return;
        };
        let mut out = vec![Signature::EMPTY; count];
        context.sign_batch_raw(&jobs, fit, &mut out).unwrap();
        assert!(out == expected);

        // If half of the attempts are refused, every job still continues with its own seeds, in
        // whatever order the jobs are listed.
        if fit == Fit::Padded {
            device.refuse_longer_than(median_len(&expected));
            context.sign_batch_raw(&jobs, fit, &mut out).unwrap();
            let again = out.iter().zip(&expected).filter(|(a, b)| a != b);
            assert!(again.count() > count / 10);
            for (job, all) in jobs.iter().zip(&out) {
                let mut alone = [Signature::EMPTY];
                context.sign_batch_raw(&[*job], fit, &mut alone).unwrap();
                assert!(alone[0] == *all);
            }
        }
    }
    check::<Falcon512>(KeyMode::Expanded, Fit::Padded, 100);
    check::<Falcon512>(KeyMode::Expanded, Fit::Any, 40);
    check::<Falcon512>(KeyMode::Balanced, Fit::Padded, 40);
    check::<Falcon512>(KeyMode::Transient, Fit::Padded, 40);
    check::<Falcon1024>(KeyMode::Expanded, Fit::Padded, 40);
}

#[test]
fn a_part_of_a_batch_has_the_bytes_of_the_whole() {
    let fixture = Fixture::<Falcon512>::new(2, 20);
    let expected = fixture.expected();
    let Some((_, context)) = context(PLENTY, Options::default()) else {
        return;
    };
    let mut out = vec![Signature::EMPTY; 13];
    let jobs = &fixture.jobs()[7..];
    context.sign_part(&SEED, 7, jobs, &mut out).unwrap();
    assert!(out == expected[7..]);
}

#[test]
fn verdicts_are_those_of_the_processor() {
    fn check<P: Parameters>() {
        let fixture = Fixture::<P>::new(2, 35);
        let signatures = fixture.expected();
        let mut options = Options::default();
        options.chunk = Some(10);
        let Some((device, context)) = context(PLENTY, options) else {
            return;
        };
        // Some claims have a wrong key or a wrong message.
        let jobs: Vec<_> = (0..signatures.len())
            .map(|i| VerifyJob {
                key: fixture.expanded[fixture.key_of(i + usize::from(i % 5 == 4))].verifying_key(),
                message: &fixture.messages[if i % 7 == 6 { 0 } else { i }],
                signature: &signatures[i],
            })
            .collect();
        let mut expected = vec![Ok(()); jobs.len()];
        let engine = Engine::best();
        engine.verify_batch(&jobs, &mut expected).unwrap();
        assert!(expected.contains(&Ok(())) && expected.contains(&Err(SignatureError)));
        let mut out = vec![Ok(()); jobs.len()];
        context.verify_batch(&jobs, &mut out).unwrap();
        assert_eq!(out, expected);

        // Encodes the signatures, and damages some of them.
        let bytes: Vec<Vec<u8>> = signatures
            .iter()
            .enumerate()
            .map(|(i, signature)| {
                let mut bytes = signature.to_bytes().to_vec();
                match i % 8 {
                    1 => bytes.truncate(i),
                    2 => bytes[0] ^= 0x40,
                    3 => bytes[50 + i] ^= 1,
                    4 => bytes.resize(3000, 0),
                    5 => *bytes.last_mut().unwrap() ^= 1,
                    // 24 coefficients of `s2` are 2047, which exceeds the norm bound, and the
                    // others are zero.
                    7 => {
                        bytes.truncate(41);
                        bytes.extend([0x7f, 0, 1].repeat(24));
                        bytes.extend([0, 128, 64, 32, 16, 8, 4, 2, 1].repeat(P::N / 8 - 3));
                        bytes.resize(P::PADDED_LEN, 0);
                    }
                    _ => {}
                }
                bytes
            })
            .collect();
        let jobs: Vec<_> = jobs
            .iter()
            .zip(&bytes)
            .map(|(job, signature)| VerifyBytesJob {
                key: job.key,
                message: job.message,
                signature,
            })
            .collect();
        let mut expected = vec![Verdict::Valid; jobs.len()];
        engine.verify_bytes_batch(&jobs, &mut expected).unwrap();
        let mut out = vec![Verdict::Valid; jobs.len()];
        context.verify_bytes_batch(&jobs, &mut out).unwrap();
        assert_eq!(out, expected);
        for verdict in [Verdict::Valid, Verdict::Invalid, Verdict::Malformed] {
            assert!(out.contains(&verdict));
        }
        // The second call uses the same locked memory as the first call.
        context.verify_bytes_batch(&jobs, &mut out).unwrap();
        assert_eq!(out, expected);
        assert!(device.is_wiped());
    }
    both!(check);
}

#[test]
fn little_memory_makes_many_chunks() {
    fn check<P: Parameters>() {
        let fixture = Fixture::<P>::new(5, 60);
        let expected = fixture.expected();
        let Some((_, probe)) = context(PLENTY, Options::default()) else {
            return;
        };
        let (_, transient) = context(PLENTY, options(KeyMode::Transient)).unwrap();
        let one = transient.memory_to_sign::<P>(1, 400, 1) as usize;
        assert!(transient.memory_to_sign::<P>(1, 400, 2) > one as u64);
        let without = probe.memory_to_sign::<P>(1, 400, 0);
        assert_eq!(probe.memory_to_sign::<P>(1, 400, 2), without);
        let key = (probe.memory_of_keys::<P>(32) - probe.memory_of_keys::<P>(16)) as usize / 16;
        assert!(probe.memory_to_verify::<P>(1, 400, 1) < one as u64);
        for lanes in [2, 4, 10] {
            // The additional memory is for keys. Two or three keys are on the device at once.
            let total = lanes * one + 12 * key;
            for (mode, limited) in [
                (KeyMode::Expanded, false),
                (KeyMode::Expanded, true),
                (KeyMode::Transient, false),
                (KeyMode::Transient, true),
            ] {
                let mut options = options(mode);
                // The options may allow more memory than the device has.
                options.memory = limited.then_some(2 * total as u64);
                let (device, context) = context(total, options).unwrap();
                assert!(fixture.signed(&context) == expected);
                let launched = device.launched();
                let hashed = launched.iter().filter(|(name, _)| name.starts_with("hash"));
                assert!(hashed.count() > 2 || lanes > 2);
                context.forget_keys();
                assert!(device.is_wiped());
                drop(context);
                assert_eq!(device.used(), 0);
                assert!(device.was_wiped());
            }
        }
        // The memory does not suffice for one job.
        let (device, context) = context(one / 2, options(KeyMode::Transient)).unwrap();
        let mut out = vec![expected[1]; 60];
        let failed = context.sign_batch(&SEED, &fixture.jobs(), &mut out);
        let failed = failed.unwrap_err().to_string();
        assert!(failed.contains("out of memory"), "{failed}");
        assert!(out.iter().all(|signature| *signature == expected[1]));
        assert_eq!(device.used(), 0);
    }
    both!(check);
}

#[test]
fn whatever_fails_the_output_is_untouched_and_the_next_batch_is_done() {
    let fixture = Fixture::<Falcon512>::new(2, 12);
    let expected = fixture.expected();
    let verify: Vec<_> = (0..12)
        .map(|i| VerifyJob {
            key: fixture.keys[fixture.key_of(i)].verifying_key(),
            message: &fixture.messages[i],
            signature: &expected[i],
        })
        .collect();
    let mut options = Options::default();
    options.chunk = Some(5);
    let Some((device, _)) = context(PLENTY, options.clone()) else {
        return;
    };
    let run = |context: &GpuContext, out: &mut [Signature<Falcon512>], valid: &mut [_]| {
        let signed = context.sign_batch(&SEED, &fixture.jobs(), out);
        let verified = context.verify_batch(&verify, valid);
        (signed, verified)
    };
    let placeholder = expected[3];
    let refused = vec![Err(SignatureError); 12];
    let mut some_failed = [false; 2];
    for lost in [false, true] {
        // Fills new memory with a known byte, so that any other byte in it was written by a batch.
        device.fill(if lost { status::DONE } else { 0 });
        for call in 0.. {
            let context = GpuContext::on(device.clone(), options.clone());
            device.fail_at(call, lost);
            let (mut out, mut valid) = (vec![placeholder; 12], refused.clone());
            let (signed, verified) = run(&context, &mut out, &mut valid);
            some_failed[0] |= signed.is_err();
            some_failed[1] |= verified.is_err();
            match signed {
                Ok(()) => assert!(out == expected),
                Err(_) => assert!(out.iter().all(|signature| *signature == placeholder)),
            }
            match verified {
                Ok(()) => assert!(valid.iter().all(Result::is_ok)),
                Err(_) => assert_eq!(valid, refused),
            }
            let failed = device.recover();
            // No data of the batch are left, however it ended. For a lost device this is unknown.
            if !lost {
                context.forget_keys();
                assert!(device.is_wiped(), "call {call}");
            }
            assert!(device.locked_is_wiped(), "call {call}, lost {lost}");
            if !failed {
                break;
            }
            let (signed, verified) = run(&context, &mut out, &mut valid);
            assert_eq!(
                (signed, verified),
                (Ok(()), Ok(())),
                "call {call}, lost {lost}"
            );
            assert!(out == expected);
            assert!(valid.iter().all(Result::is_ok));
            drop(context);
            assert_eq!(device.used(), 0);
            assert!(device.was_wiped());
        }
    }
    assert_eq!(some_failed, [true; 2]);
}

/// If a call panics during a batch, nothing of the batch is left, and the next batch succeeds.
#[test]
fn a_panic_leaves_nothing_behind() {
    let fixture = Fixture::<Falcon512>::new(2, 12);
    let expected = fixture.expected();
    let mut options = options(KeyMode::Transient);
    options.chunk = Some(5);
    let Some((device, context)) = context(PLENTY, options) else {
        return;
    };
    for kernel in ["hash", "seed", "prng", "sign", "accept"] {
        // The launch panics in the first chunk, or while other chunks are in progress.
        for first in [0, 2] {
            device.spoil(kernel, Fault::Panic, first);
            let mut out = vec![expected[3]; 12];
            let jobs = fixture.jobs();
            let signed = AssertUnwindSafe(|| context.sign_batch(&SEED, &jobs, &mut out));
            assert!(catch_unwind(signed).is_err(), "{kernel}");
            assert!(out.iter().all(|signature| *signature == expected[3]));
            assert!(device.is_wiped(), "{kernel}");
            device.spoil("none", Fault::Nothing, 0);
            assert!(fixture.signed(&context) == expected);
        }
    }
}

#[test]
fn outputs_of_another_length_are_refused() {
    let fixture = Fixture::<Falcon512>::new(1, 2);
    let Some((device, context)) = context(PLENTY, Options::default()) else {
        return;
    };
    let mut out = vec![Signature::EMPTY; 3];
    let lengths = BatchError::OutputLength { jobs: 2, output: 3 };
    let refused = context.sign_batch(&SEED, &fixture.jobs(), &mut out);
    assert_eq!(refused, Err(lengths.clone()));
    let randomness = RawRandomness {
        nonce: &[1; 40],
        seed: &[2],
    };
    let jobs = [RawJob::new(&fixture.keys[0], b"message", randomness); 2];
    let refused = context.sign_batch_raw(&jobs, Fit::Padded, &mut out);
    assert_eq!(refused, Err(lengths));
    assert_eq!(device.calls(), 0);
}

#[test]
fn a_key_is_brought_once() {
    let fixture = Fixture::<Falcon512>::new(1, 1);
    let Some((device, context)) = context(PLENTY, Options::default()) else {
        return;
    };
    context.upload_key(&fixture.expanded[0]).unwrap();
    let calls = device.calls();
    context.upload_key(&fixture.expanded[0]).unwrap();
    // A copy of the same key at another address is not uploaded again either.
    context.upload_key(&fixture.keys[0].expand()).unwrap();
    assert_eq!(device.calls(), calls);
}
