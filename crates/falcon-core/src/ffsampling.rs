//! ffSampling: the nearest-plane walk over the LDL tree, written once.
//!
//! Source: Falcon specification v1.2, algorithm 11. The order of the visits
//! (right child, then left child, the two integers of a leaf in order) is the
//! order in which randomness is consumed.

use crate::fft::Fft;
use crate::sampler::SamplerZ;
use crate::tree::{Node, Side};
use core::marker::PhantomData;

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
    Any::walk(fft, sampler, logn, node, t0, t1, scratch);
}

/// A way to walk a subtree: [`ffsampling`] on the nodes of some degrees.
trait Walk {
    fn walk<F, S, T>(
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
        T: Node;
}

/// Every degree. Most nodes are small, and calls would cost them more than
/// their arithmetic: the levels of degree 4 and 8 are one function.
struct Any;

impl Walk for Any {
    fn walk<F, S, T>(
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
        match logn {
            1 => Bottom::walk(fft, sampler, 1, node, t0, t1, scratch),
            2 => Level::<Bottom>::walk(fft, sampler, 2, node, t0, t1, scratch),
            3 => Level::<Level<Bottom>>::walk(fft, sampler, 3, node, t0, t1, scratch),
            _ => Level::<Any>::walk(fft, sampler, logn, node, t0, t1, scratch),
        }
    }
}

/// Degree 2: a complex number is a polynomial of degree 2, and its two
/// coefficients are the two integers of the leaf.
struct Bottom;

impl Walk for Bottom {
    #[inline(never)]
    fn walk<F, S, T>(
        fft: F,
        sampler: &mut S,
        _: u32,
        node: &mut T,
        t0: &mut [F::Real],
        t1: &mut [F::Real],
        _: &mut [F::Real],
    ) where
        F: Fft,
        S: SamplerZ<Real = F::Real>,
        T: Node,
    {
        let z1 = sampler.sample_pair([t1[0], t1[1]], &node.leaf(Side::Right));
        fft.nearest_plane_step(1, t0, t1, &z1, node.l10());
        let z0 = sampler.sample_pair([t0[0], t0[1]], &node.leaf(Side::Left));
        t0[..2].copy_from_slice(&z0);
    }
}

/// Degree 4 and more, the children being walked by `Below`.
struct Level<Below>(PhantomData<Below>);

impl<Below: Walk> Walk for Level<Below> {
    #[inline(always)]
    fn walk<F, S, T>(
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
        let (halves, rest) = scratch.split_at_mut(n);
        let (u0, u1) = halves.split_at_mut(n / 2);

        fft.split(logn, u0, u1, t1);
        let mut right = node.child(Side::Right);
        Below::walk(fft, sampler, logn - 1, &mut right, u0, u1, rest);
        drop(right);
        let z1 = &mut rest[..n];
        fft.merge(logn, z1, u0, u1);
        fft.nearest_plane_step(logn, t0, t1, z1, node.l10());

        fft.split(logn, u0, u1, t0);
        let mut left = node.child(Side::Left);
        Below::walk(fft, sampler, logn - 1, &mut left, u0, u1, rest);
        fft.merge(logn, t0, u0, u1);
    }
}
