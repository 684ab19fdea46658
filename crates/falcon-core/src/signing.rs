//! The signing core: from a hashed point to a short vector, on one lane or many, with the tree
//! computed during the walk or read from an expanded key.
//!
//! Source: Falcon specification v1.2, algorithm 10.

mod blocks;

pub(crate) use blocks::short_vectors;

use crate::codec::{self, signature::Format};
use crate::error::FaultError;
use crate::ffsampling::ffsampling;
use crate::fft::{BasisRef, Fft, Ldl};
use crate::hash;
use crate::hedge::{SamplerSeed, SamplerSeeds};
use crate::lanes::{Binary64, Double, wipe};
use crate::norm::{self, is_short};
use crate::params::{Array, INV_SIGMA, NONCE_LEN, Q, SIGMA_MIN};
use crate::prng::SAMPLER_SEED_LEN;
use crate::reveal::reveal;
use crate::ring;
use crate::sampler::{LaneSampler, Sampling, SigningIsa};
use crate::tree::{self, Computed, Profile, Stored, Subtree};
use core::slice;

/// The short secret basis as integers: `f, g, F, G`, with `n` coefficients each. Also `h = g / f
/// mod q` in the domain of [`PortableNtt`](crate::ntt::PortableNtt).
#[derive(Clone, Copy)]
pub(crate) struct SecretBasis<'a> {
    pub(crate) f: &'a [i8],
    pub(crate) g: &'a [i8],
    pub(crate) capital_f: &'a [i8],
    pub(crate) capital_g: &'a [i8],
    pub(crate) h: &'a [i16],
}

/// Returns the profile of round 3 at degree `2^logn`.
pub(crate) fn profile(logn: u32) -> Profile {
    Profile {
        inv_sigma: INV_SIGMA[logn as usize],
        sigma_min: SIGMA_MIN[logn as usize],
        ldl: Ldl::Complex,
    }
}

/// Number of reals of the scratch of [`attempt_computed`].
pub(crate) const fn computed_scratch_len(logn: u32) -> usize {
    8 << logn
}

/// Number of reals of the scratch per lane of [`attempt_stored`].
#[cfg(any(test, feature = "alloc"))]
pub(crate) const fn stored_scratch_len(logn: u32) -> usize {
    4 << logn
}

/// Number of reals of the scratch of [`expand`].
#[cfg(feature = "alloc")]
pub(crate) const fn expand_scratch_len(logn: u32) -> usize {
    4 << logn
}

/// Number of reals of an expanded key: the basis, then the tree.
pub(crate) const fn expanded_len(logn: u32) -> usize {
    (4 << logn) + tree::stored_len(logn)
}

/// The reals of an expanded key, split into basis and tree.
#[derive(Clone, Copy)]
pub(crate) struct ExpandedRef<'a> {
    pub(crate) basis: BasisRef<'a>,
    pub(crate) tree: Stored<'a>,
}

impl<'a> ExpandedRef<'a> {
    /// Splits `expanded_len(logn)` reals.
    pub(crate) fn new(logn: u32, reals: &'a [f64]) -> Self {
        let (basis, tree) = reals.split_at(4 << logn);
        Self {
            basis: basis_ref(logn, basis),
            tree: Stored::root(logn, tree),
        }
    }
}

fn basis_ref(logn: u32, reals: &[f64]) -> BasisRef<'_> {
    let n = 1 << logn;
    BasisRef {
        b00: &reals[..n],
        b01: &reals[n..2 * n],
        b10: &reals[2 * n..3 * n],
        b11: &reals[3 * n..4 * n],
    }
}

/// Writes `[[g, -f], [G, -F]]` in the FFT domain to `out`, `4n` reals.
fn transform_basis<B: Binary64>(b: B, logn: u32, key: SecretBasis<'_>, out: &mut [f64]) {
    let n = 1 << logn;
    let rows = [
        (key.g, 1),
        (key.f, -1),
        (key.capital_g, 1),
        (key.capital_f, -1),
    ];
    for (out, (row, sign)) in out.chunks_exact_mut(n).zip(rows) {
        b.vectorize(
            #[inline(always)]
            || {
                for (out, &x) in out.iter_mut().zip(row) {
                    *out = B::F64::from_i64(i64::from(sign * i16::from(x))).into();
                }
            },
        );
        b.fft(logn, out);
    }
}

