// SamplerZ: the two integers of a leaf, in windows of W attempts.
//
// Lane i looks at the attempt number i from here; an estimate of its trial says
// for sure whether the trial accepts or rejects after its first byte, unless the
// byte is the threshold's own first one (one in 256) or as good as that. The first
// attempt that is not surely rejected is the candidate; it is the integer if it is
// surely accepted, and else the exact trial decides, at its place in the stream.
// The second integer is the first candidate behind the first one. With one lane
// this is attempt after attempt, and a signature whose first integer is found goes
// on with the second while others of its warp look for their first.
//
// So integers and bytes consumed are those of `falcon-core/src/sampler/serial.rs`.
//
// With FALCON_STEAL lanes that have both integers try attempts of others: `steal.h`.
#pragma once

#include "attempt.h"
#include "steal.h"

namespace falcon {

// With many lanes: the bits of the second centre are above those of the first.
constexpr unsigned SECOND = 2;
// Where the candidate stands, and what is added to it.
constexpr unsigned CANDIDATE = 8;
constexpr int CANDIDATE_BIAS = 32;

// Goes on while all is sure. True at an attempt that the exact trial has to decide,
// which the stream then stands at.
template <unsigned W>
FALCON_DEVICE bool search(Stream<W> &stream, Found &found, const float (&r)[2], const Filter &filter) {
    if constexpr (W == 1) {
        // Attempt after attempt, about one centre at a time.
        float center = found.count == 0 ? r[0] : r[1];
        while (found.count < 2) {
            stream.ensure();
            stream.place = stream.attempt();
            const Attempt a = attempt_at(stream.rows, stream.place);
            const uint32_t verdict = filter.verdict(a, center);
            count_attempt();
            if (verdict == OPEN) return true;
            stream.place += ATTEMPT_LEN;
            if (verdict != 0) {
                found.add(a.z);
                center = r[1];
            }
        }
    } else {
        using G = Group<W>;
        while (found.count < 2) {
            stream.ensure();
            const PerLane<W> seen = G::map([&](unsigned i) {
                const Attempt a = attempt_at(stream.rows, stream.attempt(i));
                const uint32_t first = filter.verdict(a, r[0]), second = filter.verdict(a, r[1]);
                return first | second << SECOND | uint32_t(int(a.z) + CANDIDATE_BIAS) << CANDIDATE;
            });
            // Attempts of this window that are done with.
            unsigned done = 0;
            while (found.count < 2 && done < W) {
                const unsigned bits = found.count == 0 ? 0 : SECOND;
                const uint32_t left = G::ballot(seen, OPEN << bits) >> done;
                if (left == 0) {
                    done = W;
                    break;
                }
                done += lowest_bit(left);
                const uint32_t chosen = G::pick(seen, done);
                if ((chosen >> bits & ACCEPTED) == 0) {
                    stream.place = stream.attempt(done);
                    return true;
                }
                found.add(float(int(chosen >> CANDIDATE) - CANDIDATE_BIAS));
                done += 1;
            }
            stream.place = stream.attempt(done);
        }
    }
    return false;
}

// The two integers around `rests`, which are in [0, 1].
template <unsigned W> FALCON_DEVICE Found find(Stream<W> &stream, const Real (&rests)[2], const Leaf &leaf) {
#if FALCON_STEAL
    if constexpr (W == 1) return find_together(stream, rests, leaf);
#endif
    const Filter filter = Filter::of(leaf);
    const float r[2] = {float(rests[0].v), float(rests[1].v)};
    Found found{};
    for (;;) {
        const bool open = search<W>(stream, found, r, filter);
        if (!open) break;
        const Trial trial = exact_attempt(stream.rows, stream.place, found.count == 0 ? rests[0] : rests[1], leaf);
        stream.place += trial.taken;
        if (trial.accepted) found.add(float(trial.z));
    }
    return found;
}

// The two integers of a leaf, and the stream behind them.
template <unsigned W> struct Pair {
    Complex z;
    Stream<W> stream;
};

// The integers around the real and the imaginary part of `center`, in this order. A
// call, of values: at a small node it stands eight times.
template <unsigned W> FALCON_CALL Pair<W> sample_pair(Stream<W> stream, Complex center, Leaf leaf) {
    assume_global(stream.rows);
    const Real floors[2] = {floor_of(center.re), floor_of(center.im)};
    // In [0, 1]: the subtraction may round up to 1.
    const Real rests[2] = {center.re - floors[0], center.im - floors[1]};
    const Found found = find<W>(stream, rests, leaf);
    count_pair(W == 1);
    return {{floors[0] + Real{found.z[0]}, floors[1] + Real{found.z[1]}}, stream};
}

} // namespace falcon
