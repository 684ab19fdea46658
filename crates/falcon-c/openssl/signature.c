/* Signatures of messages, which are not hashed before. The format is the compressed one, as in
 * certificates.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * OpenSSL copies a context before it finishes a signature, and the bytes of a signature begin with
 * the nonce, which is hashed before the message. So a message that comes in pieces is collected.
 */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

/* A signature that is made or verified. */
typedef struct {
    fp_provider *provider;
    fp_key *key;
    uint8_t *message;
    size_t message_len, capacity;
} context;

static void *context_new(void *provider, const char *properties) {
    context *it = OPENSSL_zalloc(sizeof *it);
    (void)properties;
    if (it == NULL) {
        FP_RAISE(provider, FP_REASON_NO_MEMORY);
        return NULL;
    }
    it->provider = provider;
    return it;
}

/* Drops the collected message. */
static void forget(context *it) {
    OPENSSL_clear_free(it->message, it->capacity);
    it->message = NULL;
    it->message_len = it->capacity = 0;
}

static void context_free(void *argument) {
    context *it = argument;
    if (it == NULL) return;
    forget(it);
    fp_key_free(it->key);
    OPENSSL_free(it);
}

static void *context_copy(void *argument) {
    const context *it = argument;
    context *copy = context_new(it->provider, NULL);
    if (copy == NULL) return NULL;
    if (it->key != NULL) copy->key = fp_key_share(it->key);
    if (it->message_len == 0) return copy;
    copy->message = OPENSSL_malloc(it->message_len);
    if (copy->message == NULL) {
        FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
        context_free(copy);
        return NULL;
    }
    memcpy(copy->message, it->message, it->message_len);
    copy->message_len = copy->capacity = it->message_len;
    return copy;
}

/* Starts with a key, or with the key that the context has. */
static int start(context *it, fp_key *key) {
    forget(it);
    if (key != NULL) {
        fp_key_share(key);
        fp_key_free(it->key);
        it->key = key;
    }
    return it->key != NULL || FP_RAISE(it->provider, FP_REASON_NOT_STARTED);
}

static int start_signing(void *argument, void *key, const OSSL_PARAM parameters[]) {
    context *it = argument;
    (void)parameters;
    if (!start(it, key)) return 0;
    return fp_key_secret(it->key) != NULL || FP_RAISE(it->provider, FP_REASON_KEY_MISSING);
}

static int start_verifying(void *argument, void *key, const OSSL_PARAM parameters[]) {
    context *it = argument;
    (void)parameters;
    if (!start(it, key)) return 0;
    return fp_key_public(it->key) != NULL || FP_RAISE(it->provider, FP_REASON_KEY_MISSING);
}

/* Refuses a digest: a signature of a hash would also be one of the message that has its bytes. */
static int no_digest(const context *it, const char *digest) {
    return digest == NULL || digest[0] == 0 || FP_RAISE(it->provider, FP_REASON_DIGEST);
}

static int start_signing_digest(void *argument, const char *digest, void *key,
                                const OSSL_PARAM parameters[]) {
    return no_digest(argument, digest) && start_signing(argument, key, parameters);
}

static int start_verifying_digest(void *argument, const char *digest, void *key,
                                  const OSSL_PARAM parameters[]) {
    return no_digest(argument, digest) && start_verifying(argument, key, parameters);
}

static int sign(void *argument, unsigned char *signature, size_t *signature_len, size_t capacity,
                const unsigned char *message, size_t message_len) {
    context *it = argument;
    if (it->key == NULL || fp_key_secret(it->key) == NULL)
        return FP_RAISE(it->provider, FP_REASON_NOT_STARTED);
    if (signature == NULL) {
        *signature_len = falconsign_signature_max_len(fp_key_algorithm(it->key)->set,
                                                      FALCONSIGN_COMPRESSED);
        return 1;
    }
    return FP_OK(it->provider,
                 falconsign_sign(fp_key_for_signing(it->key), message, message_len,
                                 FALCONSIGN_COMPRESSED, signature, capacity, signature_len));
}

static int verify(void *argument, const unsigned char *signature, size_t signature_len,
                  const unsigned char *message, size_t message_len) {
    context *it = argument;
    if (it->key == NULL || fp_key_public(it->key) == NULL)
        return FP_RAISE(it->provider, FP_REASON_NOT_STARTED);
    return FP_OK(it->provider,
                 falconsign_verify(fp_key_public(it->key), message, message_len,
                                   FALCONSIGN_COMPRESSED, signature, signature_len));
}

/* Collects a piece of a message. */
static int update(void *argument, const unsigned char *piece, size_t piece_len) {
    context *it = argument;
    if (it->key == NULL) return FP_RAISE(it->provider, FP_REASON_NOT_STARTED);
    if (piece_len == 0) return 1;
    if (piece_len > it->capacity - it->message_len) {
        size_t capacity = it->capacity < 4096 ? 4096 : it->capacity;
        uint8_t *grown;
        while (capacity <= SIZE_MAX / 2 && capacity - it->message_len < piece_len) capacity *= 2;
        if (capacity - it->message_len < piece_len)
            return FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
        grown = OPENSSL_clear_realloc(it->message, it->capacity, capacity);
        if (grown == NULL) return FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
        it->message = grown;
        it->capacity = capacity;
    }
    memcpy(it->message + it->message_len, piece, piece_len);
    it->message_len += piece_len;
    return 1;
}

static int finish_signing(void *argument, unsigned char *signature, size_t *signature_len,
                          size_t capacity) {
    context *it = argument;
    return sign(it, signature, signature_len, capacity, it->message, it->message_len);
}

static int finish_verifying(void *argument, const unsigned char *signature,
                            size_t signature_len) {
    context *it = argument;
    return verify(it, signature, signature_len, it->message, it->message_len);
}

static const OSSL_PARAM *gettable_params(void *argument, void *provider) {
    static const OSSL_PARAM LIST[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0), OSSL_PARAM_END};
    (void)argument;
    (void)provider;
    return LIST;
}

/* Gives the AlgorithmIdentifier, for certificates. */
static int get_params(void *argument, OSSL_PARAM parameters[]) {
    const context *it = argument;
    OSSL_PARAM *place = OSSL_PARAM_locate(parameters, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    if (place == NULL) return 1;
    if (it->key == NULL) return FP_RAISE(it->provider, FP_REASON_NOT_STARTED);
    return OSSL_PARAM_set_octet_string(place, fp_key_algorithm(it->key)->identifier,
                                       FP_IDENTIFIER_LEN);
}

const OSSL_DISPATCH fp_signature_functions[] = {
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_NEWCTX, context_new),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_FREECTX, context_free),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DUPCTX, context_copy),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN_INIT, start_signing),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN, sign),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_INIT, start_verifying),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, start_signing_digest),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, update),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, finish_signing),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN, sign),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, start_verifying_digest),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, update),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, finish_verifying),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY, verify),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, get_params),
    FP_FUNCTION(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, gettable_params),
    FP_FUNCTIONS_END};
