//! Compares the committed profile with instrumented runs and with the definition of the scheme.

use falcon_core::hazmat::secret_basis;
use falcon_core::seams::ffsampling::{ffsampling, scratch_len};
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::sampler::SamplerZ;
use falcon_core::seams::tree::{Leaf, Stored, stored_len};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_hls_sim::profile::count::{self, Arithmetic, Butterflies, Counted, CountingFft, Tally};
use falcon_hls_sim::profile::workload::{self, Workload};
use falcon_hls_sim::profile::{Operation, Part, Profile, ProfiledRun, Target};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of a block of SHAKE256.
const RATE: usize = 136;

fn profile() -> Profile {
    Profile::committed().unwrap()
}

fn executed(run: &ProfiledRun, part: Part) -> u64 {
    let cost = run.costs.iter().find(|cost| cost.part == part).unwrap();
    cost.executed.unwrap()
}

/// Calls a test function for both parameter sets.
macro_rules! each_degree {
    ($test:ident) => {
        $test::<Falcon512>();
        $test::<Falcon1024>();
    };
}

#[test]
fn every_operation_is_profiled_once_on_every_target() {
    let profile = profile();
    for &target in Target::ALL {
        for &operation in Operation::ALL {
            for degree in [512, 1024] {
                let key = (target, operation, degree);
                let runs = profile.runs.iter();
                let runs = runs.filter(|run| (run.target, run.operation, run.degree) == key);
                assert_eq!(runs.count(), 1, "{key:?}");
            }
        }
    }
}

#[test]
fn butterflies_of_the_table_are_those_that_an_instrumented_run_counts() {
    fn check<P: Parameters>() {
        for &operation in Operation::ALL {
            for &target in Target::ALL {
                let profile = profile();
                let run = profile.run(target, operation, 1 << P::LOGN).unwrap();
                let counted = count::butterflies::<P>(operation, run.repeats).unwrap();
                for (i, part) in Part::BUTTERFLIES.into_iter().enumerate() {
                    let cost = run.costs.iter().find(|cost| cost.part == part).unwrap();
                    let counted = counted.map(|b| [b.fft, b.ifft, b.split, b.merge][i]);
                    assert_eq!(cost.executed, counted, "{operation:?} {part:?}");
                }
            }
        }
    }
    each_degree!(check);
}

/// Compares two counts: whole transforms at the seam of polynomials, and single operations at the
/// seam of arithmetic. They must give the same number of butterflies.
#[test]
fn both_instruments_and_the_structure_of_signing_agree() {
    fn check<P: Parameters>() {
        let (logn, repeats) = (P::LOGN, 5);
        let tally = Tally::default();
        let fft = CountingFft {
            inner: Baseline,
            tally: &tally,
        };
        let mut workload = Workload::<P, _>::new(Counted, repeats).unwrap();
        let signatures = workload.sign_through(fft).unwrap();
        assert!(signatures == workload.signatures());
        // With these seeds every first attempt succeeds.
        let stored = Butterflies::of_attempts(logn, false, repeats);
        assert_eq!(tally.butterflies(), stored);

        Arithmetic::reset();
        workload.run(Operation::SignExpanded).unwrap();
        let arithmetic = Arithmetic::read();
        assert_eq!(arithmetic.trees(logn), 0);
        assert_eq!(arithmetic.butterflies(logn), stored.total());
        let n = 1u64 << logn;
        // There are `n/2` complex numbers. Each needs two products for the target, four for the
        // lattice point, and one for `l10` at every degree.
        let pointwise = (2 + 4) * n / 2 + u64::from(logn) * n / 2;
        let forward = stored.fft + stored.merge + repeats * pointwise;
        assert_eq!(arithmetic.products, forward);
        assert_eq!(arithmetic.conjugate_products, stored.ifft + stored.split);

        Arithmetic::reset();
        workload.run(Operation::Sign).unwrap();
        let arithmetic = Arithmetic::read();
        let computed = Butterflies::of_attempts(logn, true, arithmetic.trees(logn));
        assert_eq!(arithmetic.trees(logn), repeats);
        assert_eq!(arithmetic.butterflies(logn), computed.total());
    }
    each_degree!(check);
}

/// A sampler of integers that rounds, so it needs no randomness.
struct Rounding;

