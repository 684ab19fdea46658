//! PQClean's copy of the reference, which `pqcrypto-falcon` builds and links under C names.
//!
//! The form `clean` computes binary64 with integers. On x86-64 the form `avx2` uses the processor's
//! doubles. It has no fused instructions: its macros `FMADD` and `FMSUB` are a product and a sum,
//! and it is built without `-mfma`. Its exponential is a different polynomial, computed in doubles.
//! So `clean` is the definition.
//!
//! All `unsafe` code of this package is here.

use crate::Degree;
use std::ffi::c_int;
use std::ptr;

// This import links the C code.
use pqcrypto_falcon as _;

/// A real of the form `clean`: the bits of a double.
pub type Bits = u64;

/// A SHAKE256 stream of PQClean, `shake256incctx`.
#[repr(C)]
pub struct Stream {
    words: [u64; 26],
}

unsafe extern "C" {
    fn shake256_inc_init(state: *mut Stream);
    fn shake256_inc_absorb(state: *mut Stream, input: *const u8, len: usize);
    fn shake256_inc_finalize(state: *mut Stream);
}

impl Stream {
    /// Makes the stream of the concatenated `pieces`.
    pub fn new(pieces: &[&[u8]]) -> Self {
        let mut stream = Self { words: [0; 26] };
        // SAFETY: `Stream` has the layout of `shake256incctx`, and each pointer is valid for the
        // length passed with it.
        unsafe {
            shake256_inc_init(&mut stream);
            for piece in pieces {
                shake256_inc_absorb(&mut stream, piece.as_ptr(), piece.len());
            }
            shake256_inc_finalize(&mut stream);
        }
        stream
    }
}

/// The sampler's generator and deviation, `sampler_context`.
#[repr(C)]
pub struct Sampler {
    buffer: [u64; 64],
    place: usize,
    state: [u64; 32],
    kind: c_int,
    sigma_min: Bits,
}

type Keygen = unsafe extern "C" fn(
    rng: *mut Stream,
    f: *mut i8,
    g: *mut i8,
    capital_f: *mut i8,
    capital_g: *mut i8,
    h: *mut u16,
    logn: u32,
    tmp: *mut u64,
);
type SignDyn = unsafe extern "C" fn(
    s2: *mut i16,
    rng: *mut Stream,
    f: *const i8,
    g: *const i8,
    capital_f: *const i8,
    capital_g: *const i8,
    point: *const u16,
    logn: u32,
    tmp: *mut u64,
);
type HashToPoint = unsafe extern "C" fn(stream: *mut Stream, point: *mut u16, logn: u32);
type Encode = unsafe extern "C" fn(out: *mut u8, max: usize, s2: *const i16, logn: u32) -> usize;
type OnOne = unsafe extern "C" fn(a: *mut Bits, logn: u32);
type OnTwo = unsafe extern "C" fn(a: *mut Bits, b: *const Bits, logn: u32);
type Scale = unsafe extern "C" fn(a: *mut Bits, x: Bits, logn: u32);
type Split = unsafe extern "C" fn(f0: *mut Bits, f1: *mut Bits, f: *const Bits, logn: u32);
type Merge = unsafe extern "C" fn(f: *mut Bits, f0: *const Bits, f1: *const Bits, logn: u32);
type Ldl = unsafe extern "C" fn(g00: *const Bits, g01: *mut Bits, g11: *mut Bits, logn: u32);
type Start = unsafe extern "C" fn(sampler: *mut Sampler, stream: *mut Stream);
type Sample = unsafe extern "C" fn(sampler: *mut Sampler, mu: Bits, isigma: Bits) -> c_int;
type IsShortHalf = unsafe extern "C" fn(norm: u32, s2: *const i16, logn: u32) -> c_int;

/// Whole operations of one form at one degree.
struct Operations {
    keygen: Keygen,
    sign_dyn: SignDyn,
    hash_to_point: HashToPoint,
    encode: Encode,
}

/// Steps of a signature, for the form `clean` at one degree.
struct Steps {
    fft: OnOne,
    ifft: OnOne,
    neg: OnOne,
    add: OnTwo,
    sub: OnTwo,
    mul: OnTwo,
    muladj: OnTwo,
    mulselfadj: OnOne,
    scale: Scale,
    split: Split,
    merge: Merge,
    ldl: Ldl,
    start: Start,
    sample: Sample,
    is_short_half: IsShortHalf,
}

