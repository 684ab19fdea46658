//! Only the inner loops, ours and PQClean's: FFT, NTT and Keccak-f. `arm/mca.sh` estimates their
//! cycles.

use crate::entry::MESSAGE;
use crate::ours;
use falcon_core::Engine;
use falcon_core::seams::LaneEngine;
use falcon_core::seams::TokenVisitor;
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::lanes::Isa;
use falcon_core::seams::ntt::{Ntt, PortableNtt};
use falcon_core::seams::sampler::SigningIsa;
use std::hint::black_box;

/// Degree of all loops: Falcon-512.
const LOGN: u32 = 9;
const N: usize = 1 << LOGN;

/// Number of complex butterflies of an FFT: `n/2` values, two for each butterfly, in all layers
/// except the implicit one.
const FFT_BUTTERFLIES: usize = N / 4 * (LOGN as usize - 1);
/// Number of butterflies of an NTT.
const NTT_BUTTERFLIES: usize = N / 2 * LOGN as usize;

/// A loop to measure.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Name of the operation.
    pub what: &'static str,
    /// Owner of the code: an engine, or the peer. With `one`, it is the engine's code for one
    /// signature, otherwise its code for one signature on each lane.
    pub code: &'static str,
    /// True if the code is for one signature, see [`code`](Self::code).
    pub one: bool,
    /// Number of butterflies or permutations of one call.
    pub units: usize,
}

/// Callback that gets each loop and the code to run it.
pub type Measure<'a> = dyn FnMut(Loop, &mut dyn FnMut()) + 'a;

/// Measures each loop that this target has.
pub fn each(measure: &mut Measure<'_>) {
    let mut reader = Shake256::reader(MESSAGE);
    let mut block = [0; 136];
    let keccak = Loop {
        what: "keccak",
        code: "ours",
        one: true,
        units: 1,
    };
    measure(keccak, &mut || reader.read(black_box(&mut block)));
    for engine in Engine::available() {
        if engine != Engine::Soft {
            falcon_core::seams::visit(engine, Transforms { engine, measure });
        }
    }
    #[cfg(target_arch = "aarch64")]
    pqclean::each(measure);
}

/// The transforms of an engine.
struct Transforms<'a, 'b> {
    engine: Engine,
    measure: &'a mut Measure<'b>,
}

impl TokenVisitor for Transforms<'_, '_> {
    type Output = ();

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) {
        let code = self.engine.name();
        let new = |what, one, units| Loop {
            what,
            code,
            one,
            units,
        };
        if ours::distinct().any(|engine| engine == self.engine) {
            fft(
                &|what, units| new(what, true, units),
                tokens.arith,
                self.measure,
            );
            ntt(
                &|what, units| new(what, true, units),
                tokens.arith,
                self.measure,
            );
        }
        if self.engine.lanes() > 1 {
            fft(
                &|what, units| new(what, false, units),
                tokens.fft,
                self.measure,
            );
        }
    }
}

/// Returns coefficients like those of a hashed message.
fn coefficients() -> Vec<u16> {
    let mut point = vec![0; N];
    Shake256HashToPoint.hash_to_point(&[1; 40], MESSAGE, &mut point);
    point
}

