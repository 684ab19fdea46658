/* Calls every function with NULL, wrong lengths, wrong constants and overlapping buffers. */
#include "check.h"

static falconsign_signing_key *key, *large, *no_key;
static falconsign_verifying_key *public_key, *large_public, *no_public;
static falconsign_signer *signer, *no_signer;
static falconsign_verifier *verifier, *no_verifier;
static falconsign_threads *threads;
static uint8_t out[FALCONSIGN_SIGNATURE_MAX], bytes[64], stored[FALCONSIGN_1024_SIGNING_KEY_LEN];
static char pem[FALCONSIGN_DOCUMENT_MAX];
static uint8_t der[FALCONSIGN_DOCUMENT_MAX];
static size_t length, pem_len;

/* A length that no object has. The pointer beside it is never followed. */
#define HUGE_LEN ((size_t)-1)
/* A length that no object has either, though adding it to a pointer does not overflow. */
#define HALF_LEN ((size_t)-1 / 2 + 1)

#define NULL_POINTER(call) RETURNS(FALCONSIGN_ERROR_NULL_POINTER, call)
#define ARGUMENT(call) RETURNS(FALCONSIGN_ERROR_ARGUMENT, call)
#define MISALIGNED(call) RETURNS(FALCONSIGN_ERROR_MISALIGNED_POINTER, call)
#define LENGTH(call) RETURNS(FALCONSIGN_ERROR_LENGTH, call)
#define TOO_SMALL(call) RETURNS(FALCONSIGN_ERROR_BUFFER_TOO_SMALL, call)
#define OVERLAP(call) RETURNS(FALCONSIGN_ERROR_OVERLAP, call)

/* A pointer to no multiple of the alignment. It is never followed. */
static void *misaligned(void *pointer) { return (void *)((uintptr_t)pointer | 1); }

static void information(void)
{
    CHECK(falconsign_version() != NULL && falconsign_engine() != NULL);
    for (int status = -40; status < 3; status++)
        CHECK(strlen(falconsign_status_text(status)) > 0);
    for (int set = -2; set < 2000; set++) {
        int known = set == FALCONSIGN_FALCON_512 || set == FALCONSIGN_FALCON_1024;
        CHECK((falconsign_parameter_set_name(set) != NULL) == known);
        CHECK((falconsign_signing_key_len(set) != 0) == known);
        CHECK((falconsign_verifying_key_len(set) != 0) == known);
        for (int format = -1; format < 6; format++)
            CHECK((falconsign_signature_max_len(set, format) != 0) ==
                  (known && format >= FALCONSIGN_COMPRESSED && format <= FALCONSIGN_CT));
    }
}

