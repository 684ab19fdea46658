// Records: the data of each attempt in a row of the sampler's bytes that do not depend on the
// centre, in two bytes.
//
// An attempt takes 11 bytes, or more if its trial needs more than one byte. No attempt begins at
// byte 503 of a row or later. So 46 attempts begin in a row, at multiples of 11. A record has the
// base sampler's integer z0 (bits 0 to 4), the sign (bit 5) and the trial's first byte (bits 6 to
// 13). Bit 14 says that z0 is not known, since it needs more than the 32 high bits of the base
// sampler's 72.
#pragma once

#include "chacha.h"
#include "tables.h"

namespace falcon {

// Bytes of an attempt of the sampler whose trial needs one byte.
constexpr unsigned ATTEMPT_LEN = 11;
// No attempt starts here or later in a row.
constexpr unsigned ROW_END = ROW_LEN - 9;
// Attempts that begin in a row.
constexpr unsigned ROW_ATTEMPTS = (ROW_END - 1) / ATTEMPT_LEN + 1;

// Byte `at` of `rows`.
FALCON_DEVICE uint32_t byte_at(const uint32_t *rows, uint32_t at) { return rows[at / 4] >> (8 * (at % 4)) & 0xff; }

// The four bytes from byte `at % 4` of two words on.
FALCON_DEVICE uint32_t between(uint32_t low, uint32_t high, uint32_t at) {
#ifdef __CUDACC__
    return __funnelshift_r(low, high, 8 * at);
#else
    return uint32_t((uint64_t(high) << 32 | low) >> (8 * at % 32));
#endif
}

// Four bytes from `at` on, little-endian.
FALCON_DEVICE uint32_t word_at(const uint32_t *rows, uint32_t at) {
    return between(rows[at / 4], rows[at / 4 + 1], at);
}

// The record of the attempt that begins at `at`.
FALCON_DEVICE uint16_t record_of(const uint32_t *rows, uint32_t at) {
    // `top` has the 32 high bits of the 72, `rest` the bytes of sign and trial.
    const uint32_t *words = rows + (at + 5) / 4;
    const uint32_t middle = words[1];
    const uint32_t top = between(words[0], middle, at + 5), rest = between(middle, words[2], at + 5);
    // z0 is the number of entries above the 72 bits. RCDT_TOP lacks entries whose high bits are
    // zero.
    uint32_t z0 = 0, tie = top == 0;
    FALCON_UNROLL
    for (unsigned i = 0; i < sizeof RCDT_TOP / sizeof *RCDT_TOP; ++i) {
        z0 += top < RCDT_TOP[i];
        tie |= top == RCDT_TOP[i];
    }
    return uint16_t(z0 | (rest & 1) << 5 | (rest >> 8 & 0xff) << 6 | tie << 14);
}

// Lanes that compute a row: one for each block of ChaCha20.
constexpr unsigned ROW_LANES = ROW_BLOCKS;

// Kernel: generates the sampler's bytes and their records. Unit = row of a slot. The unit of the
// last row of a slot changes the status: if a launch is cut short, its last units are missing. The
// other units do not look at the status, which may have changed before they run.
FALCON_DEVICE void prng(const Batch &batch, Unit unit) {
    using G = Group<ROW_LANES>;
    // With 32 bits, a division takes only a few instructions.
    const uint32_t row = uint32_t(unit.index), slot = row / batch.prng_rows, number = row - slot * batch.prng_rows;
    const bool exists = slot < batch.count;
    if (!G::any(exists)) return;
    uint32_t *words = reinterpret_cast<uint32_t *>(unit.shared) + unit.in_block * ROW_WORDS;
    const uint32_t *seed = batch.seeds + uint64_t(exists ? slot : 0) * SEED_WORDS;
    G::each(ROW_BLOCKS, [&](unsigned block) { write_block(seed, number, block, words); });
    uint32_t *out = batch.rows + uint64_t(row) * ROW_WORDS;
    uint16_t *records = batch.records + uint64_t(row) * ROW_ATTEMPTS;
    const uint64_t *wide = reinterpret_cast<const uint64_t *>(words);
    G::each(ROW_WORDS / 4, [&](unsigned i) {
        if (exists) store(out + 4 * i, wide[2 * i], wide[2 * i + 1]);
    });
    G::each(ROW_ATTEMPTS, [&](unsigned i) {
        if (exists) records[i] = record_of(words, ATTEMPT_LEN * i);
    });
    volatile uint32_t *cleared = words;
    G::each(ROW_WORDS, [&](unsigned i) { cleared[i] = 0; });
    G::each(1, [&](unsigned) {
        if (!exists || number != batch.prng_rows - 1) return;
        const uint64_t job = job_of(batch, slot);
        const Status before = batch.batch_seed ? STATUS_SEEDED : before_attempt(batch);
        if (stands_at(batch, job, before)) batch.status[job] = STATUS_READY;
    });
}

} // namespace falcon
