// Compares the sampler with a loop that reads byte after byte, as the specification does. The bytes
// make rare events common: trials that tie in their first bytes, which moves the attempts behind
// them, and base samples whose 32 high bits tie.
#pragma once

#include "jobs.h"

#include <stdio.h>

namespace serial {

using namespace falcon;
using jobs::Random;

__extension__ typedef unsigned __int128 Wide;

// Draws integers one by one, and chooses the bytes that are read.
struct Sampler {
    Random &random;
    // Probability that a trial's byte ties, and that a base sample does.
    double tie, base_tie;
    std::vector<uint8_t> bytes;
    uint64_t place = 0;

    uint8_t &at(uint64_t i) {
        while (bytes.size() <= i) bytes.push_back(uint8_t(random.next()));
        return bytes[i];
    }

    int draw(Real r, Leaf leaf) {
        for (;;) {
            // A read of eight bytes does not begin in the last nine bytes of a row.
            if (place % 512 >= 503) place = (place / 512 + 1) * 512;
            if (random.chance(base_tie)) {
                const unsigned entry = unsigned(random.next() % 18);
                const Wide value = (Wide(RCDT_HIGH[entry]) << 64 | RCDT_LOW[entry]) + Wide(random.next() % 3) - 1;
                for (unsigned i = 0; i < 9; ++i) at(place + i) = uint8_t(value >> 8 * i);
            }
            Wide u = 0;
            for (unsigned i = 0; i < 9; ++i) u |= Wide(at(place++)) << 8 * i;
            int z0 = 0;
            for (unsigned i = 0; i < 18; ++i) z0 += u < (Wide(RCDT_HIGH[i]) << 64 | RCDT_LOW[i]);
            const int z = at(place++) & 1 ? 1 + z0 : -z0;
            const uint64_t bound = threshold(exponent(z, z0, r, leaf.dss), leaf.ccs);
            int difference = 0;
            for (unsigned shift = 64; difference == 0 && shift != 0;) {
                shift -= 8;
                const uint8_t byte = uint8_t(bound >> shift);
                if (random.chance(tie)) at(place) = byte;
                difference = int(at(place++)) - int(byte);
            }
            if (difference < 0) return z;
        }
    }
};

// Returns true if the kernels' sampler finds the same integers and ends at the same places as the
// loop, for some slots. A trial ties with probability `tie`.
inline bool agrees(uint64_t seed, double tie) {
    constexpr unsigned PAIRS = 100, ROWS = 60;
    Random random{seed};
    const unsigned slots = 1 + unsigned(random.next() % 6);
    std::vector<uint32_t> words(ROWS * ROW_WORDS * slots), seeds(SEED_WORDS * slots);
    std::vector<uint16_t> records(ROWS * ROW_ATTEMPTS * slots);
    std::vector<double> centers(2 * PAIRS * slots), leaves(2 * PAIRS * slots);
    std::vector<double> expected(2 * PAIRS * slots), found(2 * PAIRS * slots);
    std::vector<uint64_t> ends(PAIRS * slots), places(PAIRS * slots);
    for (unsigned slot = 0; slot < slots; ++slot) {
        Sampler sampler{random, tie, tie / 20, {}};
        for (unsigned i = slot * PAIRS; i < (slot + 1) * PAIRS; ++i) {
            const double sigma_min = Parameters<9>::SIGMA_MIN;
            const double inverse = 1.0 / (sigma_min * (1.0 + random.unit() * (1.17 * 1.17 - 1.0)));
            leaves[2 * i] = inverse * inverse * 0.5;
            leaves[2 * i + 1] = inverse * sigma_min;
            for (unsigned k = 2 * i; k < 2 * i + 2; ++k) {
                centers[k] = floor(random.unit() * 4096) - 2048 + (i % 9 == 0 ? 0 : random.unit());
                const double floored = floor(centers[k]);
                expected[k] = floored + sampler.draw(Real{centers[k] - floored}, {{leaves[2 * i]}, {leaves[2 * i + 1]}});
            }
            ends[i] = attempt_from(uint32_t(sampler.place));
        }
        if (sampler.bytes.size() > (ROWS - 3) * ROW_LEN) return false;
        sampler.at(ROWS * ROW_LEN - 1);
        memcpy(&words[slot * ROWS * ROW_WORDS], sampler.bytes.data(), ROWS * ROW_LEN);
    }
    for (unsigned row = 0; row < ROWS * slots; ++row) {
        for (unsigned i = 0; i < ROW_ATTEMPTS; ++i) {
            records[row * ROW_ATTEMPTS + i] = record_of(&words[row * ROW_WORDS], ATTEMPT_LEN * i);
        }
    }
    std::vector<uint8_t> status(slots, STATUS_READY);
    Batch batch{};
    batch.status = status.data();
    batch.seeds = seeds.data();
    batch.rows = words.data();
    batch.records = records.data();
    batch.prng_rows = ROWS;
    batch.count = slots;
    if (FALCON_HOST(sample)(&batch, PAIRS, centers.data(), leaves.data(), found.data(), places.data()) != 0) return false;
    for (uint64_t &place : places) place = attempt_from(uint32_t(place));
    return found == expected && places == ends;
}

} // namespace serial
