//! Compares keys of FN-DSA with the crate's own answers, and the parts of key generation with their
//! definitions.

use super::super::tests::{
    Key, Memory, candidates_of_a_key, numbered_seed, solved, solves_the_equation,
};
use super::*;
use crate::engine::Engine;
use crate::hash::Shake256;
use crate::lanes::Native;
use crate::ntru::gauss::{BLOCK, values_of_draws};
use crate::ntru::solve::Refusal;
use crate::ntru::{fixed, max_candidates};
use crate::params::Q;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::format;
use std::vec;
use std::vec::Vec;

/// Generates the key from the stream of `seed`.
fn key(logn: u32, seed: &[u8]) -> Key {
    let mut key = Key::zeros(logn);
    let mut memory = Memory::new(logn);
    let (stream, scratch) = (&mut Shake256::reader(seed), &mut memory.scratch());
    generate(logn, stream, key.polys(), scratch).expect("no fault");
    let Memory(words, wide, residues) = &memory;
    assert!(words.iter().all(|x| *x == 0), "wiped");
    assert!(wide.iter().all(|x| *x == 0), "wiped");
    assert!(residues.iter().all(|x| *x == 0), "wiped");
    key
}

/// Searches the candidates of `draw` for a key.
fn key_of(logn: u32, draw: DrawPolynomial<'_>) -> (Key, Result<(), FaultError>) {
    let mut key = Key::zeros(logn);
    let mut memory = Memory::new(logn);
    let scratch = &mut memory.scratch();
    let found = generate_on(
        Best::find(),
        Native::default(),
        logn,
        draw,
        key.polys(),
        scratch,
    );
    (key, found)
}

/// Draws only polynomials that are refused. Without a bound, key generation would go on for ever.
#[test]
fn key_generation_ends_if_every_candidate_is_refused() {
    // With 0, `f` is not invertible. With 127, the norm is too large.
    for (value, drawn_of_each) in [(0, 1), (127, 2)] {
        let mut drawn = 0;
        let refused = &mut |f: &mut [i8]| {
            drawn += 1;
            f.fill(0);
            f[0] = value;
            f[1] = value;
            Ok(())
        };
        let (key, found) = key_of(9, refused);
        assert_eq!(found, Err(FaultError));
        assert_eq!(drawn, drawn_of_each * max_candidates(9));
        assert_eq!(key, Key::zeros(9), "nothing is left of a candidate");
    }
    for polynomials in [0, 1] {
        let mut left = polynomials;
        let draw = &mut |f: &mut [i8]| {
            f.fill(0);
            f[0] = 1;
            left -= 1;
            if left < 0 { Err(FaultError) } else { Ok(()) }
        };
        let (key, found) = key_of(9, draw);
        assert_eq!(found, Err(FaultError));
        assert_eq!(key, Key::zeros(9));
    }
}

/// Measures the refusals of candidates. There are far fewer than [`max_candidates`] assumes. A
/// candidate draws one or two polynomials.
#[test]
fn a_candidate_is_a_key_with_the_stated_chance() {
    for logn in 1..=10 {
        let mean = candidates_of_a_key(20, |seed| {
            let mut drawn = 0;
            let stream = &mut Shake256::reader(seed);
            let draw = &mut |f: &mut [i8]| {
                drawn += 1;
                sample(Best::find(), logn, stream, f)
            };
            key_of(logn, draw).1.expect("no fault");
            drawn
        });
        let most = if logn < 3 { 2.0 * 8000.0 } else { 2.0 * 64.0 };
        assert!(mean < most, "degree {}: {mean}", 1 << logn);
    }
}

