/*
 * falconsign.h - Falcon post-quantum signatures (NIST round 3, v1.2; not FN-DSA)
 *
 * C99 and C++. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A program that makes a key, signs and verifies:
 *
 *     falconsign_signing_key *key = NULL;
 *     falconsign_verifying_key *public_key = NULL;
 *     uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
 *     size_t length;
 *     int status = falconsign_signing_key_generate(FALCONSIGN_FALCON_512, &key);
 *     if (status == FALCONSIGN_OK)
 *         status = falconsign_sign(key, message, message_len, FALCONSIGN_PADDED,
 *                                  signature, sizeof signature, &length);
 *     if (status == FALCONSIGN_OK)
 *         status = falconsign_signing_key_verifying_key(key, &public_key);
 *     if (status == FALCONSIGN_OK)
 *         status = falconsign_verify(public_key, message, message_len, FALCONSIGN_PADDED,
 *                                    signature, length);
 *     if (status != FALCONSIGN_OK)
 *         fprintf(stderr, "%s\n", falconsign_status_text(status));
 *     falconsign_verifying_key_free(public_key);
 *     falconsign_signing_key_free(key);
 *
 * Rules for all functions:
 *
 * Status. A function that returns int returns FALCONSIGN_OK, which is 0, or a negative status code,
 * unless its comment says otherwise. FALCONSIGN_OK from a function that verifies means that every
 * signature is valid. All other status codes mean that it failed, or that a signature is not valid.
 *
 * Arguments. Every pointer is checked for NULL and for alignment (NULL_POINTER,
 * MISALIGNED_POINTER), every length for what the function needs (LENGTH, BUFFER_TOO_SMALL). A
 * pointer to bytes that are read may be NULL if their length is 0. A signature, document or verdict
 * that overlaps an input is refused (OVERLAP). Every call first sets the place of a new handle to
 * NULL and that of a length to 0, even if it then fails. These places must not overlap other
 * arguments. The library cannot check that a pointer leads to as many bytes as its length says, or
 * that a handle is live.
 *
 * Handles. A function that makes a handle sets it to NULL first, so it is NULL after a failure. The
 * caller frees it, once, with the _free function of its type; NULL is ignored. A signer or a
 * verifier may outlive the handle of its key.
 *
 * Secrets. A signing key is wiped when its handle is freed and no signer uses it any more. The
 * caller wipes seeds, passphrases, and keys that the library wrote to the caller's memory.
 *
 * Threads. Any number of threads may use one key, or one falconsign_threads, at the same time. Only
 * one thread at a time may use a signer or a verifier. A handle may be freed by any thread once no
 * other one uses it. Inputs must not change during a call. A thread must not be cancelled
 * (pthread_cancel) inside a call.
 *
 * Forks. Keys and verifiers work in a child process. Signers and falconsign_threads of the parent
 * are refused there (FORKED); they may be freed. The library compares process ids. So it does not
 * notice a child with its parent's id, which a new process namespace can have: make new ones there.
 *
 * Memory. If the system refuses memory for the jobs of a batch, it fails with NO_MEMORY. If it
 * refuses other memory, the process is aborted. A call needs a few megabytes at most. To open an
 * encrypted document may need up to 264 MiB, if its maker chose so.
 *
 * Unloading. Do not unload the library (dlclose): its threads may still end.
 */
#ifndef FALCONSIGN_H
#define FALCONSIGN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header. falconsign_version() is that of the library. */
#define FALCONSIGN_VERSION "0.1.0"

/* Parameter sets. */
enum {
    FALCONSIGN_FALCON_512 = 512,   /* degree 512, NIST security level I */
    FALCONSIGN_FALCON_1024 = 1024  /* degree 1024, NIST security level V */
};

/* Formats of signatures, numbered as in the reference's falcon.h. A signature has exactly one
 * encoding in each format. */
enum {
    FALCONSIGN_COMPRESSED = 1, /* of varying length, on average the shortest */
    FALCONSIGN_PADDED = 2,     /* 666 or 1280 bytes: the usual choice */
    FALCONSIGN_CT = 3          /* 809 or 1577 bytes, for constant-time decoders */
};

