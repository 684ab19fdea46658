//! Cases that run with marked secrets.

use crate::valgrind::{classify, declassify};
use falcon_core::hazmat::{
    BatchSignRaw, Fit, RawJob, RawRandomness, sign_raw_on, sign_with_hash_on,
};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash_to_point::{
    HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher,
};
use falcon_core::seams::lanes::{Baseline, F64s, Isa, Many, Pack, Register, Soft, register_of};
use falcon_core::seams::sampler::{LaneSampler, SamplerZ, Sampling, SigningIsa};
use falcon_core::seams::tree::Leaf;
use falcon_core::seams::{LaneEngine, decode_boxed_on, expand_on};
use falcon_core::{Falcon512, Falcon1024, NONCE_LEN, Parameters, Scratch, Signature, SigningKey};
use falcon_kat::rsp::Reader;
use std::hint::black_box;
use std::ops::{Add, Mul, Neg, Sub};

/// One run between two readings of the error counter.
pub(crate) struct Case {
    pub(crate) name: String,
    /// True if Memcheck must report the case.
    pub(crate) leaks: bool,
    pub(crate) run: Box<dyn FnOnce()>,
}

fn silent(name: String, run: impl FnOnce() + 'static) -> Case {
    Case {
        name,
        leaks: false,
        run: Box::new(run),
    }
}

/// Returns every case, the deliberate leaks first.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![
        Case {
            name: "deliberate leak: branch".into(),
            leaks: true,
            run: Box::new(leak_branch),
        },
        Case {
            name: "deliberate leak: index".into(),
            leaks: true,
            run: Box::new(leak_index),
        },
        Case {
            name: "deliberate leak: outside an accepted exception".into(),
            leaks: true,
            run: Box::new(leak_after_the_sampler),
        },
        Case {
            name: "deliberate leak: an operation on the lanes of a batch".into(),
            leaks: true,
            run: Box::new(|| batch(Baseline, Many::<_, 4>(Leaky))),
        },
    ];
    for_arithmetic(Baseline, "scalar", &mut cases);
    for_arithmetic(Soft, "soft", &mut cases);
    cases.push(silent("four lanes: Falcon-512 batch".into(), || {
        batch(Baseline, Many::<_, 4>(Baseline));
    }));
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = falcon_x86::Avx2::detect() {
        for_arithmetic(isa, "avx2", &mut cases);
        cases.push(silent(
            "avx2: Falcon-512 batch on eight lanes".into(),
            move || {
                batch(isa, Many::<_, 8>(isa));
            },
        ));
    }
    cases
}

fn for_arithmetic<B: SigningIsa + Fft<Real = f64>>(b: B, engine: &str, cases: &mut Vec<Case>) {
    cases.push(silent(format!("{engine}: fft, split, merge"), move || {
        polynomials(b)
    }));
    cases.push(silent(format!("{engine}: sampler"), move || {
        black_box(sampler(b));
    }));
    for_parameters::<Falcon512, B>(b, engine, cases);
    for_parameters::<Falcon1024, B>(b, engine, cases);
}

fn for_parameters<P: Parameters, B: SigningIsa>(b: B, engine: &str, cases: &mut Vec<Case>) {
    let name = |what: &str| format!("{engine}: {} {what}", P::NAME);
    cases.push(silent(name("key decoded and encoded"), move || {
        secret_key_codec::<P, B>(b);
    }));
    cases.push(silent(name("signed from the key"), move || {
        let key = secret_key::<P, B>(b);
        with_scratch(|scratch| check(&sign(b, &*key, scratch)));
    }));
    cases.push(silent(name("expanded, then signed"), move || {
        let key = secret_key::<P, B>(b);
        with_scratch(|scratch| {
            let expanded = expand_on(b, &key);
            check(&sign(b, &expanded, scratch));
        });
    }));
    cases.push(silent(name("signed with hedged randomness"), move || {
        let key = secret_key::<P, B>(b);
        let seed = [7; 32];
        classify(&seed);
        with_scratch(|scratch| {
            check(
                &sign_with_hash_on(b, &*key, &seed, &Published, MESSAGE, scratch).expect("a point"),
            );
        });
    }));
}

const MESSAGE: &[u8] = b"order #42";

/// The hash of the scheme, whose point is public: it follows from the signature.
struct Published;

struct PublishedHasher(Shake256PointHasher);

impl HashToPoint for Published {
    type Hasher = PublishedHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> PublishedHasher {
        PublishedHasher(Shake256HashToPoint.hasher(nonce))
    }
}

impl PointHasher for PublishedHasher {
    fn update(&mut self, chunk: &[u8]) {
        self.0.update(chunk);
    }

    fn finish(self, point: &mut [u16]) {
        self.0.finish(point);
        declassify(point);
    }
}

fn leak_branch() {
    let secret = [black_box(3u8)];
    classify(&secret);
    if black_box(secret[0]) == 3 {
        black_box("equal");
    }
}

fn leak_index() {
    let table = black_box([1u8, 2, 3, 4]);
    let secret = [black_box(3usize)];
    classify(&secret);
    black_box(table[black_box(secret[0]) & 3]);
}

/// The sampler's own rejection is accepted; a branch on what it returns is not.
fn leak_after_the_sampler() {
    if black_box(sampler(Baseline)) > 0.0 {
        black_box("positive");
    }
}

fn polynomials<B: SigningIsa + Fft<Real = f64>>(b: B) {
    for logn in 2..=10 {
        let n = 1 << logn;
        let mut f: Vec<f64> = (0..n).map(|i| f64::from(i * 37 % 255 - 127)).collect();
        let half = f.len() / 2;
        classify(&f[..]);
        let (mut even, mut odd) = (vec![0.0; half], vec![0.0; half]);
        b.fft(logn, &mut f);
        b.split(logn, &mut even, &mut odd, &f);
        b.merge(logn, &mut f, &even, &odd);
        b.ifft(logn, &mut f);
        black_box(f);
    }
}

