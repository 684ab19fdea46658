// Fibers for the lanes of a warp: see `emulate.h`.
#include "emulate.h"

#include <algorithm>

namespace emulate {

thread_local Warp *warp = nullptr;
thread_local unsigned order = 0;

namespace {

void lane_main() {
    Warp *const here = warp;
    here->body(here->argument);
    Lane &lane = here->lanes[here->current];
    lane.done = true;
    // The end of the function resumes the scheduler.
}

// Resumes every group of lanes whose whole mask waits at the same operation. Returns false if there
// is none.
bool release(Warp &warp) {
    bool released = false;
    for (unsigned i = 0; i < LANES; ++i) {
        const Lane &first = warp.lanes[i];
        if (!first.waiting) continue;
        bool complete = (first.mask >> i & 1) != 0;
        for (unsigned j = 0; j < LANES; ++j) {
            const Lane &other = warp.lanes[j];
            if ((first.mask >> j & 1) != 0) {
                complete &= other.waiting && other.mask == first.mask && other.operation == first.operation;
            }
        }
        if (!complete) continue;
        const uint32_t mask = first.mask;
        for (unsigned j = 0; j < LANES; ++j) {
            if ((mask >> j & 1) == 0) continue;
            warp.snapshot[j] = warp.lanes[j].value;
            warp.lanes[j].waiting = false;
        }
        released = true;
    }
    return released;
}

} // namespace

bool run_warp(unsigned first_thread, void (*body)(void *), void *argument) {
    auto owned = std::make_unique<Warp>();
    Warp &w = *owned;
    warp = &w;
    w.first_thread = first_thread;
    w.body = body;
    w.argument = argument;
    for (Lane &lane : w.lanes) {
        lane.stack.reset(new char[STACK]);
        lane.done = lane.waiting = false;
        lane.copying = 0;
        getcontext(&lane.context);
        lane.context.uc_stack.ss_sp = lane.stack.get();
        lane.context.uc_stack.ss_size = STACK;
        lane.context.uc_link = &w.scheduler;
        makecontext(&lane.context, lane_main, 0);
    }
    unsigned sequence[LANES];
    for (unsigned i = 0; i < LANES; ++i) sequence[i] = order == 1 ? LANES - 1 - i : i;
    uint32_t random = 12345 + order;
    bool right = true;
    for (;;) {
        if (order > 1) {
            for (unsigned i = LANES; i-- > 1;) {
                random = random * 1664525 + 1013904223;
                std::swap(sequence[i], sequence[(random >> 8) % (i + 1)]);
            }
        }
        bool done = true;
        for (unsigned i : sequence) {
            if (w.lanes[i].done) continue;
            done = false;
            if (w.lanes[i].waiting) continue;
            w.current = i;
            swapcontext(&w.scheduler, &w.lanes[i].context);
        }
        if (done) break;
        const bool waiting = std::any_of(w.lanes, w.lanes + LANES, [](const Lane &lane) { return lane.waiting; });
        if (waiting && !release(w)) {
            // The lanes wait for each other forever.
            right = false;
            break;
        }
    }
    warp = nullptr;
    return right;
}

} // namespace emulate
