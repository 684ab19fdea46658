//! Compares key generation with the NIST records, and checks properties that every key must have.

use super::*;
use crate::codec::{public_key, secret_key};
use crate::engine::Engine;
use crate::error::DecodeError;
use crate::hash::Shake256;
use crate::lanes::{Baseline, Binary64, Native, Soft};
use crate::params::Q;
use solve::Refusal;
use std::string::String;
use std::vec;
use std::vec::Vec;

const KAT_512: &str = include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp");
const KAT_1024: &str = include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp");

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) f: Vec<i8>,
    pub(super) g: Vec<i8>,
    pub(super) capital_f: Vec<i8>,
    pub(super) capital_g: Vec<i8>,
    pub(super) h: Vec<u16>,
}

impl Key {
    pub(super) fn zeros(logn: u32) -> Self {
        let n = 1 << logn;
        Self {
            f: vec![0; n],
            g: vec![0; n],
            capital_f: vec![0; n],
            capital_g: vec![0; n],
            h: vec![0; n],
        }
    }

    pub(super) fn polys(&mut self) -> KeyPolys<'_> {
        KeyPolys {
            f: &mut self.f,
            g: &mut self.g,
            capital_f: &mut self.capital_f,
            capital_g: &mut self.capital_g,
            h: &mut self.h,
        }
    }
}

pub(super) struct Memory(
    pub(super) Vec<u32>,
    pub(super) Vec<i64>,
    pub(super) Vec<i16>,
);

impl Memory {
    pub(super) fn new(logn: u32) -> Self {
        Self(
            vec![0; words_len(logn)],
            vec![0; wide_len(logn)],
            vec![0; residues_len(logn)],
        )
    }

    pub(super) fn scratch(&mut self) -> Scratch<'_> {
        Scratch {
            words: &mut self.0,
            wide: &mut self.1,
            residues: &mut self.2,
        }
    }
}

/// Generates the key on the best engine.
fn key(logn: u32, seed: &[u8]) -> Key {
    on_best!(Best::find(), b => key_on(b, logn, seed))
}

fn key_on<B: Binary64>(b: B, logn: u32, seed: &[u8]) -> Key {
    let stream = &mut Shake256::reader(seed);
    let draw = &mut |f: &mut [i8]| gauss::sample(Best::find(), logn, stream, f);
    let (key, found) = key_of(b, logn, draw);
    found.expect("no fault");
    key
}

/// Searches the candidates of `draw` for a key.
fn key_of<B: Binary64>(b: B, logn: u32, draw: DrawPolynomial<'_>) -> (Key, Result<(), FaultError>) {
    let mut key = Key::zeros(logn);
    let mut memory = Memory::new(logn);
    let found = generate_on(
        Best::find(),
        b,
        logn,
        draw,
        key.polys(),
        &mut memory.scratch(),
    );
    (key, found)
}

/// Draws only polynomials that are refused. Without a bound, key generation would go on for ever.
#[test]
fn key_generation_ends_if_every_candidate_is_refused() {
    for logn in [3, 9, 10] {
        let mut drawn = 0;
        let too_long = &mut |f: &mut [i8]| {
            drawn += 1;
            f.fill(127);
            Ok(())
        };
        let (key, found) = key_of(Native::default(), logn, too_long);
        assert_eq!(found, Err(FaultError));
        assert_eq!(drawn, 2 * max_candidates(logn));
        assert_eq!(key, Key::zeros(logn), "nothing is left of a candidate");
    }
}

#[test]
fn key_generation_ends_if_a_polynomial_cannot_be_drawn() {
    for polynomials in [0, 1] {
        let mut left = polynomials;
        let draw = &mut |f: &mut [i8]| {
            f.fill(1);
            left -= 1;
            if left < 0 { Err(FaultError) } else { Ok(()) }
        };
        let (key, found) = key_of(Native::default(), 9, draw);
        assert_eq!(found, Err(FaultError));
        assert_eq!(key, Key::zeros(9));
    }
}

