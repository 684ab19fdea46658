//! Signs with an expanded key: in software and with the transforms on the circuits of the simulated
//! system. Compares both signatures with the known answer and prints clocks.
#![no_std]
#![no_main]

use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::seams::{LaneEngine, lanes::Soft};
use falcon_core::{Falcon512, Format, Signature, SigningKey};
use falcon_firmware::circuit::CircuitFft;
use falcon_firmware::{known_answer as kat, platform, report};

falcon_firmware::program!(run);

/// Length of the longest compressed signature in bytes.
const SIGNATURE_CAPACITY: usize = 752;

/// Signs `job` and reports the clocks as `name`. Returns true if the signature is the known answer.
fn signs(engine: &dyn BatchSignRaw<Falcon512>, name: &str, job: RawJob<'_, Falcon512>) -> bool {
    let mut signatures = [Signature::EMPTY];
    let start = platform::clocks();
    let done = engine.sign_batch_raw(&[job], Fit::Any, &mut signatures);
    report::number(name, (platform::clocks() - start) as usize);
    let mut encoded = [0; SIGNATURE_CAPACITY];
    let [signature] = signatures;
    let equal = done.is_ok()
        && signature
            .encode(Format::Compressed, &mut encoded)
            .is_ok_and(|len| encoded.get(..len) == Some(kat::SIGNATURE));
    report::words(name);
    report::line(if equal {
        ": equals the known answer"
    } else {
        ": DIFFERS"
    });
    equal
}

fn run() -> ! {
    let start = platform::clocks();
    let Ok(key) = SigningKey::<Falcon512>::try_from(kat::SIGNING_KEY) else {
        report::line("the known key does not decode");
        platform::exit(false)
    };
    let decoded = platform::clocks();
    let expanded = key.expand();
    report::number("decode_key", (decoded - start) as usize);
    report::number("expand_key", (platform::clocks() - decoded) as usize);
    let randomness = RawRandomness {
        nonce: kat::NONCE,
        seed: kat::SAMPLER_SEED,
    };
    let job = RawJob::new(&expanded, kat::MESSAGE, randomness);
    let software = LaneEngine {
        arith: Soft,
        fft: Soft,
    };
    let circuit = LaneEngine {
        arith: Soft,
        fft: CircuitFft,
    };
    let software = signs(&software, "sign_software", job);
    let circuit = signs(&circuit, "sign_circuit", job);
    platform::exit(software && circuit)
}
