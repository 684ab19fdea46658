package falconsign

// #include "library.h"
import "C"

// SignDet1024 signs a message with the scheme det1024 of Algorand: equal bytes for equal keys and
// messages. The key is of Falcon-1024 ([ErrParameterSet]), the format [Compressed] or [ConstantTime].
// The message is signed twice, compared and verified.
//
// Two different signatures of one message reveal the key: never sign with the same key in a program
// that rounds differently.
func (k *SigningKey) SignDet1024(message []byte, format Format) ([]byte, error) {
	signature := make([]byte, det1024Len(format))
	var length C.size_t
	err := k.use(func(key *C.falconsign_signing_key) error {
		return failure(C.falconsign_det1024_sign(key, bytesOf(message), C.size_t(len(message)),
			C.int(format), bytesOf(signature), C.size_t(len(signature)), &length))
	})
	if err != nil {
		return nil, err
	}
	return signature[:length:length], nil
}

// VerifyDet1024 verifies a signature of the scheme det1024. The errors are those of
// [VerifyingKey.Verify], and [ErrParameterSet].
func (k *VerifyingKey) VerifyDet1024(message, signature []byte, format Format) error {
	return k.use(func(key *C.falconsign_verifying_key) error {
		return failure(C.falconsign_det1024_verify(key, bytesOf(message), C.size_t(len(message)),
			C.int(format), bytesOf(signature), C.size_t(len(signature))))
	})
}

// ConvertDet1024 converts a signature of the scheme det1024 from one format to another. It is
// decoded, not verified.
func ConvertDet1024(signature []byte, from, to Format) ([]byte, error) {
	converted := make([]byte, det1024Len(to))
	var length C.size_t
	status := C.falconsign_det1024_convert(bytesOf(signature), C.size_t(len(signature)),
		C.int(from), C.int(to), bytesOf(converted),
		C.size_t(len(converted)), &length)
	if err := failure(status); err != nil {
		return nil, err
	}
	return converted[:length:length], nil
}

// det1024Len returns the length of a signature, for the compressed format the longest one. The C
// library refuses other formats, whatever the length.
func det1024Len(format Format) int {
	if format == Compressed {
		return C.FALCONSIGN_DET1024_COMPRESSED_MAX
	}
	return C.FALCONSIGN_DET1024_CT_LEN
}
