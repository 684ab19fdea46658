/* Keys as DER, PEM and text. PrivateKeyInfo is encrypted if OpenSSL names a cipher.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "provider.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <string.h>

/* Longest passphrase. */
enum { PASSPHRASE_MAX = 1024 };
/* Bytes in a line of text. */
enum { LINE = 15 };

typedef struct {
    fp_provider *provider;
    EVP_CIPHER *cipher; /* NULL if a secret key is not encrypted */
} encoder;

static void *encoder_new(void *provider) {
    encoder *it = OPENSSL_zalloc(sizeof *it);
    if (it == NULL) {
        FP_RAISE(provider, FP_REASON_NO_MEMORY);
        return NULL;
    }
    it->provider = provider;
    return it;
}

static void encoder_free(void *argument) {
    encoder *it = argument;
    if (it == NULL) return;
    EVP_CIPHER_free(it->cipher);
    OPENSSL_free(it);
}

static const OSSL_PARAM *settable_params(void *provider) {
    static const OSSL_PARAM LIST[] = {
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_CIPHER, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_PROPERTIES, NULL, 0), OSSL_PARAM_END};
    (void)provider;
    return LIST;
}

static int set_params(void *argument, const OSSL_PARAM parameters[]) {
    encoder *it = argument;
    const OSSL_PARAM *cipher = OSSL_PARAM_locate_const(parameters, OSSL_ENCODER_PARAM_CIPHER);
    const OSSL_PARAM *wanted = OSSL_PARAM_locate_const(parameters, OSSL_ENCODER_PARAM_PROPERTIES);
    const char *name = NULL, *properties = NULL;
    if (cipher == NULL) return 1;
    if (!OSSL_PARAM_get_utf8_string_ptr(cipher, &name) ||
        (wanted != NULL && !OSSL_PARAM_get_utf8_string_ptr(wanted, &properties)))
        return FP_RAISE(it->provider, FP_REASON_PARAMETER);
    EVP_CIPHER_free(it->cipher);
    it->cipher = NULL;
    if (name == NULL) return 1;
    it->cipher = EVP_CIPHER_fetch(fp_library(it->provider), name, properties);
    return it->cipher != NULL || FP_RAISE(it->provider, FP_REASON_CIPHER);
}

/* Writes a document as PEM if it has a label, or else as DER. */
static int write_document(const encoder *it, OSSL_CORE_BIO *core, const char *label,
                          const uint8_t *document, size_t len) {
    BIO *output = BIO_new_from_core_bio(fp_library(it->provider), core);
    size_t written = 0;
    int done;
    if (output == NULL) return FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
    if (label != NULL)
        done = PEM_write_bio(output, label, "", document, (long)len) > 0;
    else
        done = BIO_write_ex(output, document, len, &written) == 1 && written == len;
    BIO_free(output);
    return done || FP_RAISE(it->provider, FP_REASON_OUTPUT);
}

/* Asks for a passphrase and encrypts a document. */
static X509_SIG *encrypt(const encoder *it, const uint8_t *document, size_t len,
                         OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    char passphrase[PASSPHRASE_MAX];
    size_t passphrase_len = 0;
    const uint8_t *place = document;
    PKCS8_PRIV_KEY_INFO *plain = NULL;
    X509_SIG *encrypted = NULL;
    if (ask == NULL ||
        !ask(passphrase, sizeof passphrase, &passphrase_len, NULL, ask_argument)) {
        FP_RAISE(it->provider, FP_REASON_PASSPHRASE);
    } else {
        plain = d2i_PKCS8_PRIV_KEY_INFO(NULL, &place, (long)len);
        if (plain != NULL)
            encrypted = PKCS8_encrypt_ex(-1, it->cipher, passphrase, (int)passphrase_len, NULL, 0,
                                         0, plain, fp_library(it->provider), NULL);
        if (encrypted == NULL) FP_RAISE(it->provider, FP_REASON_ENCRYPTION);
        PKCS8_PRIV_KEY_INFO_free(plain);
    }
    OPENSSL_cleanse(passphrase, sizeof passphrase);
    return encrypted;
}

/* Writes a PrivateKeyInfo under the cipher. */
static int write_encrypted(const encoder *it, OSSL_CORE_BIO *core, int pem,
                           const uint8_t *document, size_t len, OSSL_PASSPHRASE_CALLBACK *ask,
                           void *ask_argument) {
    X509_SIG *encrypted = encrypt(it, document, len, ask, ask_argument);
    uint8_t *der = NULL;
    int der_len, done = 0;
    if (encrypted == NULL) return 0;
    der_len = i2d_X509_SIG(encrypted, &der);
    X509_SIG_free(encrypted);
    if (der_len > 0)
        done = write_document(it, core, pem ? PEM_STRING_PKCS8 : NULL, der, (size_t)der_len);
    else
        FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
    OPENSSL_free(der);
    return done;
}

