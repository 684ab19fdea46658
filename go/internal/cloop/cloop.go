// Package cloop signs and verifies many times within one call of C, for benchmarks that compare with
// calls from Go.
package cloop

/*
#cgo CFLAGS: -I${SRCDIR}/../..
#cgo LDFLAGS: ${SRCDIR}/../../lib/libfalconsign.a -lpthread -ldl -lm
#include "library.h"

// Signs a message a number of times.
static int sign(const falconsign_signing_key *key, const uint8_t *message, size_t message_len,
                size_t rounds)
{
    uint8_t signature[FALCONSIGN_SIGNATURE_MAX];
    size_t length;
    int status = FALCONSIGN_OK;
    for (size_t i = 0; i < rounds && status == FALCONSIGN_OK; i++)
        status = falconsign_sign(key, message, message_len, FALCONSIGN_PADDED, signature,
                                 sizeof signature, &length);
    return status;
}

// Verifies a signature a number of times.
static int verify(const falconsign_verifying_key *key, const uint8_t *message, size_t message_len,
                  const uint8_t *signature, size_t signature_len, size_t rounds)
{
    int status = FALCONSIGN_OK;
    for (size_t i = 0; i < rounds && status == FALCONSIGN_OK; i++)
        status = falconsign_verify(key, message, message_len, FALCONSIGN_PADDED, signature,
                                   signature_len);
    return status;
}

// Verifies a batch of equal jobs a number of times, on the calling thread.
static int verify_batch(const falconsign_verifying_key *key, const uint8_t *message,
                        size_t message_len, const uint8_t *signature, size_t signature_len,
                        size_t rounds)
{
    falconsign_verify_job jobs[64];
    uint8_t verdicts[64];
    int status = FALCONSIGN_OK;
    for (size_t i = 0; i < rounds && status == FALCONSIGN_OK; i++) {
        for (size_t job = 0; job < 64; job++) {
            falconsign_verify_job one = {key, message, message_len, signature, signature_len};
            jobs[job] = one;
        }
        status = falconsign_verify_batch(jobs, 64, FALCONSIGN_PADDED, NULL, verdicts);
    }
    return status;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Jobs is the number of jobs of a batch.
const Jobs = 64

// Key is a key of the C library.
type Key struct {
	signing   *C.falconsign_signing_key
	verifying *C.falconsign_verifying_key
}

// New decodes a key and expands it. The key is never freed.
func New(encoded []byte) (*Key, error) {
	var key, expanded *C.falconsign_signing_key
	var made Key
	status := C.falconsign_signing_key_from_bytes(first(encoded), C.size_t(len(encoded)), &key)
	if status == 0 {
		status = C.falconsign_signing_key_expand(key, &expanded)
		made.signing = expanded
	}
	if status == 0 {
		status = C.falconsign_signing_key_verifying_key(key, &made.verifying)
	}
	return &made, failure(status)
}

// Sign signs a message a number of times, in the padded format.
func (k *Key) Sign(message []byte, rounds int) error {
	return failure(C.sign(k.signing, first(message), C.size_t(len(message)), C.size_t(rounds)))
}

// Verify verifies a padded signature a number of times.
func (k *Key) Verify(message, signature []byte, rounds int) error {
	return failure(C.verify(k.verifying, first(message), C.size_t(len(message)), first(signature),
		C.size_t(len(signature)), C.size_t(rounds)))
}

// VerifyBatch verifies a batch of [Jobs] equal signatures a number of times.
func (k *Key) VerifyBatch(message, signature []byte, rounds int) error {
	return failure(C.verify_batch(k.verifying, first(message), C.size_t(len(message)),
		first(signature), C.size_t(len(signature)), C.size_t(rounds)))
}

// first returns the address of the first byte. There is at least one.
func first(bytes []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0]))
}

// failure returns an error for a status code that is not 0.
func failure(status C.int) error {
	if status != 0 {
		return fmt.Errorf("cloop: status %d", int(status))
	}
	return nil
}