impl SamplerZ for Rounding {
    type Real = f64;
    fn sample_pair(&mut self, centers: [f64; 2], _: &Leaf) -> [f64; 2] {
        centers.map(f64::round)
    }
}

#[test]
fn ffsampling_has_half_n_butterflies_a_stage_and_direction_at_every_degree() {
    for logn in 1..=10 {
        let n = 1usize << logn;
        let tally = Tally::default();
        let fft = CountingFft {
            inner: Baseline,
            tally: &tally,
        };
        let tree = vec![0.5; stored_len(logn)];
        let (mut t0, mut t1) = (vec![0.25; n], vec![0.75; n]);
        ffsampling(
            fft,
            &mut Rounding,
            logn,
            &mut Stored::root(logn, &tree),
            &mut t0,
            &mut t1,
            &mut vec![0.0; scratch_len(logn)],
        );
        let walk = (u64::from(logn) - 1) * n as u64 / 2;
        let expected = Butterflies {
            split: walk,
            merge: walk,
            ..Butterflies::default()
        };
        assert_eq!(tally.butterflies(), expected, "logn {logn}");
    }
}

/// Returns the number of permutations to absorb `bytes` bytes. The last permutation yields the
/// first block.
fn absorbing(bytes: usize) -> u64 {
    (bytes / RATE) as u64 + 1
}

/// Returns the number of further permutations to squeeze `bytes` bytes.
fn squeezing_more(bytes: usize) -> u64 {
    bytes.div_ceil(RATE) as u64 - 1
}

/// Returns the number of permutations of hash-to-point, computed from the definition.
fn of_point(nonce: &[u8; 40], n: usize) -> u64 {
    let mut hash = Shake256::new();
    hash.update(nonce).update(workload::MESSAGE);
    let mut stream = hash.finalize();
    let (mut found, mut read) = (0, 0);
    while found < n {
        let word = u16::from_be_bytes(stream.read_array());
        read += 2;
        found += usize::from(word < 5 * 12289);
    }
    absorbing(40 + workload::MESSAGE.len()) + squeezing_more(read)
}

#[test]
fn permutations_of_signing_and_verifying_follow_from_the_bytes_hashed() {
    fn check<P: Parameters>() {
        let n = P::N;
        for &target in Target::ALL {
            let profile = profile();
            let run = |operation| profile.run(target, operation, n as u32).unwrap();
            let permutations = |operation| executed(run(operation), Part::KeccakF);
            let repeats = run(Operation::Verify).repeats;
            let points: u64 = (0..repeats).map(|i| of_point(&workload::nonce(i), n)).sum();
            assert_eq!(permutations(Operation::Verify), points);
            assert_eq!(permutations(Operation::VerifyEncoded), points);
            // The seed has 48 bytes. An attempt reads 56, so one block is enough for two attempts.
            let seeds = repeats * absorbing(workload::SEED_LEN);
            for operation in [Operation::Sign, Operation::SignExpanded] {
                assert_eq!(permutations(operation), points + seeds);
            }
            assert_eq!(permutations(Operation::Expand), 0);

            // "falcon nonce 2" and "falcon sampler", each with seed, index and hash of the secret.
            // The second also has 40 coefficients of the point.
            let hedging = absorbing(14 + 72) + absorbing(14 + 72 + 2 * 40);
            let workload = Workload::<P, _>::new(Baseline, 0).unwrap();
            let points = (0..repeats).map(|i| {
                // The nonce does not depend on the message.
                let seed = workload::hedge_seed(i);
                let stream = workload.key.sign_stream_from_seed(&seed);
                of_point(stream.finish().expect("no fault").nonce(), n)
            });
            let expected = points.sum::<u64>() + repeats * hedging;
            assert_eq!(permutations(Operation::SignHedged), expected);
        }
    }
    each_degree!(check);
}

