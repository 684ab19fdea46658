package falconsign

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// seedKey returns the key of the seed of 32 equal bytes.
func seedKey(t testing.TB, set ParameterSet, seed byte) *SigningKey {
	t.Helper()
	key, err := NewSigningKeyFromSeed(set, bytes.Repeat([]byte{seed}, SeedLen))
	must(t, err)
	return key
}

// Every way to make and store a key gives the same key, and its signatures verify.
func TestKeysPassThroughEveryEncoding(t *testing.T) {
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		key := seedKey(t, set, 1)
		other := seedKey(t, set, 2)
		passphrase := []byte("correct horse")
		read := map[string]*SigningKey{}
		add := func(name string, encoded []byte, err error, parse func([]byte) (*SigningKey, error)) {
			must(t, err)
			read[name], err = parse(encoded)
			must(t, err)
		}
		encoded, err := key.Bytes()
		add("bytes", encoded, err, ParseSigningKey)
		for name, passphrase := range map[string][]byte{"plain": nil, "encrypted": passphrase} {
			passphrase := passphrase
			pem, err := key.MarshalPEM(passphrase)
			add(name+" PEM", pem, err, func(text []byte) (*SigningKey, error) {
				return ParseSigningKeyPEM(text, passphrase)
			})
			der, err := key.MarshalDER(passphrase)
			add(name+" DER", der, err, func(der []byte) (*SigningKey, error) {
				return ParseSigningKeyDER(der, passphrase)
			})
		}
		read["expanded"], err = key.Expand()
		must(t, err)
		if len(read) != 6 {
			t.Fatalf("%d keys, not 6", len(read))
		}
		for name, again := range read {
			if !again.Equal(key) || again.Equal(other) || again.Equal(3) || again.ParameterSet() != set {
				t.Errorf("%v, %s: another key", set, name)
			}
			for _, format := range []Format{Compressed, Padded, ConstantTime} {
				signature, err := again.Sign(nil, []byte("order #42"), format)
				must(t, err)
				must(t, key.VerifyingKey().Verify([]byte("order #42"), signature, format))
			}
		}
	}
}

func TestVerifyingKeysPassThroughEveryEncoding(t *testing.T) {
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		key, other := seedKey(t, set, 1).VerifyingKey(), seedKey(t, set, 2).VerifyingKey()
		encoded, err := key.Bytes()
		must(t, err)
		again, err := ParseVerifyingKey(encoded)
		must(t, err)
		pem, err := key.MarshalPEM()
		must(t, err)
		fromPEM, err := ParseVerifyingKeyPEM(pem)
		must(t, err)
		der, err := key.MarshalDER()
		must(t, err)
		fromDER, err := ParseVerifyingKeyDER(der)
		must(t, err)
		for _, again := range []*VerifyingKey{again, fromPEM, fromDER} {
			if !again.Equal(key) || again.Equal(other) || again.Equal("key") ||
				again.ParameterSet() != set {
				t.Errorf("%v: another key", set)
			}
			fingerprint, err := again.Fingerprint()
			must(t, err)
			equal(t, "the fingerprint", fingerprint[:], shake256(encoded, FingerprintLen))
		}
	}
}

func TestGeneratedKeysDiffer(t *testing.T) {
	first, err := GenerateSigningKey(Falcon512)
	must(t, err)
	second, err := GenerateSigningKey(Falcon512)
	must(t, err)
	if first.Equal(second) || first.VerifyingKey().Equal(second.Public()) {
		t.Error("equal keys")
	}
}

// signer is what programs ask for.
type messageSigner interface {
	crypto.Signer
	SignMessage(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error)
	Equal(crypto.PrivateKey) bool
}

func TestOptionsOfSign(t *testing.T) {
	var signer messageSigner = seedKey(t, Falcon512, 1)
	public := signer.Public().(*VerifyingKey)
	message := []byte("order #42")
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0), Padded} {
		signature, err := signer.Sign(nil, message, opts)
		must(t, err)
		must(t, public.Verify(message, signature, Padded))
		signature, err = signer.SignMessage(nil, message, opts)
		must(t, err)
		must(t, public.Verify(message, signature, Padded))
		if len(signature) != Falcon512.SignatureLen(Padded) || cap(signature) != len(signature) {
			t.Errorf("%d bytes", len(signature))
		}
	}
	// A writer into the compressed signature must not find spare bytes behind it.
	signature, err := signer.Sign(nil, message, Compressed)
	must(t, err)
	if len(signature) >= Falcon512.SignatureLen(Compressed) || cap(signature) != len(signature) {
		t.Errorf("%d bytes, capacity %d", len(signature), cap(signature))
	}
}

