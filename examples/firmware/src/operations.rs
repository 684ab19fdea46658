//! Whole operations on the simulated system, with the degree of its FFT circuits. A row for each
//! says how many clocks it took, and which circuits did how much of it.

use crate::circuit::{self, CircuitFft, Direction, Runs};
use crate::fpu::Fpu;
use crate::{fpu, known_answer as kat, platform, report};
use alloc::{vec, vec::Vec};
use core::ops::Add;
pub use falcon_core::hazmat::insecure::InsecureFalcon256;
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness, sign_raw_on};
use falcon_core::hazmat::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::{LaneEngine, expand_on, fft::Fft, lanes::Soft, sampler::SigningIsa};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Scratch, Signature};
use falcon_core::{SigningKey, VerifyingKey};

/// Seed of the keys.
static KEY_SEED: &[u8; 32] = include_bytes!(concat!(env!("OUT_DIR"), "/key_seed"));

/// A parameter set with the bytes that the host computes; see `build.rs`. The signature has the
/// message, the nonce and the sampler seed of [`kat`].
pub trait Known: Parameters {
    /// Encoded signing key.
    const SIGNING_KEY: &[u8];
    /// Encoded verifying key.
    const VERIFYING_KEY: &[u8];
    /// Compressed signature.
    const SIGNATURE: &[u8];
}

macro_rules! known {
    ($($set:ty, $degree:literal;)*) => {$(
        impl Known for $set {
            const SIGNING_KEY: &[u8] =
                include_bytes!(concat!(env!("OUT_DIR"), "/signing_key", $degree));
            const VERIFYING_KEY: &[u8] =
                include_bytes!(concat!(env!("OUT_DIR"), "/verifying_key", $degree));
            const SIGNATURE: &[u8] =
                include_bytes!(concat!(env!("OUT_DIR"), "/signature", $degree));
        }
    )*};
}

known! {
    InsecureFalcon256, 256;
    Falcon512, 512;
    Falcon1024, 1024;
}

/// What an operation took.
#[derive(Clone, Copy)]
struct Cost {
    clocks: u64,
    fft: Runs,
    keccak: Runs,
    /// Operations of the floating-point unit.
    fpu: u32,
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            clocks: self.clocks + other.clocks,
            fft: self.fft + other.fft,
            keccak: self.keccak + other.keccak,
            fpu: self.fpu + other.fpu,
        }
    }
}

/// Runs `work`. Returns its result and what it took.
fn measure<R>(work: impl FnOnce() -> R) -> (R, Cost) {
    let _before = (circuit::FFT.take(), circuit::KECCAK.take());
    let operations = fpu::operations();
    let start = platform::clocks();
    let result = work();
    let clocks = platform::clocks() - start;
    let cost = Cost {
        clocks,
        fft: circuit::FFT.take(),
        keccak: circuit::KECCAK.take(),
        fpu: fpu::operations() - operations,
    };
    (result, cost)
}

/// Prints a row: degree, operation, form and clocks; then of each circuit the runs, the clocks of
/// moving its data and the clocks of waiting for it; then the operations of the floating-point
/// unit. Returns `equal`, and says so if it is false.
fn row(degree: usize, operation: &str, cost: Cost, equal: bool) -> bool {
    report::digits(degree);
    report::words("\t");
    report::words(operation);
    report::words(
        match (cost.fft.runs > 0, cost.keccak.runs > 0, cost.fpu > 0) {
            (false, false, false) => "\tsoftware",
            (true, false, false) => "\tfft",
            (false, true, false) => "\tkeccak",
            (true, true, false) => "\tboth",
            (false, false, true) => "\tfpu",
            (true, false, true) => "\tfft-fpu",
            (false, true, true) => "\tkeccak-fpu",
            (true, true, true) => "\tall",
        },
    );
    report::words("\t");
    report::digits(cost.clocks as usize);
    for Runs {
        runs,
        moved,
        computed,
    } in [cost.fft, cost.keccak]
    {
        for number in [runs, moved, computed] {
            report::words("\t");
            report::digits(number as usize);
        }
    }
    report::words("\t");
    report::digits(cost.fpu as usize);
    report::line(if equal { "" } else { "\tDIFFERS" });
    equal
}

/// Generates a key from a seed, and compares it with the host's.
pub fn keygen<P: Known>() -> bool {
    let (key, cost) = measure(|| SigningKey::<P>::from_seed(KEY_SEED));
    let equal = key.is_ok_and(|key| key.to_bytes().as_ref() == P::SIGNING_KEY);
    row(P::N, "keygen", cost, equal)
}

/// Decodes a key and a signature, and verifies.
pub fn verify<P: Known>() -> bool {
    let (valid, cost) = measure(|| {
        let key = VerifyingKey::<P>::try_from(P::VERIFYING_KEY);
        let signature = Signature::from_bytes(Format::Compressed, P::SIGNATURE);
        match (&key, &signature) {
            (Ok(key), Ok(signature)) => key.verify(kat::MESSAGE, signature).is_ok(),
            _ => false,
        }
    });
    row(P::N, "verify", cost, valid)
}