/// Compares keys with the tests of the crate `fn-dsa-kgen` 0.4.0, whose answers falcon.py
/// generated: 10 keys of each degree, 100 with `FALCON_FULL=1`.
#[test]
fn keys_are_those_of_fn_dsa() {
    let file: Value =
        serde_json::from_str(include_str!("../../../../../kat/fn-dsa/keygen_sha256.json")).unwrap();
    for logn in [8, 9, 10] {
        let answers = file["vectors"][format!("{}", 1 << logn)]
            .as_array()
            .unwrap();
        assert_eq!(answers.len(), 100);
        let full = std::env::var("FALCON_FULL").is_ok_and(|value| value == "1");
        let count = if full { 100 } else { 10 };
        for (i, answer) in answers[..count].iter().enumerate() {
            let key = key(logn, format!("test{i}").as_bytes());
            let polynomials = [&key.f, &key.g, &key.capital_f, &key.capital_g];
            let bytes: Vec<u8> = polynomials
                .into_iter()
                .flatten()
                .map(|x| *x as u8)
                .collect();
            let hash = base16ct::lower::encode_string(&Sha256::digest(&bytes));
            assert_eq!(hash, answer.as_str().unwrap(), "logn {logn}, key {i}");
            assert!(solves_the_equation(&key));
        }
    }
}

/// Computes `round(2^15 P(|X| > j))` again, where `P(X = k)` is proportional to
/// `exp(-k^2 / 2 sigma^2)`.
#[test]
fn tables_are_those_of_the_gaussian() {
    for (n, table) in [(512, &GAUSS_512[..]), (1024, &GAUSS_1024[..])] {
        let variance = 1.17f64.powi(2) * f64::from(Q) / f64::from(2 * n);
        let weight = |k: i32| (-f64::from(k * k) / (2.0 * variance)).exp();
        let total = weight(0) + 2.0 * (1..200).map(weight).sum::<f64>();
        let entry = |j: i32| (65536.0 * (j + 1..200).map(weight).sum::<f64>() / total).round();
        for (j, x) in table.iter().enumerate() {
            assert_eq!(f64::from(*x), entry(j as i32), "{n}: {j}");
        }
        assert_eq!(entry(table.len() as i32), 0.0);
    }
}

#[test]
fn a_draw_reads_its_sign_from_bit_0() {
    let draw =
        |uniform: u16, sign: u16| Tabulated(&GAUSS_1024).value((uniform << 1 | sign).to_le_bytes());
    assert_eq!(draw(32767, 0), 0);
    assert_eq!(draw(32767, 1), 0);
    assert_eq!(draw(28207, 1), 0);
    assert_eq!(draw(28206, 1), -1);
    assert_eq!(draw(28206, 0), 1);
    assert_eq!(draw(19622, 0), 2);
    assert_eq!(draw(0, 0), 12);
    assert_eq!(draw(0, 1), -12);
}

/// Draws candidates whose norms are small enough.
pub(super) fn candidates(logn: u32, count: usize) -> Vec<[Vec<i8>; 2]> {
    let mut stream = Shake256::reader(b"candidates");
    let mut wide = vec![0; super::super::wide_len(logn)];
    let mut found = Vec::new();
    while found.len() < count {
        let [mut f, mut g] = [vec![0; 1 << logn], vec![0; 1 << logn]];
        sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
        sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
        if fits(logn, &f, &g) && q32::orthogonal_norm(logn, &f, &g, &mut wide) {
            found.push([f, g]);
        }
    }
    found
}

/// Checks that the fixed-point reduction finds the unique reduced solution or refuses the pair. A
/// solver that accepts the refused pairs gives other keys than `fn-dsa`.
#[test]
fn the_reduction_finds_the_solution_or_breaks_down() {
    let (mut equal, mut breakdowns) = (0, 0);
    for [f, g] in candidates(9, 60) {
        let Memory(mut words, mut wide, _) = Memory::new(9);
        let [mut big_f, mut big_g] = [vec![0; 512], vec![0; 512]];
        let native = Native::default();
        let result = solve::solve_at_every_level(
            native, 9, &f, &g, &mut big_f, &mut big_g, &mut words, &mut wide,
        );
        match (result, solved(9, &f, &g)) {
            (Ok(()), Ok(pair)) => {
                assert_eq!(pair, [big_f, big_g]);
                equal += 1;
            }
            (Err(Refusal::Breakdown), Ok(_)) => breakdowns += 1,
            _ => {}
        }
    }
    assert!(equal >= 40 && breakdowns >= 2, "{equal} {breakdowns}");
}

