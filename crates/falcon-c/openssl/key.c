/* Key management: generation, import and export, comparison, parameters.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Names of OpenSSL 3.5. */
#ifndef OSSL_PKEY_PARAM_SECURITY_CATEGORY
#define OSSL_PKEY_PARAM_SECURITY_CATEGORY "security-category"
#endif
/* Secret seed of a key, of 32 bytes. */
#define SEED "seed"

struct fp_key {
    fp_provider *provider;
    const fp_algorithm *algorithm;
    atomic_int holders;
    falconsign_signing_key *secret;
    falconsign_verifying_key *public_half;
    /* The secret half once more, prepared for signing, or NULL. */
    _Atomic(falconsign_signing_key *) expanded;
    atomic_bool has_signed;
};

fp_key *fp_key_new(fp_provider *provider, const fp_algorithm *algorithm) {
    fp_key *key = OPENSSL_zalloc(sizeof *key);
    if (key == NULL) {
        FP_RAISE(provider, FP_REASON_NO_MEMORY);
        return NULL;
    }
    key->provider = provider;
    key->algorithm = algorithm;
    atomic_init(&key->holders, 1);
    atomic_init(&key->expanded, NULL);
    atomic_init(&key->has_signed, false);
    return key;
}

static void *new_512(void *provider) { return fp_key_new(provider, &fp_falcon512); }
static void *new_1024(void *provider) { return fp_key_new(provider, &fp_falcon1024); }

fp_key *fp_key_share(fp_key *key) {
    atomic_fetch_add(&key->holders, 1);
    return key;
}

void fp_key_free(void *argument) {
    fp_key *key = argument;
    if (key == NULL || atomic_fetch_sub(&key->holders, 1) != 1) return;
    falconsign_signing_key_free(atomic_load(&key->expanded));
    falconsign_signing_key_free(key->secret);
    falconsign_verifying_key_free(key->public_half);
    OPENSSL_free(key);
}

const fp_algorithm *fp_key_algorithm(const fp_key *key) { return key->algorithm; }
const falconsign_signing_key *fp_key_secret(const fp_key *key) { return key->secret; }
const falconsign_verifying_key *fp_key_public(const fp_key *key) { return key->public_half; }

const falconsign_signing_key *fp_key_for_signing(fp_key *key) {
    falconsign_signing_key *expanded = atomic_load(&key->expanded), *none = NULL;
    if (expanded != NULL) return expanded;
    /* Expanding takes about a quarter of a signature and saves a fifth of each. */
    if (!atomic_exchange(&key->has_signed, true)) return key->secret;
    if (falconsign_signing_key_expand(key->secret, &expanded) != FALCONSIGN_OK) return key->secret;
    if (atomic_compare_exchange_strong(&key->expanded, &none, expanded)) return expanded;
    /* Another thread was faster. */
    falconsign_signing_key_free(expanded);
    return none;
}

/* Returns 1 if two public keys are equal, and 0 if they differ. */
static int same_public(const falconsign_verifying_key *one, const falconsign_verifying_key *two) {
    uint8_t bytes_one[FALCONSIGN_1024_VERIFYING_KEY_LEN];
    uint8_t bytes_two[FALCONSIGN_1024_VERIFYING_KEY_LEN];
    int set = falconsign_verifying_key_parameter_set(one);
    if (set != falconsign_verifying_key_parameter_set(two)) return 0;
    return falconsign_verifying_key_to_bytes(one, bytes_one, sizeof bytes_one) == FALCONSIGN_OK &&
           falconsign_verifying_key_to_bytes(two, bytes_two, sizeof bytes_two) == FALCONSIGN_OK &&
           memcmp(bytes_one, bytes_two, falconsign_verifying_key_len(set)) == 0;
}

/* Returns 1 if two secret keys are equal, and 0 if they differ. */
static int same_secret(const falconsign_signing_key *one, const falconsign_signing_key *two) {
    uint8_t bytes_one[FALCONSIGN_1024_SIGNING_KEY_LEN], bytes_two[FALCONSIGN_1024_SIGNING_KEY_LEN];
    int set = falconsign_signing_key_parameter_set(one), same;
    if (set != falconsign_signing_key_parameter_set(two)) return 0;
    same = falconsign_signing_key_to_bytes(one, bytes_one, sizeof bytes_one) == FALCONSIGN_OK &&
           falconsign_signing_key_to_bytes(two, bytes_two, sizeof bytes_two) == FALCONSIGN_OK &&
           CRYPTO_memcmp(bytes_one, bytes_two, falconsign_signing_key_len(set)) == 0;
    OPENSSL_cleanse(bytes_one, sizeof bytes_one);
    OPENSSL_cleanse(bytes_two, sizeof bytes_two);
    return same;
}

