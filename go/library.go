package falconsign

/*
#cgo CFLAGS: -I${SRCDIR}
#cgo LDFLAGS: ${SRCDIR}/lib/libfalconsign.a -lpthread -ldl -lm
#ifdef __has_include
#if !__has_include("library.h")
#error "the C library is missing: run build.sh of the module falconsign"
#endif
#endif
#include "library.h"
*/
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// libraryHash is the SHA-256 of the linked library and its header. The object code of this package
// has it, so programs are linked again when build.sh has made another library.
var libraryHash = C.FALCONSIGN_LIBRARY_HASH

// Version returns the version of the C library.
func Version() string {
	return C.GoString(C.falconsign_version())
}

// Engine returns the name of the engine that computes, such as "avx2x8". All engines give equal
// bytes.
func Engine() string {
	return C.GoString(C.falconsign_engine())
}

// handle owns an object of the C library that several goroutines may use. The object is freed once:
// when the handle is closed or collected, and no call uses the object any more.
type handle struct {
	object unsafe.Pointer
	free   func(unsafe.Pointer)
	// state is the number of calls that use the object, plus closed.
	state atomic.Int64
}

// closed marks the state of a closed handle.
const closed = 1 << 62

// newHandle takes ownership of an object.
func newHandle(object unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{object: object, free: free}
	runtime.SetFinalizer(h, (*handle).close)
	return h
}

// acquire returns the object for one call, which ends with release. A closed handle, and nil, give
// ErrClosed.
func (h *handle) acquire() (unsafe.Pointer, error) {
	if h == nil {
		return nil, ErrClosed
	}
	for {
		state := h.state.Load()
		if state&closed != 0 {
			return nil, ErrClosed
		}
		if h.state.CompareAndSwap(state, state+1) {
			return h.object, nil
		}
	}
}

// release ends a call. The last call after close frees the object.
func (h *handle) release() {
	if h.state.Add(-1) == closed {
		h.free(h.object)
	}
	// The finalizer must not free the object before the call has ended.
	runtime.KeepAlive(h)
}

// close frees the object, or leaves that to the last call that uses it.
func (h *handle) close() {
	if h == nil {
		return
	}
	for {
		state := h.state.Load()
		if state&closed != 0 {
			return
		}
		if h.state.CompareAndSwap(state, state|closed) {
			runtime.SetFinalizer(h, nil)
			if state == 0 {
				h.free(h.object)
			}
			return
		}
	}
}

// bytesOf returns the address of the first byte, or nil if there is none. The caller passes it to C
// for the time of one call.
func bytesOf(bytes []byte) *C.uint8_t {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0]))
}

// wipe overwrites bytes with zeros.
func wipe(bytes []byte) {
	for i := range bytes {
		bytes[i] = 0
	}
	runtime.KeepAlive(bytes)
}