/// Samples around secret centres with a secret leaf and secret bytes.
fn sampler<B: SigningIsa + Fft<Real = f64>>(b: B) -> f64 {
    let seed = [5; 56];
    classify(&seed);
    let mut feeds = [b.sampling().feed(&seed)];
    let leaf = Leaf {
        dss: 0.18,
        ccs: 0.75,
    };
    classify(&leaf);
    let centers = [-91.7, 14.2];
    classify(&centers);
    let mut sampler = LaneSampler::new(b, b.sampling(), &mut feeds);
    let mut sum = 0.0;
    for _ in 0..200 {
        let [z0, z1] = sampler.sample_pair(centers, &leaf);
        sum = Fft::add(&b, sum, Fft::add(&b, z0, z1));
    }
    sum
}

/// A key whose secret parts are marked, made from marked bytes.
fn secret_key<P: Parameters, B: SigningIsa>(b: B) -> Box<SigningKey<P>> {
    let file: &[u8] = match P::LOGN {
        9 => include_bytes!("../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        10 => include_bytes!("../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        logn => panic!("no vectors of degree 2^{logn}"),
    };
    let record = Reader::new(file).next();
    let bytes = record.expect("a record").expect("well formed").secret_key;
    classify(&bytes[1..]);
    let key = decode_boxed_on::<P>(b, &bytes);
    // That these bytes are a key is public. The rest stays secret, except the
    // verifying key, which is public as well.
    declassify(&key);
    let key = key.expect("a stored key decodes");
    classify(&*key);
    declassify(key.verifying_key());
    key
}

fn secret_key_codec<P: Parameters, B: SigningIsa>(b: B) {
    let key = secret_key::<P, B>(b);
    black_box(key.to_bytes());
}

fn sign<P: Parameters, B: SigningIsa>(
    b: B,
    key: &impl falcon_core::hazmat::SecretKey<P>,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let (nonce, seed) = ([2; 40], [3; 48]);
    classify(&seed);
    let randomness = RawRandomness {
        nonce: &nonce,
        seed: &seed,
    };
    sign_raw_on(b, key, randomness, MESSAGE, Fit::Padded, scratch)
}

/// An instruction set whose sum of four doubles branches on what it computes: a
/// batch's own rejection is accepted, and must not hide what happens on its
/// lanes.
#[derive(Clone, Copy, Debug)]
struct Leaky;

impl Isa for Leaky {
    type F64 = f64;
    type F64x2 = Pack<2>;
    type F64x4 = LeakyPack;
    type F64x8 = Pack<8>;
    const LONGEST_F64S: usize = 1;
    type F32x8 = <Baseline as Isa>::F32x8;
    type U64s = u64;
    type U32s = u32;
    type I16s = i16;

    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

#[derive(Clone, Copy, Debug)]
struct LeakyPack(Pack<4>);

impl Add for LeakyPack {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        if sum.0[0] > 1e300 {
            black_box("huge");
        }
        Self(sum)
    }
}

impl Sub for LeakyPack {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for LeakyPack {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Neg for LeakyPack {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Register<Leaky> for LeakyPack {
    type Value = f64;
    register_of!(4);

    fn load(isa: Leaky, x: &[f64; 4]) -> Self {
        Self(Pack::load(isa, x))
    }
    fn splat(isa: Leaky, x: f64) -> Self {
        Self(Pack::splat(isa, x))
    }
    fn store(self, out: &mut [f64; 4]) {
        Register::<Leaky>::store(self.0, out);
    }
}

impl F64s<Leaky> for LeakyPack {
    fn cycle(isa: Leaky, x: &[f64]) -> Self {
        Self(Pack::cycle(isa, x))
    }
    fn half(self) -> Self {
        Self(F64s::<Leaky>::half(self.0))
    }
    fn inverse(self) -> Self {
        Self(F64s::<Leaky>::inverse(self.0))
    }
    fn floor(self) -> Self {
        Self(F64s::<Leaky>::floor(self.0))
    }
    fn zip(self, y: Self) -> [Self; 2] {
        F64s::<Leaky>::zip(self.0, y.0).map(Self)
    }
    fn unzip(self, y: Self) -> [Self; 2] {
        F64s::<Leaky>::unzip(self.0, y.0).map(Self)
    }
}

/// Five jobs on four lanes, so that a lane is used again.
fn batch<B: SigningIsa>(arith: B, fft: impl Fft) {
    let key = secret_key::<Falcon512, _>(Baseline);
    let expanded = expand_on(Baseline, &key);
    let (nonces, seeds) = ([[2; 40]; 5], [[3; 48]; 5]);
    classify(&seeds);
    let jobs: Vec<_> = nonces
        .iter()
        .zip(&seeds)
        .map(|(nonce, seed)| RawJob::new(&expanded, MESSAGE, RawRandomness { nonce, seed }))
        .collect();
    let engine = LaneEngine { arith, fft };
    let mut out = [Signature::EMPTY; 5];
    engine
        .sign_batch_raw(&jobs, Fit::Padded, &mut out)
        .expect("as many results as jobs");
    out.iter().for_each(check);
}

fn with_scratch<P: Parameters>(work: impl FnOnce(&mut Scratch<'_, P>)) {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let scratch = Scratch::new(&mut reals);
    work(&mut scratch.expect("it has the length that is asked"));
}

/// The signature is public.
fn check<P: Parameters>(signature: &Signature<P>) {
    declassify(signature);
    black_box(signature.to_bytes());
}
