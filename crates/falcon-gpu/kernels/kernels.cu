// The kernels for a GPU: `ptx/` has what the compiler makes of this file.
#include "kernels.h"

// Threads of a block at most: what `src/device/lane.rs` launches.
#define FALCON_BLOCK 128
// Blocks that a multiprocessor shall hold: 128 registers a thread. More would be used
// by the signer for a few temporaries of the FFT; that many warps hide more latency
// than these spills cost.
#ifndef FALCON_BLOCKS
#define FALCON_BLOCKS 4
#endif

extern __shared__ double falcon_shared[];

#define FALCON_KERNEL(NAME, W, BODY)                                                                                   \
    extern "C" __global__ void __launch_bounds__(FALCON_BLOCK, FALCON_BLOCKS) NAME(const Batch batch) {                \
        const uint64_t thread = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;                                       \
        BODY(batch, falcon::Unit{thread / (W), threadIdx.x / (W), falcon_shared});                                     \
    }

FALCON_KERNELS(FALCON_KERNEL)
