//! Encapsulates to public keys of Classic McEliece that arrive in pieces, and compares ciphertext
//! and shared secret with the known answer.
#![no_std]
#![no_main]

use core::hint::black_box;
use falcon_firmware::mceliece::{
    ENCAPSULATION_348864, ENCAPSULATION_8192128, Encapsulation, Replay,
};
use falcon_firmware::{platform, report, stack};
use mceliece_core::{EncapsulateStream, Mceliece348864, Mceliece8192128, Parameters};

falcon_firmware::program!(run);

/// Number of bytes of a piece.
const PIECE: usize = 256;

#[inline(never)]
fn encapsulate<P: Parameters>(known: &Encapsulation) -> bool {
    let mut stream = EncapsulateStream::<P>::new(&mut Replay(known.randomness));
    // Copies each piece to a buffer, as for pieces from a network, although flash could be read in
    // place.
    let mut buffer = [0; PIECE];
    for received in known.public_key.chunks(PIECE) {
        let piece = buffer.get_mut(..received.len()).unwrap_or_default();
        piece.copy_from_slice(received);
        stream.update(black_box(piece));
    }
    stream.finish().is_ok_and(|(ciphertext, secret)| {
        ciphertext.as_bytes() == known.ciphertext && secret.as_bytes()[..] == *known.secret
    })
}

/// Runs one parameter set. Returns true if it gives the known answer.
fn check<P: Parameters>(known: &Encapsulation) -> bool {
    let (same, bytes) = stack::measure(|| encapsulate::<P>(known));
    report::words(P::NAME);
    report::number("_encapsulate_stack_bytes", bytes);
    report::words(P::NAME);
    report::line(if same {
        ": equals the known answer"
    } else {
        ": DIFFERS"
    });
    same
}

fn run() -> ! {
    let embedded = ENCAPSULATION_348864.size() + ENCAPSULATION_8192128.size();
    report::number("embedded_bytes", embedded);
    let smallest = check::<Mceliece348864>(&ENCAPSULATION_348864);
    let largest = check::<Mceliece8192128>(&ENCAPSULATION_8192128);
    platform::exit(smallest && largest)
}
