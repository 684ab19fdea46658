// Runs all kernels that sign, with every secret marked as undefined, under Valgrind's Memcheck.
// Memcheck reports each branch and each address that depends on a secret, unless the kernel has
// revealed the value. `constant_time.py` builds and runs this program. With the number of a planted
// leak as its argument, it runs only degree 512 with this leak; with 0, without any.
//
// Secrets are the seed of the batch, the hashes of the secret keys, and the bases. Everything that
// kernels compute from them is secret, too. Public are messages, the numbers of keys, and the nonces
// that `hash` derives.
//
// The exit status is 0 if no kernel leaks and what must be secret is secret, or if the planted leak
// was reported. It is 1 if not, and 2 without Valgrind.
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>

namespace {

using jobs::Jobs, jobs::launch, falcon::Unit;
constexpr unsigned LANES = FALCON_GROUP;

bool failed = false;

// Runs a kernel, and fails if Memcheck has reported something in it.
template <unsigned W, class F> void check(const char *kernel, unsigned degree, uint32_t units, F run) {
    const unsigned before = VALGRIND_COUNT_ERRORS;
    launch<W>(units, run);
    const unsigned reports = VALGRIND_COUNT_ERRORS - before;
    printf("%s %u, %s: %u reports\n", reports ? "LEAKS " : "silent", degree, kernel, reports);
    failed = failed || reports != 0;
}

// Fails unless the values are secret: otherwise Memcheck would not see what depends on them.
template <class T> void expect_secret(const char *what, const std::vector<T> &values, size_t count) {
    if (secrets::are_secret(values.data(), count)) return;
    printf("NOT SECRET: %s\n", what);
    failed = true;
}

template <unsigned LOGN> void check_all() {
    constexpr unsigned N = 1u << LOGN, COUNT = 2;
    Jobs<LOGN, COUNT> jobs;
    Batch &batch = jobs.batch;
    constexpr unsigned KEYS = jobs.KEYS, ROWS = jobs.ROWS;
    secrets::mark_secret(jobs.batch_seed.data(), jobs.batch_seed.size());
    secrets::mark_secret(jobs.secrets.data(), jobs.secrets.size());
    secrets::mark_secret(jobs.bases.data(), jobs.bases.size());
    expect_secret("batch seed", jobs.batch_seed, jobs.batch_seed.size());
    expect_secret("hashes of keys", jobs.secrets, jobs.secrets.size());
    expect_secret("bases", jobs.bases, jobs.bases.size());

    jobs.take_keys();
    check<32>("basis", N, KEYS, [&](Unit unit) { falcon::basis<LOGN, 32>(batch, unit); });
    check<32>("expand", N, KEYS, [&](Unit unit) { falcon::expand<LOGN, 32>(batch, unit); });
    expect_secret("expanded keys", jobs.keys, jobs.keys.size());

    const auto attempt = [&](const char *kernel, auto sign) {
        jobs.counts = {0, 0};
        jobs.take_jobs(STATUS_GIVEN);
        check<1>("hash", N, COUNT, [&](Unit unit) { falcon::hash<LOGN>(batch, unit); });
        check<1>("seed", N, COUNT, [&](Unit unit) { falcon::seed<LOGN>(batch, unit); });
        expect_secret("sampler seeds", jobs.seeds, jobs.seeds.size());
        check<8>("prng", N, ROWS * COUNT, [&](Unit unit) { falcon::prng(batch, unit); });
        expect_secret("the sampler's bytes", jobs.rows, jobs.rows.size());
        check<LANES>(kernel, N, COUNT, sign);
        expect_secret("vectors", jobs.s2, jobs.s2.size());
        check<32>("accept", N, COUNT, [&](Unit unit) { falcon::accept<LOGN, 32>(batch, unit); });
    };
    attempt("sign, raw", [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::RAW>(batch, unit); });
    attempt("sign, balanced", [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::BALANCED>(batch, unit); });
    attempt("sign, expanded", [&](Unit unit) { falcon::sign<LOGN, LANES, falcon::EXPANDED>(batch, unit); });

    // The first vector is long. Vectors that are short are accepted by their length.
    jobs.counts = {0, 0};
    jobs.take_jobs(STATUS_SHORT);
    for (int16_t &s : jobs.s2) s = int16_t(jobs.random.next() % 401) - 200;
    secrets::mark_secret(jobs.s2.data(), jobs.s2.size());
    check<32>("accept of short vectors", N, COUNT, [&](Unit unit) { falcon::accept<LOGN, 32>(batch, unit); });
    if (jobs.counts[1] != COUNT) {
        printf("FAILED: %u of %u short vectors were accepted\n", jobs.counts[1], COUNT);
        failed = true;
    }
}

} // namespace

int main(int count, char **arguments) {
    if (!RUNNING_ON_VALGRIND) {
        puts("this program says nothing unless it runs under Valgrind: use constant_time.py");
        return 2;
    }
    if (count == 2) {
        secrets::active = unsigned(atoi(arguments[1]));
        check_all<9>();
        return VALGRIND_COUNT_ERRORS == 0;
    }
    check_all<9>();
    check_all<10>();
    return failed;
}