/// Fills `out` (`expanded_len` reals) with the basis and the tree. `scratch` has `4n` reals.
pub(crate) fn expand<B: Binary64>(
    b: B,
    logn: u32,
    key: SecretBasis<'_>,
    profile: Profile,
    out: &mut [f64],
    scratch: &mut [f64],
) {
    let n = 1 << logn;
    let (basis, tree) = out.split_at_mut(4 * n);
    transform_basis(b, logn, key, basis);
    let scratch = &mut scratch[..4 * n];
    scratch.copy_from_slice(basis);
    let mut subtree = Subtree::ZERO;
    Computed::root(b, logn, profile, scratch, &mut subtree).store(tree);
}

/// Computes `(t0, t1) = (c, 0) B^-1` for every lane.
fn load_target<B: Binary64, F: Fft>(
    b: B,
    fft: F,
    logn: u32,
    points: &[&[u16]],
    basis: BasisRef<'_>,
    t0: &mut [F::Real],
    t1: &mut [F::Real],
) {
    blocks::load_points(b, fft, points, t0);
    fft.fft(logn, t0);
    fft.target(logn, t0, t1, basis.b01, basis.b11);
}

/// Restarts `feed` for the next attempt at a signature, from the seed that `next_seed` writes.
/// Returns `None` if there is no further seed.
pub(crate) fn start_next<S: Sampling<Seed = [u8; SAMPLER_SEED_LEN]>>(
    sampling: S,
    feed: &mut S::Feed,
    next_seed: impl FnOnce(&mut SamplerSeed) -> Option<()>,
) -> Option<()> {
    let mut seed = SamplerSeed::new([0; SAMPLER_SEED_LEN]);
    next_seed(&mut seed)?;
    sampling.start(feed, &seed);
    Some(())
}

/// Makes one attempt on every lane with an expanded key. `points` has an element for each lane.
/// `feeds` has an element for each of the first lanes; only the results of these lanes are read.
/// Returns the lattice points in coefficient form, inside `scratch`, which has
/// [`stored_scratch_len`] reals.
pub(crate) fn attempt_stored<'s, B: SigningIsa, F: Fft, S: Sampling>(
    b: B,
    fft: F,
    sampling: S,
    logn: u32,
    key: ExpandedRef<'_>,
    points: &[&[u16]],
    feeds: &mut [S::Feed],
    scratch: &'s mut [F::Real],
) -> (&'s [F::Real], &'s [F::Real]) {
    let n = 1 << logn;
    let (t0, rest) = scratch.split_at_mut(n);
    let (t1, rest) = rest.split_at_mut(n);
    load_target(b, fft, logn, points, key.basis, t0, t1);
    let mut sampler = LaneSampler::new(fft, sampling, feeds);
    ffsampling(fft, &mut sampler, logn, &mut { key.tree }, t0, t1, rest);
    lattice_point(fft, logn, key.basis, t0, t1)
}

/// Makes one attempt, and computes the tree during the walk. Returns `z` in the FFT domain, inside
/// `scratch`; the rest of `scratch` is no longer needed. `scratch` has [`computed_scratch_len`]
/// reals: four polynomials of the basis, which become the tree; two of the target; two of
/// ffSampling.
fn attempt_computed<'s, B: SigningIsa, S: Sampling>(
    b: B,
    sampling: S,
    logn: u32,
    profile: Profile,
    key: SecretBasis<'_>,
    point: &[u16],
    feed: &mut S::Feed,
    scratch: &'s mut [f64],
) -> (&'s mut [f64], &'s mut [f64]) {
    let n = 1 << logn;
    let (basis, rest) = scratch.split_at_mut(4 * n);
    let (t0, rest) = rest.split_at_mut(n);
    let (t1, rest) = rest.split_at_mut(n);

    transform_basis(b, logn, key, basis);
    load_target(b, b, logn, &[point], basis_ref(logn, basis), t0, t1);

    let mut subtree = Subtree::ZERO;
    let mut root = Computed::root(b, logn, profile, basis, &mut subtree);
    let mut sampler = LaneSampler::new(b, sampling, slice::from_mut(feed));
    ffsampling(b, &mut sampler, logn, &mut root, t0, t1, rest);
    (t0, t1)
}

