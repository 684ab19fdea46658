// Binary64 with one rounding for each operation.
//
// `docs/BIT-EXACTNESS.md` has the rules: no fused multiply-add, no reassociation.
// On a GPU the intrinsics `__d..._rn` are never contracted; the host is compiled
// with `-ffp-contract=off`.
#pragma once

#include "platform.h"

namespace falcon {

struct Real {
    double v;
};

#ifdef __CUDACC__
FALCON_DEVICE Real operator+(Real a, Real b) { return {__dadd_rn(a.v, b.v)}; }
FALCON_DEVICE Real operator-(Real a, Real b) { return {__dsub_rn(a.v, b.v)}; }
FALCON_DEVICE Real operator*(Real a, Real b) { return {__dmul_rn(a.v, b.v)}; }
// 1 / a.
FALCON_DEVICE Real inverse(Real a) { return {__drcp_rn(a.v)}; }
FALCON_DEVICE Real square_root(Real a) { return {__dsqrt_rn(a.v)}; }
FALCON_DEVICE Real floor_of(Real a) { return {floor(a.v)}; }
FALCON_DEVICE Real real(int64_t x) { return {__ll2double_rn(x)}; }
FALCON_DEVICE Real real(int32_t x) { return {__int2double_rn(x)}; }
// The nearest integer, ties to even.
FALCON_DEVICE int64_t nearest(Real a) { return __double2ll_rn(a.v); }
// Rounded towards zero, and at most 2^63 - 1, as with `as i64` in Rust.
FALCON_DEVICE int64_t truncated(Real a) { return __double2ll_rz(a.v); }
#else
inline Real operator+(Real a, Real b) { return {a.v + b.v}; }
inline Real operator-(Real a, Real b) { return {a.v - b.v}; }
inline Real operator*(Real a, Real b) { return {a.v * b.v}; }
inline Real inverse(Real a) { return {1.0 / a.v}; }
inline Real square_root(Real a) { return {sqrt(a.v)}; }
inline Real floor_of(Real a) { return {floor(a.v)}; }
inline Real real(int64_t x) { return {double(x)}; }
inline Real real(int32_t x) { return {double(x)}; }
inline int64_t nearest(Real a) { return llrint(a.v); }
inline int64_t truncated(Real a) {
    const bool fits = a.v < 9223372036854775808.0;
    return FALCON_SELECT(fits, int64_t(FALCON_SELECT(fits, a.v, 0.0)), INT64_MAX);
}
#endif

FALCON_DEVICE Real operator-(Real a) { return {-a.v}; }
FALCON_DEVICE Real half(Real a) { return a * Real{0.5}; }

struct Complex {
    Real re, im;
};

FALCON_DEVICE Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
FALCON_DEVICE Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
FALCON_DEVICE Complex operator-(Complex a) { return {-a.re, -a.im}; }
FALCON_DEVICE Complex half(Complex a) { return {half(a.re), half(a.im)}; }

// Four products, one difference, one sum.
FALCON_DEVICE Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

FALCON_DEVICE Complex scaled(Complex a, Real b) { return {a.re * b, a.im * b}; }

// a * conj(b).
FALCON_DEVICE Complex times_conjugate(Complex a, Complex b) {
    return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}

// |a|^2.
FALCON_DEVICE Real squared_magnitude(Complex a) { return a.re * a.re + a.im * a.im; }

} // namespace falcon
