package falconsign

import (
	"crypto"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// expect compares an error.
func expect(t *testing.T, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Errorf("%v, not %v", err, expected)
	}
}

// statuses are the errors of the C library, under their names in C.
var statuses = map[string]Status{
	"INVALID_SIGNATURE":           ErrInvalidSignature,
	"MALFORMED_SIGNATURE":         ErrMalformedSignature,
	"ERROR_NULL_POINTER":          ErrNullPointer,
	"ERROR_MISALIGNED_POINTER":    ErrMisalignedPointer,
	"ERROR_ARGUMENT":              ErrArgument,
	"ERROR_LENGTH":                ErrLength,
	"ERROR_BUFFER_TOO_SMALL":      ErrBufferTooSmall,
	"ERROR_OVERLAP":               ErrOverlap,
	"ERROR_MALFORMED_KEY":         ErrMalformedKey,
	"ERROR_MALFORMED_DOCUMENT":    ErrMalformedDocument,
	"ERROR_PASSPHRASE_NEEDED":     ErrPassphraseNeeded,
	"ERROR_PASSPHRASE_NOT_NEEDED": ErrPassphraseNotNeeded,
	"ERROR_WRONG_PASSPHRASE":      ErrWrongPassphrase,
	"ERROR_KEY_USE":               ErrKeyUse,
	"ERROR_PARAMETER_SET":         ErrParameterSet,
	"ERROR_NO_RANDOMNESS":         ErrNoRandomness,
	"ERROR_NO_MEMORY":             ErrNoMemory,
	"ERROR_FAULT":                 ErrFault,
	"ERROR_FINISHED":              ErrFinished,
	"ERROR_FORKED":                ErrForked,
	"ERROR_INTERNAL":              ErrInternal,
}

// Every status code of the header has an error with its value and a text of its own.
func TestErrorsAreThoseOfTheHeader(t *testing.T) {
	header, err := os.ReadFile("lib/falconsign.h")
	must(t, err)
	codes := regexp.MustCompile(`(?m)^    FALCONSIGN_(\w+) = (-\d+)`).FindAllStringSubmatch(
		string(header), -1)
	if len(codes) != len(statuses) {
		t.Errorf("%d codes, %d errors", len(codes), len(statuses))
	}
	texts := map[string]string{}
	for _, code := range codes {
		name, status := code[1], statuses[code[1]]
		if strconv.Itoa(int(status)) != code[2] {
			t.Errorf("%s: %d, not %s", name, status, code[2])
		}
		text := status.Error()
		if other, ok := texts[text]; ok || !strings.HasPrefix(text, "falconsign: ") ||
			strings.Contains(text, "unknown status") {
			t.Errorf("%s: %q, as %q", name, text, other)
		}
		texts[text] = name
		for other, of := range statuses {
			if errors.Is(status, of) != (name == other) {
				t.Errorf("%s and %s", name, other)
			}
		}
	}
}

func TestRefusedKeys(t *testing.T) {
	_, err := GenerateSigningKey(0)
	expect(t, err, ErrArgument)
	_, err = NewSigningKeyFromSeed(256, make([]byte, SeedLen))
	expect(t, err, ErrArgument)
	for n := 0; n < 64; n++ {
		if n != SeedLen {
			_, err = NewSigningKeyFromSeed(Falcon512, make([]byte, n))
			expect(t, err, ErrLength)
		}
		if n != ReferenceSeedLen {
			_, err = NewSigningKeyFromReferenceSeed(Falcon512, make([]byte, n))
			expect(t, err, ErrLength)
		}
	}
	_, err = NewSigningKeyFromAlgorandSeed(nil)
	expect(t, err, ErrLength)

	encoded, err := seedKey(t, Falcon512, 1).Bytes()
	must(t, err)
	_, err = ParseSigningKey(encoded[:len(encoded)-1])
	expect(t, err, ErrLength)
	_, err = ParseSigningKey(nil)
	expect(t, err, ErrLength)
	encoded[0] ^= 0x80
	_, err = ParseSigningKey(encoded)
	expect(t, err, ErrMalformedKey)
	encoded[0] ^= 0x80
	encoded[100] ^= 1
	_, err = ParseSigningKey(encoded)
	expect(t, err, ErrMalformedKey)

	public, err := seedKey(t, Falcon512, 1).VerifyingKey().Bytes()
	must(t, err)
	_, err = ParseVerifyingKey(public[:len(public)-1])
	expect(t, err, ErrLength)
	public[0] ^= 0x80
	_, err = ParseVerifyingKey(public)
	expect(t, err, ErrMalformedKey)
}

