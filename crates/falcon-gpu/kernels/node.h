// Operations on nodes of ffSampling and of the LDL tree:
// `falcon-core/src/fft/nodes.rs`, `tree.rs`.
//
// A node of degree n = 2m has polynomials of m complex numbers. Numbers 2u and 2u + 1 are a couple:
// they belong to opposite roots, and their twiddle is number m/2 + u.
#pragma once

#include "fft.h"

namespace falcon {

// A leaf with standard deviation sigma': dss = 1 / (2 sigma'^2), ccs = sigma_min / sigma'.
struct Leaf {
    Real dss, ccs;
};

template <unsigned LOGN> FALCON_DEVICE Leaf leaf_of(Real d) {
    const Real inverse_sigma = square_root(d) * Real{Parameters<LOGN>::INV_SIGMA};
    return {half(inverse_sigma * inverse_sigma), inverse_sigma * Real{Parameters<LOGN>::SIGMA_MIN}};
}

// Splits the couple (a, b) in place.
FALCON_DEVICE void split_couple(Complex &a, Complex &b, Complex w) {
    const Complex sum = a + b, difference = a - b;
    a = half(sum);
    b = times_conjugate(half(difference), w);
}

// The inverse of `split_couple`.
FALCON_DEVICE void merge_couple(Complex &x, Complex &y, Complex w) { butterfly<false>(x, y, w); }

// LDL factors of [[d00, g01], [conj(g01), g11]]. Without rounding, d00 and d11 would be real.
struct Factors {
    Complex d00, d11, l10;
};

// The factors of [[g00, g01], [conj(g01), g11]], as the C code of round 3 computes them:
// `Ldl::Complex` of falcon-core.
FALCON_DEVICE Factors factor(Complex g00, Complex g01, Complex g11) {
    const Complex quotient = times_conjugate(g01, scaled(g00, inverse(squared_magnitude(g00))));
    return {g00, g11 - times_conjugate(quotient, g01), {quotient.re, -quotient.im}};
}

// Splits the couple (x, y) of a diagonal entry into (e0, e1). Returns the factors of
// [[e0, e1], [conj(e1), e0]].
FALCON_DEVICE Factors split_and_factor(Complex x, Complex y, Complex w) {
    split_couple(x, y, w);
    return factor(x, y, x);
}

// Splits f(X) = f0(X^2) + X f1(X^2): `f` has 4m reals, and `f0` and `f1` have 2m each.
template <unsigned W, unsigned AT_ONCE = 1> FALCON_DEVICE void split(unsigned m, View<W> f, View<W> f0, View<W> f1) {
    Group<W>::template each<AT_ONCE>(m, [&](unsigned u) {
        Complex a = get(f, 2 * m, 2 * u), b = get(f, 2 * m, 2 * u + 1);
        split_couple(a, b, twiddle<W>(m + u));
        put(f0, m, u, a);
        put(f1, m, u, b);
    });
}

template <unsigned W, unsigned AT_ONCE = 1> FALCON_DEVICE void merge(unsigned m, View<W> f, View<W> f0, View<W> f1) {
    Group<W>::template each<AT_ONCE>(m, [&](unsigned u) {
        Complex x = get(f0, m, u), y = get(f1, m, u);
        merge_couple(x, y, twiddle<W>(m + u));
        put(f, 2 * m, 2 * u, x);
        put(f, 2 * m, 2 * u + 1, y);
    });
}

// The step between the two children of a node of 4m reals, in one loop: merges (u0, u1) to z1,
// splits t0 + (t1 - z1) l10 into (u0, u1), and replaces `t1` by z1.
template <unsigned W, unsigned AT_ONCE = 1, class L>
FALCON_DEVICE void nearest_plane_step(unsigned m, View<W> t0, View<W> t1, View<W> u0, View<W> u1, L l10) {
    Group<W>::template each<AT_ONCE>(m, [&](unsigned u) {
        const Complex w = twiddle<W>(m + u);
        Complex z[2] = {get(u0, m, u), get(u1, m, u)}, t[2];
        merge_couple(z[0], z[1], w);
        FALCON_UNROLL
        for (unsigned k = 0; k < 2; ++k) {
            const unsigned i = 2 * u + k;
            const Complex d = get(t1, 2 * m, i) - z[k];
            put(t1, 2 * m, i, z[k]);
            t[k] = get(t0, 2 * m, i) + d * get(l10, 2 * m, i);
        }
        split_couple(t[0], t[1], w);
        put(u0, m, u, t[0]);
        put(u1, m, u, t[1]);
    });
}

} // namespace falcon