static int encode_private(const encoder *it, OSSL_CORE_BIO *core, const fp_key *key, int pem,
                          OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    uint8_t document[FALCONSIGN_DOCUMENT_MAX];
    size_t len;
    int done = 0;
    if (fp_key_secret(key) == NULL) return FP_RAISE(it->provider, FP_REASON_KEY_MISSING);
    if (FP_OK(it->provider, falconsign_signing_key_to_der(fp_key_secret(key), NULL, 0, document,
                                                          sizeof document, &len))) {
        if (it->cipher != NULL)
            done = write_encrypted(it, core, pem, document, len, ask, ask_argument);
        else
            done = write_document(it, core, pem ? PEM_STRING_PKCS8INF : NULL, document, len);
    }
    OPENSSL_cleanse(document, sizeof document);
    return done;
}

static int encode_public(const encoder *it, OSSL_CORE_BIO *core, const fp_key *key, int pem) {
    uint8_t document[FALCONSIGN_DOCUMENT_MAX];
    size_t len;
    if (fp_key_public(key) == NULL) return FP_RAISE(it->provider, FP_REASON_KEY_MISSING);
    return FP_OK(it->provider,
                 falconsign_verifying_key_to_der(fp_key_public(key), document, sizeof document,
                                                 &len)) &&
           write_document(it, core, pem ? PEM_STRING_PUBLIC : NULL, document, len);
}

/* Prints bytes in hexadecimal, under a title. */
static int print_bytes(BIO *output, const char *title, const uint8_t *bytes, size_t len) {
    if (BIO_printf(output, "%s:", title) <= 0) return 0;
    for (size_t i = 0; i < len; i++) {
        const char *before = i % LINE == 0 ? "\n    " : "";
        if (BIO_printf(output, "%s%02x%s", before, bytes[i], i + 1 < len ? ":" : "\n") <= 0)
            return 0;
    }
    return 1;
}

/* Prints the halves that the selection asks for, as OpenSSL does for its own keys. */
static int print(const encoder *it, BIO *output, const fp_key *key, int selection) {
    const fp_algorithm *algorithm = fp_key_algorithm(key);
    uint8_t bytes[FALCONSIGN_1024_SIGNING_KEY_LEN];
    int private = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
    int done = BIO_printf(output, "%s %s-Key:\n", algorithm->title,
                          private ? "Private" : "Public") > 0;
    if (private) {
        done = done &&
               FP_OK(it->provider,
                     falconsign_signing_key_to_bytes(fp_key_secret(key), bytes, sizeof bytes)) &&
               print_bytes(output, "priv", bytes, falconsign_signing_key_len(algorithm->set));
        OPENSSL_cleanse(bytes, sizeof bytes);
    }
    return done &&
           FP_OK(it->provider,
                 falconsign_verifying_key_to_bytes(fp_key_public(key), bytes, sizeof bytes)) &&
           print_bytes(output, "pub", bytes, falconsign_verifying_key_len(algorithm->set));
}

static int encode_text(const encoder *it, OSSL_CORE_BIO *core, const fp_key *key, int selection) {
    BIO *output;
    int done;
    if (fp_key_public(key) == NULL ||
        ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && fp_key_secret(key) == NULL))
        return FP_RAISE(it->provider, FP_REASON_KEY_MISSING);
    output = BIO_new_from_core_bio(fp_library(it->provider), core);
    if (output == NULL) return FP_RAISE(it->provider, FP_REASON_NO_MEMORY);
    done = print(it, output, key, selection);
    BIO_free(output);
    return done || FP_RAISE(it->provider, FP_REASON_OUTPUT);
}

/* Makes a key of what another provider exported. */
static void *import(fp_provider *provider, const fp_algorithm *algorithm, int selection,
                    const OSSL_PARAM parameters[]) {
    fp_key *key = fp_key_new(provider, algorithm);
    if (key == NULL || fp_key_import(key, selection, parameters)) return key;
    fp_key_free(key);
    return NULL;
}

static void *import_512(void *argument, int selection, const OSSL_PARAM parameters[]) {
    return import(((encoder *)argument)->provider, &fp_falcon512, selection, parameters);
}

static void *import_1024(void *argument, int selection, const OSSL_PARAM parameters[]) {
    return import(((encoder *)argument)->provider, &fp_falcon1024, selection, parameters);
}

