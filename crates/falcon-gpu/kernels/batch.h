// What a kernel is told: one structure, passed by value.
//
// `src/kernels.rs` mirrors it field by field; a test compares size and offsets.
//
// Numbers that index arrays:
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
    // The bytes of the messages, in words: job j's begin at message_offsets[j], rounded up to
    // a multiple of 8, and end at message_offsets[j + 1].
    const uint64_t *messages;
    const uint64_t *message_offsets;
    // Jobs of this launch, or null.
    const uint32_t *list;
    // Key of each job, or null.
    const uint32_t *key_of_job;

    // 32 bytes: the fresh seed of a batch whose nonces and sampler seeds are
    // derived here, as falcon-core's `hedge.rs` does. Null if they are given.
    const uint8_t *batch_seed;
    // 32 bytes a key: the hash of the secret, for hedging.
    const uint8_t *secret_hashes;
    // 40 bytes a job.
    uint8_t *nonces;
    // 14 words a slot: the seed of this attempt's generator, little-endian.
    uint32_t *seeds;
    // prng_rows * 128 words a slot: the sampler's bytes.
    uint32_t *rows;
    // prng_rows * 46 values a slot: what their attempts say.
    uint16_t *records;

    // n values a job: hashed points, in [0, q).
    uint16_t *points;
    // n values a job: the short polynomial.
    int16_t *s2;
    // Verifying: signature_stride bytes a job, of which signature_lengths count.
    const uint8_t *signatures;
    const uint32_t *signature_lengths;
    // One a job, or, where slots are keys, one a key: see `Status` and `jobs.h`.
    uint8_t *status;
    // Jobs to be tried again, in no order.
    uint32_t *redo;
    // How many jobs are to be tried again, and how many are done.
    uint32_t *counts;

    // 4n bytes a key: f, g, F, G.
    const int8_t *bases;
    // key_stride reals a key: the basis in the FFT domain (4n), then, of
    // expanded keys, the tree: what `hazmat::expanded_reals` has.
    double *keys;
    // n values a key, of the public polynomial at the roots: as `VerifyingKey::ntt_of_h` has
    // them, and times 2^16 / n. The latter are in [1, q]: memory that was zeroed holds none.
    const uint16_t *public_keys;
    uint16_t *prepared;

    // Reals of working memory of the upper levels: real i of slot s is
    // scratch[s / 4 * 4 * reals + i / 8 * 32 + s % 4 * 8 + i % 8], and slots are counted up to a
    // multiple of 4.
    double *scratch;
    uint64_t key_stride;
    // Number of job 0 in the caller's whole batch.
    uint64_t first;
    // Slots of this launch.
    uint32_t count;
    // Attempts before this one.
    uint32_t attempt;
    // Rows of 512 bytes a slot, at least 4. What is missing is computed by
    // the signer itself. 8 * prng_rows * count is below 2^32.
    uint32_t prng_rows;
    uint32_t signature_stride;
    // Signing: bytes that a signature may have, the padded length or as many as there
    // can be.
    uint32_t signature_limit;
    uint32_t reserved;
};

// How far a job has come: `jobs.h` has the order. Any two differ in four bits at least, so
// that memory that was zeroed, and a bit that flips, say nothing.
enum Status : uint8_t {
    // Nothing has been said yet.
    STATUS_NONE = 0x00,
    // Its message is there, and what else is claimed or given.
    STATUS_GIVEN = 0x0f,
    // Its point is there.
    STATUS_HASHED = 0x33,
    // Signing: the seed of this attempt is there.
    STATUS_SEEDED = 0x3c,
    // Signing: the sampler's bytes are there.
    STATUS_READY = 0x55,
    // Signing: a vector was found that is short; one that is not.
    STATUS_SHORT = 0x5a,
    STATUS_LONG = 0x66,
    // Signing: to be tried again with the next seed.
    STATUS_REDO = 0x69,
    // Signed; or valid; or, of a key, expanded.
    STATUS_DONE = 0xa5,
    // Verifying: not a signature of this message under this key.
    STATUS_INVALID = 0xc3,
    // Verifying: not the bytes of a signature.
    STATUS_MALFORMED = 0xcc,
    // Verifying: the values of the key are not there.
    STATUS_UNPREPARED = 0xf0,
};