static void signing_keys(void)
{
    NULL_POINTER(falconsign_signing_key_generate(FALCONSIGN_FALCON_512, NULL));
    ARGUMENT(falconsign_signing_key_generate(256, &no_key));
    MISALIGNED(falconsign_signing_key_generate(
        FALCONSIGN_FALCON_512, (falconsign_signing_key **)misaligned(&no_key)));
    NULL_POINTER(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, NULL, 32, &no_key));
    NULL_POINTER(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, bytes, 32, NULL));
    ARGUMENT(falconsign_signing_key_from_seed(0, bytes, 32, &no_key));
    LENGTH(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, NULL, 0, &no_key));
    NULL_POINTER(falconsign_signing_key_from_reference_seed(FALCONSIGN_FALCON_512, NULL, 48, &no_key));
    NULL_POINTER(falconsign_signing_key_from_reference_seed(FALCONSIGN_FALCON_512, bytes, 48, NULL));
    ARGUMENT(falconsign_signing_key_from_reference_seed(-512, bytes, 48, &no_key));
    for (size_t n = 0; n <= sizeof bytes; n++) {
        if (n != 32)
            LENGTH(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, bytes, n, &no_key));
        if (n != 48)
            LENGTH(falconsign_signing_key_from_reference_seed(FALCONSIGN_FALCON_512, bytes, n,
                                                              &no_key));
    }
    LENGTH(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, bytes, HUGE_LEN, &no_key));
    LENGTH(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, bytes, HALF_LEN, &no_key));
    LENGTH(falconsign_signing_key_from_algorand_seed(NULL, 0, &no_key));
    LENGTH(falconsign_signing_key_from_algorand_seed(bytes, HUGE_LEN, &no_key));
    NULL_POINTER(falconsign_signing_key_from_algorand_seed(NULL, 5, &no_key));
    NULL_POINTER(falconsign_signing_key_from_algorand_seed(bytes, 5, NULL));

    NULL_POINTER(falconsign_signing_key_from_bytes(NULL, 1281, &no_key));
    NULL_POINTER(falconsign_signing_key_from_bytes(stored, 1281, NULL));
    OK(falconsign_signing_key_to_bytes(key, stored, sizeof stored));
    for (size_t n = 0; n <= sizeof stored; n++)
        if (n != FALCONSIGN_512_SIGNING_KEY_LEN)
            LENGTH(falconsign_signing_key_from_bytes(stored, n, &no_key));
    LENGTH(falconsign_signing_key_from_bytes(stored, HUGE_LEN, &no_key));
    NULL_POINTER(falconsign_signing_key_to_bytes(NULL, stored, sizeof stored));
    NULL_POINTER(falconsign_signing_key_to_bytes(key, NULL, sizeof stored));
    TOO_SMALL(falconsign_signing_key_to_bytes(key, stored, FALCONSIGN_512_SIGNING_KEY_LEN - 1));
    TOO_SMALL(falconsign_signing_key_to_bytes(key, stored, 0));
    LENGTH(falconsign_signing_key_to_bytes(key, stored, HUGE_LEN));
    MISALIGNED(falconsign_signing_key_to_bytes(
        (const falconsign_signing_key *)misaligned(key), stored, sizeof stored));

    NULL_POINTER(falconsign_signing_key_expand(NULL, &no_key));
    NULL_POINTER(falconsign_signing_key_expand(key, NULL));
    NULL_POINTER(falconsign_signing_key_verifying_key(NULL, &no_public));
    NULL_POINTER(falconsign_signing_key_verifying_key(key, NULL));
    CHECK(falconsign_signing_key_parameter_set(NULL) == 0);
    falconsign_signing_key_free(NULL);
    CHECK(no_key == NULL && no_public == NULL);
}

static void verifying_keys(void)
{
    NULL_POINTER(falconsign_verifying_key_from_bytes(NULL, 897, &no_public));
    NULL_POINTER(falconsign_verifying_key_from_bytes(stored, 897, NULL));
    OK(falconsign_verifying_key_to_bytes(public_key, stored, sizeof stored));
    for (size_t n = 0; n <= sizeof stored; n++)
        if (n != FALCONSIGN_512_VERIFYING_KEY_LEN)
            LENGTH(falconsign_verifying_key_from_bytes(stored, n, &no_public));
    LENGTH(falconsign_verifying_key_from_bytes(stored, HALF_LEN, &no_public));
    NULL_POINTER(falconsign_verifying_key_to_bytes(NULL, stored, sizeof stored));
    NULL_POINTER(falconsign_verifying_key_to_bytes(public_key, NULL, sizeof stored));
    TOO_SMALL(falconsign_verifying_key_to_bytes(public_key, stored, 896));
    NULL_POINTER(falconsign_verifying_key_fingerprint(NULL, out, 32));
    NULL_POINTER(falconsign_verifying_key_fingerprint(public_key, NULL, 32));
    TOO_SMALL(falconsign_verifying_key_fingerprint(public_key, out, 31));
    CHECK(falconsign_verifying_key_parameter_set(NULL) == 0);
    falconsign_verifying_key_free(NULL);
    CHECK(no_public == NULL);
}

