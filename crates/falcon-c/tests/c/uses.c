/* Uses every group of functions as a program does. */
#include "check.h"

static const uint8_t message[] = "order #42";
#define MESSAGE message, sizeof message - 1

static const int sets[2] = {FALCONSIGN_FALCON_512, FALCONSIGN_FALCON_1024};
static const int formats[3] = {FALCONSIGN_PADDED, FALCONSIGN_COMPRESSED, FALCONSIGN_CT};

static void one_message(const falconsign_signing_key *key, const falconsign_verifying_key *public_key)
{
    int set = falconsign_signing_key_parameter_set(key);
    uint8_t encoded[FALCONSIGN_1024_VERIFYING_KEY_LEN];
    size_t encoded_len = falconsign_verifying_key_len(set);
    OK(falconsign_verifying_key_to_bytes(public_key, encoded, encoded_len));
    for (int i = 0; i < 3; i++) {
        int format = formats[i];
        uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
        size_t most = falconsign_signature_max_len(set, format);
        size_t length = 0;
        CHECK(most > 0 && most <= sizeof signature);
        OK(falconsign_sign(key, MESSAGE, format, signature, most, &length));
        CHECK(length > 0 && length <= most);
        OK(falconsign_verify(public_key, MESSAGE, format, signature, length));
        RETURNS(FALCONSIGN_INVALID_SIGNATURE,
                falconsign_verify(public_key, message, 3, format, signature, length));
        RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                falconsign_verify(public_key, MESSAGE, format, signature, length - 1));
        OK(falconsign_verify_encoded(encoded, encoded_len, MESSAGE, format, signature, length));
        RETURNS(FALCONSIGN_INVALID_SIGNATURE,
                falconsign_verify_encoded(encoded, encoded_len, message, 3, format, signature, length));
        RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                falconsign_verify_encoded(encoded, encoded_len, MESSAGE, format, signature,
                                          length - 1));
        /* A flipped bit of the nonce, which is hashed. */
        signature[5] ^= 1;
        RETURNS(FALCONSIGN_INVALID_SIGNATURE,
                falconsign_verify(public_key, MESSAGE, format, signature, length));
        RETURNS(FALCONSIGN_INVALID_SIGNATURE,
                falconsign_verify_encoded(encoded, encoded_len, MESSAGE, format, signature, length));
        /* A message without bytes. */
        OK(falconsign_sign(key, NULL, 0, format, signature, sizeof signature, &length));
        OK(falconsign_verify(public_key, NULL, 0, format, signature, length));
    }
}

static void pieces(falconsign_signing_key *key, falconsign_verifying_key *public_key)
{
    falconsign_signer *signer = NULL;
    falconsign_verifier *verifier = NULL;
    uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
    size_t length = 0;
    OK(falconsign_signer_new(key, &signer));
    OK(falconsign_signer_update(signer, message, 4));
    OK(falconsign_signer_update(signer, NULL, 0));
    OK(falconsign_signer_update(signer, message + 4, sizeof message - 5));
    RETURNS(FALCONSIGN_ERROR_BUFFER_TOO_SMALL,
            falconsign_signer_finish(signer, FALCONSIGN_CT, signature, 700, &length));
    OK(falconsign_signer_finish(signer, FALCONSIGN_CT, signature, sizeof signature, &length));
    OK(falconsign_verify(public_key, MESSAGE, FALCONSIGN_CT, signature, length));
    RETURNS(FALCONSIGN_ERROR_FINISHED, falconsign_signer_update(signer, message, 1));
    size_t none = 1;
    uint8_t more[FALCONSIGN_SIGNATURE_MAX];
    RETURNS(FALCONSIGN_ERROR_FINISHED,
            falconsign_signer_finish(signer, FALCONSIGN_CT, more, sizeof more, &none));
    CHECK(none == 0);
    falconsign_signer_free(signer);

    for (int right = 0; right < 2; right++) {
        OK(falconsign_verifier_new(public_key, FALCONSIGN_CT, signature, length, &verifier));
        OK(falconsign_verifier_update(verifier, message, 4));
        OK(falconsign_verifier_update(verifier, message + 4, sizeof message - 6 + (size_t)right));
        RETURNS(right ? FALCONSIGN_OK : FALCONSIGN_INVALID_SIGNATURE,
                falconsign_verifier_finish(verifier));
        RETURNS(FALCONSIGN_ERROR_FINISHED, falconsign_verifier_finish(verifier));
        RETURNS(FALCONSIGN_ERROR_FINISHED, falconsign_verifier_update(verifier, message, 1));
        falconsign_verifier_free(verifier);
    }
}