int fp_key_take_public(fp_key *key, falconsign_verifying_key *public_half) {
    int reason = 0;
    if (falconsign_verifying_key_parameter_set(public_half) != key->algorithm->set)
        reason = -FALCONSIGN_ERROR_PARAMETER_SET;
    else if (key->public_half != NULL && !same_public(key->public_half, public_half))
        reason = FP_REASON_KEY_PAIR;
    if (reason != 0 || key->public_half != NULL) {
        falconsign_verifying_key_free(public_half);
        return reason == 0 || FP_RAISE(key->provider, reason);
    }
    key->public_half = public_half;
    return 1;
}

int fp_key_take_secret(fp_key *key, falconsign_signing_key *secret) {
    falconsign_verifying_key *public_half = NULL;
    int reason = FP_REASON_KEY_PAIR;
    if (key->secret == NULL) reason = -falconsign_signing_key_verifying_key(secret, &public_half);
    if (reason != 0) {
        falconsign_signing_key_free(secret);
        return FP_RAISE(key->provider, reason);
    }
    /* The parameter set is that of the public half. */
    if (!fp_key_take_public(key, public_half)) {
        falconsign_signing_key_free(secret);
        return 0;
    }
    key->secret = secret;
    return 1;
}

static int has(const void *argument, int selection) {
    const fp_key *key = argument;
    if (key == NULL) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->secret == NULL) return 0;
    return (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) == 0 || key->public_half != NULL;
}

static int match(const void *argument_one, const void *argument_two, int selection) {
    const fp_key *one = argument_one, *two = argument_two;
    if (one->algorithm != two->algorithm) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return 1;
    /* As OpenSSL does, compares public keys if it can. */
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && one->public_half != NULL &&
        two->public_half != NULL)
        return same_public(one->public_half, two->public_half);
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && one->secret != NULL &&
           two->secret != NULL && same_secret(one->secret, two->secret);
}

static int validate(const void *argument, int selection, int check_type) {
    const fp_key *key = argument;
    falconsign_verifying_key *public_half = NULL;
    int valid;
    (void)check_type;
    if (!has(key, selection)) return FP_RAISE(key->provider, FP_REASON_KEY_MISSING);
    /* A handle has a valid key. The public half is computed again. */
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != OSSL_KEYMGMT_SELECT_KEYPAIR) return 1;
    if (!FP_OK(key->provider, falconsign_signing_key_verifying_key(key->secret, &public_half)))
        return 0;
    valid = same_public(key->public_half, public_half);
    falconsign_verifying_key_free(public_half);
    return valid || FP_RAISE(key->provider, FP_REASON_KEY_PAIR);
}

static const OSSL_PARAM *key_types(int selection) {
    static const OSSL_PARAM PAIR[] = {OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
                                      OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
                                      OSSL_PARAM_END};
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0) return PAIR;
    return (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 ? PAIR + 1 : PAIR + 2;
}

int fp_key_import(void *argument, int selection, const OSSL_PARAM parameters[]) {
    fp_key *key = argument;
    const OSSL_PARAM *it;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return 0;
    it = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_PUB_KEY);
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && it != NULL) {
        falconsign_verifying_key *public_half;
        if (it->data_type != OSSL_PARAM_OCTET_STRING)
            return FP_RAISE(key->provider, FP_REASON_PARAMETER);
        if (!FP_OK(key->provider,
                   falconsign_verifying_key_from_bytes(it->data, it->data_size, &public_half)) ||
            !fp_key_take_public(key, public_half))
            return 0;
    }
    it = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_PRIV_KEY);
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && it != NULL) {
        falconsign_signing_key *secret;
        if (it->data_type != OSSL_PARAM_OCTET_STRING)
            return FP_RAISE(key->provider, FP_REASON_PARAMETER);
        if (!FP_OK(key->provider,
                   falconsign_signing_key_from_bytes(it->data, it->data_size, &secret)) ||
            !fp_key_take_secret(key, secret))
            return 0;
    }
    return key->public_half != NULL || FP_RAISE(key->provider, FP_REASON_KEY_MISSING);
}

