// Jobs with random keys, for programs that run all kernels on the host. The bases are random, not
// those of keys, so values leave their usual range.
#pragma once

#include "../kernels/host.cpp"

namespace jobs {

using falcon::Unit;

// A deterministic generator (splitmix64).
struct Random {
    uint64_t state = 1;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    double unit() { return double(next() >> 11) * 0x1p-53; }
    bool chance(double p) { return unit() < p; }
    template <class T> std::vector<T> list(size_t length, uint64_t below = 0) {
        std::vector<T> out(length);
        for (T &x : out) x = T(below ? next() % below : next());
        return out;
    }
};

// Runs a kernel for `units` units of `W` lanes.
template <unsigned W, class F> void launch(uint32_t units, F kernel) {
    constexpr uint32_t BLOCK = falcon::WARP;
    if (run<W>((units * W + BLOCK - 1) / BLOCK, BLOCK, 8 << 10 << 3, kernel) != 0) abort();
}

// The memory of a batch of JOBS jobs with KEYS keys of degree 2^LOGN.
template <unsigned LOGN, unsigned JOBS = 5> struct Jobs {
    static constexpr unsigned N = 1u << LOGN, KEYS = 3, ROWS = 4;
    static constexpr unsigned KEY_LEN = (LOGN + 6) * N, STRIDE = 1500;
    Random random;
    std::vector<uint64_t> messages = random.list<uint64_t>(2000 / 8);
    std::vector<uint64_t> offsets = {0, 0, 1, 300, 1203, 2000};
    std::vector<uint32_t> key_of_job = random.list<uint32_t>(JOBS, KEYS);
    std::vector<uint64_t> batch_seed = random.list<uint64_t>(4), secrets = random.list<uint64_t>(4 * KEYS);
    // About as long as the basis of a key, so that some of the sampler's attempts succeed.
    std::vector<int8_t> bases = random.list<int8_t>(4 * N * KEYS, 15);
    std::vector<uint16_t> public_keys = random.list<uint16_t>(N * KEYS, falcon::Q);
    std::vector<uint64_t> nonces = std::vector<uint64_t>(5 * JOBS);
    std::vector<uint32_t> seeds = std::vector<uint32_t>(14 * JOBS), rows = std::vector<uint32_t>(128 * ROWS * JOBS);
    std::vector<uint32_t> lengths = std::vector<uint32_t>(JOBS), redo = std::vector<uint32_t>(JOBS);
    std::vector<uint32_t> counts = std::vector<uint32_t>(2);
    std::vector<uint16_t> points = std::vector<uint16_t>(N * JOBS), prepared = std::vector<uint16_t>(N * KEYS);
    std::vector<uint16_t> records = std::vector<uint16_t>(46 * ROWS * JOBS);
    std::vector<int16_t> s2 = std::vector<int16_t>(N * JOBS);
    std::vector<uint8_t> signatures = std::vector<uint8_t>(STRIDE * JOBS);
    std::vector<uint8_t> status = std::vector<uint8_t>(JOBS), key_status = std::vector<uint8_t>(KEYS);
    std::vector<double> keys = std::vector<double>(KEY_LEN * KEYS), scratch = std::vector<double>(8 * N * 32);
    Batch batch{};

    Jobs() {
        static_assert(JOBS < 6, "there are five messages");
        for (int8_t &x : bases) x = int8_t(x - 7);
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
        batch.redo = redo.data();
        batch.counts = counts.data();
        batch.bases = bases.data();
        batch.keys = keys.data();
        batch.public_keys = public_keys.data();
        batch.prepared = prepared.data();
        batch.scratch = scratch.data();
        batch.key_stride = KEY_LEN;
        batch.first = ~uint64_t(0) - 1;
        batch.prng_rows = ROWS;
        batch.signature_stride = STRIDE;
        batch.signature_limit = STRIDE;
    }

    // Makes the keys the units of the next launches, or the jobs, which then have the status
    // `stage`.
    void take_keys() {
        batch.status = key_status.data();
        batch.count = KEYS;
    }
    void take_jobs(Status stage) {
        status.assign(JOBS, stage);
        batch.status = status.data();
        batch.count = JOBS;
    }
};

} // namespace jobs