const RANDOMNESS: RawRandomness<'_> = RawRandomness {
    nonce: kat::NONCE,
    seed: kat::SAMPLER_SEED,
};

/// Returns true if `signature` is the host's.
fn is_known<P: Known>(signature: &Signature<P>) -> bool {
    let mut encoded = vec![0; P::COMPRESSED_MAX_LEN];
    signature
        .encode(Format::Compressed, &mut encoded)
        .is_ok_and(|len| encoded.get(..len) == Some(P::SIGNATURE))
}

/// Signs with an expanded key of `arith`, with the transforms of `fft`. Prints a row, and returns
/// what the signature took. Compares it with the host's.
fn sign_expanded<P: Known>(
    arith: impl SigningIsa,
    fft: impl Fft,
    key: &SigningKey<P>,
) -> (bool, Cost) {
    let (key, expanded) = measure(|| expand_on(arith, key));
    let job = RawJob::new(&key, kat::MESSAGE, RANDOMNESS);
    let mut signatures = [Signature::EMPTY];
    let engine = LaneEngine { arith, fft };
    let (done, cost) = measure(|| engine.sign_batch_raw(&[job], Fit::Any, &mut signatures));
    let equal = done.is_ok() && is_known(&signatures[0]);
    (row(P::N, "sign-expanded", cost, equal), expanded + cost)
}

/// Signs with an encoded key, then with an expanded key. `arith` computes, transforms included.
fn sign_on<P: Known>(arith: impl SigningIsa) -> bool {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let Ok(mut scratch) = Scratch::<P>::new(&mut reals) else {
        return false;
    };
    let (signature, cost) = measure(|| {
        let key = SigningKey::<P>::try_from(P::SIGNING_KEY).ok()?;
        let message = kat::MESSAGE;
        sign_raw_on(arith, &key, RANDOMNESS, message, Fit::Any, &mut scratch).ok()
    });
    let equal = signature.is_some_and(|signature| is_known(&signature));
    let equal = row(P::N, "sign-encoded", cost, equal);
    let key = SigningKey::<P>::try_from(P::SIGNING_KEY);
    key.is_ok_and(|key| sign_expanded(arith, arith, &key).0) && equal
}

/// Signs with an encoded key, then with an expanded key, with the transforms on the circuits.
///
/// Only an expanded key gives its transforms to the circuits. So an encoded key is expanded for
/// them, by `arith`.
fn sign_on_circuits<P: Known>(arith: impl SigningIsa + Fft<Real = f64>) -> bool {
    let (key, decoded) = measure(|| SigningKey::<P>::try_from(P::SIGNING_KEY));
    let Ok(key) = key else { return false };
    let (equal, cost) = sign_expanded(arith, CircuitFft(arith), &key);
    row(P::N, "sign-encoded", decoded + cost, equal) && equal
}

/// Signs in software.
pub fn sign<P: Known>() -> bool {
    sign_on::<P>(Soft)
}

/// Signs with the FFT on its circuits.
pub fn sign_fft<P: Known>() -> bool {
    sign_on_circuits::<P>(Soft)
}

/// Signs with the arithmetic of the floating-point unit.
pub fn sign_fpu<P: Known>() -> bool {
    sign_on::<P>(Fpu)
}

/// Signs with the floating-point unit, and with the FFT on its circuits.
pub fn sign_fft_fpu<P: Known>() -> bool {
    sign_on_circuits::<P>(Fpu)
}

/// Transforms a polynomial in software, with the floating-point unit and on a circuit, and prints a
/// row for each. Returns true if all bits are equal.
fn transform(direction: Direction, f: &mut [f64]) -> bool {
    fn software(arith: impl Fft<Real = f64>, direction: Direction, f: &mut [f64]) -> Cost {
        let logn = f.len().trailing_zeros();
        let work = || match direction {
            Direction::Forward => arith.fft(logn, f),
            Direction::Inverse => arith.ifft(logn, f),
        };
        measure(work).1
    }
    let bits = |f: &[f64]| -> Vec<u64> { f.iter().map(|x| x.to_bits()).collect() };
    let (operation, alone) = match direction {
        Direction::Forward => ("fft", "fft_alone"),
        Direction::Inverse => ("ifft", "ifft_alone"),
    };
    let mut expected = f.to_vec();
    row(
        f.len(),
        operation,
        software(Soft, direction, &mut expected),
        true,
    );
    let mut by_unit = f.to_vec();
    let cost = software(Fpu, direction, &mut by_unit);
    let equal = row(f.len(), operation, cost, bits(&by_unit) == bits(&expected));
    let (counted, cost) = measure(|| circuit::transform(direction, f));
    report::number(alone, counted as usize);
    row(f.len(), operation, cost, bits(f) == bits(&expected)) && equal
}

/// Transforms a hashed point and transforms the result back.
pub fn fft() -> bool {
    let mut point = vec![0; 1 << circuit::logn()];
    Shake256HashToPoint.hash_to_point(kat::NONCE, kat::MESSAGE, &mut point);
    let mut f: Vec<f64> = point.into_iter().map(f64::from).collect();
    let forward = transform(Direction::Forward, &mut f);
    transform(Direction::Inverse, &mut f) && forward
}
