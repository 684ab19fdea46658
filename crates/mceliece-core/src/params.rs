//! Parameter sets as types.
//!
//! Source: Classic McEliece submission of 2022-10-23 (sets without `pc`); ISO/IEC
//! 18033-2:2006/Amd 2:2026 (sets with `pc`, as the earlier rounds of the submission define them).

use crate::code::{Code, LowTerms};
use core::fmt::Debug;
use core::hash::Hash;
use zeroize::Zeroize;

pub(crate) mod sealed {
    use crate::code::Code;

    pub trait Sealed {
        #[doc(hidden)]
        #[allow(private_interfaces)]
        const CODE: Code;
    }
}

/// A Classic McEliece parameter set, such as [`Mceliece6688128f`].
///
/// The name gives the length `n` of the code and the number `t` of errors: `Mceliece6688128f` has
/// `n = 6688` and `t = 128`. There is no default set.
///
/// ```
/// use mceliece_core::{Mceliece348864, Mceliece8192128pc, Parameters};
///
/// fn describe<P: Parameters>() -> String {
///     format!("{}: a public key has {} bytes", P::NAME, P::PUBLIC_KEY_LEN)
/// }
/// assert_eq!(describe::<Mceliece348864>(), "mceliece348864: a public key has 261120 bytes");
/// assert_eq!(Mceliece8192128pc::CIPHERTEXT_LEN, 240);
/// ```
pub trait Parameters:
    sealed::Sealed
    + Copy
    + Clone
    + Debug
    + Default
    + PartialEq
    + Eq
    + Ord
    + PartialOrd
    + Hash
    + Send
    + Sync
    + 'static
{
    /// Name in small letters, such as `"mceliece348864f"`.
    const NAME: &'static str;
    /// Degree `m` of the field `GF(2^m)`, 12 or 13.
    const M: usize = <Self as sealed::Sealed>::CODE.m;
    /// Length `n` of the code in bits.
    const N: usize = <Self as sealed::Sealed>::CODE.n;
    /// Number `t` of errors that the code corrects.
    const T: usize = <Self as sealed::Sealed>::CODE.t;
    /// Length of a public key in bytes.
    const PUBLIC_KEY_LEN: usize = <Self as sealed::Sealed>::CODE.public_key_len();
    /// Length of a secret key in bytes.
    const SECRET_KEY_LEN: usize = <Self as sealed::Sealed>::CODE.secret_key_len();
    /// Length of a ciphertext in bytes.
    const CIPHERTEXT_LEN: usize = <Self as sealed::Sealed>::CODE.ciphertext_len();

    /// Array of the bytes of a ciphertext: `[u8; CIPHERTEXT_LEN]`.
    type CiphertextBytes: ByteArray;
}

/// A byte array: `[u8; N]` for every `N`. Generic code gets one from a ciphertext.
///
/// ```
/// use mceliece_core::{ByteArray, Ciphertext, Mceliece348864, Parameters};
///
/// fn last_byte<P: Parameters>(ciphertext: &Ciphertext<P>) -> Option<u8> {
///     let bytes: P::CiphertextBytes = ciphertext.to_bytes();
///     bytes.as_ref().last().copied()
/// }
///
/// # fn main() -> Result<(), mceliece_core::DecodeError> {
/// let ciphertext = Ciphertext::<Mceliece348864>::try_from(&[7; 96][..])?;
/// assert_eq!(last_byte(&ciphertext), Some(7));
/// assert_eq!(<[u8; 3]>::ZERO, [0; 3]);
/// # Ok(())
/// # }
/// ```
pub trait ByteArray:
    AsRef<[u8]>
    + AsMut<[u8]>
    + Copy
    + Debug
    + PartialEq
    + Eq
    + Hash
    + Send
    + Sync
    + Zeroize
    + for<'a> TryFrom<&'a [u8]>
    + 'static
{
    /// Array of zeros.
    const ZERO: Self;
}

impl<const N: usize> ByteArray for [u8; N] {
    const ZERO: Self = [0; N];
}

const LOW_TERMS_64: LowTerms = &[(3, 1), (1, 1), (0, 2)];
const LOW_TERMS_96: LowTerms = &[(10, 1), (9, 1), (6, 1), (0, 1)];
const LOW_TERMS_119: LowTerms = &[(8, 1), (0, 1)];
const LOW_TERMS_128: LowTerms = &[(7, 1), (2, 1), (1, 1), (0, 1)];

macro_rules! parameter_sets {
    ($($name:ident, $text:literal, $doc:literal,
       m $m:literal, n $n:literal, t $t:literal, $low_terms:ident,
       f $f:literal, pc $pc:literal, ct $ct:literal;)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name;

            #[allow(private_interfaces)]
            impl sealed::Sealed for $name {
                const CODE: Code = Code {
                    m: $m,
                    n: $n,
                    t: $t,
                    low_terms: $low_terms,
                    semi_systematic: $f,
                    confirmed: $pc,
                };
            }

            impl Parameters for $name {
                const NAME: &'static str = $text;
                type CiphertextBytes = [u8; $ct];
            }
        )*

        /// The code of every parameter set.
        #[cfg(test)]
        pub(crate) const CODES: &[Code] = &[$(<$name as sealed::Sealed>::CODE),*];

        /// Calls a generic function for every parameter set.
        #[cfg(test)]
        macro_rules! for_every_set {
            ($check:ident) => {{
                $($check::<$crate::params::$name>();)*
            }};
        }
    };
}

