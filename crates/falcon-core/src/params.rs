//! Parameter sets and the constants that depend on the degree.
//!
//! The internals take the degree as `logn` (`n = 2^logn`, 1 to 10), so that
//! tests run on small degrees. The public API takes it as a type,
//! [`Falcon512`] or [`Falcon1024`].
//!
//! Source: Falcon specification v1.2, section 3.13, table 3.3.

use core::fmt::Debug;
use core::hash::Hash;
use zeroize::Zeroize;

/// The modulus `q = 12 * 1024 + 1`.
pub const Q: u32 = 12289;

/// `1 / q`, rounded to nearest.
pub(crate) const INV_Q: f64 = 1.0 / Q as f64;

/// Length of the nonce in bytes.
pub const NONCE_LEN: usize = 40;

/// Largest `logn`.
pub const MAX_LOGN: u32 = 10;

/// `floor(beta^2)`: the largest squared norm of `(s1, s2)` that verifies, by `logn`.
pub(crate) const SIGNATURE_NORM_BOUND: [u32; 11] = [
    0, 101_498, 208_714, 428_865, 892_039, 1_852_696, 3_842_630, 7_959_734, 16_468_416, 34_034_726,
    70_265_242,
];

/// Number of bits of one coefficient of `f` or `g` in the secret key, by `logn`.
pub(crate) const FG_BITS: [u32; 11] = [0, 8, 8, 8, 8, 8, 7, 7, 6, 6, 5];

/// Number of bits of one coefficient of `F` in the secret key.
pub(crate) const CAPITAL_F_BITS: u32 = 8;

mod sealed {
    pub trait Sealed {}
}

/// A Falcon parameter set: [`Falcon512`] or [`Falcon1024`].
/// [`hazmat::insecure`](crate::hazmat::insecure) has small degrees, for tests of other
/// implementations.
///
/// ```
/// use falcon_core::{DecodeError, Parameters, Signature, VerifyingKey};
///
/// /// Verifies under either parameter set.
/// fn verify<P: Parameters>(
///     key: &[u8],
///     message: &[u8],
///     signature: &[u8],
/// ) -> Result<bool, DecodeError> {
///     let key = VerifyingKey::<P>::try_from(key)?;
///     Ok(key.verify(message, &Signature::try_from(signature)?).is_ok())
/// }
/// # assert!(verify::<falcon_core::Falcon512>(&[], b"", &[]).is_err());
/// ```
///
/// The associated array types let generic code own its memory without an allocator.
pub trait Parameters:
    sealed::Sealed + Copy + Clone + Debug + Default + PartialEq + Eq + Hash + Send + Sync + 'static
{
    /// `"Falcon-512"` or `"Falcon-1024"`.
    const NAME: &'static str;
    /// Base-2 logarithm of the degree.
    const LOGN: u32;
    /// The degree `n`.
    const N: usize = 1 << Self::LOGN;

    /// Length of an encoded verifying key in bytes.
    const VERIFYING_KEY_LEN: usize;
    /// Length of a signing key in bytes, as round 3 encodes it.
    const SIGNING_KEY_LEN: usize;
    /// Length of a padded signature in bytes.
    const PADDED_LEN: usize;
    /// Length of a signature in the constant-time format in bytes: 12 bits for each coefficient.
    const CT_LEN: usize;
    /// Upper bound on the length in bytes of a compressed signature that verifies.
    const COMPRESSED_MAX_LEN: usize;
    /// Length of a recoverable signature in bytes; see [`recovery`](crate::recovery).
    const RECOVERABLE_LEN: usize = 2 * Self::PADDED_LEN - 1 - NONCE_LEN;

    /// `[u8; VERIFYING_KEY_LEN]`.
    type VerifyingKeyBytes: ByteArray;
    /// `[u8; VERIFYING_KEY_LEN - 1]`: the encoding without its header byte.
    type HeaderlessKeyBytes: ByteArray;
    /// `[u8; SIGNING_KEY_LEN]`.
    type SigningKeyBytes: ByteArray;
    /// `[u8; PADDED_LEN]`.
    type PaddedBytes: ByteArray;
    /// `[u8; COMPRESSED_MAX_LEN]`.
    type CompressedBytes: ByteArray;
    /// `[u8; RECOVERABLE_LEN]`.
    type RecoverableBytes: ByteArray;

    /// `[i8; N]`: a short secret polynomial.
    type Small: Array<i8>;
    /// `[i16; N]`: a signature polynomial.
    type Short: Array<i16>;
    /// `[u16; N]`: a polynomial modulo `q`.
    type Residues: Array<u16>;
    /// `[i16; 4N]`: working memory modulo `q`, for reading a signing key.
    #[doc(hidden)]
    type KeyWords: Array<i16>;
    /// `[i64; 3N/2]`: working memory for the norms of a key that is decoded.
    #[doc(hidden)]
    type NormWords: Array<i64>;
}

