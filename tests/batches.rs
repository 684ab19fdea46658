//! Compares batches with single operations, on every engine that this processor can run.

use falcon_core::batch::{
    BatchError, BatchSign, BatchVerify, JobKey, SignJob, UnknownVerdict, Verdict, VerifyBytesJob,
    VerifyJob,
};
use falcon_core::hazmat::{BatchSignRaw, Cshake256HashToPoint};
use falcon_core::rows::{self, Row, RowKey};
use falcon_core::{
    ExpandedKey, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature, SignatureError,
    SigningKey, Threads, hazmat,
};
use falcon_tests::{Repeatable, engines, extent, key};
use std::num::NonZeroUsize;

/// Number of keys.
const KEYS: usize = 3;

/// Makes jobs with changing keys, so that groups of different sizes occur.
fn sign_jobs<'a, P: Parameters>(
    keys: &'a [ExpandedKey<P>],
    messages: &'a [Vec<u8>],
) -> Vec<SignJob<'a, P>> {
    let job = |(i, message)| SignJob::new(&keys[(i / 7 + i % 5 / 4) % keys.len()], message);
    let messages = messages.iter().map(Vec::as_slice);
    messages.enumerate().map(job).collect()
}

/// Signs the same jobs on every engine, and compares the signatures with those of the first engine.
fn engines_sign_alike<P: Parameters>(jobs: usize) {
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let expanded: Vec<_> = keys.iter().map(|key| key.expand()).collect();
    let mut random = Repeatable::new(&format!("batches {}", P::NAME));
    let messages: Vec<_> = (0..jobs).map(|i| random.vec(i % 300)).collect();
    let jobs = sign_jobs(&expanded, &messages);
    let seed = random.bytes();
    let mut expected: Option<Vec<Signature<P>>> = None;
    for engine in engines() {
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        engine
            .sign_batch(&seed, &jobs, &mut signatures)
            .expect("as many results as jobs");
        match &expected {
            None => expected = Some(signatures),
            Some(expected) => {
                for (i, (ours, theirs)) in signatures.iter().zip(expected).enumerate() {
                    assert!(ours == theirs, "{} job {i} on {engine}", P::NAME);
                }
            }
        }
    }
}

#[test]
fn engines_sign_the_same_batches_alike() {
    // With `FALCON_FULL=1`, each engine makes 11,000 signatures.
    engines_sign_alike::<Falcon512>(extent("jobs of a batch", 100, 9_000));
    engines_sign_alike::<Falcon1024>(extent("jobs of a batch", 40, 2_000));
}

/// Signs with another hash function. On every engine, the first signature equals that of a single
/// call.
fn engines_sign_alike_with_another_hash<P: Parameters>() {
    const HASH: Cshake256HashToPoint = Cshake256HashToPoint::new(b"falcon-tests").unwrap();
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let expanded: Vec<_> = keys.iter().map(|key| key.expand()).collect();
    let mut random = Repeatable::new(&format!("another hash {}", P::NAME));
    // Message lengths below and above one block of the hash, and more messages than are hashed at a
    // time.
    let messages: Vec<_> = (0..45).map(|i| random.vec(60 + 3 * i)).collect();
    let jobs = sign_jobs(&expanded, &messages);
    let seed = random.bytes();
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
    let alone = hazmat::sign_with_hash(&keys[0], &seed, &HASH, &messages[0], &mut scratch);
    let mut expected: Option<Vec<Signature<P>>> = None;
    for engine in engines() {
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        engine
            .sign_batch_with_hash(&HASH, &seed, &jobs, &mut signatures)
            .expect("as many results as jobs");
        assert_eq!(alone, Ok(signatures[0]), "{engine}");
        for (job, signature) in jobs.iter().zip(&signatures) {
            let public = job.key.verifying_key();
            assert!(hazmat::verify_with_hash(public, &HASH, job.message, signature).is_ok());
            assert!(public.verify(job.message, signature).is_err());
        }
        let expected = expected.get_or_insert_with(|| signatures.clone());
        assert!(*expected == signatures, "{engine}");
    }
}

#[test]
fn engines_sign_batches_with_another_hash_alike() {
    engines_sign_alike_with_another_hash::<Falcon512>();
    engines_sign_alike_with_another_hash::<Falcon1024>();
}

