// The same kernels for the host, for tests. Each kernel is a function that runs the blocks and
// groups of a launch one after the other.
#include "kernels.h"

#include <vector>

// Gives each build its own function names, so that several builds can be linked together.
#ifdef FALCON_BUILD
#define FALCON_JOIN(BUILD, NAME) falcon_host_##BUILD##_##NAME
#define FALCON_JOINED(BUILD, NAME) FALCON_JOIN(BUILD, NAME)
#define FALCON_HOST(NAME) FALCON_JOINED(FALCON_BUILD, NAME)
#else
#define FALCON_HOST(NAME) falcon_host_##NAME
#endif

#ifdef FALCON_EMULATE
// Sets the order of the lanes, as in `emulate.h`.
extern "C" void FALCON_HOST(set)(unsigned order) {
    emulate::order = order;
}
#else
thread_local bool falcon::backwards = false;

extern "C" void FALCON_HOST(set_backwards)(bool backwards) { falcon::backwards = backwards; }
#endif

// Returns the size of `Batch` or an offset, to check the mirror in Rust.
extern "C" size_t FALCON_HOST(batch_layout)(int what) {
    switch (what) {
    case 0: return sizeof(Batch);
    case 1: return offsetof(Batch, counts);
    case 2: return offsetof(Batch, scratch);
    case 3: return offsetof(Batch, first);
    case 4: return offsetof(Batch, count);
    default: return offsetof(Batch, signature_limit);
    }
}

// Returns a number that `src/kernels.rs` or `src/plan.rs` also defines: lanes that sign, records of
// a row, or, for a mode, reals of shared memory of a warp and of scratch of a slot.
extern "C" size_t FALCON_HOST(geometry)(int what, int mode, unsigned logn) {
    using namespace falcon;
    const Mode m = Mode(mode);
    switch (what) {
    case 0: return FALCON_GROUP;
    case 1: return ROW_ATTEMPTS;
    case 2: return WARP / FALCON_GROUP * shared_reals(m);
    default: return logn == 9 ? scratch_reals<9>(m) : scratch_reals<10>(m);
    }
}

// The estimate and the verdict of the sampler's filter, and the exact threshold, for tests.
extern "C" double FALCON_HOST(estimate)(double r, double dss, double ccs, int32_t z0, int32_t z) {
    const float y = falcon::Filter::of({{dss}, {ccs}}).y(float(z), float(r));
    return exp2(double(falcon::PROPOSAL * float(z0) * float(z0)) - double(y));
}
extern "C" uint32_t FALCON_HOST(verdict)(double r, double dss, double ccs, int32_t z0, int32_t z, uint32_t w) {
    return falcon::Filter::of({{dss}, {ccs}}).verdict(falcon::Attempt::of(float(z), float(z0), float(w)), float(r));
}
extern "C" uint64_t FALCON_HOST(threshold)(double r, double dss, double ccs, int32_t z0, int32_t z) {
    using falcon::Real;
    return falcon::threshold(falcon::exponent(z, z0, Real{r}, Real{dss}), Real{ccs});
}

#ifndef FALCON_EMULATE
namespace {

template <unsigned LOGN, unsigned W>
bool short_vector_of(const uint16_t *point, const double *v0, const double *v1, int16_t *s2) {
    using View = falcon::View<W>;
    constexpr unsigned N = 1u << LOGN;
    std::vector<double> memory(2 * N * View::APART);
    for (unsigned i = 0; i < N; ++i) {
        memory[View::spread(i)] = v0[i];
        memory[View::spread(N + i)] = v1[i];
    }
    const View v{reinterpret_cast<falcon::Real *>(memory.data()), 0};
    falcon::Difference<LOGN, W> difference{point, s2, 0};
    falcon::Group<W>::each(N, [&](unsigned i) { difference.subtract(i, v[i], v[N + i]); });
    return difference.is_short();
}

} // namespace

// Computes s2 of (point, 0) - (v0, v1). Bit 0 of the result says whether this vector is short, as
// computed by the lanes that sign; bit 1 says the same, as computed by a warp.
extern "C" unsigned FALCON_HOST(short_vector)(unsigned logn, const uint16_t *point, double *v0, double *v1,
                                              int16_t *s2) {
    const auto both = [&](auto one, auto group) {
        return unsigned(one(point, v0, v1, s2)) | unsigned(group(point, v0, v1, s2)) << 1;
    };
    return logn == 9 ? both(short_vector_of<9, FALCON_GROUP>, short_vector_of<9, 32>)
                     : both(short_vector_of<10, FALCON_GROUP>, short_vector_of<10, 32>);
}
#endif

