package falconsign

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// Streams sign and verify what single calls do, whatever the pieces.
func TestStreamsEqualSingleCalls(t *testing.T) {
	message := bytes.Repeat([]byte("order #42 "), 5000)
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		key := seedKey(t, set, 1)
		public := key.VerifyingKey()
		for _, format := range []Format{Compressed, Padded, ConstantTime} {
			stream, err := key.NewStream()
			must(t, err)
			for rest, n := message, 0; len(rest) > 0; n = n*2 + 1 {
				if n > len(rest) {
					n = len(rest)
				}
				written, err := stream.Write(rest[:n])
				must(t, err)
				if written != n {
					t.Errorf("%d of %d bytes", written, n)
				}
				rest = rest[n:]
			}
			signature, err := stream.Sign(format)
			must(t, err)
			must(t, stream.Close())
			must(t, public.Verify(message, signature, format))

			signature, err = key.SignFrom(iotest.OneByteReader(bytes.NewReader(message[:99])), format)
			must(t, err)
			must(t, public.Verify(message[:99], signature, format))
			must(t, public.VerifyFrom(bytes.NewReader(message[:99]), signature, format))
			expect(t, public.VerifyFrom(bytes.NewReader(message[:98]), signature, format),
				ErrInvalidSignature)
		}
	}
}

// Half of a message is never signed or verified.
func TestReadErrorsEndStreams(t *testing.T) {
	broken := errors.New("the disk is broken")
	half := func() io.Reader {
		return io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	}
	key := seedKey(t, Falcon512, 1)
	signature, err := key.SignFrom(half(), Padded)
	expect(t, err, broken)
	if signature != nil {
		t.Error("half a message is signed")
	}
	signature, err = key.Sign(nil, []byte("half"), Padded)
	must(t, err)
	expect(t, key.VerifyingKey().VerifyFrom(half(), signature, Padded), broken)
}

func TestEndedStreamsRefuse(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	stream, err := key.NewStream()
	must(t, err)
	must(t, key.Close())
	_, err = stream.Write([]byte("order #42"))
	must(t, err)
	_, err = stream.Sign(0)
	expect(t, err, ErrArgument)
	signature, err := stream.Sign(Padded)
	must(t, err)
	_, err = stream.Sign(Padded)
	expect(t, err, ErrFinished)
	written, err := stream.Write([]byte("more"))
	expect(t, err, ErrFinished)
	if written != 0 {
		t.Error("bytes are written to an ended stream")
	}
	must(t, stream.Close())
	must(t, stream.Close())
	_, err = stream.Sign(Padded)
	expect(t, err, ErrClosed)
	_, err = stream.Write(nil)
	expect(t, err, ErrClosed)

	public := key.VerifyingKey()
	_, err = public.NewStream(signature[1:], Padded)
	expect(t, err, ErrMalformedSignature)
	_, err = public.NewStream(signature, 0)
	expect(t, err, ErrArgument)
	verify, err := public.NewStream(signature, Padded)
	must(t, err)
	signature[50] ^= 1 // the stream has a copy
	_, err = verify.Write([]byte("order #42"))
	must(t, err)
	must(t, verify.Verify())
	expect(t, verify.Verify(), ErrFinished)
	_, err = verify.Write(nil)
	expect(t, err, ErrFinished)
	must(t, verify.Close())
	must(t, verify.Close())
	expect(t, verify.Verify(), ErrClosed)
	_, err = verify.Write(nil)
	expect(t, err, ErrClosed)

	_, err = new(SignStream).Write(nil)
	expect(t, err, ErrClosed)
	expect(t, new(VerifyStream).Verify(), ErrClosed)
}

func TestForgottenStreamsAreFreedOnce(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	signature, err := key.Sign(nil, nil, Padded)
	must(t, err)
	var freed [2]*atomic.Int64
	func() {
		sign, err := key.NewStream()
		must(t, err)
		verify, err := key.VerifyingKey().NewStream(signature, Padded)
		must(t, err)
		freed[0], freed[1] = counted(sign.stream.handle), counted(verify.stream.handle)
	}()
	expectFreed(t, freed[0])
	expectFreed(t, freed[1])
}