/// Verifies a batch with all kinds of damage in known places. Each result equals that of the single
/// verification, and no neighbour is affected.
fn each_result_stands_alone<P: Parameters>() {
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let mut random = Repeatable::new("damaged batches");
    let messages: Vec<_> = (0..75).map(|i| random.vec(i * 9 % 500)).collect();
    let signatures: Vec<Signature<P>> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| {
            keys[i % KEYS]
                .sign_with_rng(&mut random, message)
                .expect("no fault")
        })
        .collect();
    let other = b"another message".to_vec();
    let empty = Signature::EMPTY;
    let jobs: Vec<VerifyJob<'_, P>> = (0..messages.len())
        .map(|i| VerifyJob {
            // Some jobs get another key, another message, another signature or an empty one.
            key: keys[(i + usize::from(i % 11 == 3)) % KEYS].verifying_key(),
            message: if i % 13 == 5 { &other } else { &messages[i] },
            signature: match i % 17 {
                7 => &signatures[(i + 1) % signatures.len()],
                9 => &empty,
                _ => &signatures[i],
            },
        })
        .collect();
    for engine in engines() {
        let mut results = vec![Ok(()); jobs.len()];
        engine
            .verify_batch(&jobs, &mut results)
            .expect("as many results as jobs");
        for (i, (job, result)) in jobs.iter().zip(&results).enumerate() {
            let damaged = i % 11 == 3 || i % 13 == 5 || matches!(i % 17, 7 | 9);
            assert_eq!(result.is_ok(), !damaged, "{} {i} on {engine}", P::NAME);
            assert_eq!(*result, job.key.verify(job.message, job.signature));
            let alone = engine.verify(job.key, job.message, job.signature);
            assert_eq!(*result, alone, "{} {i} alone on {engine}", P::NAME);
        }
    }
}

/// Returns the encodings of a valid signature in all formats, then truncated, extended and damaged
/// encodings.
fn encodings<P: Parameters>(signature: &Signature<P>) -> Vec<Vec<u8>> {
    let padded = signature.to_bytes().to_vec();
    let compressed = signature.to_vec(Format::Compressed).expect("it fits");
    let mut all = vec![
        padded.clone(),
        compressed.clone(),
        signature.to_vec(Format::ConstantTime).expect("it fits"),
        vec![],
        padded[..40].to_vec(),
        padded[..padded.len() - 1].to_vec(),
        [&padded[..], &[0]].concat(),
        [&padded[..], &[0; 30]].concat(),
        vec![padded[0]; 3 * padded.len()],
    ];
    // Flips every bit of the bytes at both ends, and of every 23rd byte of the code.
    let code = 41..compressed.len();
    let ends = [0..43, code.end - 9..padded.len()];
    let bytes = ends.into_iter().flatten().chain(code.step_by(23));
    for bit in bytes.flat_map(|byte| 8 * byte..8 * byte + 8) {
        let mut damaged = padded.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        all.push(damaged);
    }
    // Unterminated runs of zeros, in the middle and up to the end.
    for zeros in [300..303, 300..padded.len(), 41..padded.len()] {
        let mut damaged = padded.clone();
        damaged[zeros].fill(0);
        all.push(damaged);
    }
    // Writes minus zero instead of zero: the only bit that changes neither the value nor the
    // length.
    let mut at = 8 * 41;
    for &s in signature.s2() {
        if s == 0 {
            let mut damaged = padded.clone();
            damaged[at / 8] |= 0x80 >> (at % 8);
            all.push(damaged);
        }
        at += 9 + usize::from(s.unsigned_abs() >> 7);
    }
    all
}

