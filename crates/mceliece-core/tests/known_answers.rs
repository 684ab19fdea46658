//! The response texts of the submission: ten records of every set, compared by SHA-256, and the
//! first record alone. The sets with `pc` have no published vectors. This project made two records
//! for each of them, to show that the results do not change.

use falcon_kat::Drbg;
use mceliece_core::*;
use sha2::{Digest, Sha256};
use std::fmt::Write;

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02X}").expect("memory");
    }
    text
}

/// Returns record `count` with the seed of its generator, in the format of NIST's driver.
fn record<P: Parameters>(count: usize, seed: &[u8; 48]) -> String {
    let mut rng = Drbg::new(seed);
    let pair = KeyPair::<P>::generate(&mut rng);
    let (ciphertext, secret) = pair.public_key.encapsulate(&mut rng);
    assert_eq!(pair.secret_key.decapsulate(&ciphertext), secret);
    format!(
        "count = {count}\nseed = {}\npk = {}\nsk = {}\nct = {}\nss = {}\n",
        hex(seed),
        hex(pair.public_key.as_bytes()),
        hex(pair.secret_key.as_bytes()),
        hex(ciphertext.as_bytes()),
        hex(secret.as_bytes()),
    )
}

fn texts<P: Parameters>() {
    let hashes = include_str!("../../../kat/mceliece/text_hashes.json");
    let hashes: serde_json::Value = serde_json::from_str(hashes).expect("JSON");
    let name = P::NAME.replace("mceliece", "Classic-McEliece-");
    let hashes = &hashes[&name];
    let mut outer = Drbg::nist();
    let records: Vec<String> = (0..10).map(|i| record::<P>(i, &outer.bytes())).collect();
    let digest = |text: String| hex(&Sha256::digest(text)).to_lowercase();
    assert_eq!(digest(records[0].clone()), hashes["single"], "{name}");
    assert_eq!(digest(records.join("\n")), hashes["all"], "{name}");
}

macro_rules! texts {
    ($($test:ident, $set:ident;)*) => {$(
        #[test]
        fn $test() {
            texts::<$set>();
        }
    )*};
}

texts! {
    text_of_348864, Mceliece348864;
    text_of_348864f, Mceliece348864f;
    text_of_460896, Mceliece460896;
    text_of_460896f, Mceliece460896f;
    text_of_6688128, Mceliece6688128;
    text_of_6688128f, Mceliece6688128f;
    text_of_6960119, Mceliece6960119;
    text_of_6960119f, Mceliece6960119f;
    text_of_8192128, Mceliece8192128;
    text_of_8192128f, Mceliece8192128f;
}

/// Compares the text of two records of a set with `pc`, whose hash this project made.
fn own<P: Parameters>() {
    let hashes = include_str!("../../../kat/mceliece/own_pc_hashes.json");
    let hashes: serde_json::Value = serde_json::from_str(hashes).expect("JSON");
    let mut outer = Drbg::nist();
    let records: Vec<String> = (0..2).map(|i| record::<P>(i, &outer.bytes())).collect();
    let digest = hex(&Sha256::digest(records.join("\n"))).to_lowercase();
    assert_eq!(digest, hashes[P::NAME], "{}", P::NAME);
}

macro_rules! own {
    ($($test:ident, $set:ident;)*) => {$(
        #[test]
        fn $test() {
            own::<$set>();
        }
    )*};
}

own! {
    own_460896pc, Mceliece460896pc;
    own_460896pcf, Mceliece460896pcf;
    own_6688128pc, Mceliece6688128pc;
    own_6688128pcf, Mceliece6688128pcf;
    own_6960119pc, Mceliece6960119pc;
    own_6960119pcf, Mceliece6960119pcf;
    own_8192128pc, Mceliece8192128pc;
    own_8192128pcf, Mceliece8192128pcf;
}
