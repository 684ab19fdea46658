//! Known answers on every engine.

use crate::code::{Code, MAX_T};
use crate::decapsulate::decapsulate;
use crate::encapsulate::finish;
use crate::encode::Encoding;
use crate::keygen::{Memory, Output, Task, run, scratch_bytes, scratch_words};
use crate::params::sealed::Sealed;
use crate::params::*;
use crate::weight::fixed_weight;
use falcon_kat::Drbg;
use falcon_lanes::Isa;
use sha2::{Digest, Sha256};
use std::string::String;
use std::vec;
use std::vec::Vec;

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| std::format!("{byte:02X}"))
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal"))
        .collect()
}

fn replay<I: Isa>(isa: I, code: &Code, record: &serde_json::Value) {
    let field = |name: &str| record[name].as_str().expect("text");
    let seed: [u8; 48] = unhex(field("seed")).try_into().expect("48 bytes");
    let mut rng = Drbg::new(&seed);
    let mut memory = Memory {
        words: &mut vec![0; scratch_words(code)],
        bytes: &mut vec![0; scratch_bytes(code)],
    };
    let mut public_key = vec![0; code.public_key_len()];
    let mut secret_key = vec![0; code.secret_key_len()];
    let delta = rng.bytes();
    let task = Task::Generate {
        public_key: Output::Rows(&mut public_key),
    };
    assert!(run(isa, code, &delta, task, &mut memory, &mut secret_key));
    assert_eq!(hex(&secret_key), field("sk"));
    let digest = hex(&Sha256::digest(&public_key));
    assert_eq!(digest.to_lowercase(), field("pk_sha256"));
    let mut ciphertext = vec![0; code.ciphertext_len()];
    let mut positions = [0; MAX_T];
    fixed_weight(code, &mut rng, &mut positions);
    let mut encoding = Encoding::new(code, &positions);
    encoding.add_rows(isa, code, &public_key);
    let mut secret = [0; 32];
    finish(&mut encoding, code, &mut ciphertext, &mut secret);
    assert_eq!(hex(&ciphertext), field("ct"));
    assert_eq!(hex(&secret), field("ss"));
    let mut opened = [0; 32];
    let mut jobs = std::iter::once((&ciphertext[..], &mut opened));
    decapsulate::<_, 1>(isa, code, &secret_key, &mut jobs);
    assert_eq!(opened, secret);
}

macro_rules! known_answers {
    ($($test:ident, $set:ident, $file:literal;)*) => {$(
        #[test]
        fn $test() {
            let text = include_str!(concat!("../../../kat/mceliece/", $file, "_first2.json"));
            let records: Vec<serde_json::Value> = serde_json::from_str(text).expect("JSON");
            assert_eq!(records.len(), 2);
            for record in &records {
                on_every_engine!(isa => replay(isa, &$set::CODE, record));
            }
        }
    )*};
}

known_answers! {
    answers_of_348864, Mceliece348864, "mceliece348864";
    answers_of_348864f, Mceliece348864f, "mceliece348864f";
    answers_of_460896, Mceliece460896, "mceliece460896";
    answers_of_460896f, Mceliece460896f, "mceliece460896f";
    answers_of_6688128, Mceliece6688128, "mceliece6688128";
    answers_of_6688128f, Mceliece6688128f, "mceliece6688128f";
    answers_of_6960119, Mceliece6960119, "mceliece6960119";
    answers_of_6960119f, Mceliece6960119f, "mceliece6960119f";
    answers_of_8192128, Mceliece8192128, "mceliece8192128";
    answers_of_8192128f, Mceliece8192128f, "mceliece8192128f";
}