/// Returns `2^63 P(X = 0)`, then `2^63 P(|X| > k | X != 0)` for the Gaussian of key generation.
/// Binary64 is precise enough to follow a few thousand draws.
fn gauss() -> [u64; 27] {
    let variance = 1.17 * 1.17 * 12289.0 / 2048.0;
    let rho = |k: u32| (-f64::from(k * k) / (2.0 * variance)).exp();
    let tail = |k: u32| (k..64).rev().map(rho).sum::<f64>();
    let unit = 2f64.powi(63);
    std::array::from_fn(|k| match k as u32 {
        0 => (unit / (1.0 + 2.0 * tail(1))) as u64,
        k => (unit * (tail(k + 1) / tail(1))) as u64,
    })
}

/// Draws a polynomial as key generation does, and adds the number of bytes that it reads to
/// `bytes`.
fn draw(
    stream: &mut impl FnMut() -> u64,
    gauss: &[u64; 27],
    n: usize,
    bytes: &mut usize,
) -> Vec<i32> {
    let mut f: Vec<i32> = Vec::new();
    while f.len() < n {
        let mut sum = 0;
        for _ in 0..1024 / n {
            let (first, second) = (stream(), stream() & (u64::MAX >> 1));
            *bytes += 16;
            let k = 1 + gauss[1..].iter().filter(|&&t| second < t).count() as i32;
            let value = if first & (u64::MAX >> 1) >= gauss[0] {
                k
            } else {
                0
            };
            sum += if first >> 63 == 1 { -value } else { value };
        }
        let odd = (f.iter().sum::<i32>() + sum) % 2 != 0;
        if (-127..=127).contains(&sum) && (f.len() < n - 1 || odd) {
            f.push(sum);
        }
    }
    f
}

#[test]
fn permutations_of_key_generation_follow_from_the_candidates_drawn() {
    fn check<P: Parameters>() {
        let profile = profile();
        let gauss = gauss();
        let run = profile
            .run(Target::X86_64, Operation::Keygen, P::N as u32)
            .unwrap();
        let mut permutations = 0;
        for i in 0..run.repeats {
            let seed = workload::key_seed(i);
            let key = SigningKey::<P>::from_seed(&seed).expect("no fault");
            let [f, g, ..] = secret_basis(&key).map(|row| row.iter().map(|&x| i32::from(x)));
            let (f, g): (Vec<i32>, Vec<i32>) = (f.collect(), g.collect());
            let mut reader = Shake256::reader(&seed);
            let mut words = || u64::from_le_bytes(reader.read_array());
            let mut bytes = 0;
            loop {
                let candidate = draw(&mut words, &gauss, P::N, &mut bytes);
                let other = draw(&mut words, &gauss, P::N, &mut bytes);
                if candidate == f && other == g {
                    break;
                }
            }
            let secret = b"falcon secret".len() + P::SIGNING_KEY_LEN;
            permutations += absorbing(32) + squeezing_more(bytes) + absorbing(secret);
        }
        for &target in Target::ALL {
            let run = profile.run(target, Operation::Keygen, P::N as u32).unwrap();
            assert_eq!(executed(run, Part::KeccakF), permutations);
        }
    }
    each_degree!(check);
}

#[test]
fn shares_are_consistent() {
    let profile = profile();
    for run in &profile.runs {
        let name = (run.target, run.operation, run.degree);
        let shares: Vec<f64> = Part::ALL.iter().map(|&part| run.share(&[part])).collect();
        assert!(
            shares.iter().all(|share| (0.0..1.0).contains(share)),
            "{name:?}"
        );
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{name:?}");

        // The code does not branch on data, so every permutation on a target takes the same number
        // of instructions.
        let of_permutation = run.instructions_per_execution(&[Part::KeccakF]);
        let of_verifying = profile.run(run.target, Operation::Verify, 512).unwrap();
        let expected = of_verifying.instructions_per_execution(&[Part::KeccakF]);
        if let (Some(cost), Some(expected)) = (of_permutation, expected) {
            assert!(
                (cost / expected - 1.0).abs() < 1e-3,
                "{name:?}: {cost}, {expected}"
            );
        }

        let binary64 = [&Part::BUTTERFLIES[..], &[Part::NearestPlane, Part::Tree]].concat();
        match run.operation {
            Operation::Verify | Operation::VerifyEncoded => {
                assert_eq!(run.share(&binary64), 0.0, "{name:?}");
                assert_eq!(run.share(&[Part::FixedPointFft]), 0.0, "{name:?}");
            }
            // On ARMv7, key generation uses integers, and binary64 only where the reference's
            // roundings decide. On x86-64 it first computes norms in binary64.
            Operation::Keygen => {
                let most = match run.target {
                    Target::X86_64 => 0.015,
                    _ => 0.005,
                };
                assert!(run.share(&binary64) < most, "{name:?}");
            }
            _ => assert!(run.share(&binary64) > 0.1, "{name:?}"),
        }
    }
}