/// Computes [`short_vectors`] with integers, for one lane, from `z` in the FFT domain. Overwrites
/// `z`. Uses the integers of the basis, which need not be transformed again. `W` holds `3n`
/// words.
///
/// The norm is that of the vector modulo `q`. This is the vector itself unless a coefficient
/// exceeds `(q - 1) / 2 = 6144`: 36 standard deviations, for any key whose norms were checked.
///
/// Not inlined, so that its words leave the stack before the next attempt.
#[inline(never)]
fn short_vector_of_integers<B: Binary64, W: Array<i16>>(
    b: B,
    logn: u32,
    key: SecretBasis<'_>,
    point: &[u16],
    z: (&mut [f64], &mut [f64]),
    s2: &mut [i16],
) -> u64 {
    let n = 1 << logn;
    let mut words = W::ZERO;
    let (z0, rest) = words.as_mut().split_at_mut(n);
    let (z1, rest) = rest.split_at_mut(n);
    let (small, _) = rest.split_at_mut(n);
    for (reals, words) in [(z.0, &mut *z0), (z.1, &mut *z1)] {
        b.ifft(logn, reals);
        b.vectorize(
            #[inline(always)]
            || {
                for (word, real) in words.iter_mut().zip(&*reals) {
                    *word = residue(B::F64::from(*real).rint());
                }
            },
        );
    }
    let rows = [key.f, key.capital_f];
    let words_of = [z0, z1, small];
    let norm = ring::preimage(b, logn, rows, key.h, point, words_of, s2);
    wipe(words.as_mut());
    norm
}

/// Makes one attempt with a key that is not expanded: writes `s2` and returns the squared norm of
/// the vector. `scratch` holds [`computed_scratch_len`] reals.
pub(crate) fn attempt_from_basis<B: SigningIsa, S: Sampling>(
    b: B,
    sampling: S,
    logn: u32,
    profile: Profile,
    key: SecretBasis<'_>,
    point: &[u16],
    feed: &mut S::Feed,
    scratch: &mut [f64],
    s2: &mut [i16],
) -> u64 {
    let z = attempt_computed(b, sampling, logn, profile, key, point, feed, scratch);
    // Up to degree 512, half as much stack is enough.
    if logn <= 9 {
        short_vector_of_integers::<B, [i16; 3 << 9]>(b, logn, key, point, z, s2)
    } else {
        short_vector_of_integers::<B, [i16; 3 << 10]>(b, logn, key, point, z, s2)
    }
}

/// Returns `x mod q`, centred, for `|x| < 2^29`. For any `x`, the result is at most 6145 in
/// absolute value, which is the bound of the transform.
#[inline(always)]
fn residue(x: i64) -> i16 {
    // This is round(2^43 / q), with an error of 0.185. So the quotient is off by 0.185 |x| / 2^43
    // before it is rounded. The remainder is at most 6144.5 plus q times this error: 0.14 for 2^29,
    // 0.56 for 2^31. The factors have 32 bits, since vector units multiply these.
    const INVERSE: i32 = (((1 << 44) / Q as i64 + 1) / 2) as i32;
    let x = x as i32;
    let quotient = (i64::from(x) * i64::from(INVERSE) + (1 << 42)) >> 43;
    x.wrapping_sub((quotient as i32).wrapping_mul(Q as i32)) as i16
}

/// Computes `(z0, z1) B` in coefficient form, in place.
fn lattice_point<'s, F: Fft>(
    fft: F,
    logn: u32,
    basis: BasisRef<'_>,
    z0: &'s mut [F::Real],
    z1: &'s mut [F::Real],
) -> (&'s [F::Real], &'s [F::Real]) {
    fft.times_basis(logn, z0, z1, basis);
    fft.ifft(logn, z0);
    fft.ifft(logn, z1);
    (z0, z1)
}

/// The lattice basis of a secret key, expanded or not.
#[derive(Clone, Copy)]
pub(crate) enum KeySource<'a> {
    /// The key is expanded, and the signer reads its tree.
    Stored(ExpandedRef<'a>),
    /// The key is not expanded, and the signer computes its tree at every attempt.
    Computed(SecretBasis<'a>),
}

impl KeySource<'_> {
    /// Number of reals of the scratch of [`short_preimage`] with this key.
    #[cfg(feature = "alloc")]
    pub(crate) fn scratch_len(&self, logn: u32) -> usize {
        match self {
            Self::Stored(_) => stored_scratch_len(logn),
            Self::Computed(_) => computed_scratch_len(logn),
        }
    }

    /// Returns true if both sources are the same key at the same address.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stored(a), Self::Stored(b)) => core::ptr::eq(a.basis.b00, b.basis.b00),
            (Self::Computed(a), Self::Computed(b)) => core::ptr::eq(a.f, b.f),
            _ => false,
        }
    }
}

