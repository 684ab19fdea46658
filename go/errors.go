package falconsign

// #include "library.h"
import "C"

import (
	"errors"
	"fmt"
)

// Status is an error of the C library, with its code. The first two are verdicts about a signature.
// Every other one means that the call failed.
type Status int

// Errors of the C library. A returned error may say more; compare it with errors.Is.
const (
	// ErrInvalidSignature means that the key did not make the signature for the message.
	ErrInvalidSignature = Status(C.FALCONSIGN_INVALID_SIGNATURE)
	// ErrMalformedSignature means that the bytes are no signature of the parameter set in the format.
	ErrMalformedSignature = Status(C.FALCONSIGN_MALFORMED_SIGNATURE)
	// ErrNullPointer means that a job of a batch has no signing key.
	ErrNullPointer = Status(C.FALCONSIGN_ERROR_NULL_POINTER)
	// ErrMisalignedPointer reports a bug of this package.
	ErrMisalignedPointer = Status(C.FALCONSIGN_ERROR_MISALIGNED_POINTER)
	// ErrArgument means an unknown parameter set, or a format that the method lacks.
	ErrArgument = Status(C.FALCONSIGN_ERROR_ARGUMENT)
	// ErrLength means that a seed, key or passphrase has a wrong length.
	ErrLength = Status(C.FALCONSIGN_ERROR_LENGTH)
	// ErrBufferTooSmall reports a bug of this package.
	ErrBufferTooSmall = Status(C.FALCONSIGN_ERROR_BUFFER_TOO_SMALL)
	// ErrOverlap reports a bug of this package.
	ErrOverlap = Status(C.FALCONSIGN_ERROR_OVERLAP)
	// ErrMalformedKey means that the bytes are no encoded key.
	ErrMalformedKey = Status(C.FALCONSIGN_ERROR_MALFORMED_KEY)
	// ErrMalformedDocument means that PEM or DER has no Falcon key of the wanted kind.
	ErrMalformedDocument = Status(C.FALCONSIGN_ERROR_MALFORMED_DOCUMENT)
	// ErrPassphraseNeeded means that the document is encrypted.
	ErrPassphraseNeeded = Status(C.FALCONSIGN_ERROR_PASSPHRASE_NEEDED)
	// ErrPassphraseNotNeeded means that the document is not encrypted.
	ErrPassphraseNotNeeded = Status(C.FALCONSIGN_ERROR_PASSPHRASE_NOT_NEEDED)
	// ErrWrongPassphrase means a wrong passphrase or a damaged document.
	ErrWrongPassphrase = Status(C.FALCONSIGN_ERROR_WRONG_PASSPHRASE)
	// ErrKeyUse means that the key signs certificates only.
	ErrKeyUse = Status(C.FALCONSIGN_ERROR_KEY_USE)
	// ErrParameterSet means that the method needs a key of Falcon-1024.
	ErrParameterSet = Status(C.FALCONSIGN_ERROR_PARAMETER_SET)
	// ErrNoRandomness means that the system gave no random bytes.
	ErrNoRandomness = Status(C.FALCONSIGN_ERROR_NO_RANDOMNESS)
	// ErrNoMemory means that memory for a batch is short.
	ErrNoMemory = Status(C.FALCONSIGN_ERROR_NO_MEMORY)
	// ErrFault means that the processor computed wrongly. No key and no signature was made.
	ErrFault = Status(C.FALCONSIGN_ERROR_FAULT)
	// ErrFinished means that the message of the stream has ended.
	ErrFinished = Status(C.FALCONSIGN_ERROR_FINISHED)
	// ErrForked means that the stream or the threads were made before a fork.
	ErrForked = Status(C.FALCONSIGN_ERROR_FORKED)
	// ErrInternal is an error of the C library.
	ErrInternal = Status(C.FALCONSIGN_ERROR_INTERNAL)
)

// Errors that the C library does not have.
var (
	// ErrClosed means that a key, stream or Threads is closed, or was not made by this package.
	ErrClosed = errors.New("falconsign: the key, stream or threads are closed")
	// ErrOptions means that [SigningKey.Sign] got options that it would have to ignore.
	ErrOptions = errors.New("falconsign: unsupported options")
	// ErrHashed means that [SigningKey.Sign] was asked to sign a hash instead of a message.
	ErrHashed = errors.New("falconsign: pass the message itself: HashFunc() of the options must be 0")
)

// Error returns the text of the C library.
func (s Status) Error() string {
	return "falconsign: " + C.GoString(C.falconsign_status_text(C.int(s)))
}

// failure returns nil for success, else the error of a status code.
func failure(status C.int) error {
	if status == C.FALCONSIGN_OK {
		return nil
	}
	return Status(status)
}

// ofJob returns an error with the index of its job.
func ofJob(job int, err error) error {
	return fmt.Errorf("job %d: %w", job, err)
}
