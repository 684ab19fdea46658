// Where the reals of a signature lie.
#pragma once

#include "real.h"

namespace falcon {

// Bit `i` of the place of a real in shared memory is the parity of some bits of
// its index: such that the half warps of every access of `fft.h` and `node.h` (16
// reals that are 1, 2, 4 or 8 apart, or 4 to 8 groups of neighbours) meet 16
// different banks of 8 bytes. It permutes each 128 reals.
FALCON_DEVICE unsigned permuted(unsigned i) { return i ^ (i >> 4 & 1) ^ (i >> 5 & 1) * 6 ^ (i >> 6 & 1) * 10; }

// Reals of a polynomial of one signature.
//
// One thread a signature: neighbours in memory are the same real of the 32 signatures
// of a warp, so that a lane's next one is `APART`, and a warp's reals are its own: places
// are known to the compiler, and a page of memory is of few warps. A group of lanes: they
// are neighbours, or lie as `permuted` says.
template <unsigned W> struct View {
    static constexpr unsigned APART = W == 1 ? WARP : 1;

    Real *base;
    // A group.
    uint32_t first;

#ifdef FALCON_EMULATE
    using Place = emulate::Counted<Real>;
#else
    using Place = Real &;
#endif
    FALCON_DEVICE Place operator[](unsigned i) const { return {base[W == 1 ? i * APART : place(first + i)]}; }

    // Of real `i` of a signature.
    static FALCON_DEVICE unsigned place(unsigned i) {
#ifdef FALCON_EMULATE
        const unsigned place = emulate::conflict_free ? permuted(i) : i;
        emulate::touch(place);
        return place;
#elif defined(FALCON_CONFLICT_FREE)
        return permuted(i);
#else
        return i;
#endif
    }

    // From real `i` on.
    FALCON_DEVICE View from(unsigned i) const {
        if (W == 1) return {base + i * APART, 0};
        return {base, first + i};
    }

    // Says which memory they lie in: calls forget it.
    FALCON_DEVICE void assume_space() const {
        if (W == 1) {
            assume_global(base);
        } else {
            assume_shared(base);
        }
    }
};

// Reals of a key: neighbours in memory, read only.
struct KeyView {
    const Real *base;

    FALCON_DEVICE Real operator[](unsigned i) const {
#ifdef FALCON_EMULATE
        emulate::count_access(emulate::READ_KEY);
#endif
        return {read(&base[i].v)};
    }
    FALCON_DEVICE KeyView from(unsigned i) const { return {base + i}; }
};

// Complex number `i` of `m`: real parts stand before imaginary ones.
template <class V> FALCON_DEVICE Complex get(V v, unsigned m, unsigned i) { return {v[i], v[m + i]}; }
template <class V> FALCON_DEVICE void put(V v, unsigned m, unsigned i, Complex x) {
    v[i] = x.re;
    v[m + i] = x.im;
}

} // namespace falcon
