// One attempt of SamplerZ: a comparison of logarithms, which decides most attempts, and the exact
// trial for the others.
//
// # The comparison
//
// BerExp compares random bytes with those of Y = 256 ccs exp(-x). If the first byte w is below
// floor(Y) it accepts, and if w is above floor(Y) it rejects. With d = dss log2(e), the level
// log2(256 ccs), q = z0^2 log2(e) / (2 sigma_max^2) and y = (z - r)^2 d - level,
//     log2(Y) = q - y.
// So it accepts if y <= q - log2(w + 1), and rejects if y > q - log2(w). The right-hand sides do
// not depend on the centre: they are `accept` and `reject`, moved apart by a margin of 2^-13 on
// each side.
//
// All numbers are binary32; u = 2^-24. Keys have x >= 0 and dss log2(e) <= 0.58 (`records.rs` of
// the core); z0 <= 18 and |z - r| <= 19. The errors matter only where w decides. There log2(Y) is
// between -1 and 8, so q < 71, y < 72 and (z - r)^2 d < 80.
//   * (z - r)^2 d is off by at most 780 u, and q by 105 u including its rounding.
//   * y is rounded once, since its product and sum are fused: 64 u. The level is off by 2^-19 (the
//     approximate logarithm) and by roundings of 8 u: 40 u.
//   * The logarithm of w is off by 2^-19: 32 u. Adding it and the margin to q rounds twice: 128 u.
// The sum is 1149 u, and the margin is 2048 u. The exact computation is off by 2^-51 of Y, far less
// than the difference.
#pragma once

#include "node.h"
#include "stream.h"

namespace falcon {

// The margin by which `accept` and `reject` are moved.
constexpr float MARGIN = 1.0f / 8192.0f;
// A number above every `y`.
constexpr float INFINITE = 1e30f;

// Bits of a verdict.
constexpr uint32_t OPEN = 1;     // not surely rejected
constexpr uint32_t ACCEPTED = 2; // surely accepted

// The integer that an attempt proposes: 1 + z0 or -z0.
FALCON_DEVICE int32_t candidate(int32_t z0, uint32_t sign) {
    const int32_t b = int32_t(sign & 1);
    return b + (2 * b - 1) * z0;
}

// The data of an attempt that do not depend on the centre. `accept` and `reject` are the numbers
// with which `y` is compared.
struct Attempt {
    float z, accept, reject;

    // From the proposed integer `z`, the base sampler's integer `z0` and the trial's first byte
    // `w`.
    static FALCON_DEVICE Attempt of(float z, float z0, float w) {
        const float q = PROPOSAL * (z0 * z0);
        // A byte of zero is never rejected: its logarithm is minus infinity.
        return {z, q - MARGIN - log2_of(w + 1.0f), q + MARGIN - log2_of(w)};
    }

    // From a record. Bit 14 says that z0 is not known: then the exact trial decides.
    static FALCON_DEVICE Attempt of(uint32_t record) {
        const float z0 = float(record & 31), b = float(record >> 5 & 1);
        Attempt attempt = of(fused(fused(b, 2.0f, -1.0f), z0, b), z0, float(record >> 6 & 0xff));
        const bool known = record >> 14 == 0;
        attempt.accept = FALCON_SELECT(known, attempt.accept, -INFINITE);
        attempt.reject = FALCON_SELECT(known, attempt.reject, INFINITE);
        return attempt;
    }
};

// A leaf in binary32.
struct Filter {
    // dss log2(e) and log2(256 ccs).
    float d, level;

    static FALCON_DEVICE Filter of(const Leaf &leaf) {
        return {float(leaf.dss.v) * float(LOG2_E), log2_of(256.0f * float(leaf.ccs.v))};
    }

    // The number to compare, for the integer `z` and the centre `r`.
    FALCON_DEVICE float y(float z, float r) const {
        const float t = z - r;
        return fused(t * t, d, -level);
    }

    // The verdict on an attempt for the centre `r`.
    FALCON_DEVICE uint32_t verdict(const Attempt &a, float r) const {
        const float compared = y(a.z, r);
        return (compared > a.reject ? 0 : OPEN) | (compared <= a.accept ? ACCEPTED : 0);
    }
};

// Result of the exact trial: the proposed integer, and the number of bytes that the attempt took.
struct Trial {
    int32_t z;
    uint32_t taken;
    bool accepted;
};

// 2^64 ccs exp(-x) for x >= 0, as the reference computes it. The subtraction of 1 keeps it below
// 2^64 if ccs exp(-x) is 1.
FALCON_DEVICE uint64_t threshold(Real x, Real ccs) {
    const int64_t s = truncated(x * Real{LOG2_E});
    const Real r = x - real(s) * Real{LN2};
    const Real two_63{9223372036854775808.0};
    const uint64_t fixed = uint64_t(truncated(r * two_63)) << 1;
    uint64_t y = EXP_COEFFICIENTS[0];
    FALCON_UNROLL
    for (unsigned i = 1; i < 13; ++i) y = EXP_COEFFICIENTS[i] - mul_high(fixed, y);
    y = mul_high(uint64_t(truncated(ccs * two_63)) << 1, y);
    return ((y << 1) - 1) >> FALCON_SELECT(uint64_t(s) < 63, s, int64_t(63));
}

// (z - r)^2 dss - z0^2 / (2 sigma_max^2).
FALCON_DEVICE Real exponent(int32_t z, int32_t z0, Real r, Real dss) {
    const Real d = real(z) - r;
    return d * d * dss - real(z0 * z0) * Real{INV_2_SIGMA_MAX_SQUARED};
}

// Decides the attempt that begins at `at`, with the arithmetic of the reference.
FALCON_CALL Trial exact_attempt(const uint32_t *rows, uint32_t at, Real r, Leaf leaf) {
    const uint64_t low = uint64_t(word_at(rows, at)) | uint64_t(word_at(rows, at + 4)) << 32;
    const uint32_t rest = word_at(rows, at + 8);
    const uint32_t high = rest & 0xff;
    int32_t z0 = 0;
    FALCON_UNROLL
    for (unsigned i = 0; i < 18; ++i) {
        z0 += (high < RCDT_HIGH[i]) | ((high == RCDT_HIGH[i]) & (low < RCDT_LOW[i]));
    }
    Trial trial{candidate(z0, rest >> 8), ATTEMPT_LEN, false};
    const uint64_t bytes = threshold(exponent(trial.z, z0, r, leaf.dss), leaf.ccs);
    int32_t w = int32_t(rest >> 16 & 0xff) - int32_t(bytes >> 56);
    for (unsigned shift = 56; FALCON_REVEAL(w == 0) && shift != 0;) {
        shift -= 8;
        w = int32_t(byte_at(rows, at + trial.taken)) - int32_t(bytes >> shift & 0xff);
        trial.taken += 1;
    }
    trial.accepted = FALCON_REVEAL(w < 0);
    return trial;
}

// The integers found so far, in order.
struct Found {
    float z[2];
    unsigned count;

    FALCON_DEVICE void add(float x) {
        z[0] = count == 0 ? x : z[0];
        z[1] = x;
        count += 1;
    }
};

} // namespace falcon
