// Runs all kernels under the compiler's sanitizers: addresses and undefined behaviour (shifts,
// overflows, conversions, alignment). `.ci/run sanitizer` builds and runs it, with lanes one after
// the other, and as fibers. The bases are random, not those of keys, so values leave their usual
// range. Every mode and build must still compute the same vectors.
#include "serial.h"

#include <stdio.h>

namespace {

using falcon::Unit;
constexpr unsigned LANES = FALCON_GROUP;

// A deterministic generator (splitmix64).
struct Random {
    uint64_t state = 1;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    template <class T> std::vector<T> list(size_t length, uint64_t below = 0) {
        std::vector<T> out(length);
        for (T &x : out) x = T(below ? next() % below : next());
        return out;
    }
};

template <unsigned W, class F> void launch(uint32_t units, F kernel) {
    constexpr uint32_t BLOCK = falcon::WARP;
    if (run<W>((units * W + BLOCK - 1) / BLOCK, BLOCK, 8 << 10 << 3, kernel) != 0) abort();
}

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
    constexpr unsigned N = 1u << LOGN, JOBS = 5, KEYS = 3, ROWS = 4;
    constexpr unsigned KEY_LEN = (LOGN + 6) * N, STRIDE = 1500;
    Random random;
    const auto messages = random.list<uint64_t>(2000 / 8);
    const std::vector<uint64_t> offsets = {0, 0, 1, 300, 1203, 2000};
    const auto key_of_job = random.list<uint32_t>(JOBS, KEYS);
    const auto batch_seed = random.list<uint64_t>(4), secrets = random.list<uint64_t>(4 * KEYS);
    // About as long as the basis of a key, so that some of the sampler's attempts succeed.
    std::vector<int8_t> bases = random.list<int8_t>(4 * N * KEYS, 15);
    for (int8_t &x : bases) x = int8_t(x - 7);
    const auto public_keys = random.list<uint16_t>(N * KEYS, falcon::Q);
    std::vector<uint64_t> nonces(5 * JOBS);
    std::vector<uint32_t> seeds(14 * JOBS), rows(128 * ROWS * JOBS), lengths(JOBS), redo(JOBS), counts(2);
    std::vector<uint16_t> points(N * JOBS), prepared(N * KEYS), records(46 * ROWS * JOBS);
    std::vector<int16_t> s2(N * JOBS), first;
    std::vector<uint8_t> signatures(STRIDE * JOBS), status(JOBS);
    std::vector<double> keys(KEY_LEN * KEYS), scratch(8 * N * 32);

    Batch batch{};
    batch.messages = messages.data();
    batch.message_offsets = offsets.data();
    batch.key_of_job = key_of_job.data();
    batch.batch_seed = reinterpret_cast<const uint8_t *>(batch_seed.data());
    batch.secret_hashes = reinterpret_cast<const uint8_t *>(secrets.data());
    batch.nonces = reinterpret_cast<uint8_t *>(nonces.data());
    batch.seeds = seeds.data();
    batch.rows = rows.data();
    batch.records = records.data();
    batch.points = points.data();
    batch.s2 = s2.data();
    batch.signatures = signatures.data();
    batch.signature_lengths = lengths.data();
    batch.status = status.data();
    batch.redo = redo.data();
    batch.counts = counts.data();
    batch.bases = bases.data();
    batch.keys = keys.data();
    batch.public_keys = public_keys.data();
    batch.prepared = prepared.data();
    batch.key_stride = KEY_LEN;
    batch.first = ~uint64_t(0) - 1;
    batch.prng_rows = ROWS;
    batch.signature_stride = STRIDE;
    batch.signature_limit = STRIDE;

    batch.scratch = scratch.data();
    std::vector<uint8_t> key_status(KEYS);
    batch.status = key_status.data();
    batch.count = KEYS;
    launch<32>(KEYS, [&](Unit unit) { falcon::basis<LOGN, 32>(batch, unit); });
    launch<32>(KEYS, [&](Unit unit) { falcon::expand<LOGN, 32>(batch, unit); });
    launch<32>(KEYS, [&](Unit unit) { falcon::prepare<LOGN, 32>(batch, unit); });

    batch.status = status.data();
    batch.count = JOBS;
    bool agree = true;
    const auto all_at = [&](std::initializer_list<Status> stages) {
        for (uint8_t x : status) {
            bool one = false;
            for (Status stage : stages) one = one || x == stage;
            agree = agree && one;
        }
    };
    for (unsigned way = 0; way < 3; ++way) {
        counts = {0, 0};
        status.assign(JOBS, STATUS_GIVEN);
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
            const int16_t s = s2[N * job + i] = int16_t(int64_t(random.next() % 401) - 200);
            put(s < 0, 1);
            put(falcon::magnitude_of(s) & 127, 7);
            put(1, 1 + (falcon::magnitude_of(s) >> 7));
        }
        lengths[job] = (bit + 7) / 8;
        if (lengths[job] < falcon::Parameters<LOGN>::PADDED_LEN) lengths[job] = falcon::Parameters<LOGN>::PADDED_LEN;
    }
    status.assign(JOBS, STATUS_SHORT);
    launch<32>(JOBS, [&](Unit unit) { falcon::accept<LOGN, 32>(batch, unit); });
    all_at({STATUS_DONE});
    const std::vector<int16_t> encoded = s2;
    batch.batch_seed = nullptr;
    for (unsigned round = 0; round < 50; ++round) {
        status.assign(JOBS, STATUS_NONE);
        launch<1>(JOBS, [&](Unit unit) { falcon::unpack<LOGN>(batch, unit); });
        if (round == 0) agree = agree && s2 == encoded;
        launch<1>(JOBS, [&](Unit unit) { falcon::hash<LOGN>(batch, unit); });
        launch<32>(JOBS, [&](Unit unit) { falcon::verify<LOGN, 32>(batch, unit); });
        all_at({STATUS_INVALID, STATUS_MALFORMED});
        for (unsigned j = 0; j < JOBS; ++j) {
            for (unsigned i = 0; i < 4; ++i) signatures[STRIDE * j + random.next() % STRIDE] ^= uint8_t(random.next());
            lengths[j] = uint32_t(round % 3 == 0 ? random.next() % (2 * STRIDE) : lengths[j]);
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
