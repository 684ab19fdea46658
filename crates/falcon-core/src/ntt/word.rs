//! Montgomery and Barrett reduction on the registers of an instruction set.

use crate::lanes::I16s;
use crate::modq::Modulus;

/// `a b / R mod P`; see [`modq::montgomery_mul`](crate::modq::montgomery_mul).
#[inline(always)]
pub(super) fn product<M: Modulus, W: I16s>(a: W, b: W) -> W {
    a.montgomery(b, a.mul_low(b).mul_low_by(M::P_INV), M::P)
}

/// The centred representative of `a`; see
/// [`modq::barrett_reduce`](crate::modq::barrett_reduce).
#[inline(always)]
pub(super) fn centred<M: Modulus, W: I16s>(a: W) -> W {
    a.sub_mul(a.barrett(M::BARRETT), M::P)
}
