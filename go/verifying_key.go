package falconsign

// #include "library.h"
import "C"

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"fmt"
	"unsafe"
)

// VerifyingKey is a public key. Any number of goroutines may use one key at the same time.
//
// [VerifyingKey.Close] frees the key. If the program does not close it, the garbage collector frees
// it some time after its last use.
type VerifyingKey struct {
	handle *handle
	set    ParameterSet
	// isShared is true for the key that a signing key returns each time. Closing it does nothing.
	isShared bool
}

// ParseVerifyingKey decodes a key of either parameter set.
func ParseVerifyingKey(encoded []byte) (*VerifyingKey, error) {
	var object *C.falconsign_verifying_key
	status := C.falconsign_verifying_key_from_bytes(bytesOf(encoded), C.size_t(len(encoded)),
		&object)
	return newVerifyingKey(object, status)
}

// newVerifyingKey takes ownership of a key that the C library has made, unless the status says that
// it failed.
func newVerifyingKey(object *C.falconsign_verifying_key, status C.int) (*VerifyingKey, error) {
	if err := failure(status); err != nil {
		return nil, err
	}
	handle := newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.falconsign_verifying_key_free((*C.falconsign_verifying_key)(object))
	})
	set := ParameterSet(C.falconsign_verifying_key_parameter_set(object))
	return &VerifyingKey{handle: handle, set: set}, nil
}

// use calls a function with the key, which stays alive until the function returns.
func (k *VerifyingKey) use(call func(*C.falconsign_verifying_key) error) error {
	object, err := k.handle.acquire()
	if err != nil {
		return err
	}
	defer k.handle.release()
	return call((*C.falconsign_verifying_key)(object))
}

// Close frees the key, and returns nil. If other goroutines use the key, that happens when the last
// of their calls ends. Later calls give [ErrClosed]. The key of [SigningKey.Public] is shared, so
// Close leaves it to the garbage collector.
func (k *VerifyingKey) Close() error {
	if !k.isShared {
		k.handle.close()
	}
	return nil
}

// ParameterSet returns the parameter set of the key.
func (k *VerifyingKey) ParameterSet() ParameterSet {
	return k.set
}

// String returns the parameter set and the first 8 bytes of the fingerprint.
func (k *VerifyingKey) String() string {
	if k == nil || k.handle == nil {
		return "no verifying key"
	}
	return fmt.Sprintf("%v verifying key %s", k.set, k.shortFingerprint())
}

// GoString returns the same text as String.
func (k *VerifyingKey) GoString() string {
	return k.String()
}

// shortFingerprint returns the first 8 bytes of the fingerprint in hexadecimal.
func (k *VerifyingKey) shortFingerprint() string {
	fingerprint, err := k.Fingerprint()
	if err != nil {
		return "(closed)"
	}
	return hex.EncodeToString(fingerprint[:8])
}

// Equal tells whether x is the same key. A closed key equals none.
func (k *VerifyingKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*VerifyingKey)
	if !ok || other == nil {
		return false
	}
	mine, err := k.Bytes()
	if err != nil {
		return false
	}
	theirs, err := other.Bytes()
	return err == nil && bytes.Equal(mine, theirs)
}

// Bytes encodes the key.
func (k *VerifyingKey) Bytes() ([]byte, error) {
	encoded := make([]byte, k.set.VerifyingKeyLen())
	err := k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_verifying_key_to_bytes(key, bytesOf(encoded),
			C.size_t(len(encoded))))
	})
	if err != nil {
		return nil, err
	}
	return encoded, nil
}

// Fingerprint computes the fingerprint: the first 32 bytes of SHAKE256 of the encoded key.
func (k *VerifyingKey) Fingerprint() ([FingerprintLen]byte, error) {
	var fingerprint [FingerprintLen]byte
	err := k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_verifying_key_fingerprint(key, bytesOf(fingerprint[:]),
			FingerprintLen))
	})
	return fingerprint, err
}

// Verify returns nil only if the key made the signature for the message, and the signature has this
// format. Otherwise it returns [ErrInvalidSignature] or [ErrMalformedSignature].
func (k *VerifyingKey) Verify(message, signature []byte, format Format) error {
	object, err := k.handle.acquire()
	if err != nil {
		return err
	}
	defer k.handle.release()
	return failure(C.falconsign_verify((*C.falconsign_verifying_key)(object), bytesOf(message),
		C.size_t(len(message)), C.int(format), bytesOf(signature), C.size_t(len(signature))))
}
