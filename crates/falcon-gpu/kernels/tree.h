// The LDL tree, read or computed: `falcon-core/src/tree.rs`.
//
// The walk of `ffsampling.h` reads the same from both kinds of trees: `l10` of the node at which it
// turns, and the nodes of level SMALL as values in registers. A stored small node is read before
// the walk goes to it; otherwise the node is computed on the way. The level of a node is the base-2
// logarithm of its degree.
#pragma once

#include "node.h"

namespace falcon {

// Level of small nodes, which are walked in registers: 2 or 3. With 3 there is less memory traffic,
// but a multiprocessor has registers for fewer signatures at a time.
#ifndef FALCON_SMALL
#define FALCON_SMALL 2
#endif
constexpr unsigned SMALL = FALCON_SMALL;

// Reals of a stored tree.
FALCON_DEVICE constexpr unsigned stored_len(unsigned logn) { return (logn + 2) << logn; }

// Which child: the right one is visited first.
enum Side { RIGHT, LEFT };

// Where the walk goes: from the root to the first small node; round a node, from its
// right subtree to its left one; from the last small node to the root.
enum Way { DOWN, ROUND, UP };

// The reals of a stored small node.
struct StoredSmall {
    Real reals[stored_len(SMALL)];
};

// A stored node of level L: l10, then the right subtree, then the left one. A leaf is dss, then
// ccs. The node begins at real FIRST of its small node.
template <unsigned L, unsigned FIRST = 0> struct StoredNode {
    const StoredSmall &of;

    FALCON_DEVICE Complex l10(unsigned i) const { return {of.reals[FIRST + i], of.reals[FIRST + (1u << (L - 1)) + i]}; }
    template <Side S>
    FALCON_DEVICE StoredNode<L - 1, FIRST + (1u << L) + (S == LEFT ? stored_len(L - 1) : 0)> child() const {
        return {of};
    }
    template <unsigned LOGN, Side S> FALCON_DEVICE Leaf leaf() const {
        constexpr unsigned I = FIRST + (S == RIGHT ? 2 : 4);
        return {of.reals[I], of.reals[I + 1]};
    }
};

// The stored tree of an expanded key. Nodes lie in the order in which the walk enters them, so two
// indices say where the walk is.
template <unsigned LOGN, unsigned W> struct StoredTree {
    KeyView root;
    // First real of the current small node, and of the node at which the walk turned last.
    unsigned small_node, node;

    FALCON_DEVICE explicit StoredTree(KeyView root)
        : root(root), small_node((2u << LOGN) - (2u << SMALL)), node(0) {}

    // Goes from the right subtree of the node of a level to its left one, which follows it. The
    // left one begins with the nodes above its first small node, then comes this small node.
    FALCON_DEVICE void turn(unsigned level) {
        const unsigned end = small_node + stored_len(SMALL);
        node = end - stored_len(level - 1) - (1u << level);
        small_node = after_turn(level);
    }
    FALCON_DEVICE unsigned after_turn(unsigned level) const {
        return small_node + stored_len(SMALL) + (1u << level) - (2u << SMALL);
    }
    FALCON_DEVICE KeyView l10(unsigned) const { return root.from(node); }

    FALCON_DEVICE void descend(unsigned, Side) const {}

    // Reads the small node to which a way leads, before the walk goes that way.
    FALCON_DEVICE StoredSmall ahead(Way way, unsigned level) const {
        StoredSmall small;
        const KeyView at = root.from(way == ROUND ? after_turn(level) : small_node);
        FALCON_UNROLL
        for (unsigned i = 0; i < stored_len(SMALL); ++i) small.reals[i] = at[i];
        return small;
    }
    FALCON_DEVICE StoredNode<SMALL> small(const StoredSmall &ahead) const { return {ahead}; }
};

// A computed node of level L in registers.
template <unsigned L> struct ComputedNode {
    Complex l[1u << (L - 1)], d00[1u << (L - 1)], d11[1u << (L - 1)];

    FALCON_DEVICE Complex l10(unsigned i) const { return l[i]; }
    template <Side S> FALCON_DEVICE ComputedNode<L - 1> child() const {
        constexpr unsigned M = 1u << (L - 2);
        ComputedNode<L - 1> node;
        FALCON_UNROLL
        for (unsigned u = 0; u < M; ++u) {
            const Complex *d = (S == RIGHT ? d11 : d00) + 2 * u;
            const Factors f = split_and_factor(d[0], d[1], UNIFORM_TWIDDLES[M + u]);
            node.l[u] = f.l10;
            node.d00[u] = f.d00;
            node.d11[u] = f.d11;
        }
        return node;
    }
    template <unsigned LOGN, Side S> FALCON_DEVICE Leaf leaf() const {
        return leaf_of<LOGN>((S == RIGHT ? d11[0] : d00[0]).re);
    }
};

// Reals of the computed nodes of levels up to `level`. One node of each level is kept.
FALCON_DEVICE constexpr unsigned computed_len(unsigned level) { return 9u << (level - 1); }

// A tree that is computed on the way down. The node of a level has 2^level reals each of l10, d00
// and d11. In each memory the second level follows the first. A node of a further level overwrites
// d11 of the node two levels above, which is needed only until the right child of that node is
// computed.
template <unsigned LOGN, unsigned W, unsigned LOW = LOGN> struct ComputedTree {
    View<W> high, low;

    // The node of a level. Those of levels up to LOW lie in `low`, the others in `high`.
    FALCON_DEVICE View<W> at(unsigned level) const {
        return level > LOW ? high.from(place(LOGN, level)) : low.from(place(LOW, level));
    }
    // First real of the node of a level: 0 for `top`, 3 * 2^top for the level below, and for other
    // levels 8 * 2^level more than two levels above.
    static FALCON_DEVICE unsigned place(unsigned top, unsigned level) {
        const unsigned begin = (top - level) & 1 ? 13u << top : 8u << top;
        return (begin - (8u << level)) / 3;
    }

    FALCON_DEVICE View<W> l10(unsigned level) const { return at(level); }
    FALCON_DEVICE View<W> d00(unsigned level) const { return at(level).from(1u << level); }
    FALCON_DEVICE View<W> d11(unsigned level) const { return at(level).from(2u << level); }

    // Computes the root: factors of the Gram matrix of a basis. The basis may lie in the memory of
    // the tree, as b00, b01, b10, b11: number u of each is read before it is overwritten.
    template <class B> FALCON_DEVICE void plant(B b00, B b01, B b10, B b11) {
        constexpr unsigned M = 1u << (LOGN - 1);
        const View<W> l = l10(LOGN), d0 = d00(LOGN), d1 = d11(LOGN);
        Group<W>::each(M, [&](unsigned u) {
            const Complex x = get(b00, M, u), y = get(b01, M, u), v = get(b10, M, u), w = get(b11, M, u);
            const Complex g00{squared_magnitude(x) + squared_magnitude(y), Real{0}};
            const Complex g11{squared_magnitude(v) + squared_magnitude(w), Real{0}};
            const Factors f = factor(g00, times_conjugate(x, v) + times_conjugate(y, w), g11);
            put(l, M, u, f.l10);
            put(d0, M, u, f.d00);
            put(d1, M, u, f.d11);
        });
    }

    FALCON_DEVICE void turn(unsigned) const {}

    // No node can be read ahead, since nodes are computed on the way.
    struct Nothing {};
    FALCON_DEVICE Nothing ahead(Way, unsigned) const { return {}; }
    FALCON_DEVICE ComputedNode<SMALL> small(Nothing) const { return small(); }

    FALCON_DEVICE void descend(unsigned level, Side side) const {
        const unsigned m = 1u << (level - 2);
        const View<W> d = side == RIGHT ? d11(level) : d00(level);
        const View<W> l = l10(level - 1), d0 = d00(level - 1), d1 = d11(level - 1);
        Group<W>::each(m, [&](unsigned u) {
            const Factors f = split_and_factor(get(d, 2 * m, 2 * u), get(d, 2 * m, 2 * u + 1), twiddle<W>(m + u));
            put(l, m, u, f.l10);
            put(d0, m, u, f.d00);
            put(d1, m, u, f.d11);
        });
    }

    FALCON_DEVICE ComputedNode<SMALL> small() const {
        constexpr unsigned M = 1u << (SMALL - 1);
        ComputedNode<SMALL> node;
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            node.l[i] = get(l10(SMALL), M, i);
            node.d00[i] = get(d00(SMALL), M, i);
            node.d11[i] = get(d11(SMALL), M, i);
        }
        return node;
    }
};

} // namespace falcon
