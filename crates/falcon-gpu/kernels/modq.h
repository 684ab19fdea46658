// Integers modulo q.
#pragma once

#include "platform.h"
#include "tables.h"

namespace falcon {

// -1/q modulo 2^16.
constexpr uint32_t MINUS_Q_INVERSE = 12287;
static_assert((Q * MINUS_Q_INVERSE + 1) % 65536 == 0, "q times -1/q is -1");

// x modulo q, for x < 2q.
FALCON_DEVICE uint32_t reduced_once(uint32_t x) { return x >= Q ? x - Q : x; }

// a b / 2^16 modulo q, in [0, q), for a b < 2^16 q.
FALCON_DEVICE uint32_t montgomery_mul(uint32_t a, uint32_t b) {
    const uint32_t product = a * b;
    const uint32_t multiple = (product * MINUS_Q_INVERSE & 0xffff) * Q;
    return reduced_once((product + multiple) >> 16);
}

} // namespace falcon