func TestRefusedDocuments(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	plain, err := key.MarshalPEM(nil)
	must(t, err)
	encrypted, err := key.MarshalPEM([]byte("horse"))
	must(t, err)
	public, err := key.VerifyingKey().MarshalPEM()
	must(t, err)

	_, err = ParseSigningKeyPEM(plain, []byte("horse"))
	expect(t, err, ErrPassphraseNotNeeded)
	_, err = ParseSigningKeyPEM(encrypted, nil)
	expect(t, err, ErrPassphraseNeeded)
	_, err = ParseSigningKeyPEM(encrypted, []byte("house"))
	expect(t, err, ErrWrongPassphrase)
	_, err = ParseSigningKeyPEM(public, nil)
	expect(t, err, ErrMalformedDocument)
	_, err = ParseSigningKeyPEM(nil, nil)
	expect(t, err, ErrMalformedDocument)
	_, err = ParseSigningKeyDER([]byte{0x30, 0}, nil)
	expect(t, err, ErrMalformedDocument)
	_, err = ParseVerifyingKeyPEM(plain)
	expect(t, err, ErrMalformedDocument)
	_, err = ParseVerifyingKeyDER(nil)
	expect(t, err, ErrMalformedDocument)

	// A passphrase that is empty by mistake must not write or read a key without encryption.
	for _, empty := range [][]byte{{}, make([]byte, 0, 8)} {
		_, err = key.MarshalPEM(empty)
		expect(t, err, ErrLength)
		_, err = key.MarshalDER(empty)
		expect(t, err, ErrLength)
		_, err = ParseSigningKeyPEM(plain, empty)
		expect(t, err, ErrLength)
	}
}

// marked returns a key whose document says that it signs certificates only: the attribute keyUsage
// with keyCertSign and cRLSign.
func marked(t *testing.T, set ParameterSet) *SigningKey {
	t.Helper()
	der, err := seedKey(t, set, 3).MarshalDER(nil)
	must(t, err)
	attribute, err := hex.DecodeString("300b0603551d0f310403020106")
	must(t, err)
	fields := append(append(der[4:], 0xa0, byte(len(attribute))), attribute...)
	der = append([]byte{0x30, 0x82, byte(len(fields) >> 8), byte(len(fields))}, fields...)
	key, err := ParseSigningKeyDER(der, nil)
	must(t, err)
	return key
}

func TestKeysForCertificatesSignNothing(t *testing.T) {
	key := marked(t, Falcon1024)
	again, err := key.MarshalPEM(nil)
	must(t, err)
	read, err := ParseSigningKeyPEM(again, nil)
	must(t, err)
	expanded, err := key.Expand()
	must(t, err)
	for _, key := range []*SigningKey{key, read, expanded} {
		_, err = key.Sign(nil, nil, Padded)
		expect(t, err, ErrKeyUse)
		_, err = key.NewStream()
		expect(t, err, ErrKeyUse)
		_, err = key.SignFrom(strings.NewReader("order #42"), Padded)
		expect(t, err, ErrKeyUse)
		_, err = key.SignDet1024(nil, Compressed)
		expect(t, err, ErrKeyUse)
		_, err = SignBatch([]SignJob{{key, nil}}, Padded, nil)
		expect(t, err, ErrKeyUse)
	}
}

func TestRefusedSignatures(t *testing.T) {
	key, other := seedKey(t, Falcon512, 1), seedKey(t, Falcon512, 2)
	message := []byte("order #42")
	signature, err := key.Sign(nil, message, Padded)
	must(t, err)
	public := key.VerifyingKey()
	must(t, public.Verify(message, signature, Padded))
	expect(t, public.Verify([]byte("order #43"), signature, Padded), ErrInvalidSignature)
	expect(t, other.VerifyingKey().Verify(message, signature, Padded), ErrInvalidSignature)
	expect(t, public.Verify(message, signature[:665], Padded), ErrMalformedSignature)
	expect(t, public.Verify(message, nil, Padded), ErrMalformedSignature)
	expect(t, public.Verify(message, signature, Compressed), ErrMalformedSignature)
	expect(t, public.Verify(message, signature, 0), ErrArgument)
	large := seedKey(t, Falcon1024, 1).VerifyingKey()
	expect(t, large.Verify(message, signature, Padded), ErrMalformedSignature)
	for i := range signature {
		signature[i] ^= 0x40
		if public.Verify(message, signature, Padded) == nil {
			t.Errorf("byte %d", i)
		}
		signature[i] ^= 0x40
	}
}

