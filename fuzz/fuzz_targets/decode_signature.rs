//! Decodes signatures in each format. An accepted signature has only one encoding, which is the
//! input.
#![no_main]

use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

fn decode<P: Parameters>(bytes: &[u8]) {
    for format in [Format::Compressed, Format::Padded, Format::ConstantTime] {
        if let Ok(signature) = Signature::<P>::from_bytes(format, bytes) {
            assert_eq!(signature.encoded_len(format), Some(bytes.len()));
            let mut out = [0; 2048];
            let len = signature.encode(format, &mut out);
            assert_eq!(len.map(|len| &out[..len]), Ok(bytes));
        }
    }
    if let Ok(signature) = Signature::<P>::try_from(bytes) {
        assert_eq!(signature.to_bytes().as_ref(), bytes);
    }
    let _ = Signature::<P>::detect(bytes);
}

fuzz_target!(|bytes: &[u8]| {
    decode::<Falcon512>(bytes);
    decode::<Falcon1024>(bytes);
});

mutate_by!(mutate::signatures::mutate);