namespace {

// Number of reals after the shared memory of a block, and their value. No kernel may write there.
constexpr size_t GUARD = 16;
constexpr double GUARD_VALUE = -0x1.5p-1000;

// Runs the groups of one block. False if lanes did not meet at an operation.
template <unsigned W, class F> bool run_block(uint64_t block_index, uint32_t block, double *shared, F unit) {
#ifdef FALCON_EMULATE
    struct Launch {
        uint64_t first;
        double *shared;
        F *unit;
    } launch{block_index * block, shared, &unit};
    const auto thread = [](void *argument) {
        const Launch &launch = *static_cast<Launch *>(argument);
        const unsigned index = emulate::threadIdx.x;
        (*launch.unit)(falcon::Unit{(launch.first + index) / W, index / W, launch.shared});
    };
    for (uint32_t first = 0; first < block; first += emulate::LANES) {
        if (!emulate::run_warp(first, thread, &launch)) return false;
    }
#else
    for (uint32_t group = 0; group < block / W; ++group) {
        unit(falcon::Unit{(block_index * block) / W + group, group, shared});
    }
#endif
    return true;
}

template <unsigned W, class F> int run(uint32_t grid, uint32_t block, uint32_t shared_bytes, F unit) {
    std::vector<double> shared(shared_bytes / sizeof(double) + GUARD);
    for (uint64_t b = 0; b < grid; ++b) {
        for (double &x : shared) x = GUARD_VALUE;
        if (!run_block<W>(b, block, shared.data(), unit)) return 2;
        for (size_t i = shared.size() - GUARD; i < shared.size(); ++i) {
            if (shared[i] != GUARD_VALUE) return 1;
        }
        for (double x : shared) {
            if (x != 0 && x != GUARD_VALUE) return 3;
        }
    }
    return 0;
}

} // namespace

// Runs only the sampler, with as many lanes as in signing. Draws `pairs` pairs of integers for each
// slot, each pair with two centres and a leaf (dss, ccs). Also writes the position in the bytes of
// the slot's generator after each pair.
extern "C" int FALCON_HOST(sample)(const Batch *batch, uint32_t pairs, const double *centers, const double *leaves,
                                   double *integers, uint64_t *places) {
    using namespace falcon;
    constexpr unsigned W = FALCON_GROUP;
    return run<W>((batch->count * W + WARP - 1) / WARP, WARP, 8 * RING_REALS * WARP / W, [&](Unit unit) {
        const Slot slot = slot_of<W>(*batch, unit);
        if (slot.idle) return;
        Stream<W> stream(*batch, slot.number, slot.exists, in_shared<W>(unit, RING_REALS).base);
        for (uint64_t i = slot.number * pairs; i < (slot.number + 1) * pairs; ++i) {
            const Complex center{{centers[2 * i]}, {centers[2 * i + 1]}};
            const Complex z = sample<W>(stream, center, Leaf{{leaves[2 * i]}, {leaves[2 * i + 1]}});
            if (!slot.exists) continue;
            integers[2 * i] = z.re.v;
            integers[2 * i + 1] = z.im.v;
            places[i] = uint64_t(stream.next - stream.valid) * ROW_LEN + stream.place();
        }
        copies_arrive();
        clear_shared<W>(unit, RING_REALS);
    });
}

// Returns 0, or 1 if the kernel wrote beyond the end of its shared memory, 2 if lanes did not meet
// at an operation, 3 if the kernel left data in shared memory.
#define FALCON_KERNEL(NAME, W, SIGNS, BODY)                                                                                   \
    extern "C" int FALCON_HOST(NAME)(const Batch *batch, uint32_t grid, uint32_t block, uint32_t shared) {             \
        return run<W>(grid, block, shared, [&](falcon::Unit unit) { BODY(*batch, unit); });                            \
    }

FALCON_KERNELS(FALCON_KERNEL)

// The table of kernels, which Rust reads.
struct FalconKernel {
    const char *name;
    int (*launch)(const Batch *, uint32_t, uint32_t, uint32_t);
};

#define FALCON_ENTRY(NAME, W, SIGNS, BODY) {#NAME, FALCON_HOST(NAME)},
static const FalconKernel KERNELS[] = {FALCON_KERNELS(FALCON_ENTRY)};

extern "C" const FalconKernel *FALCON_HOST(kernels)(size_t *count) {
    *count = sizeof KERNELS / sizeof *KERNELS;
    return KERNELS;
}
