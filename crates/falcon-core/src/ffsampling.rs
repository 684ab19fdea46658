//! ffSampling: the nearest-plane walk over the LDL tree, written once.
//!
//! Source: Falcon specification v1.2, algorithm 11. The order of the visits
//! (right child, then left child, the two integers of a leaf in order) is the
//! order in which randomness is consumed.

use crate::fft::Fft;
use crate::sampler::SamplerZ;
use crate::tree::{Node, Side};

/// Reals of scratch per lane that [`ffsampling`] needs.
pub const fn scratch_len(logn: u32) -> usize {
    2 << logn
}

/// Replaces the target `(t0, t1)` by the integer vector `(z0, z1)` sampled
/// around it, all in the FFT domain. `scratch` has [`scratch_len`] reals.
pub fn ffsampling<F, S, T>(
    fft: F,
    sampler: &mut S,
    logn: u32,
    node: &mut T,
    t0: &mut [F::Real],
    t1: &mut [F::Real],
    scratch: &mut [F::Real],
) where
    F: Fft,
    S: SamplerZ<Real = F::Real>,
    T: Node,
{
    let n = 1 << logn;
    if logn == 1 {
        // A complex number is a polynomial of degree 2; its two coefficients
        // are the two integers of the leaf.
        let z1 = sampler.sample_pair([t1[0], t1[1]], &node.leaf(Side::Right));
        fft.nearest_plane_step(1, t0, t1, &z1, node.l10());
        let z0 = sampler.sample_pair([t0[0], t0[1]], &node.leaf(Side::Left));
        t0[..2].copy_from_slice(&z0);
        return;
    }

    let (halves, rest) = scratch.split_at_mut(n);
    let (u0, u1) = halves.split_at_mut(n / 2);
    fft.split(logn, u0, u1, t1);
    ffsampling(
        fft,
        sampler,
        logn - 1,
        &mut node.child(Side::Right),
        u0,
        u1,
        rest,
    );
    let z1 = &mut rest[..n];
    fft.merge(logn, z1, u0, u1);
    fft.nearest_plane_step(logn, t0, t1, z1, node.l10());

    fft.split(logn, u0, u1, t0);
    ffsampling(
        fft,
        sampler,
        logn - 1,
        &mut node.child(Side::Left),
        u0,
        u1,
        rest,
    );
    fft.merge(logn, t0, u0, u1);
}
