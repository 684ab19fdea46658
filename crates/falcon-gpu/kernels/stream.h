// The sampler's attempts, one after the other, by the rules of `falcon-core/src/prng.rs`.
//
// `prng` has written rows of bytes, and a record for each attempt of a row. Lane i of a group
// holds every W-th record from its first one on, three of them: the attempts of a window are
// its lanes', from lane `offset` on in a circle, and what comes next is loaded long before it
// is needed.
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

template <unsigned W> struct Stream {
    using G = Group<W>;

    uint32_t *rows;
    uint16_t *records;
    const uint32_t *seed;
    // Rows that are there, and the number of the one that comes after them.
    uint32_t valid, next;
    // The record of lane 0, and the lane of the next attempt.
    uint32_t first, offset;
    // Attempts of row `moved` begin so many bytes later, those of the next one so many.
    uint32_t moved, later[2];
    // Of each lane, the records `first`, `first + W` and `first + 2 W` behind its own.
    PerLane<W> held[3];

    // Of a slot; if it does not exist, one that gives nothing.
    FALCON_DEVICE Stream(const Batch &batch, uint64_t slot, bool exists)
        : rows(batch.rows + slot * batch.prng_rows * ROW_WORDS),
          records(batch.records + slot * batch.prng_rows * ROW_ATTEMPTS), seed(batch.seeds + slot * SEED_WORDS),
          valid(batch.prng_rows), next(exists ? batch.prng_rows : 0), moved(0), later{0, 0} {
        load(0);
    }

    FALCON_DEVICE bool exists() const { return next != 0; }

    // The record of a lane's attempt in the window.
    FALCON_DEVICE uint32_t record(unsigned lane) const { return lane >= offset ? held[0].of(lane) : held[1].of(lane); }
    // Lanes that say something, the first attempt's first.
    FALCON_DEVICE uint32_t in_order(uint32_t lanes) const { return (lanes | lanes << W) >> offset & ((1u << W) - 1); }
    // The lane of an attempt of the window.
    FALCON_DEVICE unsigned lane_of(unsigned attempt) const { return (offset + attempt) % W; }

    // Goes so many attempts on, W at most.
    FALCON_DEVICE void advance(unsigned attempts) {
        offset += attempts;
        if (offset < W) return;
        offset -= W;
        first += W;
        held[0] = held[1];
        held[1] = held[2];
        held[2] = loaded(first + 2 * W);
    }

    // The byte at which the next attempt begins.
    FALCON_DEVICE uint32_t place() const {
        const uint32_t number = first + offset, row = number / ROW_ATTEMPTS;
        const uint32_t delay = row == moved ? later[0] : row == moved + 1 ? later[1] : 0;
        return row * ROW_LEN + number % ROW_ATTEMPTS * ATTEMPT_LEN + delay;
    }

    // Makes sure that there are the rows that the next attempt may need. All groups of a
    // warp come here together.
    FALCON_DEVICE void ensure() {
        const bool needed = first + 3 * W > (valid - 2) * ROW_ATTEMPTS;
        if (G::any(needed)) *this = followed(*this, needed);
    }

    // The attempt at byte `place` is the next one, if `needed`. All groups of a warp come
    // here together.
    static FALCON_CALL Stream at_place(Stream stream, uint32_t place, bool needed) {
        stream.go_to(place, needed);
        return stream;
    }

private:
    FALCON_DEVICE PerLane<W> loaded(uint32_t from) const {
        return G::map([&](unsigned lane) -> uint32_t { return records[from + lane]; });
    }
    FALCON_DEVICE void load(uint32_t from) {
        first = from;
        offset = 0;
        FALCON_UNROLL
        for (unsigned i = 0; i < 3; ++i) held[i] = loaded(from + i * W);
    }

    // Writes the records of the last `count` attempts of a row, which begin so many bytes later.
    FALCON_DEVICE void write(uint32_t row, uint32_t count, uint32_t delay, bool needed) {
        G::each(ROW_ATTEMPTS, [&](unsigned i) {
            if (!needed || i < ROW_ATTEMPTS - count) return;
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
        if (G::any(needed && over != 0)) write(row + 1, ROW_ATTEMPTS, over, needed && over != 0);
        if (!needed) return;
        moved = row;
        later[0] = delay;
        later[1] = over;
        load(row * ROW_ATTEMPTS + ROW_ATTEMPTS - count);
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
            stream.valid = FEWEST_ROWS;
        }
        stream.go_to(place - gone * ROW_LEN, needed);
        return stream;
    }
};

} // namespace falcon
