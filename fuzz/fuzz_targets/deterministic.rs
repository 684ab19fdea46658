//! Decodes deterministic signatures in both forms. An accepted signature has only one encoding,
//! which is the input. A signature is accepted if and only if the ordinary signature with the nonce
//! of its salt version is accepted. Converting the signature to the other form and back gives the
//! input.
#![no_main]

use falcon_core::det1024::{CT_LEN, CompressedSignature, CtSignature};
use falcon_core::{Falcon1024, Format, Signature};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

/// Returns the ordinary signature that belongs to a signature with the header byte `header`.
fn ordinary(header: u8, format: Format, bytes: &[u8]) -> Option<Signature<Falcon1024>> {
    let (&[first, version], body) = bytes.split_first_chunk()?;
    if first != header {
        return None;
    }
    let mut nonce = [0; 40];
    nonce[..12].copy_from_slice(b"\0\x0aFALCON_DET");
    nonce[0] = version;
    let salted = [&[header & 0x7f][..], &nonce, body].concat();
    Signature::from_bytes(format, &salted).ok()
}

fuzz_target!(|bytes: &[u8]| {
    let compressed = CompressedSignature::try_from(bytes).ok();
    let expected = ordinary(0xba, Format::Compressed, bytes);
    assert_eq!(compressed.map(Signature::from), expected);
    if let Some(signature) = compressed {
        assert_eq!(signature.to_bytes()[..], *bytes);
        assert_eq!(signature.salt_version(), bytes[1]);
        let fixed = CtSignature::from(signature);
        assert_eq!(CtSignature::try_from(&fixed.to_bytes()[..]), Ok(fixed));
        assert_eq!(CompressedSignature::from(fixed), signature);
    }

    let fixed = CtSignature::try_from(bytes).ok();
    let expected = ordinary(0xda, Format::ConstantTime, bytes);
    assert_eq!(
        fixed.map(CompressedSignature::from).map(Signature::from),
        expected
    );
    if let Some(signature) = fixed {
        assert_eq!(bytes.len(), CT_LEN);
        assert_eq!(signature.to_bytes()[..], *bytes);
        assert_eq!(signature.salt_version(), bytes[1]);
        let compressed = CompressedSignature::from(signature);
        let read = CompressedSignature::try_from(&compressed.to_bytes()[..]);
        assert_eq!(read, Ok(compressed));
        assert_eq!(CtSignature::from(compressed), signature);
    }
});

mutate_by!(mutate::deterministic::mutate);
