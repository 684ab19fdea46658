// Emulates the warps of a GPU on the processor. The lanes of a warp are fibers. The GPU's code of
// `Group` runs unchanged, with these definitions of the collective operations.
//
// A lane runs until it meets a collective operation; then the next lane runs. The operation takes
// place when all lanes of its mask have reached it. If they reach different operations, or one of
// them has ended, the launch fails: on a GPU it would hang or give wrong results. Lanes run in any
// of several orders. If one lane writes and another reads without an operation in between, some
// order reads too early.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include <memory>

namespace emulate {

constexpr unsigned LANES = 32;
constexpr size_t STACK = 256 * 1024;

struct Lane {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done, waiting;
    // The operation that the lane waits for.
    int operation;
    uint32_t mask;
    uint64_t value;
    // Copies that have begun.
    struct {
        uint32_t *to;
        uint32_t value;
    } copies[8];
    unsigned copying;
};

struct Warp {
    ucontext_t scheduler;
    Lane lanes[LANES];
    unsigned current;
    // Number of the first thread in its block.
    unsigned first_thread;
    // Values that the lanes gave to the last operation.
    uint64_t snapshot[LANES];
    void (*body)(void *);
    void *argument;
};

extern thread_local Warp *warp;
// The order of the lanes: 0 forwards, 1 backwards, else shuffled.
extern thread_local unsigned order;

// Replaces CUDA's variable `threadIdx`.
struct ThreadIndex {
    struct {
        operator unsigned() const { return warp->first_thread + warp->current; }
    } x;
};
static const ThreadIndex threadIdx;

// Waits until all lanes of `mask` have reached this operation, each with a value.
inline void meet(int operation, uint32_t mask, uint64_t value) {
    Lane &lane = warp->lanes[warp->current];
    lane.operation = operation;
    lane.mask = mask;
    lane.value = value;
    lane.waiting = true;
    swapcontext(&lane.context, &warp->scheduler);
}

enum { SYNC, BALLOT, SHUFFLE, SHUFFLE_XOR };

inline void __syncwarp(uint32_t mask) { meet(SYNC, mask, 0); }

inline uint32_t __ballot_sync(uint32_t mask, bool here) {
    meet(BALLOT, mask, here);
    uint32_t all = 0;
    for (unsigned i = 0; i < LANES; ++i) all |= uint32_t((mask >> i & 1) != 0 && warp->snapshot[i] != 0) << i;
    return all;
}

inline uint32_t __shfl_sync(uint32_t mask, uint32_t x, unsigned lane, unsigned width) {
    meet(SHUFFLE, mask, x);
    return uint32_t(warp->snapshot[warp->current / width * width + lane % width]);
}

inline uint64_t __shfl_xor_sync(uint32_t mask, uint64_t x, unsigned bits, unsigned width) {
    meet(SHUFFLE_XOR, mask, x);
    const unsigned other = warp->current ^ bits;
    return other / width == warp->current / width ? warp->snapshot[other] : x;
}

// Begins an asynchronous copy: until `copies_arrive` the destination holds something else.
inline void begin_copy(uint32_t *to, const uint32_t *from) {
    Lane &lane = warp->lanes[warp->current];
    if (lane.copying == sizeof lane.copies / sizeof *lane.copies) abort();
    lane.copies[lane.copying++] = {to, *from};
    *to = 0xdeadbeef;
}
inline void copies_arrive() {
    Lane &lane = warp->lanes[warp->current];
    // In any order: of two copies to one place, either may be the last.
    for (unsigned i = 0; i < lane.copying; ++i) {
        const auto &copy = lane.copies[order % 2 ? lane.copying - 1 - i : i];
        *copy.to = copy.value;
    }
    lane.copying = 0;
}

// Runs `body(argument)` on all lanes of a warp. `first_thread` is the number of its first thread.
// Returns false if not all lanes of a mask reached the same operation.
bool run_warp(unsigned first_thread, void (*body)(void *), void *argument);

} // namespace emulate
