// One attempt of SamplerZ: what a comparison of logarithms says of it for sure, and the exact
// trial.
//
// # The comparison
//
// BerExp accepts iff random bytes are below the bytes of Y = 256 ccs exp(-x), so w < floor(Y)
// accepts and w > floor(Y) rejects, w being the first byte. With d = dss log2(e), the level
// log2(256 ccs), q = z0^2 log2(e) / (2 sigma_max^2) and y = (z - r)^2 d - level,
//     log2(Y) = q - y.
// So y <= q - log2(w + 1) accepts and y > q - log2(w) rejects. The right-hand sides do not depend
// on the centre: they are `accept` and `reject`, moved apart by a margin of 2^-13 on each side.
//
// All of it is binary32; u = 2^-24. Keys have x >= 0, dss log2(e) <= 0.58, |z - r| <= 19 and
// z0 <= 18 (`records.rs` of the core). It matters where w decides: there log2(Y) is between -1 and
// 8, so that the two terms of q - y are below 79 and 87.
//   * (z - r)^2 d is off by 780 u at most (see the core's bounds), and q by 105 u with its rounding.
//   * y is rounded once, where the product and the sum are fused: 64 u. The level is off by 2^-19
//     (the approximate logarithm) and by its rounding, 8 u: 40 u.
//   * The logarithm of w is off by 2^-19: 32 u. Adding it and the margin to q rounds twice: 128 u.
// Together 1149 u, and the margin is 2048 u. The exact computation is off by 2^-51 of Y, far within
// what is left of it.
#pragma once

#include "node.h"
#include "stream.h"

namespace falcon {

// The margin.
constexpr float MARGIN = 1.0f / 8192.0f;
// What no `y` is above.
constexpr float INFINITE = 1e30f;

// What a verdict says.
constexpr uint32_t OPEN = 1;     // not surely rejected
constexpr uint32_t ACCEPTED = 2; // surely accepted

// The integer that an attempt proposes: 1 + z0 or -z0.
FALCON_DEVICE int32_t candidate(int32_t z0, uint32_t sign) {
    const int32_t b = int32_t(sign & 1);
    return b + (2 * b - 1) * z0;
}

// What an attempt says whatever the centre is. `accept` and `reject` are what `y` of a
// centre is compared with.
struct Attempt {
    float z, accept, reject;

    // Of the integers of the attempt and of the base sampler, and the trial's first byte.
    static FALCON_DEVICE Attempt of(float z, float z0, float w) {
        const float q = PROPOSAL * (z0 * z0);
        // No threshold is below a byte of zero: its logarithm is minus infinity.
        return {z, q - MARGIN - log2_of(w + 1.0f), q + MARGIN - log2_of(w)};
    }

    // Of a record.
    static FALCON_DEVICE Attempt of(uint32_t record) {
        const float z0 = float(record & 31), b = float(record >> 5 & 1);
        Attempt attempt = of(fused(fused(b, 2.0f, -1.0f), z0, b), z0, float(record >> 6 & 0xff));
        if (record >> 14) attempt.accept = -INFINITE, attempt.reject = INFINITE;
        return attempt;
    }
};

// A leaf in binary32.
struct Filter {
    // dss log2(e), log2(256 ccs).
    float d, level;

    static FALCON_DEVICE Filter of(const Leaf &leaf) {
        return {float(leaf.dss.v) * float(LOG2_E), log2_of(256.0f * float(leaf.ccs.v))};
    }

    // What is compared, of the integer `z` around `r`.
    FALCON_DEVICE float y(float z, float r) const {
        const float t = z - r;
        return fused(t * t, d, -level);
    }

    // What an attempt says about the centre `r`.
    FALCON_DEVICE uint32_t verdict(const Attempt &a, float r) const {
        const float compared = y(a.z, r);
        return (compared > a.reject ? 0 : OPEN) | (compared <= a.accept ? ACCEPTED : 0);
    }
};

// An attempt: its integer, and the bytes that it took.
struct Trial {
    int32_t z;
    uint32_t taken;
    bool accepted;
};

// 2^64 ccs exp(-x), x >= 0, as the reference computes it: less than one unit too small and below 2^64.
FALCON_DEVICE uint64_t threshold(Real x, Real ccs) {
    const int64_t s = truncated(x * Real{LOG2_E});
    const Real r = x - real(s) * Real{LN2};
    const Real two_63{9223372036854775808.0};
    const uint64_t fixed = uint64_t(truncated(r * two_63)) << 1;
    uint64_t y = EXP_COEFFICIENTS[0];
    FALCON_UNROLL
    for (unsigned i = 1; i < 13; ++i) y = EXP_COEFFICIENTS[i] - mul_high(fixed, y);
    y = mul_high(uint64_t(truncated(ccs * two_63)) << 1, y);
    return ((y << 1) - 1) >> (uint64_t(s) < 63 ? s : 63);
}

// (z - r)^2 dss - z0^2 / (2 sigma_max^2).
FALCON_DEVICE Real exponent(int32_t z, int32_t z0, Real r, Real dss) {
    const Real d = real(z) - r;
    return d * d * dss - real(z0 * z0) * Real{INV_2_SIGMA_MAX_SQUARED};
}

// The attempt that begins at `at`, decided by the reference's own arithmetic.
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
    for (unsigned shift = 56; w == 0 && shift != 0;) {
        shift -= 8;
        w = int32_t(byte_at(rows, at + trial.taken)) - int32_t(bytes >> shift & 0xff);
        trial.taken += 1;
    }
    trial.accepted = w < 0;
    return trial;
}

// The integers that were found, in their order.
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
