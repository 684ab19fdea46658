/*
 * Exchanges keys and signatures with another program.
 *
 *     exchange reference SET SEED SECRET PUBLIC      the key of a reference seed
 *     exchange algorand SEED SECRET PUBLIC           the key of Algorand's code
 *     exchange sign SECRET FORMAT MESSAGE SIGNATURE  a key in bytes or PEM signs
 *     exchange verify PUBLIC FORMAT MESSAGE SIGNATURE
 *     exchange det SECRET FORMAT MESSAGE SIGNATURE
 *     exchange det-verify PUBLIC FORMAT MESSAGE SIGNATURE
 *     exchange pem SECRET PASSPHRASE SECRET.PEM PUBLIC.PEM
 *     exchange fork SECRET                           what a child process may use
 *
 * Arguments in capitals, except SET and FORMAT, are names of files. Prints nothing. Ends with the
 * last byte of the status of the last call.
 */
#include "check.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t buffers[4][1 << 16];

/* Reads a file into a buffer and returns its length. */
static size_t contents(const char *name, uint8_t *buffer)
{
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    size_t n = fread(buffer, 1, 1 << 16, file);
    CHECK(fclose(file) == 0);
    return n;
}

static void store(const char *name, const void *data, size_t n)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL && fwrite(data, 1, n, file) == n && fclose(file) == 0);
}

/* Reads a signing key from bytes or PEM. */
static falconsign_signing_key *signing_key(const char *name)
{
    falconsign_signing_key *key = NULL;
    size_t n = contents(name, buffers[0]);
    if (buffers[0][0] == '-')
        OK(falconsign_signing_key_from_pem((const char *)buffers[0], n, NULL, 0, &key));
    else
        OK(falconsign_signing_key_from_bytes(buffers[0], n, &key));
    return key;
}

static falconsign_verifying_key *verifying_key(const char *name)
{
    falconsign_verifying_key *key = NULL;
    OK(falconsign_verifying_key_from_bytes(buffers[0], contents(name, buffers[0]), &key));
    return key;
}

static void store_pair(falconsign_signing_key *key, const char *secret, const char *shown)
{
    int set = falconsign_signing_key_parameter_set(key);
    falconsign_verifying_key *public_key = NULL;
    OK(falconsign_signing_key_verifying_key(key, &public_key));
    OK(falconsign_signing_key_to_bytes(key, buffers[1], sizeof buffers[1]));
    store(secret, buffers[1], falconsign_signing_key_len(set));
    OK(falconsign_verifying_key_to_bytes(public_key, buffers[1], sizeof buffers[1]));
    store(shown, buffers[1], falconsign_verifying_key_len(set));
    falconsign_verifying_key_free(public_key);
    falconsign_signing_key_free(key);
}

static int sign(char **argument, int is_det)
{
    falconsign_signing_key *key = signing_key(argument[0]);
    int format = atoi(argument[1]);
    size_t n = contents(argument[2], buffers[1]), length = 0;
    int status = is_det ? falconsign_det1024_sign(key, buffers[1], n, format, buffers[2],
                                                  sizeof buffers[2], &length)
                        : falconsign_sign(key, buffers[1], n, format, buffers[2],
                                          sizeof buffers[2], &length);
    store(argument[3], buffers[2], length);
    falconsign_signing_key_free(key);
    return status;
}

static int verify(char **argument, int is_det)
{
    falconsign_verifying_key *key = verifying_key(argument[0]);
    int format = atoi(argument[1]);
    size_t n = contents(argument[2], buffers[1]), length = contents(argument[3], buffers[2]);
    int status = is_det ? falconsign_det1024_verify(key, buffers[1], n, format, buffers[2], length)
                        : falconsign_verify(key, buffers[1], n, format, buffers[2], length);
    falconsign_verifying_key_free(key);
    return status;
}

static void documents(char **argument)
{
    falconsign_signing_key *key = signing_key(argument[0]);
    falconsign_verifying_key *public_key = NULL;
    size_t n = contents(argument[1], buffers[1]), length = 0;
    char *pem = (char *)buffers[2];
    OK(falconsign_signing_key_verifying_key(key, &public_key));
    OK(falconsign_signing_key_to_pem(key, n == 0 ? NULL : buffers[1], n, pem,
                                     FALCONSIGN_DOCUMENT_MAX, &length));
    store(argument[2], pem, length);
    OK(falconsign_verifying_key_to_pem(public_key, pem, FALCONSIGN_DOCUMENT_MAX, &length));
    store(argument[3], pem, length);
    falconsign_verifying_key_free(public_key);
    falconsign_signing_key_free(key);
}

static void after_fork(const char *secret)
{
    falconsign_signing_key *key = signing_key(secret);
    falconsign_signer *signer = NULL;
    falconsign_threads *threads = NULL;
    size_t length = 0;
    falconsign_sign_job job = {key, NULL, 0};
    OK(falconsign_signer_new(key, &signer));
    OK(falconsign_threads_new(2, &threads));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        RETURNS(FALCONSIGN_ERROR_FORKED, falconsign_signer_update(signer, buffers[0], 1));
        RETURNS(FALCONSIGN_ERROR_FORKED,
                falconsign_signer_finish(signer, FALCONSIGN_PADDED, buffers[1], sizeof buffers[1],
                                         &length));
        RETURNS(FALCONSIGN_ERROR_FORKED,
                falconsign_sign_batch(&job, 1, FALCONSIGN_PADDED, threads, buffers[1], 1577, &length));
        uint8_t verdict = FALCONSIGN_VERDICT_VALID;
        falconsign_verify_job forged = {NULL, NULL, 0, NULL, 0};
        RETURNS(FALCONSIGN_ERROR_FORKED,
                falconsign_verify_batch(&forged, 1, FALCONSIGN_PADDED, threads, &verdict));
        CHECK(verdict != FALCONSIGN_VERDICT_VALID);
        OK(falconsign_sign_batch(&job, 1, FALCONSIGN_PADDED, NULL, buffers[1], 1577, &length));
        OK(falconsign_sign(key, NULL, 0, FALCONSIGN_PADDED, buffers[1], 1577, &length));
        falconsign_threads_free(threads);
        falconsign_signer_free(signer);
        exit(0);
    }
    int result = 1;
    CHECK(waitpid(child, &result, 0) == child && result == 0);
    OK(falconsign_signer_finish(signer, FALCONSIGN_PADDED, buffers[1], sizeof buffers[1], &length));
    falconsign_threads_free(threads);
    falconsign_signer_free(signer);
    falconsign_signing_key_free(key);
}

int main(int count, char **argument)
{
    falconsign_signing_key *key = NULL;
    CHECK(count >= 3);
    const char *what = argument[1];
    if (strcmp(what, "reference") == 0 && count == 6) {
        OK(falconsign_signing_key_from_reference_seed(
            atoi(argument[2]), buffers[0], contents(argument[3], buffers[0]), &key));
        store_pair(key, argument[4], argument[5]);
    } else if (strcmp(what, "algorand") == 0 && count == 5) {
        OK(falconsign_signing_key_from_algorand_seed(buffers[0], contents(argument[2], buffers[0]),
                                                     &key));
        store_pair(key, argument[3], argument[4]);
    } else if (strcmp(what, "pem") == 0 && count == 6) {
        documents(argument + 2);
    } else if (strcmp(what, "fork") == 0) {
        after_fork(argument[2]);
    } else {
        CHECK(count == 6);
        int is_det = strncmp(what, "det", 3) == 0;
        return strstr(what, "verify") != NULL ? verify(argument + 2, is_det)
                                              : sign(argument + 2, is_det);
    }
    return 0;
}
