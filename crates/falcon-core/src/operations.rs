//! The slow operations of the scheme, on every engine.
//!
//! The public types are thin: they own the arrays of their parameter set and
//! call these operations, which take the degree as `logn`. Nothing here is
//! generic over the parameter set, so all of it is compiled in this crate, once for
//! every instruction set, and not again in every crate that signs.

use crate::codec::{
    attached,
    signature::{self, Format},
};
use crate::engine::Best;
#[cfg(feature = "alloc")]
use crate::engine::Engine;
use crate::error::{DecodeError, FaultError};
use crate::hash::{self, Shake256};
use crate::hedge::SamplerSeeds;
use crate::norm;
use crate::ntru::{self, Comparison};
use crate::ntt::{Ntt, PortableNtt};
use crate::params::NONCE_LEN;
use crate::ring;
use crate::sampler::SigningIsa;
use crate::signing::{self, Fit, KeySource, SecretBasis};

/// Defines the trait with its operations. From one body of each operation, implements the trait
/// three times: for every arithmetic `$b`, for [`Best`], and for `Engine`.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($b:ident $(, $arg:ident: $type:ty)* $(,)?) $(-> $out:ty)? $body:block
    )*) => {
        /// A place where operations are computed: the best engine of this machine, an engine chosen
        /// by name, or the arithmetic of an engine.
        pub(crate) trait Operations: Copy + Send + Sync {
            $(
                $(#[$doc])*
                fn $name(self $(, $arg: $type)*) $(-> $out)?;
            )*
        }

        impl<B: SigningIsa> Operations for B {
            $(
                #[inline]
                fn $name(self $(, $arg: $type)*) $(-> $out)? {
                    let $b = self;
                    $body
                }
            )*
        }

        impl Operations for Best {
            $(
                fn $name(self $(, $arg: $type)*) $(-> $out)? {
                    on_best!(self, $b => $body)
                }
            )*
        }

        #[cfg(feature = "alloc")]
        impl Operations for Engine {
            $(
                fn $name(self $(, $arg: $type)*) $(-> $out)? {
                    on_engine!(self, $b, _fft => $body)
                }
            )*
        }
    };
}

operations! {
    /// Computes [`signing::short_preimage`].
    fn short_preimage(
        b,
        logn: u32,
        key: &KeySource<'_>,
        point: &[u16],
        seeds: &mut dyn SamplerSeeds,
        fit: Fit,
        scratch: &mut [f64],
        s2: &mut [i16],
    ) -> Result<(), FaultError> {
        let accept = |s2: &[i16]| fit.accepts(logn, s2);
        to_nearest!(b => signing::short_preimage(b, logn, key, point, seeds, accept, scratch, s2))
    }

    /// Computes [`signing::expand`].
    fn expand(b, logn: u32, key: SecretBasis<'_>, out: &mut [f64], scratch: &mut [f64]) {
        to_nearest!(b => signing::expand(b, logn, key, signing::profile(logn), out, scratch));
    }

    /// Ends absorption into `hash` and fills `point` with
    /// [coefficients](hash::fill_point).
    fn fill_point(b, hash: &mut Shake256, point: &mut [u16]) {
        hash::fill_point(b, hash.finalize_blocks(), point);
    }

    /// Sets `prepared` to `h` in the transform domain.
    fn prepare(b, logn: u32, prepared: &mut [i16], h: &[u16]) {
        let ntt = PortableNtt(b);
        ntt.set_residues(prepared, h);
        ntt.ntt(logn, prepared);
    }

    /// Sets `h` to the coefficients of `prepared`: the inverse of [`prepare`](Operations::prepare).
    /// The content of `prepared` is lost.
    fn restore(b, logn: u32, prepared: &mut [i16], h: &mut [u16]) {
        ring::coefficients(&PortableNtt(b), logn, prepared, h);
    }

    /// Computes [`ring::multiply`].
    fn multiply(b, logn: u32, s2: &[i16], h: &[i16], product: &mut [i16]) {
        ring::multiply(&PortableNtt(b), logn, s2, h, product);
    }

    /// Computes [`ring::is_preimage`].
    fn is_preimage(b, logn: u32, c: &[u16], s2: &[i16], product: &mut [i16]) -> bool {
        ring::is_preimage(b, logn, c, s2, product)
    }

    /// Computes [`ring::recover`].
    fn recover(
        b,
        logn: u32,
        c: &[u16],
        s: [&[i16]; 2],
        h: &mut [u16],
        words: &mut [i16],
    ) -> bool {
        ring::recover(b, logn, c, s, h, words)
    }

    /// Computes [`norm::fits_the_bound`].
    fn fits_the_bound(b, logn: u32, s2: &[i16]) -> bool {
        norm::fits_the_bound(b, logn, s2)
    }

    /// Computes [`signature::encode`].
    fn encode_signature(
        b,
        format: Format,
        logn: u32,
        nonce: &[u8; NONCE_LEN],
        s2: &[i16],
        out: &mut [u8],
    ) -> Option<usize> {
        signature::encode(b, format, logn, nonce, s2, out)
    }

    /// Computes [`attached::seal`].
    fn seal(
        b,
        logn: u32,
        nonce: &[u8; NONCE_LEN],
        message: &[u8],
        s2: &[i16],
        out: &mut [u8],
    ) -> Option<usize> {
        attached::seal(b, logn, nonce, message, s2, out)
    }

    /// Computes [`ntru::compare_norm`].
    fn compare_norm(b, logn: u32, f: &[i8], g: &[i8]) -> Comparison {
        to_nearest!(b => ntru::compare_norm(b, logn, f, g))
    }

    /// Computes [`ring::complete_private`].
    fn complete_private(
        b,
        logn: u32,
        short: [&[i8]; 3],
        capital_g: &mut [i8],
        h: &mut [u16],
        words: &mut [i16],
    ) -> Result<(), DecodeError> {
        ring::complete_private(b, logn, short, capital_g, h, words)
    }
}