/* Lengths in bytes, of Falcon-512 and of Falcon-1024. */
#define FALCONSIGN_512_SIGNING_KEY_LEN 1281
#define FALCONSIGN_1024_SIGNING_KEY_LEN 2305
#define FALCONSIGN_512_VERIFYING_KEY_LEN 897
#define FALCONSIGN_1024_VERIFYING_KEY_LEN 1793
#define FALCONSIGN_512_PADDED_LEN 666
#define FALCONSIGN_1024_PADDED_LEN 1280
#define FALCONSIGN_512_COMPRESSED_MAX 752
#define FALCONSIGN_1024_COMPRESSED_MAX 1462
#define FALCONSIGN_512_CT_LEN 809
#define FALCONSIGN_1024_CT_LEN 1577

/* Enough bytes for every signature. */
#define FALCONSIGN_SIGNATURE_MAX 1577
/* Enough bytes for every key in PEM or DER, with the null character. */
#define FALCONSIGN_DOCUMENT_MAX 8192
/* Lengths in bytes of a fingerprint, a seed, and a seed of the round-3 reference. */
#define FALCONSIGN_FINGERPRINT_LEN 32
#define FALCONSIGN_SEED_LEN 32
#define FALCONSIGN_REFERENCE_SEED_LEN 48

/* Status codes. All but FALCONSIGN_OK are negative. The comments of functions leave FALCONSIGN_ and
 * FALCONSIGN_ERROR_ out. */
enum {
    FALCONSIGN_OK = 0,
    FALCONSIGN_INVALID_SIGNATURE = -1,   /* the key did not make the signature for the message */
    FALCONSIGN_MALFORMED_SIGNATURE = -2, /* no signature of this parameter set in this format */
    FALCONSIGN_ERROR_NULL_POINTER = -16,
    FALCONSIGN_ERROR_MISALIGNED_POINTER = -17,
    FALCONSIGN_ERROR_ARGUMENT = -18,     /* unknown parameter set, or a format that is not taken */
    FALCONSIGN_ERROR_LENGTH = -19,
    FALCONSIGN_ERROR_BUFFER_TOO_SMALL = -20,
    FALCONSIGN_ERROR_OVERLAP = -21,
    FALCONSIGN_ERROR_MALFORMED_KEY = -22,
    FALCONSIGN_ERROR_MALFORMED_DOCUMENT = -23, /* not the PEM or DER of such a Falcon key */
    FALCONSIGN_ERROR_PASSPHRASE_NEEDED = -24,
    FALCONSIGN_ERROR_PASSPHRASE_NOT_NEEDED = -25,
    FALCONSIGN_ERROR_WRONG_PASSPHRASE = -26, /* or the encrypted document is damaged */
    FALCONSIGN_ERROR_KEY_USE = -27,       /* the key signs certificates only, and this is none */
    FALCONSIGN_ERROR_PARAMETER_SET = -28, /* the function needs a key of another parameter set */
    FALCONSIGN_ERROR_NO_RANDOMNESS = -29, /* the system gave no random bytes */
    FALCONSIGN_ERROR_NO_MEMORY = -30,
    FALCONSIGN_ERROR_FAULT = -31,         /* the device computed wrongly; nothing was made */
    FALCONSIGN_ERROR_FINISHED = -32,      /* the message of the stream has ended */
    FALCONSIGN_ERROR_FORKED = -33,        /* the handle was made before a fork */
    FALCONSIGN_ERROR_INTERNAL = -34       /* an error of the library */
};

/* Verdicts of falconsign_verify_batch: one byte for each signature, not a status code. */
enum {
    FALCONSIGN_VERDICT_VALID = 0,
    FALCONSIGN_VERDICT_INVALID = 1,    /* the key did not make the signature for the message */
    FALCONSIGN_VERDICT_MALFORMED = 2,  /* no signature of this parameter set in this format */
    FALCONSIGN_VERDICT_UNKNOWN_KEY = 3 /* the job has no key */
};

/* Compilers warn if the result of such a function is ignored. */
#ifdef __GNUC__
#define FALCONSIGN_USE_RESULT __attribute__((warn_unused_result))
#else
#define FALCONSIGN_USE_RESULT
#endif

/* A signing (secret) key. */
typedef struct falconsign_signing_key falconsign_signing_key;
/* A verifying (public) key. */
typedef struct falconsign_verifying_key falconsign_verifying_key;
/* A message that comes in pieces and is signed. */
typedef struct falconsign_signer falconsign_signer;
/* A message that comes in pieces and whose signature is verified. */
typedef struct falconsign_verifier falconsign_verifier;
/* Threads that share batches. */
typedef struct falconsign_threads falconsign_threads;