/* A stream keeps its key. */
static void streams_outlive_handles(int set)
{
    falconsign_signing_key *key = NULL;
    falconsign_verifying_key *public_key = NULL;
    falconsign_signer *signer = NULL;
    falconsign_verifier *verifier = NULL;
    uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
    size_t length = 0;
    OK(falconsign_signing_key_generate(set, &key));
    OK(falconsign_signing_key_verifying_key(key, &public_key));
    OK(falconsign_signer_new(key, &signer));
    falconsign_signing_key_free(key);
    OK(falconsign_signer_update(signer, MESSAGE));
    OK(falconsign_signer_finish(signer, FALCONSIGN_PADDED, signature, sizeof signature, &length));
    falconsign_signer_free(signer);
    OK(falconsign_verifier_new(public_key, FALCONSIGN_PADDED, signature, length, &verifier));
    falconsign_verifying_key_free(public_key);
    OK(falconsign_verifier_update(verifier, MESSAGE));
    OK(falconsign_verifier_finish(verifier));
    falconsign_verifier_free(verifier);
}

static void encodings(const falconsign_signing_key *key, const falconsign_verifying_key *public_key)
{
    int set = falconsign_signing_key_parameter_set(key);
    uint8_t bytes[FALCONSIGN_1024_SIGNING_KEY_LEN], again[FALCONSIGN_1024_SIGNING_KEY_LEN];
    size_t length = falconsign_signing_key_len(set);
    falconsign_signing_key *read = NULL;
    OK(falconsign_signing_key_to_bytes(key, bytes, length));
    OK(falconsign_signing_key_from_bytes(bytes, length, &read));
    OK(falconsign_signing_key_to_bytes(read, again, sizeof again));
    CHECK(memcmp(bytes, again, length) == 0);
    falconsign_signing_key_free(read);
    RETURNS(FALCONSIGN_ERROR_LENGTH, falconsign_signing_key_from_bytes(bytes, length - 1, &read));
    CHECK(read == NULL);
    bytes[0] ^= 0x80;
    RETURNS(FALCONSIGN_ERROR_MALFORMED_KEY, falconsign_signing_key_from_bytes(bytes, length, &read));

    falconsign_verifying_key *read_public = NULL;
    uint8_t fingerprint[2][FALCONSIGN_FINGERPRINT_LEN];
    length = falconsign_verifying_key_len(set);
    OK(falconsign_verifying_key_to_bytes(public_key, bytes, length));
    OK(falconsign_verifying_key_from_bytes(bytes, length, &read_public));
    CHECK(falconsign_verifying_key_parameter_set(read_public) == set);
    OK(falconsign_verifying_key_fingerprint(public_key, fingerprint[0], 32));
    OK(falconsign_verifying_key_fingerprint(read_public, fingerprint[1], 32));
    CHECK(memcmp(fingerprint[0], fingerprint[1], 32) == 0);
    falconsign_verifying_key_free(read_public);
    bytes[0] ^= 0x80;
    RETURNS(FALCONSIGN_ERROR_MALFORMED_KEY,
            falconsign_verifying_key_from_bytes(bytes, length, &read_public));
}