/// Returns the mean number of candidates that a key needs, over `keys` keys.
pub(super) fn candidates_of_a_key(keys: u32, mut candidates: impl FnMut(&[u8]) -> u32) -> f64 {
    let tried: u32 = (0..keys).map(|key| candidates(&key.to_le_bytes())).sum();
    f64::from(tried) / f64::from(keys)
}

/// Measures the refusals of candidates. There are far fewer than [`max_candidates`] assumes.
#[test]
fn a_candidate_is_a_key_with_the_stated_chance() {
    for logn in 3..=10 {
        let keys = if logn < 9 { 100 } else { 20 };
        let mean = candidates_of_a_key(keys, |seed| {
            let mut drawn = 0;
            let stream = &mut Shake256::reader(seed);
            let draw = &mut |f: &mut [i8]| {
                drawn += 1;
                gauss::sample(Best::find(), logn, stream, f)
            };
            key_of(Native::default(), logn, draw).1.expect("no fault");
            drawn / 2
        });
        assert!(mean < 32.0, "degree {}: {mean}", 1 << logn);
    }
}

/// Computes `(1 - chance)^candidates` as a power of two.
#[test]
fn the_stated_chances_of_faults_are_right() {
    let chance = |refused: f64, logn| refused.log2() * f64::from(max_candidates(logn));
    assert!(chance(63.0 / 64.0, 10) < -186.0);
    assert!(chance(7999.0 / 8000.0, 1) < -189.0);
}

fn hex(text: &str) -> Vec<u8> {
    base16ct::mixed::decode_vec(text).unwrap()
}

fn field(record: &str, name: &str) -> Vec<u8> {
    let prefix = String::from(name) + " = ";
    let mut values = record.lines().filter_map(|line| line.strip_prefix(&prefix));
    hex(values.next().unwrap())
}

/// Returns the input of the SHAKE256 stream of key generation, from a NIST record.
fn stream_seed(record: &str) -> [u8; 48] {
    let entropy: [u8; 48] = field(record, "seed").try_into().unwrap();
    falcon_kat::Drbg::new(&entropy).bytes()
}

/// Solves for `F` and `G` of a given pair.
pub(super) fn solved(logn: u32, f: &[i8], g: &[i8]) -> Result<[Vec<i8>; 2], Refusal> {
    solved_with(Native::default(), logn, f, g)
}

fn solved_with<B: Binary64>(b: B, logn: u32, f: &[i8], g: &[i8]) -> Result<[Vec<i8>; 2], Refusal> {
    let n = 1 << logn;
    let (mut big_f, mut big_g) = (vec![0; n], vec![0; n]);
    let Memory(mut words, mut wide, _) = Memory::new(logn);
    let (inverse_gram, wide) = wide.split_at_mut(n / 2);
    fixed::orthogonal_norm(logn, f, g, inverse_gram, wide);
    solve::solve(
        b,
        logn,
        f,
        g,
        &mut big_f,
        &mut big_g,
        inverse_gram,
        &mut words,
        wide,
    )?;
    Ok([big_f, big_g])
}

/// Returns `a * b mod x^n + 1` over the integers.
fn product(a: &[i8], b: &[i8]) -> Vec<i32> {
    let n = a.len();
    let mut c = vec![0; n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let z = i32::from(*x) * i32::from(*y);
            if i + j < n {
                c[i + j] += z
            } else {
                c[i + j - n] -= z
            }
        }
    }
    c
}

pub(super) fn solves_the_equation(key: &Key) -> bool {
    let left = product(&key.f, &key.capital_g);
    let right = product(&key.g, &key.capital_f);
    (0..left.len()).all(|i| left[i] - right[i] == if i == 0 { Q as i32 } else { 0 })
}

