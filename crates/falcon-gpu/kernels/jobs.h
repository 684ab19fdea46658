// Which job a slot works on, with which key, and how far the job has come.
//
// The kernels of a chunk are a chain: `status` says of each job which stage it has reached,
// and a kernel takes a job one stage further only from the stage that the kernel before it
// leaves. So a launch that did nothing, or only its first blocks, stops its jobs
// where they were; what comes after it leaves them there, and the host accepts none
// but the last stages.
//
//   signing    GIVEN -> hash -> HASHED -> seed -> SEEDED -> prng -> READY -> sign ->
//              SHORT or LONG -> accept -> DONE or REDO -> seed -> ...
//              (prng takes what seed would, if seeds are given)
//   verifying  NONE -> unpack -> GIVEN or MALFORMED; GIVEN -> hash -> HASHED -> verify ->
//              DONE or INVALID, or UNPREPARED if prepare did not do its part
//
// What an earlier chunk or batch has left in the same memory passes for nothing: the host
// writes all statuses of a chunk anew, and there is no other stage to begin at. Nor does
// what an earlier attempt has left: every kernel of an attempt moves a job away from the
// stage that it looks for, accept alone writes REDO, and counts only what it moves.
#pragma once

#include "batch.h"
#include "platform.h"

namespace falcon {

// Values of 16 bits that one thread writes in their order, eight at a time: a store of a few
// bytes would cost as much memory traffic as one of 32.
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