macro_rules! operations {
    ($module:ident, $prefix:literal) => {
        mod $module {
            use super::*;

            unsafe extern "C" {
                #[link_name = concat!($prefix, "keygen")]
                fn keygen(
                    rng: *mut Stream,
                    f: *mut i8,
                    g: *mut i8,
                    capital_f: *mut i8,
                    capital_g: *mut i8,
                    h: *mut u16,
                    logn: u32,
                    tmp: *mut u64,
                );
                #[link_name = concat!($prefix, "sign_dyn")]
                fn sign_dyn(
                    s2: *mut i16,
                    rng: *mut Stream,
                    f: *const i8,
                    g: *const i8,
                    capital_f: *const i8,
                    capital_g: *const i8,
                    point: *const u16,
                    logn: u32,
                    tmp: *mut u64,
                );
                #[link_name = concat!($prefix, "hash_to_point_vartime")]
                fn hash_to_point(stream: *mut Stream, point: *mut u16, logn: u32);
                #[link_name = concat!($prefix, "comp_encode")]
                fn encode(out: *mut u8, max: usize, s2: *const i16, logn: u32) -> usize;
            }

            pub(super) static OPERATIONS: Operations = Operations {
                keygen,
                sign_dyn,
                hash_to_point,
                encode,
            };
        }
    };
}