static void documents(void)
{
    NULL_POINTER(falconsign_signing_key_to_pem(NULL, NULL, 0, pem, sizeof pem, &length));
    NULL_POINTER(falconsign_signing_key_to_pem(key, NULL, 0, pem, sizeof pem, NULL));
    NULL_POINTER(falconsign_signing_key_to_pem(key, NULL, 3, pem, sizeof pem, &length));
    LENGTH(falconsign_signing_key_to_pem(key, bytes, 0, pem, sizeof pem, &length));
    OVERLAP(falconsign_signing_key_to_pem(key, (uint8_t *)pem, 3, pem, sizeof pem, &length));
    TOO_SMALL(falconsign_signing_key_to_pem(key, NULL, 0, NULL, sizeof pem, &length));
    OK(falconsign_signing_key_to_pem(key, NULL, 0, pem, sizeof pem, &pem_len));
    NULL_POINTER(falconsign_signing_key_from_pem(NULL, pem_len, NULL, 0, &no_key));
    NULL_POINTER(falconsign_signing_key_from_pem(pem, pem_len, NULL, 0, NULL));
    NULL_POINTER(falconsign_signing_key_from_pem(pem, pem_len, NULL, 4, &no_key));
    LENGTH(falconsign_signing_key_from_pem(pem, HUGE_LEN, NULL, 0, &no_key));
    for (size_t n = 0; n < pem_len - 1; n += 7)
        RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
                falconsign_signing_key_from_pem(pem, n, NULL, 0, &no_key));

    NULL_POINTER(falconsign_signing_key_to_der(NULL, NULL, 0, der, sizeof der, &length));
    NULL_POINTER(falconsign_signing_key_to_der(key, NULL, 0, der, sizeof der, NULL));
    LENGTH(falconsign_signing_key_to_der(key, bytes, 0, der, sizeof der, &length));
    OVERLAP(falconsign_signing_key_to_der(key, der + 9, 3, der, sizeof der, &length));
    OK(falconsign_signing_key_to_der(key, NULL, 0, der, sizeof der, &pem_len));
    TOO_SMALL(falconsign_signing_key_to_der(key, NULL, 0, der, pem_len - 1, &length));
    NULL_POINTER(falconsign_signing_key_from_der(NULL, pem_len, NULL, 0, &no_key));
    NULL_POINTER(falconsign_signing_key_from_der(der, pem_len, NULL, 0, NULL));
    for (size_t n = 0; n < pem_len; n += 7)
        RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
                falconsign_signing_key_from_der(der, n, NULL, 0, &no_key));

    NULL_POINTER(falconsign_verifying_key_to_pem(NULL, pem, sizeof pem, &length));
    NULL_POINTER(falconsign_verifying_key_to_pem(public_key, pem, sizeof pem, NULL));
    TOO_SMALL(falconsign_verifying_key_to_pem(public_key, pem, 100, &length));
    OK(falconsign_verifying_key_to_pem(public_key, pem, sizeof pem, &pem_len));
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
            falconsign_signing_key_from_pem(pem, pem_len, NULL, 0, &no_key));
    NULL_POINTER(falconsign_verifying_key_from_pem(NULL, pem_len, &no_public));
    NULL_POINTER(falconsign_verifying_key_from_pem(pem, pem_len, NULL));
    for (size_t n = 0; n < pem_len - 1; n += 7)
        RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
                falconsign_verifying_key_from_pem(pem, n, &no_public));
    NULL_POINTER(falconsign_verifying_key_to_der(NULL, der, sizeof der, &length));
    NULL_POINTER(falconsign_verifying_key_to_der(public_key, der, sizeof der, NULL));
    TOO_SMALL(falconsign_verifying_key_to_der(public_key, der, 100, &length));
    OK(falconsign_verifying_key_to_der(public_key, der, sizeof der, &pem_len));
    NULL_POINTER(falconsign_verifying_key_from_der(NULL, pem_len, &no_public));
    NULL_POINTER(falconsign_verifying_key_from_der(der, pem_len, NULL));
    for (size_t n = 0; n < pem_len; n += 7)
        RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
                falconsign_verifying_key_from_der(der, n, &no_public));
    CHECK(no_key == NULL && no_public == NULL);
}

