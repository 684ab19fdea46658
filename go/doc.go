// Package falconsign makes and verifies Falcon post-quantum signatures (NIST round 3, v1.2; not
// FN-DSA) with the C library falconsign. The bytes are the same on every platform.
//
// A [SigningKey] implements [crypto.Signer] and signs messages, not hashes of them. Messages that come
// in pieces are written to a [SignStream] or a [VerifyStream]. [SignBatch] and [VerifyBatch] do many
// jobs at once. [SigningKey.SignDet1024] signs as Algorand's accounts do.
//
// The C library holds the keys in its memory. Close wipes and frees them; otherwise the garbage
// collector does so some time after their last use. String and the verbs of package fmt show no secrets.
//
// Errors of the C library are values of type [Status]. Compare them with [errors.Is]:
//
//	if errors.Is(err, falconsign.ErrInvalidSignature) { ... }
//
// A key that its document marks for certificates only signs, by [SigningKey.Sign] alone, the signed
// parts of certificates, requests and revocation lists.
//
// Seeds, passphrases, and keys returned by Bytes or Marshal are in memory of Go. The caller must
// wipe them.
//
// The package needs cgo and gcc, and the script build.sh of the module must have run.
package falconsign
