// The FFT over R[x]/(x^n + 1) and its inverse: `falcon-core/src/fft/transform.rs`.
//
// In each stage, block `i` holds f mod x^(2t) - w^2 and becomes f mod x^t - w and f mod x^t + w. A
// pass computes S stages, at most three, on 2^S complex numbers in registers at a time. Operations
// on each number before the first pass or after the last one are done in that pass.
//
// The order of the butterflies does not change the result.
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

// The twiddle of block i in the stage with m blocks, where `at` is m + i. Lanes of a group read
// different twiddles.
template <unsigned W> FALCON_DEVICE Complex twiddle(unsigned at) {
    return LANE_TWIDDLES[at];
}

// The butterfly from (x, y) to (x + w y, x - w y), or, inverse, to (x + y, (x - y) conj(w)).
template <bool INVERSE> FALCON_DEVICE void butterfly(Complex &x, Complex &y, Complex w) {
    if (!INVERSE) y = y * w;
    const Complex sum = x + y, difference = x - y;
    x = sum;
    y = INVERSE ? times_conjugate(difference, w) : difference;
}

// Complex numbers of two polynomials that are transformed together: each twiddle is read
// once.
struct Both {
    Complex first, second;
};
template <bool INVERSE> FALCON_DEVICE void butterfly(Both &x, Both &y, Complex w) {
    butterfly<INVERSE>(x.first, y.first, w);
    butterfly<INVERSE>(x.second, y.second, w);
}

// Reads and writes the complex numbers of one polynomial of 2m reals, or of two.
template <unsigned W> struct OneIn {
    View<W> f;
    unsigned m;

    FALCON_DEVICE Complex operator()(At i) const { return get(f, m, i); }
    FALCON_DEVICE void operator()(At i, Complex x) const { put(f, m, i, x); }
};
template <unsigned W> struct BothIn {
    View<W> first, second;
    unsigned m;

    FALCON_DEVICE Both operator()(At i) const { return {get(first, m, i), get(second, m, i)}; }
    FALCON_DEVICE void operator()(At i, Both x) const {
        put(first, m, i, x.first);
        put(second, m, i, x.second);
    }
};

// `S` stages, on the blocks from `begin` to `end`. The stage with the largest blocks comes first,
// or last in the inverse FFT. It has `blocks` blocks of 2^S t complex numbers each. Numbers come
// from `from(i)` and go to `to(i, x)`.
template <unsigned W, unsigned S, bool INVERSE, class From, class To>
FALCON_DEVICE void pass(unsigned m, unsigned blocks, unsigned begin, unsigned end, const From &from, const To &to) {
    constexpr unsigned SIZE = 1u << S;
    const unsigned t = m / (blocks * SIZE);
    Group<W>::each((end - begin) * t, [&](unsigned item) {
        const unsigned i = begin + item / t, u = item % t;
        const unsigned at = i * SIZE * t + u, multiple = t == 1 ? SIZE : 1;
        decltype(from(At(0))) v[SIZE];
        FALCON_UNROLL
        for (unsigned k = 0; k < SIZE; ++k) v[k] = from({at, k * t, multiple});
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
        for (unsigned k = 0; k < SIZE; ++k) to({at, k * t, multiple}, v[k]);
    });
}

// The stages of the three passes, LOGN - 1 in all.
template <unsigned LOGN> struct Passes {
    static constexpr unsigned ALL = LOGN - 1, FIRST = (ALL + 2) / 3, SECOND = (ALL - FIRST + 1) / 2;
    static constexpr unsigned THIRD = ALL - FIRST - SECOND;
};

// From coefficients to the FFT domain. Numbers come from `from`, go to `to`, and lie in `memory`
// between passes. The parts of number i are coefficients i and n/2 + i.
template <unsigned LOGN, unsigned W, class From, class Memory, class To>
FALCON_DEVICE void fft(const From &from, const Memory &memory, const To &to) {
    using P = Passes<LOGN>;
    constexpr unsigned M = 1u << (LOGN - 1);
    constexpr unsigned B1 = 1u << P::FIRST, B2 = B1 << P::SECOND;
    pass<W, P::FIRST, false>(M, 1, 0, 1, from, memory);
    pass<W, P::SECOND, false>(M, B1, 0, B1, memory, memory);
    pass<W, P::THIRD, false>(M, B2, 0, B2, memory, to);
}

// From the FFT domain to 2^(LOGN - 1) times the coefficients.
template <unsigned LOGN, unsigned W, class From, class Memory, class To>
FALCON_DEVICE void inverse_fft(const From &from, const Memory &memory, const To &to) {
    using P = Passes<LOGN>;
    constexpr unsigned M = 1u << (LOGN - 1);
    constexpr unsigned B1 = 1u << P::FIRST, B2 = B1 << P::SECOND;
    pass<W, P::THIRD, true>(M, B2, 0, B2, from, memory);
    pass<W, P::SECOND, true>(M, B1, 0, B1, memory, memory);
    pass<W, P::FIRST, true>(M, 1, 0, 1, memory, to);
}

} // namespace falcon
