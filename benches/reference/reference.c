/* Calls the C reference between marks that `qemu/plugin.c` sees: as often as `count` calls the
 * other peers, with the same message, and with the seeds of our key generation. Prints operation,
 * form of the key, degree and number of operations of each pair of marks. With TIMES, prints JSON
 * with the nanoseconds of an operation in the time of the thread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "falcon.h"

enum { MAX_LOGN = 10, SIGNATURES = 64, SIGNINGS = 32, KEYS = 8 };

static const char message[] = "a message of thirty-two bytes...";
static const size_t message_len = sizeof message - 1;

static unsigned logn;
static uint64_t random_state;
static shake256_context rng;
static uint8_t sk[FALCON_PRIVKEY_SIZE(MAX_LOGN)], vk[FALCON_PUBKEY_SIZE(MAX_LOGN)];
static uint8_t signatures[SIGNATURES][FALCON_SIG_PADDED_SIZE(MAX_LOGN)];
static uint64_t expanded[FALCON_EXPANDEDKEY_SIZE(MAX_LOGN) / 8 + 1];
/* Large enough for every operation. */
static uint64_t tmp[FALCON_TMPSIZE_SIGNDYN(MAX_LOGN) / 8 + 1];

/* The function whose address the plugin gets. */
__attribute__((noinline)) void mark(void) { __asm__ volatile("" ::: "memory"); }

static void must(int status) {
    if (status != 0) {
        fprintf(stderr, "the reference fails: %d\n", status);
        exit(1);
    }
}

/* Begins the stream of the next seed of SplitMix64, 32 bytes, as `random.rs` makes them. */
static void fresh_seed(void) {
    uint8_t seed[32];
    for (int i = 0; i < 4; i++) {
        uint64_t z = random_state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z ^= z >> 31;
        for (int j = 0; j < 8; j++) {
            seed[8 * i + j] = (uint8_t)(z >> (8 * j));
        }
    }
    shake256_init_prng_from_seed(&rng, seed, sizeof seed);
}

static void keygen(int i) {
    (void)i;
    fresh_seed();
    must(falcon_keygen_make(&rng, logn, sk, FALCON_PRIVKEY_SIZE(logn), vk,
                            FALCON_PUBKEY_SIZE(logn), tmp, sizeof tmp));
}

static void sign_encoded(int i) {
    size_t len = FALCON_SIG_PADDED_SIZE(logn);
    fresh_seed();
    must(falcon_sign_dyn(&rng, signatures[i], &len, FALCON_SIG_PADDED, sk,
                         FALCON_PRIVKEY_SIZE(logn), message, message_len, tmp, sizeof tmp));
}

/* Signs with the stored tree. */
static void sign_prepared(int i) {
    size_t len = FALCON_SIG_PADDED_SIZE(logn);
    fresh_seed();
    must(falcon_sign_tree(&rng, signatures[i], &len, FALCON_SIG_PADDED, expanded, message,
                          message_len, tmp, sizeof tmp));
}

static void verify(int i) {
    must(falcon_verify(signatures[i], FALCON_SIG_PADDED_SIZE(logn), FALCON_SIG_PADDED, vk,
                       FALCON_PUBKEY_SIZE(logn), message, message_len, tmp, sizeof tmp));
}

#ifdef TIMES
static double thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Runs an operation `calls` times before the clock is read, and as often after. */
static void count(const char *name, void (*operation)(int), int calls) {
    char operation_name[8], mode[12];
    double start = 0;
    sscanf(name, "%7s %11s", operation_name, mode);
    for (int i = 0; i < 2 * calls; i++) {
        if (i == calls) {
            start = thread_ns();
        }
        operation(i % calls);
    }
    printf("{\"operation\":\"%s\",\"mode\":\"%s\",\"parameters\":\"falcon-%d\",\"engine\":\"reference\","
           "\"ns\":%.1f}\n", operation_name, mode, 1 << logn, (thread_ns() - start) / calls);
}
#else
/* Runs an operation once before the marks, and `calls` times between them. */
static void count(const char *name, void (*operation)(int), int calls) {
    operation(0);
    mark();
    for (int i = 0; i < calls; i++) {
        operation(i);
    }
    mark();
    printf("%s %d %d\n", name, 1 << logn, calls);
}
#endif

int main(void) {
    for (logn = 9; logn <= MAX_LOGN; logn++) {
        random_state = 1;
        count("keygen seed", keygen, KEYS);
        must(falcon_expand_privkey(expanded, sizeof expanded, sk, FALCON_PRIVKEY_SIZE(logn), tmp,
                                   sizeof tmp));
        random_state = 2;
        count("sign encoded", sign_encoded, SIGNINGS);
        count("sign prepared", sign_prepared, SIGNINGS);
        for (int i = 0; i < SIGNATURES; i++) {
            sign_encoded(i);
        }
        count("verify encoded", verify, SIGNATURES);
    }
    return 0;
}