int fp_key_export(void *argument, int selection, OSSL_CALLBACK *callback, void *callback_argument) {
    const fp_key *key = argument;
    uint8_t secret[FALCONSIGN_1024_SIGNING_KEY_LEN];
    uint8_t public_half[FALCONSIGN_1024_VERIFYING_KEY_LEN];
    OSSL_PARAM halves[3];
    int count = 0, done = 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && key->public_half != NULL) {
        if (!FP_OK(key->provider, falconsign_verifying_key_to_bytes(key->public_half, public_half,
                                                                    sizeof public_half)))
            return 0;
        halves[count++] = OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PUB_KEY, public_half, falconsign_verifying_key_len(key->algorithm->set));
    }
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->secret != NULL) {
        if (!FP_OK(key->provider,
                   falconsign_signing_key_to_bytes(key->secret, secret, sizeof secret)))
            return 0;
        halves[count++] = OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PRIV_KEY, secret, falconsign_signing_key_len(key->algorithm->set));
    }
    halves[count] = OSSL_PARAM_construct_end();
    done = count > 0 ? callback(halves, callback_argument)
                     : FP_RAISE(key->provider, FP_REASON_KEY_MISSING);
    OPENSSL_cleanse(secret, sizeof secret);
    return done;
}

/* Copies the halves that the selection asks for. Handles cannot be shared by two keys, so a copy
 * with the secret half is the same key, which nothing changes any more. */
static void *duplicate(const void *argument, int selection) {
    fp_key *key = (fp_key *)(uintptr_t)argument, *copy;
    uint8_t bytes[FALCONSIGN_1024_VERIFYING_KEY_LEN];
    falconsign_verifying_key *public_half;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0) return fp_key_share(key);
    copy = fp_key_new(key->provider, key->algorithm);
    if (copy == NULL || (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) == 0 ||
        key->public_half == NULL)
        return copy;
    if (FP_OK(key->provider,
              falconsign_verifying_key_to_bytes(key->public_half, bytes, sizeof bytes)) &&
        FP_OK(key->provider,
              falconsign_verifying_key_from_bytes(
                  bytes, falconsign_verifying_key_len(key->algorithm->set), &public_half)) &&
        fp_key_take_public(copy, public_half))
        return copy;
    fp_key_free(copy);
    return NULL;
}

/* Takes over the key of a decoder. */
static void *load(const void *reference, size_t reference_size) {
    fp_key **place = (fp_key **)(uintptr_t)reference, *key;
    if (reference_size != sizeof key) return NULL;
    key = *place;
    *place = NULL;
    return key;
}

static const OSSL_PARAM *gettable_params(void *provider) {
    static const OSSL_PARAM LIST[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_CATEGORY, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END};
    (void)provider;
    return LIST;
}

static int set_number(OSSL_PARAM parameters[], const char *name, int value) {
    OSSL_PARAM *it = OSSL_PARAM_locate(parameters, name);
    return it == NULL || OSSL_PARAM_set_int(it, value);
}

/* Copies the bytes of a half to a parameter. */
static int set_half(const OSSL_PARAM half[], void *argument) {
    return OSSL_PARAM_set_octet_string(argument, half[0].data, half[0].data_size);
}

static int get_params(void *argument, OSSL_PARAM parameters[]) {
    fp_key *key = argument;
    const fp_algorithm *algorithm = key->algorithm;
    OSSL_PARAM *it;
    if (!set_number(parameters, OSSL_PKEY_PARAM_BITS,
                    8 * (int)falconsign_verifying_key_len(algorithm->set)) ||
        !set_number(parameters, OSSL_PKEY_PARAM_SECURITY_BITS, (int)algorithm->security_bits) ||
        !set_number(parameters, OSSL_PKEY_PARAM_SECURITY_CATEGORY, algorithm->security_category) ||
        !set_number(
            parameters, OSSL_PKEY_PARAM_MAX_SIZE,
            (int)falconsign_signature_max_len(algorithm->set, FALCONSIGN_COMPRESSED)))
        return 0;
    /* Empty: the message is not hashed before. */
    it = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_MANDATORY_DIGEST);
    if (it != NULL && !OSSL_PARAM_set_utf8_string(it, "")) return 0;
    it = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_PUB_KEY);
    if (it != NULL && key->public_half != NULL &&
        !fp_key_export(key, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, set_half, it))
        return 0;
    it = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_PRIV_KEY);
    return it == NULL || key->secret == NULL ||
           fp_key_export(key, OSSL_KEYMGMT_SELECT_PRIVATE_KEY, set_half, it);
}