#[test]
fn keys_of_the_nist_records_come_out_byte_for_byte() {
    for (logn, file) in [(9, KAT_512), (10, KAT_1024)] {
        let mut records = 0;
        for record in file.split("count = ").skip(1) {
            let seed = stream_seed(record);
            let key = key(logn, &seed);
            let (pk, sk) = (field(record, "pk"), field(record, "sk"));
            let (mut our_pk, mut our_sk) = (vec![0; pk.len()], vec![0; sk.len()]);
            public_key::encode(logn, &key.h, &mut our_pk);
            secret_key::encode(logn, &key.f, &key.g, &key.capital_f, &mut our_sk);
            assert!(our_sk == sk, "secret key of record {records}, logn {logn}");
            assert!(our_pk == pk, "public key of record {records}, logn {logn}");
            assert!(solves_the_equation(&key));
            records += 1;
        }
        assert_eq!(records, 10);
    }
}

#[test]
fn keys_of_seeds_are_those_of_the_reference_also_after_divergence() {
    let file = include_str!("../../../../kat/keygen/from_seed.txt");
    let mut after_divergence = 0;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [logn, seed, diverged, digest] = fields[..] else {
            panic!("{line}");
        };
        let logn: u32 = logn.parse().unwrap();
        let key = key(logn, &hex(seed));
        let mut sk = vec![0; secret_key::encoded_len(logn)];
        let mut pk = vec![0; public_key::encoded_len(logn)];
        secret_key::encode(logn, &key.f, &key.g, &key.capital_f, &mut sk);
        public_key::encode(logn, &key.h, &mut pk);
        let ours = Shake256::new()
            .update(&sk)
            .update(&pk)
            .clone()
            .finalize()
            .read_array::<32>();
        assert_eq!(ours[..], hex(digest), "{line}");
        after_divergence += u32::from(diverged != "0");
    }
    assert_eq!(after_divergence, 12);
}

#[test]
fn keys_of_every_degree_solve_the_ntru_equation() {
    for logn in 1..=10u32 {
        for seed in 0..(1u32 << (11 - logn)).min(40) {
            let key = key(logn, &[logn as u8, seed as u8, 1]);
            assert!(solves_the_equation(&key), "logn {logn}, seed {seed}");
        }
    }
}

#[test]
fn pairs_whose_resultants_share_a_factor_are_refused() {
    // The resultants are 1 + 4 and 9 + 16.
    assert_eq!(solved(1, &[1, 2], &[3, 4]), Err(Refusal::CommonFactor));
}

#[test]
fn solutions_beyond_one_byte_are_refused() {
    // F or G has a coefficient of at least q / 2 in every solution.
    assert_eq!(solved(1, &[1, 0], &[0, 1]), Err(Refusal::TooLarge));
}

/// Solves pairs of degree 2 that were found by search. The reduced solution has one coefficient of
/// magnitude 128, or no magnitude above 127.
#[test]
fn solutions_are_accepted_up_to_127() {
    for (f, g, expected) in [
        ([76, 21], [22, -19], [[-79, -23], [127, -22]]),
        ([-13, 50], [-16, -49], [[53, -127], [-36, -95]]),
    ] {
        let expected = expected.map(|x| x.to_vec());
        assert_eq!(solved(1, &f, &g), Ok(expected));
    }
    for (f, g) in [
        ([-44, 29], [-104, -13]), // F has 128
        ([-13, 6], [91, 24]),     // F has -128
        ([41, -46], [6, 21]),     // G has 128
        ([-7, 98], [1, -18]),     // G has -128
    ] {
        assert_eq!(solved(1, &f, &g), Err(Refusal::TooLarge), "{f:?} {g:?}");
    }
}

#[test]
fn coefficients_and_norm_are_accepted_up_to_their_bounds() {
    // 16822 = 127^2 + 26^2 + 4^2 + 1, 16823 = 127^2 + 26^2 + 3^2 + 3^2.
    for sign in [1, -1] {
        assert!(fits(1, &[127, 26].map(|x: i8| sign * x), &[4, 1]));
        assert!(!fits(1, &[127, 26].map(|x: i8| sign * x), &[3, 3]));
    }
    assert!(!fits(1, &[-128, 0], &[0, 1]));
    for (logn, bound) in [(5, 127), (6, 63), (7, 63), (8, 31), (9, 31), (10, 15)] {
        let n = 1 << logn;
        for (at, value, fitting) in [
            (0, bound, true),
            (n - 1, -bound, true),
            (0, -bound - 1, false),
            (n - 1, -bound - 1, false),
        ] {
            let mut f = vec![0i8; n];
            f[at] = value;
            assert_eq!(fits(logn, &f, &vec![0; n]), fitting, "{logn} {value}");
            assert_eq!(fits(logn, &vec![0; n], &f), fitting, "{logn} {value}");
        }
        if bound < 127 {
            let mut f = vec![0i8; n];
            f[n / 2] = bound + 1;
            assert!(!fits(logn, &f, &vec![0; n]), "{logn}");
        }
    }
}

