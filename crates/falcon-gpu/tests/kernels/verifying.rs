//! The verifying kernels, compiled for the CPU, give the same verdicts as `falcon-core`.

use crate::attempts::squared_norm_bound;
use crate::common::{
    Job, LAUNCH, Launch, bytes, kernels_available, key, launches, repeatable, verify,
};
use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::seams::LaneEngine;
use falcon_core::seams::lanes::Baseline;
use falcon_core::{ExpandedKey, Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey};
use falcon_gpu::kernels::status;
use std::ops::Range;

const CPU: LaneEngine<Baseline, Baseline> = LaneEngine {
    arith: Baseline,
    fft: Baseline,
};

struct Signed<P: Parameters> {
    keys: Vec<SigningKey<P>>,
    jobs: Vec<Job>,
    signatures: Vec<Vec<u8>>,
}

fn signed<P: Parameters>(label: &str, count: usize, keys: u8) -> Signed<P> {
    let keys: Vec<SigningKey<P>> = (0..keys).map(key).collect();
    let mut messages = repeatable(label);
    let jobs: Vec<Job> = (0..count)
        .map(|i| Job {
            key: i % keys.len(),
            message: bytes(&mut messages, i),
        })
        .collect();
    let expanded: Vec<ExpandedKey<P>> = keys.iter().map(SigningKey::expand).collect();
    let sign_jobs: Vec<_> = jobs
        .iter()
        .map(|job| SignJob::new(&expanded[job.key], &job.message))
        .collect();
    let mut out = vec![Signature::EMPTY; count];
    CPU.sign_batch(&[7; 32], &sign_jobs, &mut out)
        .expect("equal lengths");
    let signatures = out
        .iter()
        .map(|signature| signature.to_bytes().to_vec())
        .collect();
    Signed {
        keys,
        jobs,
        signatures,
    }
}

/// A canonical encoding that was decoded bit by bit.
struct Read {
    s2: Vec<i32>,
    /// Position of the last code word in bits.
    last: Range<usize>,
}

/// Returns `None` if the bytes do not have the form of a signature. Does not check whether s2 is
/// short.
fn read<P: Parameters>(bytes: &[u8]) -> Option<Read> {
    if bytes.len() < P::PADDED_LEN || bytes[0] != 0x30 + P::LOGN as u8 {
        return None;
    }
    let bit = |at: usize| Some(i32::from(bytes.get(at / 8)? >> (7 - at % 8) & 1));
    let (mut s2, mut last) = (Vec::new(), 0..8 * 41);
    for _ in 0..P::N {
        last.start = last.end;
        let sign = bit(last.start)?;
        let mut magnitude = 0;
        for at in last.start + 1..last.start + 8 {
            magnitude = 2 * magnitude + bit(at)?;
        }
        last.end += 8;
        while bit(last.end)? == 0 {
            magnitude += 128;
            last.end += 1;
        }
        last.end += 1;
        if magnitude > 2047 || (sign, magnitude) == (1, 0) {
            return None;
        }
        s2.push(if sign == 1 { -magnitude } else { magnitude });
    }
    let whole = bytes.len() == P::PADDED_LEN || bytes.len() == last.end.div_ceil(8);
    let zeros = (last.end..8 * bytes.len()).all(|at| bit(at) == Some(0));
    (whole && zeros).then_some(Read { s2, last })
}

