// Where the reals of a signature lie.
#pragma once

#include "real.h"

namespace falcon {

// Bit `i` of the place of a real in shared memory is the parity of some bits of
// its index: such that the half warps of every access of `fft.h` and `node.h` (16
// reals that are 1, 2, 4 or 8 apart, or 4 to 8 groups of neighbours) meet 16
// different banks of 8 bytes. It permutes each 128 reals.
FALCON_DEVICE unsigned permuted(unsigned i) { return i ^ (i >> 4 & 1) ^ (i >> 5 & 1) * 6 ^ (i >> 6 & 1) * 10; }

// Place `first + offset`, the offset known to the compiler: it stands in the instruction,
// and one address does for all places that differ by it.
struct At {
    unsigned first, offset;

    FALCON_DEVICE At(unsigned first, unsigned offset = 0) : first(first), offset(offset) {}
};
FALCON_DEVICE At operator+(unsigned m, At i) { return {i.first, i.offset + m}; }
template <class T> FALCON_DEVICE T &at(T *p, At i) { return (p + i.first)[i.offset]; }

// Reals of a polynomial of one signature.
//
// The signatures of a warp take turns with `W` reals each, so that lanes that meet neighbours
// of their signatures meet neighbours in memory.
template <unsigned W> struct View {
    // Signatures of a warp.
    static constexpr unsigned APART = WARP / W;

    Real *base;
    // The first real, if there are several lanes.
    uint32_t first;

#ifdef FALCON_EMULATE
    using Place = emulate::Counted<Real>;
#else
    using Place = Real &;
#endif
    FALCON_DEVICE Place operator[](At i) const {
        if (W == 1) return {(base + size_t(i.first) * APART)[i.offset * APART]};
        if (W < WARP && i.offset % W == 0) return {(base + spread(first + i.first))[i.offset * APART]};
        return {base[place(i)]};
    }

    // Of real `i` in the group's memory.
    FALCON_DEVICE unsigned place(At i) const {
#ifdef FALCON_EMULATE
        const unsigned real = emulate::conflict_free ? permuted_place(i) : first + i.first + i.offset;
        emulate::touch(real);
        return real;
#elif defined(FALCON_CONFLICT_FREE)
        return W == WARP ? permuted_place(i) : spread(first + i.first + i.offset);
#else
        return spread(first + i.first + i.offset);
#endif
    }
    // Where real `i` of this signature is.
    static FALCON_DEVICE unsigned spread(unsigned i) { return i / W * WARP + i % W; }

    // `permuted` is linear over bits, and a polynomial begins at a multiple of its length, as
    // blocks of it do: the sum is without carries, and the last term is a constant.
    FALCON_DEVICE unsigned permuted_place(At i) const {
        return permuted(first) ^ permuted(i.first) ^ permuted(i.offset);
    }

    // From real `i` on.
    FALCON_DEVICE View from(unsigned i) const {
        if (W == 1) return {base + size_t(i) * APART, 0};
        return {base, first + i};
    }

    // Says which memory they lie in: calls forget it.
    FALCON_DEVICE void assume_space() const {
        if (W == 1) assume_global(base);
        if (W == WARP) assume_shared(base);
    }
};

// Reals of a key: neighbours in memory, read only.
struct KeyView {
    const Real *base;

    FALCON_DEVICE Real operator[](At i) const {
#ifdef FALCON_EMULATE
        emulate::count_access(emulate::READ_KEY);
#endif
        return {read(&at(base, i).v)};
    }
    FALCON_DEVICE KeyView from(unsigned i) const { return {base + i}; }
};

// Complex number `i` of `m`: real parts stand before imaginary ones.
template <class V> FALCON_DEVICE Complex get(V v, unsigned m, At i) { return {v[i], v[m + i]}; }
template <class V> FALCON_DEVICE void put(V v, unsigned m, At i, Complex x) {
    v[i] = x.re;
    v[m + i] = x.im;
}

} // namespace falcon
