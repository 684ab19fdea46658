// The way of ffSampling from one small node to the next: up while left children are done, then the
// nearest-plane step of the node above, then down along right children.
//
// Lanes go level by level. A node of level L takes 9 * 2^L reads and writes of reals of targets and
// of the vectors found for them, so the nodes of any level together take the same number. But the
// upper levels have few nodes with many reals each, so several accesses are in progress at once.
// Therefore the reals of the upper levels can lie in scratch.
#pragma once

#include "tree.h"

namespace falcon {

// A target of level L in registers, or the vector that was found for it: two polynomials of 2^(L-1)
// complex numbers each.
template <unsigned L> struct Target {
    Complex t0[1u << (L - 1)], t1[1u << (L - 1)];
};

// The targets of all levels, one after the other from the root down: 4n reals. Those of the levels
// up to LOW lie in `low`, the others in `high`.
template <unsigned LOGN, unsigned W, unsigned LOW = LOGN> struct Targets {
    View<W> high, low;

    FALCON_DEVICE View<W> t0(unsigned level) const { return level > LOW ? of_high(level) : of_low(level); }
    FALCON_DEVICE View<W> t1(unsigned level) const { return t0(level).from(1u << level); }

    FALCON_DEVICE View<W> of_high(unsigned level) const { return high.from((4u << LOGN) - (4u << level)); }
    FALCON_DEVICE View<W> of_low(unsigned level) const { return low.from((4u << LOW) - (4u << level)); }
};

// The walk of a group of lanes between small nodes. `small` is the target of the current one.
template <unsigned LOGN, unsigned W, unsigned LOW, class Tree> struct Passage {
    static constexpr unsigned M = 1u << (SMALL - 1);

    Tree &tree;
    Targets<LOGN, W, LOW> targets;
    Target<SMALL> small;

    FALCON_DEVICE Passage(Tree &tree, Targets<LOGN, W, LOW> targets) : tree(tree), targets(targets) {}

    // Goes up to level `top` and down to the next small node. UP goes only up; DOWN goes only down.
    FALCON_DEVICE void go(Way way, unsigned top) {
        if (way != DOWN) {
            store();
            FALCON_NO_UNROLL
            for (unsigned level = SMALL + 1; level <= LOW && level < top; ++level) merge_to<true>(level);
            FALCON_UNROLL
            for (unsigned level = LOW + 1; level <= LOGN; ++level) {
                if (level < top) merge_to<false>(level);
            }
            if (way == UP) return;
            tree.turn(top);
            if (top <= LOW) step<true>(top);
            FALCON_UNROLL
            for (unsigned level = LOW + 1; level <= LOGN; ++level) {
                if (level == top) step<false>(level);
            }
            --top;
        }
        FALCON_UNROLL
        for (unsigned level = LOGN; level > LOW; --level) {
            if (level <= top) split_from<false>(level);
        }
        FALCON_NO_UNROLL
        for (unsigned level = top < LOW ? top : LOW; level > SMALL; --level) split_from<true>(level);
        load();
    }

    // Number of elements that a lane accesses at once. Two hide some of the latency of scratch.
    template <bool IS_LOW> static constexpr unsigned AT_ONCE = IS_LOW ? 1 : 2;
    template <bool IS_LOW> FALCON_DEVICE View<W> t0(unsigned level) const {
        return IS_LOW ? targets.of_low(level) : targets.t0(level);
    }
    template <bool IS_LOW> FALCON_DEVICE View<W> t1(unsigned level) const { return t0<IS_LOW>(level).from(1u << level); }

    template <bool IS_LOW> FALCON_DEVICE void merge_to(unsigned level) const {
        merge<W, AT_ONCE<IS_LOW>>(1u << (level - 2), t0<IS_LOW>(level), t0<IS_LOW>(level - 1), t1<IS_LOW>(level - 1));
    }
    template <bool IS_LOW> FALCON_DEVICE void step(unsigned level) const {
        const View<W> u0 = t0<IS_LOW>(level - 1), u1 = t1<IS_LOW>(level - 1);
        nearest_plane_step<W, AT_ONCE<IS_LOW>>(1u << (level - 2), t0<IS_LOW>(level), t1<IS_LOW>(level), u0, u1,
                                              tree.l10(level));
        tree.descend(level, LEFT);
    }
    template <bool IS_LOW> FALCON_DEVICE void split_from(unsigned level) const {
        tree.descend(level, RIGHT);
        split<W, AT_ONCE<IS_LOW>>(1u << (level - 2), t1<IS_LOW>(level), t0<IS_LOW>(level - 1), t1<IS_LOW>(level - 1));
    }

    FALCON_DEVICE void load() {
        const View<W> t0 = targets.t0(SMALL), t1 = targets.t1(SMALL);
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            small.t0[i] = get(t0, M, i);
            small.t1[i] = get(t1, M, i);
        }
    }

    FALCON_DEVICE void store() const {
        const View<W> t0 = targets.t0(SMALL), t1 = targets.t1(SMALL);
        Group<W>::each(M, [&](unsigned lane) {
            FALCON_UNROLL
            for (unsigned i = 0; i < M; ++i) {
                if (i != lane) continue;
                put(t0, M, i, small.t0[i]);
                put(t1, M, i, small.t1[i]);
            }
        });
    }
};

} // namespace falcon