/// The format that a signature must fit.
///
/// **Never sign one message with the same nonce and seed for both formats.** If the two signatures
/// differ, they come from different attempts at one point, and together they leak the key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{Fit, RawRandomness, sign_raw};
/// use falcon_core::{Falcon512, Parameters, Scratch, SigningKey};
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let randomness = RawRandomness { nonce: &[1; 40], seed: &[2; 48] };
/// let signature = sign_raw(&key, randomness, b"order #42", Fit::Padded, &mut scratch)?;
/// assert_eq!(signature.to_bytes().len(), Falcon512::PADDED_LEN);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Sample again until the compressed form fits 666 or 1280 bytes.
    Padded,
    /// Take the first short vector, as the reference does for its unpadded
    /// form.
    Any,
}

impl Fit {
    /// Returns true if `s2` can be written in this format. Constant time.
    pub(crate) fn accepts(self, logn: u32, s2: &[i16]) -> bool {
        let (len, encodable) = codec::measure(s2);
        let fits = self == Self::Any || 1 + NONCE_LEN + len <= Format::Padded.max_len(logn);
        encodable & fits
    }
}

/// Returns true if an attempt is a signature: lines 8 and 11 of Algorithm 10. Every attempt of
/// round 3 is judged here, and nothing else is revealed about a refused attempt.
#[inline(always)]
pub(crate) fn is_signature(
    logn: u32,
    squared_norm: u64,
    s2: &[i16],
    accept: impl Fn(&[i16]) -> bool,
) -> bool {
    reveal(is_short(logn, squared_norm) & accept(s2))
}

/// Number of attempts at a signature after which the device counts as faulty.
///
/// The chance that an attempt is refused is below 1/2. So the chance that 256 in a row are refused
/// is below `2^-256`. Measured refusals: none of 20,000 attempts at degree 512; at degree 1024, one
/// in 1,100 with [`Fit::Padded`] and none of 20,000 with [`Fit::Any`]. Small degrees refuse more,
/// degree 2 the most: 32 in 100. A test measures these numbers again. The chance hardly depends on
/// the point, or on the key, whose norms were checked: the sampled vector has about the same length
/// for all points and keys.
pub(crate) const MAX_ATTEMPTS: u32 = 256;

/// Computes algorithm 10 (Sign), lines 3 to 11: `s2` of a short preimage of `point`.
///
/// Each attempt uses the next seed of `seeds`. If the vector is too long, or if `accept` refuses
/// `s2` because the format cannot hold it, another attempt follows. `point` stays the same.
/// `accept` must be constant time. `scratch` holds [`computed_scratch_len`] reals.
///
/// # Errors
/// [`FaultError`] if the sampler gives up, if [`MAX_ATTEMPTS`] attempts are refused, or if there is
/// no further seed. Then `s2` is zero, so that no refused vector is left.
pub(crate) fn short_preimage<B: SigningIsa>(
    b: B,
    logn: u32,
    key: &KeySource<'_>,
    point: &[u16],
    seeds: &mut dyn SamplerSeeds,
    accept: impl Fn(&[i16]) -> bool,
    scratch: &mut [f64],
    s2: &mut [i16],
) -> Result<(), FaultError> {
    let mut stream = hash::empty_reader();
    seeds.begin(point, &mut stream);
    let mut feed = B::Sampling::EMPTY;
    let mut next_seed = |seed: &mut SamplerSeed| seeds.next(&mut stream, seed);
    for _ in 0..MAX_ATTEMPTS {
        if start_next(b.sampling(), &mut feed, &mut next_seed).is_none() {
            break;
        }
        let squared_norm = match *key {
            KeySource::Stored(key) => {
                let feeds = slice::from_mut(&mut feed);
                let v = attempt_stored(b, b, b.sampling(), logn, key, &[point], feeds, scratch);
                let mut norm = norm::Accumulator::default();
                short_vectors(b, b, &[point], v, s2, slice::from_mut(&mut norm));
                norm.finish()
            }
            KeySource::Computed(key) => attempt_from_basis(
                b,
                b.sampling(),
                logn,
                profile(logn),
                key,
                point,
                &mut feed,
                scratch,
                s2,
            ),
        };
        if B::Sampling::gave_up(&feed) {
            break;
        }
        if is_signature(logn, squared_norm, s2, &accept) {
            return Ok(());
        }
    }
    wipe(s2);
    Err(FaultError)
}

#[cfg(test)]
pub(crate) mod tests;
