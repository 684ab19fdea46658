//! `serde`: text and binary forms, and inputs that are refused.

mod common;

use base16ct::lower::encode_string as hex;
use common::first_record;
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature, SigningKey, VerifyingKey};

#[test]
fn json_is_lower_case_hexadecimal_of_the_encoding() {
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let secret = SigningKey::<P>::try_from(&record.secret_key[..]).unwrap();
        let text = serde_json::to_string(&secret).unwrap();
        assert_eq!(text, format!("\"{}\"", hex(&record.secret_key)));
        let read: SigningKey<P> = serde_json::from_str(&text).unwrap();
        assert_eq!(read.to_bytes(), secret.to_bytes());

        let public = secret.verifying_key();
        let text = serde_json::to_string(public).unwrap();
        assert_eq!(text, format!("\"{}\"", hex(&record.public_key)));
        assert_eq!(
            serde_json::from_str::<VerifyingKey<P>>(&text).unwrap(),
            *public
        );

        let (signature, _) = Signature::<P>::from_attached(&record.signed_message).unwrap();
        let text = serde_json::to_string(&signature).unwrap();
        assert_eq!(text, format!("\"{}\"", hex(&signature.to_bytes())));
        assert_eq!(
            serde_json::from_str::<Signature<P>>(&text).unwrap(),
            signature
        );

        // Each value has one text: upper-case digits are refused, whether all letters are
        // upper-case or only one.
        let refused = |text: &str, value: usize| match value {
            0 => serde_json::from_str::<SigningKey<P>>(text).is_err(),
            1 => serde_json::from_str::<VerifyingKey<P>>(text).is_err(),
            _ => serde_json::from_str::<Signature<P>>(text).is_err(),
        };
        let texts = [
            hex(&record.secret_key),
            hex(&record.public_key),
            hex(&signature.to_bytes()),
        ];
        for (value, text) in texts.iter().enumerate() {
            assert!(!refused(&format!("\"{text}\""), value));
            assert!(refused(&format!("\"{}\"", text.to_uppercase()), value));
            let letter = text
                .rfind(|digit: char| digit.is_ascii_lowercase())
                .unwrap();
            let mut one = text.clone();
            one[letter..=letter].make_ascii_uppercase();
            assert!(refused(&format!("\"{one}\""), value));
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn binary_formats_hold_the_bytes_of_the_encoding() {
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let secret = SigningKey::<P>::try_from(&record.secret_key[..]).unwrap();
        let bytes = postcard::to_allocvec(&secret).unwrap();
        // The first two bytes hold the length.
        assert_eq!(bytes[2..], record.secret_key);
        let read: SigningKey<P> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read.to_bytes(), secret.to_bytes());

        let public = secret.verifying_key();
        let bytes = postcard::to_allocvec(public).unwrap();
        assert_eq!(bytes[2..], record.public_key);
        assert_eq!(
            postcard::from_bytes::<VerifyingKey<P>>(&bytes).unwrap(),
            *public
        );

        let (signature, _) = Signature::<P>::from_attached(&record.signed_message).unwrap();
        let bytes = postcard::to_allocvec(&signature).unwrap();
        assert_eq!(bytes[2..], *signature.to_bytes());
        assert_eq!(
            postcard::from_bytes::<Signature<P>>(&bytes).unwrap(),
            signature
        );
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn bytes_that_are_no_key_or_signature_are_refused() {
    fn refused<T: for<'de> serdect::serde::Deserialize<'de>>(bytes: &[u8]) -> bool {
        let text = format!("\"{}\"", hex(bytes));
        let binary =
            postcard::to_allocvec(&serdect::slice::HexOrBin::<false>(bytes.to_vec())).unwrap();
        serde_json::from_str::<T>(&text).is_err() && postcard::from_bytes::<T>(&binary).is_err()
    }
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let (signature, _) = Signature::<P>::from_attached(&record.signed_message).unwrap();
        let signature = signature.to_bytes();
        let good = [&record.secret_key[..], &record.public_key, &signature];
        for (i, encoding) in good.into_iter().enumerate() {
            let refuses = |bytes: &[u8]| match i {
                0 => refused::<SigningKey<P>>(bytes),
                1 => refused::<VerifyingKey<P>>(bytes),
                _ => refused::<Signature<P>>(bytes),
            };
            assert!(!refuses(encoding));
            assert!(refuses(&[]));
            assert!(refuses(&encoding[..encoding.len() - 1]));
            assert!(refuses(&[encoding, &[0]].concat()));
            assert!(refuses(&[encoding, &[0; 4000]].concat()));
            let mut header = encoding.to_vec();
            header[0] ^= 0x40;
            assert!(refuses(&header));
        }
        // The bytes have a valid encoding, but are not a Falcon key, since a coefficient of `F` is
        // wrong.
        let mut secret = record.secret_key.clone();
        *secret.last_mut().unwrap() ^= 1;
        assert!(refused::<SigningKey<P>>(&secret));
        // A coefficient of the public key is q or more.
        let mut public = record.public_key.clone();
        public[1..3].fill(0xff);
        assert!(refused::<VerifyingKey<P>>(&public));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn values_that_are_not_text_or_not_hexadecimal_are_refused_without_repeating_them() {
    let secret = hex(&first_record(9).secret_key);
    let spoiled = format!("\"{}g\"", &secret[..secret.len() - 1]);
    let error = serde_json::from_str::<SigningKey<Falcon512>>(&spoiled).unwrap_err();
    assert!(!error.to_string().contains(&secret[2..18]));
    for text in ["1", "null", "[]", "{}", "\"0\""] {
        assert!(serde_json::from_str::<SigningKey<Falcon512>>(text).is_err());
        assert!(serde_json::from_str::<VerifyingKey<Falcon512>>(text).is_err());
        assert!(serde_json::from_str::<Signature<Falcon512>>(text).is_err());
    }
}

#[test]
fn text_that_is_too_long_is_told_the_greatest_length() {
    let digits = "0".repeat(2 * 897 + 2);
    let error = serde_json::from_str::<VerifyingKey<Falcon512>>(&format!("\"{digits}\""));
    let error = error.unwrap_err().to_string();
    let expected = "invalid length 1796, expected at most 1794 lower-case hexadecimal digits";
    assert!(error.starts_with(expected), "{error}");
}
