package falconsign

// #include "library.h"
import "C"

import "unsafe"

// noBytes is where an empty passphrase begins, which the C library tells from none.
var noBytes [1]byte

// passphraseOf returns the address of a passphrase, or nil for none.
func passphraseOf(passphrase []byte) *C.uint8_t {
	if passphrase != nil && len(passphrase) == 0 {
		return (*C.uint8_t)(unsafe.Pointer(&noBytes[0]))
	}
	return bytesOf(passphrase)
}

// textOf returns the address of a text.
func textOf(text []byte) *C.char {
	return (*C.char)(unsafe.Pointer(bytesOf(text)))
}

// ParseSigningKeyPEM reads a key in PKCS#8, as PEM. It reads the forms of falcon-cli, OpenSSL's OQS
// provider and Bouncy Castle. The passphrase is nil for a key that is not encrypted.
func ParseSigningKeyPEM(pem, passphrase []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_pem(textOf(pem), C.size_t(len(pem)),
		passphraseOf(passphrase), C.size_t(len(passphrase)), &object)
	return newSigningKey(object, status)
}

// ParseSigningKeyDER reads a key in PKCS#8, as DER. It is otherwise [ParseSigningKeyPEM].
func ParseSigningKeyDER(der, passphrase []byte) (*SigningKey, error) {
	var object *C.falconsign_signing_key
	status := C.falconsign_signing_key_from_der(bytesOf(der), C.size_t(len(der)),
		passphraseOf(passphrase), C.size_t(len(passphrase)), &object)
	return newSigningKey(object, status)
}

// ParseVerifyingKeyPEM reads a key in SubjectPublicKeyInfo, as PEM.
func ParseVerifyingKeyPEM(pem []byte) (*VerifyingKey, error) {
	var object *C.falconsign_verifying_key
	status := C.falconsign_verifying_key_from_pem(textOf(pem), C.size_t(len(pem)), &object)
	return newVerifyingKey(object, status)
}

// ParseVerifyingKeyDER reads a key in SubjectPublicKeyInfo, as DER.
func ParseVerifyingKeyDER(der []byte) (*VerifyingKey, error) {
	var object *C.falconsign_verifying_key
	status := C.falconsign_verifying_key_from_der(bytesOf(der), C.size_t(len(der)), &object)
	return newVerifyingKey(object, status)
}

// MarshalPEM writes the key in PKCS#8, as PEM. With a passphrase the key is encrypted (scrypt,
// AES-256-CBC), which takes tens of milliseconds. A passphrase of nil means none, an empty one is
// refused ([ErrLength]). The caller wipes a key that is not encrypted.
func (k *SigningKey) MarshalPEM(passphrase []byte) ([]byte, error) {
	return k.marshal(passphrase, func(key *C.falconsign_signing_key, passphrase *C.uint8_t,
		passphraseLen C.size_t, document []byte, length *C.size_t) C.int {
		return C.falconsign_signing_key_to_pem(key, passphrase, passphraseLen, textOf(document),
			C.size_t(len(document)), length)
	})
}

// MarshalDER writes the key in PKCS#8, as DER. It is otherwise [SigningKey.MarshalPEM].
func (k *SigningKey) MarshalDER(passphrase []byte) ([]byte, error) {
	return k.marshal(passphrase, func(key *C.falconsign_signing_key, passphrase *C.uint8_t,
		passphraseLen C.size_t, document []byte, length *C.size_t) C.int {
		return C.falconsign_signing_key_to_der(key, passphrase, passphraseLen, bytesOf(document),
			C.size_t(len(document)), length)
	})
}

// marshal writes a document with a function of the C library.
func (k *SigningKey) marshal(passphrase []byte, write func(*C.falconsign_signing_key, *C.uint8_t,
	C.size_t, []byte, *C.size_t) C.int) ([]byte, error) {
	// The document is returned where it was written, so that no copy of a secret is left.
	document := make([]byte, C.FALCONSIGN_DOCUMENT_MAX)
	var length C.size_t
	err := k.use(func(key *C.falconsign_signing_key) error {
		return failure(write(key, passphraseOf(passphrase), C.size_t(len(passphrase)), document,
			&length))
	})
	if err != nil {
		wipe(document)
		return nil, err
	}
	return document[:length:length], nil
}

// MarshalPEM writes the key in SubjectPublicKeyInfo, as PEM.
func (k *VerifyingKey) MarshalPEM() ([]byte, error) {
	document := make([]byte, C.FALCONSIGN_DOCUMENT_MAX)
	var length C.size_t
	err := k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_verifying_key_to_pem(key, textOf(document),
			C.size_t(len(document)), &length))
	})
	if err != nil {
		return nil, err
	}
	return document[:length:length], nil
}

// MarshalDER writes the key in SubjectPublicKeyInfo, as DER.
func (k *VerifyingKey) MarshalDER() ([]byte, error) {
	document := make([]byte, C.FALCONSIGN_DOCUMENT_MAX)
	var length C.size_t
	err := k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_verifying_key_to_der(key, bytesOf(document),
			C.size_t(len(document)), &length))
	})
	if err != nil {
		return nil, err
	}
	return document[:length:length], nil
}