/// Verifies a batch in which damaged encodings alternate with valid ones. Each verdict equals that
/// on the same bytes alone.
fn bytes_are_judged_as_alone<P: Parameters>() {
    let key = key::<P>(1);
    let public = key.verifying_key();
    let mut random = Repeatable::new("bytes of batches");
    let (message, other) = (random.vec(77), random.vec(300));
    let signature: Signature<P> = key.sign_with_rng(&mut random, &message).expect("no fault");
    let encodings = encodings(&signature);
    let valid = signature.to_bytes();
    let jobs: Vec<VerifyBytesJob<'_, P>> = encodings
        .iter()
        .flat_map(|encoding| [encoding.as_slice(), &valid])
        .enumerate()
        .map(|(i, signature)| VerifyBytesJob {
            key: public,
            message: if i % 29 == 7 { &other } else { &message },
            signature,
        })
        .collect();
    let expected: Vec<_> = jobs
        .iter()
        .map(|job| {
            let signature = Signature::try_from(job.signature);
            signature.map_or(Verdict::Malformed, |signature| {
                match job.key.verify(job.message, &signature) {
                    Ok(()) => Verdict::Valid,
                    Err(_) => Verdict::Invalid,
                }
            })
        })
        .collect();
    assert_eq!(expected[..2], [Verdict::Valid; 2]);
    let accepted = expected.iter().filter(|&&it| it == Verdict::Valid).count();
    assert!(accepted <= jobs.len() / 2 + 1, "only what is undamaged");
    let threads = Threads::new(NonZeroUsize::new(3).expect("a number of threads"));
    for engine in engines() {
        for size in [jobs.len(), 1, 15, 17, 33] {
            let mut results = vec![Verdict::Valid; size];
            engine
                .verify_bytes_batch(&jobs[..size], &mut results)
                .expect("as many results as jobs");
            assert_eq!(results, expected[..size], "{} on {engine}", P::NAME);
        }
        let mut results = vec![Verdict::Valid; jobs.len()];
        engine
            .on(&threads)
            .verify_bytes_batch(&jobs, &mut results)
            .expect("as many results as jobs");
        assert_eq!(results, expected, "{} on threads of {engine}", P::NAME);
    }
    let mut results = vec![Verdict::Valid; jobs.len()];
    Foreign
        .verify_bytes_batch(&jobs, &mut results)
        .expect("as many results as jobs");
    assert_eq!(results, expected, "an engine that decodes nothing itself");
}

/// An engine like those of other crates, which implements only the required methods.
struct Foreign;

impl<P: Parameters> BatchVerify<P> for Foreign {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        for (job, out) in jobs.iter().zip(out) {
            *out = job.key.verify(job.message, job.signature);
        }
        Ok(())
    }
}

#[test]
fn malformed_bytes_hide_no_other_and_are_never_accepted() {
    bytes_are_judged_as_alone::<Falcon512>();
    bytes_are_judged_as_alone::<Falcon1024>();
}

#[test]
fn a_damaged_item_hides_no_other() {
    each_result_stands_alone::<Falcon512>();
    each_result_stands_alone::<Falcon1024>();
}

/// A batch gives the same signatures on any number of threads, and in three parts that are signed
/// from the last to the first. Verification on threads gives the right verdict for every job.
fn parts_and_threads_change_nothing<P: Parameters>(sizes: &[usize]) {
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let expanded: Vec<_> = keys.iter().map(|key| key.expand()).collect();
    let mut random = Repeatable::new(&format!("threads {}", P::NAME));
    let messages: Vec<_> = (0..*sizes.iter().max().expect("sizes"))
        .map(|i| random.vec(i % 70))
        .collect();
    let jobs = sign_jobs(&expanded, &messages);
    let seed = random.bytes();
    let threads = [1, 2, 3, 7].map(|count| {
        let count = NonZeroUsize::new(count).expect("a number of threads");
        Threads::new(count)
    });
    let engines = engines();
    // Engines and sizes are paired so that each of them occurs.
    let pairs = engines.iter().cycle().zip(sizes.iter().cycle());
    for (engine, &size) in pairs.take(sizes.len().max(engines.len())) {
        let jobs = &jobs[..size];
        let mut expected = vec![Signature::EMPTY; size];
        engine
            .sign_batch(&seed, jobs, &mut expected)
            .expect("as many results as jobs");

        let mut parts = vec![Signature::EMPTY; size];
        let cuts = [size, size / 2, size / 3, 0];
        for cut in cuts.windows(2) {
            let part = cut[1]..cut[0];
            engine
                .sign_part(
                    &seed,
                    part.start as u64,
                    &jobs[part.clone()],
                    &mut parts[part],
                )
                .expect("as many results as jobs");
        }
        assert!(parts == expected, "{} {size} on {engine}", P::NAME);

        // Some jobs get the signatures of others.
        let wrong = |i: usize| i % 19 == 11 || i + 1 == size;
        let verify: Vec<_> = jobs
            .iter()
            .enumerate()
            .map(|(i, job)| VerifyJob {
                key: job.key.verifying_key(),
                message: job.message,
                signature: &expected[if wrong(i) { i / 2 } else { i }],
            })
            .collect();
        for threads in &threads {
            let what = format!("{} {size} on {engine}, {threads:?}", P::NAME);
            let mut signatures = vec![Signature::EMPTY; size];
            engine
                .on(threads)
                .sign_batch(&seed, jobs, &mut signatures)
                .expect("as many results as jobs");
            assert!(signatures == expected, "{what}");
            let mut results = vec![Err(SignatureError); size];
            engine
                .on(threads)
                .verify_batch(&verify, &mut results)
                .expect("as many results as jobs");
            for (i, result) in results.iter().enumerate() {
                assert_eq!(result.is_ok(), !wrong(i) || size == 1, "{what} {i}");
            }
        }
    }
}

