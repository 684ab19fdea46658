//! The LDL tree of a key, which ffSampling reads on its way down.
//!
//! At a node of degree `n` the Gram matrix is
//! `G = [[g00, g01], [adj(g01), g11]] = L D adj(L)` with `L = [[1, 0], [l10, 1]]`
//! and `D = diag(d00, d11)`. The children are the nodes of
//! `[[e0, e1], [adj(e1), e0]]` where `(e0, e1)` splits `d00` (left) or `d11`
//! (right). At `n = 2` both children are leaves.
//!
//! The diagonals are self-adjoint, which in the FFT domain means real. Rounding gives them
//! imaginary parts. The C reference of round 3 keeps these parts, and the last bits of `l10` depend
//! on them. FN-DSA drops them. See [`Ldl`].
//!
//! [`Node`] has two forms with the same bits. [`Computed`] finds the factors during the walk and
//! needs little memory. [`Stored`] reads them from an expanded key, where a walk over the computed
//! form recorded them.
//!
//! Source: Falcon specification v1.2, algorithms 8, 9 and 11.

use crate::fft::{self, HAS_SUBTREES, Ldl};
use crate::lanes::{Binary64, Double, Isa, wipe};
use core::fmt;
use zeroize::{Zeroize, Zeroizing};

/// The numbers of a leaf with deviation `sigma'` that the sampler needs.
#[derive(Clone, Copy)]
pub struct Leaf {
    /// `1 / (2 sigma'^2)`.
    pub dss: f64,
    /// `sigma_min / sigma'`.
    pub ccs: f64,
}

// A tree reveals the key, so formatting shows no reals.
impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaf").finish_non_exhaustive()
    }
}

impl fmt::Debug for Stored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored")
            .field("logn", &self.logn)
            .finish_non_exhaustive()
    }
}

impl<B> fmt::Debug for Computed<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Computed")
            .field("logn", &self.logn)
            .finish_non_exhaustive()
    }
}

/// A child of a node. ffSampling visits [`Right`](Side::Right) first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The child that comes from `d00`.
    Left,
    /// The child that comes from `d11`.
    Right,
}

/// A node of the LDL tree.
pub trait Node {
    /// Type of the nodes below.
    type Child<'a>: Node
    where
        Self: 'a;

    /// Returns `l10`: `n` reals, a polynomial in the FFT domain.
    fn l10(&self) -> &[f64];
    /// Returns the child on `side`, for `n >= 4`. Call `child` for the right child first, and once
    /// for each side, since computing a child overwrites scratch.
    fn child(&mut self, side: Side) -> Self::Child<'_>;
    /// Returns this node in stored form. Up to degree `2^`[`STORED_LOGN`](Self::STORED_LOGN), a
    /// walk over the stored form is faster.
    fn stored(&mut self) -> Stored<'_>;
    /// Logarithm of the largest degree for [`stored`](Self::stored), or zero if no degree is small
    /// enough.
    const STORED_LOGN: u32;
    /// Returns the leaf on `side`, for `n = 2`.
    fn leaf(&self, side: Side) -> Leaf;

    /// Returns `l10` and the leaves in the order of their use, the right leaf first, for `n = 2`.
    #[inline(always)]
    fn bottom(&self) -> ([f64; 2], [Leaf; 2]) {
        let l10 = self.l10();
        (
            [l10[0], l10[1]],
            [self.leaf(Side::Right), self.leaf(Side::Left)],
        )
    }
}

/// Number of reals of a stored tree of degree `2^logn`: `(logn + 2) 2^logn`.
pub const fn stored_len(logn: u32) -> usize {
    (logn as usize + 2) << logn
}

/// A node of an expanded key. Its reals are in the order of their use: `l10`, the right subtree,
/// the left subtree. A leaf is `dss, ccs`.
#[derive(Clone, Copy)]
pub struct Stored<'a> {
    logn: u32,
    data: &'a [f64],
}

impl<'a> Stored<'a> {
    /// Returns the root of a tree of `stored_len(logn)` reals.
    pub fn root(logn: u32, data: &'a [f64]) -> Self {
        Self { logn, data }
    }
}

