// ffSampling: the nearest-plane walk over the LDL tree, without recursion.
//
// Small nodes are walked in registers. A counter of small nodes says how the walk goes from one to
// the next: if its binary form ends in k ones, the left children of the next k nodes above are
// done, and these nodes are merged. Of the node above them, the right child is done. There the walk
// takes the nearest-plane step and descends again (`passage.h`).
//
// Source: Falcon specification v1.2, algorithm 11; `falcon-core/src/ffsampling.rs`.
#pragma once

#include "passage.h"
#include "sampler.h"

namespace falcon {

// Samples one complex number: the two integers of a leaf.
template <unsigned W> FALCON_DEVICE Complex sample(Stream<W> &stream, Complex center, const Leaf &leaf) {
    const Pair<W> pair = sample_pair<W>(stream, center, leaf);
    stream = pair.stream;
    return pair.z;
}

// The walk of a node in registers. All lanes of a group compute the same.
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

// Degree 2: a polynomial is one complex number, and its two parts are the sampled integers.
template <unsigned LOGN> struct Small<LOGN, 1> {
    template <unsigned W, class N> static FALCON_DEVICE void walk(Stream<W> &stream, const N &node, Target<1> &t) {
        const Complex z = sample<W>(stream, t.t1[0], node.template leaf<LOGN, RIGHT>());
        const Complex center = t.t0[0] + (t.t1[0] - z) * node.l10(0);
        t.t1[0] = z;
        t.t0[0] = sample<W>(stream, center, node.template leaf<LOGN, LEFT>());
    }
};

// Replaces the target of the root by the integer vector sampled around it.
template <unsigned LOGN, unsigned W, unsigned LOW, class Tree>
FALCON_DEVICE void ffsampling(Stream<W> &stream, Tree &tree, Targets<LOGN, W, LOW> targets) {
    Passage<LOGN, W, LOW, Tree> passage(tree, targets);
    Way way = DOWN;
    unsigned level = LOGN;
    FALCON_NO_UNROLL
    for (unsigned number = 0;; ++number) {
        const auto ahead = tree.ahead(way, level);
        passage.go(way, level);
        if (way == UP) return;
        Small<LOGN, SMALL>::walk(stream, tree.small(ahead), passage.small);
        level = SMALL + 1;
        for (unsigned n = number; n & 1; n >>= 1) ++level;
        way = level > LOGN ? UP : ROUND;
    }
}

} // namespace falcon
