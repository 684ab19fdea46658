// From one small node of the walk of ffSampling to the next: up while left children are
// done, the nearest-plane step of the node above, down along right children.
//
// A complex number of a level belongs to a couple of the level above, that couple to
// two couples of the next, and so on: what is above one of the small node's complex
// numbers meets nothing else. One thread goes up and down from each of them couple
// by couple, depth first, and hands what it finds from level to level in registers. So
// memory is met where the walk comes back to what it has left: of the 2^L reals of the
// target of a level and of the vector found for it, a node writes 2 2^L of the target on the
// way down, reads them and writes 2^L of the vector for the step, and reads these when it
// is merged: 6 2^L. Lanes of a group go level by level, 9 2^L.
#pragma once

#include "tree.h"

namespace falcon {

// A target of level L, or the vector that was found for it: m = 2^(L-1) complex
// numbers of each part.
template <unsigned L> struct Target {
    Complex t0[1u << (L - 1)], t1[1u << (L - 1)];
};

// The targets of all levels, one after the other from the root down: 4n reals.
// Those of the levels up to LOW lie apart.
template <unsigned LOGN, unsigned W, unsigned LOW = LOGN> struct Targets {
    View<W> high, low;

    static constexpr unsigned LOW_LEVELS = LOW;

    FALCON_DEVICE View<W> t0(unsigned level) const {
        return level > LOW ? high.from((4u << LOGN) - (4u << level)) : low.from((4u << LOW) - (4u << level));
    }
    FALCON_DEVICE View<W> t1(unsigned level) const { return t0(level).from(1u << level); }
};

// Where the walk goes: from the root to the first small node; round a node, from its
// right subtree to its left one; from the last small node to the root.
enum Way { DOWN, ROUND, UP };

// A group of lanes.
template <unsigned LOGN, unsigned W, unsigned LOW, class Tree> struct Passage {
    static constexpr unsigned M = 1u << (SMALL - 1);

    Tree &tree;
    Targets<LOGN, W, LOW> targets;
    Target<SMALL> small;

    FALCON_DEVICE Passage(Tree &tree, Targets<LOGN, W, LOW> targets) : tree(tree), targets(targets) {}

    FALCON_DEVICE auto node() const { return tree.small(); }

    // Asks for what is needed behind the small node of this number.
    FALCON_DEVICE void expect(unsigned number) const {
        unsigned level = SMALL + 1;
        for (unsigned n = number; n & 1; n >>= 1) ++level;
        tree.expect(level);
    }

    // Up to a level and down again.
    FALCON_DEVICE void go(Way way, unsigned top) {
        if (way != DOWN) {
            store();
            const auto merge_to = [&](unsigned level) {
                merge<W>(1u << (level - 2), targets.t0(level), targets.t0(level - 1), targets.t1(level - 1));
            };
            FALCON_NO_UNROLL
            for (unsigned level = SMALL + 1; level <= LOW && level < top; ++level) merge_to(level);
            FALCON_UNROLL
            for (unsigned level = LOW + 1; level <= LOGN; ++level) {
                if (level < top) merge_to(level);
            }
            if (way == UP) return;
            tree.turn(top);
            const auto step = [&](unsigned level) {
                const View<W> u0 = targets.t0(level - 1), u1 = targets.t1(level - 1);
                nearest_plane_step<W>(1u << (level - 2), targets.t0(level), targets.t1(level), u0, u1, tree.l10(level));
                tree.descend(level, LEFT);
            };
            if (top <= LOW) step(top);
            FALCON_UNROLL
            for (unsigned level = LOW + 1; level <= LOGN; ++level) {
                if (level == top) step(level);
            }
            --top;
        }
        const auto split_from = [&](unsigned level) {
            tree.descend(level, RIGHT);
            split<W>(1u << (level - 2), targets.t1(level), targets.t0(level - 1), targets.t1(level - 1));
        };
        FALCON_UNROLL
        for (unsigned level = LOGN; level > LOW; --level) {
            if (level <= top) split_from(level);
        }
        FALCON_NO_UNROLL
        for (unsigned level = top < LOW ? top : LOW; level > SMALL; --level) split_from(level);
        load();
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

// Puts `x` behind the others, in the place of the first one: what a loop would reach by an
// index stays in registers.
template <class T, unsigned N> FALCON_DEVICE void shift(T (&queue)[N], T x) {
    FALCON_UNROLL
    for (unsigned i = 0; i + 1 < N; ++i) queue[i] = queue[i + 1];
    queue[N - 1] = x;
}

// One thread.
template <unsigned LOGN, unsigned LOW, class Tree> struct Passage<LOGN, 1, LOW, Tree> {
    static constexpr unsigned M = 1u << (SMALL - 1);

    // Complex number of a target, and what the tree has for it.
    struct Element {
        Complex t0, t1;
        typename Tree::Entry entry;
    };
    // What a couple of these is split into a child's element.
    struct Half {
        Complex t;
        typename Tree::Diagonal d;
    };

    Tree &tree;
    Targets<LOGN, 1, LOW> targets;
    Target<SMALL> small;
    typename Tree::Entry entries[M];
    // Which complex number of the level that it has come to.
    unsigned index;

    FALCON_DEVICE Passage(Tree &tree, Targets<LOGN, 1, LOW> targets) : tree(tree), targets(targets), small{}, entries{}, index(0) {}

    FALCON_DEVICE auto node() const { return tree.small(entries); }
    FALCON_DEVICE void expect(unsigned) const {}

    FALCON_DEVICE void go(Way way, unsigned top) {
        if (way == ROUND) tree.turn(top);
        FALCON_NO_UNROLL
        for (index = 0; index < M; ++index) {
            const Element next = pass<SMALL>(way, top, small.t0[0], small.t1[0]);
            shift(small.t0, next.t0);
            shift(small.t1, next.t1);
            shift(entries, next.entry);
        }
    }

    // From a complex number (z0, z1) of the vector found for the last target of a level to
    // the same of the next target.
    template <unsigned L> FALCON_DEVICE Element pass(Way way, unsigned top, Complex z0, Complex z1) {
        constexpr unsigned M = 1u << (L - 1);
        if (way != DOWN) merge_couple(z0, z1, twiddle<1>(M + index));
        Half halves[2] = {{z0, {}}, {z1, {}}};
        // Its couple of the level above.
        FALCON_NO_UNROLL
        for (index = hidden(2 * index);; ++index) {
            shift(halves, above<L + 1>(way, top, halves[0].t));
            if (index & 1) break;
        }
        index /= 2;
        const Complex w = twiddle<1>(M + index);
        Element next{halves[0].t, halves[1].t, tree.split(halves[0].d, halves[1].d, w)};
        split_couple(next.t0, next.t1, w);
        return next;
    }

    // What the node of a level hands down for a complex number, given that of the vector
    // found for its child.
    template <unsigned L> FALCON_DEVICE Half above(Way way, unsigned top, Complex z) {
        constexpr unsigned M = 1u << (L - 1);
        const View<1> t0 = targets.t0(L), t1 = targets.t1(L);
        if constexpr (L < LOGN) {
            if (L < top) {
                const Element next = pass<L>(way, top, z, way == DOWN ? Complex{} : get(t1, M, index));
                if (way == UP) return {};
                put(t0, M, index, next.t0);
                put(t1, M, index, next.t1);
                tree.keep(L, index, next.entry);
                return {next.t1, next.entry.right()};
            }
        } else {
            if (way == DOWN) return {get(t1, M, index), tree.right_of_root(index)};
            if (way == UP) {
                put(t0, M, index, z);
                return {};
            }
        }
        const Complex difference = get(t1, M, index) - z;
        put(t1, M, index, z);
        return {get(t0, M, index) + difference * get(tree.l10(L), M, index), tree.left(L, index)};
    }
};

} // namespace falcon
