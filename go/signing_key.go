package falconsign

// #include "library.h"
//
// // Signs, and returns the length of the signature or a status code.
// static int go_sign(const falconsign_signing_key *key, const uint8_t *message, size_t message_len,
//                    int format, uint8_t *signature, size_t capacity)
// {
//     size_t length;
//     int status =
//         falconsign_sign(key, message, message_len, format, signature, capacity, &length);
//     return status == FALCONSIGN_OK ? (int)length : status;
// }
import "C"

import (
	"crypto"
	"crypto/subtle"
	"fmt"
	"io"
	"unsafe"
)

// SigningKey is a secret key. It implements [crypto.Signer]. Any number of goroutines may use one
// key at the same time.
//
// The key is in memory of the C library. [SigningKey.Close] wipes and frees it. If the program does
// not close a key, the garbage collector does so some time after its last use.
type SigningKey struct {
	handle *handle
	set    ParameterSet
	public *VerifyingKey
}

var _ crypto.Signer = (*SigningKey)(nil)

// GenerateSigningKey generates a key with random bytes of the operating system.
func GenerateSigningKey(set ParameterSet) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_generate(C.int(set), &object)
	return newSigningKey(object, status)
}

// NewSigningKeyFromSeed generates the key of a secret seed of 32 random bytes ([SeedLen]).
func NewSigningKeyFromSeed(set ParameterSet, seed []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_seed(C.int(set), bytesOf(seed), C.size_t(len(seed)),
		&object)
	return newSigningKey(object, status)
}

// NewSigningKeyFromReferenceSeed generates the key that the round-3 reference generates from a
// secret seed of 48 random bytes ([ReferenceSeedLen]), as wallets do.
func NewSigningKeyFromReferenceSeed(set ParameterSet, seed []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_reference_seed(C.int(set), bytesOf(seed),
		C.size_t(len(seed)), &object)
	return newSigningKey(object, status)
}

// NewSigningKeyFromAlgorandSeed generates the key of Falcon-1024 that Algorand's code generates from
// a secret seed of 1 byte or more; 32 random bytes are enough. The C library may leave a copy of the
// key on the stack.
func NewSigningKeyFromAlgorandSeed(seed []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_algorand_seed(bytesOf(seed), C.size_t(len(seed)),
		&object)
	return newSigningKey(object, status)
}

// ParseSigningKey decodes a key of either parameter set, and checks it. The encoding is that of the
// specification, of PQClean and of liboqs.
func ParseSigningKey(encoded []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_bytes(bytesOf(encoded), C.size_t(len(encoded)), &object)
	return newSigningKey(object, status)
}

// newSigningKey takes ownership of a key that the C library has made, unless the status says that it
// failed.
func newSigningKey(object *C.falconsign_signing_key, status C.int) (*SigningKey, error) {
	if err := failure(status); err != nil {
		return nil, err
	}
	handle := newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.falconsign_signing_key_free((*C.falconsign_signing_key)(object))
	})
	var public *C.falconsign_verifying_key
	status = C.falconsign_signing_key_verifying_key(object, &public)
	verifyingKey, err := newVerifyingKey(public, status)
	if err != nil {
		handle.close()
		return nil, err
	}
	verifyingKey.isShared = true
	set := ParameterSet(C.falconsign_signing_key_parameter_set(object))
	return &SigningKey{handle, set, verifyingKey}, nil
}

// use calls a function with the key, which stays alive until the function returns.
func (k *SigningKey) use(call func(*C.falconsign_signing_key) error) error {
	object, err := k.handle.acquire()
	if err != nil {
		return err
	}
	defer k.handle.release()
	return call((*C.falconsign_signing_key)(object))
}

// Close wipes and frees the key, and returns nil. If other goroutines use the key, that happens when
// the last of their calls ends. Later calls give [ErrClosed]. Streams of the key keep a copy until
// they are closed.
func (k *SigningKey) Close() error {
	k.handle.close()
	return nil
}

// ParameterSet returns the parameter set of the key.
func (k *SigningKey) ParameterSet() ParameterSet {
	return k.set
}

// VerifyingKey returns the verifying key. It can be used after the signing key is closed, and need
// not be closed.
func (k *SigningKey) VerifyingKey() *VerifyingKey {
	return k.public
}

// Public returns the verifying key, a [*VerifyingKey].
func (k *SigningKey) Public() crypto.PublicKey {
	return k.public
}

// String returns the parameter set and the fingerprint, and nothing secret.
func (k *SigningKey) String() string {
	if k == nil || k.public == nil {
		return "no signing key"
	}
	return fmt.Sprintf("%v signing key %s", k.set, k.public.shortFingerprint())
}

// GoString returns the same text as String.
func (k *SigningKey) GoString() string {
	return k.String()
}

// Equal tells whether x is the same key. The time does not depend on the keys. A closed key equals
// none.
func (k *SigningKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*SigningKey)
	if !ok || other == nil {
		return false
	}
	mine, err := k.Bytes()
	if err != nil {
		return false
	}
	defer wipe(mine)
	theirs, err := other.Bytes()
	if err != nil {
		return false
	}
	defer wipe(theirs)
	return subtle.ConstantTimeCompare(mine, theirs) == 1
}

// Bytes encodes the key. The caller wipes the bytes.
func (k *SigningKey) Bytes() ([]byte, error) {
	encoded := make([]byte, k.set.SigningKeyLen())
	err := k.use(func(key *C.falconsign_signing_key) error {
		return failure(C.falconsign_signing_key_to_bytes(key, bytesOf(encoded),
			C.size_t(len(encoded))))
	})
	if err != nil {
		return nil, err
	}
	return encoded, nil
}

// Expand prepares the key for signing. The new key signs in about four fifths of the time, takes 60
// or 128 KiB more, and can do all that the first one can. Close both.
func (k *SigningKey) Expand() (*SigningKey, error) {
	var expanded *C.falconsign_signing_key
	var status C.int
	err := k.use(func(key *C.falconsign_signing_key) error {
		status = C.falconsign_signing_key_expand(key, &expanded)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newSigningKey(expanded, status)
}

// Sign signs a message, not its hash. The options are a [Format]; nil and crypto.Hash(0) mean
// [Padded]. Options whose HashFunc() is not 0 give [ErrHashed], options of other types [ErrOptions].
//
// The reader is ignored and may be nil: the randomness is a fresh seed of the operating system,
// which is hedged with the key.
func (k *SigningKey) Sign(_ io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	format, err := formatOf(opts)
	if err != nil {
		return nil, err
	}
	object, err := k.handle.acquire()
	if err != nil {
		return nil, err
	}
	defer k.handle.release()
	signature := make([]byte, k.set.SignatureLen(format))
	if len(signature) == 0 {
		return nil, ErrArgument
	}
	length := C.go_sign((*C.falconsign_signing_key)(object), bytesOf(message),
		C.size_t(len(message)), C.int(format), bytesOf(signature), C.size_t(len(signature)))
	if length < 0 {
		return nil, failure(length)
	}
	return signature[:length:length], nil
}

// SignMessage is [SigningKey.Sign], under the name that crypto.MessageSigner has for it.
func (k *SigningKey) SignMessage(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	return k.Sign(rand, message, opts)
}
