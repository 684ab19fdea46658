// Differences between CUDA and plain C++, so that both compile the same source.
//
// A kernel is written for a *unit* of work and a group of `W` lanes. Code outside `Group::each` and
// `Group::map` is *uniform*: on a GPU all lanes of the group run it with the same values, and on
// the host it runs once. Only the functions that are passed to `each` and `map` differ from lane to
// lane. Lanes exchange their results through memory and through `any`, `ballot`, `pick` and `sum`.
//
// So the host can run groups of any size, one lane after the other, in either order. With
// FALCON_EMULATE it runs the GPU's code for groups, on emulated lanes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define FALCON_DEVICE __device__ __forceinline__
#define FALCON_CALL __device__ __noinline__
// Constants of which all lanes read the same element at a time.
#define FALCON_CONSTANT static __constant__ const
// Constants of which lanes read different elements at a time.
#define FALCON_TABLE static __device__ const
#define FALCON_UNROLL _Pragma("unroll")
#define FALCON_NO_UNROLL _Pragma("unroll 1")
#else
#define FALCON_DEVICE inline
#define FALCON_CALL inline
#define FALCON_CONSTANT static const
#define FALCON_TABLE static const
#define FALCON_UNROLL
#define FALCON_NO_UNROLL
#include <math.h>
#include <string.h>
#ifdef FALCON_EMULATE
#include "emulate.h"
#endif
#ifdef FALCON_SECRETS
#include "secrets.h"
#endif
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as a GPU reads them");
#endif

#if defined(__CUDACC__) || defined(FALCON_EMULATE)
#define FALCON_LANES_ARE_THREADS
#endif