impl Node for Stored<'_> {
    type Child<'b>
        = Stored<'b>
    where
        Self: 'b;

    #[inline(always)]
    fn l10(&self) -> &[f64] {
        &self.data[..1 << self.logn]
    }

    #[inline(always)]
    fn child(&mut self, side: Side) -> Stored<'_> {
        let logn = self.logn - 1;
        let (right, left) = self.data[1 << self.logn..].split_at(stored_len(logn));
        let data = match side {
            Side::Right => right,
            Side::Left => left,
        };
        Stored { logn, data }
    }

    #[inline(always)]
    fn stored(&mut self) -> Stored<'_> {
        *self
    }
    const STORED_LOGN: u32 = 0;

    #[inline(always)]
    fn leaf(&self, side: Side) -> Leaf {
        let at = match side {
            Side::Right => 2,
            Side::Left => 4,
        };
        Leaf {
            dss: self.data[at],
            ccs: self.data[at + 1],
        }
    }

    /// Checks the length once, instead of at each leaf.
    #[inline(always)]
    fn bottom(&self) -> ([f64; 2], [Leaf; 2]) {
        let data = &self.data[..6];
        let leaf = |at| Leaf {
            dss: data[at],
            ccs: data[at + 1],
        };
        ([data[0], data[1]], [leaf(2), leaf(4)])
    }
}

/// Constants of the trees of one degree. Round 3 and FN-DSA have different constants.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// `1 / sigma`.
    pub inv_sigma: f64,
    /// `sigma_min`.
    pub sigma_min: f64,
    /// Arithmetic of the LDL decomposition.
    pub ldl: Ldl,
}

/// A node of degree `n` that is computed during the walk. All nodes on the way down need `4n` reals
/// together.
pub struct Computed<'a, B> {
    arith: B,
    logn: u32,
    profile: Profile,
    l10: &'a mut [f64],
    /// The entry `d00`, `n` reals. At the root, it has the `n/2` real parts only, since the others
    /// are zero.
    d00: &'a mut [f64],
    /// The entry `d11`, `n` reals. Once the right child is computed, both children use this memory
    /// as scratch.
    d11: &'a mut [f64],
    /// Scratch for a child: at least `3n/2` reals.
    scratch: &'a mut [f64],
    subtree: &'a mut Subtree,
}

/// Logarithm of the degree of subtrees that are stored at once. With 4 or 6, signing takes longer.
const SUBTREE_LOGN: u32 = 5;
/// Number of reals of a subtree.
const SUBTREE_LEN: usize = if HAS_SUBTREES {
    stored_len(SUBTREE_LOGN)
} else {
    0
};
/// Half the degree of a subtree. A level has this number of values of each kind, and at most this
/// number of nodes.
const SUBTREE_HALF: usize = if HAS_SUBTREES {
    (1 << SUBTREE_LOGN) / 2
} else {
    0
};

/// Memory for a subtree. Wiped when dropped.
pub struct Subtree {
    stored: [f64; SUBTREE_LEN],
    /// The diagonal entries of two levels, alternating: first the real parts, then the imaginary
    /// parts. Each array begins with `d11` of all nodes, and `d00` of all nodes follows.
    diagonals: [[[f64; 2 * SUBTREE_HALF]; 2]; 2],
    /// Real and imaginary parts of `l10` of a level.
    l10: [[f64; SUBTREE_HALF]; 2],
}

impl Subtree {
    /// Memory that is filled with zeros.
    pub const ZERO: Self = Self {
        stored: [0.0; SUBTREE_LEN],
        diagonals: [[[0.0; 2 * SUBTREE_HALF]; 2]; 2],
        l10: [[0.0; SUBTREE_HALF]; 2],
    };
}

impl Zeroize for Subtree {
    fn zeroize(&mut self) {
        wipe(&mut self.stored);
        wipe(self.diagonals.as_flattened_mut().as_flattened_mut());
        wipe(self.l10.as_flattened_mut());
    }
}

impl Drop for Subtree {
    fn drop(&mut self) {
        if HAS_SUBTREES {
            self.zeroize();
        }
    }
}

impl<'a, B: Binary64> Computed<'a, B> {
    /// Factors the Gram matrix of a basis in the FFT domain. `basis` has `4n` reals: `b00`, `b01`,
    /// `b10`, `b11`. The tree is computed in their place.
    ///
    /// Source: Falcon specification v1.2, algorithm 8 (LDL*).
    pub fn root(
        arith: B,
        logn: u32,
        profile: Profile,
        basis: &'a mut [f64],
        subtree: &'a mut Subtree,
    ) -> Self {
        let n = 1 << logn;
        let (b00, rest) = basis.split_at_mut(n);
        let (b01, rest) = rest.split_at_mut(n);
        let (b10, b11) = rest.split_at_mut(n);
        Isa::vectorize(
            arith,
            #[inline(always)]
            || fft::ldl(arith, profile.ldl, b00, b01, b10, b11),
        );
        let (l10, rest) = basis.split_at_mut(n);
        let (d00, rest) = rest.split_at_mut(n / 2);
        let (scratch, d11) = rest.split_at_mut(3 * n / 2);
        Self {
            arith,
            logn,
            profile,
            l10,
            d00,
            d11,
            scratch,
            subtree,
        }
    }

