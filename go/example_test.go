package falconsign_test

import (
	"crypto"
	"errors"
	"falconsign"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

func Example() {
	key, err := falconsign.GenerateSigningKey(falconsign.Falcon512)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	message := []byte("order #42")
	signature, err := key.Sign(nil, message, falconsign.Padded)
	if err != nil {
		log.Fatal(err)
	}
	stored, err := key.VerifyingKey().Bytes()
	if err != nil {
		log.Fatal(err)
	}

	public, err := falconsign.ParseVerifyingKey(stored)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(signature), len(stored), public.Verify(message, signature, falconsign.Padded))
	err = public.Verify([]byte("order #43"), signature, falconsign.Padded)
	fmt.Println(errors.Is(err, falconsign.ErrInvalidSignature))
	// Output:
	// 666 897 <nil>
	// true
}

// Code that takes any crypto.Signer signs with Falcon too, if it passes the message and not its hash.
func ExampleSigningKey_Sign() {
	key, err := falconsign.NewSigningKeyFromSeed(falconsign.Falcon512, make([]byte, 32))
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	var signer crypto.Signer = key
	signature, err := signer.Sign(nil, []byte("order #42"), crypto.Hash(0))
	fmt.Println(len(signature), err)
	_, err = signer.Sign(nil, make([]byte, 32), crypto.SHA256)
	fmt.Println(err)
	fmt.Println(key)
	// Output:
	// 666 <nil>
	// falconsign: pass the message itself: HashFunc() of the options must be 0, not SHA-256
	// Falcon-512 signing key 7c2aaa2180d263ca
}

func ExampleSigningKey_MarshalPEM() {
	key, err := falconsign.GenerateSigningKey(falconsign.Falcon1024)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	pem, err := key.MarshalPEM([]byte("correct horse"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.SplitN(string(pem), "\n", 2)[0])

	_, err = falconsign.ParseSigningKeyPEM(pem, []byte("battery staple"))
	fmt.Println(errors.Is(err, falconsign.ErrWrongPassphrase))
	again, err := falconsign.ParseSigningKeyPEM(pem, []byte("correct horse"))
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close()
	fmt.Println(again.Equal(key))
	// Output:
	// -----BEGIN ENCRYPTED PRIVATE KEY-----
	// true
	// true
}

// A file is read once and in pieces.
func ExampleSigningKey_NewStream() {
	key, err := falconsign.GenerateSigningKey(falconsign.Falcon512)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	file, err := os.Open("go.mod")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	stream, err := key.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	if _, err := io.Copy(stream, file); err != nil {
		log.Fatal(err) // a part of the file must not be signed
	}
	signature, err := stream.Sign(falconsign.Padded)
	fmt.Println(len(signature), err)
	// Output: 666 <nil>
}

func ExampleVerifyBatch() {
	key, err := falconsign.GenerateSigningKey(falconsign.Falcon512)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	threads, err := falconsign.NewThreads(0)
	if err != nil {
		log.Fatal(err)
	}
	defer threads.Close()
	signatures, err := falconsign.SignBatch([]falconsign.SignJob{
		{Key: key, Message: []byte("order #42")},
		{Key: key, Message: []byte("order #43")},
	}, falconsign.Padded, threads)
	if err != nil {
		log.Fatal(err)
	}
	verdicts, err := falconsign.VerifyBatch([]falconsign.VerifyJob{
		{Key: key.VerifyingKey(), Message: []byte("order #42"), Signature: signatures[0]},
		{Key: key.VerifyingKey(), Message: []byte("order #44"), Signature: signatures[1]},
	}, falconsign.Padded, threads)
	fmt.Println(verdicts, errors.Is(err, falconsign.ErrInvalidSignature))
	// Output: [valid invalid] true
}

// The key and the signatures of an Algorand account.
func ExampleSigningKey_SignDet1024() {
	key, err := falconsign.NewSigningKeyFromAlgorandSeed([]byte("key-0000"))
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	signature, err := key.SignDet1024(nil, falconsign.Compressed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x %v\n", signature[:8],
		key.VerifyingKey().VerifyDet1024(nil, signature, falconsign.Compressed))
	// Output: ba00016f9c02418a <nil>
}
