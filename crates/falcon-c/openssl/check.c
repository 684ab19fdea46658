/* Tests of the provider through OpenSSL's C interface.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 *     check            every check but the last
 *     check wiped      looks for secret bytes in the memory after everything is freed
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            ERR_print_errors_fp(stderr);                                     \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

/* Checks that a call fails with an error of the provider that has a text. */
#define FAILS(text, call)                                                              \
    do {                                                                               \
        ERR_clear_error();                                                             \
        CHECK((call) <= 0);                                                            \
        check_error(__LINE__, (text));                                                 \
    } while (0)

enum { SECRET_MAX = 2305, PUBLIC_MAX = 1793, SIGNATURE_MAX = 1462, PIECES = 9000 };

typedef struct {
    const char *name;
    size_t degree, secret_len, public_len, signature_max;
    int security_bits;
} expected;

static const expected SETS[] = {{"falcon512", 512, 1281, 897, 752, 128},
                                {"falcon1024", 1024, 2305, 1793, 1462, 256}};

static void check_error(int line, const char *text) {
    char all[2000] = "";
    unsigned long code;
    int found = 0;
    while ((code = ERR_get_error()) != 0) {
        const char *reason = ERR_reason_error_string(code);
        found = found || (reason != NULL && strstr(reason, text) != NULL);
        strncat(all, reason == NULL ? "?" : reason, 200);
        strncat(all, "; ", 3);
        if (strlen(all) > 1700) break;
    }
    if (found) return;
    fprintf(stderr, "line %d: \"%s\" instead of \"%s\"\n", line, all, text);
    exit(1);
}

static EVP_PKEY *generate(const char *name, const uint8_t *seed, size_t seed_len) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
    EVP_PKEY *key = NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string("seed", (void *)(uintptr_t)seed, seed_len),
        OSSL_PARAM_construct_end()};
    CHECK(context != NULL && EVP_PKEY_keygen_init(context) == 1);
    if (seed == NULL || EVP_PKEY_CTX_set_params(context, parameters) == 1)
        CHECK(EVP_PKEY_generate(context, &key) == 1);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* Imports halves; a half of NULL is left out. Returns NULL if the key is refused. */
static EVP_PKEY *import(const char *name, const uint8_t *secret, size_t secret_len,
                        const uint8_t *public_half, size_t public_len) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
    EVP_PKEY *key = NULL;
    OSSL_PARAM halves[3];
    int count = 0;
    if (secret != NULL)
        halves[count++] = OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PRIV_KEY, (void *)(uintptr_t)secret, secret_len);
    if (public_half != NULL)
        halves[count++] = OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PUB_KEY, (void *)(uintptr_t)public_half, public_len);
    halves[count] = OSSL_PARAM_construct_end();
    CHECK(context != NULL && EVP_PKEY_fromdata_init(context) == 1);
    if (EVP_PKEY_fromdata(context, &key, secret == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR,
                          halves) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static size_t sign(EVP_PKEY *key, const uint8_t *message, size_t len, uint8_t *signature) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t signature_len = SIGNATURE_MAX;
    CHECK(EVP_DigestSignInit_ex(context, NULL, NULL, NULL, NULL, key, NULL) == 1);
    CHECK(EVP_DigestSign(context, signature, &signature_len, message, len) == 1);
    EVP_MD_CTX_free(context);
    return signature_len;
}

static int verify(EVP_PKEY *key, const uint8_t *message, size_t len, const uint8_t *signature,
                  size_t signature_len) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int valid;
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, key, NULL) == 1);
    valid = EVP_DigestVerify(context, signature, signature_len, message, len);
    EVP_MD_CTX_free(context);
    return valid;
}

static void check_parameters(const expected *set, EVP_PKEY *key) {
    char digest[20] = "";
    CHECK(EVP_PKEY_is_a(key, set->name));
    CHECK(EVP_PKEY_get_bits(key) == 8 * (int)set->public_len);
    CHECK(EVP_PKEY_get_security_bits(key) == set->security_bits);
    CHECK(EVP_PKEY_get_size(key) == (int)set->signature_max);
    CHECK(EVP_PKEY_get_default_digest_name(key, digest, sizeof digest) == 2);
    CHECK(strcmp(digest, "UNDEF") == 0);
}