    /// Stores this node and all nodes below it in the order of [`Stored`].
    pub fn store(&mut self, out: &mut [f64]) {
        if HAS_SUBTREES && self.logn == SUBTREE_LOGN {
            self.store_subtree();
            out.copy_from_slice(&self.subtree.stored);
            return;
        }
        let n = 1 << self.logn;
        let (l10, rest) = out.split_at_mut(n);
        l10.copy_from_slice(self.l10());
        if self.logn == 1 {
            for (side, out) in [Side::Right, Side::Left]
                .into_iter()
                .zip(rest.chunks_exact_mut(2))
            {
                let leaf = self.leaf(side);
                out.copy_from_slice(&[leaf.dss, leaf.ccs]);
            }
        } else {
            let (right, left) = rest.split_at_mut(stored_len(self.logn - 1));
            self.child(Side::Right).store(right);
            self.child(Side::Left).store(left);
        }
    }

    /// Stores a root of a degree below `2^SUBTREE_LOGN`.
    #[inline(never)]
    fn store_small_root(&mut self) {
        let mut out = Zeroizing::new([0.0; SUBTREE_LEN]);
        self.store(&mut out[..stored_len(self.logn)]);
        self.subtree.stored.copy_from_slice(&*out);
    }

    /// Stores this node, of degree `2^SUBTREE_LOGN`, and all nodes below it. The nodes of a level
    /// are computed side by side, since a single node would not fill a register.
    #[inline(never)]
    fn store_subtree(&mut self) {
        const HALF: usize = SUBTREE_HALF;
        let Subtree {
            stored,
            diagonals: [entries, below],
            l10: [re, im],
        } = &mut *self.subtree;
        let (mut entries, mut below) = (entries, below);
        Isa::vectorize(
            self.arith,
            #[inline(always)]
            || {
                for (side, d) in [&*self.d11, &*self.d00].into_iter().enumerate() {
                    let (re, im) = d.split_at(HALF);
                    let of_side = side * HALF..(side + 1) * HALF;
                    entries[0][of_side.clone()].copy_from_slice(re);
                    let of_side = &mut entries[1][of_side];
                    if im.is_empty() {
                        of_side.fill(0.0);
                    } else {
                        of_side.copy_from_slice(im);
                    }
                }
                stored[..2 * HALF].copy_from_slice(self.l10);
                // Positions at which the nodes of a level begin: all right children, then all left
                // children.
                let mut begin = [0; HALF];
                for logn in (1..SUBTREE_LOGN).rev() {
                    let nodes = HALF >> logn;
                    for i in 0..nodes {
                        begin[i] += 2 << logn;
                        begin[i + nodes] = begin[i] + stored_len(logn);
                    }
                    let m = 1 << (logn - 1);
                    let [(d11_re, d00_re), (d11_im, d00_im)] =
                        below.each_mut().map(|part| part.split_at_mut(HALF));
                    fft::split_ldl_level(
                        self.arith,
                        self.profile.ldl,
                        m,
                        entries.each_ref().map(|part| &part[..]),
                        [d00_re, d00_im],
                        [&mut *re, &mut *im],
                        [d11_re, d11_im],
                    );
                    for (u, (re, im)) in re.iter().zip(&*im).enumerate() {
                        let at = begin[u / m] + u % m;
                        [stored[at], stored[at + m]] = [*re, *im];
                    }
                    core::mem::swap(&mut entries, &mut below);
                }
                for (side, d) in entries[0].chunks_exact(HALF).enumerate() {
                    for (d, begin) in d.iter().zip(begin) {
                        let Leaf { dss, ccs } = leaf::<B::F64>((*d).into(), self.profile);
                        let at = begin + 2 + 2 * side;
                        [stored[at], stored[at + 1]] = [dss, ccs];
                    }
                }
            },
        );
    }
}