/* ---- Information -------------------------------------------------------------------------------
 *
 *     printf("%s on %s\n", falconsign_version(), falconsign_engine());
 *
 * Texts belong to the library and are never freed. These functions never fail.
 */

/* Returns the version of the library. */
const char *falconsign_version(void);

/* Returns the name of the engine that computes, such as "avx2x8". All engines give equal bytes. */
const char *falconsign_engine(void);

/* Returns the text of a status code. */
const char *falconsign_status_text(int status);

/* Returns "Falcon-512" or "Falcon-1024", or NULL for an unknown parameter set. */
const char *falconsign_parameter_set_name(int set);

/* Returns the length of an encoded signing key, or 0 for an unknown parameter set. */
size_t falconsign_signing_key_len(int set);

/* Returns the length of an encoded verifying key, or 0 for an unknown parameter set. */
size_t falconsign_verifying_key_len(int set);

/* Returns the length of a signature, for the compressed format the longest one, or 0 for an unknown
 * parameter set or format. Functions that sign need a buffer of this length. */
size_t falconsign_signature_max_len(int set, int format);

/* ---- Signing keys ------------------------------------------------------------------------------
 *
 *     falconsign_signing_key *key;
 *     int status = falconsign_signing_key_from_bytes(stored, stored_len, &key);
 *     ...
 *     falconsign_signing_key_free(key);
 */

/* Generates a key with random bytes of the system. Errors: NO_RANDOMNESS, FAULT. */
int falconsign_signing_key_generate(int set, falconsign_signing_key **key);

/* Generates the key of a secret seed of 32 random bytes. Errors: LENGTH, FAULT. */
int falconsign_signing_key_from_seed(int set, const uint8_t *seed, size_t seed_len,
                                     falconsign_signing_key **key);

/* Generates the key that the round-3 reference generates from a secret seed of 48 random bytes, as
 * wallets do. Errors: LENGTH, FAULT. */
int falconsign_signing_key_from_reference_seed(int set, const uint8_t *seed, size_t seed_len,
                                               falconsign_signing_key **key);

/* Decodes a key of either parameter set, and checks it. The encoding is that of the specification,
 * of PQClean and of liboqs. Errors: LENGTH, MALFORMED_KEY. */
int falconsign_signing_key_from_bytes(const uint8_t *bytes, size_t bytes_len,
                                      falconsign_signing_key **key);

/* Encodes a key in falconsign_signing_key_len bytes. Error: BUFFER_TOO_SMALL. */
int falconsign_signing_key_to_bytes(const falconsign_signing_key *key, uint8_t *bytes,
                                    size_t capacity);

/* Prepares a key for signing, under a new handle. It signs in about four fifths of the time, takes
 * 60 or 128 KiB more, and can do all that the other handle can. Free both. */
int falconsign_signing_key_expand(const falconsign_signing_key *key,
                                  falconsign_signing_key **expanded);

/* Makes the verifying key of a signing key. */
int falconsign_signing_key_verifying_key(const falconsign_signing_key *key,
                                         falconsign_verifying_key **verifying_key);

/* Returns the parameter set of a key, or 0 for NULL. */
int falconsign_signing_key_parameter_set(const falconsign_signing_key *key);

/* Frees a key. */
void falconsign_signing_key_free(falconsign_signing_key *key);

/* ---- Verifying keys ----------------------------------------------------------------------------
 *
 *     uint8_t stored[FALCONSIGN_512_VERIFYING_KEY_LEN];
 *     int status = falconsign_verifying_key_to_bytes(key, stored, sizeof stored);
 */

/* Decodes a key of either parameter set. Errors: LENGTH, MALFORMED_KEY. */
int falconsign_verifying_key_from_bytes(const uint8_t *bytes, size_t bytes_len,
                                        falconsign_verifying_key **key);

/* Encodes a key in falconsign_verifying_key_len bytes. Error: BUFFER_TOO_SMALL. */
int falconsign_verifying_key_to_bytes(const falconsign_verifying_key *key, uint8_t *bytes,
                                      size_t capacity);

/* Computes the fingerprint of a key, 32 bytes: the first ones of SHAKE256 of its encoding. Error:
 * BUFFER_TOO_SMALL. */
int falconsign_verifying_key_fingerprint(const falconsign_verifying_key *key, uint8_t *fingerprint,
                                         size_t capacity);

