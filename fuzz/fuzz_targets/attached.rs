//! Decodes signed messages with a compressed or a padded signature. An accepted message has only
//! one encoding, which is the input.
#![no_main]

use falcon_core::{Falcon512, Falcon1024, Parameters, Signature};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

fn open<P: Parameters>(bytes: &[u8]) {
    if let Ok((signature, message)) = Signature::<P>::from_attached(bytes) {
        let mut out = vec![0; bytes.len()];
        assert_eq!(
            signature.encode_attached(message, &mut out),
            Ok(bytes.len())
        );
        assert_eq!(out, bytes);
    }
    if let Ok((signature, message)) = Signature::<P>::from_attached_padded(bytes) {
        let mut out = vec![0; bytes.len()];
        assert_eq!(
            signature.encode_attached_padded(message, &mut out),
            Ok(bytes.len())
        );
        assert_eq!(out, bytes);
    }
}

fuzz_target!(|bytes: &[u8]| {
    open::<Falcon512>(bytes);
    open::<Falcon1024>(bytes);
});

mutate_by!(mutate::signed::attached);
