//! ffSampling: the nearest-plane walk over the LDL tree.
//!
//! Source: Falcon specification v1.2, algorithm 11. The order of the visits
//! (right child, then left child, the two integers of a leaf in order) is the
//! order in which randomness is consumed.

use crate::fft::Fft;
use crate::lanes::HAS_VECTORS;
use crate::sampler::SamplerZ;
use crate::tree::{Node, Side};
use core::marker::PhantomData;

/// Number of reals of scratch per lane that [`ffsampling`] needs.
pub const fn scratch_len(logn: u32) -> usize {
    2 << logn
}

/// Replaces the target `(t0, t1)` by the integer vector `(z0, z1)` sampled
/// around it, all in the FFT domain. `scratch` has [`scratch_len`] reals.
///
/// Source: Falcon specification v1.2, algorithm 11 (ffSampling).
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

/// The transforms and the sampler of a walk.
struct Arithmetic<'a, F, S> {
    fft: F,
    sampler: &'a mut S,
}

/// Walks a subtree as [`ffsampling`] does. Each implementation is for subtrees of certain degrees.
trait Walk {
    /// True if the parent node calls its own transforms as functions instead of inlining them.
    const CALLS: bool;

    fn walk<F: Fft, S: SamplerZ<Real = F::Real>, N: Node>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut N,
        target: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    );
}

/// Walks subtrees of every degree. Most nodes are small, and calling a function would take longer
/// than their arithmetic. So the levels of degrees 4 and 8 share one function, in one frame. Larger
/// degrees are walked in calls, so that a level of the recursion takes little stack even without
/// optimisation.
struct Any;

impl Walk for Any {
    const CALLS: bool = true;

    fn walk<F: Fft, S: SamplerZ<Real = F::Real>, N: Node>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut N,
        target: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    ) {
        if N::STORED_LOGN > 0 && logn <= N::STORED_LOGN {
            Any::walk(arithmetic, logn, &mut node.stored(), target, scratch);
        } else if logn <= 3 {
            small(arithmetic, logn, node, target, scratch);
        } else {
            Level::<Any>::walk(arithmetic, logn, node, target, scratch);
        }
    }
}

/// Walks subtrees of degrees 2, 4 and 8.
#[inline(never)]
fn small<F: Fft, S: SamplerZ<Real = F::Real>, N: Node>(
    arithmetic: &mut Arithmetic<'_, F, S>,
    logn: u32,
    node: &mut N,
    target: [&mut [F::Real]; 2],
    scratch: &mut [F::Real],
) {
    let fft = arithmetic.fft;
    fft.vectorize(
        #[inline(always)]
        || match logn {
            1 => Bottom::walk(arithmetic, 1, node, target, scratch),
            2 => Level::<Bottom>::walk(arithmetic, 2, node, target, scratch),
            _ => Level::<Level<Bottom>>::walk(arithmetic, 3, node, target, scratch),
        },
    );
}

/// Splits as [`Fft::split`] does, in a call.
#[inline(never)]
fn split<F: Fft>(fft: F, logn: u32, u: [&mut [F::Real]; 2], t: &[F::Real]) {
    fft.vectorize(
        #[inline(always)]
        || {
            let [u0, u1] = u;
            fft.split(logn, u0, u1, t);
        },
    );
}

/// Computes [`Fft::nearest_plane_step`] in a call.
#[inline(never)]
fn step<F: Fft>(
    fft: F,
    logn: u32,
    t0: &[F::Real],
    t1: &mut [F::Real],
    u: [&mut [F::Real]; 2],
    l10: &[f64],
) {
    fft.vectorize(
        #[inline(always)]
        || fft.nearest_plane_step(logn, t0, t1, u, l10),
    );
}

/// Merges as [`Fft::merge`] does, in a call.
#[inline(never)]
fn merge<F: Fft>(fft: F, logn: u32, t: &mut [F::Real], [u0, u1]: [&[F::Real]; 2]) {
    fft.vectorize(
        #[inline(always)]
        || fft.merge(logn, t, u0, u1),
    );
}

/// Walks a node of degree 2. Its polynomial is a complex number, whose real and imaginary parts are
/// the two integers of the leaf.
struct Bottom;

impl Walk for Bottom {
    const CALLS: bool = false;

    // Inlined on AArch64, where the call took 30 of 390 instructions. On other targets inlining
    // would make the code larger.
    #[cfg_attr(not(target_arch = "aarch64"), inline(never))]
    #[cfg_attr(target_arch = "aarch64", inline(always))]
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>, N: Node>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        _: u32,
        node: &mut N,
        [t0, t1]: [&mut [F::Real]; 2],
        _: &mut [F::Real],
    ) {
        let Arithmetic { fft, sampler } = arithmetic;
        fft.vectorize(
            #[inline(always)]
            || {
                if !HAS_VECTORS {
                    // The leaves are sampled one after the other, which needs less stack.
                    let z1 = sampler.sample_pair([t1[0], t1[1]], &node.leaf(Side::Right));
                    let d = [fft.sub(t1[0], z1[0]), fft.sub(t1[1], z1[1])];
                    let center =
                        fft.nearest_plane([t0[0], t0[1]], d, [node.l10()[0], node.l10()[1]]);
                    [t1[0], t1[1]] = z1;
                    [t0[0], t0[1]] = sampler.sample_pair(center, &node.leaf(Side::Left));
                    return;
                }
                let (Some(t0), Some(t1)) = (t0.first_chunk_mut(), t1.first_chunk_mut()) else {
                    return; // unreachable: the polynomials have degree 2
                };
                let (l10, leaves) = node.bottom();
                let [z0, z1] = sampler.sample_node(
                    *t1,
                    &leaves,
                    #[inline(always)]
                    |z1| {
                        let d = [fft.sub(t1[0], z1[0]), fft.sub(t1[1], z1[1])];
                        fft.nearest_plane(*t0, d, l10)
                    },
                );
                (*t0, *t1) = (z0, z1);
            },
        );
    }
}

/// Walks nodes of degree 4 or more. `Below` walks the children.
struct Level<Below>(PhantomData<Below>);

impl<Below: Walk> Walk for Level<Below> {
    const CALLS: bool = false;

    #[inline(always)]
    fn walk<F: Fft, S: SamplerZ<Real = F::Real>, N: Node>(
        arithmetic: &mut Arithmetic<'_, F, S>,
        logn: u32,
        node: &mut N,
        [t0, t1]: [&mut [F::Real]; 2],
        scratch: &mut [F::Real],
    ) {
        let fft = arithmetic.fft;
        let n = 1 << logn;
        let (halves, rest) = scratch.split_at_mut(n);
        let (u0, u1) = halves.split_at_mut(n / 2);

        if Below::CALLS {
            split(fft, logn, [&mut *u0, &mut *u1], t1);
        } else {
            fft.split(logn, u0, u1, t1);
        }
        let mut right = node.child(Side::Right);
        Below::walk(arithmetic, logn - 1, &mut right, [&mut *u0, &mut *u1], rest);
        drop(right);

        let u = [&mut *u0, &mut *u1];
        if Below::CALLS {
            step(fft, logn, t0, t1, u, node.l10());
        } else {
            fft.nearest_plane_step(logn, t0, t1, u, node.l10());
        }
        let mut left = node.child(Side::Left);
        Below::walk(arithmetic, logn - 1, &mut left, [&mut *u0, &mut *u1], rest);
        if Below::CALLS {
            merge(fft, logn, t0, [u0, u1]);
        } else {
            fft.merge(logn, t0, u0, u1);
        }
    }
}