/* Returns the parameter set of a key, or 0 for NULL. */
int falconsign_verifying_key_parameter_set(const falconsign_verifying_key *key);

/* Frees a key. */
void falconsign_verifying_key_free(falconsign_verifying_key *key);

/* ---- Keys in documents -------------------------------------------------------------------------
 *
 *     char pem[FALCONSIGN_DOCUMENT_MAX];
 *     size_t length;
 *     int status = falconsign_signing_key_to_pem(key, (const uint8_t *)"horse", 5,
 *                                                pem, sizeof pem, &length);
 *
 * PKCS#8 and SubjectPublicKeyInfo. Reads the forms of falcon-cli, OpenSSL's OQS provider and Bouncy
 * Castle; writes the form that the first two read. A passphrase of NULL and length 0 means none;
 * any other has at least one byte (LENGTH). An encrypted key (scrypt, AES-256-CBC) takes tens of
 * milliseconds and 16 megabytes.
 *
 * Functions that write set the length to that of the document, also if there is no room for it
 * (BUFFER_TOO_SMALL). PEM ends with a null character, which needs room and is not counted.
 *
 * Functions that read PEM accept blank space around it, and lines of text before it. They refuse
 * text after it. pem_len does not count the final null character.
 *
 * Functions that read fail with MALFORMED_DOCUMENT, PASSPHRASE_NEEDED, PASSPHRASE_NOT_NEEDED or
 * WRONG_PASSPHRASE. A key that its document marks for certificates only is read and written again
 * with its mark. With it, falconsign_sign signs the signed parts of X.509 certificates, requests and
 * revocation lists, whole, in DER and of at most 16 MiB. Nothing else is signed (KEY_USE).
 */

/* Reads a signing key from PEM of pem_len characters. */
int falconsign_signing_key_from_pem(const char *pem, size_t pem_len, const uint8_t *passphrase,
                                    size_t passphrase_len, falconsign_signing_key **key);

/* Reads a signing key from DER. */
int falconsign_signing_key_from_der(const uint8_t *der, size_t der_len, const uint8_t *passphrase,
                                    size_t passphrase_len, falconsign_signing_key **key);

/* Writes a signing key as PEM. Error: NO_RANDOMNESS. */
int falconsign_signing_key_to_pem(const falconsign_signing_key *key, const uint8_t *passphrase,
                                  size_t passphrase_len, char *pem, size_t capacity,
                                  size_t *pem_len);

/* Writes a signing key as DER. Error: NO_RANDOMNESS. */
int falconsign_signing_key_to_der(const falconsign_signing_key *key, const uint8_t *passphrase,
                                  size_t passphrase_len, uint8_t *der, size_t capacity,
                                  size_t *der_len);

/* Reads a verifying key from PEM of pem_len characters. */
int falconsign_verifying_key_from_pem(const char *pem, size_t pem_len,
                                      falconsign_verifying_key **key);

/* Reads a verifying key from DER. */
int falconsign_verifying_key_from_der(const uint8_t *der, size_t der_len,
                                      falconsign_verifying_key **key);

/* Writes a verifying key as PEM. */
int falconsign_verifying_key_to_pem(const falconsign_verifying_key *key, char *pem,
                                    size_t capacity, size_t *pem_len);

/* Writes a verifying key as DER. */
int falconsign_verifying_key_to_der(const falconsign_verifying_key *key, uint8_t *der,
                                    size_t capacity, size_t *der_len);

/* ---- One message -------------------------------------------------------------------------------
 *
 *     uint8_t signature[FALCONSIGN_512_PADDED_LEN];
 *     size_t length;
 *     int status = falconsign_sign(key, message, message_len, FALCONSIGN_PADDED,
 *                                  signature, sizeof signature, &length);
 */

/* Signs a message with a fresh seed of the system, which is hedged with the key. capacity must be
 * falconsign_signature_max_len or more; the length of the signature is written, or 0 after a
 * failure. Errors: BUFFER_TOO_SMALL, OVERLAP, KEY_USE, NO_RANDOMNESS, FAULT. */
FALCONSIGN_USE_RESULT
int falconsign_sign(const falconsign_signing_key *key, const uint8_t *message, size_t message_len,
                    int format, uint8_t *signature, size_t capacity, size_t *signature_len);

/* Verifies a signature of a message in one format. Returns FALCONSIGN_OK only if it is valid.
 * Errors: INVALID_SIGNATURE, MALFORMED_SIGNATURE. */
