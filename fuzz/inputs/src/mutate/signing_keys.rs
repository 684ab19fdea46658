//! Signing keys, which consist of the fields of `f`, `g` and `F`. Half of the changes keep the NTRU
//! equation, so that most of them lead to another valid key. Random changes never do.

use super::{Rng, damage, one_in, pick};
use crate::bits::{BitWriter, signed_fields};

/// Number of bits of a coefficient of `F`.
const CAPITAL_WIDTH: u32 = 8;

/// A polynomial modulo `x^n + 1`, where `n` is a power of two.
type Polynomial = Vec<i16>;

/// Changes a key. Sometimes damages the encoding.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (logn, width) = match (bytes.first()?, bytes.len()) {
        (0x59, 1281) => (9, 6),
        (0x5a, 2305) => (10, 5),
        _ => return None,
    };
    let n = 1usize << logn;
    let body = &bytes[1..];
    let short = n * width as usize / 8;
    let mut f = signed_fields(body, width, n);
    let mut g = signed_fields(&body[short..], width, n);
    let mut capital = signed_fields(&body[2 * short..], CAPITAL_WIDTH, n);
    for _ in 0..=rng.u8(..2) {
        if rng.bool() {
            change_basis(rng, &mut f, &mut g, &mut capital);
        } else {
            let (polynomial, width) = match rng.u8(..3) {
                0 => (&mut f, width),
                1 => (&mut g, width),
                _ => (&mut capital, CAPITAL_WIDTH),
            };
            change_coefficients(rng, polynomial, width);
        }
        if one_in(rng, 16) {
            std::mem::swap(&mut f, &mut g);
        }
    }
    let mut bits = BitWriter::default();
    bits.push(0x50 + logn, 8);
    for (polynomial, width) in [(f, width), (g, width), (capital, CAPITAL_WIDTH)] {
        polynomial.iter().for_each(|&x| bits.push(x as u64, width));
    }
    let mut bytes = bits.finish(0);
    if one_in(rng, 16) {
        damage(rng, &mut bytes);
    }
    Some(bytes)
}

/// Changes coefficients independently of the other polynomials.
fn change_coefficients(rng: &mut Rng, polynomial: &mut [i16], width: u32) {
    let n = polynomial.len();
    let i = rng.usize(..n);
    let max = (1 << (width - 1)) - 1;
    match rng.u8(..6) {
        0 => polynomial[i] ^= 1,
        1 => polynomial[i] = pick(rng, &[0, max, -max, -max - 1]),
        2 => polynomial[i] = rng.i16(-max..=max),
        3 => polynomial[i..n.min(i + 64)].fill(pick(rng, &[0, 1, max, -max])),
        4 => polynomial.swap(i, rng.usize(..n)),
        // Makes the norm large, or every coefficient zero.
        _ => polynomial.fill(pick(rng, &[0, 1, max, -max])),
    }
}

/// Replaces one solution of `fG - gF = q` by another. The decoder computes `G`, and accepts the key
/// if all coefficients are in range.
fn change_basis(rng: &mut Rng, f: &mut Polynomial, g: &mut Polynomial, capital: &mut Polynomial) {
    let n = f.len();
    match rng.u8(..4) {
        0 => {
            let k = rng.usize(..2 * n);
            *f = shift(f, k);
            *g = shift(g, k);
            *capital = shift(capital, 2 * n - k);
        }
        1 => {
            let k = 2 * rng.usize(..n) + 1;
            for polynomial in [f, g, capital] {
                *polynomial = substitute(polynomial, k);
            }
        }
        2 => {
            for polynomial in [g, capital] {
                polynomial.iter_mut().for_each(|x| *x = -*x);
            }
        }
        // Adds x^k (f, g) to (F, G).
        _ => {
            let multiple = shift(f, rng.usize(..2 * n));
            for (x, y) in capital.iter_mut().zip(multiple) {
                *x += y;
            }
        }
    }
}

/// Returns `x^k p`.
fn shift(p: &[i16], k: usize) -> Polynomial {
    let n = p.len();
    let mut shifted = vec![0; n];
    for (i, &x) in p.iter().enumerate() {
        let at = (i + k) & (2 * n - 1);
        shifted[at & (n - 1)] = if at < n { x } else { -x };
    }
    shifted
}

/// Returns `p(x^k)` for odd `k`.
fn substitute(p: &[i16], k: usize) -> Polynomial {
    let n = p.len();
    let mut substituted = vec![0; n];
    for (i, &x) in p.iter().enumerate() {
        let at = (i * k) & (2 * n - 1);
        substituted[at & (n - 1)] = if at < n { x } else { -x };
    }
    substituted
}
