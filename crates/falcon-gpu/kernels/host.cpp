// The same kernels for the host, for tests: each is a function that goes through
// the blocks and groups of a launch one after the other.
#include "kernels.h"

#include <vector>

// The variants that are compiled beside the kernels as they are have names of
// their own.
#ifdef FALCON_VARIANT
#define FALCON_HOST(NAME) falcon_host_variant_##NAME
#else
#define FALCON_HOST(NAME) falcon_host_##NAME
#endif

thread_local bool falcon::backwards = false;

extern "C" void FALCON_HOST(set_backwards)(bool backwards) { falcon::backwards = backwards; }

// Size and some offsets, for the mirror in Rust.
extern "C" size_t FALCON_HOST(batch_layout)(int what) {
    switch (what) {
    case 0: return sizeof(Batch);
    case 1: return offsetof(Batch, redo_count);
    case 2: return offsetof(Batch, scratch);
    case 3: return offsetof(Batch, first);
    case 4: return offsetof(Batch, count);
    default: return offsetof(Batch, signature_limit);
    }
}

// The sampler's filter and what it foretells, for the test of its margin.
extern "C" double FALCON_HOST(estimate)(double r, double dss, double ccs, int32_t z0, int32_t z) {
    return falcon::Filter({{dss}, {ccs}}).estimate(float(z), float(z0), float(r));
}
extern "C" uint32_t FALCON_HOST(verdict)(double r, double dss, double ccs, int32_t z0, int32_t z, uint32_t w) {
    return falcon::Filter({{dss}, {ccs}}).verdict(float(z), float(z0), float(r), float(w));
}
extern "C" uint64_t FALCON_HOST(threshold)(double r, double dss, double ccs, int32_t z0, int32_t z) {
    using falcon::Real;
    return falcon::threshold(falcon::exponent(z, z0, Real{r}, Real{dss}), Real{ccs});
}

namespace {

// What is behind the shared memory of a block; no kernel may write there.
constexpr size_t GUARD = 16;
constexpr double GUARD_VALUE = -0x1.5p-1000;

template <unsigned W, class F> int run(uint32_t grid, uint32_t block, uint32_t shared_bytes, F unit) {
    std::vector<double> shared(shared_bytes / sizeof(double) + GUARD);
    for (uint64_t b = 0; b < grid; ++b) {
        for (double &x : shared) x = GUARD_VALUE;
        for (uint32_t group = 0; group < block / W; ++group) {
            unit(falcon::Unit{(b * block) / W + group, group, shared.data()});
        }
        for (size_t i = shared.size() - GUARD; i < shared.size(); ++i) {
            if (shared[i] != GUARD_VALUE) return 1;
        }
    }
    return 0;
}

} // namespace

// 0, or 1 if the kernel wrote behind its shared memory.
#define FALCON_KERNEL(NAME, W, BODY)                                                                                   \
    extern "C" int FALCON_HOST(NAME)(const Batch *batch, uint32_t grid, uint32_t block, uint32_t shared) {             \
        return run<W>(grid, block, shared, [&](falcon::Unit unit) { BODY(*batch, unit); });                            \
    }

FALCON_KERNELS(FALCON_KERNEL)

// Names and functions, for the table in Rust.
struct FalconKernel {
    const char *name;
    int (*launch)(const Batch *, uint32_t, uint32_t, uint32_t);
};

#define FALCON_ENTRY(NAME, W, BODY) {#NAME, FALCON_HOST(NAME)},
static const FalconKernel KERNELS[] = {FALCON_KERNELS(FALCON_ENTRY)};

extern "C" const FalconKernel *FALCON_HOST(kernels)(size_t *count) {
    *count = sizeof KERNELS / sizeof *KERNELS;
    return KERNELS;
}
