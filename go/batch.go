package falconsign

// #include <stdlib.h>
// #include "library.h"
//
// // Jobs come as numbers and offsets, since Go must not pass memory with pointers to its memory.
// // keys has the address of a key for each job. data has message after message.
// static int go_sign_batch(const uintptr_t *keys, const size_t *message_lens, const uint8_t *data,
//                          size_t count, int format, const falconsign_threads *threads,
//                          uint8_t *signatures, size_t stride, size_t *signature_lens)
// {
//     falconsign_sign_job *jobs = calloc(count, sizeof *jobs);
//     if (jobs == NULL)
//         return FALCONSIGN_ERROR_NO_MEMORY;
//     for (size_t i = 0; i < count; i++) {
//         jobs[i].key = (const falconsign_signing_key *)keys[i];
//         jobs[i].message = data;
//         jobs[i].message_len = message_lens[i];
//         data += message_lens[i];
//     }
//     int status = falconsign_sign_batch(jobs, count, format, threads, signatures, stride,
//                                        signature_lens);
//     free(jobs);
//     return status;
// }
//
// // lens has the lengths of message and signature for each job, data their bytes.
// static int go_verify_batch(const uintptr_t *keys, const size_t *lens, const uint8_t *data,
//                            size_t count, int format, const falconsign_threads *threads,
//                            uint8_t *verdicts)
// {
//     falconsign_verify_job *jobs = calloc(count, sizeof *jobs);
//     if (jobs == NULL)
//         return FALCONSIGN_ERROR_NO_MEMORY;
//     for (size_t i = 0; i < count; i++) {
//         jobs[i].key = (const falconsign_verifying_key *)keys[i];
//         jobs[i].message = data;
//         jobs[i].message_len = lens[2 * i];
//         data += lens[2 * i];
//         jobs[i].signature = data;
//         jobs[i].signature_len = lens[2 * i + 1];
//         data += lens[2 * i + 1];
//     }
//     int status = falconsign_verify_batch(jobs, count, format, threads, verdicts);
//     free(jobs);
//     return status;
// }
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
)

// Threads are threads of the C library that share batches. Any number of goroutines may use one
// Threads at the same time.
type Threads struct {
	handle *handle
}

// NewThreads starts threads, or one for each core if count is 0. At most 256 are started, unless
// there are more cores.
func NewThreads(count int) (*Threads, error) {
	if count < 0 {
		return nil, fmt.Errorf("%w: %d threads", ErrArgument, count)
	}
	var object *C.falconsign_threads
	if err := failure(C.falconsign_threads_new(C.size_t(count), &object)); err != nil {
		return nil, err
	}
	return &Threads{newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.falconsign_threads_free((*C.falconsign_threads)(object))
	})}, nil
}

// Close ends the threads, and returns nil. If a batch uses them, they end with the batch. Later
// batches give [ErrClosed].
func (t *Threads) Close() error {
	t.handle.close()
	return nil
}

// SignJob is a message to sign.
type SignJob struct {
	Key     *SigningKey
	Message []byte
}

// VerifyJob is a signature to verify. A key of nil gives [UnknownKey].
type VerifyJob struct {
	Key       *VerifyingKey
	Message   []byte
	Signature []byte
}

// Verdict is the result of VerifyBatch for one job. The zero value means not verified.
type Verdict uint8

// firstVerdict keeps the bytes of verdicts in C and in tables, where 0 is valid, from being
// converted by mistake: they are no verdicts here. [VerdictOf] converts them.
const firstVerdict = 16

// The verdicts.
const (
	// Valid means that the key made the signature for the message.
	Valid = Verdict(C.FALCONSIGN_VERDICT_VALID + firstVerdict)
	// Invalid means that the key did not make the signature for the message.
	Invalid = Verdict(C.FALCONSIGN_VERDICT_INVALID + firstVerdict)
	// Malformed means no signature of the parameter set in the format.
	Malformed = Verdict(C.FALCONSIGN_VERDICT_MALFORMED + firstVerdict)
	// UnknownKey means that the job has no key.
	UnknownKey = Verdict(C.FALCONSIGN_VERDICT_UNKNOWN_KEY + firstVerdict)
)

// VerdictOf converts a verdict of the C library or of falcon-cli verify-table: 0 valid, 1 invalid, 2
// malformed, 3 unknown key. It returns 0 for any other byte.
func VerdictOf(b byte) Verdict {
	if b > C.FALCONSIGN_VERDICT_UNKNOWN_KEY {
		return 0
	}
	return Verdict(b + firstVerdict)
}

// String returns the name: "valid", "invalid", "malformed" or "unknown key".
func (v Verdict) String() string {
	switch v {
	case Valid:
		return "valid"
	case Invalid:
		return "invalid"
	case Malformed:
		return "malformed"
	case UnknownKey:
		return "unknown key"
	default:
		return fmt.Sprintf("Verdict(%d)", uint8(v))
	}
}

