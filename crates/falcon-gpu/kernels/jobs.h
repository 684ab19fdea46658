// Which job a slot works on, with which key, and how far the job has come.
//
// The kernels of a chunk are a chain. `status` holds the stage that each job has reached. A kernel
// works on a job only if the job is at the stage in which the kernel before leaves it. If a launch
// does nothing, or runs only its first blocks, the other jobs stay at their stage. Later kernels
// skip them, and the host accepts only the last stages.
//
//   signing    GIVEN -> hash -> HASHED -> seed -> SEEDED -> prng -> READY -> sign ->
//              SHORT or LONG -> accept -> DONE or REDO -> seed -> ...
//              (if the caller gives seeds, seed does not run, and prng takes HASHED or REDO)
//   verifying  NONE -> unpack -> GIVEN or MALFORMED; GIVEN -> hash -> HASHED -> verify ->
//              DONE or INVALID, or UNPREPARED if prepare has not written the key
//
// Data that an earlier chunk or batch left in the same memory are never taken for results, because
// the host first writes the statuses of all jobs of a chunk. Nor are data of an earlier attempt: a
// kernel moves its jobs to another stage, or the batch fails. Only accept writes REDO, and it
// counts only jobs that it moves.
#pragma once

#include "batch.h"
#include "platform.h"

namespace falcon {

// Writes 16-bit values of one thread in order, eight in one store. A store of a few bytes costs as
// much memory traffic as one of 32 bytes.
struct Eights {
    uint16_t *to;
    unsigned count = 0;
    uint64_t low = 0, high = 0;

    FALCON_DEVICE explicit Eights(uint16_t *to) : to(to) {}
    FALCON_DEVICE void put(uint16_t x) {
        low = low >> 16 | high << 48;
        high = high >> 16 | uint64_t(x) << 48;
        count += 1;
        if (count % 8 == 0) store(to + count - 8, low, high);
    }
};

FALCON_DEVICE uint64_t job_of(const Batch &batch, uint64_t slot) { return batch.list ? read(batch.list + slot) : slot; }

FALCON_DEVICE uint64_t key_of(const Batch &batch, uint64_t job) {
    return batch.key_of_job ? read(batch.key_of_job + job) : 0;
}

FALCON_DEVICE bool stands_at(const Batch &batch, uint64_t job, Status stage) { return batch.status[job] == stage; }

// The stage from which an attempt begins.
FALCON_DEVICE Status before_attempt(const Batch &batch) { return batch.attempt == 0 ? STATUS_HASHED : STATUS_REDO; }

} // namespace falcon
