//! Table of the discrete Gaussian from which `f` and `g` are drawn.
//!
//! `X` is the discrete Gaussian over the integers of standard deviation
//! `sigma = 1.17 * sqrt(q / 2048)`, that is `sigma^2 = (117/100)^2 * 12289 / 2048`.
//! Source: Falcon specification v1.2, section 3.8.2 (`sigma_{f,g}` at degree 1024). In the round-3
//! key generation stream, one word tells whether a value is zero, and another gives its magnitude.

/// `[0]` is `2^63 * P(X = 0)`; `[k]` is `2^63 * P(|X| > k | X != 0)` for `k` in `1..=26`. All
/// entries are rounded to nearest, so the last entry is zero.
pub(super) const GAUSS: [u64; 27] = [
    0x11D137D82DF2AB58,
    0x590C40F63FF5F974,
    0x3898E41D85B975B7,
    0x20A964EF50858FF9,
    0x1107D1AE973857EB,
    0x07FE1EC29220EA37,
    0x035DAFCACD37A439,
    0x0144D98306216D42,
    0x006D6BEEEAF81655,
    0x0020E1A00D6FA84C,
    0x0008CDDDCD9DDA9C,
    0x0002192FC3DCDCB4,
    0x000071DFCD3C57E9,
    0x00001574938D76EB,
    0x000003974B0C33E5,
    0x000000889D3DA6FE,
    0x0000001204DDC6CB,
    0x000000021BD3B27A,
    0x0000000038091F5E,
    0x0000000005287DB0,
    0x00000000006BC528,
    0x000000000007CBFB,
    0x0000000000007FFC,
    0x0000000000000746,
    0x000000000000005E,
    0x0000000000000004,
    0x0000000000000000,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `floor(a * b / 2^120)` for `a, b <= 2^121`.
    fn mul(a: u128, b: u128) -> u128 {
        const M: u128 = (1 << 64) - 1;
        let (a1, a0, b1, b0) = (a >> 64, a & M, b >> 64, b & M);
        let mid = a1 * b0 + ((a0 * b0) >> 64);
        let mid_low = (mid & M) + a0 * b1;
        let high = a1 * b1 + (mid >> 64) + (mid_low >> 64);
        (high << 8) | ((mid_low & M) >> 56)
    }

    /// `exp(-num / den)` in units of `2^-120`, `num <= den`.
    fn exp_minus(num: u128, den: u128) -> u128 {
        let one = 1u128 << 120;
        let x = {
            // Long division: num / den to 120 binary places.
            let (mut r, mut q) = (num, 0u128);
            for _ in 0..120 {
                r <<= 1;
                q <<= 1;
                if r >= den {
                    r -= den;
                    q |= 1;
                }
            }
            q
        };
        let (mut even, mut odd, mut term) = (one, 0u128, one);
        for k in 1..60u128 {
            term = mul(term, x) / k;
            if k % 2 == 1 {
                odd += term
            } else {
                even += term
            }
        }
        even - odd
    }

    /// `a / b` in units of `2^-63`, rounded to nearest, for `a < b`.
    fn ratio_63(a: u128, b: u128) -> u64 {
        let (mut r, mut q) = (a, 0u128);
        for _ in 0..64 {
            r <<= 1;
            q <<= 1;
            if r >= b {
                r -= b;
                q |= 1;
            }
        }
        ((q + 1) >> 1) as u64
    }

    #[test]
    fn table_is_the_rounded_discrete_gaussian() {
        // rho_k = exp(-k^2 / (2 sigma^2)), 1 / (2 sigma^2) = 2048 * 10^4 / (2 * 117^2 * 12289).
        let base = exp_minus(2048 * 10_000, 2 * 117 * 117 * 12289);
        let square = mul(base, base);
        // rho_{k+1} = rho_k * base^(2k+1)
        let mut rho = [0u128; 120];
        let (mut value, mut step) = (1u128 << 120, base);
        for r in &mut rho {
            *r = value;
            value = mul(value, step);
            step = mul(step, square);
        }
        let tail = |k: usize| rho[k + 1..].iter().sum::<u128>();
        assert_eq!(GAUSS[0], ratio_63(rho[0], rho[0] + 2 * tail(0)));
        for k in 1..27 {
            assert_eq!(GAUSS[k], ratio_63(tail(k), tail(0)), "entry {k}");
        }
    }
}