static void check_signatures(const expected *set, EVP_PKEY *key, EVP_PKEY *other) {
    static uint8_t message[PIECES];
    uint8_t signature[SIGNATURE_MAX], second[SIGNATURE_MAX];
    size_t len = sign(key, message, sizeof message, signature), second_len = sizeof second;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(key, NULL);

    CHECK(verify(key, message, sizeof message, signature, len) == 1);
    for (size_t at = 0; at < len; at += 7) {
        signature[at] ^= 1;
        CHECK(verify(key, message, sizeof message, signature, len) == 0);
        signature[at] ^= 1;
    }
    FAILS("this key did not make the signature",
          verify(other, message, sizeof message, signature, len));
    FAILS("this key did not make the signature",
          verify(key, message, sizeof message - 1, signature, len));
    FAILS("signature", verify(key, message, sizeof message, signature, len - 1));

    /* Pieces. OpenSSL asks for the length first, and may finish twice. */
    CHECK(EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1);
    for (size_t at = 0; at < sizeof message; at += 900)
        CHECK(EVP_DigestSignUpdate(context, message + at, 900) == 1);
    CHECK(EVP_DigestSignFinal(context, NULL, &second_len) == 1);
    CHECK(second_len == set->signature_max);
    CHECK(EVP_DigestSignFinal(context, second, &second_len) == 1);
    CHECK(verify(key, message, sizeof message, second, second_len) == 1);
    CHECK(second_len != len || memcmp(second, signature, len) != 0);
    EVP_MD_CTX_reset(context);
    CHECK(EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1);
    CHECK(EVP_DigestVerifyUpdate(context, message, 1) == 1);
    CHECK(EVP_DigestVerifyUpdate(context, message, sizeof message - 1) == 1);
    CHECK(EVP_DigestVerifyFinal(context, second, second_len) == 1);
    FAILS("this key did not make the signature",
          EVP_DigestVerifyUpdate(context, message, 1) == 1 &&
              EVP_DigestVerifyFinal(context, second, second_len) == 1);

    /* The message itself, without a digest. */
    CHECK(EVP_PKEY_sign_init(raw) == 1);
    second_len = 10;
    FAILS("too small", EVP_PKEY_sign(raw, second, &second_len, message, 5));
    second_len = sizeof second;
    CHECK(EVP_PKEY_sign(raw, second, &second_len, message, 5) == 1);
    CHECK(EVP_PKEY_verify_init(raw) == 1);
    CHECK(EVP_PKEY_verify(raw, second, second_len, message, 5) == 1);
    CHECK(EVP_PKEY_verify(raw, second, second_len, message, 6) == 0);
    CHECK(verify(key, message, 5, second, second_len) == 1);
    EVP_PKEY_CTX_free(raw);

    EVP_MD_CTX_reset(context);
    FAILS("give no digest",
          EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL));
    EVP_MD_CTX_reset(context);
    FAILS("give no digest",
          EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL));
    EVP_MD_CTX_free(context);
}

static void check_import(const expected *set, const expected *other_set, EVP_PKEY *key,
                         EVP_PKEY *other) {
    uint8_t secret[SECRET_MAX], public_half[PUBLIC_MAX], other_public[PUBLIC_MAX], signature[2000];
    size_t secret_len, public_len, len;
    EVP_PKEY *copy;
    EVP_PKEY_CTX *context;
    CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, secret, sizeof secret,
                                          &secret_len) == 1);
    CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, public_half,
                                          sizeof public_half, &public_len) == 1);
    CHECK(EVP_PKEY_get_octet_string_param(other, OSSL_PKEY_PARAM_PUB_KEY, other_public,
                                          sizeof other_public, &public_len) == 1);
    CHECK(secret_len == set->secret_len && public_len == set->public_len);

    copy = import(set->name, secret, secret_len, public_half, public_len);
    CHECK(copy != NULL && EVP_PKEY_eq(key, copy) == 1 && EVP_PKEY_eq(key, other) == 0);
    context = EVP_PKEY_CTX_new(copy, NULL);
    CHECK(EVP_PKEY_pairwise_check(context) == 1 && EVP_PKEY_check(context) == 1);
    EVP_PKEY_CTX_free(context);
    len = sign(copy, public_half, public_len, signature);
    CHECK(verify(key, public_half, public_len, signature, len) == 1);
    EVP_PKEY_free(copy);

    /* A public key does not sign. */
    copy = import(set->name, NULL, 0, public_half, public_len);
    CHECK(copy != NULL && EVP_PKEY_eq(key, copy) == 1);
    CHECK(verify(copy, public_half, public_len, signature, len) == 1);
    context = EVP_PKEY_CTX_new(copy, NULL);
    FAILS("is not there", EVP_PKEY_sign_init(context));
    FAILS("is not there", EVP_PKEY_check(context));
    CHECK(EVP_PKEY_public_check(context) == 1);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(copy);

    copy = EVP_PKEY_dup(key);
    CHECK(copy != NULL && EVP_PKEY_eq(key, copy) == 1);
    EVP_PKEY_free(copy);

    FAILS("not that of the secret key",
          import(set->name, secret, secret_len, other_public, public_len) != NULL);
    FAILS("length", import(set->name, secret, secret_len - 1, NULL, 0) != NULL);
    FAILS("parameter set", import(other_set->name, secret, secret_len, NULL, 0) != NULL);
    FAILS("parameter set", import(other_set->name, NULL, 0, public_half, public_len) != NULL);
    secret[0] ^= 0xff;
    FAILS("key", import(set->name, secret, secret_len, NULL, 0) != NULL);
    FAILS("is not there", import(set->name, NULL, 0, NULL, 0) != NULL);
    OPENSSL_cleanse(secret, sizeof secret);
}

