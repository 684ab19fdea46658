//! The numbers of a parameter set, for functions that are compiled once for all sets.
//!
//! Source: Classic McEliece submission of 2022-10-23, parameter sets.

/// Exponents and coefficients of the polynomial `F` with `GF(q^t) = GF(q)[y]/F`, without its
/// leading term `y^t`.
pub(crate) type LowTerms = &'static [(usize, u16)];

/// The code of a parameter set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// Degree of the field, 12 or 13.
    pub(crate) m: usize,
    /// Length of the code.
    pub(crate) n: usize,
    /// Number of errors that the code corrects.
    pub(crate) t: usize,
    /// Low terms of `F`.
    pub(crate) low_terms: LowTerms,
    /// True for the `f` sets: key generation may choose columns, `(mu, nu) = (32, 64)`.
    pub(crate) semi_systematic: bool,
    /// True for the `pc` sets: ciphertexts end with a confirmation hash.
    pub(crate) confirmed: bool,
}

/// Number of columns from which the `f` sets choose the last [`CHOSEN`] pivots.
pub(crate) const CHOICE: usize = 64;
/// Number of pivots that the `f` sets choose.
pub(crate) const CHOSEN: usize = 32;

impl Code {
    /// Number of elements of the field.
    pub(crate) const fn q(&self) -> usize {
        1 << self.m
    }
    /// Number of rows of the matrix, and of bits of a syndrome.
    pub(crate) const fn rows(&self) -> usize {
        self.m * self.t
    }
    /// Dimension of the code: number of columns of `T`.
    pub(crate) const fn k(&self) -> usize {
        self.n - self.rows()
    }
    /// Length of a row of `T` in bytes.
    pub(crate) const fn row_len(&self) -> usize {
        self.k().div_ceil(8)
    }
    /// Length of a public key in bytes.
    pub(crate) const fn public_key_len(&self) -> usize {
        self.rows() * self.row_len()
    }
    /// Length of a syndrome in bytes.
    pub(crate) const fn syndrome_len(&self) -> usize {
        self.rows().div_ceil(8)
    }
    /// Length of a ciphertext in bytes.
    pub(crate) const fn ciphertext_len(&self) -> usize {
        self.syndrome_len() + if self.confirmed { 32 } else { 0 }
    }
    /// Length of an error vector in bytes.
    pub(crate) const fn error_len(&self) -> usize {
        self.n / 8
    }
    /// Length of the encoded Goppa polynomial in bytes.
    pub(crate) const fn goppa_len(&self) -> usize {
        2 * self.t
    }
    /// Length of the control bits in bytes.
    pub(crate) const fn control_len(&self) -> usize {
        (2 * self.m - 1) << (self.m - 4)
    }
    /// Length of a secret key in bytes.
    pub(crate) const fn secret_key_len(&self) -> usize {
        40 + self.goppa_len() + self.control_len() + self.error_len()
    }
}

/// Largest number of errors, 128.
pub(crate) const MAX_T: usize = 128;
/// Largest length in words, 8192 bits.
pub(crate) const MAX_WORDS: usize = 128;
