// The sampler's bytes: rows of 512, read by the rules of `falcon-core/src/prng.rs`.
//
// Rows follow each other in memory, so a place is one number and bytes that stand
// across the end of a row need no care. One rule is left: what starts with eight
// bytes, as every attempt of the sampler does, does not start at 503 or later in
// a row, but with the next one.
//
// A signature that needs more rows than were made computes them itself: its
// last row moves to the front and the next one follows.
#pragma once

#include "chacha.h"

namespace falcon {

// Bytes of an attempt of the sampler whose trial needs one byte.
constexpr unsigned ATTEMPT_LEN = 11;
// No attempt starts here or later in a row.
constexpr unsigned ROW_END = ROW_LEN - 9;
// A window of 32 attempts, the end of a row between them, and what the last trial
// may need more: 32 * 11 + 9 + 7 bytes at most. So is all that is read between two
// calls of `ensure`, and it lies in the row of the place and the next one.
constexpr unsigned READ_AHEAD = 384;
static_assert(READ_AHEAD >= WARP * ATTEMPT_LEN + (ROW_LEN - ROW_END) + 7, "a window and its last trial");
static_assert(READ_AHEAD <= ROW_LEN, "no more than the row of the place and the next one");

// Where the next attempt begins, from `place` on.
FALCON_DEVICE uint32_t attempt_from(uint32_t place) {
    return place % ROW_LEN < ROW_END ? place : (place / ROW_LEN + 1) * ROW_LEN;
}

// Where the attempt number `i` from `place` on begins, if every trial before it needs
// one byte; i <= 32, so that one row ends between them at most.
FALCON_DEVICE uint32_t attempt_after(uint32_t place, unsigned i) {
    // What begins in this row is a multiple of 11 from here.
    const unsigned within = place % ROW_LEN;
    const unsigned here = within < ROW_END ? (ROW_END - 1 - within) / ATTEMPT_LEN + 1 : 0;
    if (i < here) return place + ATTEMPT_LEN * i;
    // The last attempt of the row may have taken bytes of the next one.
    return attempt_from(place + ATTEMPT_LEN * here) + ATTEMPT_LEN * (i - here);
}

// All lanes of a group have the same stream.
template <unsigned W> struct Stream {
    uint32_t *rows;
    const uint32_t *seed;
    // The next byte.
    uint32_t place;
    // Bytes that are there.
    uint32_t valid;
    // The row that comes after them.
    uint32_t next;

    // Of a slot; if it does not exist, one that gives nothing.
    FALCON_DEVICE Stream(const Batch &batch, uint64_t slot, bool exists)
        : rows(batch.rows + slot * batch.prng_rows * ROW_WORDS), seed(batch.seeds + slot * SEED_WORDS), place(0),
          valid(batch.prng_rows * ROW_LEN), next(exists ? batch.prng_rows : 0) {}

    FALCON_DEVICE bool exists() const { return next != 0; }

    // Where the attempt number `i` from here on begins.
    FALCON_DEVICE uint32_t attempt(unsigned i) const { return attempt_after(place, i); }

    // Where the next attempt begins.
    FALCON_DEVICE uint32_t attempt() const { return attempt_from(place); }

    // Makes sure that `READ_AHEAD` bytes are there.
    FALCON_DEVICE void ensure() {
        if (place + READ_AHEAD <= valid) return;
        // The place is in the last row.
        follow(rows, seed, valid / ROW_LEN - 1, next);
        place -= valid - ROW_LEN;
        valid = 2 * ROW_LEN;
        next += 1;
    }

    // Moves row `last` to the front and writes row `next` of the seed behind it. A
    // call of values, so that the stream itself stays in registers.
    static FALCON_CALL void follow(uint32_t *rows, const uint32_t *seed, uint32_t last, uint32_t next) {
        Group<W>::each(ROW_WORDS, [&](unsigned i) { rows[i] = rows[last * ROW_WORDS + i]; });
        Group<W>::each(ROW_BLOCKS, [&](unsigned block) { write_block(seed, next, block, rows + ROW_WORDS); });
    }

};

// Byte `at` of some rows.
FALCON_DEVICE uint32_t byte_at(const uint32_t *rows, uint32_t at) { return rows[at / 4] >> (8 * (at % 4)) & 0xff; }

// Four bytes of two words, from byte `at` of the first one on (modulo 4).
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

} // namespace falcon
