// Package falconsign has Falcon post-quantum signatures (NIST round 3, v1.2; not FN-DSA), by the C
// library falconsign. Keys and signatures have the same bytes as those of that library on every
// platform.
//
// A [SigningKey] implements [crypto.Signer] and signs messages, not hashes of them. Messages that come
// in pieces are written to a [SignStream] or a [VerifyStream]. [SignBatch] and [VerifyBatch] do many
// jobs at once. [SigningKey.SignDet1024] signs as Algorand's accounts do.
//
// Keys are in memory of the C library. They are wiped and freed by Close, or by the garbage collector
// some time after their last use. String and the verbs of package fmt show no secrets.
//
// Errors of the C library are values of type [Status]. Compare them with [errors.Is]:
//
//	if errors.Is(err, falconsign.ErrInvalidSignature) { ... }
//
// Seeds, passphrases, and keys that Bytes or Marshal returned are in memory of Go. The caller wipes
// them.
//
// The package needs cgo and gcc, and the script build.sh of the module must have run.
package falconsign
