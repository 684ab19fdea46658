// The signing core: from a hashed point to a short vector.
//
// Source: Falcon specification v1.2, algorithm 10; `falcon-core/src/signing.rs`.
#pragma once

#include "ffsampling.h"
#include "hash.h"

namespace falcon {

// How a signer knows its keys.
enum Mode { RAW, BALANCED, EXPANDED };

// Lanes that work on one signature.
#ifndef FALCON_GROUP
#define FALCON_GROUP 8
#endif
// Levels up to these have their targets, and the tree where it is computed, in shared memory; those
// above are met rarely, and lie in scratch.
#ifndef FALCON_LOW
#define FALCON_LOW 7
#endif
#ifndef FALCON_LOW_COMPUTED
#define FALCON_LOW_COMPUTED 6
#endif
FALCON_DEVICE constexpr unsigned low_levels(Mode mode) { return mode == EXPANDED ? FALCON_LOW : FALCON_LOW_COMPUTED; }

// Reals that a signature takes of shared memory: the targets, and behind them the tree.
FALCON_DEVICE constexpr unsigned shared_reals(Mode mode) {
    return (4u << low_levels(mode)) + (mode == EXPANDED ? 0 : computed_len(low_levels(mode)));
}
// Reals of scratch: the targets of the upper levels; behind them the tree, which begins as a basis.
template <unsigned LOGN> FALCON_DEVICE constexpr unsigned upper_targets(Mode mode) {
    return (4u << LOGN) - (4u << low_levels(mode));
}
template <unsigned LOGN> FALCON_DEVICE constexpr unsigned scratch_reals(Mode mode) {
    return upper_targets<LOGN>(mode) + (mode == EXPANDED ? 0 : computed_len(LOGN));
}

// The memory of a unit of `reals` reals.
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

// Clears what a unit had of shared memory: nothing else does before the next kernel of
// anybody's has it. Scratch is the host's to wipe. The compiler may not leave out what is
// `volatile`, though nothing reads it.
template <unsigned W> FALCON_DEVICE void clear_shared(Unit unit, unsigned reals) {
    volatile double *base = &in_shared<W>(unit, reals).base->v;
    Group<W>::each(reals, [&](unsigned i) { base[View<W>::spread(i)] = 0; });
}

FALCON_DEVICE KeyView key_reals(const Batch &batch, uint64_t key) {
    return {reinterpret_cast<const Real *>(batch.keys + key * batch.key_stride)};
}

// [[g, -f], [G, -F]] of a key, given f, g, F, G, in the FFT domain. `out` are four
// polynomials, one after the other.
template <unsigned LOGN, unsigned W> FALCON_CALL void transform_basis(const int8_t *key, View<W> out) {
    constexpr unsigned N = 1u << LOGN, M = N / 2;
    out.assume_space();
    assume_global(key);
    FALCON_NO_UNROLL
    for (unsigned row = 0; row < 4; ++row) {
        // g, f, G, F, every other one negated.
        const int8_t *small = key + (row ^ 1) * N;
        const int sign = row & 1 ? -1 : 1;
        const auto coefficient = [&](At i) { return real(int32_t(sign * read(&at(small, i)))); };
        const OneIn<W> f{out.from(row * N), M};
        fft<LOGN, W>([&](At i) { return Complex{coefficient(i), coefficient(M + i)}; }, f, f);
    }
}

// t = (c, 0) B^-1. Products are rounded before they are scaled.
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

// The square of a coefficient; 2^52 if it is as large as 2^16, so that 2048 of them
// do not wrap and one is more than any bound.
FALCON_DEVICE uint64_t bounded_square(int64_t s) {
    const uint64_t magnitude = uint64_t(s < 0 ? -s : s);
    return magnitude >> 16 ? uint64_t(1) << 52 : uint32_t(magnitude) * uint32_t(magnitude);
}

// s2 of (c, 0) - v, coefficient by coefficient, and whether (s1, s2) is short. Lanes of a
// group each have a part of the norm.
template <unsigned LOGN, unsigned W> struct Difference {
    const uint16_t *point;
    int16_t *s2;
    uint64_t norm;

    FALCON_DEVICE void subtract(At i, Real v0, Real v1) {
        const int64_t s = -nearest(v1);
        // Exact for every short vector.
        if (s2) at(s2, i) = int16_t(s);
        norm += bounded_square(int64_t(at(point, i)) - nearest(v0)) + bounded_square(s);
    }
    FALCON_DEVICE bool is_short() const { return Group<W>::total(norm) <= Parameters<LOGN>::SQUARED_NORM_BOUND; }
};

// s2 of (c, 0) - (z0, z1) B, and whether that is short. Writes over (z0, z1).
template <unsigned LOGN, unsigned W, class B>
FALCON_DEVICE bool short_vector(const uint16_t *point, View<W> z0, View<W> z1, B basis, int16_t *s2) {
    constexpr unsigned N = 1u << LOGN, M = N / 2;
    const B b00 = basis, b01 = basis.from(N), b10 = basis.from(2 * N), b11 = basis.from(3 * N);
    // Every stage doubles the values: undone before the first one, exactly.
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

// What a unit works on.
struct Slot {
    uint64_t number;
    bool exists, idle;
};

// A group beyond the last slot goes along with the others of its warp, on what the last slot
// reads. So does that of a job that is not ready. It writes to working memory of its own alone.
template <unsigned W> FALCON_DEVICE Slot slot_of(const Batch &batch, Unit unit) {
    constexpr unsigned APART = View<W>::APART;
    const bool exists = unit.index < batch.count;
    return {exists ? unit.index : batch.count - 1, exists, unit.index / APART * APART >= batch.count};
}

// Kernel: one attempt. Unit = slot.
template <unsigned LOGN, unsigned W, Mode MODE> FALCON_DEVICE void sign(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    const auto [slot, within, idle] = slot_of<W>(batch, unit);
    if (idle) return;
    const uint32_t job = uint32_t(job_of(batch, slot));
    // Bytes that are not known to be this attempt's are not used: zeros, or those of
    // another signature, would give the key away.
    const bool exists = within && stands_at(batch, job, STATUS_READY);
    if (!Group<W>::any(exists)) return;
    // Found again behind the sampler, not kept in registers.
    const auto point = [&] { return batch.points + uint64_t(hidden(job)) * N; };
    const auto key = [&] { return key_of(batch, hidden(job)); };
    constexpr unsigned LOW = low_levels(MODE);
    const View<W> low = in_shared<W>(unit, shared_reals(MODE));
    const View<W> high = in_scratch<W>(batch, unit, scratch_reals<LOGN>(MODE));
    const Targets<LOGN, W, LOW> targets{high, low};
    // Behind the targets.
    const View<W> high_tree = high.from(upper_targets<LOGN>(MODE)), low_tree = low.from(4u << LOW);
    const auto s2 = [&]() -> int16_t * { return exists ? batch.s2 + uint64_t(hidden(job)) * N : nullptr; };
    const View<W> t0 = targets.t0(LOGN), t1 = targets.t1(LOGN);
    // Behind the targets of the last level, which end before those of a lower one would begin.
    static_assert((2u << SMALL) >= RING_REALS, "so many reals would be those of lower levels");
    Stream<W> stream(batch, slot, exists, &low.base[View<W>::spread((4u << LOW) - RING_REALS)]);
    // If the stream has ended, the integers are arbitrary. The status says so until the end, so that
    // nothing is kept in registers for it.
    const auto sample = [&](auto &tree) {
        ffsampling<LOGN, W>(stream, tree, targets);
        Group<W>::each(1, [&](unsigned) {
            if (exists && !stream.exists()) batch.status[hidden(job)] = STATUS_SEEDED;
        });
    };
    bool is_short;
    if constexpr (MODE == RAW) {
        // The basis makes room for the tree and is transformed again.
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
    // Nothing comes behind what is cleared.
    copies_arrive();
    Group<W>::each(1, [&](unsigned) {
        if (!exists) return;
        // A job without a vector is still ready, and the host finds that `sign` has not signed it.
        const bool signs = stands_at(batch, job, STATUS_READY);
        batch.status[job] = !signs ? STATUS_READY : is_short ? STATUS_SHORT : STATUS_LONG;
    });
    clear_shared<W>(unit, shared_reals(MODE));
}

} // namespace falcon