FALCONSIGN_USE_RESULT
int falconsign_verify(const falconsign_verifying_key *key, const uint8_t *message,
                      size_t message_len, int format, const uint8_t *signature,
                      size_t signature_len);

/* Verifies a signature of a message in one format with an encoded verifying key, of
 * FALCONSIGN_512_VERIFYING_KEY_LEN or FALCONSIGN_1024_VERIFYING_KEY_LEN bytes. Allocates nothing:
 * this function is also in the library for microcontrollers. To verify more than one signature of a
 * key, falconsign_verify is faster. Errors: INVALID_SIGNATURE, MALFORMED_SIGNATURE, MALFORMED_KEY,
 * ARGUMENT. */
FALCONSIGN_USE_RESULT
int falconsign_verify_encoded(const uint8_t *key, size_t key_len, const uint8_t *message,
                              size_t message_len, int format, const uint8_t *signature,
                              size_t signature_len);

/* ---- Messages in pieces ------------------------------------------------------------------------
 *
 *     falconsign_signer *signer;
 *     int status = falconsign_signer_new(key, &signer);
 *     while (status == FALCONSIGN_OK && (n = fread(buffer, 1, sizeof buffer, file)) > 0)
 *         status = falconsign_signer_update(signer, buffer, n);
 *     if (status == FALCONSIGN_OK && !ferror(file))
 *         status = falconsign_signer_finish(signer, FALCONSIGN_PADDED, signature,
 *                                           sizeof signature, &length);
 *     falconsign_signer_free(signer);
 *
 * Check ferror before _finish, or half a file is signed. The memory does not depend on the length of
 * the message. The signatures are those of falconsign_sign. After _finish the stream can only be freed (FINISHED). A _finish that fails with
 * ARGUMENT, NULL_POINTER, MISALIGNED_POINTER, LENGTH, OVERLAP or BUFFER_TOO_SMALL may be repeated.
 */

/* Starts to sign a message. Errors: KEY_USE, NO_RANDOMNESS. */
int falconsign_signer_new(const falconsign_signing_key *key, falconsign_signer **signer);

/* Absorbs the next piece. Errors: FINISHED, FORKED. */
int falconsign_signer_update(falconsign_signer *signer, const uint8_t *piece, size_t piece_len);

/* Signs the absorbed message, as falconsign_sign does. Errors: FINISHED, FORKED. */
FALCONSIGN_USE_RESULT
int falconsign_signer_finish(falconsign_signer *signer, int format, uint8_t *signature,
                             size_t capacity, size_t *signature_len);

/* Frees a signer. */
void falconsign_signer_free(falconsign_signer *signer);

/* Starts to verify a signature. It is copied. Error: MALFORMED_SIGNATURE. */
int falconsign_verifier_new(const falconsign_verifying_key *key, int format,
                            const uint8_t *signature, size_t signature_len,
                            falconsign_verifier **verifier);

/* Absorbs the next piece. Error: FINISHED. */
int falconsign_verifier_update(falconsign_verifier *verifier, const uint8_t *piece,
                               size_t piece_len);

/* Returns FALCONSIGN_OK only if the signature is valid for the absorbed message. Errors:
 * INVALID_SIGNATURE, FINISHED. */
FALCONSIGN_USE_RESULT
int falconsign_verifier_finish(falconsign_verifier *verifier);

/* Frees a verifier. */
void falconsign_verifier_free(falconsign_verifier *verifier);

/* ---- Batches -----------------------------------------------------------------------------------
 *
 *     falconsign_verify_job jobs[2] = {{key, one, one_len, signature_1, 666},
 *                                      {key, two, two_len, signature_2, 666}};
 *     uint8_t verdicts[2];
 *     int status = falconsign_verify_batch(jobs, 2, FALCONSIGN_PADDED, NULL, verdicts);
 *
 * A batch verifies faster than single calls, and signs faster if its jobs have one key. Keys of
 * both parameter sets may be mixed. Put jobs of one key next to each other. threads may be NULL:
 * then the calling thread does all the work. A batch without jobs does nothing.
 */

/* A message to sign. */
typedef struct falconsign_sign_job {
    const falconsign_signing_key *key;
    const uint8_t *message;
    size_t message_len;
} falconsign_sign_job;

/* A signature to verify. A key of NULL gives FALCONSIGN_VERDICT_UNKNOWN_KEY. */
typedef struct falconsign_verify_job {
    const falconsign_verifying_key *key;
    const uint8_t *message;
    size_t message_len;
    const uint8_t *signature;
    size_t signature_len;
} falconsign_verify_job;

