//! Generates a pair of keys of Classic McEliece in 128 KB of memory. The public key by itself has
//! 255 KB, so it is output in byte columns. Compares both keys with the known answer.
#![no_std]
#![no_main]

use falcon_firmware::mceliece::{KEY_GENERATION_348864F as KNOWN, KeyGeneration};
use falcon_firmware::{platform, report, stack};
use mceliece_core::{KeygenScratch, Mceliece348864f, Parameters};
use static_cell::ConstStaticCell;

falcon_firmware::program!(run);

type P = Mceliece348864f;

/// Memory besides the stack.
struct Memory {
    words: [u64; KeygenScratch::<P>::MIN_WORDS],
    secret_key: [u8; P::SECRET_KEY_LEN],
}

/// Generates the keys. Returns true if both equal the known ones.
#[inline(never)]
fn generate(known: &KeyGeneration, memory: &mut Memory) -> bool {
    let Ok(mut scratch) = KeygenScratch::<P>::small(&mut memory.words) else {
        return false;
    };
    let (mut columns, mut same) = (0, true);
    let generated =
        scratch.columns_from_seed(known.seed, &mut memory.secret_key, |number, column| {
            // A product would send the column to a device that can store it.
            let row_len = known.public_key.len() / column.len();
            let expected = known.public_key.iter().skip(number).step_by(row_len);
            same &= number == columns && expected.eq(column);
            columns += 1;
        });
    // The matrix has 768 rows.
    generated.is_ok()
        && same
        && 768 * columns == known.public_key.len()
        && memory.secret_key == *known.secret_key
}

fn run() -> ! {
    static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory {
        words: [0; _],
        secret_key: [0; _],
    });
    let memory = MEMORY.take();
    report::number("embedded_bytes", KNOWN.size());
    let (same, bytes) = stack::measure(|| generate(&KNOWN, memory));
    report::words(P::NAME);
    report::number("_keygen_stack_bytes", bytes);
    report::words(P::NAME);
    report::line(if same {
        ": equals the known answer"
    } else {
        ": DIFFERS"
    });
    platform::exit(same)
}