/// For `n = 2` the orthogonalised norm is `q^2 / B` with `B = ||(f, g)||^2`,
/// and `q^2 / 8978 < 1.17^2 q < q^2 / 8977`.
#[test]
fn the_orthogonalised_norm_is_accepted_up_to_its_bound() {
    let acceptable = |f: [i8; 2], g: [i8; 2]| {
        assert!(fits(1, &f, &g));
        let answers = [
            compare_norm(Baseline, 1, &f, &g),
            compare_norm(Soft, 1, &f, &g),
        ]
        .map(|clearly| check_norms::<[i64; norms_len(1)]>(1, &f, &g, || clearly));
        assert_eq!(answers[0], answers[1]);
        answers[0]
    };
    assert_eq!(acceptable([94, 9], [6, 5]), Ok(()), "8978");
    let refused = Err(DecodeError::KeyNorm);
    assert_eq!(acceptable([94, 11], [4, 2]), refused, "8977");
}

/// Checks two bases that solve the NTRU equation, each with one norm that is too large. One exceeds
/// the bound for `(f, g)`, the other the bound for its orthogonalised partner.
#[test]
fn keys_that_are_too_long_are_refused_when_they_are_read() {
    use crate::keys::SigningKey;
    use crate::params::Falcon512;
    let (logn, n) = (9, 512);
    let norm = |x: &[i8]| x.iter().map(|&x| i32::from(x) * i32::from(x)).sum::<i32>();
    let mut stream = Shake256::reader(b"too long");
    let mut found = [false; 2];
    for _ in 0..400 {
        let (mut f, mut g) = (vec![0; n], vec![0; n]);
        gauss::sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
        gauss::sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
        let long = norm(&f) + norm(&g) >= short::KEY_NORM_BOUND as i32;
        let (mut inverse, mut work) = (vec![0; n / 2], vec![0; n]);
        let partner_long = !fixed::orthogonal_norm(logn, &f, &g, &mut inverse, &mut work);
        let largest = f.iter().chain(&g).map(|x| x.unsigned_abs()).max();
        if long == partner_long || largest > Some(31) {
            continue;
        }
        let Ok([capital_f, capital_g]) = solved(logn, &f, &g) else {
            continue;
        };
        let mut completed = vec![0; n];
        let (mut h, mut scratch) = (vec![0; n], vec![0; 4 * n]);
        let given = [&f[..], &g, &capital_f];
        let (g_out, h_out) = (&mut completed, &mut h);
        if ring::complete_private(Baseline, logn, given, g_out, h_out, &mut scratch).is_err() {
            continue;
        }
        assert_eq!(completed, capital_g);
        let mut bytes = vec![0; secret_key::encoded_len(logn)];
        secret_key::encode(logn, &f, &g, &capital_f, &mut bytes);
        let read = SigningKey::<Falcon512>::try_from(&bytes[..]);
        assert_eq!(read.err(), Some(DecodeError::KeyNorm));
        let given = SigningKey::<Falcon512>::from_basis([&f, &g, &capital_f, &capital_g]);
        assert_eq!(given.err(), Some(DecodeError::KeyNorm));
        found[usize::from(partner_long)] = true;
        if found == [true; 2] {
            break;
        }
    }
    assert_eq!(found, [true; 2]);
}

