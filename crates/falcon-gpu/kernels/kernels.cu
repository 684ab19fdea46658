// The kernels for a GPU. `ptx.sh` compiles this file to `ptx/`, once for each degree.
#include "kernels.h"

// Largest number of threads of a block, as in `src/device/chunk_stream.rs`. A block that signs has
// one warp.
#define FALCON_BLOCK 128
// Number of warps that must fit on a multiprocessor. It bounds the registers of a thread. Twelve
// warps that sign leave 168 registers a thread, so none is spilled; thirteen would leave 128.
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
