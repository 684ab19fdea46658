//! Only verifies, like a boot loader that checks its image. No allocator, no random generator and
//! no floating-point code is linked.
#![no_std]
#![no_main]

use falcon_core::{Falcon512, Format, Signature, VerifyingKey};
use falcon_firmware::{known_answer as kat, platform, report, stack};

falcon_firmware::program!(run);

/// Decodes key and signature and verifies.
///
/// Key and signature stay in the place where they were decoded. Moving them out of their `Result`
/// would take another 3 KB of stack.
#[inline(never)]
fn verify(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key = VerifyingKey::<Falcon512>::try_from(key);
    let signature = Signature::from_bytes(Format::Compressed, signature);
    match (&key, &signature) {
        (Ok(key), Ok(signature)) => key.verify(message, signature).is_ok(),
        _ => false,
    }
}

fn run() -> ! {
    let (valid, bytes) =
        stack::measure(|| verify(kat::VERIFYING_KEY, kat::MESSAGE, kat::SIGNATURE));
    report::number("verify_stack_bytes", bytes);
    let forged = verify(kat::VERIFYING_KEY, b"another message", kat::SIGNATURE);
    report::line(if valid {
        "known signature: accepted"
    } else {
        "known signature: REFUSED"
    });
    report::line(if forged {
        "another message: ACCEPTED"
    } else {
        "another message: refused"
    });
    platform::exit(valid && !forged)
}