// inUse is a list of handles that a batch uses until it ends.
type inUse []*handle

// acquire adds a handle and returns the address of its object.
func (u *inUse) acquire(h *handle) (C.uintptr_t, error) {
	object, err := h.acquire()
	if err != nil {
		return 0, err
	}
	*u = append(*u, h)
	return C.uintptr_t(uintptr(object)), nil
}

// release ends the use of all handles.
func (u *inUse) release() {
	for _, h := range *u {
		h.release()
	}
}

// threads returns the object of threads, or nil if there are none.
func (u *inUse) threads(threads *Threads) (*C.falconsign_threads, error) {
	if threads == nil {
		return nil, nil
	}
	if _, err := u.acquire(threads.handle); err != nil {
		return nil, err
	}
	return (*C.falconsign_threads)(threads.handle.object), nil
}

// SignBatch signs many messages in one format, faster than single calls if the jobs have one key.
// Keys of both parameter sets may be mixed. Put jobs of one key next to each other. If threads is
// nil, the calling thread does all the work. The messages are copied for the time of the call.
//
// After an error there are no signatures.
func SignBatch(jobs []SignJob, format Format, threads *Threads) ([][]byte, error) {
	used := make(inUse, 0, len(jobs)+1)
	defer used.release()
	pool, err := used.threads(threads)
	if err != nil {
		return nil, err
	}
	keys, lens := make([]C.uintptr_t, len(jobs)+1), make([]C.size_t, len(jobs)+1)
	total, stride := 0, 0
	for i, job := range jobs {
		if job.Key == nil {
			return nil, ofJob(i, ErrNullPointer)
		}
		if keys[i], err = used.acquire(job.Key.handle); err != nil {
			return nil, ofJob(i, err)
		}
		lens[i] = C.size_t(len(job.Message))
		total += len(job.Message)
		if length := job.Key.set.SignatureLen(format); length > stride {
			stride = length
		}
	}
	// An address is needed where there are no bytes, too.
	data := make([]byte, 0, total+1)
	for _, job := range jobs {
		data = append(data, job.Message...)
	}
	signatures, signatureLens := make([]byte, len(jobs)*stride+1), make([]C.size_t, len(jobs)+1)
	status := C.go_sign_batch(&keys[0], &lens[0], bytesOf(data[:total+1]), C.size_t(len(jobs)),
		C.int(format), pool, bytesOf(signatures), C.size_t(stride), &signatureLens[0])
	if err := failure(status); err != nil {
		return nil, err
	}
	made := make([][]byte, len(jobs))
	for i := range made {
		start := i * stride
		end := start + int(signatureLens[i])
		made[i] = signatures[start:end:end]
	}
	return made, nil
}

// buffers are reused for what VerifyBatch copies, since fresh memory costs more than copying.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// bufferOf returns a buffer with a capacity of at least so many bytes.
func bufferOf(size int) *[]byte {
	buffer := buffers.Get().(*[]byte)
	if cap(*buffer) < size {
		*buffer = make([]byte, size)
	}
	return buffer
}

// VerifyBatch verifies many signatures in one format, faster than single calls. It returns nil as
// its error only if all signatures are valid, and [ErrInvalidSignature] with all verdicts if at
// least one is not. After any other error there are no verdicts.
//
// Keys of both parameter sets may be mixed. Put jobs of one key next to each other. If threads is
// nil, the calling thread does all the work. Messages and signatures are copied, and the copies stay
// in memory for later batches.
func VerifyBatch(jobs []VerifyJob, format Format, threads *Threads) ([]Verdict, error) {
	used := make(inUse, 0, len(jobs)+1)
	defer used.release()
	pool, err := used.threads(threads)
	if err != nil {
		return nil, err
	}
	keys, lens := make([]C.uintptr_t, len(jobs)+1), make([]C.size_t, 2*len(jobs)+1)
	total := 0
	for i, job := range jobs {
		if job.Key != nil {
			if keys[i], err = used.acquire(job.Key.handle); err != nil {
				return nil, ofJob(i, err)
			}
		}
		lens[2*i], lens[2*i+1] = C.size_t(len(job.Message)), C.size_t(len(job.Signature))
		total += len(job.Message) + len(job.Signature)
	}
	// An address is needed where there are no bytes, too.
	buffer := bufferOf(total + 1)
	defer buffers.Put(buffer)
	data := (*buffer)[:0]
	for _, job := range jobs {
		data = append(append(data, job.Message...), job.Signature...)
	}
	found := make([]byte, len(jobs)+1)
	status := C.go_verify_batch(&keys[0], &lens[0], bytesOf(data[:total+1]), C.size_t(len(jobs)),
		C.int(format), pool, bytesOf(found))
	if err := failure(status); err != nil && err != ErrInvalidSignature {
		return nil, err
	}
	verdicts := make([]Verdict, len(jobs))
	for i := range verdicts {
		verdicts[i] = VerdictOf(found[i])
	}
	return verdicts, failure(status)
}
