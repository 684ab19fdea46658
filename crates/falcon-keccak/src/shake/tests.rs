//! Compares hashes with published output and with the crate `sha3`.

use super::*;
use ::sha3::digest::{Digest, ExtendableOutput, Update, XofReader};
use falcon_lanes::Baseline;
use std::vec;
use std::vec::Vec;

/// Lengths of prefixes around the block and word boundaries.
const LENGTHS: [usize; 14] = [0, 1, 7, 8, 9, 40, 73, 135, 136, 137, 271, 272, 273, 1000];

fn data(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 167 + 13) as u8).collect()
}

/// Checks samples 3 and 4 of cSHAKE that NIST publishes with SP 800-185. Then customizations of
/// about 256 bits and the longest one, whose output comes from the Python package pycryptodome
/// 4.4.0.
#[test]
fn customized_output_is_that_of_sp_800_185() {
    let check = |customization: &[u8], data: &[u8], expected: &str| {
        let block = Customization::new(customization).unwrap();
        let mut hash = Shake256::with_customization(portable, &block);
        hash.update(data);
        let output: [u8; 32] = hash.finalize().read_array();
        let hex: std::string::String = output
            .iter()
            .map(|byte| std::format!("{byte:02x}"))
            .collect();
        assert_eq!(hex, expected, "{} bytes", customization.len());
    };
    check(
        b"Email Signature",
        &[0, 1, 2, 3],
        "d008828e2b80ac9d2218ffee1d070c48b8e4c87bff32c9699d5b6896eee0edd1",
    );
    let all: Vec<u8> = (0..200).collect();
    check(
        b"Email Signature",
        &all,
        "07dc27b11e51fbac75bc7b3c1d983e8b4b85fb1defaf218912ac864302730917",
    );
    for (len, expected) in [
        (
            31,
            "3235edffeface971a14f262d75509f5aee9c977f99fcb4cdfee7258547f66cb1",
        ),
        (
            32,
            "4b6ec334cac4ca332c567e152175c330e5ecf1f176885bac48c1082ae87a555b",
        ),
        (
            128,
            "c47e3661257a6abac78912a85f9f31a40639647d36b518982253add34232ba30",
        ),
    ] {
        check(&data(len), b"message", expected);
    }
    assert!(Customization::new(&data(Customization::MAX_LEN + 1)).is_none());
}

/// After `finalize_blocks`, the hash is plain SHAKE256 again.
#[test]
fn a_customized_hash_is_empty_after_its_blocks() {
    let customization = Customization::new(b"invoices").unwrap();
    let mut hash = Shake256::with_customization(portable, &customization);
    hash.update(b"message");
    drop(hash.finalize_blocks());
    hash.update(b"message");
    let again: [u8; 32] = hash.finalize().read_array();
    assert_eq!(again, Shake256::reader(b"message").read_array());
}

#[test]
fn output_equals_the_sha3_crate_however_input_and_output_are_cut() {
    for n in LENGTHS {
        let mut expected = vec![0; 1000];
        let mut peer = ::sha3::Shake256::default();
        peer.update(&data(n));
        peer.finalize_xof().read(&mut expected);
        for piece in [1, 3, 8, 40, 136, 1000] {
            let mut hash = Shake256::new();
            for chunk in data(n).chunks(piece) {
                hash.update(chunk);
            }
            let mut reader = hash.finalize();
            let mut out = vec![0; 1000];
            for chunk in out.chunks_mut(piece) {
                reader.read(chunk);
            }
            assert_eq!(out, expected, "{n} bytes in pieces of {piece}");
        }
    }
}

#[test]
fn keccak_256_of_nothing_is_the_published_digest() {
    let expected = [
        0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03,
        0xc0, 0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85,
        0xa4, 0x70,
    ];
    assert_eq!(Keccak256::new().finalize(), expected);
    assert_eq!(Keccak256::default().finalize(), expected);
}

#[test]
fn keccak_256_equals_the_sha3_crate_however_its_input_is_cut() {
    for n in (0..=2 * RATE + 1).chain([1000, 10_000]) {
        let data = data(n);
        let expected: [u8; 32] = ::sha3::Keccak256::digest(&data).into();
        for piece in [1, 7, 8, 40, 135, 136, 137, 10_000] {
            let mut hash = Keccak256::with_permutation(portable);
            for chunk in data.chunks(piece) {
                hash.update(chunk);
            }
            let forked = hash.clone();
            assert_eq!(hash.finalize(), expected, "{n} bytes in pieces of {piece}");
            assert_eq!(
                forked.finalize(),
                expected,
                "{n} bytes in pieces of {piece}"
            );
        }
    }
}

#[test]
fn blocks_are_the_stream_in_little_endian_words() {
    let mut stream = vec![0; 2 * RATE];
    Shake256::reader(b"blocks").read(&mut stream);
    let mut hash = Shake256::new();
    hash.update(b"blocks");
    let mut reader = hash.finalize_blocks();
    for block in stream.chunks(RATE) {
        let words = reader.next_block(Baseline);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(bytes, block);
    }
    drop(reader);
    let mut again = vec![0; RATE];
    hash.update(b"blocks");
    hash.finalize().read(&mut again);
    assert_eq!(again, stream[..RATE]);
}

/// Whatever was read before, the next byte is the first byte of the squeezed block.
#[test]
fn a_reader_resumes_a_state_that_was_squeezed() {
    let expected: [u8; 300] = Shake256::reader(b"seed").read_array();
    let mut squeezed = Shake256::reader(b"seed").0.sponge.clone();
    squeezed.permute();
    for read in [0, 5, RATE] {
        let mut reader = Shake256::reader(b"other");
        reader.read(&mut vec![0; read]);
        reader.resume(&squeezed.state);
        assert_eq!(reader.read_array(), expected, "{read}");
    }
}

/// After any use, a reader that starts again forgets its old bytes, and keeps its permutation.
#[test]
fn a_reader_that_starts_again_is_as_new() {
    fn permutation(state: &mut [u64; 25]) {
        portable(state);
    }
    let mut reader = Shake256Reader::with_permutation(permutation);
    for read in [0, 1, RATE, RATE + 5] {
        reader.start(|hash| _ = hash.update(b"first"));
        reader.read(&mut vec![0; read]);
        reader.start(|hash| _ = hash.update(b"second"));
        let expected: [u8; 300] = Shake256::reader(b"second").read_array();
        assert_eq!(reader.read_array(), expected, "{read}");
    }
    let clone = reader.0.clone();
    assert!(core::ptr::fn_addr_eq(
        clone.sponge.permutation,
        permutation as Permutation
    ));
}
