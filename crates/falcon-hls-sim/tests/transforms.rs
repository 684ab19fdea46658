//! Checks that every transform gives the same bits as `scalar`, for every preset and degree.

use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::lanes::Baseline;
use falcon_hls_sim::accelerator::{Accelerator, MAX_LOGN};
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::seam::{HlsFft, Meter};

/// Returns `len` reals with exponents from -60 to 60.
fn reals(label: &str, len: usize) -> Vec<f64> {
    let mut stream = Shake256::reader(label.as_bytes());
    let mut real = || {
        let bits = u64::from_le_bytes(stream.read_array());
        let exponent = 1023 - 60 + (bits >> 52) % 121;
        f64::from_bits(bits & (1 << 63 | ((1 << 52) - 1)) | exponent << 52)
    };
    (0..len).map(|_| real()).collect()
}

fn bits(f: &[f64]) -> Vec<u64> {
    f.iter().map(|x| x.to_bits()).collect()
}

/// Returns the results of the transforms and of a nearest-plane step of `fft` on fixed polynomials.
fn results<F: Fft<Real = f64>>(fft: F, logn: u32) -> Vec<(&'static str, Vec<u64>)> {
    let n = 1usize << logn;
    let polynomial = |name: &str| reals(&format!("{name} {logn}"), n);
    let mut f = polynomial("f");
    let mut results = Vec::new();
    fft.fft(logn, &mut f);
    results.push(("fft", bits(&f)));
    fft.ifft(logn, &mut f);
    results.push(("ifft", bits(&f)));
    if logn >= 2 {
        let (mut f0, mut f1) = (vec![0.0; n / 2], vec![0.0; n / 2]);
        fft.split(logn, &mut f0, &mut f1, &polynomial("g"));
        results.extend([("even half", bits(&f0)), ("odd half", bits(&f1))]);
        fft.merge(logn, &mut f, &polynomial("h")[..n / 2], &f1);
        results.push(("merge", bits(&f)));
        let mut t1 = polynomial("t1");
        let key = polynomial("key");
        fft.nearest_plane_step(logn, &f, &mut t1, [&mut f0, &mut f1], &key);
        results.extend([("u0", bits(&f0)), ("u1", bits(&f1)), ("t1", bits(&t1))]);
    }
    results
}

#[test]
fn every_preset_has_the_bits_of_the_portable_engine() {
    for preset in Preset::ALL {
        let accelerator = Accelerator::new(preset.design()).expect("a preset");
        let meter = Meter::default();
        let fft = HlsFft::new(&accelerator, &meter);
        for logn in 1..=MAX_LOGN {
            let ours = results(fft, logn);
            let expected = results(Baseline, logn);
            for (ours, expected) in ours.iter().zip(&expected) {
                assert!(ours == expected, "{}, {logn}: {}", preset.name(), ours.0);
            }
            assert_eq!(ours.len(), expected.len());
        }
    }
}