/// Checks that pairs are refused which have a solution, but also an integer that is longer than
/// `fn-dsa` can hold. Every single level succeeds. The integers are a lifted `F` of 9,553 bits, a
/// lifted `F` between half the product of the primes and `2^9547`, and a resultant of `g`.
#[test]
fn pairs_with_an_integer_that_is_too_long_are_refused() {
    let pairs = include_str!("../../../../../kat/fn-dsa/too_long.txt").lines();
    let refusals = [Refusal::TooLarge, Refusal::Breakdown, Refusal::CommonFactor];
    for (pair, refusal) in pairs.zip(refusals) {
        let pair: Vec<i8> = pair
            .split(' ')
            .map(|x| x.parse().expect("a number"))
            .collect();
        let n = pair.len() / 2;
        let (f, g) = pair.split_at(n);
        let logn = n.ilog2();
        let Memory(mut words, mut wide, _) = Memory::new(logn);
        let level = condition::least_unsure_level(logn, f, g, &mut words, &mut wide);
        assert_eq!(level, 1);
        assert!(solved(logn, f, g).is_ok());
        for solve in [solve::solve_in_fixed_point, solve::solve_at_every_level] {
            let [mut big_f, mut big_g] = [vec![0; n], vec![0; n]];
            let result = solve(
                Native::default(),
                logn,
                f,
                g,
                &mut big_f,
                &mut big_g,
                &mut words,
                &mut wide,
            );
            assert_eq!(result, Err(refusal));
        }
    }
}