/* Generation of a key. */
typedef struct {
    fp_provider *provider;
    const fp_algorithm *algorithm;
    int selection;
    int has_seed;
    uint8_t seed[FALCONSIGN_SEED_LEN];
} generation;

static int generation_set_params(void *argument, const OSSL_PARAM parameters[]) {
    generation *it = argument;
    const OSSL_PARAM *seed = parameters == NULL ? NULL : OSSL_PARAM_locate_const(parameters, SEED);
    if (seed == NULL) return 1;
    if (seed->data_type != OSSL_PARAM_OCTET_STRING || seed->data_size != sizeof it->seed)
        return FP_RAISE(it->provider, FP_REASON_PARAMETER);
    memcpy(it->seed, seed->data, sizeof it->seed);
    it->has_seed = 1;
    return 1;
}

static const OSSL_PARAM *generation_settable_params(void *argument, void *provider) {
    static const OSSL_PARAM LIST[] = {OSSL_PARAM_octet_string(SEED, NULL, 0), OSSL_PARAM_END};
    (void)argument;
    (void)provider;
    return LIST;
}

static void generation_free(void *argument) {
    OPENSSL_clear_free(argument, sizeof(generation));
}

static void *generation_new(void *provider, const fp_algorithm *algorithm, int selection,
                            const OSSL_PARAM parameters[]) {
    generation *it = OPENSSL_zalloc(sizeof *it);
    if (it == NULL) {
        FP_RAISE(provider, FP_REASON_NO_MEMORY);
        return NULL;
    }
    it->provider = provider;
    it->algorithm = algorithm;
    it->selection = selection;
    if (generation_set_params(it, parameters)) return it;
    generation_free(it);
    return NULL;
}

static void *generation_new_512(void *provider, int selection, const OSSL_PARAM parameters[]) {
    return generation_new(provider, &fp_falcon512, selection, parameters);
}

static void *generation_new_1024(void *provider, int selection, const OSSL_PARAM parameters[]) {
    return generation_new(provider, &fp_falcon1024, selection, parameters);
}

static void *generate(void *argument, OSSL_CALLBACK *progress, void *progress_argument) {
    generation *it = argument;
    fp_key *key = fp_key_new(it->provider, it->algorithm);
    falconsign_signing_key *secret;
    int status;
    (void)progress;
    (void)progress_argument;
    if (key == NULL || (it->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return key;
    if (it->has_seed)
        status = falconsign_signing_key_from_seed(it->algorithm->set, it->seed, sizeof it->seed,
                                                  &secret);
    else
        status = falconsign_signing_key_generate(it->algorithm->set, &secret);
    if (FP_OK(it->provider, status) && fp_key_take_secret(key, secret)) return key;
    fp_key_free(key);
    return NULL;
}

static const char *operation_512(int operation) {
    return operation == OSSL_OP_SIGNATURE ? fp_falcon512.name : NULL;
}

static const char *operation_1024(int operation) {
    return operation == OSSL_OP_SIGNATURE ? fp_falcon1024.name : NULL;
}

int fp_selects_private(void *provider, int selection) {
    (void)provider;
    return selection == 0 || (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
}

int fp_selects_public(void *provider, int selection) {
    (void)provider;
    return selection == 0 || ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 &&
                              (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0);
}

int fp_selects_any(void *provider, int selection) {
    (void)provider;
    return selection == 0 || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;
}

#define KEY_FUNCTIONS(set)                                                                  \
    const OSSL_DISPATCH fp_key_functions_##set[] = {                                        \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_NEW, new_##set),                                      \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_INIT, generation_new_##set),                      \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, operation_##set),               \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, generation_set_params),               \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, generation_settable_params),     \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN, generate),                                       \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, generation_free),                        \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_FREE, fp_key_free),                                   \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_DUP, duplicate),                                      \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_LOAD, load),                                          \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_HAS, has),                                            \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_MATCH, match),                                        \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_VALIDATE, validate),                                  \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT, fp_key_import),                               \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, key_types),                             \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT, fp_key_export),                               \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, key_types),                             \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GET_PARAMS, get_params),                              \
        FP_FUNCTION(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, gettable_params),                    \
        FP_FUNCTIONS_END}

KEY_FUNCTIONS(512);
KEY_FUNCTIONS(1024);
