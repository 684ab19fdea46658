/* Times OpenSSL's calls with the provider beside the calls of the C library: speed [ROUNDS].
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Prints the shortest time of a call in microseconds. Calls of both kinds take turns.
 */
#include "falconsign.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "speed: %s failed\n", what);
    exit(1);
}

static void keep_shortest(double *shortest, double start) {
    double time = now() - start;
    if (*shortest == 0 || time < *shortest) *shortest = time;
}

static void measure(const char *name, int rounds) {
    static uint8_t message[32], bytes[FALCONSIGN_1024_SIGNING_KEY_LEN];
    static uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
    EVP_PKEY_CTX *generation = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    falconsign_signing_key *secret, *expanded;
    falconsign_verifying_key *public_half;
    double sign = 0, verify = 0, raw_sign = 0, raw_verify = 0, start;
    size_t len;
    require(generation != NULL && EVP_PKEY_keygen_init(generation) == 1 &&
            EVP_PKEY_generate(generation, &key) == 1 &&
            EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, bytes, sizeof bytes,
                                            &len) == 1, "key");
    EVP_PKEY_CTX_free(generation);
    require(falconsign_signing_key_from_bytes(bytes, len, &secret) == FALCONSIGN_OK &&
            falconsign_signing_key_expand(secret, &expanded) == FALCONSIGN_OK &&
            falconsign_signing_key_verifying_key(secret, &public_half) == FALCONSIGN_OK, "key");
    for (int i = 0; i < rounds; i++) {
        message[0] = (uint8_t)i;
        len = sizeof signature;
        start = now();
        EVP_MD_CTX_reset(context);
        require(EVP_DigestSignInit_ex(context, NULL, NULL, NULL, NULL, key, NULL) == 1 &&
                EVP_DigestSign(context, signature, &len, message, sizeof message) == 1, "sign");
        keep_shortest(&sign, start);
        start = now();
        EVP_MD_CTX_reset(context);
        require(EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, key, NULL) == 1 &&
                EVP_DigestVerify(context, signature, len, message, sizeof message) == 1, "verify");
        keep_shortest(&verify, start);
        start = now();
        require(falconsign_sign(expanded, message, sizeof message, FALCONSIGN_COMPRESSED, signature,
                                sizeof signature, &len) == FALCONSIGN_OK, "sign");
        keep_shortest(&raw_sign, start);
        start = now();
        require(falconsign_verify(public_half, message, sizeof message, FALCONSIGN_COMPRESSED,
                                  signature, len) == FALCONSIGN_OK, "verify");
        keep_shortest(&raw_verify, start);
    }
    printf("%-10s sign   OpenSSL %8.2f  C library %8.2f\n", name, sign, raw_sign);
    printf("%-10s verify OpenSSL %8.2f  C library %8.2f\n", name, verify, raw_verify);
    falconsign_signing_key_free(expanded);
    falconsign_signing_key_free(secret);
    falconsign_verifying_key_free(public_half);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 20000;
    require(OSSL_PROVIDER_load(NULL, "falconprovider") != NULL, "loading falconprovider");
    require(OSSL_PROVIDER_load(NULL, "default") != NULL, "loading default");
    measure("falcon512", rounds);
    measure("falcon1024", rounds);
    return 0;
}
