package falconsign

import (
	"bytes"
	"testing"
)

// FuzzVerify verifies any bytes under a key. Single calls, streams and batches agree, and only the
// signature of the message is valid.
func FuzzVerify(f *testing.F) {
	formats := []Format{Compressed, Padded, ConstantTime}
	// Signatures are random, and fuzzing runs this function in several processes. So the known ones
	// are those of a NIST record.
	first := records(f, "falcon-round3/falcon512-KAT.first10.rsp")[0]
	public, err := ParseVerifyingKey(first["pk"])
	must(f, err)
	signed, compressed := compressedOf(first["sm"])
	padded := make([]byte, Falcon512.SignatureLen(Padded))
	copy(padded, compressed)
	known := map[Format][]byte{Compressed: compressed, Padded: padded}
	for i := range formats {
		for _, signature := range known {
			f.Add(signed, signature, byte(i))
			f.Add(signed, signature[:100], byte(i))
			f.Add([]byte{}, signature, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, message, signature []byte, number byte) {
		format := formats[int(number)%len(formats)]
		err := public.Verify(message, signature, format)
		isKnown := bytes.Equal(message, signed) && bytes.Equal(signature, known[format])
		// Nobody finds another valid signature.
		if (err == nil) != isKnown {
			t.Errorf("known: %v, but %v", isKnown, err)
		}
		if err != nil && err != ErrInvalidSignature && err != ErrMalformedSignature {
			t.Error(err)
		}
		if other := public.VerifyFrom(bytes.NewReader(message), signature, format); other != err {
			t.Errorf("%v, but as a stream %v", err, other)
		}
		verdicts, _ := VerifyBatch([]VerifyJob{{public, message, signature}}, format, nil)
		expected := map[error]Verdict{
			nil: Valid, ErrInvalidSignature: Invalid, ErrMalformedSignature: Malformed,
		}[err]
		if len(verdicts) != 1 || verdicts[0] != expected {
			t.Errorf("%v, but in a batch %v", err, verdicts)
		}
	})
}

// FuzzParse decodes any bytes as keys and documents. What is accepted is written again: an encoding
// with the same bytes, a document of the same key.
func FuzzParse(f *testing.F) {
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		key := seedKey(f, set, 1)
		for _, write := range []func() ([]byte, error){
			key.Bytes, key.VerifyingKey().Bytes,
			key.VerifyingKey().MarshalPEM, key.VerifyingKey().MarshalDER,
			func() ([]byte, error) { return key.MarshalPEM(nil) },
			func() ([]byte, error) { return key.MarshalDER(nil) },
		} {
			encoded, err := write()
			must(f, err)
			f.Add(encoded)
		}
		signature, err := key.SignDet1024(nil, Compressed)
		if set == Falcon1024 {
			must(f, err)
			f.Add(signature)
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if key, err := ParseSigningKey(input); err == nil {
			encoded, err := key.Bytes()
			must(t, err)
			equal(t, "the signing key", encoded, input)
		}
		if key, err := ParseVerifyingKey(input); err == nil {
			encoded, err := key.Bytes()
			must(t, err)
			equal(t, "the verifying key", encoded, input)
		}
		for _, parse := range []func(document, passphrase []byte) (*SigningKey, error){
			ParseSigningKeyPEM, ParseSigningKeyDER,
		} {
			if key, err := parse(input, nil); err == nil {
				document, err := key.MarshalDER(nil)
				must(t, err)
				again, err := ParseSigningKeyDER(document, nil)
				must(t, err)
				if !again.Equal(key) {
					t.Error("another signing key")
				}
			}
		}
		for _, parse := range []func([]byte) (*VerifyingKey, error){
			ParseVerifyingKeyPEM, ParseVerifyingKeyDER,
		} {
			if key, err := parse(input); err == nil {
				document, err := key.MarshalDER()
				must(t, err)
				again, err := ParseVerifyingKeyDER(document)
				must(t, err)
				if !again.Equal(key) {
					t.Error("another verifying key")
				}
			}
		}
		if fixed, err := ConvertDet1024(input, Compressed, ConstantTime); err == nil {
			again, err := ConvertDet1024(fixed, ConstantTime, Compressed)
			must(t, err)
			equal(t, "the signature", again, input)
		}
	})
}
