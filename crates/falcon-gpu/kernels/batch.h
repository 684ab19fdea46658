// The only parameter of every kernel, passed by value.
//
// `src/kernels.rs` mirrors it field by field; a test compares size and offsets.
//
// Indices of arrays:
//  * job: number of a message in this chunk, 0 .. jobs;
//  * slot: number of a job in this launch, 0 .. count. Slot `i` works on job
//    `list[i]`, or on job `i` if there is no list;
//  * key: number of a resident key. Job `j` uses key `key_of_job[j]`, or key 0
//    if there is no such array: one key shared by all.
//
// Arrays by job stay from launch to launch of a chunk; arrays by slot live for
// one attempt. A pointer that a kernel does not use may be null.
#pragma once

#include <stdint.h>

struct Batch {
    // The messages, as words of 8 bytes. The message of job j begins at byte message_offsets[j],
    // rounded up to a multiple of 8, and ends at byte message_offsets[j + 1].
    const uint64_t *messages;
    const uint64_t *message_offsets;
    // Jobs of this launch, or null.
    const uint32_t *list;
    // Key of each job, or null.
    const uint32_t *key_of_job;

    // 32 bytes: the fresh seed of the batch, from which kernels derive nonces and sampler seeds as
    // falcon-core's `hedge.rs` does. Null if the caller gives them.
    const uint8_t *batch_seed;
    // 32 bytes a key: the hash of the secret key, for hedging.
    const uint8_t *secret_hashes;
    // 40 bytes a job.
    uint8_t *nonces;
    // 14 words a slot, little-endian: the sampler seed of this attempt.
    uint32_t *seeds;
    // prng_rows * 128 words a slot: the sampler's bytes.
    uint32_t *rows;
    // prng_rows * 46 values a slot: the records of the sampler's attempts.
    uint16_t *records;

    // n values a job: hashed points, in [0, q).
    uint16_t *points;
    // n values a job: the short polynomial.
    int16_t *s2;
    // Verifying: signature_stride bytes a job. The signature of job j is the first
    // signature_lengths[j] of them.
    const uint8_t *signatures;
    const uint32_t *signature_lengths;
    // One a job, or one a key in kernels whose unit is a key: see `Status` and `jobs.h`.
    uint8_t *status;
    // Jobs to be tried again, in no particular order.
    uint32_t *redo;
    // Two numbers of this attempt: jobs to be tried again, and jobs that it has signed.
    uint32_t *counts;

    // 4n bytes a key: the coefficients of f, g, F and G.
    const int8_t *bases;
    // key_stride reals a key: the basis in the FFT domain (4n reals). In expanded keys the tree
    // follows, in the order of `hazmat::expanded_reals`.
    double *keys;
    // n values a key: the public polynomial at the roots, as `VerifyingKey::ntt_of_h` returns it.
    // In `prepared` the values are multiplied by 2^16 / n and lie in [1, q], so zeroed memory is
    // never mistaken for a key.
    const uint16_t *public_keys;
    uint16_t *prepared;

    // Working memory for the upper levels, `reals` reals a slot. Real i of slot s is
    // scratch[s / 4 * 4 * reals + i / 8 * 32 + s % 4 * 8 + i % 8]. The number of slots is rounded
    // up to a multiple of 4.
    double *scratch;
    uint64_t key_stride;
    // Number of job 0 in the caller's whole batch.
    uint64_t first;
    // Slots of this launch.
    uint32_t count;
    // Number of attempts before this one.
    uint32_t attempt;
    // Number of rows of 512 bytes a slot, at least 4. `sign` computes further rows itself.
    // 8 * prng_rows * count is at most 2^32.
    uint32_t prng_rows;
    uint32_t signature_stride;
    // Signing: the largest length of a signature in bytes, which is the padded length or the
    // longest compressed length.
    uint32_t signature_limit;
    uint32_t reserved;
};

// Progress of a job; `jobs.h` has the order. Any two values differ in at least four bits, so zeroed
// memory or a flipped bit is never mistaken for progress.
enum Status : uint8_t {
    // No kernel has written a status yet.
    STATUS_NONE = 0x00,
    // The inputs are there. The host writes this value; for encoded signatures, `unpack` does.
    STATUS_GIVEN = 0x0f,
    // The point is hashed.
    STATUS_HASHED = 0x33,
    // Signing: the seed of this attempt is written.
    STATUS_SEEDED = 0x3c,
    // Signing: the sampler's bytes are written.
    STATUS_READY = 0x55,
    // Signing: this attempt found a vector that is short, or one that is not.
    STATUS_SHORT = 0x5a,
    STATUS_LONG = 0x66,
    // Signing: to be tried again with the next seed.
    STATUS_REDO = 0x69,
    // The message is signed, the signature is valid, or the key is transformed or expanded.
    STATUS_DONE = 0xa5,
    // Verifying: the signature is not valid for this message and key.
    STATUS_INVALID = 0xc3,
    // Verifying: the bytes are not an encoded signature.
    STATUS_MALFORMED = 0xcc,
    // Verifying: the values of the key are missing.
    STATUS_UNPREPARED = 0xf0,
};