static void check_seed(const expected *set) {
    uint8_t seed[33] = {1, 2, 3};
    EVP_PKEY *one = generate(set->name, seed, 32), *two = generate(set->name, seed, 32);
    EVP_PKEY *three = generate(set->name, seed + 1, 32);
    CHECK(EVP_PKEY_eq(one, two) == 1 && EVP_PKEY_eq(one, three) == 0);
    FAILS("wrong type or length", generate(set->name, seed, 33) != NULL);
    EVP_PKEY_free(one);
    EVP_PKEY_free(two);
    EVP_PKEY_free(three);
}

/* A damaged document of a key is refused with a text. */
static void check_documents(const expected *set, EVP_PKEY *key) {
    uint8_t *der = NULL;
    const uint8_t *place;
    int len = i2d_PrivateKey(key, &der);
    EVP_PKEY *copy;
    CHECK(len > (int)set->secret_len);
    place = der;
    copy = d2i_AutoPrivateKey(NULL, &place, len);
    CHECK(copy != NULL && EVP_PKEY_eq(key, copy) == 1 && place == der + len);
    EVP_PKEY_free(copy);
    der[len / 2] ^= 0x55;
    place = der;
    FAILS("document", d2i_AutoPrivateKey(NULL, &place, len) != NULL);
    OPENSSL_clear_free(der, (size_t)len);

    der = NULL;
    len = i2d_PUBKEY(key, &der);
    CHECK(len > (int)set->public_len);
    place = der;
    copy = d2i_PUBKEY(NULL, &place, len);
    CHECK(copy != NULL && EVP_PKEY_eq(key, copy) == 1);
    EVP_PKEY_free(copy);
    memset(der + len - 60, 0xff, 60);
    place = der;
    /* OpenSSL replaces the error of the decoder by one of its own. */
    FAILS("", d2i_PUBKEY(NULL, &place, len) != NULL);
    OPENSSL_free(der);
}

static void *work(void *key) {
    uint8_t message[40] = {0}, signature[SIGNATURE_MAX];
    for (uint8_t i = 0; i < 20; i++) {
        size_t len;
        message[0] = i;
        len = sign(key, message, sizeof message, signature);
        CHECK(verify(key, message, sizeof message, signature, len) == 1);
    }
    return NULL;
}

static void check_threads(EVP_PKEY *key) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, key) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* A secret, each byte changed so that this is no copy itself. */
enum { WINDOW = 16, STEP = 64, MASK = 0xa5 };
typedef struct {
    uint8_t masked[SECRET_MAX];
    size_t len;
    int copies;
} secret_bytes;
static secret_bytes key_secret, seed_secret;

static void remember(secret_bytes *it, const uint8_t *secret, size_t len) {
    for (size_t i = 0; i < len; i++) it->masked[i] = secret[i] ^ MASK;
    it->len = len;
}

