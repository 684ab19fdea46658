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
    Any::walk(
        &mut Arithmetic { fft, sampler },
        logn,
        node,
        [t0, t1],
        scratch,
    );
}

/// What every node of the walk computes with.
struct Arithmetic<'a, F, S> {
    fft: F,
    sampler: &'a mut S,
}

/// A way to walk a subtree: [`ffsampling`] on the nodes of some degrees.
trait Walk {
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut impl Node,
        target: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    );
}

/// Every degree. A recursion cannot be inlined, so this is where the frame of
/// the arithmetic is entered again. Most nodes are small, and calls would cost
/// them more than their arithmetic: the levels of degree 4 and 8 are one
/// function.
struct Any;

impl Walk for Any {
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut impl Node,
        target: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    ) {
        let fft = arithmetic.fft;
        fft.vectorize(
            #[inline(always)]
            || match logn {
                1 => Bottom::walk(arithmetic, 1, node, target, scratch),
                2 => Level::<Bottom>::walk(arithmetic, 2, node, target, scratch),
                3 => Level::<Level<Bottom>>::walk(arithmetic, 3, node, target, scratch),
                _ => Level::<Any>::walk(arithmetic, logn, node, target, scratch),
            },
        );
    }
}

/// Degree 2: a complex number is a polynomial of degree 2, and its two
/// coefficients are the two integers of the leaf.
struct Bottom;

impl Walk for Bottom {
    #[inline(never)]
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        _: u32,
        node: &mut impl Node,
        [t0, t1]: [&mut [F::Real]; 2],
        _: &mut [F::Real],
    ) {
        let Arithmetic { fft, sampler } = arithmetic;
        fft.vectorize(
            #[inline(always)]
            || {
                let z1 = sampler.sample_pair([t1[0], t1[1]], &node.leaf(Side::Right));
                let d = [fft.sub(t1[0], z1[0]), fft.sub(t1[1], z1[1])];
                let l10 = [node.l10()[0], node.l10()[1]];
                let center = fft.nearest_plane([t0[0], t0[1]], d, l10);
                [t1[0], t1[1]] = z1;
                [t0[0], t0[1]] = sampler.sample_pair(center, &node.leaf(Side::Left));
            },
        );
    }
}

/// Degree 4 and more, the children being walked by `Below`.
struct Level<Below>(PhantomData<Below>);

impl<Below: Walk> Walk for Level<Below> {
    #[inline(always)]
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut impl Node,
        [t0, t1]: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    ) {
        let fft = arithmetic.fft;
        let n = 1 << logn;
        let (halves, rest) = scratch.split_at_mut(n);
        let (u0, u1) = halves.split_at_mut(n / 2);

        fft.split(logn, u0, u1, t1);
        let mut right = node.child(Side::Right);
        Below::walk(arithmetic, logn - 1, &mut right, [&mut *u0, &mut *u1], rest);
        drop(right);

        fft.nearest_plane_step(logn, t0, t1, [&mut *u0, &mut *u1], node.l10());
        let mut left = node.child(Side::Left);
        Below::walk(arithmetic, logn - 1, &mut left, [&mut *u0, &mut *u1], rest);
        fft.merge(logn, t0, u0, u1);
    }
}
