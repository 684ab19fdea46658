//! Decapsulates with secret keys of Classic McEliece in flash, and compares the shared secret with
//! the known answer.
#![no_std]
#![no_main]

use falcon_firmware::mceliece::{
    DECAPSULATION_348864, DECAPSULATION_460896, DECAPSULATION_6688128, Decapsulation,
};
use falcon_firmware::{platform, report, stack};
use mceliece_core::{
    Ciphertext, DecodeError, Mceliece348864, Mceliece460896, Mceliece6688128, Parameters,
    SecretKey, SharedSecret,
};

falcon_firmware::program!(run);

type Key<P> = SecretKey<P, &'static [u8]>;

#[inline(never)]
fn decode<P: Parameters>(bytes: &'static [u8]) -> Result<Key<P>, DecodeError> {
    SecretKey::from_bytes(bytes)
}

#[inline(never)]
fn decapsulate<P: Parameters>(key: &Key<P>, bytes: &[u8]) -> Result<SharedSecret, DecodeError> {
    let ciphertext = Ciphertext::<P>::try_from(bytes)?;
    Ok(key.decapsulate(&ciphertext))
}

/// Runs one parameter set. Returns true if it gives the known answer.
fn check<P: Parameters>(known: &Decapsulation) -> bool {
    let (key, bytes) = stack::measure(|| decode::<P>(known.secret_key));
    report::words(P::NAME);
    report::number("_decode_key_stack_bytes", bytes);
    let Ok(key) = key else {
        report::line("the known key does not decode");
        return false;
    };
    let (secret, bytes) = stack::measure(|| decapsulate(&key, known.ciphertext));
    report::words(P::NAME);
    report::number("_decapsulate_stack_bytes", bytes);
    let same = secret.is_ok_and(|secret| secret.as_bytes()[..] == *known.secret);
    report::words(P::NAME);
    report::line(if same {
        ": equals the known answer"
    } else {
        ": DIFFERS"
    });
    same
}

fn run() -> ! {
    let known = [
        DECAPSULATION_348864.size(),
        DECAPSULATION_460896.size(),
        DECAPSULATION_6688128.size(),
    ];
    report::number("embedded_bytes", known.iter().sum());
    let smallest = check::<Mceliece348864>(&DECAPSULATION_348864);
    let middle = check::<Mceliece460896>(&DECAPSULATION_460896);
    let largest = check::<Mceliece6688128>(&DECAPSULATION_6688128);
    platform::exit(smallest && middle && largest)
}
