// The sampler's attempts, one after the other, by the rules of `falcon-core/src/prng.rs`.
//
// `prng` has written rows of bytes, and a record for each attempt of a row. A group has the
// records of its next attempts in a ring in shared memory: two parts, one of which is copied while
// the other one is used. The attempts of a window are those of its lanes.
//
// A trial that needs more than one byte moves the attempts behind it, up to the end of its
// row; the next row begins at its first byte again, or at its second one where an attempt begins
// at the last byte where one may. The records of these are written anew (`go_to`). A row whose
// attempts begin later has the same number of them, or fewer: they are its last ones.
//
// A signature that needs more rows than were made computes them itself: the row where it
// stands moves to the front, and others follow.
#pragma once

#include "records.h"

namespace falcon {

// Where the next attempt begins, from `place` on.
FALCON_DEVICE uint32_t attempt_from(uint32_t place) {
    return place % ROW_LEN < ROW_END ? place : (place / ROW_LEN + 1) * ROW_LEN;
}

// Rows that there must be at least: that of an attempt; the one in which its trial may end;
// the one behind it, whose attempts may be moved as well; and one more for what is loaded ahead.
constexpr unsigned FEWEST_ROWS = 4;

// Reals of shared memory that a group's ring takes.
constexpr unsigned RING_REALS = 8;

// Rows after which a stream ends. They have 188,416 attempts, of which more than half are accepted
// on average (`falcon-core/src/sampler.rs`, `MAX_REFUSALS`). That an attempt to sign needs more
// for its 2,048 integers has a chance below 2^-150000: the device computes wrongly.
constexpr uint32_t MOST_ROWS = 4096;

template <unsigned W> struct Stream {
    using G = Group<W>;
    // Records of a part of the ring: two for each lane.
    static constexpr unsigned PART = 2 * W;
    static_assert(2 * PART * sizeof(uint16_t) <= RING_REALS * sizeof(double), "both parts are there");
    static_assert(2 * PART <= (FEWEST_ROWS - 2) * ROW_ATTEMPTS, "a stream that begins needs no more rows");

    uint32_t *rows;
    uint16_t *records;
    const uint32_t *seed;
    uint16_t *ring;
    // Rows that are there, and the number of the one that comes after them.
    uint32_t valid, next;
    // The record of the next attempt, and the part that begins the ring.
    uint32_t number, part;
    // Attempts of row `moved` begin so many bytes later, those of the next one so many.
    uint32_t moved, later[2];

    // Of a slot; if it does not exist, one that gives nothing. The ring is at `ring`.
    FALCON_DEVICE Stream(const Batch &batch, uint64_t slot, bool exists, void *ring)
        : rows(batch.rows + slot * batch.prng_rows * ROW_WORDS),
          records(batch.records + slot * batch.prng_rows * ROW_ATTEMPTS), seed(batch.seeds + slot * SEED_WORDS),
          ring(static_cast<uint16_t *>(ring)), valid(batch.prng_rows), next(exists ? batch.prng_rows : 0), moved(0),
          later{0, 0} {
        fill(0);
    }

    // Whether it gives anything: a stream that has ended does not.
    FALCON_DEVICE bool exists() const { return next != 0; }

    // The record of an attempt of the window.
    FALCON_DEVICE uint32_t record(unsigned attempt) const { return ring[(number + attempt) % (2 * PART)]; }

    // Goes so many attempts on, W at most.
    FALCON_DEVICE void advance(unsigned attempts) { number += attempts; }

    // The byte at which the next attempt begins.
    FALCON_DEVICE uint32_t place() const {
        const uint32_t row = number / ROW_ATTEMPTS;
        const uint32_t delay = row == moved ? later[0] : row == moved + 1 ? later[1] : 0;
        return row * ROW_LEN + number % ROW_ATTEMPTS * ATTEMPT_LEN + delay;
    }

    // Makes sure that there is what the next window may need. All groups of a warp come
    // here together.
    FALCON_DEVICE void ensure() {
        // What was begun before the last window.
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

    // The attempt at byte `place` is the next one, if `needed`. All groups of a warp come
    // here together.
    static FALCON_CALL Stream at_place(Stream stream, uint32_t place, bool needed) {
        stream.go_to(place, needed);
        return stream;
    }

private:
    // Begins to copy a part of the records.
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

    // Writes the records of the last `count` attempts of a row, which begin so many bytes later.
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
        // What begins behind the last one: in the next row, or where none may.
        const uint32_t end = within + count * ATTEMPT_LEN, over = end > ROW_LEN ? end - ROW_LEN : 0;
        write(row, count, delay, needed);
        // Also where the next row was moved before, and is not any more.
        const bool again = needed && (over != 0 || (row == moved && later[1] != 0));
        if (G::any(again)) write(row + 1, ROW_ATTEMPTS, over, again);
        if (!needed) return;
        moved = row;
        later[0] = delay;
        later[1] = over;
        // Two copies to one place would come in any order.
        copies_arrive();
        fill(row * ROW_ATTEMPTS + ROW_ATTEMPTS - count);
    }

    // With the row of the next attempt in front, and FEWEST_ROWS in all.
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
