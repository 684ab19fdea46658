package falconsign

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is the path of falcon-cli.
var program = flag.String("falcon-cli", "", "exchange keys and signatures with this `program`")

// cli runs falcon-cli in a folder, and returns whether it succeeds.
func cli(t *testing.T, folder string, arguments ...string) bool {
	t.Helper()
	command := exec.Command(*program, arguments...)
	command.Dir = folder
	output, err := command.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	if err != nil {
		t.Logf("%v: %v\n%s", arguments, err, output)
	}
	return err == nil
}

// Keys and signatures pass between this package and falcon-cli, both ways.
func TestExchangeWithTheProgram(t *testing.T) {
	if *program == "" {
		t.Skip("no -falcon-cli")
	}
	message := []byte("order #42\n")
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		for _, passphrase := range [][]byte{nil, []byte("correct horse")} {
			t.Run(fmt.Sprintf("%v,%d", set, len(passphrase)), func(t *testing.T) {
				exchange(t, set, passphrase, message)
			})
		}
	}
	t.Run("det1024", func(t *testing.T) { exchangeDet1024(t, message) })
}

// write puts files into a folder, under their names.
func write(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
}

// read returns the content of a file.
func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	must(t, err)
	return content
}

func exchange(t *testing.T, set ParameterSet, passphrase, message []byte) {
	folder := t.TempDir()
	write(t, folder, map[string][]byte{"message": message, "passphrase": append(passphrase, '\n')})
	var keygen, secret []string
	if passphrase != nil {
		secret = []string{"--passphrase-file", "passphrase"}
		keygen = append([]string{"--passphrase"}, secret...)
	}
	run := func(more []string, arguments ...string) bool {
		return cli(t, folder, append(arguments, more...)...)
	}

	// The program's key and signature.
	if !run(keygen, "keygen", "-a", strings.ToLower(set.String()), "theirs") ||
		!run(secret, "sign", "-k", "theirs", "message") {
		t.Fatal("the program fails")
	}
	theirs, err := ParseSigningKeyPEM(read(t, folder, "theirs"), passphrase)
	must(t, err)
	public, err := ParseVerifyingKeyPEM(read(t, folder, "theirs.pub"))
	must(t, err)
	if !theirs.VerifyingKey().Equal(public) || theirs.ParameterSet() != set {
		t.Error("another key")
	}
	must(t, public.Verify(message, read(t, folder, "message.sig"), Padded))

	// The program's key, signature of this package.
	signature, err := theirs.Sign(nil, message, Padded)
	must(t, err)
	write(t, folder, map[string][]byte{"message.sig": signature})
	if !run(nil, "verify", "-p", "theirs.pub", "message") {
		t.Error("the program refuses a signature under its key")
	}

	// Key of this package, signatures of both.
	key, err := GenerateSigningKey(set)
	must(t, err)
	pem, err := key.MarshalPEM(passphrase)
	must(t, err)
	publicPEM, err := key.VerifyingKey().MarshalPEM()
	must(t, err)
	signature, err = key.Sign(nil, message, Padded)
	must(t, err)
	write(t, folder, map[string][]byte{"ours": pem, "ours.pub": publicPEM, "message.sig": signature})
	if !run(nil, "verify", "-p", "ours.pub", "message") {
		t.Error("the program refuses a signature of this package")
	}
	if run(nil, "verify", "-p", "theirs.pub", "message") {
		t.Error("the program accepts a signature under another key")
	}
	must(t, os.Remove(filepath.Join(folder, "message.sig")))
	if !run(secret, "sign", "-k", "ours", "message") {
		t.Fatal("the program does not sign with the key of this package")
	}
	signature = read(t, folder, "message.sig")
	must(t, key.VerifyingKey().Verify(message, signature, Padded))
	expect(t, key.VerifyingKey().Verify(message[1:], signature, Padded), ErrInvalidSignature)
}

func exchangeDet1024(t *testing.T, message []byte) {
	folder := t.TempDir()
	write(t, folder, map[string][]byte{"message": message})
	if !cli(t, folder, "keygen", "-a", "falcon-det1024", "key") ||
		!cli(t, folder, "sign", "-a", "falcon-det1024", "-k", "key", "message") {
		t.Fatal("the program fails")
	}
	key, err := ParseSigningKeyPEM(read(t, folder, "key"), nil)
	must(t, err)
	signature, err := key.SignDet1024(message, Compressed)
	must(t, err)
	equal(t, "the signature", signature, read(t, folder, "message.sig"))
}