// No verb of fmt shows bytes of the key.
func TestPrintedKeysShowNoSecrets(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	encoded, err := key.Bytes()
	must(t, err)
	const expected = "Falcon-512 signing key "
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o"} {
		text := fmt.Sprintf(verb, key)
		for i := 0; i+4 <= len(encoded); i++ {
			piece := encoded[i : i+4]
			if bytes.Contains([]byte(text), piece) ||
				strings.Contains(strings.ToLower(text), hex.EncodeToString(piece)) {
				t.Errorf("%s shows bytes %d to %d of the key: %s", verb, i, i+4, text)
			}
		}
		if verb[len(verb)-1] == 'v' && !strings.HasPrefix(text, expected) {
			t.Errorf("%s: %s", verb, text)
		}
	}
	must(t, key.Close())
	if text := key.String(); !strings.HasPrefix(text, expected) {
		t.Error(text)
	}
	fingerprint, err := key.VerifyingKey().Fingerprint()
	must(t, err)
	if text := key.VerifyingKey().String(); text !=
		fmt.Sprintf("Falcon-512 verifying key %x", fingerprint[:8]) {
		t.Error(text)
	}
	var none *SigningKey
	if none.String() != "no signing key" || (&VerifyingKey{}).String() != "no verifying key" {
		t.Error("keys that are none")
	}
}

// counted replaces the function of a handle that frees, and returns how often it is called.
func counted(h *handle) *atomic.Int64 {
	count, free := new(atomic.Int64), h.free
	h.free = func(object unsafe.Pointer) {
		count.Add(1)
		free(object)
	}
	return count
}

// expectFreed waits for the garbage collector and the finalizers until an object is freed.
func expectFreed(t *testing.T, count *atomic.Int64) {
	t.Helper()
	for i := 0; i < 500 && count.Load() == 0; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if freed := count.Load(); freed != 1 {
		t.Errorf("freed %d times", freed)
	}
}

func TestClosedKeysAreFreedOnce(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	freed := counted(key.handle)
	must(t, key.Close())
	if freed.Load() != 1 {
		t.Error("not freed by Close")
	}
	must(t, key.Close())
	expectFreed(t, freed)
	runtime.KeepAlive(key)
}

func TestForgottenKeysAreFreedOnce(t *testing.T) {
	var freed, publicFreed *atomic.Int64
	func() {
		key := seedKey(t, Falcon512, 1)
		freed, publicFreed = counted(key.handle), counted(key.public.handle)
		must(t, key.Public().(*VerifyingKey).Close())
		if publicFreed.Load() != 0 {
			t.Error("the shared key is freed by Close")
		}
		_, err := key.Public().(*VerifyingKey).Bytes()
		must(t, err)
	}()
	expectFreed(t, freed)
	expectFreed(t, publicFreed)
}

// A key that is closed during a call is freed when the call ends, and refuses other calls.
func TestKeysInUseAreFreedAfterwards(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	freed := counted(key.handle)
	_, err := key.handle.acquire()
	must(t, err)
	_, err = key.handle.acquire()
	must(t, err)
	must(t, key.Close())
	_, err = key.Bytes()
	expect(t, err, ErrClosed)
	key.handle.release()
	if freed.Load() != 0 {
		t.Error("freed during a call")
	}
	key.handle.release()
	if freed.Load() != 1 {
		t.Error("not freed after the last call")
	}
	must(t, key.Close())
	expectFreed(t, freed)
	runtime.KeepAlive(key)
}

func TestInformation(t *testing.T) {
	if !strings.HasPrefix(Version(), "0.") || Engine() == "" || len(libraryHash) != 64 {
		t.Errorf("version %q, engine %q, library %q", Version(), Engine(), libraryHash)
	}
	if ParameterSet(3).String() != "ParameterSet(3)" || ParameterSet(3).SigningKeyLen() != 0 ||
		Falcon1024.VerifyingKeyLen() != 1793 {
		t.Error("parameter sets")
	}
	if text := fmt.Sprint(Compressed, Padded, ConstantTime, Format(0)); text !=
		"compressed padded ct Format(0)" {
		t.Error(text)
	}
}
