package falconsign

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
)

// isFull is true if the tests run to their whole extent.
var isFull = os.Getenv("FALCON_FULL") == "1"

// vectors reads a file of kat/.
func vectors(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../kat/" + name)
	must(t, err)
	return string(text)
}

// must fails the test at once if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unhex decodes hexadecimal digits.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	must(t, err)
	return decoded
}

// drbgOutput returns the first 48 bytes of NIST's AES-256-CTR generator with this entropy. Source:
// NIST SP 800-90A Rev. 1, section 10.2.1.
func drbgOutput(t testing.TB, entropy []byte) []byte {
	t.Helper()
	keyStream := func(key []byte, counter *big.Int) []byte {
		cipher, err := aes.NewCipher(key)
		must(t, err)
		stream := make([]byte, 48)
		for i := 0; i < 48; i += 16 {
			counter.Add(counter, big.NewInt(1))
			cipher.Encrypt(stream[i:i+16], counter.FillBytes(make([]byte, 16)))
		}
		return stream
	}
	state := keyStream(make([]byte, 32), new(big.Int))
	for i := range state {
		state[i] ^= entropy[i]
	}
	return keyStream(state[:32], new(big.Int).SetBytes(state[32:]))
}

// record is a record of a NIST file.
type record map[string][]byte

// records reads a NIST file.
func records(t testing.TB, name string) []record {
	t.Helper()
	var found []record
	lines := bufio.NewScanner(strings.NewReader(vectors(t, name)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), " = ", 2)
		if len(parts) != 2 {
			continue
		}
		if parts[0] == "count" {
			found = append(found, record{})
		} else if !strings.HasSuffix(parts[0], "len") {
			found[len(found)-1][parts[0]] = unhex(t, parts[1])
		}
	}
	must(t, lines.Err())
	return found
}

// compressedOf returns message and compressed signature of a signed message of the NIST files: length
// of the code (2 bytes), nonce (40 bytes), message, header byte, code.
func compressedOf(signed []byte) (message, signature []byte) {
	code := len(signed) - int(signed[0])<<8 - int(signed[1])
	signature = append([]byte{signed[code] | 0x10}, signed[2:42]...)
	return signed[42:code], append(signature, signed[code+1:]...)
}

func equal(t *testing.T, what string, found, expected []byte) {
	t.Helper()
	if !bytes.Equal(found, expected) {
		t.Errorf("%s differs: %d bytes, not %d", what, len(found), len(expected))
	}
}

// Keys are those of the NIST files, and their signatures verify.
func TestKnownAnswersOfRound3(t *testing.T) {
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		all := records(t, fmt.Sprintf("falcon-round3/falcon%d-KAT.first10.rsp", set))
		if len(all) != 10 {
			t.Fatalf("%d records, not 10", len(all))
		}
		for i, record := range all {
			key, err := NewSigningKeyFromReferenceSeed(set, drbgOutput(t, record["seed"]))
			must(t, err)
			secret, err := key.Bytes()
			must(t, err)
			public, err := key.VerifyingKey().Bytes()
			must(t, err)
			equal(t, fmt.Sprintf("%v, record %d: sk", set, i), secret, record["sk"])
			equal(t, fmt.Sprintf("%v, record %d: pk", set, i), public, record["pk"])

			decoded, err := ParseVerifyingKey(record["pk"])
			must(t, err)
			message, signature := compressedOf(record["sm"])
			equal(t, fmt.Sprintf("%v, record %d: msg", set, i), message, record["msg"])
			if err := decoded.Verify(message, signature, Compressed); err != nil {
				t.Errorf("%v, record %d: %v", set, i, err)
			}
			signature[41+i] ^= 1
			if err := decoded.Verify(message, signature, Compressed); err == nil {
				t.Errorf("%v, record %d: a damaged signature is valid", set, i)
			}
		}
	}
}

// Keys from seeds of 32 bytes have the hash that the Rust tests pin.
func TestKeysFromSeeds(t *testing.T) {
	var pinned map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(vectors(t, "equal-bytes.json")), &pinned))
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		hash := sha256.New()
		for i := byte(0); i < 3; i++ {
			key, err := NewSigningKeyFromSeed(set, bytes.Repeat([]byte{i}, SeedLen))
			must(t, err)
			secret, err := key.Bytes()
			must(t, err)
			public, err := key.VerifyingKey().Bytes()
			must(t, err)
			hash.Write(secret)
			hash.Write(public)
		}
		var of struct{ Keys string }
		must(t, json.Unmarshal(pinned[set.String()], &of))
		if found := hex.EncodeToString(hash.Sum(nil)); found != of.Keys {
			t.Errorf("%v: %s, not %s", set, found, of.Keys)
		}
	}
}

// Keys and signatures of Algorand's seeds have the hashes of Algorand's code. Record k has the first
// k bytes of a hash as its message.
func TestKnownAnswersOfDet1024(t *testing.T) {
	tested := 0
	for _, line := range strings.Split(vectors(t, "det1024/records.txt"), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] == "#" || tested >= 8 && !isFull {
			continue
		}
		tested++
		var k int
		_, err := fmt.Sscan(fields[0], &k)
		must(t, err)
		key, err := NewSigningKeyFromAlgorandSeed([]byte(fmt.Sprintf("key-%04d", k)))
		must(t, err)
		message := shake256([]byte(fmt.Sprintf("msg-%04d", k)), k)
		public, err := key.VerifyingKey().Bytes()
		must(t, err)
		compressed, err := key.SignDet1024(message, Compressed)
		must(t, err)
		hashes := []string{sha3(public), sha3(compressed)}
		if k < 32 {
			fixed, err := key.SignDet1024(message, ConstantTime)
			must(t, err)
			hashes = append(hashes, sha3(fixed))
			converted, err := ConvertDet1024(compressed, Compressed, ConstantTime)
			must(t, err)
			equal(t, "the converted signature", converted, fixed)
			must(t, key.VerifyingKey().VerifyDet1024(message, fixed, ConstantTime))
		}
		if k == 0 {
			equal(t, "signature 0", compressed, unhex(t, fields[4]))
		}
		must(t, key.VerifyingKey().VerifyDet1024(message, compressed, Compressed))
		for i, hash := range hashes {
			if fields[1+i] != hash {
				t.Errorf("record %d, hash %d: %s, not %s", k, i, hash, fields[1+i])
			}
		}
		must(t, key.Close())
	}
	if expected := map[bool]int{false: 8, true: 512}[isFull]; tested != expected {
		t.Errorf("%d records, not %d", tested, expected)
	}
}

// Documents that Bouncy Castle wrote have the key of the seed 00 01 .. 2f.
func TestDocumentsOfBouncyCastle(t *testing.T) {
	seed := make([]byte, ReferenceSeedLen)
	for i := range seed {
		seed[i] = byte(i)
	}
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		expected, err := NewSigningKeyFromReferenceSeed(set, seed)
		must(t, err)
		name := fmt.Sprintf("pkcs8/bouncy-castle-%d.pem", set)
		key, err := ParseSigningKeyPEM([]byte(vectors(t, name)), nil)
		must(t, err)
		if !key.Equal(expected) || !key.VerifyingKey().Equal(expected.Public()) {
			t.Errorf("%s: another key", name)
		}
	}
}