fn fft<F: Fft>(new: &dyn Fn(&'static str, usize) -> Loop, fft: F, measure: &mut Measure<'_>) {
    let mut f = vec![F::Real::default(); N];
    for (real, c) in f.iter_mut().zip(coefficients()) {
        for lane in 0..F::LANES {
            fft.values_mut(real)[lane] = f64::from(c);
        }
    }
    let units = FFT_BUTTERFLIES * F::LANES;
    measure(new("fft", units), &mut || fft.fft(LOGN, black_box(&mut f)));
    measure(new("ifft", units), &mut || {
        fft.ifft(LOGN, black_box(&mut f))
    });
}

fn ntt<I: Isa>(new: &dyn Fn(&'static str, usize) -> Loop, isa: I, measure: &mut Measure<'_>) {
    let ntt = PortableNtt(isa);
    let mut a = vec![Default::default(); N];
    ntt.set_residues(&mut a, &coefficients());
    measure(new("ntt", NTT_BUTTERFLIES), &mut || {
        ntt.ntt(LOGN, black_box(&mut a));
    });
    measure(new("intt", NTT_BUTTERFLIES), &mut || {
        ntt.intt(LOGN, black_box(&mut a));
    });
    let b = a.clone();
    measure(new("mul+intt", NTT_BUTTERFLIES), &mut || {
        ntt.mul_then_intt(LOGN, black_box(&mut a), &b);
    });
}

/// PQClean's NEON code, with the names in its object files.
#[cfg(target_arch = "aarch64")]
mod pqclean {
    use super::{FFT_BUTTERFLIES, LOGN, Loop, MESSAGE, Measure, N, NTT_BUTTERFLIES, coefficients};
    use std::ffi::{c_int, c_uint};

    fn new(what: &'static str, units: usize) -> Loop {
        Loop {
            what,
            code: "pqclean",
            one: true,
            units,
        }
    }

    #[repr(C)]
    struct Shake256([u64; 25]);

    unsafe extern "C" {
        fn PQCLEAN_FALCONPADDED512_AARCH64_FFT(f: *mut f64, logn: c_uint);
        fn PQCLEAN_FALCONPADDED512_AARCH64_iFFT(f: *mut f64, logn: c_uint);
        fn PQCLEAN_FALCONPADDED512_AARCH64_poly_ntt(a: *mut i16, domain: c_int);
        fn PQCLEAN_FALCONPADDED512_AARCH64_poly_invntt(a: *mut i16, domain: c_int);
        fn PQCLEAN_FALCONPADDED512_AARCH64_poly_montmul_ntt(f: *mut i16, g: *const i16);
        fn shake256_absorb(state: *mut Shake256, input: *const u8, len: usize);
        fn shake256_squeezeblocks(output: *mut u8, blocks: usize, state: *mut Shake256);
    }

    pub(super) fn each(measure: &mut Measure<'_>) {
        let mut state = Shake256([0; 25]);
        // SAFETY: the message is passed with its length. The function fills in the state.
        unsafe { shake256_absorb(&mut state, MESSAGE.as_ptr(), MESSAGE.len()) };
        let mut block = [0; 136];
        measure(new("keccak", 1), &mut || {
            // SAFETY: the state was filled in, and a block has 136 bytes.
            unsafe { shake256_squeezeblocks(block.as_mut_ptr(), 1, &mut state) };
        });
        let mut f: Vec<f64> = coefficients().into_iter().map(f64::from).collect();
        assert_eq!(f.len(), N);
        measure(new("fft", FFT_BUTTERFLIES), &mut || {
            // SAFETY: `f` has `n` reals.
            unsafe { PQCLEAN_FALCONPADDED512_AARCH64_FFT(f.as_mut_ptr(), LOGN) };
        });
        measure(new("ifft", FFT_BUTTERFLIES), &mut || {
            // SAFETY: `f` has `n` reals.
            unsafe { PQCLEAN_FALCONPADDED512_AARCH64_iFFT(f.as_mut_ptr(), LOGN) };
        });
        let centred = coefficients().into_iter().map(|c| c as i16 - 6144);
        let mut a: Vec<i16> = centred.collect();
        assert_eq!(a.len(), N);
        measure(new("ntt", NTT_BUTTERFLIES), &mut || {
            // SAFETY: `a` has `n` values. 0 is the plain domain.
            unsafe { PQCLEAN_FALCONPADDED512_AARCH64_poly_ntt(a.as_mut_ptr(), 0) };
        });
        measure(new("intt", NTT_BUTTERFLIES), &mut || {
            // SAFETY: `a` has `n` values. 0 is the plain domain.
            unsafe { PQCLEAN_FALCONPADDED512_AARCH64_poly_invntt(a.as_mut_ptr(), 0) };
        });
        let b = a.clone();
        measure(new("mul+intt", NTT_BUTTERFLIES), &mut || {
            // SAFETY: both polynomials have `n` values.
            unsafe {
                PQCLEAN_FALCONPADDED512_AARCH64_poly_montmul_ntt(a.as_mut_ptr(), b.as_ptr());
                PQCLEAN_FALCONPADDED512_AARCH64_poly_invntt(a.as_mut_ptr(), 0);
            }
        });
    }
}