#[test]
fn parts_and_threads_change_no_byte() {
    // Batch sizes: few jobs, odd numbers, and enough for several parts per thread. Engines
    // take turns.
    parts_and_threads_change_nothing::<Falcon512>(&[137, 1, 2, 15, 300, 33, 1100, 129, 601, 65]);
    parts_and_threads_change_nothing::<Falcon1024>(&[37, 3, 70, 9, 17, 301, 31]);
}

/// If the output's length differs from the batch's, the output is not touched.
#[test]
fn a_batch_of_the_wrong_length_is_refused_as_a_whole() {
    let key = key::<Falcon512>(0);
    let expanded = key.expand();
    let jobs = [SignJob::new(&expanded, b"one"); 3];
    let threads = Threads::new(NonZeroUsize::new(2).expect("two threads"));
    for engine in engines() {
        let mut out = vec![Signature::EMPTY; 2];
        assert!(engine.sign_batch(&[0; 32], &jobs, &mut out).is_err());
        let shared = engine.on(&threads);
        assert!(shared.sign_batch(&[0; 32], &jobs, &mut out).is_err());
        assert!(shared.sign_batch(&[0; 32], &jobs[..0], &mut []).is_ok());
        assert!(out.iter().all(|signature| *signature == Signature::EMPTY));
        let raw: [hazmat::RawJob<'_, Falcon512>; 0] = [];
        assert!(
            engine
                .sign_batch_raw(&raw, hazmat::Fit::Any, &mut out)
                .is_err()
        );
        assert!(engine.sign_batch(&[0; 32], &jobs[..0], &mut []).is_ok());
    }
}

/// All ways to verify refuse an output array whose length is not the number of jobs, and do not
/// touch the array.
#[test]
fn verdicts_of_the_wrong_number_are_refused() {
    type P = Falcon512;
    let key = key::<P>(0);
    let mut stream = key.sign_stream_from_seed(&[1; 32]);
    stream.update(b"one");
    let signature = stream.finish().expect("no fault");
    let bytes = signature.to_bytes();
    let decoded = [VerifyJob {
        key: key.verifying_key(),
        message: b"two",
        signature: &signature,
    }; 2];
    let encoded = [VerifyBytesJob {
        key: key.verifying_key(),
        message: b"two",
        signature: &bytes,
    }; 2];
    let threads = Threads::new(NonZeroUsize::new(2).expect("two threads"));
    for output in [0, 1, 3] {
        let mut out = vec![Ok(()); output];
        let mut verdicts = vec![Verdict::Valid; output];
        let refused = Err(BatchError::OutputLength { jobs: 2, output });
        for engine in engines() {
            let ways: [&dyn BatchVerify<P>; 2] = [&engine, &engine.on(&threads)];
            for way in ways {
                assert_eq!(way.verify_batch(&decoded, &mut out), refused);
                assert_eq!(way.verify_bytes_batch(&encoded, &mut verdicts), refused);
            }
        }
        // `Foreign` does not check the length of `verdicts` itself.
        assert_eq!(Foreign.verify_bytes_batch(&encoded, &mut verdicts), refused);
        assert!(out.iter().all(Result::is_ok));
        assert_eq!(verdicts, vec![Verdict::Valid; output]);
    }
}

/// Verifies rows with all combinations of keys, messages and signatures, some of them absent.
#[test]
fn rows_of_both_parameter_sets_are_judged_as_alone() {
    fn signed<P: Parameters>(format: Format) -> Vec<u8> {
        let key = key::<P>(0);
        let mut stream = key.sign_stream_from_seed(&[1; 32]);
        stream.update(b"one");
        let signature: Signature<P> = stream.finish().expect("no fault");
        signature.to_vec(format).expect("it fits")
    }
    let (small, large) = (key::<Falcon512>(0), key::<Falcon1024>(0));
    let keys = [
        None,
        Some(RowKey::Falcon512(small.verifying_key())),
        Some(RowKey::Falcon1024(large.verifying_key())),
    ];
    for format in [Format::Padded, Format::Compressed, Format::ConstantTime] {
        let signatures = [signed::<Falcon512>(format), signed::<Falcon1024>(format)];
        let (mut rows, mut ahead) = (Vec::new(), Vec::new());
        let mut expected = Vec::new();
        for (number, key) in keys.into_iter().enumerate() {
            for message in [None, Some(&b"one"[..]), Some(b"two")] {
                let truncated = signatures.each_ref().map(|bytes| &bytes[..bytes.len() - 1]);
                let whole = signatures.each_ref().map(|bytes| &bytes[..]);
                let given = whole.into_iter().chain(truncated).map(Some);
                for (of, signature) in given.chain([None]).enumerate() {
                    rows.push(Row {
                        key,
                        message,
                        signature,
                    });
                    ahead.push(signature.unwrap_or_default());
                    expected.push(match message {
                        _ if key.is_none() => Verdict::UnknownKey,
                        Some(b"one") if of + 1 == number => Verdict::Valid,
                        Some(_) if of + 1 == number => Verdict::Invalid,
                        _ => Verdict::Malformed,
                    });
                }
            }
        }
        let before = vec![Verdict::Valid; rows.len()];
        let mut out = before.clone();
        for engine in engines() {
            out.clone_from(&before);
            rows::verify(&engine, format, &rows, &mut out).expect("as many verdicts as rows");
            assert_eq!(out, expected, "{format:?} on {engine}");
            for ahead in [&ahead[..], &ahead[1..]] {
                out.clone_from(&before);
                rows::verify_ahead(&engine, format, &rows, ahead, &mut out)
                    .expect("as many verdicts as rows");
                assert_eq!(out, expected, "{format:?} on {engine}, with bytes ahead");
            }
        }
        out.clone_from(&before);
        rows::verify(&Foreign, format, &rows, &mut out).expect("as many verdicts as rows");
        assert_eq!(
            out, expected,
            "{format:?} on an engine that decodes nothing itself"
        );
        let (jobs, output) = (rows.len(), rows.len() - 1);
        assert_eq!(
            rows::verify(&Foreign, format, &rows, &mut out[1..]),
            Err(BatchError::OutputLength { jobs, output })
        );
    }
}

/// An engine that panics on jobs of Falcon-1024.
struct Small;

impl<P: Parameters> BatchVerify<P> for Small {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        assert_eq!(P::LOGN, 9);
        Foreign.verify_batch(jobs, out)
    }
}

