//! Tests the distribution of the sampler, and the norm of signatures.

use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::sampler::{LaneSampler, SamplerZ, Sampling, SigningIsa};
use falcon_core::seams::tree::Leaf;
use falcon_core::{Falcon512, Falcon1024, Parameters};
use falcon_tests::{Repeatable, extent, key};

/// Number of integers drawn from one seed: the largest number that `Sampling::start` allows.
const PER_SEED: usize = 10_000;

/// Calls `S::gave_up` for the type of the first argument.
fn gave_up<S: Sampling>(_: &S, feed: &S::Feed) -> bool {
    S::gave_up(feed)
}

/// Compares samples with the discrete Gaussian around `center` with deviation `sigma`: mean,
/// variance, and chi-square over the values within 5 sigma.
fn follows_the_gaussian(center: f64, sigma: f64, sigma_min: f64, samples: usize) {
    let leaf = Leaf {
        dss: 1.0 / (2.0 * sigma * sigma),
        ccs: sigma_min / sigma,
    };
    let mut random = Repeatable::new(&format!("sampler {center} {sigma}"));
    let low = (center - 5.0 * sigma).floor() as i64;
    let high = (center + 5.0 * sigma).ceil() as i64;
    let mut counts = vec![0u64; (high - low + 1) as usize];
    let (mut sum, mut squares) = (0.0, 0.0);
    let sampling = Baseline.sampling();
    assert_eq!(samples % PER_SEED, 0);
    for _ in 0..samples / PER_SEED {
        let mut feeds = [sampling.feed(&random.bytes())];
        let mut sampler = LaneSampler::new(Baseline, sampling, &mut feeds);
        for _ in 0..PER_SEED / 2 {
            for z in sampler.sample_pair([center, center], &leaf) {
                assert_eq!(z, z.round());
                sum += z - center;
                squares += (z - center) * (z - center);
                if let Some(count) = counts.get_mut((z as i64 - low) as usize) {
                    *count += 1;
                }
            }
        }
        assert!(!gave_up(&sampling, &feeds[0]));
    }

    let density: Vec<f64> = (low..=high)
        .map(|z| (-(z as f64 - center).powi(2) * leaf.dss).exp())
        .collect();
    let total: f64 = density.iter().sum();
    let n = samples as f64;
    let moment = |k: i32| -> f64 {
        (low..=high)
            .zip(&density)
            .map(|(z, d)| d / total * (z as f64 - center).powi(k))
            .sum()
    };
    // Allows six standard errors: a correct sampler fails once in 5e8 runs.
    let variance = moment(2) - moment(1).powi(2);
    assert!(
        (sum / n - moment(1)).abs() < 6.0 * (variance / n).sqrt(),
        "mean at {center}, {sigma}"
    );
    let error = ((moment(4) - moment(2).powi(2)) / n).sqrt();
    assert!(
        (squares / n - moment(2)).abs() < 6.0 * error,
        "variance at {center}, {sigma}"
    );

    // Chi-square over cells whose expected count is at least 10. With k cells, its mean is k - 1
    // and its standard deviation about sqrt(2k).
    let (mut chi, mut cells) = (0.0, 0.0);
    for (count, d) in counts.iter().zip(&density) {
        let expected = n * d / total;
        if expected >= 10.0 {
            chi += (*count as f64 - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    assert!(
        chi < cells + 7.0 * (2.0 * f64::from(cells as u32)).sqrt(),
        "chi-square {chi} of {cells} cells at {center}, {sigma}"
    );
}

#[test]
fn samplerz_follows_the_discrete_gaussian() {
    let samples = extent("samples a centre", PER_SEED, 4_000_000);
    for center in [0.0, 0.5, -0.25, 17.999, -1234.4375] {
        for sigma in [1.2778336969128337, 1.5, 1.7, 1.8205] {
            follows_the_gaussian(center, sigma, 1.2778336969128337, samples);
        }
    }
}

/// Checks the mean of `||s2||^2`. Without the norm bound, `||(s1, s2)||^2` has a mean of about
/// `2n sigma^2`, and `||s2||^2` has half of this mean.
fn s2_has_the_variance_of_the_scheme<P: Parameters>(sigma: f64) {
    let key = key::<P>(3).expand();
    let mut random = Repeatable::new(P::NAME);
    let signatures = extent("signatures", 200u32, 2000);
    let mut squares = 0.0;
    for i in 0..u64::from(signatures) {
        let message = i.to_le_bytes();
        let signature = key.sign_with_rng(&mut random, &message).expect("no fault");
        squares += signature
            .s2()
            .iter()
            .map(|&s| f64::from(s).powi(2))
            .sum::<f64>();
    }
    let samples = f64::from(signatures) * P::N as f64;
    let ratio = squares / samples / (sigma * sigma);
    // The variance of a squared Gaussian is 2 sigma^4. Padding and the bound refuse the longest
    // vectors, which changes the mean by less than half a percent.
    assert!(
        (ratio - 1.0).abs() < 6.0 * (2.0 / samples).sqrt() + 0.005,
        "{}: {ratio}",
        P::NAME
    );
}

#[test]
fn signatures_have_the_variance_of_the_scheme() {
    s2_has_the_variance_of_the_scheme::<Falcon512>(165.736_617_182_977_6);
    s2_has_the_variance_of_the_scheme::<Falcon1024>(168.388_571_446_543_95);
}
