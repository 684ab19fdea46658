// The FFT over R[x]/(x^n + 1) and its inverse: `falcon-core/src/fft/transform.rs`.
//
// Stage by stage, block `i` holds f mod x^(2t) - w^2 and becomes f mod x^t - w and
// f mod x^t + w. A pass takes up to three stages through registers: 2^S complex
// numbers at a time, so that memory is met three times for 512 and 1024.
//
// Which butterfly is computed when does not change a bit. Two orders of passes:
// breadth first (each over the whole polynomial), or, with FALCON_DEPTH_FIRST, all
// passes of a block before those of the next one (what GOLF calls depth first:
// temporal locality).
#pragma once

#include "tables.h"
#include "view.h"

namespace falcon {

FALCON_CONSTANT Complex UNIFORM_TWIDDLES[512] = {
#include "twiddles.inc"
};
FALCON_TABLE Complex LANE_TWIDDLES[512] = {
#include "twiddles.inc"
};

// Twiddle of block i of the stage of m blocks, at = m + i. Lanes of a group read
// different ones.
template <unsigned W> FALCON_DEVICE Complex twiddle(unsigned at) {
    if (W == 1) return UNIFORM_TWIDDLES[at];
    return LANE_TWIDDLES[at];
}

// The butterfly from (x, y) to (x + w y, x - w y), or, inverse, to (x + y, (x - y) conj(w)).
template <bool INVERSE> FALCON_DEVICE void butterfly(Complex &x, Complex &y, Complex w) {
    if (!INVERSE) y = y * w;
    const Complex sum = x + y, difference = x - y;
    x = sum;
    y = INVERSE ? times_conjugate(difference, w) : difference;
}

// `S` stages, the first having `blocks` blocks of 2^S t complex numbers each, on
// the blocks from `begin` to `end`; `scale` is multiplied first.
template <unsigned W, unsigned S, bool INVERSE, bool SCALED>
FALCON_DEVICE void pass(View<W> f, unsigned m, unsigned blocks, unsigned begin, unsigned end, Real scale) {
    constexpr unsigned SIZE = 1u << S;
    const unsigned t = m / (blocks * SIZE);
    Group<W>::each((end - begin) * t, [&](unsigned item) {
        const unsigned i = begin + item / t, u = item % t;
        const unsigned at = i * SIZE * t + u;
        Complex v[SIZE];
        FALCON_UNROLL
        for (unsigned k = 0; k < SIZE; ++k) {
            v[k] = get(f, m, at + k * t);
            if (SCALED) v[k] = {v[k].re * scale, v[k].im * scale};
        }
        FALCON_UNROLL
        for (unsigned n = 0; n < S; ++n) {
            const unsigned stage = INVERSE ? S - 1 - n : n;
            const unsigned h = SIZE >> (stage + 1);
            FALCON_UNROLL
            for (unsigned k = 0; k < SIZE / 2; ++k) {
                const unsigned block = k / h, x = block * 2 * h + k % h;
                const Complex w = twiddle<W>(((blocks + i) << stage) + block);
                butterfly<INVERSE>(v[x], v[x + h], w);
            }
        }
        FALCON_UNROLL
        for (unsigned k = 0; k < SIZE; ++k) put(f, m, at + k * t, v[k]);
    });
}

// The stages of the three passes: all of LOGN - 1.
template <unsigned LOGN> struct Passes {
    static constexpr unsigned FIRST = (LOGN - 1 + 2) / 3;
    static constexpr unsigned SECOND = (LOGN - FIRST) / 2;
    static constexpr unsigned THIRD = LOGN - 1 - FIRST - SECOND;
};

// Coefficients to FFT domain, in place.
template <unsigned LOGN, unsigned W> FALCON_CALL void fft(View<W> f) {
    f.assume_space();
    using P = Passes<LOGN>;
    constexpr unsigned M = 1u << (LOGN - 1);
    constexpr unsigned B1 = 1u << P::FIRST, B2 = B1 << P::SECOND;
    const Real one{1.0};
    pass<W, P::FIRST, false, false>(f, M, 1, 0, 1, one);
#ifdef FALCON_DEPTH_FIRST
    FALCON_NO_UNROLL
    for (unsigned i = 0; i < B1; ++i) {
        pass<W, P::SECOND, false, false>(f, M, B1, i, i + 1, one);
        pass<W, P::THIRD, false, false>(f, M, B2, i * (B2 / B1), (i + 1) * (B2 / B1), one);
    }
#else
    pass<W, P::SECOND, false, false>(f, M, B1, 0, B1, one);
    pass<W, P::THIRD, false, false>(f, M, B2, 0, B2, one);
#endif
}

// FFT domain to coefficients, in place. Every stage doubles the values, which the
// multiplication by 2^(1 - LOGN) at the beginning undoes exactly.
template <unsigned LOGN, unsigned W> FALCON_CALL void inverse_fft(View<W> f) {
    f.assume_space();
    using P = Passes<LOGN>;
    constexpr unsigned M = 1u << (LOGN - 1);
    constexpr unsigned B1 = 1u << P::FIRST, B2 = B1 << P::SECOND;
    const Real scale{1.0 / M};
#ifdef FALCON_DEPTH_FIRST
    FALCON_NO_UNROLL
    for (unsigned i = 0; i < B1; ++i) {
        pass<W, P::THIRD, true, true>(f, M, B2, i * (B2 / B1), (i + 1) * (B2 / B1), scale);
        pass<W, P::SECOND, true, false>(f, M, B1, i, i + 1, scale);
    }
#else
    pass<W, P::THIRD, true, true>(f, M, B2, 0, B2, scale);
    pass<W, P::SECOND, true, false>(f, M, B1, 0, B1, scale);
#endif
    pass<W, P::FIRST, true, false>(f, M, 1, 0, 1, scale);
}

} // namespace falcon
