//! Makes binary64 round to nearest even, even if the program set another mode.
//!
//! A library that a program loads may leave the processor rounding up, down or to zero. Then the
//! same instructions give different results. `to_nearest!` evaluates code that signs, expands a
//! key, computes the norm of a key or replays a reduction. It gives the right bits in every mode:
//!
//! - With the instruction sets of x86-64 or AArch64, it sets the default mode, and restores the
//!   caller's mode afterwards. The crates of the instruction sets do this, since it needs `unsafe`.
//! - Otherwise it tests how the binary64 unit rounds. If it does not round to nearest even, the
//!   engine [`Soft`](crate::lanes::Soft) computes instead, on integers.
//!
//! Every operation has `to_nearest!` once, where its floating-point work starts. Verification
//! computes on integers, so it does not need the macro.
//!
//! `to_nearest!(b => body)` evaluates `body` with the arithmetic `b`, or with `b` replaced by
//! `Soft`. `to_nearest!(b, name: token, soft => body)` evaluates `body` with `name` bound to
//! `token`, or to `soft`. In both forms, the type of `b` tells whether the arithmetic uses the
//! binary64 unit.

/// Evaluates an expression with rounding to nearest even; see the module.
#[cfg(all(
    feature = "engines",
    any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        )
    )
))]
#[macro_use]
mod set {
    macro_rules! to_nearest {
        ($b:ident => $body:expr) => {
            $crate::engine::with_default_environment(|| $body)
        };
        ($b:expr, $name:ident: $token:expr, $soft:expr => $body:expr) => {{
            let $name = $token;
            $crate::engine::with_default_environment(|| $body)
        }};
    }
}

#[cfg(not(all(
    feature = "engines",
    any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        )
    )
)))]
#[macro_use]
pub(crate) mod ask {
    use crate::lanes::Binary64;
    use core::hint::black_box;

    macro_rules! to_nearest {
        ($b:ident => $body:expr) => {
            to_nearest!($b, $b: $b, $crate::lanes::Soft => $body)
        };
        ($b:expr, $name:ident: $token:expr, $soft:expr => $body:expr) => {
            if $crate::engine::rounding::ask::is_right($b) {
                let $name = $token;
                $body
            } else {
                let $name = $soft;
                $body
            }
        };
    }

    /// Returns true if this arithmetic rounds to nearest even now.
    #[inline(always)]
    pub(crate) fn is_right<B: Binary64>(_: B) -> bool {
        // WebAssembly always rounds to nearest.
        !B::HARDWARE || cfg!(target_family = "wasm") || rounds_to_nearest()
    }

    /// Returns true if the binary64 unit rounds to nearest, ties to even.
    fn rounds_to_nearest() -> bool {
        // The compiler must not know the numbers, so that the unit adds them.
        let [one, next, half] = black_box([1.0, 1.0 + f64::EPSILON, f64::EPSILON / 2.0]);
        // The sum is a tie whose even neighbour is below. Rounding up and rounding ties away from
        // zero give `next`.
        let down = one + half;
        // The sum is a tie whose even neighbour is above. Rounding down and rounding to zero give
        // `next`.
        let up = next + half;
        down == 1.0 && up == 1.0 + 2.0 * f64::EPSILON
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn tests_run_in_the_default_mode() {
            assert!(super::rounds_to_nearest());
        }
    }
}
