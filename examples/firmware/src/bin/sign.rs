//! Signs with integer arithmetic only, in memory that the program owns, and compares the bytes with
//! the known answer.
#![no_std]
#![no_main]

use falcon_core::hazmat::{Fit, RawRandomness, sign_raw};
use falcon_core::{DecodeError, Falcon512, FaultError, Format, Scratch, Signature, SigningKey};
use falcon_firmware::{known_answer as kat, platform, report, stack};
use static_cell::ConstStaticCell;

falcon_firmware::program!(run);

/// Length of the longest compressed signature in bytes.
const SIGNATURE_CAPACITY: usize = 752;

#[inline(never)]
fn decode(key: &[u8]) -> Result<SigningKey<Falcon512>, DecodeError> {
    SigningKey::try_from(key)
}

/// Signs with the randomness of the known answer. A product would call
/// `sign_in` with its random generator instead.
#[inline(never)]
fn sign(
    key: &SigningKey<Falcon512>,
    scratch: &mut Scratch<'_, Falcon512>,
) -> Result<Signature<Falcon512>, FaultError> {
    let randomness = RawRandomness {
        nonce: kat::NONCE,
        seed: kat::SAMPLER_SEED,
    };
    sign_raw(key, randomness, kat::MESSAGE, Fit::Any, scratch)
}

fn run() -> ! {
    static REALS: ConstStaticCell<[f64; Scratch::<Falcon512>::LEN]> =
        ConstStaticCell::new([0.0; Scratch::<Falcon512>::LEN]);

    let (key, bytes) = stack::measure(|| decode(kat::SIGNING_KEY));
    report::number("decode_key_stack_bytes", bytes);
    let (Ok(key), Ok(mut scratch)) = (key, Scratch::new(REALS.take())) else {
        report::line("the known key does not decode");
        platform::exit(false)
    };

    let (signature, bytes) = stack::measure(|| sign(&key, &mut scratch));
    report::number("sign_stack_bytes", bytes);
    report::number("sign_scratch_bytes", 8 * Scratch::<Falcon512>::LEN);

    let Ok(signature) = signature else {
        report::line("the device computed wrongly; nothing was signed");
        platform::exit(false)
    };
    let mut encoded = [0; SIGNATURE_CAPACITY];
    let same = match signature.encode(Format::Compressed, &mut encoded) {
        Ok(len) => encoded.get(..len) == Some(kat::SIGNATURE),
        Err(_) => false,
    };
    report::line(if same {
        "signature: equals the known answer"
    } else {
        "signature: DIFFERS"
    });
    platform::exit(same)
}