/* Counts the places in the writable memory that have one of some windows of a secret. */
static void *count_copies(void *argument) {
    secret_bytes *it = argument;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[600];
    CHECK(maps != NULL);
    it->copies = 0;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || rights[0] != 'r' ||
            rights[1] != 'w')
            continue;
        for (const uint8_t *at = (const uint8_t *)start; at + WINDOW <= (const uint8_t *)end; at++)
            for (size_t window = 0; window + WINDOW <= it->len; window += STEP) {
                int i = 0;
                while (i < WINDOW && (at[i] ^ MASK) == it->masked[window + (size_t)i]) i++;
                if (i == WINDOW) it->copies++;
            }
    }
    fclose(maps);
    return NULL;
}

/* Counts copies in a thread of its own, so as not to write to the stack that is searched. */
static int copies(secret_bytes *it) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, count_copies, it) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return it->copies;
}

/* Uses a key in all ways in which the provider holds secrets, and frees it. */
static void use_and_free(const expected *set) {
    EVP_PKEY *key, *copy;
    uint8_t seed[32], secret[SECRET_MAX], signature[SIGNATURE_MAX];
    size_t secret_len;
    uint8_t *der = NULL;
    const uint8_t *place;
    int len;
    BIO *text = BIO_new(BIO_s_mem());
    CHECK(RAND_bytes(seed, sizeof seed) == 1);
    remember(&seed_secret, seed, sizeof seed);
    CHECK(copies(&seed_secret) > 0);
    key = generate(set->name, seed, sizeof seed);
    OPENSSL_cleanse(seed, sizeof seed);
    CHECK(copies(&seed_secret) == 0);
    CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, secret, sizeof secret,
                                          &secret_len) == 1);
    remember(&key_secret, secret, secret_len);
    /* The key itself, while it lives, has the last polynomial with equal bytes. */
    key_secret.len -= set->degree;
    CHECK(copies(&key_secret) > 0);
    copy = import(set->name, secret, secret_len, NULL, 0);
    OPENSSL_cleanse(secret, sizeof secret);
    /* After each use, before other calls write to the same stack. */
    CHECK(copies(&key_secret) == 0);
    CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, secret, sizeof secret,
                                          &secret_len) == 1);
    OPENSSL_cleanse(secret, sizeof secret);
    CHECK(copies(&key_secret) == 0);
    CHECK(EVP_PKEY_eq(key, copy) == 1);
    CHECK(sign(copy, (const uint8_t *)"message", 7, signature) > 0);
    CHECK(EVP_PKEY_print_private(text, key, 0, NULL) == 1 && copies(&key_secret) == 0);
    CHECK(PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL) == 1);
    CHECK(copies(&key_secret) == 0);
    CHECK(PEM_write_bio_PrivateKey(text, key, EVP_aes_256_cbc(), (const uint8_t *)"pass", 4, NULL,
                                   NULL) == 1);
    CHECK(copies(&key_secret) == 0);
    BIO_free(text);
    EVP_PKEY_free(copy);
    /* OpenSSL's decoders and ours. */
    len = i2d_PrivateKey(key, &der);
    place = der;
    CHECK(len > 0 && (copy = d2i_AutoPrivateKey(NULL, &place, len)) != NULL);
    OPENSSL_clear_free(der, (size_t)len);
    CHECK(copies(&key_secret) == 0);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(key);
}

int main(int count, char **arguments) {
    OSSL_PROVIDER *ours = OSSL_PROVIDER_load(NULL, "falconprovider");
    OSSL_PROVIDER *theirs = OSSL_PROVIDER_load(NULL, "default");
    int wiped = count > 1 && strcmp(arguments[1], "wiped") == 0;
    CHECK(ours != NULL && theirs != NULL && OSSL_PROVIDER_self_test(ours) == 1);
    for (int i = 0; i < 2; i++) {
        const expected *set = &SETS[i];
        EVP_PKEY *key, *other;
        if (wiped) {
            use_and_free(set);
            key_secret.len = set->secret_len;
            CHECK(copies(&key_secret) == 0 && copies(&seed_secret) == 0);
            continue;
        }
        key = generate(set->name, NULL, 0);
        other = generate(set->name, NULL, 0);
        check_parameters(set, key);
        check_signatures(set, key, other);
        check_import(set, &SETS[1 - i], key, other);
        check_seed(set);
        check_documents(set, key);
        check_threads(key);
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
    }
    OSSL_PROVIDER_unload(ours);
    OSSL_PROVIDER_unload(theirs);
    puts("the provider passed");
    return 0;
}
