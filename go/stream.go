package falconsign

// #include "library.h"
import "C"

import (
	"io"
	"sync"
	"unsafe"
)

// stream is an object of the C library that one call at a time may use.
type stream struct {
	mutex  sync.Mutex
	handle *handle
}

// use calls a function of the C library with the object.
func (s *stream) use(call func(unsafe.Pointer) C.int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object, err := s.handle.acquire()
	if err != nil {
		return err
	}
	defer s.handle.release()
	return failure(call(object))
}

// SignStream signs a message that is written in pieces. The memory does not depend on the length of
// the message. Calls from several goroutines take turns.
type SignStream struct {
	stream stream
	set    ParameterSet
}

var _ io.WriteCloser = (*SignStream)(nil)

// NewStream starts to sign a message in pieces. The stream may outlive the key.
func (k *SigningKey) NewStream() (*SignStream, error) {
	var object *C.falconsign_signer
	err := k.use(func(key *C.falconsign_signing_key) error {
		return failure(C.falconsign_signer_new(key, &object))
	})
	if err != nil {
		return nil, err
	}
	handle := newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.falconsign_signer_free((*C.falconsign_signer)(object))
	})
	return &SignStream{stream{handle: handle}, k.set}, nil
}

// Write absorbs the next piece of the message.
func (s *SignStream) Write(piece []byte) (int, error) {
	err := s.stream.use(func(object unsafe.Pointer) C.int {
		return C.falconsign_signer_update((*C.falconsign_signer)(object), bytesOf(piece),
			C.size_t(len(piece)))
	})
	if err != nil {
		return 0, err
	}
	return len(piece), nil
}

// Sign ends the message and signs it. Afterwards the stream can only be closed ([ErrFinished]); after
// [ErrArgument] Sign may be repeated. Sign nothing if a piece is missing, such as after a read error.
func (s *SignStream) Sign(format Format) ([]byte, error) {
	signature := make([]byte, s.set.SignatureLen(format))
	var length C.size_t
	err := s.stream.use(func(object unsafe.Pointer) C.int {
		if len(signature) == 0 {
			return C.FALCONSIGN_ERROR_ARGUMENT
		}
		return C.falconsign_signer_finish((*C.falconsign_signer)(object), C.int(format),
			bytesOf(signature), C.size_t(len(signature)), &length)
	})
	if err != nil {
		return nil, err
	}
	return signature[:length:length], nil
}

// Close wipes and frees the stream, and returns nil. Later calls give [ErrClosed].
func (s *SignStream) Close() error {
	s.stream.handle.close()
	return nil
}

// SignFrom signs all that a reader gives, in pieces. A read error gives that error and no signature.
func (k *SigningKey) SignFrom(message io.Reader, format Format) ([]byte, error) {
	stream, err := k.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	if _, err := io.Copy(stream, message); err != nil {
		return nil, err
	}
	return stream.Sign(format)
}

// VerifyStream verifies the signature of a message that is written in pieces. Calls from several
// goroutines take turns.
type VerifyStream struct {
	stream stream
}

var _ io.WriteCloser = (*VerifyStream)(nil)

// NewStream starts to verify a signature. It is decoded at once ([ErrMalformedSignature]) and copied.
// The stream may outlive the key.
func (k *VerifyingKey) NewStream(signature []byte, format Format) (*VerifyStream, error) {
	var object *C.falconsign_verifier
	err := k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_verifier_new(key, C.int(format), bytesOf(signature),
			C.size_t(len(signature)), &object))
	})
	if err != nil {
		return nil, err
	}
	handle := newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.falconsign_verifier_free((*C.falconsign_verifier)(object))
	})
	return &VerifyStream{stream{handle: handle}}, nil
}

// Write absorbs the next piece of the message.
func (s *VerifyStream) Write(piece []byte) (int, error) {
	err := s.stream.use(func(object unsafe.Pointer) C.int {
		return C.falconsign_verifier_update((*C.falconsign_verifier)(object), bytesOf(piece),
			C.size_t(len(piece)))
	})
	if err != nil {
		return 0, err
	}
	return len(piece), nil
}

// Verify ends the message. It returns nil only if the signature is valid for all that was written.
// Afterwards the stream can only be closed ([ErrFinished]).
func (s *VerifyStream) Verify() error {
	return s.stream.use(func(object unsafe.Pointer) C.int {
		return C.falconsign_verifier_finish((*C.falconsign_verifier)(object))
	})
}

// Close frees the stream, and returns nil. Later calls give [ErrClosed].
func (s *VerifyStream) Close() error {
	s.stream.handle.close()
	return nil
}

// VerifyFrom verifies the signature of all that a reader gives, in pieces. A read error gives that
// error.
func (k *VerifyingKey) VerifyFrom(message io.Reader, signature []byte, format Format) error {
	stream, err := k.NewStream(signature, format)
	if err != nil {
		return err
	}
	defer stream.Close()
	if _, err := io.Copy(stream, message); err != nil {
		return err
	}
	return stream.Verify()
}
