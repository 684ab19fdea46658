// Hashes messages to points, and derives nonces and sampler seeds.
//
// Sources: Falcon specification v1.2, algorithm 3; `falcon-core/src/hedge.rs` for
// nonces and seeds.
#pragma once

#include "chacha.h"
#include "jobs.h"
#include "keccak.h"
#include "modq.h"

namespace falcon {

// Hash input of a nonce, and the beginning of that of sampler seeds, in units of 16 bits: a label,
// the seed of the batch, the number of the job, the hash of the secret key.
struct Origin {
    const uint16_t *label;
    unsigned label_units;
    const uint16_t *seed;
    uint64_t index;
    const uint16_t *secret;

    FALCON_DEVICE Origin(const Batch &batch, const uint16_t *label, unsigned label_units, uint64_t job)
        : label(label), label_units(label_units), seed(reinterpret_cast<const uint16_t *>(batch.batch_seed)),
          index(batch.first + job),
          secret(reinterpret_cast<const uint16_t *>(batch.secret_hashes + 32 * key_of(batch, job))) {}

    FALCON_DEVICE unsigned units() const { return label_units + 16 + 4 + 16; }

    FALCON_DEVICE uint16_t unit(unsigned i) const {
        if (i < label_units) return label[i];
        i -= label_units;
        if (i < 16) return read(seed + i);
        i -= 16;
        if (i < 4) return uint16_t(index >> 16 * i);
        i -= 4;
        return read(secret + i);
    }
};

// Number of coefficients that stand for a point, as in `falcon-core/src/hedge.rs`.
constexpr unsigned DIGEST_COEFFICIENTS = 40;

// "falcon nonce 2" and "falcon sampler".
FALCON_CONSTANT uint16_t NONCE_LABEL[7] = {0x6166, 0x636c, 0x6e6f, 0x6e20, 0x6e6f, 0x6563, 0x3220};
FALCON_CONSTANT uint16_t SAMPLER_LABEL[7] = {0x6166, 0x636c, 0x6e6f, 0x7320, 0x6d61, 0x6c70, 0x7265};

// Derives the nonce of a job. `hash` calls it, unless the nonces are given.
template <unsigned LOGN> FALCON_DEVICE void derive_nonce(const Batch &batch, uint64_t job, Keccak &state) {
    const Origin origin(batch, NONCE_LABEL, 7, job);
    state.absorb(2 * origin.units(), [&](uint64_t k) {
        uint64_t word = 0;
        FALCON_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const uint64_t unit = 4 * k + i;
            if (unit < origin.units()) word |= uint64_t(origin.unit(unsigned(unit))) << 16 * i;
        }
        return word;
    });
    uint64_t *nonce = reinterpret_cast<uint64_t *>(batch.nonces + job * NONCE_LEN);
    FALCON_UNROLL
    for (unsigned i = 0; i < NONCE_LEN / 8; ++i) nonce[i] = FALCON_REVEAL(state.a[i]);
}

// Kernel: hashes nonces and messages to points. Unit = slot.
template <unsigned LOGN> FALCON_DEVICE void hash(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    if (unit.index >= batch.count) return;
    const uint64_t job = job_of(batch, unit.index);
    if (!stands_at(batch, job, STATUS_GIVEN)) return;
    Keccak state;
    if (batch.batch_seed) derive_nonce<LOGN>(batch, job, state);

    const uint64_t *nonce = reinterpret_cast<const uint64_t *>(batch.nonces + job * NONCE_LEN);
    // The beginning of the message in words, and its length in bytes.
    const uint64_t begin = (read(batch.message_offsets + job) + 7) / 8;
    const uint64_t length = read(batch.message_offsets + job + 1) - 8 * begin;
    const uint64_t *message = batch.messages + begin;
    state.absorb(NONCE_LEN + length, [&](uint64_t k) -> uint64_t {
        // The nonce fills whole words, so the message begins at a word.
        if (k < NONCE_LEN / 8) return nonce[k];
        const uint64_t at = k - NONCE_LEN / 8;
        if (8 * at >= length) return 0;
        const uint64_t word = read(message + at), left = length - 8 * at;
        // Zeroes the bytes after the end of the message.
        return left >= 8 ? word : word & ~(~uint64_t(0) << 8 * left);
    });

    Eights point{batch.points + job * N};
    for (;;) {
        FALCON_UNROLL
        for (unsigned i = 0; i < RATE; ++i) {
            FALCON_UNROLL
            for (unsigned j = 0; j < 4; ++j) {
                const uint32_t bytes = uint32_t(state.a[i] >> 16 * j) & 0xffff;
                const uint32_t w = (bytes << 8 | bytes >> 8) & 0xffff;
                // May branch, since the point is public when the signature is.
                if (w < 5 * Q && point.count < N) point.put(uint16_t(w % Q));
            }
        }
        if (point.count == N) break;
        state.permute();
    }
    batch.status[job] = STATUS_HASHED;
}

// Kernel: derives the sampler seed of attempt `batch.attempt`. Unit = slot.
template <unsigned LOGN> FALCON_DEVICE void seed(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    static_assert(DIGEST_COEFFICIENTS <= N, "a shorter point would need padding");
    if (unit.index >= batch.count) return;
    const uint64_t job = job_of(batch, unit.index);
    if (!stands_at(batch, job, before_attempt(batch))) return;
    const uint16_t *point = batch.points + job * N;
    const Origin origin(batch, SAMPLER_LABEL, 7, job);
    const unsigned before = origin.units();
    Keccak state;
    state.absorb(2 * (before + DIGEST_COEFFICIENTS), [&](uint64_t k) {
        uint64_t word = 0;
        FALCON_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned unit = unsigned(4 * k + i);
            const uint16_t x = unit < before                         ? origin.unit(unit)
                               : unit < before + DIGEST_COEFFICIENTS ? point[unit - before]
                                                                     : uint16_t(0);
            word |= uint64_t(x) << 16 * i;
        }
        return word;
    });
    // Attempt k takes words 7k to 7k + 6 of the stream.
    const uint64_t begin = uint64_t(SEED_WORDS / 2) * batch.attempt;
    uint32_t *out = batch.seeds + unit.index * SEED_WORDS;
    for (uint64_t block = 0;; block += RATE) {
        FALCON_UNROLL
        for (unsigned i = 0; i < RATE; ++i) {
            const uint64_t at = block + i - begin;
            if (block + i >= begin && at < SEED_WORDS / 2) {
                out[2 * at] = uint32_t(state.a[i]);
                out[2 * at + 1] = uint32_t(state.a[i] >> 32);
            }
        }
        if (block + RATE >= begin + SEED_WORDS / 2) break;
        state.permute();
    }
    batch.status[job] = STATUS_SEEDED;
}

} // namespace falcon