/* Functions that encode a key in one form. An abstract object is the business of its provider. */
#define ENCODE(form, call)                                                                    \
    static int encode_##form(void *argument, OSSL_CORE_BIO *core, const void *key,            \
                             const OSSL_PARAM abstract[], int selection,                      \
                             OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {             \
        const encoder *it = argument;                                                         \
        (void)selection;                                                                      \
        (void)ask;                                                                            \
        (void)ask_argument;                                                                   \
        if (abstract != NULL || key == NULL)                                                  \
            return FP_RAISE(it->provider, FP_REASON_PARAMETER);                               \
        return call;                                                                          \
    }

ENCODE(private_der, encode_private(it, core, key, 0, ask, ask_argument))
ENCODE(private_pem, encode_private(it, core, key, 1, ask, ask_argument))
ENCODE(encrypted_der, it->cipher != NULL ? encode_private(it, core, key, 0, ask, ask_argument)
                                         : FP_RAISE(it->provider, FP_REASON_CIPHER))
ENCODE(encrypted_pem, it->cipher != NULL ? encode_private(it, core, key, 1, ask, ask_argument)
                                         : FP_RAISE(it->provider, FP_REASON_CIPHER))
ENCODE(public_der, encode_public(it, core, key, 0))
ENCODE(public_pem, encode_public(it, core, key, 1))
ENCODE(any_text, encode_text(it, core, key, selection))

#define ENCODER_FUNCTIONS(set, half, form)                                      \
    static const OSSL_DISPATCH encode_##form##_##set[] = {                      \
        FP_FUNCTION(OSSL_FUNC_ENCODER_NEWCTX, encoder_new),                     \
        FP_FUNCTION(OSSL_FUNC_ENCODER_FREECTX, encoder_free),                   \
        FP_FUNCTION(OSSL_FUNC_ENCODER_SETTABLE_CTX_PARAMS, settable_params),    \
        FP_FUNCTION(OSSL_FUNC_ENCODER_SET_CTX_PARAMS, set_params),              \
        FP_FUNCTION(OSSL_FUNC_ENCODER_DOES_SELECTION, fp_selects_##half),       \
        FP_FUNCTION(OSSL_FUNC_ENCODER_IMPORT_OBJECT, import_##set),             \
        FP_FUNCTION(OSSL_FUNC_ENCODER_FREE_OBJECT, fp_key_free),                \
        FP_FUNCTION(OSSL_FUNC_ENCODER_ENCODE, encode_##form),                   \
        FP_FUNCTIONS_END};

#define FORMS(set)                                 \
    ENCODER_FUNCTIONS(set, private, private_der)   \
    ENCODER_FUNCTIONS(set, private, private_pem)   \
    ENCODER_FUNCTIONS(set, private, encrypted_der) \
    ENCODER_FUNCTIONS(set, private, encrypted_pem) \
    ENCODER_FUNCTIONS(set, public, public_der)     \
    ENCODER_FUNCTIONS(set, public, public_pem)     \
    ENCODER_FUNCTIONS(set, any, any_text)
FORMS(512)
FORMS(1024)

#define DER(structure) FP_PROPERTIES ",output=der,structure=" structure
#define PEM(structure) FP_PROPERTIES ",output=pem,structure=" structure
#define ENCODERS(set, title)                                                                     \
    {FP_NAMES_##set, DER("PrivateKeyInfo"), encode_private_der_##set, title " PKCS#8"},          \
    {FP_NAMES_##set, PEM("PrivateKeyInfo"), encode_private_pem_##set, title " PKCS#8"},          \
    {FP_NAMES_##set, DER("EncryptedPrivateKeyInfo"), encode_encrypted_der_##set,                 \
     title " PKCS#8, encrypted"},                                                                \
    {FP_NAMES_##set, PEM("EncryptedPrivateKeyInfo"), encode_encrypted_pem_##set,                 \
     title " PKCS#8, encrypted"},                                                                \
    {FP_NAMES_##set, DER("SubjectPublicKeyInfo"), encode_public_der_##set,                       \
     title " SubjectPublicKeyInfo"},                                                             \
    {FP_NAMES_##set, PEM("SubjectPublicKeyInfo"), encode_public_pem_##set,                       \
     title " SubjectPublicKeyInfo"},                                                             \
    {FP_NAMES_##set, FP_PROPERTIES ",output=text", encode_any_text_##set, title " text"}

const OSSL_ALGORITHM fp_encoders[] = {ENCODERS(512, "Falcon-512"), ENCODERS(1024, "Falcon-1024"),
                                      {NULL, NULL, NULL, NULL}};
