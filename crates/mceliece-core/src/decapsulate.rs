//! Decapsulation.
//!
//! The verdict on a ciphertext stays secret: the session key is the hash of the error vector or of
//! the secret `s`, chosen by a mask.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Decap; with `pc` a ciphertext is
//! good only if it ends with `H(2 | e)`.

use crate::bits::{from_bytes, to_bytes};
use crate::code::{Code, MAX_WORDS};
use crate::decode::{DecodingKey, Values, decode, inverse_squares, no_values};
use crate::hash::{self, Message, hash_all};
use crate::layout::{Parts, parts};
use crate::mask;
use crate::stack::{wipe_below, wipe_far_below};
use core::{array, slice};
use falcon_lanes::{Isa, wipe};
use zeroize::Zeroizing;

/// A ciphertext, and the array for its session key.
pub(crate) type Job<'a> = (&'a [u8], &'a mut [u8; 32]);

/// Writes the session keys of ciphertexts, `N` ciphertexts side by side. The key and the
/// ciphertexts have the lengths of the parameter set.
pub(crate) fn decapsulate<'a, I: Isa, const N: usize>(
    isa: I,
    code: &Code,
    secret_key: &[u8],
    jobs: &mut dyn Iterator<Item = Job<'a>>,
) {
    match code.m {
        12 => decapsulate_on::<I, 12, N>(isa, code, secret_key, jobs),
        _ => decapsulate_on::<I, 13, N>(isa, code, secret_key, jobs),
    }
}

fn decapsulate_on<'a, I: Isa, const M: usize, const N: usize>(
    isa: I,
    code: &Code,
    secret_key: &[u8],
    jobs: &mut dyn Iterator<Item = Job<'a>>,
) {
    let parts = parts(code, secret_key);
    let mut values = no_values::<M>();
    inverse_squares(isa, parts.goppa, &mut values);
    let mut jobs = jobs.fuse();
    loop {
        let group: [Option<Job<'a>>; N] = array::from_fn(|_| jobs.next());
        if group.iter().all(Option::is_none) {
            break;
        }
        decapsulate_group(isa, code, &parts, &values, group);
    }
    wipe(values.0.as_flattened_mut().as_flattened_mut());
    if N == 1 {
        wipe_below();
    } else {
        // A group has long stack frames.
        wipe_far_below();
    }
}

/// The part of a hashed message before the ciphertext.
#[derive(Clone, Copy)]
struct Preimage {
    /// First byte of the message.
    domain: [u8; 1],
    /// The error vector, or the secret `s`.
    bytes: [u8; 8 * MAX_WORDS],
    /// All ones if the ciphertext is good, otherwise zero.
    good: u64,
}

/// Writes the session keys of a group of jobs. Empty places come after the jobs.
// Not inlined, so that the caller can wipe its stack frame.
#[inline(never)]
fn decapsulate_group<I: Isa, const M: usize, const N: usize>(
    isa: I,
    code: &Code,
    parts: &Parts<'_>,
    values: &Values<M>,
    mut group: [Option<Job<'_>>; N],
) {
    let count = group.iter().flatten().count();
    let mut preimages = [Preimage {
        domain: [hash::CONFIRMATION],
        bytes: [0; 8 * MAX_WORDS],
        good: 0,
    }; N];
    let key = DecodingKey {
        code,
        control: parts.control,
    };
    // Takes two jobs at a time, because each step of Berlekamp-Massey waits for its discrepancy.
    for (jobs, preimages) in group.chunks(2).zip(preimages.chunks_mut(2)) {
        match (jobs, preimages) {
            ([Some((a, _)), Some((b, _))], [x, y]) => {
                find_errors(isa, &key, values, [a, b], [x, y])
            }
            ([Some((a, _)), ..], [x, ..]) => find_errors(isa, &key, values, [a], [x]),
            _ => {}
        }
    }
    if code.confirmed {
        confirm(isa, code, count, &group, &mut preimages);
    }
    for preimage in &mut preimages {
        let good = mask::hidden(preimage.good) as u8;
        for (byte, &s) in preimage.bytes.iter_mut().zip(parts.s) {
            *byte = *byte & good | s & !good;
        }
        preimage.domain = [hash::SESSION & good | hash::REJECTION & !good];
    }
    let jobs = group.iter_mut().flatten();
    let messages = jobs
        .zip(&preimages)
        .map(|((ciphertext, session_key), preimage)| Message {
            pieces: [
                &preimage.domain,
                &preimage.bytes[..code.error_len()],
                ciphertext,
            ],
            output: &mut **session_key,
        });
    hash_all::<I, N>(isa, count, messages);
    for preimage in &mut preimages {
        wipe(slice::from_mut(&mut preimage.good));
        wipe(&mut preimage.domain);
        wipe(&mut preimage.bytes);
    }
}

/// Writes the error vector of each ciphertext, and a mask that tells whether the vector exists.
fn find_errors<I: Isa, const M: usize, const N: usize>(
    isa: I,
    key: &DecodingKey<'_>,
    values: &Values<M>,
    ciphertexts: [&[u8]; N],
    preimages: [&mut Preimage; N],
) {
    let mut v = [[0; MAX_WORDS]; N];
    for (v, ciphertext) in v.iter_mut().zip(ciphertexts) {
        from_bytes(&ciphertext[..key.code.syndrome_len()], v);
    }
    let mut e = [[0; MAX_WORDS]; N];
    let good = decode(isa, key, values, &v, &mut e);
    for ((preimage, e), good) in preimages.into_iter().zip(&e).zip(good) {
        to_bytes(e, &mut preimage.bytes[..key.code.error_len()]);
        preimage.good = good;
    }
    wipe(e.as_flattened_mut());
}

/// Clears `good` of each ciphertext whose confirmation hash is not that of the error vector.
/// `count` is the number of jobs in the group.
fn confirm<I: Isa, const N: usize>(
    isa: I,
    code: &Code,
    count: usize,
    group: &[Option<Job<'_>>; N],
    preimages: &mut [Preimage; N],
) {
    let mut expected = Zeroizing::new([[0; 32]; N]);
    let messages = (preimages.iter().zip(&mut *expected)).map(|(preimage, output)| Message {
        pieces: [&preimage.domain, &preimage.bytes[..code.error_len()], &[]],
        output,
    });
    hash_all::<I, N>(isa, count, messages.take(count));
    for ((preimage, job), expected) in preimages.iter_mut().zip(group).zip(&*expected) {
        if let Some((ciphertext, _)) = job {
            let pairs = expected.iter().zip(&ciphertext[code.syndrome_len()..]);
            let different = pairs.fold(0, |all, (a, b)| all | (a ^ b));
            // The mask is hidden from the compiler, which would otherwise branch around the change
            // of `good`.
            preimage.good &= !mask::hidden(mask::nonzero(u64::from(different)));
        }
    }
}