macro_rules! steps {
    ($module:ident, $prefix:literal) => {
        mod $module {
            use super::*;

            unsafe extern "C" {
                #[link_name = concat!($prefix, "FFT")]
                fn fft(a: *mut Bits, logn: u32);
                #[link_name = concat!($prefix, "iFFT")]
                fn ifft(a: *mut Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_neg")]
                fn neg(a: *mut Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_add")]
                fn add(a: *mut Bits, b: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_sub")]
                fn sub(a: *mut Bits, b: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_mul_fft")]
                fn mul(a: *mut Bits, b: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_muladj_fft")]
                fn muladj(a: *mut Bits, b: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_mulselfadj_fft")]
                fn mulselfadj(a: *mut Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_mulconst")]
                fn scale(a: *mut Bits, x: Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_split_fft")]
                fn split(f0: *mut Bits, f1: *mut Bits, f: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_merge_fft")]
                fn merge(f: *mut Bits, f0: *const Bits, f1: *const Bits, logn: u32);
                #[link_name = concat!($prefix, "poly_LDL_fft")]
                fn ldl(g00: *const Bits, g01: *mut Bits, g11: *mut Bits, logn: u32);
                #[link_name = concat!($prefix, "prng_init")]
                fn start(sampler: *mut Sampler, stream: *mut Stream);
                #[link_name = concat!($prefix, "sampler")]
                fn sample(sampler: *mut Sampler, mu: Bits, isigma: Bits) -> c_int;
                #[link_name = concat!($prefix, "is_short_half")]
                fn is_short_half(norm: u32, s2: *const i16, logn: u32) -> c_int;
            }

            pub(super) static STEPS: Steps = Steps {
                fft,
                ifft,
                neg,
                add,
                sub,
                mul,
                muladj,
                mulselfadj,
                scale,
                split,
                merge,
                ldl,
                start,
                sample,
                is_short_half,
            };
        }
    };
}

operations!(clean_512, "PQCLEAN_FALCON512_CLEAN_");
operations!(clean_1024, "PQCLEAN_FALCON1024_CLEAN_");
steps!(steps_512, "PQCLEAN_FALCON512_CLEAN_");
steps!(steps_1024, "PQCLEAN_FALCON1024_CLEAN_");
#[cfg(target_arch = "x86_64")]
operations!(avx2_512, "PQCLEAN_FALCON512_AVX2_");
#[cfg(target_arch = "x86_64")]
operations!(avx2_1024, "PQCLEAN_FALCON1024_AVX2_");

/// A form of the C code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// Binary64 computed with integers.
    Clean,
    /// The processor's doubles, on x86-64 with AVX2.
    Native,
}

impl Form {
    /// Returns the fastest form that the processor can run.
    pub fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Native;
        }
        Self::Clean
    }
}

/// The short basis of a key: `f`, `g`, `F`, `G`.
pub type Basis = [Vec<i8>; 4];

/// The reference code for one degree, in one form.
#[derive(Clone, Copy)]
pub struct Reference {
    logn: u32,
    operations: &'static Operations,
    steps: &'static Steps,
}

impl Reference {
    /// Returns the reference code in the form `form` for a degree.
    ///
    /// # Panics
    /// If the processor cannot run the form.
    pub fn new(degree: Degree, form: Form) -> Self {
        let (operations, steps) = match (form, degree) {
            (Form::Clean, Degree::Falcon512) => (&clean_512::OPERATIONS, &steps_512::STEPS),
            (Form::Clean, Degree::Falcon1024) => (&clean_1024::OPERATIONS, &steps_1024::STEPS),
            #[cfg(target_arch = "x86_64")]
            (Form::Native, Degree::Falcon512) if Form::fastest() == form => {
                (&avx2_512::OPERATIONS, &steps_512::STEPS)
            }
            #[cfg(target_arch = "x86_64")]
            (Form::Native, Degree::Falcon1024) if Form::fastest() == form => {
                (&avx2_1024::OPERATIONS, &steps_1024::STEPS)
            }
            _ => panic!("this processor cannot run the form {form:?} of the C code"),
        };
        Self {
            logn: degree.logn(),
            operations,
            steps,
        }
    }

    /// Returns the base-2 logarithm of the degree.
    pub fn logn(self) -> u32 {
        self.logn
    }

    fn n(self) -> usize {
        1 << self.logn
    }

    /// Generates the key from a seed.
    pub fn generate(self, seed: &[u8]) -> Basis {
        let n = self.n();
        let mut basis: Basis = std::array::from_fn(|_| vec![0; n]);
        let mut stream = Stream::new(&[seed]);
        let mut h = vec![0u16; n];
        // `FALCON_KEYGEN_TEMP_n` is 28 bytes a coefficient.
        let mut tmp = vec![0u64; 28 * n / 8];
        let [f, g, capital_f, capital_g] = &mut basis;
        // SAFETY: there are five arrays of `n` coefficients, and the aligned memory that `inner.h`
        // asks for. `new` has checked that the processor can run the form.
        unsafe {
            (self.operations.keygen)(
                &mut stream,
                f.as_mut_ptr(),
                g.as_mut_ptr(),
                capital_f.as_mut_ptr(),
                capital_g.as_mut_ptr(),
                h.as_mut_ptr(),
                self.logn,
                tmp.as_mut_ptr(),
            );
        }
        basis
    }

    /// Hashes a nonce and a message to a point.
    pub fn hash_to_point(self, nonce: &[u8], message: &[u8]) -> Vec<u16> {
        let mut stream = Stream::new(&[nonce, message]);
        let mut point = vec![0; self.n()];
        // SAFETY: `point` has `n` coefficients.
        unsafe { (self.operations.hash_to_point)(&mut stream, point.as_mut_ptr(), self.logn) };
        point
    }

    /// Signs a point, with sampler seeds from the stream of `seed`. Returns `s2` of the first short
    /// vector.
    pub fn sign(self, basis: &[&[i8]; 4], point: &[u16], seed: &[u8]) -> Vec<i16> {
        let n = self.n();
        assert!(basis.iter().all(|row| row.len() == n) && point.len() == n);
        let mut stream = Stream::new(&[seed]);
        let mut s2 = vec![0; n];
        let mut tmp = vec![0u64; 72 * n / 8];
        let [f, g, capital_f, capital_g] = basis;
        // SAFETY: there are six arrays of `n` coefficients, and 72 bytes a coefficient of aligned
        // memory, as `inner.h` asks for. `new` has checked that the processor can run the form.
        unsafe {
            (self.operations.sign_dyn)(
                s2.as_mut_ptr(),
                &mut stream,
                f.as_ptr(),
                g.as_ptr(),
                capital_f.as_ptr(),
                capital_g.as_ptr(),
                point.as_ptr(),
                self.logn,
                tmp.as_mut_ptr(),
            );
        }
        s2
    }

    /// Compresses `s2`.
    pub fn compress(self, s2: &[i16]) -> Vec<u8> {
        assert_eq!(s2.len(), self.n());
        let mut out = vec![0; 2 * self.n()];
        // SAFETY: `s2` has `n` coefficients, and `out` has the stated length.
        let len = unsafe {
            (self.operations.encode)(out.as_mut_ptr(), out.len(), s2.as_ptr(), self.logn)
        };
        out.truncate(len);
        out
    }

    /// Transforms coefficients to the FFT domain.
    pub fn fft(self, a: &mut [Bits]) {
        // SAFETY: `log(a)` matches the length of `a`.
        unsafe { (self.steps.fft)(a.as_mut_ptr(), log(a)) }
    }

    /// Transforms from the FFT domain to coefficients.
    pub fn ifft(self, a: &mut [Bits]) {
        // SAFETY: `log(a)` matches the length of `a`.
        unsafe { (self.steps.ifft)(a.as_mut_ptr(), log(a)) }
    }

    /// `a = -a`.
    pub fn neg(self, a: &mut [Bits]) {
        // SAFETY: `log(a)` matches the length of `a`.
        unsafe { (self.steps.neg)(a.as_mut_ptr(), log(a)) }
    }

    /// `a = a adj(a)`.
    pub fn mulselfadj(self, a: &mut [Bits]) {
        // SAFETY: `log(a)` matches the length of `a`.
        unsafe { (self.steps.mulselfadj)(a.as_mut_ptr(), log(a)) }
    }

    /// `a = x a`.
    pub fn scale(self, a: &mut [Bits], x: f64) {
        // SAFETY: `log(a)` matches the length of `a`.
        unsafe { (self.steps.scale)(a.as_mut_ptr(), x.to_bits(), log(a)) }
    }

    /// `a = a + b`.
    pub fn add(self, a: &mut [Bits], b: &[Bits]) {
        on_two(self.steps.add, a, b);
    }

    /// `a = a - b`.
    pub fn sub(self, a: &mut [Bits], b: &[Bits]) {
        on_two(self.steps.sub, a, b);
    }

    /// `a = a b`.
    pub fn mul(self, a: &mut [Bits], b: &[Bits]) {
        on_two(self.steps.mul, a, b);
    }

    /// `a = a adj(b)`.
    pub fn muladj(self, a: &mut [Bits], b: &[Bits]) {
        on_two(self.steps.muladj, a, b);
    }

    /// Splits a polynomial of degree 2 or more.
    pub fn split(self, f: &[Bits]) -> [Vec<Bits>; 2] {
        let mut out = [vec![0; f.len() / 2], vec![0; f.len() / 2]];
        let [f0, f1] = &mut out;
        assert!(f.len() >= 2);
        // SAFETY: the two halves have half the length of the polynomial.
        unsafe { (self.steps.split)(f0.as_mut_ptr(), f1.as_mut_ptr(), f.as_ptr(), log(f)) }
        out
    }

    /// Merges two polynomials.
    pub fn merge(self, [f0, f1]: [&[Bits]; 2]) -> Vec<Bits> {
        assert_eq!(f0.len(), f1.len());
        let mut f = vec![0; 2 * f0.len()];
        // SAFETY: the two halves have half the length of the polynomial.
        unsafe { (self.steps.merge)(f.as_mut_ptr(), f0.as_ptr(), f1.as_ptr(), log(&f)) }
        f
    }

    /// Factors a Gram matrix: `g01` becomes `l10`, and `g11` becomes `d11`.
    pub fn ldl(self, g00: &[Bits], g01: &mut [Bits], g11: &mut [Bits]) {
        assert!(g00.len() == g01.len() && g00.len() == g11.len());
        // SAFETY: the three polynomials have one degree.
        unsafe { (self.steps.ldl)(g00.as_ptr(), g01.as_mut_ptr(), g11.as_mut_ptr(), log(g00)) }
    }

    /// Starts the sampler of the next attempt, from the next 56 bytes of `stream`.
    pub fn start(self, stream: &mut Stream, sigma_min: f64) -> Sampler {
        let mut sampler = Sampler {
            buffer: [0; 64],
            place: 0,
            state: [0; 32],
            kind: 0,
            sigma_min: sigma_min.to_bits(),
        };
        // SAFETY: `Sampler` has the layout of `sampler_context`, which begins with the generator.
        unsafe { (self.steps.start)(ptr::from_mut(&mut sampler), stream) };
        sampler
    }

    /// Draws an integer around `mu`.
    pub fn sample(self, sampler: &mut Sampler, mu: Bits, isigma: Bits) -> i64 {
        // SAFETY: `start` made the sampler.
        let z = unsafe { (self.steps.sample)(ptr::from_mut(sampler), mu, isigma) };
        z.into()
    }

    /// Returns true if a vector is short, given the squared norm of `s1`, and `s2`.
    pub fn is_short_half(self, norm: u32, s2: &[i16]) -> bool {
        assert_eq!(s2.len(), self.n());
        // SAFETY: `s2` has `n` coefficients.
        unsafe { (self.steps.is_short_half)(norm, s2.as_ptr(), self.logn) != 0 }
    }
}

/// Calls a function of two polynomials of one degree.
fn on_two(function: OnTwo, a: &mut [Bits], b: &[Bits]) {
    assert_eq!(a.len(), b.len());
    // SAFETY: both polynomials have one degree.
    unsafe { function(a.as_mut_ptr(), b.as_ptr(), log(a)) }
}

/// Returns the base-2 logarithm of a degree.
fn log(a: &[Bits]) -> u32 {
    assert!(a.len().is_power_of_two());
    a.len().trailing_zeros()
}