static void one_message(void)
{
    NULL_POINTER(falconsign_sign(NULL, bytes, 8, FALCONSIGN_PADDED, out, sizeof out, &length));
    NULL_POINTER(falconsign_sign(key, NULL, 8, FALCONSIGN_PADDED, out, sizeof out, &length));
    NULL_POINTER(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, NULL, sizeof out, &length));
    NULL_POINTER(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, out, sizeof out, NULL));
    LENGTH(falconsign_sign(key, bytes, HUGE_LEN, FALCONSIGN_PADDED, out, sizeof out, &length));
    LENGTH(falconsign_sign(key, bytes, HALF_LEN, FALCONSIGN_PADDED, out, sizeof out, &length));
    LENGTH(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, out, HUGE_LEN, &length));
    ARGUMENT(falconsign_sign(key, bytes, 8, 0, out, sizeof out, &length));
    ARGUMENT(falconsign_sign(key, bytes, 8, 4, out, sizeof out, &length));
    TOO_SMALL(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, out, 665, &length));
    TOO_SMALL(falconsign_sign(key, bytes, 8, FALCONSIGN_COMPRESSED, out, 751, &length));
    TOO_SMALL(falconsign_sign(key, bytes, 8, FALCONSIGN_CT, out, 808, &length));
    TOO_SMALL(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, out, 0, &length));
    OVERLAP(falconsign_sign(key, out, 1, FALCONSIGN_PADDED, out, sizeof out, &length));
    OVERLAP(falconsign_sign(key, out + 700, 9, FALCONSIGN_PADDED, out, 701, &length));
    OVERLAP(falconsign_sign(key, (uint8_t *)&length, 1, FALCONSIGN_PADDED, out, sizeof out, &length));
    CHECK(length == 0);
    OK(falconsign_sign(key, out + 700, 9, FALCONSIGN_PADDED, out, 700, &length));

    OK(falconsign_sign(key, bytes, 8, FALCONSIGN_PADDED, out, sizeof out, &length));
    NULL_POINTER(falconsign_verify(NULL, bytes, 8, FALCONSIGN_PADDED, out, length));
    NULL_POINTER(falconsign_verify(public_key, NULL, 8, FALCONSIGN_PADDED, out, length));
    NULL_POINTER(falconsign_verify(public_key, bytes, 8, FALCONSIGN_PADDED, NULL, length));
    LENGTH(falconsign_verify(public_key, bytes, HUGE_LEN, FALCONSIGN_PADDED, out, length));
    LENGTH(falconsign_verify(public_key, bytes, 8, FALCONSIGN_PADDED, out, HALF_LEN));
    ARGUMENT(falconsign_verify(public_key, bytes, 8, -1, out, length));
    RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
            falconsign_verify(large_public, bytes, 8, FALCONSIGN_PADDED, out, length));
    for (size_t n = 0; n < sizeof out; n++)
        if (n != length)
            RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                    falconsign_verify(public_key, bytes, 8, FALCONSIGN_PADDED, out, n));
}

static void encoded_key(void)
{
    const int padded = FALCONSIGN_PADDED;
    uint8_t encoded[FALCONSIGN_1024_VERIFYING_KEY_LEN + 1] = {0};
    const size_t n = FALCONSIGN_512_VERIFYING_KEY_LEN;
    OK(falconsign_sign(key, bytes, 8, padded, out, sizeof out, &length));
    OK(falconsign_verifying_key_to_bytes(public_key, encoded, n));
    OK(falconsign_verify_encoded(encoded, n, bytes, 8, padded, out, length));
    NULL_POINTER(falconsign_verify_encoded(NULL, n, bytes, 8, padded, out, length));
    NULL_POINTER(falconsign_verify_encoded(encoded, n, NULL, 8, padded, out, length));
    NULL_POINTER(falconsign_verify_encoded(encoded, n, bytes, 8, padded, NULL, length));
    LENGTH(falconsign_verify_encoded(encoded, n, bytes, HUGE_LEN, padded, out, length));
    LENGTH(falconsign_verify_encoded(encoded, n, bytes, 8, padded, out, HALF_LEN));
    LENGTH(falconsign_verify_encoded(encoded, HUGE_LEN, bytes, 8, padded, out, length));
    ARGUMENT(falconsign_verify_encoded(encoded, n, bytes, 8, -1, out, length));
    for (size_t wrong = 0; wrong <= sizeof encoded; wrong++)
        if (wrong != n && wrong != FALCONSIGN_1024_VERIFYING_KEY_LEN)
            LENGTH(falconsign_verify_encoded(encoded, wrong, bytes, 8, padded, out, length));
    RETURNS(FALCONSIGN_ERROR_MALFORMED_KEY,
            falconsign_verify_encoded(encoded, FALCONSIGN_1024_VERIFYING_KEY_LEN, bytes, 8, padded,
                                      out, length));
    encoded[0] ^= 1;
    RETURNS(FALCONSIGN_ERROR_MALFORMED_KEY,
            falconsign_verify_encoded(encoded, n, bytes, 8, padded, out, length));
}

