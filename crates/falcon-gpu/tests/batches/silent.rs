//! Kernels that silently do nothing, or only part of their work. The error of the batch names the
//! kernel, the output is unchanged, and the next batch succeeds.

use crate::fixture::{Fixture, SEED, options};
use crate::support::{Fault, HostDevice, PLENTY, context};
use falcon_core::batch::{BatchError, BatchSign, BatchVerify, Verdict, VerifyBytesJob, VerifyJob};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature};
use falcon_gpu::kernels::status;
use falcon_gpu::{GpuContext, KeyMode, Options};
use std::fmt::{Debug, Display};

/// More jobs than a block has threads.
const MANY: usize = 130;

/// A way of signing a batch: the form of the keys and the source of randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Transient,
    Balanced,
    Expanded,
    /// Expanded keys that stay on the device, with given nonces and seeds.
    Given,
}

const ALL: [How; 4] = [How::Transient, How::Balanced, How::Expanded, How::Given];

impl How {
    fn options(self) -> Options {
        options(match self {
            Self::Transient => KeyMode::Transient,
            Self::Balanced => KeyMode::Balanced,
            Self::Expanded | Self::Given => KeyMode::Expanded,
        })
    }

    fn sign<P: Parameters>(
        self,
        context: &GpuContext,
        fixture: &Fixture<P>,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        match self {
            Self::Transient | Self::Balanced | Self::Expanded => {
                context.sign_batch(&SEED, &fixture.jobs(), out)
            }
            Self::Given => {
                let seeds: Vec<_> = (0..out.len() as u64).map(u64::to_le_bytes).collect();
                let jobs: Vec<_> = fixture
                    .jobs()
                    .iter()
                    .zip(&seeds)
                    .map(|(job, seed)| {
                        let nonce = &[3; 40];
                        RawJob::new(job.key, job.message, RawRandomness { nonce, seed })
                    })
                    .collect();
                context.sign_batch_raw(&jobs, Fit::Padded, out)
            }
        }
    }

    /// Returns the name of the kernel that signs.
    fn signer(self, logn: u32) -> String {
        let mode = match self {
            Self::Transient => "raw",
            Self::Balanced => "balanced",
            Self::Expanded | Self::Given => "expanded",
        };
        format!("sign_{mode}_{logn}")
    }

    /// Returns the kernels of an attempt, each with its prefix for `spoil` and its full name.
    fn kernels(self, logn: u32) -> Vec<(&'static str, String)> {
        let mut all = vec![
            ("hash", format!("hash_{logn}")),
            ("seed", format!("seed_{logn}")),
            ("prng", "prng".to_owned()),
            ("sign", self.signer(logn)),
            ("accept", format!("accept_{logn}")),
        ];
        all.retain(|&(kernel, _)| self != Self::Given || kernel != "seed");
        all
    }
}

/// Returns the kernel at which a batch stopped.
fn stopped<T: Debug>(result: Result<T, impl Debug + Display>) -> String {
    let error = result.expect_err("it is spoilt").to_string();
    let (_, rest) = error.split_once("kernel ").expect("a kernel");
    rest.split(' ').next().expect("its name").to_owned()
}