// contextOptions are options like those of crypto/ed25519.
type contextOptions struct{ context string }

func (contextOptions) HashFunc() crypto.Hash { return 0 }

func TestRefusedOptions(t *testing.T) {
	key := seedKey(t, Falcon512, 1)
	for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA512, crypto.SHA3_256} {
		_, err := key.Sign(nil, make([]byte, hash.Size()), hash)
		expect(t, err, ErrHashed)
		if !strings.Contains(err.Error(), "HashFunc() of the options must be 0") {
			t.Error(err)
		}
	}
	// A context that is ignored would be a signature of another statement.
	_, err := key.Sign(nil, nil, contextOptions{"context"})
	expect(t, err, ErrOptions)
	for _, format := range []Format{-1, 0, 4} {
		_, err = key.Sign(nil, nil, format)
		expect(t, err, ErrArgument)
	}
}

func TestRefusedDeterministicSignatures(t *testing.T) {
	small, key := seedKey(t, Falcon512, 1), seedKey(t, Falcon1024, 1)
	_, err := small.SignDet1024(nil, Compressed)
	expect(t, err, ErrParameterSet)
	_, err = key.SignDet1024(nil, Padded)
	expect(t, err, ErrArgument)
	signature, err := key.SignDet1024([]byte("order #42"), Compressed)
	must(t, err)
	public := key.VerifyingKey()
	expect(t, public.VerifyDet1024([]byte("order #43"), signature, Compressed), ErrInvalidSignature)
	expect(t, public.VerifyDet1024(nil, signature, ConstantTime), ErrMalformedSignature)
	expect(t, small.VerifyingKey().VerifyDet1024(nil, signature, Compressed), ErrParameterSet)
	_, err = ConvertDet1024(signature[1:], Compressed, ConstantTime)
	expect(t, err, ErrMalformedSignature)
	_, err = ConvertDet1024(signature, Compressed, Padded)
	expect(t, err, ErrArgument)
}

// Everything closed, and everything that no function made, is refused.
func TestRefusedHandles(t *testing.T) {
	live := seedKey(t, Falcon1024, 1)
	closedKey := seedKey(t, Falcon1024, 2)
	must(t, closedKey.Close())
	encoded, err := live.VerifyingKey().Bytes()
	must(t, err)
	closedPublic, err := ParseVerifyingKey(encoded)
	must(t, err)
	must(t, closedPublic.Close())
	for _, key := range []*SigningKey{closedKey, {}} {
		_, err := key.Bytes()
		expect(t, err, ErrClosed)
		_, err = key.MarshalPEM(nil)
		expect(t, err, ErrClosed)
		_, err = key.Expand()
		expect(t, err, ErrClosed)
		_, err = key.Sign(nil, nil, nil)
		expect(t, err, ErrClosed)
		_, err = key.SignDet1024(nil, Compressed)
		expect(t, err, ErrClosed)
		_, err = key.NewStream()
		expect(t, err, ErrClosed)
		_, err = SignBatch([]SignJob{{live, nil}, {key, nil}}, Padded, nil)
		expect(t, err, ErrClosed)
		if key.Equal(key) {
			t.Error("a closed key is equal")
		}
	}
	for _, key := range []*VerifyingKey{closedPublic, {}} {
		_, err := key.Bytes()
		expect(t, err, ErrClosed)
		_, err = key.Fingerprint()
		expect(t, err, ErrClosed)
		_, err = key.MarshalPEM()
		expect(t, err, ErrClosed)
		_, err = key.MarshalDER()
		expect(t, err, ErrClosed)
		expect(t, key.Verify(nil, nil, Padded), ErrClosed)
		expect(t, key.VerifyDet1024(nil, nil, Compressed), ErrClosed)
		_, err = key.NewStream(nil, Padded)
		expect(t, err, ErrClosed)
		verdicts, err := VerifyBatch([]VerifyJob{{Key: key}}, Padded, nil)
		expect(t, err, ErrClosed)
		if verdicts != nil || key.Equal(key) {
			t.Error("a closed key has verdicts, or is equal")
		}
		must(t, key.Close())
	}
	threads, err := NewThreads(1)
	must(t, err)
	must(t, threads.Close())
	for _, threads := range []*Threads{threads, {}} {
		_, err = SignBatch([]SignJob{{live, nil}}, Padded, threads)
		expect(t, err, ErrClosed)
		_, err = VerifyBatch(nil, Padded, threads)
		expect(t, err, ErrClosed)
	}
	_, err = NewThreads(-1)
	expect(t, err, ErrArgument)
}