/// Generates keys on every engine. All engines find the same keys and refuse the same candidates.
#[test]
fn every_instruction_set_finds_the_same_keys() {
    let mut stream = Shake256::reader(b"engines");
    let mut solutions = 0;
    for logn in (1..=9).chain([10; 3]) {
        let (mut f, mut g) = (vec![0; 1 << logn], vec![0; 1 << logn]);
        for _ in 0..10 {
            gauss::sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
            gauss::sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
            let expected = solved_with(Baseline, logn, &f, &g);
            for engine in Engine::available() {
                let solved = on_engine!(engine, b, _fft => solved_with(b, logn, &f, &g));
                assert_eq!(solved, expected, "{engine}");
            }
            solutions += u32::from(expected.is_ok());
        }
        for seed in 0..3 {
            let expected = key_on(Baseline, logn, &[seed]);
            for engine in Engine::available() {
                let found = on_engine!(engine, b, _fft => key_on(b, logn, &[seed]));
                assert_eq!(found, expected, "{engine}");
            }
        }
    }
    assert!(solutions > 20, "{solutions}");
}

#[test]
fn the_pair_on_which_the_reference_diverges_is_refused() {
    // Draws the 18th candidate of record 1 at degree 1024. The reference takes the 31st.
    let seed = stream_seed(KAT_1024.split("count = ").nth(2).unwrap());
    let mut stream = Shake256::reader(&seed);
    let (mut f, mut g) = ([0; 1024], [0; 1024]);
    for _ in 0..18 {
        gauss::sample(Best::find(), 10, &mut stream, &mut f).expect("no fault");
        gauss::sample(Best::find(), 10, &mut stream, &mut g).expect("no fault");
    }
    assert_eq!(solved_with(Baseline, 10, &f, &g), Err(Refusal::Breakdown));
    assert_eq!(solved_with(Soft, 10, &f, &g), Err(Refusal::Breakdown));
}

#[test]
fn replays_come_out_the_same_on_integers_alone() {
    let (mut replayed, mut diverged) = (0, 0);
    let (mut f, mut g) = ([0; 512], [0; 512]);
    let (mut logs, mut work) = ([0; 512], [0; 512]);
    let mut stream = Shake256::reader(b"replay");
    for _ in 0..2500 {
        gauss::sample(Best::find(), 9, &mut stream, &mut f).expect("no fault");
        gauss::sample(Best::find(), 9, &mut stream, &mut g).expect("no fault");
        if stability::unstable_level(9, &f, &g, &mut logs, &mut work) == 0 {
            continue;
        }
        let result = solved_with(Baseline, 9, &f, &g);
        assert_eq!(result, solved_with(Soft, 9, &f, &g));
        replayed += 1;
        diverged += u32::from(result == Err(Refusal::Breakdown));
    }
    assert!(replayed > 50 && diverged > 5, "{replayed} {diverged}");
}

#[test]
fn a_zero_of_f_modulo_a_prime_of_the_tower_is_no_obstacle() {
    let mut f = [6, 7, -14, 7, 3, 7, 5, 0].map(|x: i8| 5 * x);
    let m = tower::base(3, 1).modulus(0);
    let mut twiddles = [0; 8];
    let alone = modulus::Moduli::from(m);
    rns::twiddles(Baseline, &alone, &mut twiddles);
    let mut values = f.map(|x| m.encode(x.into()));
    rns::ntt(Baseline, &alone, &twiddles, &mut values);
    assert!(values.contains(&0));

    let mut stream = Shake256::reader(b"singular");
    let mut solutions = 0;
    for _ in 0..40 {
        let mut g = [0; 8];
        gauss::sample(Best::find(), 3, &mut stream, &mut g).expect("no fault");
        for _ in 0..2 {
            if let Ok([capital_f, capital_g]) = solved(3, &f, &g) {
                let key = Key {
                    f: f.to_vec(),
                    g: g.to_vec(),
                    capital_f,
                    capital_g,
                    h: vec![],
                };
                assert!(solves_the_equation(&key));
                solutions += 1;
            }
            core::mem::swap(&mut f, &mut g);
        }
    }
    assert!(solutions > 10, "{solutions}");
}