namespace falcon {

// a b + c in binary32, rounded once. Only for estimates with a margin: see `attempt.h`.
#ifdef __CUDACC__
FALCON_DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
#else
inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
#endif

// The base-2 logarithm of `x`; minus infinity for zero. The error is at most 2^-19 for `x` in
// [1, 256]: PTX specifies 2^-22, as an absolute error in (0.5, 2) and as a relative one elsewhere.
#ifdef __CUDACC__
FALCON_DEVICE float log2_of(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#elif defined(FALCON_SECRETS)
inline float log2_of(float x) { return secrets::as_one_instruction(log2f, x); }
#else
inline float log2_of(float x) { return log2f(x); }
#endif

// Writes 16 bytes to `p` in one store. On a device, `p` must be a multiple of 16.
FALCON_DEVICE void store(void *p, uint64_t low, uint64_t high) {
#ifdef __CUDACC__
    *static_cast<ulonglong2 *>(p) = make_ulonglong2(low, high);
#else
    const uint64_t both[2] = {low, high};
    memcpy(p, both, sizeof both);
#endif
}

// Begins to copy four bytes from global to shared memory. This thread can read them after
// `copies_arrive`.
#ifdef __CUDACC__
FALCON_DEVICE void begin_copy(uint32_t *shared, const uint32_t *global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(uint32_t(__cvta_generic_to_shared(shared))), "l"(global)
                 : "memory");
}
FALCON_DEVICE void copies_arrive() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#elif defined(FALCON_EMULATE)
using emulate::begin_copy, emulate::copies_arrive;
#else
inline void begin_copy(uint32_t *shared, const uint32_t *global) { *shared = *global; }
inline void copies_arrive() {}
#endif

#ifdef FALCON_EMULATE
using namespace emulate;
#endif
#ifndef FALCON_LANES_ARE_THREADS
// If set, the host runs the lanes of a group from the last to the first. No result may depend on
// this order.
extern thread_local bool backwards;
#endif

// Number of lanes of a warp.
constexpr unsigned WARP = 32;

// A unit of work: its number in the launch and in its block, and the shared memory of the block.
struct Unit {
    uint64_t index;
    uint32_t in_block;
    double *shared;
};

// One value for each lane of a group.
template <unsigned W> struct PerLane {
#ifdef FALCON_LANES_ARE_THREADS
    uint32_t value;
    FALCON_DEVICE uint32_t of(unsigned) const { return value; }
#else
    uint32_t value[W];
    uint32_t of(unsigned lane) const { return value[lane]; }
#endif
};

// `W` lanes, a power of two up to 32, that work on one unit.
template <unsigned W> struct Group {
    static_assert(W != 0 && W <= 32 && (W & (W - 1)) == 0, "lanes of a warp");

#ifdef FALCON_LANES_ARE_THREADS
    static FALCON_DEVICE unsigned lane() { return W == 1 ? 0 : threadIdx.x % W; }
    // A barrier for all lanes of the warp, since its groups run together.
    static FALCON_DEVICE void sync() {
        if (W > 1) __syncwarp(~0u);
    }

    // True if `here` is true in any group of the warp. If W is 1, returns `here`.
    static FALCON_DEVICE bool any(bool here) { return W == 1 ? here : __ballot_sync(~0u, here) != 0; }

    // Runs f(0), ..., f(count - 1). None of these calls may read what another one writes. A lane
    // runs AT_ONCE calls at a time: 1 keeps the code small for the instruction cache; with more,
    // their accesses to memory overlap.
    template <unsigned AT_ONCE = 1, class F> static FALCON_DEVICE void each(unsigned count, F f) {
        sync();
#ifdef __CUDACC__
#pragma unroll AT_ONCE
#endif
        for (unsigned i = lane(); i < count; i += W) f(i);
        sync();
    }

    // The value f(i) on lane i.
    template <class F> static FALCON_DEVICE PerLane<W> map(F f) { return {f(lane())}; }

    // Bit i of the result: lane i has at least one of `bits`.
    static FALCON_DEVICE uint32_t ballot(const PerLane<W> &x, uint32_t bits) {
        const bool here = (x.value & bits) != 0;
        if (W == 1) return here;
        const uint32_t all = __ballot_sync(~0u, here);
        return W == 32 ? all : all >> (threadIdx.x % 32 & ~(W - 1)) & ((1u << (W % 32)) - 1);
    }

    // The value of lane `i`.
    static FALCON_DEVICE uint32_t pick(const PerLane<W> &x, unsigned i) {
        return W == 1 ? x.value : __shfl_sync(~0u, x.value, i, W);
    }

    // The sum of the lanes' values.
    static FALCON_DEVICE uint64_t total(uint64_t x) {
        for (unsigned d = W / 2; d != 0; d /= 2) x += __shfl_xor_sync(~0u, x, d, W);
        return x;
    }
#else
    template <unsigned = 1, class F> static void each(unsigned count, F f) {
        for (unsigned k = 0; k < W; ++k) {
            const unsigned lane = backwards ? W - 1 - k : k;
            for (unsigned i = lane; i < count; i += W) f(i);
        }
    }

    template <class F> static PerLane<W> map(F f) {
        PerLane<W> x;
        for (unsigned lane = 0; lane < W; ++lane) x.value[lane] = f(lane);
        return x;
    }

    static uint32_t ballot(const PerLane<W> &x, uint32_t bits) {
        uint32_t all = 0;
        for (unsigned lane = 0; lane < W; ++lane) all |= uint32_t((x.value[lane] & bits) != 0) << lane;
        return all;
    }

    static uint32_t pick(const PerLane<W> &x, unsigned i) { return x.value[i % W]; }

    static bool any(bool here) { return here; }
    static void sync() {}

    // `x` is the sum already, since all lanes have added to the same variable.
    static uint64_t total(uint64_t x) { return x; }
#endif

    // f(0) + ... + f(count - 1), as integers.
    template <class F> static FALCON_DEVICE uint64_t sum(unsigned count, F f) {
        uint64_t part = 0;
        each(count, [&](unsigned i) { part += f(i); });
        return total(part);
    }
};

// The index of the lowest set bit of `x`, which is not zero.
FALCON_DEVICE unsigned lowest_bit(uint32_t x) {
#ifdef __CUDACC__
    return unsigned(__ffs(int(x))) - 1;
#else
    return unsigned(__builtin_ctz(x));
#endif
}

// The number of zero bits above the highest set bit of `x`, which is not zero.
FALCON_DEVICE unsigned leading_zeros(uint32_t x) {
#ifdef __CUDACC__
    return unsigned(__clz(int(x)));
#else
    return unsigned(__builtin_clz(x));
#endif
}

// The big-endian number of four bytes that were read as the little-endian number `x`.
FALCON_DEVICE uint32_t big_endian(uint32_t x) {
#ifdef __CUDACC__
    return __byte_perm(x, 0, 0x0123);
#else
    return __builtin_bswap32(x);
#endif
}

// The high 64 bits of the product.
FALCON_DEVICE uint64_t mul_high(uint64_t a, uint64_t b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return uint64_t(wide(a) * b >> 64);
#endif
}

// Adds `x` to a counter that all units share. Returns the value before.
FALCON_DEVICE uint32_t fetch_add(uint32_t *counter, uint32_t x) {
#ifdef __CUDACC__
    return atomicAdd(counter, x);
#else
    const uint32_t before = *counter;
    *counter += x;
    return before;
#endif
}

// Tells the compiler which memory `p` points to, if it cannot know that.
FALCON_DEVICE void assume_global(const void *p) {
#ifdef __CUDACC__
    __builtin_assume(__isGlobal(p));
#else
    (void)p;
#endif
}
FALCON_DEVICE void assume_shared(const void *p) {
#ifdef __CUDACC__
    __builtin_assume(__isShared(p));
#else
    (void)p;
#endif
}

// Returns `x`, but a GPU's compiler does not know that. So it computes values that depend on `x`
// again and does not keep them in registers.
FALCON_DEVICE unsigned hidden(unsigned x) {
#ifdef __CUDACC__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// FALCON_REVEAL(X) is `X`, which may depend on a secret and becomes public. With
// FALCON_REVEAL_LOWEST only the lowest set bit becomes public, and callers use no other bit.
// `docs/CONSTANT-TIME.md` justifies each use. Macros leave the code for a GPU as it is without them.
#ifdef FALCON_SECRETS
#define FALCON_REVEAL(X) secrets::reveal(X)
#define FALCON_REVEAL_LOWEST(X) secrets::reveal_lowest(X)
#else
#define FALCON_REVEAL(X) (X)
#define FALCON_REVEAL_LOWEST(X) (X)
#endif

// FALCON_SELECT(CONDITION, A, B) is `A` if the condition is true, else `B`, without a branch. A GPU
// has an instruction for that. The host's compiler might make a branch.
#ifdef __CUDACC__
#define FALCON_SELECT(CONDITION, A, B) ((CONDITION) ? (A) : (B))
#else
#define FALCON_SELECT(CONDITION, A, B) select(CONDITION, A, B)
template <class T> T select(bool condition, T a, T b) {
    uint64_t x = 0, y = 0;
    memcpy(&x, &a, sizeof a);
    memcpy(&y, &b, sizeof b);
    uint64_t mask = 0 - uint64_t(condition);
    // Hides the mask, from which compilers make branches.
    asm("" : "+r"(mask));
    y ^= (x ^ y) & mask;
    memcpy(&b, &y, sizeof b);
    return b;
}
#endif

// Reads memory that no kernel writes while this one runs.
template <class T> FALCON_DEVICE T read(const T *p) {
#ifdef __CUDACC__
    return __ldg(p);
#else
    return *p;
#endif
}

} // namespace falcon
