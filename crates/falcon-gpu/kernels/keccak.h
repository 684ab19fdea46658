// Keccak-f[1600] and SHAKE256, one state a thread.
//
// The state stays in registers, so no index into it may depend on a variable. Therefore input is
// absorbed in whole words, and output is taken in whole blocks.
//
// Source: FIPS 202.
#pragma once

#include "platform.h"

namespace falcon {

// Words of a block of SHAKE256.
constexpr unsigned RATE = 17;

FALCON_CONSTANT uint64_t ROUND_CONSTANTS[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

template <unsigned N> FALCON_DEVICE uint64_t rotate_left(uint64_t x) {
    return N == 0 ? x : x << (N % 64) | x >> ((64 - N) % 64);
}

struct Keccak {
    // Word (x, y) is a[x + 5y].
    uint64_t a[25];

    FALCON_DEVICE void clear() {
        FALCON_UNROLL
        for (unsigned i = 0; i < 25; ++i) a[i] = 0;
    }

    FALCON_DEVICE void round(uint64_t constant) {
        uint64_t c[5], b[25];
        FALCON_UNROLL
        for (unsigned x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        FALCON_UNROLL
        for (unsigned x = 0; x < 5; ++x) {
            const uint64_t d = c[(x + 4) % 5] ^ rotate_left<1>(c[(x + 1) % 5]);
            FALCON_UNROLL
            for (unsigned y = 0; y < 25; y += 5) a[x + y] ^= d;
        }
        // Rho and pi: word (x, y) goes, rotated, to (y, 2x + 3y).
        b[0] = a[0];
        b[10] = rotate_left<1>(a[1]);
        b[20] = rotate_left<62>(a[2]);
        b[5] = rotate_left<28>(a[3]);
        b[15] = rotate_left<27>(a[4]);
        b[16] = rotate_left<36>(a[5]);
        b[1] = rotate_left<44>(a[6]);
        b[11] = rotate_left<6>(a[7]);
        b[21] = rotate_left<55>(a[8]);
        b[6] = rotate_left<20>(a[9]);
        b[7] = rotate_left<3>(a[10]);
        b[17] = rotate_left<10>(a[11]);
        b[2] = rotate_left<43>(a[12]);
        b[12] = rotate_left<25>(a[13]);
        b[22] = rotate_left<39>(a[14]);
        b[23] = rotate_left<41>(a[15]);
        b[8] = rotate_left<45>(a[16]);
        b[18] = rotate_left<15>(a[17]);
        b[3] = rotate_left<21>(a[18]);
        b[13] = rotate_left<8>(a[19]);
        b[14] = rotate_left<18>(a[20]);
        b[24] = rotate_left<2>(a[21]);
        b[9] = rotate_left<61>(a[22]);
        b[19] = rotate_left<56>(a[23]);
        b[4] = rotate_left<14>(a[24]);
        FALCON_UNROLL
        for (unsigned y = 0; y < 25; y += 5) {
            FALCON_UNROLL
            for (unsigned x = 0; x < 5; ++x) a[x + y] = b[x + y] ^ (~b[(x + 1) % 5 + y] & b[(x + 2) % 5 + y]);
        }
        a[0] ^= constant;
    }

    FALCON_DEVICE void permute() {
        FALCON_NO_UNROLL
        for (unsigned i = 0; i < 24; ++i) round(ROUND_CONSTANTS[i]);
    }

    // Clears the state, absorbs `length` bytes, and pads. word(k) returns word k of the input,
    // little-endian and with zeros after the end. Then the first `RATE` words of the state are the
    // first block of SHAKE256's output.
    template <class F> FALCON_DEVICE void absorb(uint64_t length, F word) {
        clear();
        const uint64_t blocks = length / (8 * RATE) + 1;
        FALCON_NO_UNROLL
        for (uint64_t block = 0; block < blocks; ++block) {
            FALCON_UNROLL
            for (unsigned i = 0; i < RATE; ++i) {
                const uint64_t k = block * RATE + i;
                a[i] ^= word(k);
                if (k == length / 8) a[i] ^= uint64_t(0x1f) << (length % 8 * 8);
            }
            if (block + 1 == blocks) a[RATE - 1] ^= uint64_t(0x80) << 56;
            permute();
        }
    }
};

} // namespace falcon