/// Signs on a device with a kernel that fails after `first` launches, and then on the same device,
/// repaired.
fn signing_stops<P: Parameters>(
    fixture: &Fixture<P>,
    how: How,
    options: Options,
    (spoilt, name): (&'static str, &str),
    (fault, first): (Fault, usize),
    prepare: impl FnOnce(&HostDevice),
) {
    let Some((device, context)) = context(PLENTY, options) else {
        return;
    };
    prepare(&device);
    let placeholder = fixture.another();
    let mut out = vec![placeholder; fixture.messages.len()];
    device.spoil(spoilt, fault, first);
    let signed = how.sign(&context, fixture, &mut out);
    assert_eq!(stopped(signed), name, "{how:?}, {fault:?} after {first}");
    assert!(out.iter().all(|signature| *signature == placeholder));
    device.mend();
    how.sign(&context, fixture, &mut out).unwrap();
    assert!(!out.contains(&placeholder));
}

/// Signs with kernels that do nothing. Fresh device memory contains the status of some stage for
/// all jobs.
fn kernels_that_do_nothing_sign_nothing<P: Parameters>(fills: &[u8]) {
    let fixture = Fixture::<P>::new(2, 3);
    for how in ALL {
        for (spoilt, name) in how.kernels(P::LOGN) {
            for fault in [Fault::Nothing, Fault::NoStatus] {
                // `accept` has counted the signatures, so the batch succeeds all the same.
                if (spoilt, fault) == ("accept", Fault::NoStatus) {
                    continue;
                }
                for &fill in fills {
                    let fault = (fault, 0);
                    let options = how.options();
                    signing_stops(&fixture, how, options, (spoilt, &name), fault, |device| {
                        device.fill(fill);
                    });
                }
            }
        }
    }
}

#[test]
fn kernels_that_do_nothing_sign_nothing_for_512() {
    kernels_that_do_nothing_sign_nothing::<Falcon512>(&[
        status::NONE,
        status::GIVEN,
        status::HASHED,
        status::SEEDED,
        status::READY,
        status::SHORT,
        status::REDO,
        status::DONE,
    ]);
}

#[test]
fn kernels_that_do_nothing_sign_nothing_for_1024() {
    kernels_that_do_nothing_sign_nothing::<Falcon1024>(&[status::DONE]);
}

/// Spoils a kernel in the second attempt, after ten of the 40 jobs were refused in the first one.
#[test]
fn later_attempts_are_mistrusted_too() {
    let fixture = Fixture::<Falcon512>::new(2, 40);
    for how in ALL {
        for (spoilt, name) in how.kernels(9) {
            if spoilt == "hash" {
                continue;
            }
            for fault in [Fault::Nothing, Fault::LessBlock] {
                // `seed` uses one thread for each job, so ten jobs are only one block.
                if fault == Fault::LessBlock && !["prng", "sign", "accept"].contains(&spoilt) {
                    continue;
                }
                signing_stops(
                    &fixture,
                    how,
                    how.options(),
                    (spoilt, &name),
                    (fault, 1),
                    |device| device.refuse(|job, attempt| attempt == 0 && job % 4 == 0),
                );
            }
        }
    }
}

#[test]
fn grids_that_are_cut_short_sign_nothing() {
    let fixture = Fixture::<Falcon512>::new(2, MANY);
    for how in ALL {
        for (spoilt, name) in how.kernels(9) {
            let fault = (Fault::LessBlock, 0);
            signing_stops(&fixture, how, how.options(), (spoilt, &name), fault, |_| {});
        }
    }
}

/// The first attempt of every job is refused, and in the second attempt one kernel runs with one
/// block fewer.
#[test]
fn grids_of_later_attempts_that_are_cut_short_sign_nothing() {
    let fixture = Fixture::<Falcon512>::new(2, MANY);
    for how in [How::Transient, How::Expanded, How::Given] {
        for (spoilt, name) in how.kernels(9) {
            if spoilt == "hash" {
                continue;
            }
            let fault = (Fault::LessBlock, 1);
            signing_stops(
                &fixture,
                how,
                how.options(),
                (spoilt, &name),
                fault,
                |device| device.refuse(|_, attempt| attempt == 0),
            );
        }
    }
}

/// With given seeds, the host reads the list of jobs to try again and sends their seeds. Here the
/// list contains an invalid job number.
#[test]
fn lists_of_jobs_that_there_are_not_sign_nothing() {
    let fixture = Fixture::<Falcon512>::new(2, 24);
    for chunk in [8, 24] {
        let mut options = Options::default();
        options.chunk = Some(chunk);
        let (spoilt, fault) = (("accept", "accept_9"), (Fault::ForgedList, 0));
        signing_stops(&fixture, How::Given, options, spoilt, fault, |device| {
            device.refuse(|job, attempt| attempt == 0 && job % 4 == 0);
        });
    }
}

/// Checks that a batch fails if the counts of listed and of finished jobs were not zeroed before an
/// attempt.
#[test]
fn counts_that_were_not_zeroed_sign_nothing() {
    /// Length of both counts in bytes.
    const COUNTS: usize = 8;
    let fixture = Fixture::<Falcon512>::new(2, 24);
    let placeholder = fixture.another();
    for how in ALL {
        // The first attempt finds the initial contents of the memory, and the second attempt finds
        // what the first one has left.
        for (first, fill) in [(0, 0x01), (0, status::DONE), (0, 0xff), (1, status::DONE)] {
            let Some((device, context)) = context(PLENTY, how.options()) else {
                return;
            };
            device.fill(fill);
            device.refuse(|job, attempt| attempt == 0 && job % 4 != 0);
            device.forget_to_zero(COUNTS, first);
            let mut out = vec![placeholder; 24];
            let signed = how.sign(&context, &fixture, &mut out);
            assert_eq!(stopped(signed), "accept_9", "{how:?}, {fill} after {first}");
            assert!(out.iter().all(|signature| *signature == placeholder));
            device.mend();
            how.sign(&context, &fixture, &mut out).unwrap();
            assert!(!out.contains(&placeholder));
        }
    }
}

/// There are more chunks than streams, so a chunk gets the memory of an earlier chunk.
#[test]
fn what_an_earlier_chunk_has_left_is_not_signed() {
    let fixture = Fixture::<Falcon512>::new(2, 24);
    for how in ALL {
        for (spoilt, name) in how.kernels(9) {
            for first in [3, 4] {
                let mut options = how.options();
                options.chunk = Some(4);
                let fault = (Fault::Nothing, first);
                signing_stops(&fixture, how, options, (spoilt, &name), fault, |_| {});
            }
        }
    }
}

/// Claims in both forms.
struct Claims<'a, P: Parameters> {
    decoded: Vec<VerifyJob<'a, P>>,
    encoded: Vec<VerifyBytesJob<'a, P>>,
}