impl<B: Binary64> Node for Computed<'_, B> {
    type Child<'b>
        = Computed<'b, B>
    where
        Self: 'b;

    #[inline(always)]
    fn l10(&self) -> &[f64] {
        self.l10
    }

    // Source: Falcon specification v1.2, algorithm 9 (ffLDL*), one step of the recursion.
    fn child(&mut self, side: Side) -> Computed<'_, B> {
        let half = 1 << (self.logn - 1);
        let d = match side {
            Side::Right => &*self.d11,
            Side::Left => &*self.d00,
        };
        let (l10, scratch) = self.scratch.split_at_mut(half);
        let (d00, scratch) = scratch.split_at_mut(half);
        let (d11, _) = scratch.split_at_mut(half);
        let ldl = self.profile.ldl;
        Isa::vectorize(
            self.arith,
            #[inline(always)]
            || fft::split_ldl(self.arith, ldl, d, d00, l10, d11),
        );
        Computed {
            arith: self.arith,
            logn: self.logn - 1,
            profile: self.profile,
            l10,
            d00,
            d11,
            scratch: self.d11,
            subtree: self.subtree,
        }
    }

    #[inline(always)]
    fn stored(&mut self) -> Stored<'_> {
        debug_assert!(HAS_SUBTREES && self.logn <= SUBTREE_LOGN);
        if self.logn == SUBTREE_LOGN {
            self.store_subtree();
        } else {
            self.store_small_root();
        }
        Stored::root(self.logn, &self.subtree.stored)
    }
    const STORED_LOGN: u32 = if HAS_SUBTREES { SUBTREE_LOGN } else { 0 };

    #[inline(always)]
    fn leaf(&self, side: Side) -> Leaf {
        let d = match side {
            Side::Right => self.d11[0],
            Side::Left => self.d00[0],
        };
        leaf::<B::F64>(d.into(), self.profile)
    }
}

/// Computes the leaf of an entry `d` of `D`.
#[inline(always)]
fn leaf<D: Double>(d: D, profile: Profile) -> Leaf {
    let inv_sigma = d.square_root() * profile.inv_sigma.into();
    Leaf {
        dss: (inv_sigma * inv_sigma).half().into(),
        ccs: (inv_sigma * profile.sigma_min.into()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use std::vec;
    use std::vec::Vec;

    /// Stores the tree node by node, without subtrees.
    fn store_by_nodes<B: Binary64>(node: &mut Computed<'_, B>, out: &mut Vec<f64>) {
        out.extend_from_slice(node.l10());
        for side in [Side::Right, Side::Left] {
            if node.logn == 1 {
                let Leaf { dss, ccs } = node.leaf(side);
                out.extend([dss, ccs]);
            } else {
                store_by_nodes(&mut node.child(side), out);
            }
        }
    }

    /// A tree has the same bits whether it is computed level by level or node by node.
    fn subtrees_have_the_bits_of_their_nodes<B: Binary64>(arith: B) {
        let forms = [
            Ldl::Complex,
            #[cfg(feature = "fndsa-provisional")]
            Ldl::Real,
        ];
        for (ldl, logn) in forms
            .into_iter()
            .flat_map(|ldl| (1..=8).map(move |logn| (ldl, logn)))
        {
            let profile = Profile {
                inv_sigma: 1.0 / 165.0,
                sigma_min: 1.27,
                ldl,
            };
            let n = 1 << logn;
            let real = |i: usize, salt: usize| ((i * 37 + salt * 11) % 101) as f64;
            let [by_level, by_node] = [true, false].map(|by_level| {
                let mut basis: Vec<f64> = (0..4 * n).map(|i| real(i % n, i / n) - 50.0).collect();
                let mut subtree = Subtree::ZERO;
                let mut root = Computed::root(arith, logn, profile, &mut basis, &mut subtree);
                let mut out = vec![0.0; stored_len(logn)];
                if by_level {
                    root.store(&mut out);
                } else {
                    out.clear();
                    store_by_nodes(&mut root, &mut out);
                }
                out
            });
            assert!(by_level.iter().all(|x| x.is_finite()));
            let bits = |x: Vec<f64>| x.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(by_level), bits(by_node), "{ldl:?} {logn}");
        }
    }

    #[test]
    fn a_wiped_subtree_holds_nothing() {
        let mut subtree = Subtree {
            stored: [1.0; SUBTREE_LEN],
            diagonals: [[[2.0; 2 * SUBTREE_HALF]; 2]; 2],
            l10: [[3.0; SUBTREE_HALF]; 2],
        };
        subtree.zeroize();
        assert!(subtree.stored.iter().all(|&x| x == 0.0));
        let diagonals = subtree.diagonals.as_flattened().as_flattened();
        assert!(diagonals.iter().all(|&x| x == 0.0));
        assert!(subtree.l10.as_flattened().iter().all(|&x| x == 0.0));
    }

    #[test]
    fn portable_subtrees_have_the_bits_of_their_nodes() {
        subtrees_have_the_bits_of_their_nodes(Baseline);
    }

    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
    #[test]
    fn subtrees_have_the_bits_of_their_nodes_in_registers() {
        if let Some(isa) = falcon_x86::Avx2::detect() {
            subtrees_have_the_bits_of_their_nodes(isa);
        }
        if let Some(isa) = falcon_x86::Avx512::detect() {
            subtrees_have_the_bits_of_their_nodes(isa);
        }
    }
}
