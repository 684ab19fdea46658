// SamplerZ: draws the two integers of a leaf, in windows of W attempts.
//
// Lane i judges attempt i of the window for both centres. The trial's first byte decides an
// attempt, unless it equals the first byte of the threshold, which has a chance of 1/256. The
// comparison of `attempt.h` gives the same decision, or none if its numbers differ by less than the
// margin. Altogether about 1 attempt in 250 remains undecided.
//
// The candidate is the first attempt that is not surely rejected. If it is surely accepted, it
// gives the integer. Otherwise the exact trial decides, with the attempt's bytes in the stream. The
// second integer is sought in the same way, among the attempts after that of the first one. The
// groups of a warp judge their windows together, until all have both integers.
//
// Integers and consumed bytes are the same as in `falcon-core/src/sampler/serial.rs`.
#pragma once

#include "attempt.h"

namespace falcon {

// Shift of the verdict for the second centre, whose bits are above those for the first.
constexpr unsigned SECOND = 2;
// Shift of an attempt's integer in a lane's value, and the bias that makes it positive.
constexpr unsigned CANDIDATE = 8;
constexpr int CANDIDATE_BIAS = 32;

// Draws two integers around the centres `rests`, which are in [0, 1]. If the stream has ended, the
// integers are arbitrary.
template <unsigned W> FALCON_DEVICE Found find(Stream<W> &stream, const Real (&rests)[2], const Leaf &leaf) {
    using G = Group<W>;
    const Filter filter = Filter::of(leaf);
    const float r[2] = {float(rests[0].v), float(rests[1].v)};
    Found found{};
    do {
        stream.ensure();
        if (!stream.exists()) found.count = 2;
        const PerLane<W> seen = G::map([&](unsigned lane) {
            const Attempt a = Attempt::of(stream.record(lane));
            const uint32_t first = filter.verdict(a, r[0]), second = filter.verdict(a, r[1]);
            return first | second << SECOND | uint32_t(int(a.z) + CANDIDATE_BIAS) << CANDIDATE;
        });
        const uint32_t first = FALCON_REVEAL_LOWEST(G::ballot(seen, OPEN)), second = G::ballot(seen, OPEN << SECOND);
        // The candidate for the first integer.
        const bool looks = found.count == 0, has = looks && first != 0;
        const unsigned at = has ? lowest_bit(first) : 0;
        const uint32_t chosen = G::pick(seen, at);
        const bool sure = has && FALCON_REVEAL((chosen & ACCEPTED) != 0);
        // The candidate for the second integer, after the first one.
        const uint32_t behind =
            FALCON_REVEAL_LOWEST(sure ? second & ~((2u << at) - 1) : found.count == 1 ? second : 0);
        const unsigned next = behind != 0 ? lowest_bit(behind) : 0;
        const uint32_t other = G::pick(seen, next);
        const bool also = behind != 0 && FALCON_REVEAL((other & ACCEPTED << SECOND) != 0);
        const bool open = (has && !sure) || (behind != 0 && !also);
        const auto integer = [](uint32_t chosen) { return float(int(chosen >> CANDIDATE) - CANDIDATE_BIAS); };
        const unsigned done = has && !sure ? at : behind != 0 ? next + also : W;
        if (found.count < 2) stream.advance(done);
        if (sure) found.add(integer(chosen));
        if (also) found.add(integer(other));
        if (G::any(open)) {
            const uint32_t place = stream.place();
            uint32_t taken = ATTEMPT_LEN;
            if (open) {
                const Trial trial = exact_attempt(stream.rows, place, found.count == 0 ? rests[0] : rests[1], leaf);
                taken = trial.taken;
                if (trial.accepted) found.add(float(trial.z));
                if (taken == ATTEMPT_LEN) stream.advance(1);
            }
            const bool moves = taken != ATTEMPT_LEN;
            if (G::any(moves)) stream = Stream<W>::at_place(stream, place + taken, moves);
        }
    } while (G::any(found.count < 2));
    return found;
}

// The two integers of a leaf, and the stream after them.
template <unsigned W> struct Pair {
    Complex z;
    Stream<W> stream;
};

// Draws an integer around the real part of `center`, then one around the imaginary part. Not
// inlined, since the code for a small node has a call for each of its 2^SMALL leaves. The stream is
// passed and returned by value, so that it stays in registers.
template <unsigned W> FALCON_CALL Pair<W> sample_pair(Stream<W> stream, Complex center, Leaf leaf) {
    assume_global(stream.rows);
    assume_global(stream.records);
    assume_shared(stream.ring);
    const Real floors[2] = {floor_of(center.re), floor_of(center.im)};
    // In [0, 1]: the subtraction may round up to 1.
    const Real rests[2] = {center.re - floors[0], center.im - floors[1]};
    const Found found = find<W>(stream, rests, leaf);
    return {{floors[0] + Real{found.z[0]}, floors[1] + Real{found.z[1]}}, stream};
}

} // namespace falcon