static void pieces(void)
{
    NULL_POINTER(falconsign_signer_new(NULL, &no_signer));
    NULL_POINTER(falconsign_signer_new(key, NULL));
    NULL_POINTER(falconsign_signer_update(NULL, bytes, 8));
    OK(falconsign_signer_new(key, &signer));
    NULL_POINTER(falconsign_signer_update(signer, NULL, 8));
    LENGTH(falconsign_signer_update(signer, bytes, HUGE_LEN));
    NULL_POINTER(falconsign_signer_finish(NULL, FALCONSIGN_PADDED, out, sizeof out, &length));
    NULL_POINTER(falconsign_signer_finish(signer, FALCONSIGN_PADDED, NULL, sizeof out, &length));
    NULL_POINTER(falconsign_signer_finish(signer, FALCONSIGN_PADDED, out, sizeof out, NULL));
    ARGUMENT(falconsign_signer_finish(signer, 7, out, sizeof out, &length));
    TOO_SMALL(falconsign_signer_finish(signer, FALCONSIGN_PADDED, out, 665, &length));
    OK(falconsign_signer_finish(signer, FALCONSIGN_PADDED, out, 666, &length));
    falconsign_signer_free(signer);
    falconsign_signer_free(NULL);

    NULL_POINTER(falconsign_verifier_new(NULL, FALCONSIGN_PADDED, out, length, &no_verifier));
    NULL_POINTER(falconsign_verifier_new(public_key, FALCONSIGN_PADDED, NULL, length, &no_verifier));
    NULL_POINTER(falconsign_verifier_new(public_key, FALCONSIGN_PADDED, out, length, NULL));
    ARGUMENT(falconsign_verifier_new(public_key, 9, out, length, &no_verifier));
    for (size_t n = 0; n < length; n++)
        RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                falconsign_verifier_new(public_key, FALCONSIGN_PADDED, out, n, &no_verifier));
    OK(falconsign_verifier_new(public_key, FALCONSIGN_PADDED, out, length, &verifier));
    NULL_POINTER(falconsign_verifier_update(NULL, bytes, 8));
    NULL_POINTER(falconsign_verifier_update(verifier, NULL, 8));
    LENGTH(falconsign_verifier_update(verifier, bytes, HALF_LEN));
    NULL_POINTER(falconsign_verifier_finish(NULL));
    OK(falconsign_verifier_finish(verifier));
    falconsign_verifier_free(verifier);
    falconsign_verifier_free(NULL);
    CHECK(no_signer == NULL && no_verifier == NULL);
}

static void batches(void)
{
    static uint8_t signatures[2][FALCONSIGN_SIGNATURE_MAX];
    uint8_t verdicts[2];
    size_t lengths[2];
    falconsign_sign_job jobs[2] = {{key, bytes, 8}, {large, NULL, 0}};
    falconsign_verify_job to_verify[2];
    NULL_POINTER(falconsign_threads_new(2, NULL));
    OK(falconsign_threads_new(1, &threads));

#define SIGN(jobs, count, format, out, stride, lengths) \
    falconsign_sign_batch(jobs, count, format, threads, out, stride, lengths)
    NULL_POINTER(SIGN(NULL, 2, FALCONSIGN_CT, signatures[0], 1577, lengths));
    NULL_POINTER(SIGN(jobs, 2, FALCONSIGN_CT, NULL, 1577, lengths));
    NULL_POINTER(SIGN(jobs, 2, FALCONSIGN_COMPRESSED, signatures[0], 1577, NULL));
    LENGTH(SIGN(jobs, HUGE_LEN, FALCONSIGN_CT, signatures[0], 1577, lengths));
    LENGTH(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], HUGE_LEN, lengths));
    LENGTH(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], HALF_LEN, lengths));
    lengths[0] = lengths[1] = 666;
    ARGUMENT(SIGN(jobs, 2, 0, signatures[0], 1577, lengths));
    CHECK(lengths[0] == 0 && lengths[1] == 0);
    MISALIGNED(SIGN((falconsign_sign_job *)misaligned(jobs), 1, FALCONSIGN_CT, signatures[0], 1577,
                  lengths));
    MISALIGNED(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, (size_t *)misaligned(lengths)));
    TOO_SMALL(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1576, lengths));
    TOO_SMALL(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 0, lengths));
    OVERLAP(SIGN(jobs, 2, FALCONSIGN_CT, (uint8_t *)jobs, 1577, lengths));
    OVERLAP(SIGN(jobs, 1, FALCONSIGN_CT, signatures[0], 1577, (size_t *)(void *)jobs));
    jobs[1].message = signatures[0];
    jobs[1].message_len = 1;
    OVERLAP(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, lengths));
    jobs[1].message = NULL;
    NULL_POINTER(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, lengths));
    jobs[1].message_len = 0;
    jobs[0].key = NULL;
    lengths[0] = lengths[1] = 666;
    NULL_POINTER(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, lengths));
    CHECK(lengths[0] == 0 && lengths[1] == 0);
    jobs[0].key = key;
    OK(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, NULL));
    OK(SIGN(jobs, 2, FALCONSIGN_CT, signatures[0], 1577, lengths));
    CHECK(lengths[0] == 809 && lengths[1] == 1577);

    for (int i = 0; i < 2; i++) {
        to_verify[i].key = i == 0 ? public_key : large_public;
        to_verify[i].message = jobs[i].message;
        to_verify[i].message_len = jobs[i].message_len;
        to_verify[i].signature = signatures[i];
        to_verify[i].signature_len = lengths[i];
    }
