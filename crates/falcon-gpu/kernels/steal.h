// Lane stealing: the sampler of one thread a signature, for the signatures of a warp
// together.
//
// Attempt after attempt, a lane that has its two integers waits for the slowest one of
// its warp. Here it tries a later attempt of a signature whose integer is not found
// yet. A round is one attempt on every lane. In the first FALCON_STEAL rounds each goes
// on by itself: most look for an integer all the time. From there on the lanes from one that looks
// for an integer up to the next one that does, in a circle, try attempts 0, 1, 2, ... of
// the former, counted from where it stands. The first attempt that is not surely
// rejected stops that signature's round, as in a serial loop: what was tried behind it
// counts for nothing, and the stream goes on behind it. If it is open its own lane runs
// the exact trial.
//
// So every signature has the integers and the place in its stream of the serial
// loop. All lanes of a warp come here and leave together, those that have no signature,
// too. Who tries what depends on how many attempts integers took, as time does in a
// loop, and on nothing else.
#pragma once

#include "attempt.h"

#if FALCON_STEAL
namespace falcon {

// What lane `i`, modulo 32, has.
FALCON_DEVICE uint32_t of_lane(unsigned i, uint32_t x) { return __shfl_sync(~0u, x, i, WARP); }
FALCON_DEVICE float of_lane(unsigned i, float x) { return float_of(of_lane(i, bits_of(x))); }
template <class T> FALCON_DEVICE const T *of_lane(unsigned i, const T *p) {
    const uint64_t x = reinterpret_cast<uint64_t>(p);
    const uint64_t high = of_lane(i, uint32_t(x >> 32));
    return reinterpret_cast<const T *>(high << 32 | of_lane(i, uint32_t(x)));
}

// The two integers around `rests`, which are in [0, 1]; on a lane without a signature,
// nothing.
FALCON_DEVICE Found find_together(Stream<1> &stream, const Real (&rests)[2], const Leaf &leaf) {
    const Filter filter = Filter::of(leaf);
    const float second = float(rests[1].v);
    float center = float(rests[0].v);
    Found found{};
    if (!stream.exists()) found.count = 2;

    // What has come of an attempt, or of several, for this lane's signature.
    const auto settle = [&](uint32_t verdict, uint32_t at, float z) {
        bool accepted = verdict != 0;
        stream.place = at + ATTEMPT_LEN;
        if (verdict == OPEN) {
            const Trial trial = exact_attempt(stream.rows, at, found.count == 0 ? rests[0] : rests[1], leaf);
            stream.place = at + trial.taken;
            accepted = trial.accepted;
            z = float(trial.z);
        }
        if (accepted) {
            found.add(z);
            center = second;
        }
    };

    FALCON_NO_UNROLL
    for (unsigned round = 0; round < FALCON_STEAL; ++round) {
        count_round(false, found.count < 2);
        if (found.count == 2) continue;
        stream.ensure();
        const uint32_t at = stream.attempt();
        const Attempt a = attempt_at(stream.rows, at);
        settle(filter.verdict(a, center), at, a.z);
    }
    const unsigned lane = threadIdx.x % WARP;
    for (;;) {
        stream.ensure();
        const uint32_t waiting = __ballot_sync(~0u, found.count < 2);
        if (waiting == 0) return found;
        count_round(true, true);
        // What a lane has written to its rows is there for all.
        __syncwarp(~0u);
        // Whose attempt this lane tries.
        const uint32_t before = waiting & ~0u >> (WARP - 1 - lane);
        const unsigned of = highest_bit(before != 0 ? before : waiting);
        const uint32_t at = attempt_after(of_lane(of, stream.place), (lane - of) % WARP);
        const uint32_t *rows = of_lane(of, stream.rows);
        assume_global(rows);
        const Attempt a = attempt_at(rows, at);
        const Filter theirs{of_lane(of, filter.d), of_lane(of, filter.level)};
        const uint32_t verdict = theirs.verdict(a, of_lane(of, center));

        // Lanes as seen from this one: those that have tried for it, and of these the
        // first that was not rejected, or the last one, which was. All have read what
        // they need when they come to the ballot.
        const uint32_t left = __ballot_sync(~0u, verdict != 0);
        const uint32_t next = rotated(waiting, lane) & ~1u;
        const uint32_t mine = (next & (0 - next)) - 1, hits = rotated(left, lane) & mine;
        const unsigned chosen = lane + (hits != 0 ? lowest_bit(hits) : highest_bit(mine));
        const uint32_t said = of_lane(chosen, verdict), where = of_lane(chosen, at);
        const float z = of_lane(chosen, a.z);
        if (found.count < 2) settle(said, where, z);
    }
}

} // namespace falcon
#endif