/// Compares the verdicts with the core's, and returns the number of valid signatures.
fn agree<P: Parameters>(launch: Launch, what: &Signed<P>) -> usize {
    let public: Vec<_> = what
        .keys
        .iter()
        .map(|key| key.verifying_key().ntt_of_h())
        .collect();
    let public: Vec<&[u16]> = public.iter().map(AsRef::as_ref).collect();
    let states = verify::<P>(launch, &public, &what.jobs, &what.signatures);
    let jobs: Vec<_> = what
        .jobs
        .iter()
        .zip(&what.signatures)
        .map(|(job, signature)| VerifyBytesJob {
            key: what.keys[job.key].verifying_key(),
            message: &job.message,
            signature,
        })
        .collect();
    let mut expected = vec![Verdict::Valid; jobs.len()];
    CPU.verify_bytes_batch(&jobs, &mut expected)
        .expect("equal lengths");
    for (i, (state, expected)) in states.iter().zip(&expected).enumerate() {
        let is_valid = *expected == Verdict::Valid;
        assert_eq!(*state == status::DONE, is_valid, "{i}: {state}");
        let signature = &what.signatures[i][..];
        let read = read::<P>(signature);
        assert_eq!(*state == status::MALFORMED, read.is_none(), "{i}: {state}");
        // The core's decoder refuses malformed bytes, and an s2 that exceeds the norm bound by
        // itself.
        let short = read.is_some_and(|read| {
            let norm: i64 = read.s2.iter().map(|&s| i64::from(s).pow(2)).sum();
            norm.unsigned_abs() <= squared_norm_bound::<P>()
        });
        let decoded = Signature::<P>::try_from(signature);
        assert_eq!(decoded.is_ok(), short, "{i}: {decoded:?}");
        assert_eq!(*expected != Verdict::Malformed, short, "{i}: {expected:?}");
        assert!([status::DONE, status::MALFORMED, status::INVALID].contains(state));
    }
    let valid = expected.iter().filter(|&&it| it == Verdict::Valid);
    valid.count()
}

fn valid_signatures_verify<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    for keys in [1, 3] {
        let what = signed::<P>("kernels: valid", 67, keys);
        for launch in launches() {
            assert_eq!(agree(launch, &what), 67, "{launch:?}");
        }
    }
}

#[test]
fn valid_signatures_of_512_verify() {
    valid_signatures_verify::<Falcon512>();
}

#[test]
fn valid_signatures_of_1024_verify() {
    valid_signatures_verify::<Falcon1024>();
}

/// Flips a bit of the signature or of the message, changes the length of the signature, or uses
/// another key.
fn damaged_ones_are_judged_as_the_core_does<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let mut what = signed::<P>("kernels: damaged", 400, 2);
    let mut source = repeatable("kernels: damage");
    for (i, (job, signature)) in what.jobs.iter_mut().zip(&mut what.signatures).enumerate() {
        let at: u32 = u32::from_le_bytes(source.read_array());
        let flip = |bytes: &mut Vec<u8>| {
            let bit = at as usize % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        };
        match i % 8 {
            0 if !job.message.is_empty() => flip(&mut job.message),
            1 => job.key ^= 1,
            2 => signature[0] ^= 1 << (at % 8),
            3 => *signature.last_mut().expect("bytes") ^= 1,
            4 => signature.truncate(at as usize % signature.len()),
            5 => signature.push(0),
            _ => flip(signature),
        }
    }
    // No signature is valid, except by chance, since every flip matters, even in the padding.
    assert!(agree(LAUNCH, &what) <= 1);
}

#[test]
fn damaged_ones_of_512_are_judged_as_the_core_does() {
    damaged_ones_are_judged_as_the_core_does::<Falcon512>();
}

#[test]
fn damaged_ones_of_1024_are_judged_as_the_core_does() {
    damaged_ones_are_judged_as_the_core_does::<Falcon1024>();
}

/// Flips each bit of valid signatures from the last code word to the end, including the rest of the
/// last byte and the padding. Every flipped signature must be refused.
fn no_bit_behind_the_code_may_be_another<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let what = signed::<P>("kernels: flipped", 64, 1);
    let (mut jobs, mut signatures) = (Vec::new(), Vec::new());
    // The codes of these signatures end at every bit position of a byte.
    for place in 0..8 {
        let last = |i: usize| read::<P>(&what.signatures[i]).expect("valid").last;
        let found = (0..64).find(|&i| last(i).end % 8 == place);
        let i = found.expect("one of 64");
        let valid = &what.signatures[i];
        signatures.push(valid.clone());
        for bit in last(i).start..8 * valid.len() {
            let mut flipped = valid.clone();
            flipped[bit / 8] ^= 0x80 >> (bit % 8);
            signatures.push(flipped);
        }
        jobs.resize(signatures.len(), what.jobs[i].clone());
    }
    let what = Signed {
        jobs,
        signatures,
        ..what
    };
    assert_eq!(agree(LAUNCH, &what), 8);
}

#[test]
fn no_bit_behind_the_code_of_512_may_be_another() {
    no_bit_behind_the_code_may_be_another::<Falcon512>();
}

