//! Runs an operation on the simulated system: the simulation gives its number.
#![no_std]
#![no_main]

use falcon_core::{Falcon512, Falcon1024};
use falcon_firmware::operations::{
    InsecureFalcon256, Known, fft, keygen, sign, sign_fft, sign_fft_fpu, sign_fpu, verify,
};
use falcon_firmware::platform::{self, argument};
use falcon_firmware::{circuit, report};

falcon_firmware::program!(run);

/// The operations. `run.sh` of the system has the same list.
const fn operations<P: Known>() -> [fn() -> bool; 7] {
    [
        fft,
        verify::<P>,
        keygen::<P>,
        sign::<P>,
        sign_fft::<P>,
        sign_fpu::<P>,
        sign_fft_fpu::<P>,
    ]
}

fn run() -> ! {
    let operations = match circuit::logn() {
        8 => operations::<InsecureFalcon256>(),
        9 => operations::<Falcon512>(),
        _ => operations::<Falcon1024>(),
    };
    let Some(operation) = operations.get(argument()) else {
        report::line("no such operation");
        platform::exit(false)
    };
    platform::exit(operation())
}
