// The sampler's generator: ChaCha20 with a 64-bit counter mixed into words 14
// and 15, eight blocks to a row of 512 bytes, interleaved word by word.
//
// A seed gives one stream of rows. `stream.h` reads it by the rules of `falcon-core/src/prng.rs`,
// which are part of the scheme.
#pragma once

#include "jobs.h"

namespace falcon {

// Words of a seed.
constexpr unsigned SEED_WORDS = 14;
// Blocks of a row, and its words and bytes.
constexpr unsigned ROW_BLOCKS = 8;
constexpr unsigned ROW_WORDS = 16 * ROW_BLOCKS;
constexpr unsigned ROW_LEN = 4 * ROW_WORDS;

template <unsigned N> FALCON_DEVICE uint32_t rotate_left32(uint32_t x) { return x << N | x >> (32 - N); }

FALCON_DEVICE void quarter_round(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
    a += b;
    d = rotate_left32<16>(d ^ a);
    c += d;
    b = rotate_left32<12>(b ^ c);
    a += b;
    d = rotate_left32<8>(d ^ a);
    c += d;
    b = rotate_left32<7>(b ^ c);
}

// Writes block `block` of row `number` of the stream of `seed` to `row`.
FALCON_DEVICE void write_block(const uint32_t *seed, uint64_t number, unsigned block, uint32_t *row) {
    const uint64_t counter = (uint64_t(seed[12]) | uint64_t(seed[13]) << 32) + ROW_BLOCKS * number + block;
    uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    FALCON_UNROLL
    for (unsigned i = 0; i < 12; ++i) s[4 + i] = seed[i];
    s[14] ^= uint32_t(counter);
    s[15] ^= uint32_t(counter >> 32);
    FALCON_UNROLL
    for (unsigned i = 0; i < 16; ++i) x[i] = s[i];
    FALCON_NO_UNROLL
    for (unsigned i = 0; i < 10; ++i) {
        quarter_round(x[0], x[4], x[8], x[12]);
        quarter_round(x[1], x[5], x[9], x[13]);
        quarter_round(x[2], x[6], x[10], x[14]);
        quarter_round(x[3], x[7], x[11], x[15]);
        quarter_round(x[0], x[5], x[10], x[15]);
        quarter_round(x[1], x[6], x[11], x[12]);
        quarter_round(x[2], x[7], x[8], x[13]);
        quarter_round(x[3], x[4], x[9], x[14]);
    }
    FALCON_UNROLL
    for (unsigned i = 0; i < 16; ++i) row[ROW_BLOCKS * i + block] = x[i] + s[i];
}

} // namespace falcon