#[test]
fn no_bit_behind_the_code_of_1024_may_be_another() {
    no_bit_behind_the_code_may_be_another::<Falcon1024>();
}

/// Tests byte strings, most of which break a rule of the encoding. Only one is a valid signature.
fn malformed_codes_are_refused<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let mut what = signed::<P>("kernels: malformed", 1, 1);
    let valid = what.signatures[0].clone();
    let (n, header) = (P::N, valid[0]);
    // Encodes s2 from code words. The bits fill each byte from the highest one down.
    let encoded = |words: &dyn Fn(usize) -> Vec<u8>, len: usize, tail: u8| {
        let mut bits: Vec<u8> = (0..n).flat_map(words).collect();
        while !bits.len().is_multiple_of(8) {
            bits.push(tail);
        }
        let mut out = vec![header];
        out.resize(41, 1);
        out.extend(
            bits.chunks(8)
                .map(|byte| byte.iter().fold(0, |a, b| a << 1 | b)),
        );
        out.resize(out.len().max(len), 0);
        out
    };
    let word = |sign: u8, low: u8, run: usize| {
        let mut bits = vec![sign];
        bits.extend((0..7).rev().map(|i| low >> i & 1));
        bits.extend(std::iter::repeat_n(0, run));
        bits.push(1);
        bits
    };
    let padded = P::PADDED_LEN;
    let one =
        |i: usize, odd: Vec<u8>| move |k: usize| if k == i { odd.clone() } else { word(0, 1, 0) };
    let mut cases = vec![
        encoded(&|_| word(0, 1, 0), padded, 0),
        encoded(&one(3, word(1, 0, 0)), padded, 0),
        encoded(&one(n - 1, word(1, 0, 0)), padded, 0),
        encoded(&one(5, word(0, 127, 15)), padded, 0),
        encoded(&one(5, word(0, 0, 16)), padded, 0),
        encoded(&one(5, word(0, 0, 40)), padded, 0),
        encoded(&one(5, word(1, 5, 3)), padded, 1),
        // The code is longer than the padded form, so nothing may follow it.
        encoded(&|i| word(0, 1, usize::from(i % 2 == 0) * 4), 0, 0),
        encoded(&|i| word(0, 1, usize::from(i % 2 == 0) * 4), 0, 1),
        encoded(
            &|i| word(0, 1, usize::from(i % 2 == 0) * 4),
            P::COMPRESSED_MAX_LEN,
            0,
        ),
        encoded(&|_| word(0, 1, 15), 0, 0),
        encoded(&|_| vec![0; 9], padded, 0),
        vec![],
        vec![header],
        vec![header; 41],
        vec![0; padded],
        vec![0xff; padded],
    ];
    // Puts a magnitude of 1920, or one above 2047, into a short vector, at every bit position.
    for i in (0..9).chain([n - 2, n - 1]) {
        for (sign, run) in [(0, 15), (0, 16), (1, 16), (0, 17), (1, 23), (0, 24)] {
            cases.push(encoded(&one(i, word(sign, 0, run)), padded, 0));
        }
    }
    // Truncates a code that ends exactly at the end of a byte, to every length from the padded one
    // on.
    let exact = encoded(&|i| word(0, 1, usize::from(i % 2 == 0) * 4), 0, 0);
    cases.extend((padded..exact.len()).map(|len| exact[..len].to_vec()));
    // Encodes the valid signature in the other formats.
    let parsed = Signature::<P>::try_from(&valid[..]).expect("valid");
    for format in [Format::Compressed, Format::ConstantTime] {
        cases.push(parsed.to_vec(format).expect("an encoding"));
    }
    let mut again = valid.clone();
    again.push(0);
    cases.push(again);
    cases.push(valid);
    what.jobs = vec![what.jobs[0].clone(); cases.len()];
    what.signatures = cases;
    assert_eq!(agree(LAUNCH, &what), 1);
}

#[test]
fn malformed_codes_of_512_are_refused() {
    malformed_codes_are_refused::<Falcon512>();
}

#[test]
fn malformed_codes_of_1024_are_refused() {
    malformed_codes_are_refused::<Falcon1024>();
}
