// The sequence of the sampler's attempts, by the rules of `falcon-core/src/prng.rs`.
//
// `prng` has written rows of bytes, and a record for each attempt of a row. A group has the
// records of its next attempts in a ring in shared memory. The ring has two parts: one is copied
// while the other one is used. A window has one attempt for each lane.
//
// If a trial needs more than one byte, the attempts after it move, up to the end of the row. The
// next row still begins with an attempt at its first byte, or at its second byte if the last
// attempt before begins at byte 502, the last possible one. The records of moved attempts are
// written again (`go_to`). If fewer attempts are left in a row, they have its last records.
//
// A signature that needs more rows computes them itself: the current row moves to the front, and
// new rows follow it.
#pragma once

#include "records.h"

namespace falcon {

// First byte at or after `place` at which an attempt may begin.
FALCON_DEVICE uint32_t attempt_from(uint32_t place) {
    return place % ROW_LEN < ROW_END ? place : (place / ROW_LEN + 1) * ROW_LEN;
}

// Least number of rows in memory: the row of an attempt; the row in which its trial may end; the
// row after it, whose attempts may move, too; and one more for the records that are copied ahead.
constexpr unsigned FEWEST_ROWS = 4;

// Reals of shared memory for the ring of a group.
constexpr unsigned RING_REALS = 8;

// Number of rows after which a stream ends. They have 188,416 attempts, of which more than half are
// accepted on average (`falcon-core/src/sampler.rs`, `MAX_REFUSALS`). The chance that an attempt to
// sign needs more for its 2,048 integers is below 2^-150000, so then the device has a fault.
constexpr uint32_t MOST_ROWS = 4096;

template <unsigned W> struct Stream {
    using G = Group<W>;
    // Number of records of a part of the ring: two for each lane.
    static constexpr unsigned PART = 2 * W;
    static_assert(2 * PART * sizeof(uint16_t) <= RING_REALS * sizeof(double), "both parts are there");
    static_assert(2 * PART <= (FEWEST_ROWS - 2) * ROW_ATTEMPTS, "a stream that begins needs no more rows");

    uint32_t *rows;
    uint16_t *records;
    const uint32_t *seed;
    uint16_t *ring;
    // Number of rows in memory; number of the row after them in the stream, or 0 if it has ended.
    uint32_t valid, next;
    // Number of the next attempt's record, and of the first of the two parts in the ring.
    uint32_t number, part;
    // In row `moved`, attempt i begins at byte 11 i + later[0], modulo 2^32 since later[0] may be
    // negative; in the next row at byte 11 i + later[1]; and in all others at byte 11 i.
    uint32_t moved, later[2];

    // The stream of a slot. If the slot does not exist, the stream has ended. The ring is at
    // `ring`.
    FALCON_DEVICE Stream(const Batch &batch, uint64_t slot, bool exists, void *ring)
        : rows(batch.rows + slot * batch.prng_rows * ROW_WORDS),
          records(batch.records + slot * batch.prng_rows * ROW_ATTEMPTS), seed(batch.seeds + slot * SEED_WORDS),
          ring(static_cast<uint16_t *>(ring)), valid(batch.prng_rows), next(exists ? batch.prng_rows : 0), moved(0),
          later{0, 0} {
        fill(0);
    }

    // False if the stream has ended.
    FALCON_DEVICE bool exists() const { return next != 0; }

    // The record of attempt `attempt` of the window.
    FALCON_DEVICE uint32_t record(unsigned attempt) const { return ring[(number + attempt) % (2 * PART)]; }

    // Skips `attempts` attempts, at most W.
    FALCON_DEVICE void advance(unsigned attempts) { number += attempts; }

    // The byte at which the next attempt begins.
    FALCON_DEVICE uint32_t place() const {
        const uint32_t row = number / ROW_ATTEMPTS;
        const uint32_t delay = row == moved ? later[0] : row == moved + 1 ? later[1] : 0;
        return row * ROW_LEN + number % ROW_ATTEMPTS * ATTEMPT_LEN + delay;
    }

    // Makes sure that the rows and records that the next window may need are there. All groups of a
    // warp call it together.
    FALCON_DEVICE void ensure() {
        // Waits for the copies that began before the last window.
        copies_arrive();
        G::sync();
        if (number / PART != part) {
            copy(part + 2);
            part += 1;
        }
        const bool needed = exists() && number + 2 * PART > (valid - 2) * ROW_ATTEMPTS;
        if (!G::any(needed)) return;
        *this = followed(*this, needed);
        copies_arrive();
        G::sync();
    }

    // If `needed`, the next attempt is the first one from byte `place` on. All groups of a warp
    // call it together.
    static FALCON_CALL Stream at_place(Stream stream, uint32_t place, bool needed) {
        stream.go_to(place, needed);
        return stream;
    }

private:
    // Begins to copy a part of the records to the ring.
    FALCON_DEVICE void copy(uint32_t part) {
        const uint32_t *from = reinterpret_cast<const uint32_t *>(records) + part * W;
        uint32_t *to = reinterpret_cast<uint32_t *>(ring) + part % 2 * W;
        G::map([&](unsigned lane) -> uint32_t { begin_copy(to + lane, from + lane); return 0; });
    }
    FALCON_DEVICE void fill(uint32_t from) {
        number = from;
        part = from / PART;
        copy(part);
        copy(part + 1);
    }

    // Writes the last `count` records of a row again, for attempts that begin `delay` bytes later.
    FALCON_DEVICE void write(uint32_t row, uint32_t count, uint32_t delay, bool needed) {
        G::template each<2>(needed ? count : 0, [&](unsigned k) {
            const unsigned i = ROW_ATTEMPTS - count + k;
            records[row * ROW_ATTEMPTS + i] = record_of(rows, row * ROW_LEN + ATTEMPT_LEN * i + delay);
        });
    }

    FALCON_DEVICE void go_to(uint32_t place, bool needed) {
        const uint32_t at = attempt_from(place), row = at / ROW_LEN, within = at % ROW_LEN;
        const uint32_t count = (ROW_END - 1 - within) / ATTEMPT_LEN + 1;
        const uint32_t delay = within - (ROW_ATTEMPTS - count) * ATTEMPT_LEN;
        // The end of the last attempt: in the next row, or at a byte where no attempt may begin.
        const uint32_t end = within + count * ATTEMPT_LEN, over = end > ROW_LEN ? end - ROW_LEN : 0;
        write(row, count, delay, needed);
        // Also if the attempts of the next row were moved before and no longer are.
        const bool again = needed && (over != 0 || (row == moved && later[1] != 0));
        if (G::any(again)) write(row + 1, ROW_ATTEMPTS, over, again);
        if (!needed) return;
        moved = row;
        later[0] = delay;
        later[1] = over;
        // Waits for earlier copies, since two copies to one place may arrive in any order.
        copies_arrive();
        fill(row * ROW_ATTEMPTS + ROW_ATTEMPTS - count);
    }

    // Moves the row of the next attempt to the front and computes rows after it, FEWEST_ROWS in
    // all.
    static FALCON_CALL Stream followed(Stream stream, bool needed) {
        const uint32_t place = stream.place(), gone = place / ROW_LEN, kept = stream.valid - gone;
        uint32_t *rows = stream.rows;
        G::each(FEWEST_ROWS * ROW_WORDS, [&](unsigned i) {
            if (needed && i < kept * ROW_WORDS) rows[i] = rows[gone * ROW_WORDS + i];
        });
        for (unsigned row = 0; row < FEWEST_ROWS; ++row) {
            const bool made = needed && row >= kept;
            if (G::any(made)) {
                G::each(ROW_BLOCKS, [&](unsigned block) {
                    if (made) write_block(stream.seed, stream.next + row - kept, block, rows + row * ROW_WORDS);
                });
            }
            stream.write(row, ROW_ATTEMPTS, 0, needed);
        }
        if (needed) {
            stream.next += FEWEST_ROWS - kept;
            if (stream.next > MOST_ROWS) stream.next = 0;
            stream.valid = FEWEST_ROWS;
        }
        stream.go_to(place - gone * ROW_LEN, needed);
        return stream;
    }
};

} // namespace falcon