#define VERIFY(jobs, count, format, verdicts) \
    falconsign_verify_batch(jobs, count, format, threads, verdicts)
/* A batch of two that fails leaves no verdict that reads as valid. */
#define REFUSED(status, jobs, format) \
    do { \
        memset(verdicts, FALCONSIGN_VERDICT_VALID, sizeof verdicts); \
        status(VERIFY(jobs, 2, format, verdicts)); \
        CHECK(verdicts[0] != FALCONSIGN_VERDICT_VALID && verdicts[1] != FALCONSIGN_VERDICT_VALID); \
    } while (0)
    OK(VERIFY(to_verify, 2, FALCONSIGN_CT, verdicts));
    NULL_POINTER(VERIFY(to_verify, 2, FALCONSIGN_CT, NULL));
    LENGTH(VERIFY(to_verify, HUGE_LEN, FALCONSIGN_CT, verdicts));
    REFUSED(NULL_POINTER, NULL, FALCONSIGN_CT);
    REFUSED(MISALIGNED, (falconsign_verify_job *)misaligned(to_verify), FALCONSIGN_CT);
    REFUSED(ARGUMENT, to_verify, 5);
    OVERLAP(VERIFY(to_verify, 2, FALCONSIGN_CT, (uint8_t *)to_verify));
    OVERLAP(VERIFY(to_verify, 2, FALCONSIGN_CT, signatures[1]));
    OVERLAP(VERIFY(to_verify, 2, FALCONSIGN_CT, bytes));
    to_verify[0].message_len = HUGE_LEN;
    REFUSED(LENGTH, to_verify, FALCONSIGN_CT);
    to_verify[0].message_len = 8;
    to_verify[1].signature = NULL;
    REFUSED(NULL_POINTER, to_verify, FALCONSIGN_CT);
    to_verify[1].key = (const falconsign_verifying_key *)misaligned(large_public);
    to_verify[1].signature = signatures[1];
    REFUSED(MISALIGNED, to_verify, FALCONSIGN_CT);
    to_verify[1].key = large_public;
    to_verify[1].signature = NULL;
    to_verify[1].signature_len = 0;
    RETURNS(FALCONSIGN_INVALID_SIGNATURE, VERIFY(to_verify, 2, FALCONSIGN_CT, verdicts));
    CHECK(verdicts[0] == FALCONSIGN_VERDICT_VALID && verdicts[1] == FALCONSIGN_VERDICT_MALFORMED);
    falconsign_threads_free(threads);
    falconsign_threads_free(NULL);
}

