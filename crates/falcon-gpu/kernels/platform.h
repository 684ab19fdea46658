// Two compilers, one source: what CUDA and plain C++ call differently.
//
// A kernel is written for a *unit* of work and a group of `W` lanes. Code that
// is not in `Group::each` or `Group::map` is *uniform*: on a GPU all lanes of the
// group run it with the same values, on the host it runs once. What lanes do
// apart stands in these two, and meets again through memory or `Group::pick`.
// So the host runs every lane count, lane after lane, in either order; or it emulates
// a GPU's lanes (FALCON_EMULATE) and runs what stands here for one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define FALCON_DEVICE __device__ __forceinline__
#define FALCON_CALL __device__ __noinline__
// Read at one place by all lanes at a time.
#define FALCON_CONSTANT static __constant__ const
// Read at different places.
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
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as a GPU reads them");
#endif

#if defined(__CUDACC__) || defined(FALCON_EMULATE)
#define FALCON_LANES_ARE_THREADS
#endif

namespace falcon {

// a b + c in binary32, rounded once. Only where roundings do not matter: see `attempt.h`.
#ifdef __CUDACC__
FALCON_DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
#else
inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
#endif

// The logarithm to base 2 of an integer in [0, 256], off by 2^-19; of zero, minus infinity.
#ifdef __CUDACC__
FALCON_DEVICE float log2_of(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
inline float log2_of(float x) { return log2f(x); }
#endif

// Writes sixteen bytes to `p`, on a device a multiple of 16, at once.
FALCON_DEVICE void store(void *p, uint64_t low, uint64_t high) {
#ifdef __CUDACC__
    *static_cast<ulonglong2 *>(p) = make_ulonglong2(low, high);
#else
    const uint64_t both[2] = {low, high};
    memcpy(p, both, sizeof both);
#endif
}

// Begins to copy four bytes from global to shared memory. They are there for this thread when
// `copies_arrive` returns.
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
// The host runs the lanes of a group from the last to the first if this is set:
// an order that no kernel may see.
extern thread_local bool backwards;
#endif

// Lanes of a warp.
constexpr unsigned WARP = 32;

// A unit of work: which one, and the shared memory of its block.
struct Unit {
    uint64_t index;
    uint32_t in_block;
    double *shared;
};

// What a lane of each group knows, e.g. what it has found.
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
    // The groups of a warp go along with each other: all lanes meet.
    static FALCON_DEVICE void sync() {
        if (W > 1) __syncwarp(~0u);
    }

    // Whether a group of the warp says so.
    static FALCON_DEVICE bool any(bool here) { return W == 1 ? here : __ballot_sync(~0u, here) != 0; }

    // f(0), ..., f(count - 1), none of which sees what another one writes. A lane has AT_ONCE
    // of them at a time: one, as an instruction cache is small, or several that wait for memory.
    template <unsigned AT_ONCE = 1, class F> static FALCON_DEVICE void each(unsigned count, F f) {
        sync();
#ifdef __CUDACC__
#pragma unroll AT_ONCE
#endif
        for (unsigned i = lane(); i < count; i += W) f(i);
        sync();
    }

    // f(i) on lane i.
    template <class F> static FALCON_DEVICE PerLane<W> map(F f) { return {f(lane())}; }

    // Which lanes have one of `bits`.
    static FALCON_DEVICE uint32_t ballot(const PerLane<W> &x, uint32_t bits) {
        const bool here = (x.value & bits) != 0;
        if (W == 1) return here;
        const uint32_t all = __ballot_sync(~0u, here);
        return W == 32 ? all : all >> (threadIdx.x % 32 & ~(W - 1)) & ((1u << (W % 32)) - 1);
    }

    // What lane `i` has.
    static FALCON_DEVICE uint32_t pick(const PerLane<W> &x, unsigned i) {
        return W == 1 ? x.value : __shfl_sync(~0u, x.value, i, W);
    }

    // The sum of what the lanes have.
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

    // Lanes one after the other have added to the same.
    static uint64_t total(uint64_t x) { return x; }
#endif

    // f(0) + ... + f(count - 1), as integers.
    template <class F> static FALCON_DEVICE uint64_t sum(unsigned count, F f) {
        uint64_t part = 0;
        each(count, [&](unsigned i) { part += f(i); });
        return total(part);
    }
};

// The place of the lowest bit of `x`, which is not zero.
FALCON_DEVICE unsigned lowest_bit(uint32_t x) {
#ifdef __CUDACC__
    return unsigned(__ffs(int(x))) - 1;
#else
    return unsigned(__builtin_ctz(x));
#endif
}

// The number of zeros above the highest bit of `x`, which is not zero.
FALCON_DEVICE unsigned leading_zeros(uint32_t x) {
#ifdef __CUDACC__
    return unsigned(__clz(int(x)));
#else
    return unsigned(__builtin_clz(x));
#endif
}

// The number of four bytes, the first one highest, that were read as if it were lowest.
FALCON_DEVICE uint32_t big_endian(uint32_t x) {
#ifdef __CUDACC__
    return __byte_perm(x, 0, 0x0123);
#else
    return __builtin_bswap32(x);
#endif
}

// The high 64 bits of a product.
FALCON_DEVICE uint64_t mul_high(uint64_t a, uint64_t b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return uint64_t(wide(a) * b >> 64);
#endif
}

// Adds `x` to a counter that all units share; the value before.
FALCON_DEVICE uint32_t fetch_add(uint32_t *counter, uint32_t x) {
#ifdef __CUDACC__
    return atomicAdd(counter, x);
#else
    const uint32_t before = *counter;
    *counter += x;
    return before;
#endif
}

// Says which memory `p` points to, where the compiler could not tell.
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

// `x`; but a compiler does not know that, and computes again what depends on it rather than
// keep it in registers.
FALCON_DEVICE unsigned hidden(unsigned x) {
#ifdef __CUDACC__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// Reads what no kernel writes while this one runs.
template <class T> FALCON_DEVICE T read(const T *p) {
#ifdef __CUDACC__
    return __ldg(p);
#else
    return *p;
#endif
}

} // namespace falcon
