// Verification: the NTT modulo q, the product s2 h, the norm.
//
// Source: Falcon specification v1.2, algorithm 16.
#pragma once

#include "sign.h"

namespace falcon {

// Reals of working memory of a unit: one polynomial in 16-bit words.
template <unsigned LOGN> FALCON_DEVICE constexpr unsigned verifying_reals() { return (1u << LOGN) / 4; }

// The polynomial of a unit, whose words are in [0, q).
template <unsigned LOGN> FALCON_DEVICE uint16_t *working_words(Unit unit) {
    return reinterpret_cast<uint16_t *>(unit.shared + unit.in_block * verifying_reals<LOGN>());
}

// `S` layers of the NTT. The layer with the largest blocks has `blocks` blocks. Forward, block i of
// layer j goes from (x, y) to (x + zeta y, x - zeta y), where zeta is zeta(2^j + i). Backward, it
// goes from (x, y) to (x + y, (x - y) / zeta); -1 / zeta is the zeta of the mirrored block.
template <unsigned LOGN, unsigned W, unsigned S, bool INVERSE>
FALCON_DEVICE void ntt_pass(uint16_t *a, unsigned blocks) {
    constexpr unsigned N = 1u << LOGN, SIZE = 1u << S;
    const unsigned t = N / (blocks * SIZE);
    Group<W>::each(N / SIZE, [&](unsigned item) {
        const unsigned i = item / t, u = item % t;
        uint16_t *at = a + i * SIZE * t + u;
        uint32_t v[SIZE];
        FALCON_UNROLL
        for (unsigned k = 0; k < SIZE; ++k) v[k] = at[k * t];
        FALCON_UNROLL
        for (unsigned n = 0; n < S; ++n) {
            const unsigned stage = INVERSE ? S - 1 - n : n;
            const unsigned h = SIZE >> (stage + 1);
            const unsigned first = blocks << stage;
            FALCON_UNROLL
            for (unsigned k = 0; k < SIZE / 2; ++k) {
                const unsigned block = (i << stage) + k / h, x = k / h * 2 * h + k % h;
                uint32_t &p = v[x], &q = v[x + h];
                if (INVERSE) {
                    const uint32_t zeta = ZETAS[2 * first - 1 - block], difference = q + Q - p;
                    p = reduced_once(p + q);
                    q = montgomery_mul(difference, zeta);
                } else {
                    const uint32_t y = montgomery_mul(q, ZETAS[first + block]);
                    q = reduced_once(p + Q - y);
                    p = reduced_once(p + y);
                }
            }
        }
        FALCON_UNROLL
        for (unsigned k = 0; k < SIZE; ++k) at[k * t] = uint16_t(v[k]);
    });
}

// The NTT, in three passes over memory of at most four layers each.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void ntt(uint16_t *a) {
    constexpr unsigned LAST = LOGN - 6;
    ntt_pass<LOGN, W, 3, false>(a, 1);
    ntt_pass<LOGN, W, 3, false>(a, 8);
    ntt_pass<LOGN, W, LAST, false>(a, 64);
}

// The inverse NTT without the division by n.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void inverse_ntt(uint16_t *a) {
    constexpr unsigned LAST = LOGN - 6;
    ntt_pass<LOGN, W, LAST, true>(a, 64);
    ntt_pass<LOGN, W, 3, true>(a, 8);
    ntt_pass<LOGN, W, 3, true>(a, 1);
}

// Kernel: multiplies the values of public keys at the roots by 2^16 / n. Writes q for zero. Unit =
// key.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void prepare(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    if (unit.index >= batch.count) return;
    const uint16_t *values = batch.public_keys + unit.index * N;
    uint16_t *out = batch.prepared + unit.index * N;
    Group<W>::each(N, [&](unsigned i) {
        const uint32_t value = montgomery_mul(read(values + i), Parameters<LOGN>::NTT_SCALE);
        out[i] = uint16_t(value == 0 ? Q : value);
    });
}

// Kernel: decides whether (c - s2 h, s2) is short. Skips jobs without a hashed point. Unit = slot.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void verify(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    if (unit.index >= batch.count) return;
    const uint64_t job = job_of(batch, unit.index);
    if (!stands_at(batch, job, STATUS_HASHED)) return;
    const uint16_t *h = batch.prepared + key_of(batch, job) * N, *point = batch.points + job * N;
    const int16_t *s2 = batch.s2 + job * N;
    // The host zeroes `prepared` before `prepare` writes there.
    if (read(h) == 0) {
        Group<W>::each(1, [&](unsigned) { batch.status[job] = STATUS_UNPREPARED; });
        return;
    }
    uint16_t *a = working_words<LOGN>(unit);
    Group<W>::each(N, [&](unsigned i) { a[i] = uint16_t(s2[i] < 0 ? int32_t(Q) + s2[i] : s2[i]); });
    ntt<LOGN, W>(a);
    Group<W>::each(N, [&](unsigned i) { a[i] = uint16_t(montgomery_mul(a[i], read(h + i))); });
    inverse_ntt<LOGN, W>(a);
    const uint64_t norm = Group<W>::sum(N, [&](unsigned i) {
        int32_t s1 = int32_t(point[i]) - int32_t(a[i]);
        if (s1 > int32_t(Q / 2)) s1 -= int32_t(Q);
        if (s1 < -int32_t(Q / 2)) s1 += int32_t(Q);
        return uint64_t(s1 * s1) + uint64_t(int32_t(s2[i]) * s2[i]);
    });
    const bool valid = norm <= Parameters<LOGN>::SQUARED_NORM_BOUND;
    Group<W>::each(1, [&](unsigned) { batch.status[job] = valid ? STATUS_DONE : STATUS_INVALID; });
    clear_shared<W>(unit, verifying_reals<LOGN>());
}

} // namespace falcon
