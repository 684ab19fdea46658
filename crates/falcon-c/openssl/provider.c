/* Entry point of the provider: tables of algorithms, signature schemes of TLS, errors.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdarg.h>
#include <string.h>

/* Names of OpenSSL 3.2, which has signature schemes of providers in TLS. */
#ifndef OSSL_CAPABILITY_TLS_SIGALG_NAME
#define OSSL_CAPABILITY_TLS_SIGALG_IANA_NAME "tls-sigalg-iana-name"
#define OSSL_CAPABILITY_TLS_SIGALG_CODE_POINT "tls-sigalg-code-point"
#define OSSL_CAPABILITY_TLS_SIGALG_NAME "tls-sigalg-name"
#define OSSL_CAPABILITY_TLS_SIGALG_OID "tls-sigalg-oid"
#define OSSL_CAPABILITY_TLS_SIGALG_SECURITY_BITS "tls-sigalg-sec-bits"
#define OSSL_CAPABILITY_TLS_SIGALG_MIN_TLS "tls-min-tls"
#define OSSL_CAPABILITY_TLS_SIGALG_MAX_TLS "tls-max-tls"
#endif

/* Object identifiers and code points are those of the OQS provider 0.8 and later. */
const fp_algorithm fp_falcon512 = {
    FALCONSIGN_FALCON_512, "falcon512", "Falcon-512", "1.3.9999.3.11",
    {0x30, 0x07, 0x06, 0x05, 0x2b, 0xce, 0x0f, 0x03, 0x0b}, 128, 1, 0xfed7};
const fp_algorithm fp_falcon1024 = {
    FALCONSIGN_FALCON_1024, "falcon1024", "Falcon-1024", "1.3.9999.3.14",
    {0x30, 0x07, 0x06, 0x05, 0x2b, 0xce, 0x0f, 0x03, 0x0e}, 256, 5, 0xfeda};

/* Number of status codes that are errors, and the other reasons. */
enum { STATUSES = 34 };
_Static_assert(FALCONSIGN_ERROR_INTERNAL == -STATUSES, "the last status code");
static const OSSL_ITEM OTHER_REASONS[] = {
    {FP_REASON_KEY_MISSING, "the operation needs a secret or public key that is not there"},
    {FP_REASON_DIGEST, "Falcon signs the message itself: give no digest"},
    {FP_REASON_PARAMETER, "a parameter has a wrong type or length"},
    {FP_REASON_KEY_PAIR, "the public key is not that of the secret key"},
    {FP_REASON_NO_MEMORY, "no memory"},
    {FP_REASON_PASSPHRASE, "no passphrase was given for the encrypted key"},
    {FP_REASON_CIPHER, "OpenSSL does not have the cipher for the encrypted key"},
    {FP_REASON_ENCRYPTION, "OpenSSL did not encrypt the key"},
    {FP_REASON_OUTPUT, "the key could not be written"},
    {FP_REASON_NOT_STARTED, "the signature context was not initialised with a key"},
};
enum { OTHERS = sizeof OTHER_REASONS / sizeof OTHER_REASONS[0] };

struct fp_provider {
    const OSSL_CORE_HANDLE *core;
    OSSL_LIB_CTX *library;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_ITEM reasons[STATUSES + OTHERS + 1];
};

OSSL_LIB_CTX *fp_library(const fp_provider *provider) { return provider->library; }

static void set_error(const fp_provider *provider, int reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    provider->vset_error(provider->core, (uint32_t)reason, format, arguments);
    va_end(arguments);
}

int fp_raise(const fp_provider *provider, int reason, const char *file, int line,
             const char *function) {
    provider->new_error(provider->core);
    provider->set_error_debug(provider->core, file, line, function);
    set_error(provider, reason, NULL);
    return 0;
}

int fp_check(const fp_provider *provider, int status, const char *file, int line,
             const char *function) {
    return status == FALCONSIGN_OK || fp_raise(provider, -status, file, line, function);
}

/* Lists the texts of errors. */
static void list_reasons(OSSL_ITEM *reasons) {
    for (int i = 0; i < STATUSES; i++) {
        reasons[i].id = (unsigned int)(i + 1);
        reasons[i].ptr = (void *)(uintptr_t)falconsign_status_text(-(i + 1));
    }
    for (int i = 0; i < OTHERS; i++) reasons[STATUSES + i] = OTHER_REASONS[i];
    reasons[STATUSES + OTHERS].id = 0;
    reasons[STATUSES + OTHERS].ptr = NULL;
}

static const OSSL_ITEM *reason_strings(void *provider) {
    return ((fp_provider *)provider)->reasons;
}

static const OSSL_PARAM *gettable_params(void *provider) {
    static const OSSL_PARAM LIST[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
                                      OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
                                      OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
                                      OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL), OSSL_PARAM_END};
    (void)provider;
    return LIST;
}

static int get_params(void *provider, OSSL_PARAM parameters[]) {
    OSSL_PARAM *it;
    (void)provider;
    it = OSSL_PARAM_locate(parameters, OSSL_PROV_PARAM_NAME);
    if (it != NULL && !OSSL_PARAM_set_utf8_ptr(it, "Falcon signatures (round 3)")) return 0;
    it = OSSL_PARAM_locate(parameters, OSSL_PROV_PARAM_VERSION);
    if (it != NULL && !OSSL_PARAM_set_utf8_ptr(it, falconsign_version())) return 0;
    it = OSSL_PARAM_locate(parameters, OSSL_PROV_PARAM_BUILDINFO);
    if (it != NULL && !OSSL_PARAM_set_utf8_ptr(it, falconsign_engine())) return 0;
    it = OSSL_PARAM_locate(parameters, OSSL_PROV_PARAM_STATUS);
    return it == NULL || OSSL_PARAM_set_int(it, 1);
}

