// Signing keys in the forms that stay on the device: `falcon-core/src/{expand,signing}.rs`.
#pragma once

#include "sign.h"

namespace falcon {

// Transforms the basis of key `unit.index` to the FFT domain. Writes it to `batch.keys`, and to
// shared memory, of which a unit has `reals` reals. Returns the view of the latter.
template <unsigned LOGN, unsigned W>
FALCON_DEVICE View<W> load_basis(const Batch &batch, Unit unit, unsigned reals = 4u << LOGN) {
    constexpr unsigned LEN = 4u << LOGN;
    const View<W> basis = in_shared<W>(unit, reals);
    double *out = batch.keys + unit.index * batch.key_stride;
    transform_basis<LOGN, W>(batch.bases + unit.index * LEN, basis);
    Group<W>::each(LEN, [&](unsigned i) { out[i] = Real(basis[i]).v; });
    return basis;
}

// Kernel: transforms bases to the FFT domain. Unit = key.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void basis(const Batch &batch, Unit unit) {
    if (unit.index >= batch.count) return;
    load_basis<LOGN, W>(batch, unit);
    clear_shared<W>(unit, 4u << LOGN);
    Group<W>::each(1, [&](unsigned) { batch.status[unit.index] = STATUS_DONE; });
}

// Writes a node and all nodes below it, in the order of `StoredNode`.
template <unsigned LOGN, unsigned L> struct Store {
    static FALCON_DEVICE void node(const ComputedNode<L> &node, double *out) {
        constexpr unsigned M = 1u << (L - 1);
        FALCON_UNROLL
        for (unsigned i = 0; i < M; ++i) {
            out[i] = node.l[i].re.v;
            out[M + i] = node.l[i].im.v;
        }
        if constexpr (L == 1) {
            const Leaf right = node.template leaf<LOGN, RIGHT>(), left = node.template leaf<LOGN, LEFT>();
            out[2] = right.dss.v;
            out[3] = right.ccs.v;
            out[4] = left.dss.v;
            out[5] = left.ccs.v;
        } else {
            Store<LOGN, L - 1>::node(node.template child<RIGHT>(), out + 2 * M);
            Store<LOGN, L - 1>::node(node.template child<LEFT>(), out + 2 * M + stored_len(L - 1));
        }
    }
};

// Kernel: expands keys. Unit = key.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void expand(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN, LEN = computed_len(LOGN);
    if (unit.index >= batch.count) return;
    const View<W> basis = load_basis<LOGN, W>(batch, unit, LEN);
    double *out = batch.keys + unit.index * batch.key_stride + 4 * N;
    // The tree overwrites the basis in shared memory.
    ComputedTree<LOGN, W> tree{basis, basis};
    tree.plant(basis, basis.from(N), basis.from(2 * N), basis.from(3 * N));
    // Nodes are stored in the order in which the walk enters them.
    const auto store = [&](unsigned level) {
        const View<W> l10 = tree.l10(level);
        Group<W>::each(1u << level, [&](unsigned i) { out[i] = Real(l10[i]).v; });
        out += 1u << level;
    };
    const auto enter = [&](unsigned level, Side side) {
        tree.descend(level, side);
        if (level > SMALL + 1) store(level - 1);
    };
    store(LOGN);
    for (unsigned level = LOGN; level > SMALL; --level) enter(level, RIGHT);
    FALCON_NO_UNROLL
    for (unsigned number = 0;; ++number) {
        const ComputedNode<SMALL> small = tree.small();
        Group<W>::each(1, [&](unsigned) { Store<LOGN, SMALL>::node(small, out); });
        out += stored_len(SMALL);
        unsigned level = SMALL;
        for (unsigned n = number; n & 1; n >>= 1) ++level;
        if (level == LOGN) break;
        enter(++level, LEFT);
        for (--level; level > SMALL; --level) enter(level, RIGHT);
    }
    clear_shared<W>(unit, LEN);
    Group<W>::each(1, [&](unsigned) { batch.status[unit.index] = STATUS_DONE; });
}

} // namespace falcon