/// Solves pairs. Most of them have levels where the reduction is sure to succeed. The result is the
/// same as with a reduction that is tried at every level.
#[test]
fn sure_levels_decide_nothing() {
    let (mut solved, mut refused, mut sure) = (0, 0, 0);
    for (logn, count) in [(9, 60), (10, 60)] {
        let n = 1 << logn;
        for [f, g] in candidates(logn, count) {
            let Memory(mut words, mut wide, _) = Memory::new(logn);
            let level = condition::least_unsure_level(logn, &f, &g, &mut words, &mut wide);
            sure += usize::from(level != 1);
            let [mut big_f, mut big_g] = [vec![0; n], vec![0; n]];
            let [mut other_f, mut other_g] = [vec![0; n], vec![0; n]];
            let native = Native::default();
            let result = solve::solve_in_fixed_point(
                native, logn, &f, &g, &mut big_f, &mut big_g, &mut words, &mut wide,
            );
            let expected = solve::solve_at_every_level(
                native,
                logn,
                &f,
                &g,
                &mut other_f,
                &mut other_g,
                &mut words,
                &mut wide,
            );
            assert_eq!(result.is_ok(), expected.is_ok(), "{result:?} {expected:?}");
            if result.is_ok() {
                assert_eq!([big_f, big_g], [other_f, other_g]);
                solved += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(
        sure > 100 && solved > 30 && refused > 20,
        "{sure} {solved} {refused}"
    );
}

/// Returns the refusals of the solver for the candidates of the seed, and the least level of the
/// key whose reduction could fail.
fn refusals(logn: u32, seed: u64) -> (Vec<Refusal>, u32) {
    let n = 1 << logn;
    let [mut f, mut g, mut big_f, mut big_g] = [0; 4].map(|x| vec![x; n]);
    let mut h = vec![0; n];
    let Memory(mut words, mut wide, mut residues) = Memory::new(logn);
    let mut stream = Shake256::reader(&numbered_seed(seed));
    let mut refusals = Vec::new();
    loop {
        sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
        if ring::public_key(&PORTABLE_NTT, logn, &f, &f, &mut h, &mut residues).is_err() {
            continue;
        }
        sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
        if fits(logn, &f, &g) && q32::orthogonal_norm(logn, &f, &g, &mut wide) {
            let level = condition::least_unsure_level(logn, &f, &g, &mut words, &mut wide);
            match solve::solve_in_fixed_point(
                Native::default(),
                logn,
                &f,
                &g,
                &mut big_f,
                &mut big_g,
                &mut words,
                &mut wide,
            ) {
                Err(refusal) => refusals.push(refusal),
                Ok(()) => return (refusals, level),
            }
        }
    }
}

#[test]
fn seeds_of_the_constant_time_check_take_the_rare_paths() {
    let (mut refused, mut levels) = (Vec::new(), Vec::new());
    let seeds = [
        (9, 350),
        (9, 640),
        (9, 1182),
        (9, 1648),
        (10, 632),
        (10, 761),
        (10, 1665),
    ];
    for (logn, seed) in seeds {
        let (of_seed, level) = refusals(logn, seed);
        refused.extend(of_seed);
        levels.push(level);
    }
    for refusal in [Refusal::CommonFactor, Refusal::TooLarge, Refusal::Breakdown] {
        assert!(refused.contains(&refusal), "{refused:?}");
    }
    assert!(
        levels.contains(&0) && levels.iter().any(|level| *level > 3),
        "{levels:?}"
    );
}

/// Judges the orthogonalised norm of candidates in binary64 and in fixed point. Both agree, and
/// binary64 judges most candidates.
#[test]
fn binary64_judges_norms_as_fixed_point_does() {
    let mut stream = Shake256::reader(b"binary64");
    let mut count = [0; 3];
    for logn in [9, 10] {
        let n = 1 << logn;
        let [mut f, mut g] = [vec![0; n], vec![0; n]];
        let mut wide = vec![0; super::super::wide_len(logn)];
        for _ in 0..300 {
            sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
            sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
            if !fits(logn, &f, &g) {
                continue;
            }
            let expected = q32::orthogonal_norm(logn, &f, &g, &mut wide);
            match orthogonal_norm_is_short(Native::default(), logn, &f, &g) {
                None => count[2] += 1,
                Some(short) => {
                    assert_eq!(short, expected);
                    count[usize::from(short)] += 1;
                }
            }
        }
    }
    let [above, below, open] = count;
    let hardware = <Native as Binary64>::HARDWARE;
    assert!(
        !hardware || above > 20 && below > 20 && open < 20,
        "{count:?}"
    );
}

/// Compares the norm with that of round 3. The bound is `0.999^2` times the bound of round 3. Away
/// from the bound, both norms agree.
#[test]
fn the_orthogonalised_norm_is_that_of_the_integers() {
    let mut stream = Shake256::reader(b"norms");
    let mut count = [0; 2];
    for logn in 4..=10 {
        let n = 1 << logn;
        let [mut f, mut g] = [vec![0; n], vec![0; n]];
        let mut wide = vec![0; super::super::wide_len(logn)];
        for _ in 0..60 {
            sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
            sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
            if !fits(logn, &f, &g) {
                continue;
            }
            let (inverse, work) = wide.split_at_mut(n / 2);
            fixed::orthogonal_norm(logn, &f, &g, inverse, work);
            let sum: f64 = inverse.iter().map(|x| *x as f64 / 2f64.powi(67)).sum();
            let norm = sum * 2.0 * f64::from(Q).powi(2) / n as f64;
            let bound = (0.999 * 1.17f64).powi(2) * f64::from(Q);
            if (norm / bound - 1.0).abs() > 1e-4 && norm < 1e8 {
                let short = q32::orthogonal_norm(logn, &f, &g, &mut wide);
                assert_eq!(short, norm < bound, "{logn}: {norm}");
                count[usize::from(short)] += 1;
            }
        }
    }
    assert!(count.iter().all(|count| *count > 50), "{count:?}");
}

#[test]
fn draws_have_the_same_values_on_every_engine() {
    let mut stream = Shake256::reader(b"engines");
    for table in [&GAUSS_512[..], &GAUSS_1024[..]] {
        let draw = Tabulated(table);
        let draws = [(); BLOCK].map(|()| stream.read_array());
        let expected = draws.map(|bytes| draw.value(bytes));
        for engine in Engine::available() {
            let mut values = [0; BLOCK];
            on_engine!(engine, b, _fft => values_of_draws(b, draw, &draws, &mut values));
            assert_eq!(values, expected, "{engine}");
        }
    }
}