#[test]
fn rows_of_one_parameter_set_reserve_nothing_for_the_other() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let key = Some(RowKey::Falcon512(key.verifying_key()));
    let rows = [
        Row::default(),
        Row::new(key, None, None),
        Row::new(key, Some(b"one"), Some(b"two")),
    ];
    for format in [Format::Padded, Format::Compressed] {
        let mut out = [Verdict::Valid; 3];
        rows::verify(&Small, format, &rows, &mut out).expect("as many verdicts as rows");
        assert_eq!(
            out,
            [Verdict::UnknownKey, Verdict::Malformed, Verdict::Malformed]
        );
    }
}

#[test]
fn every_verdict_has_a_number_and_a_name() {
    let names = ["valid", "invalid", "malformed", "unknown_key"];
    for (number, name) in (0..).zip(names) {
        let verdict = Verdict::try_from(number).expect("a number of a verdict");
        assert_eq!((verdict as u8, &*verdict.to_string()), (number, name));
        assert_eq!(verdict.is_valid(), number == 0);
    }
    for number in [4, 255] {
        let error = Verdict::try_from(number).unwrap_err();
        assert_eq!(error, UnknownVerdict(number));
        assert!(error.to_string().starts_with(&format!("{number} is not")));
    }
}

#[test]
fn keys_are_the_same_only_in_one_place_and_form() {
    type P = Falcon512;
    let keys = [1, 1, 2].map(|seed| SigningKey::<P>::from_seed(&[seed; 32]).expect("no fault"));
    let expanded = keys.each_ref().map(SigningKey::expand);
    let forms: Vec<JobKey<'_, P>> = keys
        .iter()
        .map(JobKey::from)
        .chain(expanded.iter().map(JobKey::from))
        .collect();
    for (i, a) in forms.iter().enumerate() {
        for (j, b) in forms.iter().enumerate() {
            assert_eq!(a.is_same(*b), i == j, "{i} {j}");
        }
    }
}

#[test]
fn as_many_threads_are_started_as_are_asked_for() {
    for count in 1..=5 {
        let threads = Threads::new(NonZeroUsize::new(count).expect("a number of threads"));
        assert_eq!(threads.count(), count);
        // If `count` is 1, the calling thread does the work.
        assert_eq!(threads.pool().is_some(), count > 1);
    }
}
