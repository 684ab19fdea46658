//! Neighbours of a polynomial in registers.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use falcon_lanes::{Across, Isa, Run, Runs, Two};

/// An instruction set with 256-bit registers.
pub trait Avx: Isa {}
impl Avx for Avx2 {}
impl Avx for Avx512 {}

impl Runs<Across<Avx2>> for Avx2 {
    type X2 = X2;
    type X4 = X4;
    type X8 = Two<X4>;
}

impl Runs<Across<Avx512>> for Avx512 {
    type X2 = X2;
    type X4 = X4;
    type X8 = X8;
}

/// A run in one register. A value is made from a token, and so only where the
/// processor has the features; the intrinsics are those of the register's
/// width.
macro_rules! run {
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

        impl<$($generics)*> Run<Across<$isa>> for $name {
            const LEN: usize = $len;
            type Of<T: 'static> = [T; $len];

            #[inline(always)]
            fn chunks<T: 'static>(x: &[T]) -> &[[T; $len]] {
                x.as_chunks().0
            }
            #[inline(always)]
            fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [[T; $len]] {
                x.as_chunks_mut().0
            }
            #[inline(always)]
            fn load(_: Across<$isa>, x: &[f64; $len]) -> Self {
                // SAFETY: there is a token; an array of this length, of any
                // alignment.
                Self(unsafe { $load(x.as_ptr()) })
            }
            #[inline(always)]
            fn load_halves(_: Across<$isa>, $h: &[f64; $len]) -> Self {
                // SAFETY: as for `load`.
                Self(unsafe { $halves })
            }
            #[inline(always)]
            fn store(self, _: Across<$isa>, out: &mut [f64; $len]) {
                // SAFETY: as for `load`.
                unsafe { $store(out.as_mut_ptr(), self.0) };
            }
            #[inline(always)]
            fn shared(l: Across<$isa>, x: &[f64; $len]) -> Self {
                Self::load(l, x)
            }
            #[inline(always)]
            fn cycle(_: Across<$isa>, $c: &[f64]) -> Self {
                // SAFETY: there is a token; loads are from arrays.
                Self(unsafe { $cycle })
            }
            #[inline(always)]
            fn add(self, _: Across<$isa>, other: Self) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, _: Across<$isa>, other: Self) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, _: Across<$isa>, other: Self) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn neg(self, _: Across<$isa>) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $xor(self.0, $splat(-0.0)) })
            }
            #[inline(always)]
            fn half(self, _: Across<$isa>) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $mul(self.0, $splat(0.5)) })
            }
            #[inline(always)]
            fn inverse(self, _: Across<$isa>) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $div($splat(1.0), self.0) })
            }
            #[inline(always)]
            fn floor(self, _: Across<$isa>) -> Self {
                // SAFETY: there is a token. The addition makes zero positive.
                Self(unsafe { $add($floor(self.0), $splat(0.0)) })
            }
            #[inline(always)]
            fn zip(_: Across<$isa>, x: Self, y: Self) -> [Self; 2] {
                let ($zx, $zy) = (x.0, y.0);
                // SAFETY: there is a token.
                let [a, b] = unsafe { $zip };
                [Self(a), Self(b)]
            }
            #[inline(always)]
            fn unzip(_: Across<$isa>, x: Self, y: Self) -> [Self; 2] {
                let ($ux, $uy) = (x.0, y.0);
                // SAFETY: there is a token.
                let [a, b] = unsafe { $unzip };
                [Self(a), Self(b)]
            }
        }
    };
}

run! {
    /// Two neighbours.
    X2(__m128d), 2, [I: Avx] I,
    _mm_loadu_pd, _mm_storeu_pd, _mm_set1_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd, _mm_xor_pd, _mm_floor_pd,
    cycle: |x| match x {
        [a, b, ..] => _mm_set_pd(*b, *a),
        _ => _mm_set1_pd(x[0]),
    },
    halves: |x| _mm_loadh_pd(_mm_load_sd(x.as_ptr()), x.as_ptr().add(1)),
    zip: |x, y| [_mm_unpacklo_pd(x, y), _mm_unpackhi_pd(x, y)],
    unzip: |x, y| [_mm_unpacklo_pd(x, y), _mm_unpackhi_pd(x, y)],
}

run! {
    /// Four neighbours.
    X4(__m256d), 4, [I: Avx] I,
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
        // Halves in order first: the latency is that of zipping.
        let (low, high) = (
            _mm256_permute2f128_pd::<0x20>(x, y),
            _mm256_permute2f128_pd::<0x31>(x, y),
        );
        [_mm256_unpacklo_pd(low, high), _mm256_unpackhi_pd(low, high)]
    },
}

run! {
    /// Eight neighbours.
    X8(__m512d), 8, [] Avx512,
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
