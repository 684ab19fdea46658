//! Single attempts of the core. Computes the signature that a job gets if earlier attempts are
//! refused.

use falcon_core::hazmat::{expanded_reals, secret_hash, signature_from_nonce_and_s2};
use falcon_core::seams::ffsampling::ffsampling;
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::lanes::{Baseline, Double};
use falcon_core::seams::sampler::{LaneSampler, Sampling, Serial};
use falcon_core::seams::tree::Stored;
use falcon_core::{ExpandedKey, Parameters};

/// Source of a job's nonce and seeds, as `falcon-core/src/hedge.rs` defines them.
#[derive(Clone, Copy)]
pub struct Hedged<'a> {
    /// The seed of the batch.
    pub seed: &'a [u8; 32],
    /// The number of the job.
    pub index: u64,
    /// The hash of the secret.
    pub secret: &'a [u8; 32],
}

impl<'a> Hedged<'a> {
    pub fn new<P: Parameters>(seed: &'a [u8; 32], index: u64, key: &'a ExpandedKey<P>) -> Self {
        let secret = secret_hash(key);
        Self {
            seed,
            index,
            secret,
        }
    }

    fn absorb(&self, label: &str) -> Shake256 {
        let mut hash = Shake256::new();
        hash.update(label.as_bytes())
            .update(self.seed)
            .update(&self.index.to_le_bytes());
        hash.update(self.secret);
        hash
    }

    pub fn nonce(&self) -> [u8; 40] {
        self.absorb("falcon nonce 2").finalize().read_array()
    }

    /// Returns the stream of seeds, 56 bytes each.
    pub fn stream(&self, point: &[u16]) -> Shake256Reader {
        let mut hash = self.absorb("falcon sampler");
        let digest = &point[..40];
        digest
            .iter()
            .for_each(|c| _ = hash.update(&c.to_le_bytes()));
        hash.finalize()
    }
}

/// Largest accepted squared norm: Falcon specification v1.2, table 3.3.
pub fn squared_norm_bound<P: Parameters>() -> u64 {
    if P::LOGN == 9 { 34_034_726 } else { 70_265_242 }
}

/// Makes one attempt with the core. Returns `s2`, and true if the vector is short.
pub fn attempt<P: Parameters>(
    key: &ExpandedKey<P>,
    point: &[u16],
    seed: &[u8; 56],
) -> (Vec<i16>, bool) {
    let (n, logn) = (P::N, P::LOGN);
    let (basis, tree) = expanded_reals(key).split_at(4 * n);
    let basis = BasisRef {
        b00: &basis[..n],
        b01: &basis[n..2 * n],
        b10: &basis[2 * n..3 * n],
        b11: &basis[3 * n..],
    };
    let mut t0: Vec<f64> = point.iter().copied().map(f64::from).collect();
    let mut t1 = vec![0.0; n];
    Baseline.fft(logn, &mut t0);
    Baseline.target(logn, &mut t0, &mut t1, basis.b01, basis.b11);
    let sampling = Serial::<f64>::new();
    let mut feed = sampling.feed(seed);
    let mut sampler = LaneSampler::new(Baseline, sampling, std::slice::from_mut(&mut feed));
    let mut tree = Stored::root(logn, tree);
    let mut scratch = vec![0.0; 2 * n];
    ffsampling(
        Baseline,
        &mut sampler,
        logn,
        &mut tree,
        &mut t0,
        &mut t1,
        &mut scratch,
    );
    Baseline.times_basis(logn, &mut t0, &mut t1, basis);
    Baseline.ifft(logn, &mut t0);
    Baseline.ifft(logn, &mut t1);
    let s1 = point
        .iter()
        .zip(&t0)
        .map(|(&c, &v)| i64::from(c) - v.rint());
    let s2: Vec<i64> = t1.iter().map(|&v| -v.rint()).collect();
    let norm: i64 = s1.chain(s2.iter().copied()).map(|s| s * s).sum();
    let short = norm.unsigned_abs() <= squared_norm_bound::<P>();
    (s2.iter().map(|&s| s as i16).collect(), short)
}

/// Signs like the core, but skips the attempts (counted from 0) for which `refused` is true and
/// signatures longer than `limit` bytes. Returns the signature and the number of attempts.
pub fn first_that_fits<P: Parameters>(
    key: &ExpandedKey<P>,
    nonce: &[u8; 40],
    message: &[u8],
    stream: impl FnOnce(&[u16]) -> Shake256Reader,
    limit: usize,
    refused: impl Fn(u32) -> bool,
) -> (Vec<u8>, u32) {
    let mut point = vec![0; P::N];
    Shake256HashToPoint.hash_to_point(nonce, message, &mut point);
    let mut stream = stream(&point);
    for attempts in 1.. {
        let (s2, short) = attempt(key, &point, &stream.read_array());
        let bits = s2
            .iter()
            .map(|s| 9 + usize::from(s.unsigned_abs() >> 7))
            .sum::<usize>();
        if short && !refused(attempts - 1) && 41 + bits.div_ceil(8) <= limit {
            let signature = signature_from_nonce_and_s2::<P>(nonce, &s2).expect("a short vector");
            return (signature.to_bytes().to_vec(), attempts);
        }
    }
    unreachable!("an endless range")
}
