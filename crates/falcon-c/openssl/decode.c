/* Keys from DER: PrivateKeyInfo (PKCS#8) and SubjectPublicKeyInfo.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * OpenSSL tries decoders one after another. So a document that is no key of the decoder's parameter
 * set is left to the others: 1 is returned, and OpenSSL drops errors. A damaged key of the set ends
 * the search with 0, so that its error is reported.
 */
#include "provider.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

/* Length of the start of a document: SEQUENCE and a length of two bytes. */
enum { HEAD = 4 };

typedef struct {
    fp_provider *provider;
    const fp_algorithm *algorithm;
} decoder;

static void *decoder_new(void *provider, const fp_algorithm *algorithm) {
    decoder *it = OPENSSL_zalloc(sizeof *it);
    if (it == NULL) {
        FP_RAISE(provider, FP_REASON_NO_MEMORY);
        return NULL;
    }
    it->provider = provider;
    it->algorithm = algorithm;
    return it;
}

static void *decoder_new_512(void *provider) { return decoder_new(provider, &fp_falcon512); }
static void *decoder_new_1024(void *provider) { return decoder_new(provider, &fp_falcon1024); }
static void decoder_free(void *it) { OPENSSL_free(it); }

/* Reads one document of at most FALCONSIGN_DOCUMENT_MAX bytes, and returns its length, or 0. */
static size_t read_document(const decoder *it, OSSL_CORE_BIO *core, uint8_t *document) {
    BIO *input = BIO_new_from_core_bio(fp_library(it->provider), core);
    size_t len = 0, got, all = HEAD;
    if (input == NULL) return 0;
    while (len < all && BIO_read_ex(input, document + len, all - len, &got) == 1 && got > 0) {
        len += got;
        if (len != HEAD || all != HEAD) continue;
        /* Keys have more than 255 and fewer than 65536 bytes. */
        if (document[0] != 0x30 || document[1] != 0x82) break;
        all = HEAD + ((size_t)document[2] << 8) + document[3];
        if (all > FALCONSIGN_DOCUMENT_MAX) break;
    }
    BIO_free(input);
    return len == all && len > HEAD ? len : 0;
}

/* Returns 1 if the AlgorithmIdentifier at a place names the decoder's parameter set. */
static int names_set(const decoder *it, const uint8_t *document, size_t len, size_t place) {
    const uint8_t *identifier = it->algorithm->identifier;
    /* The length of the identifier is left out: there may be parameters. */
    return len > place + FP_IDENTIFIER_LEN && document[place] == identifier[0] &&
           memcmp(document + place + 2, identifier + 2, FP_IDENTIFIER_LEN - 2) == 0;
}

/* Gives a key to OpenSSL. */
static int give(const decoder *it, fp_key *key, OSSL_CALLBACK *callback, void *argument) {
    int type = OSSL_OBJECT_PKEY, done;
    char *name = (char *)(uintptr_t)it->algorithm->name;
    const OSSL_PARAM object[] = {
        OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
        OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, name, 0),
        OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &key, sizeof key),
        OSSL_PARAM_construct_end()};
    done = callback(object, argument);
    /* Nothing is left to free if OpenSSL took the key. */
    fp_key_free(key);
    return done;
}

static int decode_private(void *argument, OSSL_CORE_BIO *input, int selection,
                          OSSL_CALLBACK *callback, void *callback_argument,
                          OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    const decoder *it = argument;
    uint8_t document[FALCONSIGN_DOCUMENT_MAX];
    size_t len = read_document(it, input, document);
    /* The version, an INTEGER, comes first. */
    int ours = len > 0 && names_set(it, document, len, HEAD + 3);
    falconsign_signing_key *secret = NULL;
    fp_key *key = NULL;
    (void)selection;
    (void)ask;
    (void)ask_argument;
    if (ours &&
        FP_OK(it->provider, falconsign_signing_key_from_der(document, len, NULL, 0, &secret)) &&
        (key = fp_key_new(it->provider, it->algorithm)) == NULL)
        falconsign_signing_key_free(secret);
    OPENSSL_cleanse(document, sizeof document);
    if (key == NULL) return !ours;
    if (fp_key_take_secret(key, secret)) return give(it, key, callback, callback_argument);
    fp_key_free(key);
    return 0;
}

static int decode_public(void *argument, OSSL_CORE_BIO *input, int selection,
                         OSSL_CALLBACK *callback, void *callback_argument,
                         OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    const decoder *it = argument;
    uint8_t document[FALCONSIGN_DOCUMENT_MAX];
    size_t len = read_document(it, input, document);
    int ours = len > 0 && names_set(it, document, len, HEAD);
    falconsign_verifying_key *public_half = NULL;
    fp_key *key = NULL;
    (void)selection;
    (void)ask;
    (void)ask_argument;
    if (ours &&
        FP_OK(it->provider, falconsign_verifying_key_from_der(document, len, &public_half)) &&
        (key = fp_key_new(it->provider, it->algorithm)) == NULL)
        falconsign_verifying_key_free(public_half);
    /* A decoder that is tried for any document may have read a secret one. */
    OPENSSL_cleanse(document, sizeof document);
    if (key == NULL) return !ours;
    if (fp_key_take_public(key, public_half)) return give(it, key, callback, callback_argument);
    fp_key_free(key);
    return 0;
}

/* Exports a key to the key management of another provider. */
static int export(void *argument, const void *reference, size_t reference_size,
                  OSSL_CALLBACK *callback, void *callback_argument) {
    fp_key *key;
    (void)argument;
    if (reference_size != sizeof key) return 0;
    key = *(fp_key *const *)reference;
    return fp_key_export(key,
                         fp_key_secret(key) != NULL ? OSSL_KEYMGMT_SELECT_KEYPAIR
                                                    : OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
                         callback, callback_argument);
}

#define DECODER_FUNCTIONS(set, half)                                                 \
    static const OSSL_DISPATCH decode_##half##_##set[] = {                           \
        FP_FUNCTION(OSSL_FUNC_DECODER_NEWCTX, decoder_new_##set),                    \
        FP_FUNCTION(OSSL_FUNC_DECODER_FREECTX, decoder_free),                        \
        FP_FUNCTION(OSSL_FUNC_DECODER_DOES_SELECTION, fp_selects_##half),               \
        FP_FUNCTION(OSSL_FUNC_DECODER_DECODE, decode_##half),                        \
        FP_FUNCTION(OSSL_FUNC_DECODER_EXPORT_OBJECT, export),                        \
        FP_FUNCTIONS_END}

DECODER_FUNCTIONS(512, private);
DECODER_FUNCTIONS(512, public);
DECODER_FUNCTIONS(1024, private);
DECODER_FUNCTIONS(1024, public);

#define PRIVATE FP_PROPERTIES ",input=der,structure=PrivateKeyInfo"
#define PUBLIC FP_PROPERTIES ",input=der,structure=SubjectPublicKeyInfo"

const OSSL_ALGORITHM fp_decoders[] = {
    {FP_NAMES_512, PRIVATE, decode_private_512, "Falcon-512 PKCS#8"},
    {FP_NAMES_512, PUBLIC, decode_public_512, "Falcon-512 SubjectPublicKeyInfo"},
    {FP_NAMES_1024, PRIVATE, decode_private_1024, "Falcon-1024 PKCS#8"},
    {FP_NAMES_1024, PUBLIC, decode_public_1024, "Falcon-1024 SubjectPublicKeyInfo"},
    {NULL, NULL, NULL, NULL}};