static void documents(const falconsign_signing_key *key, const falconsign_verifying_key *public_key)
{
    static char pem[FALCONSIGN_DOCUMENT_MAX];
    static uint8_t der[FALCONSIGN_DOCUMENT_MAX];
    const uint8_t *horse = (const uint8_t *)"horse";
    size_t length = 0, needed = 0;
    falconsign_signing_key *read = NULL;
    falconsign_verifying_key *read_public = NULL;

    OK(falconsign_signing_key_to_pem(key, NULL, 0, pem, sizeof pem, &length));
    CHECK(strlen(pem) == length);
    CHECK(strncmp(pem, "-----BEGIN PRIVATE KEY-----\n", 28) == 0);
    RETURNS(FALCONSIGN_ERROR_BUFFER_TOO_SMALL,
            falconsign_signing_key_to_pem(key, NULL, 0, pem, length, &needed));
    CHECK(needed == length);
    RETURNS(FALCONSIGN_ERROR_BUFFER_TOO_SMALL,
            falconsign_signing_key_to_pem(key, NULL, 0, NULL, 0, &needed));
    CHECK(needed == length);
    OK(falconsign_signing_key_to_pem(key, NULL, 0, pem, length + 1, &length));
    OK(falconsign_signing_key_from_pem(pem, length, NULL, 0, &read));
    one_message(read, public_key);
    falconsign_signing_key_free(read);
    /* Lines may precede the block. Only blank space may follow it, and no null character. */
    static char loose[FALCONSIGN_DOCUMENT_MAX];
    memcpy(loose, "\r\n \t\n", 5);
    memcpy(loose + 5, pem, length);
    memcpy(loose + 5 + length, "\n \n", 4);
    OK(falconsign_signing_key_from_pem(loose, length + 8, NULL, 0, &read));
    falconsign_signing_key_free(read);
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
            falconsign_signing_key_from_pem(loose, length + 9, NULL, 0, &read));
    loose[0] = 'x';
    OK(falconsign_signing_key_from_pem(loose, length + 8, NULL, 0, &read));
    falconsign_signing_key_free(read);
    loose[length + 7] = 'x';
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
            falconsign_signing_key_from_pem(loose, length + 8, NULL, 0, &read));
    RETURNS(FALCONSIGN_ERROR_PASSPHRASE_NOT_NEEDED,
            falconsign_signing_key_from_pem(pem, length, horse, 5, &read));
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT, falconsign_verifying_key_from_pem(pem, length, &read_public));
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
            falconsign_signing_key_from_pem(pem, length / 2, NULL, 0, &read));

    OK(falconsign_signing_key_to_pem(key, horse, 5, pem, sizeof pem, &length));
    CHECK(strncmp(pem, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", 38) == 0);
    OK(falconsign_signing_key_from_pem(pem, length, horse, 5, &read));
    CHECK(falconsign_signing_key_parameter_set(read) == falconsign_signing_key_parameter_set(key));
    falconsign_signing_key_free(read);
    RETURNS(FALCONSIGN_ERROR_WRONG_PASSPHRASE,
            falconsign_signing_key_from_pem(pem, length, horse, 4, &read));
    RETURNS(FALCONSIGN_ERROR_PASSPHRASE_NEEDED,
            falconsign_signing_key_from_pem(pem, length, NULL, 0, &read));
    RETURNS(FALCONSIGN_ERROR_LENGTH, falconsign_signing_key_from_pem(pem, length, horse, 0, &read));

    OK(falconsign_signing_key_to_der(key, NULL, 0, der, sizeof der, &length));
    OK(falconsign_signing_key_from_der(der, length, NULL, 0, &read));
    falconsign_signing_key_free(read);
    RETURNS(FALCONSIGN_ERROR_MALFORMED_DOCUMENT,
            falconsign_signing_key_from_der(der, length - 1, NULL, 0, &read));

    OK(falconsign_verifying_key_to_pem(public_key, pem, sizeof pem, &length));
    OK(falconsign_verifying_key_from_pem(pem, length, &read_public));
    one_message(key, read_public);
    falconsign_verifying_key_free(read_public);
    OK(falconsign_verifying_key_to_der(public_key, der, sizeof der, &length));
    OK(falconsign_verifying_key_from_der(der, length, &read_public));
    falconsign_verifying_key_free(read_public);
}

enum { JOBS = 19 };

/* Batches with keys of both sets. */
static void batches(falconsign_signing_key *const keys[2], falconsign_verifying_key *const publics[2],
                    const falconsign_threads *threads, int format)
{
    static uint8_t signatures[JOBS][FALCONSIGN_SIGNATURE_MAX];
    uint8_t messages[JOBS], verdicts[JOBS];
    size_t lengths[JOBS];
    falconsign_sign_job jobs[JOBS];
    falconsign_verify_job signed_jobs[JOBS];
    for (int i = 0; i < JOBS; i++) {
        messages[i] = (uint8_t)i;
        jobs[i].key = keys[i % 3 == 0];
        jobs[i].message = &messages[i];
        jobs[i].message_len = i != 1;
    }
    OK(falconsign_sign_batch(jobs, JOBS, format, threads, signatures[0],
                             FALCONSIGN_SIGNATURE_MAX, lengths));
    for (int i = 0; i < JOBS; i++) {
        signed_jobs[i].key = publics[i % 3 == 0];
        signed_jobs[i].message = &messages[i];
        signed_jobs[i].message_len = i != 1;
        signed_jobs[i].signature = signatures[i];
        signed_jobs[i].signature_len = lengths[i];
        OK(falconsign_verify(publics[i % 3 == 0], &messages[i], i != 1, format, signatures[i],
                             lengths[i]));
    }
    OK(falconsign_verify_batch(signed_jobs, JOBS, format, threads, verdicts));
    for (int i = 0; i < JOBS; i++)
        CHECK(verdicts[i] == FALCONSIGN_VERDICT_VALID);

    messages[4] ^= 1;
    signed_jobs[7].signature_len--;
    signed_jobs[12].key = NULL;
    signed_jobs[13].key = publics[1];
    RETURNS(FALCONSIGN_INVALID_SIGNATURE,
            falconsign_verify_batch(signed_jobs, JOBS, format, threads, verdicts));
    for (int i = 0; i < JOBS; i++)
        CHECK(verdicts[i] == (i == 4              ? FALCONSIGN_VERDICT_INVALID
                              : i == 7 || i == 13 ? FALCONSIGN_VERDICT_MALFORMED
                              : i == 12           ? FALCONSIGN_VERDICT_UNKNOWN_KEY
                                                  : FALCONSIGN_VERDICT_VALID));
    OK(falconsign_verify_batch(NULL, 0, format, threads, NULL));
    OK(falconsign_sign_batch(NULL, 0, format, threads, NULL, 0, NULL));
}

static void deterministic(const falconsign_signing_key *key, const falconsign_verifying_key *public_key)
{
    static const int det_formats[2] = {FALCONSIGN_COMPRESSED, FALCONSIGN_CT};
    uint8_t one[FALCONSIGN_SIGNATURE_MAX], two[FALCONSIGN_SIGNATURE_MAX];
    size_t one_len = 0, two_len = 0;
    for (int i = 0; i < 2; i++) {
        int format = det_formats[i];
        OK(falconsign_det1024_sign(key, MESSAGE, format, one, sizeof one, &one_len));
        OK(falconsign_det1024_sign(key, MESSAGE, format, two, sizeof two, &two_len));
        CHECK(one_len == two_len && memcmp(one, two, one_len) == 0);
        OK(falconsign_det1024_verify(public_key, MESSAGE, format, one, one_len));
        RETURNS(FALCONSIGN_INVALID_SIGNATURE,
                falconsign_det1024_verify(public_key, message, 2, format, one, one_len));
        RETURNS(FALCONSIGN_MALFORMED_SIGNATURE,
                falconsign_verify(public_key, MESSAGE, format, one, one_len));
    }
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            uint8_t expected[FALCONSIGN_SIGNATURE_MAX];
            size_t expected_len = 0;
            OK(falconsign_det1024_sign(key, MESSAGE, det_formats[from], one, sizeof one, &one_len));
            OK(falconsign_det1024_sign(key, MESSAGE, det_formats[to], expected, sizeof expected,
                                       &expected_len));
            OK(falconsign_det1024_convert(one, one_len, det_formats[from], det_formats[to], two,
                                          sizeof two, &two_len));
            CHECK(two_len == expected_len && memcmp(two, expected, two_len) == 0);
        }
}

