//! The reference's `sign_dyn`, step by step. It records the centres and deviations that the sampler
//! gets.
//!
//! Each step on polynomials and each draw of an integer is a call of the C code. This file only has
//! the order of the steps, the conversions, the norm, and a leaf's square root and products. IEEE
//! 754 defines the results of these operations, here and in the reference. The resulting `s2` is
//! compared with `sign_dyn`'s.

use crate::c::{Bits, Reference, Sampler, Stream};

/// `1 / sigma`, for degrees 512 and 1024: the bits of the reference's `fpr_inv_sigma`.
const INV_SIGMA: [u64; 2] = [4573606369665796042, 4573496814039276259];
/// `sigma_min` for degrees 512 and 1024: the bits of the reference's `fpr_sigma_min`.
const SIGMA_MIN: [u64; 2] = [4608433670533905013, 4608525754002622308];

/// A signature of the reference, with the inputs of its sampler.
#[derive(Debug, Default, PartialEq)]
pub struct Walk {
    /// Second half of the vector.
    pub s2: Vec<i16>,
    /// Centres of all calls of the sampler in all attempts, in order.
    pub centres: Vec<f64>,
    /// `1 / sigma'` of all leaves in all attempts, in order.
    pub inv_sigmas: Vec<f64>,
}

/// Returns the reference's `sigma_min`.
pub fn sigma_min(logn: u32) -> f64 {
    f64::from_bits(SIGMA_MIN[logn as usize - 9])
}

/// Signs with the same result as [`Reference::sign`].
pub fn sign(on: Reference, basis: &[&[i8]; 4], point: &[u16], seed: &[u8]) -> Walk {
    let mut stream = Stream::new(&[seed]);
    let mut walk = Walk::default();
    loop {
        let mut attempt = Attempt {
            on,
            inv_sigma: f64::from_bits(INV_SIGMA[on.logn() as usize - 9]),
            sampler: on.start(&mut stream, sigma_min(on.logn())),
            walk: &mut walk,
        };
        if let Some(s2) = attempt.run(basis, point) {
            walk.s2 = s2;
            return walk;
        }
    }
}

struct Attempt<'a> {
    on: Reference,
    inv_sigma: f64,
    sampler: Sampler,
    walk: &'a mut Walk,
}

fn reals<T: Into<f64> + Copy>(integers: &[T]) -> Vec<Bits> {
    integers.iter().map(|&x| x.into().to_bits()).collect()
}

impl Attempt<'_> {
    fn run(
        &mut self,
        [f, g, capital_f, capital_g]: &[&[i8]; 4],
        point: &[u16],
    ) -> Option<Vec<i16>> {
        let on = self.on;
        let transformed = |row: &[i8], negate: bool| {
            let mut row = reals(row);
            on.fft(&mut row);
            if negate {
                on.neg(&mut row);
            }
            row
        };
        let b00 = transformed(g, false);
        let b01 = transformed(f, true);
        let b10 = transformed(capital_g, false);
        let b11 = transformed(capital_f, true);

        let square = |a: &[Bits]| {
            let mut a = a.to_vec();
            on.mulselfadj(&mut a);
            a
        };
        let times_adjoint = |a: &[Bits], b: &[Bits]| {
            let mut a = a.to_vec();
            on.muladj(&mut a, b);
            a
        };
        let mut g00 = square(&b00);
        on.add(&mut g00, &square(&b01));
        let mut g01 = times_adjoint(&b01, &b11);
        on.add(&mut g01, &times_adjoint(&b00, &b10));
        let mut g11 = square(&b10);
        on.add(&mut g11, &square(&b11));

        let mut t0 = reals(point);
        on.fft(&mut t0);
        let inverse_of_q = 1.0 / 12289.0;
        let mut t1 = t0.clone();
        on.mul(&mut t1, &b01);
        on.scale(&mut t1, -inverse_of_q);
        on.mul(&mut t0, &b11);
        on.scale(&mut t0, inverse_of_q);

        self.sample([&mut t0, &mut t1], &g00, &mut g01, &mut g11);

        let mut v0 = t0.clone();
        on.mul(&mut v0, &b00);
        let mut part = t1.clone();
        on.mul(&mut part, &b10);
        on.add(&mut v0, &part);
        let mut part = t0;
        on.mul(&mut part, &b01);
        let mut v1 = t1;
        on.mul(&mut v1, &b11);
        on.add(&mut v1, &part);
        on.ifft(&mut v0);
        on.ifft(&mut v1);

        let rint = |x: &Bits| f64::from_bits(*x).round_ties_even() as i64;
        let (mut norm, mut all) = (0u32, 0u32);
        for (c, v) in point.iter().zip(&v0) {
            let z = (i64::from(*c) - rint(v)) as i32;
            norm = norm.wrapping_add((z * z) as u32);
            all |= norm;
        }
        norm |= (all >> 31).wrapping_neg();
        let s2: Vec<i16> = v1.iter().map(|v| (-rint(v)) as i16).collect();
        on.is_short_half(norm, &s2).then_some(s2)
    }

    /// `ffSampling_fft_dyntree`: replaces the target by the sampled integers.
    fn sample(&mut self, t: [&mut [Bits]; 2], g00: &[Bits], g01: &mut [Bits], g11: &mut [Bits]) {
        let on = self.on;
        let [t0, t1] = t;
        if let [leaf] = *g00 {
            let inv_sigma = f64::from_bits(leaf).sqrt() * self.inv_sigma;
            self.walk.inv_sigmas.push(inv_sigma);
            for t in [t0, t1] {
                self.walk.centres.push(f64::from_bits(t[0]));
                let z = on.sample(&mut self.sampler, t[0], inv_sigma.to_bits());
                t[0] = (z as f64).to_bits();
            }
            return;
        }
        on.ldl(g00, g01, g11);
        let (mut l10, d11) = (g01.to_vec(), &*g11);

        let [mut z0, mut z1] = on.split(t1);
        self.child([&mut z0, &mut z1], d11);
        let merged = on.merge([&z0, &z1]);
        let mut difference = t1.to_vec();
        on.sub(&mut difference, &merged);
        t1.copy_from_slice(&merged);
        on.mul(&mut l10, &difference);
        on.add(t0, &l10);

        let [mut z0, mut z1] = on.split(t0);
        self.child([&mut z0, &mut z1], g00);
        t0.copy_from_slice(&on.merge([&z0, &z1]));
    }

    /// Visits the child whose Gram matrix is the split of `d`.
    fn child(&mut self, t: [&mut [Bits]; 2], d: &[Bits]) {
        let [e0, mut e1] = self.on.split(d);
        self.sample(t, &e0, &mut e1, &mut e0.clone());
    }
}
