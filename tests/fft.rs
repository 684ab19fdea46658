//! Every operation on polynomials gives the same bits as `Baseline`, on every engine that this
//! processor can run. This holds for the engine's token for one signature, and for every lane of
//! its token for several signatures.

use falcon_core::seams::LaneEngine;
use falcon_core::seams::TokenVisitor;
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::sampler::SigningIsa;
use falcon_tests::{Repeatable, engines, extent};

/// One polynomial for each lane.
type Lanes = Vec<Vec<f64>>;

/// Computes every operation of `fft` on the polynomials `a` of all lanes and on `key`. Returns the
/// results by the operation's name.
fn results<F: Fft>(
    fft: F,
    logn: u32,
    a: [&[F::Real]; 3],
    key: [&[f64]; 4],
) -> Vec<(&'static str, Vec<F::Real>)> {
    let n = 1 << logn;
    let [x, y, z] = a.map(<[F::Real]>::to_vec);
    let mut results = Vec::new();

    let each = |f: &dyn Fn(F::Real, F::Real) -> F::Real| {
        x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect()
    };
    results.push(("add", each(&|x, y| fft.add(x, y))));
    results.push(("sub", each(&|x, y| fft.sub(x, y))));
    let mut small = x.clone();
    for x in &mut small {
        for lane in 0..F::LANES {
            // `floor` is defined for these magnitudes.
            fft.values_mut(x)[lane] %= 2f64.powi(50);
        }
    }
    let floors = small.as_chunks().0.iter().flat_map(|&x| fft.floors(x));
    // The sign of zeros is not specified, so adding zero makes it positive.
    let zero = F::Real::default();
    results.push(("floors", floors.map(|x| fft.add(x, zero)).collect()));

    let mut f = x.clone();
    fft.fft(logn, &mut f);
    results.push(("fft", f));
    let mut f = x.clone();
    fft.ifft(logn, &mut f);
    results.push(("ifft", f));
    if logn >= 2 {
        let (mut f0, mut f1) = (y[..n / 2].to_vec(), y[n / 2..].to_vec());
        fft.split(logn, &mut f0, &mut f1, &x);
        results.extend([("split, even", f0), ("split, odd", f1)]);
        let mut f = y.clone();
        fft.merge(logn, &mut f, &x[..n / 2], &x[n / 2..]);
        results.push(("merge", f));
        let (u0, u1) = z.split_at(n / 2);
        let (mut u0, mut u1, mut t1) = (u0.to_vec(), u1.to_vec(), y.clone());
        fft.nearest_plane_step(logn, &x, &mut t1, [&mut u0, &mut u1], key[0]);
        results.extend([
            ("nearest plane, even", u0),
            ("nearest plane, odd", u1),
            ("nearest plane, t1", t1),
        ]);
    }
    let t = fft.nearest_plane([x[0], x[1]], [y[0], y[1]], [key[0][0], key[0][1]]);
    results.push(("nearest plane of degree 2", t.to_vec()));
    let (mut t0, mut t1) = (x.clone(), y.clone());
    fft.target(logn, &mut t0, &mut t1, key[0], key[1]);
    results.extend([("target, t0", t0), ("target, t1", t1)]);
    let [b00, b01, b10, b11] = key;
    let basis = BasisRef { b00, b01, b10, b11 };
    let (mut z0, mut z1) = (x.clone(), y.clone());
    fft.times_basis(logn, &mut z0, &mut z1, basis);
    results.extend([("times basis, first", z0), ("times basis, second", z1)]);
    results
}

/// Compares `fft` with `Baseline` on polynomials. `value` draws their coefficients.
fn equals_scalar<F: Fft>(name: &str, fft: F, random: &mut Repeatable, value: Draw) {
    for logn in 1..=10 {
        let n = 1 << logn;
        let mut polynomial = || -> Vec<f64> { (0..n).map(|_| value(random)).collect() };
        let key: [Vec<f64>; 4] = std::array::from_fn(|_| polynomial());
        let inputs: [Lanes; 3] =
            std::array::from_fn(|_| (0..F::LANES).map(|_| polynomial()).collect());
        let key = key.each_ref().map(Vec::as_slice);
        let packed = inputs.each_ref().map(|lanes| {
            let mut packed = vec![F::Real::default(); n];
            for (lane, polynomial) in lanes.iter().enumerate() {
                for (real, &value) in packed.iter_mut().zip(polynomial) {
                    fft.values_mut(real)[lane] = value;
                }
            }
            packed
        });
        let ours = results(fft, logn, packed.each_ref().map(Vec::as_slice), key);
        for lane in 0..F::LANES {
            let inputs = inputs.each_ref().map(|lanes| &lanes[lane][..]);
            let expected = results(Baseline, logn, inputs, key);
            assert_eq!(ours.len(), expected.len());
            for ((what, ours), (_, expected)) in ours.iter().zip(&expected) {
                assert_eq!(ours.len(), expected.len(), "{what} on {name}");
                for (i, (real, expected)) in ours.iter().zip(expected).enumerate() {
                    let value = fft.values(real)[lane];
                    assert!(
                        value.to_bits() == expected.to_bits(),
                        "{what} on {name}, n = {n}, lane {lane}, entry {i}: \
                        {value:e} instead of {expected:e}"
                    );
                }
            }
        }
    }
}

/// Draws a coefficient.
type Draw = fn(&mut Repeatable) -> f64;

/// Draws a random number of the size that occurs in signing.
fn usual(random: &mut Repeatable) -> f64 {
    i64::from_le_bytes(random.bytes()) as f64 / 2f64.powi(50)
}

/// Draws a number with any bits, and with an exponent for which every result stays in the range of
/// `Soft`.
fn wide(random: &mut Repeatable) -> f64 {
    let bits = u64::from_le_bytes(random.bytes());
    let exponent = 1023 - 100 + (bits >> 52) % 200;
    f64::from_bits(bits & !(0x7ff << 52) | exponent << 52)
}

/// Draws zeros of both signs, ties, neighbours of powers of two, and numbers whose sums cancel.
fn special(random: &mut Repeatable) -> f64 {
    const MAGNITUDES: [f64; 12] = [
        0.0,
        0.0,
        0.5,
        1.0,
        1.0,
        1.5,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
        9007199254740991.0,
        2251799813685248.5,
        1e-30,
        1e30,
    ];
    let [which, sign] = random.bytes();
    let magnitude = MAGNITUDES[usize::from(which) % MAGNITUDES.len()];
    if sign & 1 == 0 { magnitude } else { -magnitude }
}

/// Compares the tokens of an engine. The fields are its name and the number of comparisons.
struct Compare(&'static str, usize);

impl TokenVisitor for Compare {
    type Output = ();

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) {
        let Self(name, times) = self;
        let mut random = Repeatable::new(&format!("fft {name}"));
        for _ in 0..times {
            for value in [usual, wide, special] {
                equals_scalar(&format!("{name}, one"), tokens.arith, &mut random, value);
                equals_scalar(&format!("{name}, lanes"), tokens.fft, &mut random, value);
            }
        }
    }
}

#[test]
fn every_engine_has_the_bits_of_scalar() {
    let times = extent("times that polynomials are compared", 2, 100);
    for engine in engines() {
        falcon_core::seams::visit(engine, Compare(engine.name(), times));
    }
}
