//! Runs both schemes on RV32IMAC with marked secrets. `falcon-riscv-taint` runs this program,
//! follows the secrets, and recognises requests by the names of the functions in `requests.rs`.
#![no_std]
#![no_main]

extern crate alloc;

mod allocator;
mod falcon;
mod mceliece;
mod requests;

use core::hint::black_box;
use falcon_firmware::{platform, report};
use requests::{Leak, case, classify, deliberate_leak, secret};

falcon_firmware::program!(run);

fn run() -> ! {
    deliberate_leaks();
    falcon::run();
    mceliece::run();
    platform::exit(true)
}

/// Leaks once in each way. All leaks must be reported.
fn deliberate_leaks() {
    deliberate_leak(Leak::Branch, "branch", || {
        if secret(3u8) == 3 {
            black_box("equal");
        }
    });
    deliberate_leak(Leak::Branch, "comparison of 64-bit numbers", || {
        black_box(secret(3u64) < black_box(1 << 40));
    });
    deliberate_leak(Leak::Address, "index", || {
        let table = black_box([1u8, 2, 3, 4]);
        black_box(table.get(secret(3usize) & 3).copied());
    });
    deliberate_leak(Leak::Division, "division", || {
        black_box(secret(30u32).checked_div(black_box(7)));
    });
    deliberate_leak(Leak::Output, "output", || {
        let mut text = *b"printed\n";
        if let Ok(text) = core::str::from_utf8_mut(&mut text) {
            classify(text);
            report::words(text);
        }
    });
    let name = "a sampler whose seed is known in part";
    deliberate_leak(Leak::Known, name, falcon::known_seed);
    case("no leak", || {
        black_box(secret(3u64).wrapping_mul(5) >> 7);
    });
}