parameter_sets! {
    Mceliece348864, "mceliece348864", "Code of length 3488, 64 errors. Not in the ISO standard.",
        m 12, n 3488, t 64, LOW_TERMS_64, f false, pc false, ct 96;
    Mceliece348864f, "mceliece348864f",
        "Code of length 3488, 64 errors; faster key generation. Not in the ISO standard.",
        m 12, n 3488, t 64, LOW_TERMS_64, f true, pc false, ct 96;
    Mceliece460896, "mceliece460896", "Code of length 4608, 96 errors.",
        m 13, n 4608, t 96, LOW_TERMS_96, f false, pc false, ct 156;
    Mceliece460896f, "mceliece460896f", "Code of length 4608, 96 errors; faster key generation.",
        m 13, n 4608, t 96, LOW_TERMS_96, f true, pc false, ct 156;
    Mceliece460896pc, "mceliece460896pc", "Code of length 4608, 96 errors; ciphertexts end with a hash.",
        m 13, n 4608, t 96, LOW_TERMS_96, f false, pc true, ct 188;
    Mceliece460896pcf, "mceliece460896pcf",
        "Code of length 4608, 96 errors; ciphertexts end with a hash; faster key generation.",
        m 13, n 4608, t 96, LOW_TERMS_96, f true, pc true, ct 188;
    Mceliece6688128, "mceliece6688128", "Code of length 6688, 128 errors.",
        m 13, n 6688, t 128, LOW_TERMS_128, f false, pc false, ct 208;
    Mceliece6688128f, "mceliece6688128f", "Code of length 6688, 128 errors; faster key generation.",
        m 13, n 6688, t 128, LOW_TERMS_128, f true, pc false, ct 208;
    Mceliece6688128pc, "mceliece6688128pc", "Code of length 6688, 128 errors; ciphertexts end with a hash.",
        m 13, n 6688, t 128, LOW_TERMS_128, f false, pc true, ct 240;
    Mceliece6688128pcf, "mceliece6688128pcf",
        "Code of length 6688, 128 errors; ciphertexts end with a hash; faster key generation.",
        m 13, n 6688, t 128, LOW_TERMS_128, f true, pc true, ct 240;
    Mceliece6960119, "mceliece6960119", "Code of length 6960, 119 errors.",
        m 13, n 6960, t 119, LOW_TERMS_119, f false, pc false, ct 194;
    Mceliece6960119f, "mceliece6960119f", "Code of length 6960, 119 errors; faster key generation.",
        m 13, n 6960, t 119, LOW_TERMS_119, f true, pc false, ct 194;
    Mceliece6960119pc, "mceliece6960119pc", "Code of length 6960, 119 errors; ciphertexts end with a hash.",
        m 13, n 6960, t 119, LOW_TERMS_119, f false, pc true, ct 226;
    Mceliece6960119pcf, "mceliece6960119pcf",
        "Code of length 6960, 119 errors; ciphertexts end with a hash; faster key generation.",
        m 13, n 6960, t 119, LOW_TERMS_119, f true, pc true, ct 226;
    Mceliece8192128, "mceliece8192128", "Code of length 8192, 128 errors.",
        m 13, n 8192, t 128, LOW_TERMS_128, f false, pc false, ct 208;
    Mceliece8192128f, "mceliece8192128f", "Code of length 8192, 128 errors; faster key generation.",
        m 13, n 8192, t 128, LOW_TERMS_128, f true, pc false, ct 208;
    Mceliece8192128pc, "mceliece8192128pc", "Code of length 8192, 128 errors; ciphertexts end with a hash.",
        m 13, n 8192, t 128, LOW_TERMS_128, f false, pc true, ct 240;
    Mceliece8192128pcf, "mceliece8192128pcf",
        "Code of length 8192, 128 errors; ciphertexts end with a hash; faster key generation.",
        m 13, n 8192, t 128, LOW_TERMS_128, f true, pc true, ct 240;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of the submission: public key, secret key, ciphertext without confirmation.
    const LENGTHS: [(usize, [usize; 3]); 5] = [
        (3488, [261_120, 6492, 96]),
        (4608, [524_160, 13_608, 156]),
        (6688, [1_044_992, 13_932, 208]),
        (6960, [1_047_319, 13_948, 194]),
        (8192, [1_357_824, 14_120, 208]),
    ];

    #[test]
    fn lengths_are_those_of_the_submission() {
        fn check<P: Parameters>() {
            let [pk, sk, ct] = LENGTHS.iter().find(|(n, _)| *n == P::N).expect("a set").1;
            assert_eq!(P::PUBLIC_KEY_LEN, pk);
            assert_eq!(P::SECRET_KEY_LEN, sk);
            let confirmation = if P::NAME.contains("pc") { 32 } else { 0 };
            assert_eq!(P::CIPHERTEXT_LEN, ct + confirmation);
            assert_eq!(P::CiphertextBytes::ZERO.as_ref().len(), P::CIPHERTEXT_LEN);
            assert_eq!(
                <P as sealed::Sealed>::CODE.semi_systematic,
                P::NAME.ends_with('f')
            );
        }
        for_every_set!(check);
    }
}