/// An array of elements `T` with a fixed length.
pub trait Array<T>:
    AsRef<[T]> + AsMut<[T]> + Copy + Debug + PartialEq + Eq + Hash + Send + Sync + Zeroize + 'static
{
    /// Array of zeros.
    const ZERO: Self;
}

impl<const N: usize> Array<i8> for [i8; N] {
    const ZERO: Self = [0; N];
}
impl<const N: usize> Array<i16> for [i16; N] {
    const ZERO: Self = [0; N];
}
impl<const N: usize> Array<i64> for [i64; N] {
    const ZERO: Self = [0; N];
}
impl<const N: usize> Array<u16> for [u16; N] {
    const ZERO: Self = [0; N];
}
impl<const N: usize> Array<u8> for [u8; N] {
    const ZERO: Self = [0; N];
}

/// An encoding: a byte array of known length.
pub trait ByteArray: Array<u8> + for<'a> TryFrom<&'a [u8]> {}
impl<const N: usize> ByteArray for [u8; N] {}

macro_rules! parameter_set {
    ($(#[$doc:meta])* $name:ident, $text:literal, logn $logn:literal, vk $vk:literal, sk $sk:literal,
     padded $padded:literal, ct $ct:literal, compressed $compressed:literal $(, #[$hidden:meta])?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        $(#[$hidden])?
        impl Parameters for $name {
            const NAME: &'static str = $text;
            const LOGN: u32 = $logn;
            const VERIFYING_KEY_LEN: usize = $vk;
            const SIGNING_KEY_LEN: usize = $sk;
            const PADDED_LEN: usize = $padded;
            const CT_LEN: usize = $ct;
            const COMPRESSED_MAX_LEN: usize = $compressed;
            type VerifyingKeyBytes = [u8; $vk];
            type HeaderlessKeyBytes = [u8; $vk - 1];
            type SigningKeyBytes = [u8; $sk];
            type PaddedBytes = [u8; $padded];
            type CompressedBytes = [u8; $compressed];
            type RecoverableBytes = [u8; 2 * $padded - 1 - NONCE_LEN];
            type Small = [i8; 1 << $logn];
            type Short = [i16; 1 << $logn];
            type Residues = [u16; 1 << $logn];
            type KeyWords = [i16; 4 << $logn];
            type NormWords = [i64; 3 << ($logn - 1)];
        }
    };
}

parameter_set!(
    /// Degree 512, NIST security level I.
    Falcon512, "Falcon-512", logn 9, vk 897, sk 1281, padded 666, ct 809, compressed 752
);
parameter_set!(
    /// Degree 1024, NIST security level V.
    Falcon1024, "Falcon-1024", logn 10, vk 1793, sk 2305, padded 1280, ct 1577, compressed 1462
);

/// Degrees below 512, to test other implementations.
///
/// **They are insecure: anybody can find the key.** Keys and signatures have the encodings of the
/// reference. Everything works with them, except documents (PKCS#8) and GPUs, which do not compile
/// with them. Keys from a seed are Falcon keys, but not always those of the reference. At degree 8
/// most keys differ. The compiler does not propose these types.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::SigningKey;
/// use falcon_core::hazmat::insecure::InsecureFalcon16;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<InsecureFalcon16>::from_seed(&[7; 32])?;
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// assert_eq!(signature.to_bytes().len(), 63);
/// key.verifying_key().verify(b"order #42", &signature)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub mod insecure {
    use super::{NONCE_LEN, Parameters, sealed};

    parameter_set!(
        /// Degree 2: insecure.
        InsecureFalcon2, "Falcon-2", logn 1, vk 5, sk 7,
        padded 44, ct 44, compressed 44, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 4: insecure.
        InsecureFalcon4, "Falcon-4", logn 2, vk 8, sk 13,
        padded 47, ct 47, compressed 47, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 8: insecure.
        InsecureFalcon8, "Falcon-8", logn 3, vk 15, sk 25,
        padded 52, ct 53, compressed 52, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 16: insecure.
        InsecureFalcon16, "Falcon-16", logn 4, vk 29, sk 49,
        padded 63, ct 65, compressed 64, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 32: insecure.
        InsecureFalcon32, "Falcon-32", logn 5, vk 57, sk 97,
        padded 82, ct 89, compressed 86, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 64: insecure.
        InsecureFalcon64, "Falcon-64", logn 6, vk 113, sk 177,
        padded 122, ct 137, compressed 130, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 128: insecure.
        InsecureFalcon128, "Falcon-128", logn 7, vk 225, sk 353,
        padded 200, ct 233, compressed 219, #[diagnostic::do_not_recommend]
    );
    parameter_set!(
        /// Degree 256: insecure.
        InsecureFalcon256, "Falcon-256", logn 8, vk 449, sk 641,
        padded 356, ct 425, compressed 397, #[diagnostic::do_not_recommend]
    );
}

/// `1 / sigma`, by `logn`: `sigma = sigma_min * 1.17 * sqrt(q)`.
///
/// These are the doubles of the round-3 reference. For `n` = 512 and 1024 they are one unit in the
/// last place above the nearest double.
pub(crate) const INV_SIGMA: [f64; 11] = [
    0.0,
    0.006905479329594089,
    0.006810226776717798,
    0.006718810191072271,
    0.006588335437007367,
    0.00646517812076029,
    0.0063486788828079,
    0.006238258652908437,
    0.006133406502093026,
    0.006033669668157724,
    0.005938645309533116,
];

/// `sigma_min`, by `logn`: `sqrt(ln(4n(1 + sqrt(2^64 n/4))) / 2) / pi` from
/// `n` = 8 on.
pub(crate) const SIGMA_MIN: [f64; 11] = [
    0.0,
    1.1165085072329102,
    1.1321247692325271,
    1.1475285353733669,
    1.170254078853483,
    1.1925466358390344,
    1.214430050776614,
    1.235926056771981,
    1.2570545284063215,
    1.2778336969128337,
    1.298280334344292,
];

/// Calls a generic function for every parameter set.
#[cfg(test)]
macro_rules! for_every_set {
    ($check:ident) => {{
        use $crate::params::{Falcon512, Falcon1024, insecure};
        $check::<insecure::InsecureFalcon2>();
        $check::<insecure::InsecureFalcon4>();
        $check::<insecure::InsecureFalcon8>();
        $check::<insecure::InsecureFalcon16>();
        $check::<insecure::InsecureFalcon32>();
        $check::<insecure::InsecureFalcon64>();
        $check::<insecure::InsecureFalcon128>();
        $check::<insecure::InsecureFalcon256>();
        $check::<Falcon512>();
        $check::<Falcon1024>();
    }};
}
#[cfg(test)]
pub(crate) use for_every_set;

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the constants with the formula of the specification, to the precision of `f64::ln`.
    #[test]
    fn sigma_min_follows_the_formula() {
        for logn in 3..=10 {
            let n = f64::from(1 << logn);
            let epsilon_inverse = (2f64.powi(64) * n / 4.0).sqrt();
            let exact = (4.0 * n * (1.0 + epsilon_inverse)).ln() / 2.0;
            let exact = exact.sqrt() / core::f64::consts::PI;
            assert!((SIGMA_MIN[logn] / exact - 1.0).abs() < 1e-14, "logn {logn}");
        }
    }

    #[test]
    fn sigma_is_sigma_min_times_the_gram_schmidt_bound() {
        for logn in 1..=10 {
            let sigma = SIGMA_MIN[logn] * 1.17 * f64::from(Q).sqrt();
            assert!((INV_SIGMA[logn] * sigma - 1.0).abs() < 1e-14, "logn {logn}");
        }
    }

    /// Checks that the constants are the doubles of the round-3 reference. Those of `INV_SIGMA` are
    /// one unit in the last place above the nearest.
    #[test]
    fn deviations_are_the_doubles_of_round_3() {
        let scaled = |x: f64, e: i32| x * 2f64.powi(e);
        assert_eq!(scaled(INV_SIGMA[9], 60), 6_956_347_512_113_098.0);
        assert_eq!(scaled(INV_SIGMA[10], 60), 6_846_791_885_593_315.0);
        assert_eq!(scaled(SIGMA_MIN[9], 52), 5_754_851_361_258_101.0);
        assert_eq!(scaled(SIGMA_MIN[10], 52), 5_846_934_829_975_396.0);
    }

    /// `floor(beta^2)` with `beta = 1.1 sigma sqrt(2n)`.
    #[test]
    fn norm_bounds_follow_from_the_deviations() {
        for logn in 9..=10 {
            let n = f64::from(1u32 << logn);
            let beta = 1.1 * (2.0 * n).sqrt() / INV_SIGMA[logn];
            assert_eq!(f64::from(SIGNATURE_NORM_BOUND[logn]), (beta * beta).floor());
        }
    }

    #[test]
    fn lengths_of_the_encodings_follow_from_the_degree() {
        fn check<P: Parameters>() {
            let bits = |width: u32| (P::N * width as usize).div_ceil(8);
            let fg = FG_BITS[P::LOGN as usize];
            assert_eq!(P::VERIFYING_KEY_LEN, 1 + bits(14));
            assert_eq!(P::SIGNING_KEY_LEN, 1 + 2 * bits(fg) + bits(8));
            assert_eq!(P::CT_LEN, 1 + NONCE_LEN + bits(12));
        }
        for_every_set!(check);
    }
}
