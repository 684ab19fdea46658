// The signing core: from a hashed point to a short vector.
//
// Source: Falcon specification v1.2, algorithm 10; `falcon-core/src/signing.rs`.
#pragma once

#include "ffsampling.h"
#include "hash.h"

namespace falcon {

// Form of the signing keys, `KeyMode` of `src/kernels.rs`. RAW is `KeyMode::Transient`.
enum Mode { RAW, BALANCED, EXPANDED };

// Lanes that work on one signature.
#ifndef FALCON_GROUP
#define FALCON_GROUP 8
#endif
// Highest level whose targets, and tree if it is computed, lie in shared memory: with expanded
// keys, and otherwise. Those of higher levels are used rarely and lie in scratch.
#ifndef FALCON_LOW
#define FALCON_LOW 7
#endif
#ifndef FALCON_LOW_COMPUTED
#define FALCON_LOW_COMPUTED 6
#endif
FALCON_DEVICE constexpr unsigned low_levels(Mode mode) { return mode == EXPANDED ? FALCON_LOW : FALCON_LOW_COMPUTED; }

// Reals of shared memory for a signature: the targets, then the tree if it is computed.
FALCON_DEVICE constexpr unsigned shared_reals(Mode mode) {
    return (4u << low_levels(mode)) + (mode == EXPANDED ? 0 : computed_len(low_levels(mode)));
}
// Reals of scratch for a signature: the targets of the upper levels, then the tree if it is
// computed. With raw keys, the basis lies there before the tree overwrites it.
template <unsigned LOGN> FALCON_DEVICE constexpr unsigned upper_targets(Mode mode) {
    return (4u << LOGN) - (4u << low_levels(mode));
}
template <unsigned LOGN> FALCON_DEVICE constexpr unsigned scratch_reals(Mode mode) {
    return upper_targets<LOGN>(mode) + (mode == EXPANDED ? 0 : computed_len(LOGN));
}

// The memory of a unit, if each unit has `reals` reals.
template <unsigned W> FALCON_DEVICE View<W> in_shared(Unit unit, unsigned reals) {
    constexpr unsigned APART = View<W>::APART;
    double *base = unit.shared + unit.in_block / APART * APART * reals + unit.in_block % APART * W;
    return {reinterpret_cast<Real *>(base), 0};
}
template <unsigned W> FALCON_DEVICE View<W> in_scratch(const Batch &batch, Unit unit, unsigned reals) {
    constexpr unsigned APART = View<W>::APART;
    double *base = batch.scratch + unit.index / APART * APART * reals + unit.index % APART * W;
    return {reinterpret_cast<Real *>(base), 0};
}

// Clears the shared memory of a unit. Otherwise the next kernel, of any program, could find the
// data there. The host wipes scratch. The stores are `volatile`, so the compiler may not remove
// them.
template <unsigned W> FALCON_DEVICE void clear_shared(Unit unit, unsigned reals) {
    volatile double *base = &in_shared<W>(unit, reals).base->v;
    Group<W>::each(reals, [&](unsigned i) { base[View<W>::spread(i)] = 0; });
}

FALCON_DEVICE KeyView key_reals(const Batch &batch, uint64_t key) {
    return {reinterpret_cast<const Real *>(batch.keys + key * batch.key_stride)};
}

// Transforms the basis [[g, -f], [G, -F]] of a key to the FFT domain. `key` has f, g, F, G, and
// `out` is four polynomials, one after the other.
template <unsigned LOGN, unsigned W> FALCON_CALL void transform_basis(const int8_t *key, View<W> out) {
    constexpr unsigned N = 1u << LOGN, M = N / 2;
    out.assume_space();
    assume_global(key);
    FALCON_NO_UNROLL
    for (unsigned row = 0; row < 4; ++row) {
        // The order is g, f, G, F; f and F are negated.
        const int8_t *small = key + (row ^ 1) * N;
        const int sign = row & 1 ? -1 : 1;
        const auto coefficient = [&](At i) { return real(int32_t(sign * read(&at(small, i)))); };
        const OneIn<W> f{out.from(row * N), M};
        fft<LOGN, W>([&](At i) { return Complex{coefficient(i), coefficient(M + i)}; }, f, f);
    }
}

// Computes t = (c, 0) B^-1. Products are rounded before they are scaled by 1/q.
template <unsigned LOGN, unsigned W, class B>
FALCON_DEVICE void load_target(const uint16_t *point, View<W> t0, View<W> t1, B b01, B b11) {
    constexpr unsigned N = 1u << LOGN, M = N / 2;
    const auto coefficient = [&](At i) { return real(int32_t(at(point, i))); };
    fft<LOGN, W>([&](At i) { return Complex{coefficient(i), coefficient(M + i)}; }, OneIn<W>{t0, M},
                 [&](At i, Complex c) {
                     put(t1, M, i, scaled(c * get(b01, M, i), Real{-INV_Q}));
                     put(t0, M, i, scaled(c * get(b11, M, i), Real{INV_Q}));
                 });
}

// The square of a coefficient, or 2^52 if its magnitude is at least 2^16. One such coefficient
// exceeds every norm bound, and the sum of 2048 of them does not overflow.
FALCON_DEVICE uint64_t bounded_square(int64_t s) {
    const uint64_t magnitude = uint64_t(s < 0 ? -s : s);
    return FALCON_SELECT(magnitude >> 16 != 0, uint64_t(1) << 52, uint64_t(uint32_t(magnitude) * uint32_t(magnitude)));
}

// Computes s2 of (s1, s2) = (c, 0) - v, coefficient by coefficient, and whether (s1, s2) is short.
// Each lane of a group adds up a part of the norm.
template <unsigned LOGN, unsigned W> struct Difference {
    const uint16_t *point;
    int16_t *s2;
    uint64_t norm;

    FALCON_DEVICE void subtract(At i, Real v0, Real v1) {
        const int64_t s = -nearest(v1);
        // No coefficient of a short vector needs more than 16 bits.
        if (s2) at(s2, i) = int16_t(s);
        norm += bounded_square(int64_t(at(point, i)) - nearest(v0)) + bounded_square(s);
    }
    FALCON_DEVICE bool is_short() const { return FALCON_REVEAL(Group<W>::total(norm) <= Parameters<LOGN>::SQUARED_NORM_BOUND); }
};

// Computes s2 of (c, 0) - (z0, z1) B. True if this vector is short. Overwrites (z0, z1).
template <unsigned LOGN, unsigned W, class B>
FALCON_DEVICE bool short_vector(const uint16_t *point, View<W> z0, View<W> z1, B basis, int16_t *s2) {
    constexpr unsigned N = 1u << LOGN, M = N / 2;
    const B b00 = basis, b01 = basis.from(N), b10 = basis.from(2 * N), b11 = basis.from(3 * N);
    // Every stage doubles the values. This factor, a power of two, undoes that exactly.
    const Real scale{1.0 / M};
    Difference<LOGN, W> difference{point, s2, 0};
    inverse_fft<LOGN, W>(
        [&](At i) {
            const Complex x = get(z0, M, i), y = get(z1, M, i);
            return Both{scaled(x * get(b00, M, i) + y * get(b10, M, i), scale),
                        scaled(x * get(b01, M, i) + y * get(b11, M, i), scale)};
        },
        BothIn<W>{z0, z1, M},
        [&](At i, Both v) {
            difference.subtract(i, v.first.re, v.second.re);
            difference.subtract(M + i, v.first.im, v.second.im);
        });
    return difference.is_short();
}

// The slot of a unit. `exists` is false beyond the last slot. `idle` is true if the whole warp is
// beyond it.
struct Slot {
    uint64_t number;
    bool exists, idle;
};

// A group beyond the last slot runs along with the others of its warp, and reads the data of the
// last slot. It only writes to its own working memory.
template <unsigned W> FALCON_DEVICE Slot slot_of(const Batch &batch, Unit unit) {
    constexpr unsigned APART = View<W>::APART;
    const bool exists = unit.index < batch.count;
    return {exists ? unit.index : batch.count - 1, exists, unit.index / APART * APART >= batch.count};
}

// Kernel: makes one attempt to sign. Unit = slot.
template <unsigned LOGN, unsigned W, Mode MODE> FALCON_DEVICE void sign(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    const auto [slot, within, idle] = slot_of<W>(batch, unit);
    if (idle) return;
    const uint32_t job = uint32_t(job_of(batch, slot));
    // If the job is not ready, its random bytes may not be those of this attempt. Zeros, or the
    // bytes of another signature, would reveal the key. Such a group runs along and writes no
    // result.
    const bool exists = within && stands_at(batch, job, STATUS_READY);
    if (!Group<W>::any(exists)) return;
    // Computed again after the sampler, and not kept in registers.
    const auto point = [&] { return batch.points + uint64_t(hidden(job)) * N; };
    const auto key = [&] { return key_of(batch, hidden(job)); };
    constexpr unsigned LOW = low_levels(MODE);
    const View<W> low = in_shared<W>(unit, shared_reals(MODE));
    const View<W> high = in_scratch<W>(batch, unit, scratch_reals<LOGN>(MODE));
    const Targets<LOGN, W, LOW> targets{high, low};
    // The tree follows the targets.
    const View<W> high_tree = high.from(upper_targets<LOGN>(MODE)), low_tree = low.from(4u << LOW);
    const auto s2 = [&]() -> int16_t * { return exists ? batch.s2 + uint64_t(hidden(job)) * N : nullptr; };
    const View<W> t0 = targets.t0(LOGN), t1 = targets.t1(LOGN);
    // The ring follows the targets of level SMALL, in the place of those of lower levels.
    static_assert((2u << SMALL) >= RING_REALS, "so many reals would be those of lower levels");
    Stream<W> stream(batch, slot, exists, &low.base[View<W>::spread((4u << LOW) - RING_REALS)]);
    // If the stream has ended, the integers are arbitrary. The status stores that until the end, so
    // that it takes no register.
    const auto sample = [&](auto &tree) {
        ffsampling<LOGN, W>(stream, tree, targets);
        Group<W>::each(1, [&](unsigned) {
            if (exists && !stream.exists()) batch.status[hidden(job)] = STATUS_SEEDED;
        });
    };
    bool is_short;
    if constexpr (MODE == RAW) {
        // The tree overwrites the basis, so the basis is transformed again afterwards.
        const auto small = [&] { return batch.bases + key() * 4 * N; };
        const View<W> basis = high_tree;
        transform_basis<LOGN, W>(small(), basis);
        load_target<LOGN, W>(point(), t0, t1, basis.from(N), basis.from(3 * N));
        ComputedTree<LOGN, W, LOW> tree{basis, low_tree};
        tree.plant(basis, basis.from(N), basis.from(2 * N), basis.from(3 * N));
        sample(tree);
        transform_basis<LOGN, W>(small(), basis);
        is_short = short_vector<LOGN, W>(point(), t0, t1, basis, s2());
    } else {
        const KeyView basis = key_reals(batch, key());
        load_target<LOGN, W>(point(), t0, t1, basis.from(N), basis.from(3 * N));
        if constexpr (MODE == EXPANDED) {
            StoredTree<LOGN, W> tree(basis.from(4 * N));
            sample(tree);
        } else {
            ComputedTree<LOGN, W, LOW> tree{high_tree, low_tree};
            tree.plant(basis, basis.from(N), basis.from(2 * N), basis.from(3 * N));
            sample(tree);
        }
        is_short = short_vector<LOGN, W>(point(), t0, t1, basis, s2());
    }
    // No copy may arrive after the memory was cleared.
    copies_arrive();
    Group<W>::each(1, [&](unsigned) {
        if (!exists) return;
        // If the stream has ended, the job stays ready, and the host reports that `sign` left it.
        const bool signs = stands_at(batch, job, STATUS_READY);
        batch.status[job] = !signs ? STATUS_READY : is_short ? STATUS_SHORT : STATUS_LONG;
    });
    clear_shared<W>(unit, shared_reals(MODE));
}

} // namespace falcon