static const OSSL_ALGORITHM KEYS[] = {
    {FP_NAMES_512, FP_PROPERTIES, fp_key_functions_512, "Falcon-512 keys"},
    {FP_NAMES_1024, FP_PROPERTIES, fp_key_functions_1024, "Falcon-1024 keys"},
    {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM SIGNATURES[] = {
    {FP_NAMES_512, FP_PROPERTIES, fp_signature_functions, "Falcon-512 signatures"},
    {FP_NAMES_1024, FP_PROPERTIES, fp_signature_functions, "Falcon-1024 signatures"},
    {NULL, NULL, NULL, NULL}};

static const OSSL_ALGORITHM *query_operation(void *provider, int operation, int *no_store) {
    (void)provider;
    *no_store = 0;
    switch (operation) {
    case OSSL_OP_KEYMGMT: return KEYS;
    case OSSL_OP_SIGNATURE: return SIGNATURES;
    case OSSL_OP_ENCODER: return fp_encoders;
    case OSSL_OP_DECODER: return fp_decoders;
    default: return NULL;
    }
}

/* Tells TLS about the signature scheme of a parameter set. */
static int tls_scheme(const fp_algorithm *algorithm, OSSL_CALLBACK *callback, void *argument) {
    unsigned int code_point = algorithm->code_point, bits = algorithm->security_bits;
    int first = 0x0304, last = 0; /* TLS 1.3 and later */
    char *name = (char *)(uintptr_t)algorithm->name, *oid = (char *)(uintptr_t)algorithm->oid;
    OSSL_PARAM scheme[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_SIGALG_IANA_NAME, name, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_SIGALG_NAME, name, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_SIGALG_OID, oid, 0),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_SIGALG_CODE_POINT, &code_point),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_SIGALG_SECURITY_BITS, &bits),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_SIGALG_MIN_TLS, &first),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_SIGALG_MAX_TLS, &last),
        OSSL_PARAM_construct_end()};
    return callback(scheme, argument);
}

static int get_capabilities(void *provider, const char *capability, OSSL_CALLBACK *callback,
                            void *argument) {
    (void)provider;
    /* Nothing to tell. A failure here would end every use of TLS. */
    if (strcmp(capability, "TLS-SIGALG") != 0) return 1;
    return tls_scheme(&fp_falcon512, callback, argument) &&
           tls_scheme(&fp_falcon1024, callback, argument);
}

static void teardown(void *argument) {
    fp_provider *provider = argument;
    OSSL_LIB_CTX_free(provider->library);
    OPENSSL_free(provider);
}

static const OSSL_DISPATCH FUNCTIONS[] = {
    FP_FUNCTION(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
    FP_FUNCTION(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params),
    FP_FUNCTION(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
    FP_FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation),
    FP_FUNCTION(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, reason_strings),
    FP_FUNCTION(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, get_capabilities),
    FP_FUNCTIONS_END};

/* Names the object identifier of a parameter set, for keys and for signatures without a digest. */
static int name_objects(const OSSL_CORE_HANDLE *core, const fp_algorithm *algorithm,
                        OSSL_FUNC_core_obj_create_fn *create,
                        OSSL_FUNC_core_obj_add_sigid_fn *add) {
    return create(core, algorithm->oid, algorithm->name, algorithm->name) &&
           add(core, algorithm->oid, "", algorithm->oid);
}

/* The only symbol that the library exports. */
__attribute__((visibility("default")))
int OSSL_provider_init(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *from_core,
                       const OSSL_DISPATCH **functions, void **context) {
    OSSL_FUNC_core_obj_create_fn *create = NULL;
    OSSL_FUNC_core_obj_add_sigid_fn *add = NULL;
    fp_provider *provider = OPENSSL_zalloc(sizeof *provider);
    if (provider == NULL) return 0;
    provider->core = core;
    for (const OSSL_DISPATCH *it = from_core; it->function_id != 0; it++) {
        switch (it->function_id) {
        case OSSL_FUNC_CORE_NEW_ERROR: provider->new_error = OSSL_FUNC_core_new_error(it); break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            provider->set_error_debug = OSSL_FUNC_core_set_error_debug(it);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR: provider->vset_error = OSSL_FUNC_core_vset_error(it); break;
        case OSSL_FUNC_CORE_OBJ_CREATE: create = OSSL_FUNC_core_obj_create(it); break;
        case OSSL_FUNC_CORE_OBJ_ADD_SIGID: add = OSSL_FUNC_core_obj_add_sigid(it); break;
        default: break;
        }
    }
    if (provider->new_error == NULL || provider->set_error_debug == NULL ||
        provider->vset_error == NULL || create == NULL || add == NULL ||
        !name_objects(core, &fp_falcon512, create, add) ||
        !name_objects(core, &fp_falcon1024, create, add) ||
        (provider->library = OSSL_LIB_CTX_new_from_dispatch(core, from_core)) == NULL) {
        OPENSSL_free(provider);
        return 0;
    }
    list_reasons(provider->reasons);
    *context = provider;
    *functions = FUNCTIONS;
    return 1;
}
