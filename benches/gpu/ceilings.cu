// Measures the highest rates at which a device does the basic operations of the kernels. These
// kernels have the same parameter as the others: `count` threads run `attempt` rounds each. A
// thread writes a result to `scratch`, so that the compiler does not remove the work.
#include "batch.h"
#include "chacha.h"
#include "keccak.h"

namespace {

__device__ uint64_t thread_index() { return uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

} // namespace

// Eight products and eight sums of binary64 a round, in eight chains.
extern "C" __global__ void ceiling_f64(const Batch batch) {
    const uint64_t thread = thread_index();
    if (thread >= batch.count) return;
    double x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = double(thread + i);
    for (uint32_t round = 0; round < batch.attempt; ++round) {
#pragma unroll
        for (int i = 0; i < 8; ++i) x[i] = __dadd_rn(__dmul_rn(x[i], 0.999), 1.0);
    }
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += x[i];
    batch.scratch[thread] = sum;
}

// Eight 32-bit products with a sum a round, in eight chains. Each is one instruction; with 64-bit
// sums the compilers would make two.
extern "C" __global__ void ceiling_imad(const Batch batch) {
    const uint64_t thread = thread_index();
    if (thread >= batch.count) return;
    uint32_t x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = uint32_t(thread) + i;
    const uint32_t factor = 2 * uint32_t(thread) + 1, more = batch.count;
    for (uint32_t round = 0; round < batch.attempt; ++round) {
#pragma unroll
        for (int i = 0; i < 8; ++i) x[i] = x[i] * factor + more;
    }
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum ^= x[i];
    batch.scratch[thread] = double(sum);
}

// One permutation of Keccak a round.
extern "C" __global__ void ceiling_keccak(const Batch batch) {
    const uint64_t thread = thread_index();
    if (thread >= batch.count) return;
    falcon::Keccak state;
#pragma unroll
    for (int i = 0; i < 25; ++i) state.a[i] = thread + i;
    for (uint32_t round = 0; round < batch.attempt; ++round) state.permute();
    batch.scratch[thread] = double(state.a[0]);
}

// One block of ChaCha20 a round.
extern "C" __global__ void ceiling_chacha(const Batch batch) {
    const uint64_t thread = thread_index();
    if (thread >= batch.count) return;
    uint32_t seed[falcon::SEED_WORDS], row[falcon::ROW_WORDS], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < falcon::SEED_WORDS; ++i) seed[i] = uint32_t(thread) + i;
    for (uint32_t round = 0; round < batch.attempt; ++round) {
        falcon::write_block(seed, round, 0, row);
#pragma unroll
        for (unsigned i = 0; i < 16; ++i) sum ^= row[falcon::ROW_BLOCKS * i];
    }
    batch.scratch[thread] = double(sum);
}

// A thread reads and writes 16 bytes a round, next to those of its neighbours.
extern "C" __global__ void ceiling_copy(const Batch batch) {
    const uint64_t thread = thread_index(), half = uint64_t(batch.count) * batch.attempt;
    if (thread >= batch.count) return;
    const double2 *from = reinterpret_cast<const double2 *>(batch.scratch);
    double2 *to = reinterpret_cast<double2 *>(batch.scratch) + half;
    for (uint32_t round = 0; round < batch.attempt; ++round) {
        const uint64_t place = uint64_t(round) * batch.count + thread;
        to[place] = from[place];
    }
}