fn claims<'a, P: Parameters>(
    fixture: &'a Fixture<P>,
    signatures: &'a [Signature<P>],
    bytes: &'a [Vec<u8>],
) -> Claims<'a, P> {
    let decoded = signatures
        .iter()
        .enumerate()
        .map(|(i, signature)| VerifyJob {
            key: fixture.keys[fixture.key_of(i)].verifying_key(),
            message: &fixture.messages[i],
            signature,
        });
    let decoded: Vec<_> = decoded.collect();
    let encoded = decoded
        .iter()
        .zip(bytes)
        .map(|(job, signature)| VerifyBytesJob {
            key: job.key,
            message: job.message,
            signature,
        });
    Claims {
        encoded: encoded.collect(),
        decoded,
    }
}

/// Verifies on a device with a faulty kernel, and then on the same device, repaired.
fn verifying_stops<P: Parameters>(
    claims: &Claims<'_, P>,
    valid: &[bool],
    chunk: Option<usize>,
    spoilt: &'static str,
    (fault, first): (Fault, usize),
    fill: u8,
) {
    for decoded in [true, false] {
        if decoded && spoilt == "unpack" {
            continue;
        }
        let mut options = Options::default();
        options.chunk = chunk;
        let Some((device, context)) = context(PLENTY, options) else {
            return;
        };
        device.fill(fill);
        let verify = |out: &mut [Verdict]| {
            if !decoded {
                return context.verify_bytes_batch(&claims.encoded, out);
            }
            let mut results: Vec<_> = out.iter().map(|&verdict| verdict.into()).collect();
            let done = context.verify_batch(&claims.decoded, &mut results);
            for (out, result) in out.iter_mut().zip(results) {
                *out = result.map_or(Verdict::Invalid, |()| Verdict::Valid);
            }
            done
        };
        for before in [Verdict::Valid, Verdict::Invalid] {
            device.spoil(spoilt, fault, first);
            let mut out = vec![before; valid.len()];
            let stopped = stopped(verify(&mut out));
            assert_eq!(stopped, format!("{spoilt}_{}", P::LOGN), "{fault:?}");
            assert!(out.iter().all(|verdict| *verdict == before));
            device.mend();
            verify(&mut out).unwrap();
            let found = out.iter().map(|verdict| *verdict == Verdict::Valid);
            assert!(found.eq(valid.iter().copied()));
        }
    }
}

