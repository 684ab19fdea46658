/* Parts of the OpenSSL provider `falconprovider`.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 *     provider.c   the entry point, its tables, TLS, errors
 *     key.c        key management
 *     signature.c  signatures
 *     encode.c     keys as DER, PEM and text
 *     decode.c     keys from DER; OpenSSL's own decoders read PEM and decrypt
 */
#ifndef FALCONPROVIDER_H
#define FALCONPROVIDER_H

#include "falconsign.h"

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <stdint.h>

/* Length of an AlgorithmIdentifier of Falcon in DER. */
#define FP_IDENTIFIER_LEN 9

/* A parameter set, with compressed signatures. */
typedef struct fp_algorithm {
    int set;                               /* of falconsign.h */
    const char *name;                      /* of the algorithm in OpenSSL */
    const char *title;                     /* of the algorithm in texts */
    const char *oid;                       /* object identifier of keys and of signatures */
    uint8_t identifier[FP_IDENTIFIER_LEN]; /* AlgorithmIdentifier in DER, without parameters */
    unsigned int security_bits;
    int security_category;    /* of NIST, 1 to 5 */
    unsigned int code_point;  /* of the signature scheme in TLS 1.3 */
} fp_algorithm;

extern const fp_algorithm fp_falcon512, fp_falcon1024;

/* The provider in one library context of a program. */
typedef struct fp_provider fp_provider;

/* Returns the library context for calls of libcrypto. */
OSSL_LIB_CTX *fp_library(const fp_provider *provider);

/* Reasons of errors. The status codes of falconsign.h are the reasons below 100, without sign. */
enum {
    FP_REASON_KEY_MISSING = 100,
    FP_REASON_DIGEST,
    FP_REASON_PARAMETER,
    FP_REASON_KEY_PAIR,
    FP_REASON_NO_MEMORY,
    FP_REASON_PASSPHRASE,
    FP_REASON_CIPHER,
    FP_REASON_ENCRYPTION,
    FP_REASON_OUTPUT,
    FP_REASON_NOT_STARTED
};

/* Adds an error to OpenSSL's queue and returns 0. */
int fp_raise(const fp_provider *provider, int reason, const char *file, int line,
             const char *function);
#define FP_RAISE(provider, reason) \
    fp_raise((provider), (reason), OPENSSL_FILE, OPENSSL_LINE, OPENSSL_FUNC)

/* Returns 1 for FALCONSIGN_OK. Otherwise adds an error with the text of the status, returns 0. */
#define FP_OK(provider, status) \
    fp_check((provider), (status), OPENSSL_FILE, OPENSSL_LINE, OPENSSL_FUNC)
int fp_check(const fp_provider *provider, int status, const char *file, int line,
             const char *function);

/* A key: the secret and the public half, or only the public one. `fp_key_new` and an import write
 * it; after that only its expanded form is added, so threads share it. */
typedef struct fp_key fp_key;

fp_key *fp_key_new(fp_provider *provider, const fp_algorithm *algorithm);
fp_key *fp_key_share(fp_key *key);
void fp_key_free(void *key);
const fp_algorithm *fp_key_algorithm(const fp_key *key);
/* Both return NULL if the key does not have that half. */
const falconsign_signing_key *fp_key_secret(const fp_key *key);
const falconsign_verifying_key *fp_key_public(const fp_key *key);
/* Returns the secret half, which must be there, in the form that signs fastest: from the second call
 * on it is expanded. */
const falconsign_signing_key *fp_key_for_signing(fp_key *key);
/* Takes a handle over, and frees it if it fails. An empty key takes one. */
int fp_key_take_secret(fp_key *key, falconsign_signing_key *secret);
int fp_key_take_public(fp_key *key, falconsign_verifying_key *public_half);
/* Calls back with the encoded halves that the selection asks for. */
int fp_key_export(void *key, int selection, OSSL_CALLBACK *callback, void *argument);
int fp_key_import(void *key, int selection, const OSSL_PARAM parameters[]);

/* Whether an encoder or a decoder of this half of a key suits the selection; 0 selects all. */
int fp_selects_private(void *provider, int selection);
int fp_selects_public(void *provider, int selection);
int fp_selects_any(void *provider, int selection);

/* Tables of functions. */
extern const OSSL_DISPATCH fp_key_functions_512[], fp_key_functions_1024[];
extern const OSSL_DISPATCH fp_signature_functions[];
extern const OSSL_ALGORITHM fp_encoders[], fp_decoders[];

#define FP_FUNCTION(id, function) {(id), (void (*)(void))(function)}
#define FP_FUNCTIONS_END {0, NULL}
#define FP_PROPERTIES "provider=falconprovider"
/* Names of the algorithms: these of the OQS provider, then the object identifier. */
#define FP_NAMES_512 "falcon512:1.3.9999.3.11"
#define FP_NAMES_1024 "falcon1024:1.3.9999.3.14"

#endif