#[test]
fn tables_that_are_not_whole_are_refused() {
    use falcon_hls_sim::profile::ProfileError;
    let row = |part| format!("armv7\tsign\t512\t1\t{part}\t5\t-\n");
    assert!(matches!(
        Profile::parse("x\n"),
        Err(ProfileError::Line { number: 1 })
    ));
    assert!(matches!(
        Profile::parse(&row("nothing")),
        Err(ProfileError::Line { .. })
    ));
    let zero = row("fft").replace("\t1\t", "\t0\t");
    assert!(matches!(
        Profile::parse(&zero),
        Err(ProfileError::Line { .. })
    ));
    assert!(matches!(
        Profile::parse(&row("fft")),
        Err(ProfileError::Parts { .. })
    ));
    let whole: String = Part::ALL.iter().map(|part| row(part.name())).collect();
    let profile = Profile::parse(&whole).unwrap();
    let run = profile.run(Target::ArmV7, Operation::Sign, 512).unwrap();
    assert_eq!(run.share(&[Part::Fft, Part::Rest]), 2.0 / 16.0);
    let missing = profile.run(Target::ArmV7, Operation::Sign, 1024);
    assert!(matches!(missing, Err(ProfileError::Missing { .. })));
}

/// Returns the files in the folder `path` and its subfolders, or only `path` if it is a file.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.into()];
    }
    let entries = fs::read_dir(path).unwrap();
    entries
        .flat_map(|entry| files(&entry.unwrap().path()))
        .collect()
}

/// Computes the same hash as `profile.sh --sources`: of all lines, each after the name of its file,
/// without comment lines and blank lines.
fn hash_of_sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sources = [
        "crates/falcon-core/src",
        "crates/falcon-keccak/src",
        "crates/falcon-lanes/src",
        "crates/falcon-hls-sim/examples/profile.rs",
        "crates/falcon-hls-sim/src/profile/workload.rs",
        "crates/falcon-hls-sim/profile.awk",
    ];
    let files = sources.iter().flat_map(|path| files(&root.join(path)));
    let mut files: Vec<(String, String)> = files
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            (name.to_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
    let mut hash = Sha256::new();
    for (name, text) in &files {
        let code = text.lines().filter(|line| {
            let line = line.trim_start_matches(' ');
            !line.is_empty() && !line.starts_with("//")
        });
        code.for_each(|line| hash.update(format!("{name}:{line}\n")));
    }
    base16ct::lower::encode_string(&hash.finalize())
}

/// Warns if the profile was counted on other code. The test does not fail, because the difference
/// may be small. `profile.sh --check`, a step of CI, counts again and fails.
#[test]
fn the_profile_says_of_which_code_it_is() {
    let table = include_str!("../profile.tsv");
    let recorded = table
        .lines()
        .find_map(|line| line.strip_prefix("# Sources: "));
    let recorded = recorded.expect("a line that profile.sh writes");
    assert_eq!(recorded.len(), 64);
    let origin = table
        .lines()
        .find_map(|line| line.strip_prefix("# Origin: "));
    let origin = origin.expect("a line that profile.sh writes");
    let document = include_str!("../../../docs/HLS.md");
    let document: Vec<&str> = document.split_whitespace().collect();
    let sentence = format!("The profile behind it was counted on {origin}.");
    assert!(document.join(" ").contains(&sentence), "{sentence}");
    let found = hash_of_sources();
    if recorded != found {
        // If the test passes, the output of `eprintln` is not shown.
        let warning = "WARNING: profile.tsv was counted on other code than this: run profile.sh";
        writeln!(
            std::io::stderr(),
            "{warning}\n  {recorded} counted\n  {found} here"
        )
        .unwrap();
    }
    // The script must compute the same hash.
    if cfg!(unix) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("profile.sh");
        let output = Command::new(script).arg("--sources").output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), found);
    }
}