/* Starts threads, or one for each core if count is 0. At most 256 are started, unless there are
 * more cores; fewer if the system refuses. */
int falconsign_threads_new(size_t count, falconsign_threads **threads);

/* Ends threads. */
void falconsign_threads_free(falconsign_threads *threads);

/* Signs many messages. The signature of job i begins at signatures + i * stride; stride must be
 * falconsign_signature_max_len of each key, or more, and signatures has count * stride bytes.
 * signature_lens has count lengths; it may be NULL unless the format is compressed. After a
 * failure, ignore all signatures; the length is 0 where none was made. Errors: those of
 * falconsign_sign, NO_MEMORY, FORKED. */
FALCONSIGN_USE_RESULT
int falconsign_sign_batch(const falconsign_sign_job *jobs, size_t count, int format,
                          const falconsign_threads *threads, uint8_t *signatures, size_t stride,
                          size_t *signature_lens);

/* Verifies many signatures and writes count verdicts. Returns FALCONSIGN_OK only if all are valid,
 * and INVALID_SIGNATURE if at least one is not. After any other error, ignore the verdicts. If
 * verdicts is NULL or overlaps an input (NULL_POINTER, OVERLAP), or count is too large (LENGTH),
 * none is written. Every other early error (ARGUMENT, NULL_POINTER, MISALIGNED_POINTER, LENGTH,
 * FORKED, NO_MEMORY) leaves FALCONSIGN_VERDICT_MALFORMED for all. */
FALCONSIGN_USE_RESULT
int falconsign_verify_batch(const falconsign_verify_job *jobs, size_t count, int format,
                            const falconsign_threads *threads, uint8_t *verdicts);

/* ---- Algorand's deterministic signatures -------------------------------------------------------
 *
 *     int status = falconsign_signing_key_from_algorand_seed(seed, seed_len, &key);
 *     if (status == FALCONSIGN_OK)
 *         status = falconsign_det1024_sign(key, message, message_len, FALCONSIGN_COMPRESSED,
 *                                          signature, sizeof signature, &length);
 *
 * The scheme det1024 of Algorand: equal bytes for equal keys and messages. The keys are those of
 * Falcon-1024; a key of Falcon-512 is refused (PARAMETER_SET). The format is FALCONSIGN_COMPRESSED
 * or FALCONSIGN_CT, of up to 1423 or exactly 1538 bytes. Two different signatures of one message
 * reveal the key: never sign with the same key in a program that rounds differently.
 */

#define FALCONSIGN_DET1024_COMPRESSED_MAX 1423
#define FALCONSIGN_DET1024_CT_LEN 1538

/* Generates the key that Algorand's code generates from a secret seed of 1 byte or more; 32 random
 * bytes are enough. The key is moved once, which may leave a copy on the stack. Errors: LENGTH,
 * FAULT. */
int falconsign_signing_key_from_algorand_seed(const uint8_t *seed, size_t seed_len,
                                              falconsign_signing_key **key);

/* Signs a message twice, compares, and verifies. capacity must be
 * FALCONSIGN_DET1024_COMPRESSED_MAX or FALCONSIGN_DET1024_CT_LEN, or more. Errors: those of
 * falconsign_sign, except NO_RANDOMNESS. */
FALCONSIGN_USE_RESULT
int falconsign_det1024_sign(const falconsign_signing_key *key, const uint8_t *message,
                            size_t message_len, int format, uint8_t *signature, size_t capacity,
                            size_t *signature_len);

/* Verifies a deterministic signature. Errors: as for falconsign_verify. */
FALCONSIGN_USE_RESULT
int falconsign_det1024_verify(const falconsign_verifying_key *key, const uint8_t *message,
                              size_t message_len, int format, const uint8_t *signature,
                              size_t signature_len);

/* Converts a deterministic signature from one format to another, without a key: it is decoded, not
 * verified. capacity as for falconsign_det1024_sign. Errors: MALFORMED_SIGNATURE, BUFFER_TOO_SMALL,
 * OVERLAP. */
FALCONSIGN_USE_RESULT
int falconsign_det1024_convert(const uint8_t *signature, size_t signature_len, int format,
                               int new_format, uint8_t *converted, size_t capacity,
                               size_t *converted_len);

#ifdef __cplusplus
}
#endif

#endif