static void deterministic(void)
{
    const int format = FALCONSIGN_CT;
    NULL_POINTER(falconsign_det1024_sign(NULL, bytes, 8, format, out, sizeof out, &length));
    NULL_POINTER(falconsign_det1024_sign(large, NULL, 8, format, out, sizeof out, &length));
    NULL_POINTER(falconsign_det1024_sign(large, bytes, 8, format, NULL, sizeof out, &length));
    NULL_POINTER(falconsign_det1024_sign(large, bytes, 8, format, out, sizeof out, NULL));
    LENGTH(falconsign_det1024_sign(large, bytes, HALF_LEN, format, out, sizeof out, &length));
    ARGUMENT(falconsign_det1024_sign(large, bytes, 8, FALCONSIGN_PADDED, out, sizeof out, &length));
    ARGUMENT(falconsign_det1024_sign(large, bytes, 8, 0, out, sizeof out, &length));
    TOO_SMALL(falconsign_det1024_sign(large, bytes, 8, format, out, 1537, &length));
    TOO_SMALL(falconsign_det1024_sign(large, bytes, 8, FALCONSIGN_COMPRESSED, out, 1422, &length));
    OVERLAP(falconsign_det1024_sign(large, out + 3, 8, format, out, sizeof out, &length));
    RETURNS(FALCONSIGN_ERROR_PARAMETER_SET,
            falconsign_det1024_sign(key, bytes, 8, format, out, sizeof out, &length));
    OK(falconsign_det1024_sign(large, bytes, 8, format, out, sizeof out, &length));
    CHECK(length == FALCONSIGN_DET1024_CT_LEN);
    NULL_POINTER(falconsign_det1024_verify(NULL, bytes, 8, format, out, length));
    NULL_POINTER(falconsign_det1024_verify(large_public, NULL, 8, format, out, length));
    NULL_POINTER(falconsign_det1024_verify(large_public, bytes, 8, format, NULL, length));
    ARGUMENT(falconsign_det1024_verify(large_public, bytes, 8, FALCONSIGN_PADDED, out, length));
    RETURNS(FALCONSIGN_ERROR_PARAMETER_SET,
            falconsign_det1024_verify(public_key, bytes, 8, format, out, length));
    for (size_t n = 0; n < length; n += 3)
        RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                falconsign_det1024_verify(large_public, bytes, 8, format, out, n));

    uint8_t new_form[FALCONSIGN_SIGNATURE_MAX];
    const int compressed = FALCONSIGN_COMPRESSED;
    size_t n = 0;
#define CONVERT(from, from_len, format, new_format, capacity) \
    falconsign_det1024_convert(from, from_len, format, new_format, new_form, capacity, &n)
    NULL_POINTER(CONVERT(NULL, length, format, compressed, sizeof new_form));
    LENGTH(CONVERT(out, HUGE_LEN, format, compressed, sizeof new_form));
    ARGUMENT(CONVERT(out, length, FALCONSIGN_PADDED, compressed, sizeof new_form));
    ARGUMENT(CONVERT(out, length, format, FALCONSIGN_PADDED, sizeof new_form));
    TOO_SMALL(CONVERT(out, length, format, compressed, 1422));
    TOO_SMALL(CONVERT(out, length, format, format, 1537));
    OVERLAP(CONVERT(new_form + 3, length, format, compressed, sizeof new_form));
    RETURNS(FALCONSIGN_MALFORMED_SIGNATURE, CONVERT(out, length - 1, format, compressed, 1423));
    RETURNS(FALCONSIGN_MALFORMED_SIGNATURE, CONVERT(out, length, compressed, format, 1538));
    CHECK(n == 0);
    NULL_POINTER(falconsign_det1024_convert(out, length, format, format, NULL, 1538, &n));
    NULL_POINTER(falconsign_det1024_convert(out, length, format, format, new_form, 1538, NULL));
}

int main(void)
{
    OK(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_512, bytes, 32, &key));
    OK(falconsign_signing_key_from_seed(FALCONSIGN_FALCON_1024, bytes, 32, &large));
    OK(falconsign_signing_key_verifying_key(key, &public_key));
    OK(falconsign_signing_key_verifying_key(large, &large_public));
    information();
    signing_keys();
    verifying_keys();
    documents();
    one_message();
    encoded_key();
    pieces();
    batches();
    deterministic();
    falconsign_signing_key_free(key);
    falconsign_signing_key_free(large);
    falconsign_verifying_key_free(public_key);
    falconsign_verifying_key_free(large_public);
    return 0;
}
