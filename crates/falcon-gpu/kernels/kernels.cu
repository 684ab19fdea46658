// The kernels for a GPU: `ptx/` has what the compiler makes of this file.
#include "kernels.h"

// Threads of a block at most, as `src/device/chunk_stream.rs` launches them; a warp where it signs.
#define FALCON_BLOCK 128
// Warps that a multiprocessor shall hold, which bounds the registers of each. Twelve that sign
// leave 168 registers a thread, so that none is spilled; with thirteen it would be 128.
#ifndef FALCON_WARPS
#define FALCON_WARPS 16
#endif
#ifndef FALCON_SIGNING_WARPS
#define FALCON_SIGNING_WARPS 12
#endif
template <bool SIGNS> constexpr unsigned THREADS = SIGNS ? 32 : FALCON_BLOCK;
template <bool SIGNS> constexpr unsigned BLOCKS = SIGNS ? FALCON_SIGNING_WARPS : FALCON_WARPS * 32 / FALCON_BLOCK;

extern __shared__ double falcon_shared[];

#define FALCON_KERNEL(NAME, W, SIGNS, BODY)                                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS<SIGNS>, BLOCKS<SIGNS>) NAME(const Batch batch) {             \
        const uint64_t thread = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;                                       \
        BODY(batch, falcon::Unit{thread / (W), threadIdx.x / (W), falcon_shared});                                     \
    }

FALCON_KERNELS(FALCON_KERNEL)
