// Places of reals in memory.
#pragma once

#include "real.h"

namespace falcon {

// Index `first + offset`. The compiler knows the offset and writes it into the instruction. So
// indices that differ only in the offset need only one address.
struct At {
    unsigned first, offset;
    // A divisor of `first`.
    unsigned multiple;

    FALCON_DEVICE At(unsigned first, unsigned offset = 0, unsigned multiple = 1)
        : first(first), offset(offset), multiple(multiple) {}
};
FALCON_DEVICE At operator+(unsigned m, At i) { return {i.first, i.offset + m, i.multiple}; }
template <class T> FALCON_DEVICE T &at(T *p, At i) { return (p + i.first)[i.offset]; }

// Reals of a polynomial of one signature.
//
// The signatures of a warp are interleaved, `W` reals of each. So when the `W` lanes of each
// signature access neighbouring reals, the warp accesses 32 neighbours in memory.
template <unsigned W> struct View {
    // Number of signatures of a warp.
    static constexpr unsigned APART = WARP / W;

    Real *base;
    // Index of the first real.
    uint32_t first;

    FALCON_DEVICE Real &operator[](At i) const {
        // If W divides one of two numbers, spread(a + b) is spread(a) + spread(b), and the offset
        // can be in the instruction.
        const bool apart = i.offset % W == 0 || i.multiple % W == 0;
        Real *at = apart ? base + spread(first + i.first) + spread(i.offset)
                               : base + spread(first + i.first + i.offset);
        return *at;
    }

    // Place in memory of real `i` of a signature.
    static FALCON_DEVICE unsigned spread(unsigned i) { return i / W * WARP + i % W; }

    // The view from real `i` on.
    FALCON_DEVICE View from(unsigned i) const {
        return {base, first + i};
    }

    // Tells the compiler that the reals are in shared memory, which it does not know after a call.
    FALCON_DEVICE void assume_space() const {
        if (W == WARP) assume_shared(base);
    }
};

// The reals of a key: neighbours in memory, only read.
struct KeyView {
    const Real *base;

    FALCON_DEVICE Real operator[](At i) const {
        return {read(&at(base, i).v)};
    }
    FALCON_DEVICE KeyView from(unsigned i) const { return {base + i}; }
};

// Complex number `i` of `m`. The real parts of all numbers lie before the imaginary ones.
template <class V> FALCON_DEVICE Complex get(V v, unsigned m, At i) { return {v[i], v[m + i]}; }
template <class V> FALCON_DEVICE void put(V v, unsigned m, At i, Complex x) {
    v[i] = x.re;
    v[m + i] = x.im;
}

} // namespace falcon