fn kernels_that_do_nothing_verify_nothing<P: Parameters>(count: usize) {
    let fixture = Fixture::<P>::new(6, count);
    let signatures = fixture.expected();
    let mut bytes: Vec<_> = signatures.iter().map(|s| s.to_bytes().to_vec()).collect();
    let mut signatures = signatures.clone();
    // Every seventh signature belongs to another message, so it is invalid. In encoded form it is
    // malformed.
    for i in (0..count).step_by(7) {
        signatures[i] = signatures[(i + 1) % count];
        bytes[i][0] ^= 1;
    }
    let valid: Vec<_> = (0..count).map(|i| i % 7 != 0).collect();
    let claims = claims(&fixture, &signatures, &bytes);
    for spoilt in ["prepare", "unpack", "hash", "verify"] {
        if count > 128 {
            let fault = (Fault::LessBlock, 0);
            verifying_stops(&claims, &valid, None, spoilt, fault, status::DONE);
            continue;
        }
        for fill in [
            status::NONE,
            status::GIVEN,
            status::HASHED,
            status::DONE,
            status::INVALID,
            status::MALFORMED,
        ] {
            let fault = (Fault::Nothing, 0);
            verifying_stops(&claims, &valid, None, spoilt, fault, fill);
            // Keys have no status.
            if spoilt != "prepare" {
                let fault = (Fault::NoStatus, 0);
                verifying_stops(&claims, &valid, None, spoilt, fault, fill);
            }
        }
        // There are more chunks than streams.
        for first in [3, 5] {
            let (fault, chunk) = ((Fault::Nothing, first), Some(4));
            verifying_stops(&claims, &valid, chunk, spoilt, fault, status::DONE);
        }
    }
}

#[test]
fn kernels_that_do_nothing_verify_nothing_for_512() {
    kernels_that_do_nothing_verify_nothing::<Falcon512>(24);
}

#[test]
fn kernels_that_do_nothing_verify_nothing_for_1024() {
    kernels_that_do_nothing_verify_nothing::<Falcon1024>(24);
}

#[test]
fn grids_that_are_cut_short_verify_nothing() {
    kernels_that_do_nothing_verify_nothing::<Falcon512>(MANY);
}

/// If a key could not be expanded, it is not on the device. It is not used for signing, and later
/// batches do not count it as resident.
#[test]
fn keys_that_were_not_expanded_are_not_there() {
    // A block expands one key.
    let fixture = Fixture::<Falcon512>::new(7, 21);
    let expected = fixture.expected();
    for how in [How::Balanced, How::Expanded] {
        let (spoilt, name) = match how {
            How::Balanced => ("basis", "basis_9"),
            _ => ("expand", "expand_9"),
        };
        for fault in [Fault::Nothing, Fault::LessBlock, Fault::NoStatus] {
            for fill in [status::NONE, status::DONE] {
                let Some((device, context)) = context(PLENTY, how.options()) else {
                    return;
                };
                device.fill(fill);
                for _ in 0..2 {
                    device.spoil(spoilt, fault, 0);
                    let mut out = vec![expected[1]; 21];
                    let signed = how.sign(&context, &fixture, &mut out);
                    assert_eq!(stopped(signed), name, "{fault:?}");
                    assert!(out.iter().all(|signature| *signature == expected[1]));
                    let uploaded = context.upload_key(&fixture.keys[0]);
                    assert_eq!(stopped(uploaded), name, "{fault:?}");
                }
                device.mend();
                assert!(fixture.signed(&context) == expected);
            }
        }
    }
}
