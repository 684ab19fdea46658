// Requests to Valgrind's Memcheck for the check of constant time. Memcheck follows undefined bits
// and reports each branch and each address that an undefined bit decides. `constant_time.cpp` marks
// secrets as undefined.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <valgrind/memcheck.h>

namespace secrets {

// Marks `count` values as secret, or as public.
template <class T> void mark_secret(const T *p, size_t count) { VALGRIND_MAKE_MEM_UNDEFINED(p, count * sizeof(T)); }
template <class T> void mark_public(const T *p, size_t count) { VALGRIND_MAKE_MEM_DEFINED(p, count * sizeof(T)); }

// The two functions of `platform.h`.
template <class T> T reveal(T x) {
    mark_public(&x, 1);
    return x;
}
inline uint32_t reveal_lowest(uint32_t x) { return reveal(x & (0 - x)); }

// Returns `f(x)`, which is as secret as `x`. A GPU computes it in one instruction, so Memcheck is not
// to look into the host's `f`.
inline float as_one_instruction(float (*f)(float), float x) {
    uint32_t bits = 0;
    (void)VALGRIND_GET_VBITS(&x, &bits, sizeof x);
    const float y = f(reveal(x));
    if (bits != 0) mark_secret(&y, 1);
    return y;
}

// True if every bit of `count` values is secret. Only under Valgrind.
template <class T> bool are_secret(const T *p, size_t count) {
    const size_t length = count * sizeof(T);
    for (size_t i = 0; i < length; ++i) {
        uint8_t bits = 0;
        (void)VALGRIND_GET_VBITS(reinterpret_cast<const uint8_t *>(p) + i, &bits, 1);
        if (bits != 0xff) return false;
    }
    return true;
}

// Number of the planted leak that is active, or 0: see `constant_time.py`.
inline unsigned active = 0;

// Branches on `condition` if the leak is active.
template <class F> void plant(unsigned number, F condition) {
    if (active == number && condition()) asm volatile("");
}

} // namespace secrets
