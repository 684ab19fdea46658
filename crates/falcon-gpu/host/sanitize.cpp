// Runs all kernels under the compiler's sanitizers: addresses and undefined behaviour (shifts,
// overflows, conversions, alignment). `.ci/run sanitizer` builds and runs it, with lanes one after
// the other, and as fibers. Every mode and build must compute the same vectors.
#include "serial.h"

#include <stdio.h>

namespace {

using jobs::Jobs, jobs::launch, falcon::Unit;
constexpr unsigned LANES = FALCON_GROUP;

// Checksum of a vector, to compare what the builds compute.
uint64_t checksum(const std::vector<int16_t> &x) {
    uint64_t h = 0;
    for (int16_t v : x) h = h * 1000003 + uint16_t(v);
    return h;
}
template <unsigned LOGN> struct Expected;
template <> struct Expected<9> {
    static constexpr uint64_t CHECKSUM = 0x9c6f87c5697a8067;
};
template <> struct Expected<10> {
    static constexpr uint64_t CHECKSUM = 0xdbef7ae546335437;
};

// Runs every kernel of a degree. Returns true if all ways to sign agree and all statuses are as
// expected.
template <unsigned LOGN> bool run_all() {
    Jobs<LOGN> jobs;
    constexpr unsigned N = jobs.N, JOBS = 5, KEYS = jobs.KEYS, ROWS = jobs.ROWS, STRIDE = jobs.STRIDE;
    Batch &batch = jobs.batch;
    std::vector<uint8_t> &status = jobs.status, &signatures = jobs.signatures;
    std::vector<int16_t> &s2 = jobs.s2, first;
    jobs.take_keys();
    launch<32>(KEYS, [&](Unit unit) { falcon::basis<LOGN, 32>(batch, unit); });
    launch<32>(KEYS, [&](Unit unit) { falcon::expand<LOGN, 32>(batch, unit); });
    launch<32>(KEYS, [&](Unit unit) { falcon::prepare<LOGN, 32>(batch, unit); });

    bool agree = true;
    const auto all_at = [&](std::initializer_list<Status> stages) {
        for (uint8_t x : status) {
            bool one = false;
            for (Status stage : stages) one = one || x == stage;
            agree = agree && one;
        }
    };
    for (unsigned way = 0; way < 3; ++way) {
        jobs.counts = {0, 0};
        jobs.take_jobs(STATUS_GIVEN);
        launch<1>(JOBS, [&](Unit unit) { falcon::hash<LOGN>(batch, unit); });
        launch<1>(JOBS, [&](Unit unit) { falcon::seed<LOGN>(batch, unit); });
        launch<8>(ROWS * JOBS, [&](Unit unit) { falcon::prng(batch, unit); });
        switch (way) {
        case 0: launch<LANES>(JOBS, [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::RAW>(batch, unit); }); break;
        case 1: launch<LANES>(JOBS, [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::BALANCED>(batch, unit); }); break;
        default: launch<LANES>(JOBS, [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::EXPANDED>(batch, unit); });
        }
        all_at({STATUS_SHORT, STATUS_LONG});
        if (way == 0) first = s2;
        const uint64_t sum = checksum(s2);
        if (sum != Expected<LOGN>::CHECKSUM)
            printf("signatures of degree %u have checksum 0x%016llx\n", N, (unsigned long long)sum);
        agree = agree && s2 == first && sum == Expected<LOGN>::CHECKSUM;
        launch<32>(JOBS, [&](Unit unit) { falcon::accept<LOGN, 32>(batch, unit); });
        all_at({STATUS_DONE, STATUS_REDO});
    }

    // Vectors as short as those of signatures, their encodings, and bytes that are not a signature.
    for (unsigned job = 0; job < JOBS; ++job) {
        uint8_t *bytes = signatures.data() + STRIDE * job;
        bytes[0] = falcon::header<LOGN>();
        unsigned bit = 8 * falcon::BODY;
        const auto put = [&](unsigned x, unsigned count) {
            for (; count-- > 0; ++bit) bytes[bit / 8] |= uint8_t((x >> count & 1) << (7 - bit % 8));
        };
        for (unsigned i = 0; i < N; ++i) {
            const int16_t s = s2[N * job + i] = int16_t(int64_t(jobs.random.next() % 401) - 200);
            put(s < 0, 1);
            put(falcon::magnitude_of(s) & 127, 7);
            put(1, 1 + (falcon::magnitude_of(s) >> 7));
        }
        jobs.lengths[job] = (bit + 7) / 8;
        if (jobs.lengths[job] < falcon::Parameters<LOGN>::PADDED_LEN) jobs.lengths[job] = falcon::Parameters<LOGN>::PADDED_LEN;
    }
    jobs.take_jobs(STATUS_SHORT);
    launch<32>(JOBS, [&](Unit unit) { falcon::accept<LOGN, 32>(batch, unit); });
    all_at({STATUS_DONE});
    const std::vector<int16_t> encoded = s2;
    batch.batch_seed = nullptr;
    for (unsigned round = 0; round < 50; ++round) {
        jobs.take_jobs(STATUS_NONE);
        launch<1>(JOBS, [&](Unit unit) { falcon::unpack<LOGN>(batch, unit); });
        if (round == 0) agree = agree && s2 == encoded;
        launch<1>(JOBS, [&](Unit unit) { falcon::hash<LOGN>(batch, unit); });
        launch<32>(JOBS, [&](Unit unit) { falcon::verify<LOGN, 32>(batch, unit); });
        all_at({STATUS_INVALID, STATUS_MALFORMED});
        for (unsigned j = 0; j < JOBS; ++j) {
            for (unsigned i = 0; i < 4; ++i) signatures[STRIDE * j + jobs.random.next() % STRIDE] ^= uint8_t(jobs.random.next());
            jobs.lengths[j] = uint32_t(round % 3 == 0 ? jobs.random.next() % (2 * STRIDE) : jobs.lengths[j]);
        }
    }
    return agree;
}

} // namespace

int main() {
    for (bool backwards : {false, true}) {
#ifdef FALCON_EMULATE
        emulate::order = backwards;
#else
        falcon::backwards = backwards;
#endif
#ifdef FALCON_EMULATE
        constexpr unsigned SEEDS = 12;
#else
        constexpr unsigned SEEDS = 60;
#endif
        for (uint64_t seed = 0; seed < SEEDS; ++seed) {
            // `tie` ranges from unmodified bytes to rows in which most trials tie.
            const double tie = std::initializer_list<double>{0, 0.03, 0.2, 0.5}.begin()[seed % 4];
            if (!serial::agrees(seed, tie)) {
                printf("the sampler is not the serial loop's: seed %u\n", unsigned(seed));
                return 1;
            }
        }
        if (!run_all<9>() || !run_all<10>()) {
            puts("kernels disagree");
            return 1;
        }
    }
    puts("kernels agree");
    return 0;
}
