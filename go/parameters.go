package falconsign

// #include "library.h"
import "C"

import (
	"crypto"
	"fmt"
)

// Lengths in bytes.
const (
	// SeedLen is the length of a seed of [NewSigningKeyFromSeed].
	SeedLen = C.FALCONSIGN_SEED_LEN
	// ReferenceSeedLen is the length of a seed of [NewSigningKeyFromReferenceSeed].
	ReferenceSeedLen = C.FALCONSIGN_REFERENCE_SEED_LEN
	// FingerprintLen is the length of a fingerprint.
	FingerprintLen = C.FALCONSIGN_FINGERPRINT_LEN
)

// ParameterSet is a parameter set of Falcon.
type ParameterSet int

// The parameter sets.
const (
	// Falcon512 has NIST security level I.
	Falcon512 = ParameterSet(C.FALCONSIGN_FALCON_512)
	// Falcon1024 has NIST security level V.
	Falcon1024 = ParameterSet(C.FALCONSIGN_FALCON_1024)
)

// String returns the name, such as "Falcon-512".
func (s ParameterSet) String() string {
	if name := C.falconsign_parameter_set_name(C.int(s)); name != nil {
		return C.GoString(name)
	}
	return fmt.Sprintf("ParameterSet(%d)", int(s))
}

// SigningKeyLen returns the length of an encoded signing key, or 0 for an unknown parameter set.
func (s ParameterSet) SigningKeyLen() int {
	return int(C.falconsign_signing_key_len(C.int(s)))
}

// VerifyingKeyLen returns the length of an encoded verifying key, or 0 for an unknown parameter set.
func (s ParameterSet) VerifyingKeyLen() int {
	return int(C.falconsign_verifying_key_len(C.int(s)))
}

// SignatureLen returns the length of a signature, for the compressed format the longest one. It
// returns 0 for an unknown parameter set or format.
func (s ParameterSet) SignatureLen(format Format) int {
	return int(C.falconsign_signature_max_len(C.int(s), C.int(format)))
}

// Format is a format of signatures. A signature has exactly one encoding in each format. Each method
// reads only the format that its caller names.
type Format int

// The formats. The zero value is no format.
const (
	// Compressed has varying length, on average the shortest.
	Compressed = Format(C.FALCONSIGN_COMPRESSED)
	// Padded has 666 or 1280 bytes. It is the usual choice.
	Padded = Format(C.FALCONSIGN_PADDED)
	// ConstantTime has 809 or 1577 bytes, for constant-time decoders.
	ConstantTime = Format(C.FALCONSIGN_CT)
)

var _ crypto.SignerOpts = Padded

// HashFunc returns 0: Falcon signs messages, not hashes. With it, a Format is an option of
// [SigningKey.Sign].
func (f Format) HashFunc() crypto.Hash {
	return 0
}

// String returns the name: "compressed", "padded" or "ct".
func (f Format) String() string {
	switch f {
	case Compressed:
		return "compressed"
	case Padded:
		return "padded"
	case ConstantTime:
		return "ct"
	default:
		return fmt.Sprintf("Format(%d)", int(f))
	}
}

// formatOf returns the format that options of crypto.Signer mean.
func formatOf(opts crypto.SignerOpts) (Format, error) {
	if opts == nil {
		return Padded, nil
	}
	if hash := opts.HashFunc(); hash != 0 {
		return 0, fmt.Errorf("%w, not %v", ErrHashed, hash)
	}
	switch opts := opts.(type) {
	case Format:
		return opts, nil
	case crypto.Hash:
		return Padded, nil
	default:
		return 0, fmt.Errorf("%w: %T", ErrOptions, opts)
	}
}
