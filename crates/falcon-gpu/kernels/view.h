// Where the reals of a signature lie.
#pragma once

#include "real.h"

namespace falcon {

// Place `first + offset`, the offset known to the compiler: it stands in the instruction,
// and one address does for all places that differ by it.
struct At {
    unsigned first, offset;
    // What `first` is a multiple of.
    unsigned multiple;

    FALCON_DEVICE At(unsigned first, unsigned offset = 0, unsigned multiple = 1)
        : first(first), offset(offset), multiple(multiple) {}
};
FALCON_DEVICE At operator+(unsigned m, At i) { return {i.first, i.offset + m, i.multiple}; }
template <class T> FALCON_DEVICE T &at(T *p, At i) { return (p + i.first)[i.offset]; }

// Reals of a polynomial of one signature.
//
// The signatures of a warp take turns with `W` reals each, so that lanes that meet neighbours
// of their signatures meet neighbours in memory.
template <unsigned W> struct View {
    // Signatures of a warp.
    static constexpr unsigned APART = WARP / W;

    Real *base;
    // The first real.
    uint32_t first;

    FALCON_DEVICE Real &operator[](At i) const {
        // An offset of whole turns, or from a whole turn, stands in the instruction.
        const bool apart = i.offset % W == 0 || i.multiple % W == 0;
        Real *at = apart ? base + spread(first + i.first) + spread(i.offset)
                               : base + spread(first + i.first + i.offset);
        return *at;
    }

    // Where real `i` of this signature is.
    static FALCON_DEVICE unsigned spread(unsigned i) { return i / W * WARP + i % W; }

    // From real `i` on.
    FALCON_DEVICE View from(unsigned i) const {
        return {base, first + i};
    }

    // Says which memory they lie in: calls forget it.
    FALCON_DEVICE void assume_space() const {
        if (W == WARP) assume_shared(base);
    }
};

// Reals of a key: neighbours in memory, read only.
struct KeyView {
    const Real *base;

    FALCON_DEVICE Real operator[](At i) const {
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
