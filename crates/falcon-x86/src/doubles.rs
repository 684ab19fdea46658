//! Registers of doubles.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use core::ops::{Add, Mul, Neg, Sub};
use falcon_lanes::{F64s, Isa, Register, register_of};

/// Square root, rounded to nearest.
///
/// The instruction uses the encoding of the frame that it is inlined into. `core` has no square
/// root, and `libm` always uses the encoding of SSE. On Intel's processors the SSE instruction
/// waits for all earlier writes of long registers: about 80 ns for each root.
///
/// ```
/// # #[cfg(target_arch = "x86_64")]
/// assert_eq!(falcon_x86::square_root(2.25), 1.5);
/// ```
#[cfg(target_feature = "sse2")]
#[inline(always)]
pub fn square_root(x: f64) -> f64 {
    // SAFETY: the target has SSE2.
    unsafe {
        let x = _mm_set_sd(x);
        _mm_cvtsd_f64(_mm_sqrt_sd(x, x))
    }
}

/// An instruction set with 256-bit registers.
pub trait Avx: Isa {}
impl Avx for Avx2 {}
impl Avx for Avx512 {}

/// [`Add`], [`Sub`] or [`Mul`] by an intrinsic.
macro_rules! operator {
    ($trait:ident, $method:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

/// Doubles in one register. Creating a register requires a token, so a register proves that the
/// processor has the features. The intrinsics are those of the register's width.
macro_rules! f64s {
    (
        $(#[$doc:meta])*
        $name:ident($register:ty), $len:literal, [$($generics:tt)*] $isa:ty,
        $load:ident, $store:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $floor:expr,
        cycle: |$c:ident| $cycle:expr,
        halves: |$h:ident| $halves:expr,
        zip: |$zx:ident, $zy:ident| $zip:expr,
        unzip: |$ux:ident, $uy:ident| $unzip:expr,
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        operator!(Add, add, $name, $add);
        operator!(Sub, sub, $name, $sub);
        operator!(Mul, mul, $name, $mul);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $xor(self.0, $splat(-0.0)) })
            }
        }

        impl<$($generics)*> Register<$isa> for $name {
            type Value = f64;
            register_of!($len);

            #[inline(always)]
            fn load(_: $isa, x: &[f64; $len]) -> Self {
                // SAFETY: the token proves the features; the array has this length and
                // any alignment.
                Self(unsafe { $load(x.as_ptr()) })
            }
            #[inline(always)]
            fn splat(_: $isa, x: f64) -> Self {
                // SAFETY: the token proves that the processor has the features.
                Self(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn store(self, out: &mut [f64; $len]) {
                // SAFETY: the value proves the features; the array has this length.
                unsafe { $store(out.as_mut_ptr(), self.0) };
            }
        }

        impl<$($generics)*> F64s<$isa> for $name {
            #[inline(always)]
            fn load_halves(_: $isa, $h: &[f64; $len]) -> Self {
                // SAFETY: the token proves the features; the array has this length.
                Self(unsafe { $halves })
            }
            #[inline(always)]
            fn cycle(_: $isa, $c: &[f64]) -> Self {
                // SAFETY: the token proves the features; loads are from arrays.
                Self(unsafe { $cycle })
            }
            #[inline(always)]
            fn half(self) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $mul(self.0, $splat(0.5)) })
            }
            #[inline(always)]
            fn inverse(self) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $div($splat(1.0), self.0) })
            }
            #[inline(always)]
            fn floor(self) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $floor(self.0) })
            }
            #[inline(always)]
            fn zip(self, y: Self) -> [Self; 2] {
                let ($zx, $zy) = (self.0, y.0);
                // SAFETY: values of this type prove that the processor has the features.
                let [a, b] = unsafe { $zip };
                [Self(a), Self(b)]
            }
            #[inline(always)]
            fn unzip(self, y: Self) -> [Self; 2] {
                let ($ux, $uy) = (self.0, y.0);
                // SAFETY: values of this type prove that the processor has the features.
                let [a, b] = unsafe { $unzip };
                [Self(a), Self(b)]
            }
        }
    };
}

f64s! {
    /// Two doubles.
    F64x2(__m128d), 2, [I: Avx] I,
    _mm_loadu_pd, _mm_storeu_pd, _mm_set1_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd, _mm_xor_pd, _mm_floor_pd,
    cycle: |x| match x {
        [a, b, ..] => _mm_set_pd(*b, *a),
        _ => _mm_set1_pd(x[0]),
    },
    halves: |x| _mm_loadh_pd(_mm_load_sd(x.as_ptr()), x.as_ptr().add(1)),
    zip: |x, y| [_mm_unpacklo_pd(x, y), _mm_unpackhi_pd(x, y)],
    unzip: |x, y| [_mm_unpacklo_pd(x, y), _mm_unpackhi_pd(x, y)],
}

f64s! {
    /// Four doubles.
    F64x4(__m256d), 4, [I: Avx] I,
    _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_sub_pd,
    _mm256_mul_pd, _mm256_div_pd, _mm256_xor_pd, _mm256_floor_pd,
    cycle: |x| match x {
        [_, _, _, _, ..] => _mm256_loadu_pd(x.as_ptr()),
        [a, b, ..] => _mm256_set_pd(*b, *a, *b, *a),
        _ => _mm256_set1_pd(x[0]),
    },
    halves: |x| _mm256_insertf128_pd::<1>(
        _mm256_castpd128_pd256(_mm_loadu_pd(x.as_ptr())),
        _mm_loadu_pd(x.as_ptr().add(2)),
    ),
    zip: |x, y| {
        let (even, odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
        [
            _mm256_permute2f128_pd::<0x20>(even, odd),
            _mm256_permute2f128_pd::<0x31>(even, odd),
        ]
    },
    unzip: |x, y| {
        // Orders the halves first: the latency is the same as for zipping.
        let (low, high) = (
            _mm256_permute2f128_pd::<0x20>(x, y),
            _mm256_permute2f128_pd::<0x31>(x, y),
        );
        [_mm256_unpacklo_pd(low, high), _mm256_unpackhi_pd(low, high)]
    },
}

f64s! {
    /// Eight doubles.
    F64x8(__m512d), 8, [] Avx512,
    _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_add_pd, _mm512_sub_pd,
    _mm512_mul_pd, _mm512_div_pd, _mm512_xor_pd,
    _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>,
    cycle: |x| match x {
        [_, _, _, _, _, _, _, _, ..] => _mm512_loadu_pd(x.as_ptr()),
        [_, _, _, _, ..] => _mm512_broadcast_f64x4(_mm256_loadu_pd(x.as_ptr())),
        [_, _, ..] => _mm512_broadcast_f64x2(_mm_loadu_pd(x.as_ptr())),
        _ => _mm512_set1_pd(x[0]),
    },
    halves: |x| _mm512_insertf64x4::<1>(
        _mm512_castpd256_pd512(_mm256_loadu_pd(x.as_ptr())),
        _mm256_loadu_pd(x.as_ptr().add(4)),
    ),
    zip: |x, y| [
        _mm512_permutex2var_pd(x, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), y),
        _mm512_permutex2var_pd(x, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), y),
    ],
    unzip: |x, y| [
        _mm512_permutex2var_pd(x, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), y),
        _mm512_permutex2var_pd(x, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), y),
    ],
}
