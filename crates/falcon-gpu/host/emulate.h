// The warps of a GPU on the processor: the lanes of a group are fibers, and what
// `Group` has for a GPU runs as it stands there, over these definitions of the
// collective operations.
//
// A lane runs until it meets a collective operation, then the next one does. The
// operation takes place when all lanes of its mask have come to it; if they come
// to different ones, or one of them has ended, the launch fails, as it would hang or
// lie on a GPU. Lanes run in any of several orders: what one writes and another
// reads without an operation between them is read too early in one of these.
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
    // The operation that it waits for.
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
    // What the lanes of the last operation had.
    uint64_t snapshot[LANES];
    void (*body)(void *);
    void *argument;
};

extern thread_local Warp *warp;
// The order of the lanes: 0 forwards, 1 backwards, else shuffled.
extern thread_local unsigned order;

// What a thread of CUDA finds under this name.
struct ThreadIndex {
    struct {
        operator unsigned() const { return warp->first_thread + warp->current; }
    } x;
};
static const ThreadIndex threadIdx;

// Waits until all lanes of `mask` have come here with a value.
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

// A copy that takes its time: until `copies_arrive` the place holds something else.
inline void begin_copy(uint32_t *to, const uint32_t *from) {
    Lane &lane = warp->lanes[warp->current];
    if (lane.copying == sizeof lane.copies / sizeof *lane.copies) abort();
    lane.copies[lane.copying++] = {to, *from};
    *to = 0xdeadbeef;
}
inline void copies_arrive() {
    Lane &lane = warp->lanes[warp->current];
    // In any order: of two to one place, either may be the last.
    for (unsigned i = 0; i < lane.copying; ++i) {
        const auto &copy = lane.copies[order % 2 ? lane.copying - 1 - i : i];
        *copy.to = copy.value;
    }
    lane.copying = 0;
}

// Runs `body(argument)` on all lanes of a warp whose first thread has number
// `first_thread`. False if lanes missed each other.
bool run_warp(unsigned first_thread, void (*body)(void *), void *argument);

} // namespace emulate
