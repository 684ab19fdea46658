//! Transforms the hashed point of the known answer, and transforms the result back: in software and
//! on the circuits of the simulated system. Compares every bit and prints clocks.
#![no_std]
#![no_main]

use falcon_core::hazmat::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::lanes::Soft;
use falcon_firmware::circuit::{self, Direction, LOGN};
use falcon_firmware::{known_answer as kat, platform, report};

falcon_firmware::program!(run);

/// Transforms `f` in both ways and reports the clocks. Returns true if all bits are equal. `names`
/// are those of the numbers: software, copy to the circuit, circuit with start and end as the
/// processor sees them, circuit alone, copy back.
fn compare(direction: Direction, names: [&str; 5], f: &mut [f64; 1 << LOGN]) -> bool {
    let mut expected = *f;
    let start = platform::clocks();
    match direction {
        Direction::Forward => Soft.fft(LOGN, &mut expected),
        Direction::Inverse => Soft.ifft(LOGN, &mut expected),
    }
    let software = platform::clocks() - start;
    let steps = circuit::transform(direction, f);
    let clocks = [
        software,
        steps.copy_in,
        steps.circuit,
        steps.counted,
        steps.copy_out,
    ];
    for (name, clocks) in names.into_iter().zip(clocks) {
        report::number(name, clocks as usize);
    }
    f.map(f64::to_bits) == expected.map(f64::to_bits)
}

fn run() -> ! {
    let mut point = [0; 1 << LOGN];
    Shake256HashToPoint.hash_to_point(kat::NONCE, kat::MESSAGE, &mut point);
    let mut f = point.map(f64::from);
    let names = [
        "fft_software",
        "fft_copy_in",
        "fft_circuit",
        "fft_alone",
        "fft_copy_out",
    ];
    let forward = compare(Direction::Forward, names, &mut f);
    let names = [
        "ifft_software",
        "ifft_copy_in",
        "ifft_circuit",
        "ifft_alone",
        "ifft_copy_out",
    ];
    let inverse = compare(Direction::Inverse, names, &mut f);
    report::line(if forward {
        "fft: equal bits"
    } else {
        "fft: DIFFERS"
    });
    report::line(if inverse {
        "ifft: equal bits"
    } else {
        "ifft: DIFFERS"
    });
    platform::exit(forward && inverse)
}
