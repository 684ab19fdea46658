// ffSampling: the nearest-plane walk over the LDL tree, without recursion.
//
// Small nodes are walked in registers. Above them the target of a level lies
// in working memory and the walk follows the bits of a counter of these nodes: as
// many levels as it ends in ones have had their left child, and are merged; the
// next one has had its right child, takes the nearest-plane step and descends.
//
// Source: Falcon specification v1.2, algorithm 11; `falcon-core/src/ffsampling.rs`.
#pragma once

#include "sampler.h"
#include "tree.h"

namespace falcon {

// A target of level L, or the vector that was found for it: m = 2^(L-1) complex
// numbers of each part.
template <unsigned L> struct Target {
    Complex t0[1u << (L - 1)], t1[1u << (L - 1)];
};

// Samples one complex number: the two integers of a leaf.
template <unsigned W> FALCON_DEVICE Complex sample(Stream<W> &stream, Complex center, const Leaf &leaf) {
    const Pair<W> pair = sample_pair<W>(stream, center, leaf);
    stream = pair.stream;
    return pair.z;
}

// A node in registers: what all lanes of a group compute alike.
template <unsigned LOGN, unsigned L> struct Small {
    static constexpr unsigned M = 1u << (L - 2);

    template <unsigned W, class N> static FALCON_DEVICE void walk(Stream<W> &stream, const N &node, Target<L> &t) {
        Target<L - 1> u;
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            u.t0[i] = t.t1[2 * i];
            u.t1[i] = t.t1[2 * i + 1];
            split_couple(u.t0[i], u.t1[i], UNIFORM_TWIDDLES[M + i]);
        }
        Small<LOGN, L - 1>::walk(stream, node.template child<RIGHT>(), u);
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            const Complex w = UNIFORM_TWIDDLES[M + i];
            merge_couple(u.t0[i], u.t1[i], w);
            const Complex z[2] = {u.t0[i], u.t1[i]};
            u.t0[i] = t.t0[2 * i] + (t.t1[2 * i] - z[0]) * node.l10(2 * i);
            u.t1[i] = t.t0[2 * i + 1] + (t.t1[2 * i + 1] - z[1]) * node.l10(2 * i + 1);
            t.t1[2 * i] = z[0];
            t.t1[2 * i + 1] = z[1];
            split_couple(u.t0[i], u.t1[i], w);
        }
        Small<LOGN, L - 1>::walk(stream, node.template child<LEFT>(), u);
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            merge_couple(u.t0[i], u.t1[i], UNIFORM_TWIDDLES[M + i]);
            t.t0[2 * i] = u.t0[i];
            t.t0[2 * i + 1] = u.t1[i];
        }
    }
};

// Degree 2: a complex number is a polynomial, its coefficients are the integers.
template <unsigned LOGN> struct Small<LOGN, 1> {
    template <unsigned W, class N> static FALCON_DEVICE void walk(Stream<W> &stream, const N &node, Target<1> &t) {
        const Complex z = sample<W>(stream, t.t1[0], node.template leaf<LOGN, RIGHT>());
        const Complex center = t.t0[0] + (t.t1[0] - z) * node.l10(0);
        t.t1[0] = z;
        t.t0[0] = sample<W>(stream, center, node.template leaf<LOGN, LEFT>());
    }
};

// The targets of all levels, one after the other from the root down: 4n reals.
template <unsigned LOGN, unsigned W> struct Targets {
    View<W> reals;

    FALCON_DEVICE View<W> t0(unsigned level) const { return reals.from((4u << LOGN) - (4u << level)); }
    FALCON_DEVICE View<W> t1(unsigned level) const { return t0(level).from(1u << level); }
};

// Replaces the target of the root by the integer vector sampled around it.
template <unsigned LOGN, unsigned W, class Tree>
FALCON_DEVICE void ffsampling(Stream<W> &stream, Tree &tree, Targets<LOGN, W> targets) {
    // From `level` to the small node that comes next: all right children.
    const auto descend = [&](unsigned level) {
        for (; level > SMALL; --level) {
            tree.descend(level, RIGHT);
            split<W>(1u << (level - 2), targets.t1(level), targets.t0(level - 1), targets.t1(level - 1));
        }
    };
    descend(LOGN);
    FALCON_NO_UNROLL
    for (unsigned number = 0;; ++number) {
        {
            constexpr unsigned M = 1u << (SMALL - 1);
            const View<W> t0 = targets.t0(SMALL), t1 = targets.t1(SMALL);
            Target<SMALL> t;
            FALCON_UNROLL
            for (unsigned i = 0; i < M; ++i) {
                t.t0[i] = get(t0, M, i);
                t.t1[i] = get(t1, M, i);
            }
            Small<LOGN, SMALL>::walk(stream, tree.small(), t);
            Group<W>::each(W == 1 ? 1 : M, [&](unsigned lane) {
                FALCON_UNROLL
                for (unsigned i = 0; i < M; ++i) {
                    if (W != 1 && i != lane) continue;
                    put(t0, M, i, t.t0[i]);
                    put(t1, M, i, t.t1[i]);
                }
            });
        }
        unsigned level = SMALL;
        for (unsigned n = number; n & 1; n >>= 1) {
            ++level;
            merge<W>(1u << (level - 2), targets.t0(level), targets.t0(level - 1), targets.t1(level - 1));
        }
        if (level == LOGN) return;
        ++level;
        const unsigned m = 1u << (level - 2);
        const View<W> u0 = targets.t0(level - 1), u1 = targets.t1(level - 1);
        nearest_plane_step<W>(m, targets.t0(level), targets.t1(level), u0, u1, tree.l10(level));
        tree.descend(level, LEFT);
        descend(level - 1);
    }
}

} // namespace falcon