/// Returns the 32 bytes of a seed of the constant-time check (`tests/ct/src/cases/keygen.rs`).
pub(super) fn numbered_seed(number: u64) -> [u8; 32] {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    seed
}

/// Returns the refusals of the solver for the candidates of the seed, and the level up to which the
/// reduction of the key is replayed.
fn refusals(logn: u32, seed: u64) -> (Vec<Refusal>, u32) {
    let n = 1 << logn;
    let (mut f, mut g, mut h) = (vec![0; n], vec![0; n], vec![0; n]);
    let Memory(mut words, mut wide, mut residues) = Memory::new(logn);
    let mut stream = Shake256::reader(&numbered_seed(seed));
    let mut refusals = Vec::new();
    loop {
        gauss::sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
        gauss::sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
        let (inverse, work) = wide.split_at_mut(n / 2);
        if fits(logn, &f, &g)
            && fixed::orthogonal_norm(logn, &f, &g, inverse, work)
            && ring::public_key(&PORTABLE_NTT, logn, &f, &g, &mut h, &mut residues).is_ok()
        {
            match solved(logn, &f, &g) {
                Err(refusal) => refusals.push(refusal),
                Ok(_) => {
                    let level = stability::unstable_level(logn, &f, &g, &mut words, &mut wide);
                    return (refusals, level);
                }
            }
        }
    }
}

#[test]
fn seeds_of_the_constant_time_check_take_the_rare_paths() {
    let refused = |logn, seed| refusals(logn, seed).0;
    assert!(refused(9, 217).contains(&Refusal::CommonFactor));
    assert!(refused(9, 330).contains(&Refusal::CommonFactor));
    assert!(refused(9, 467).contains(&Refusal::Breakdown));
    assert!(refused(9, 782).contains(&Refusal::TooLarge));
    let level = |logn, seed| refusals(logn, seed).1;
    assert_eq!(level(9, 217), 0);
    assert_ne!(level(9, 330), 0);
    assert_eq!(level(10, 88), 0);
    assert_ne!(level(10, 1488), 0);
}

#[test]
fn keys_are_fully_reduced() {
    // Divided by f f* + g g*, the polynomial F f* + G g* has coefficients of at most 1/2 in
    // absolute value. So the rounded quotient is zero.
    for logn in 3..=9 {
        let n = 1usize << logn;
        let key = key(logn, &[logn as u8, 77]);
        let conjugate = |a: &[i8]| {
            let mut b: Vec<i8> = a.iter().rev().map(|x| -x).collect();
            b.rotate_right(1);
            b[0] = a[0];
            b
        };
        let sum = product(&key.capital_f, &conjugate(&key.f))
            .into_iter()
            .zip(product(&key.capital_g, &conjugate(&key.g)));
        let mut quotient: Vec<i64> = sum.map(|(x, y)| i64::from(x + y)).collect();
        let (mut inverse, mut work) = (vec![0; n / 2], vec![0; n]);
        assert!(fixed::orthogonal_norm(
            logn,
            &key.f,
            &key.g,
            &mut inverse,
            &mut work
        ));
        fixed::divide_and_round(&inverse, &mut quotient);
        assert_eq!(quotient, vec![0; n], "logn {logn}");
    }
}

#[test]
fn scratch_and_stack_are_as_documented() {
    let bytes = |logn| 4 * words_len(logn) + 8 * wide_len(logn) + 2 * residues_len(logn);
    assert!(bytes(9) <= 46 << 10 && bytes(10) <= 94 << 10);
    let work = || key(10, b"stack");
    let thread = std::thread::Builder::new().stack_size(32 << 10).spawn(work);
    assert!(solves_the_equation(&thread.unwrap().join().unwrap()));
}

#[test]
fn norm_words_have_the_length_that_the_norms_need() {
    fn len<P: crate::params::Parameters>() -> (usize, usize) {
        use crate::params::Array;
        (P::NormWords::ZERO.as_ref().len(), norms_len(P::LOGN))
    }
    for (len, needed) in [
        len::<crate::params::Falcon512>(),
        len::<crate::params::Falcon1024>(),
    ] {
        assert_eq!(len, needed);
    }
}