int main(void)
{
    falconsign_signing_key *keys[2] = {NULL, NULL};
    falconsign_verifying_key *publics[2] = {NULL, NULL};
    falconsign_threads *threads = NULL;
    CHECK(strcmp(falconsign_version(), FALCONSIGN_VERSION) == 0);
    CHECK(strlen(falconsign_engine()) > 0);
    CHECK(strcmp(falconsign_parameter_set_name(FALCONSIGN_FALCON_512), "Falcon-512") == 0);
    CHECK(strcmp(falconsign_parameter_set_name(FALCONSIGN_FALCON_1024), "Falcon-1024") == 0);
    OK(falconsign_threads_new(2, &threads));
    for (int i = 0; i < 2; i++) {
        falconsign_signing_key *expanded = NULL;
        OK(falconsign_signing_key_generate(sets[i], &keys[i]));
        CHECK(falconsign_signing_key_parameter_set(keys[i]) == sets[i]);
        OK(falconsign_signing_key_verifying_key(keys[i], &publics[i]));
        CHECK(falconsign_verifying_key_parameter_set(publics[i]) == sets[i]);
        one_message(keys[i], publics[i]);
        pieces(keys[i], publics[i]);
        encodings(keys[i], publics[i]);
        documents(keys[i], publics[i]);
        streams_outlive_handles(sets[i]);
        OK(falconsign_signing_key_expand(keys[i], &expanded));
        one_message(expanded, publics[i]);
        pieces(expanded, publics[i]);
        falconsign_signing_key_free(keys[i]);
        keys[i] = expanded;
    }
    for (int i = 0; i < 3; i++) {
        batches(keys, publics, NULL, formats[i]);
        batches(keys, publics, threads, formats[i]);
    }
    deterministic(keys[1], publics[1]);
    for (int i = 0; i < 2; i++) {
        falconsign_signing_key_free(keys[i]);
        falconsign_verifying_key_free(publics[i]);
    }
    falconsign_threads_free(threads);
    return 0;
}
