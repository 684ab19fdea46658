// The kernels for a GPU: `ptx/` has what the compiler makes of this file.
#include "kernels.h"

extern __shared__ double falcon_shared[];

#define FALCON_KERNEL(NAME, W, BODY)                                                                                   \
    extern "C" __global__ void NAME(const Batch batch) {                                                               \
        const uint64_t thread = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;                                       \
        BODY(batch, falcon::Unit{thread / (W), threadIdx.x / (W), falcon_shared});                                     \
    }

FALCON_KERNELS(FALCON_KERNEL)
