//! Times each primitive alone: `cargo bench -p falcon-benches --bench primitives`.

use criterion::{Criterion, criterion_group, criterion_main};
use falcon_benches::entry::MESSAGE;
use falcon_benches::ours::{distinct, key};
use falcon_core::seams::LaneEngine;
use falcon_core::seams::TokenVisitor;
use falcon_core::seams::ffsampling::{ffsampling, scratch_len};
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::ntt::{Ntt, PORTABLE_NTT};
use falcon_core::seams::prng::Prng;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::sampler::{LaneSampler, SamplerZ, Sampling};
use falcon_core::seams::tree::{Leaf, Stored};
use falcon_core::{Engine, ExpandedKey, Falcon512, Falcon1024, Parameters};
use std::hint::black_box;

/// Returns uniform coefficients below `q`.
fn point(n: usize) -> Vec<u16> {
    let mut point = vec![0; n];
    Shake256HashToPoint.hash_to_point(&[1; 40], MESSAGE, &mut point);
    point
}

fn hash(c: &mut Criterion) {
    let mut reader = Shake256::reader(MESSAGE);
    let mut block = [0; 136];
    c.bench_function("shake256/block", |b| {
        b.iter(|| reader.read(black_box(&mut block)))
    });
    for n in [512, 1024] {
        let mut out = vec![0; n];
        c.bench_function(&format!("hash_to_point/{n}"), |b| {
            b.iter(|| {
                Shake256HashToPoint.hash_to_point(&[1; 40], black_box(MESSAGE), &mut out);
            });
        });
    }
}

fn prng(c: &mut Criterion) {
    let mut prng = Prng::<1>::new(Baseline, &[1; 56]);
    c.bench_function("chacha20/512 bytes", |b| {
        b.iter(|| {
            // The 64th read from a buffer refills it.
            for _ in 0..63 {
                black_box(prng.next_u64());
            }
        });
    });
}

fn ntt(c: &mut Criterion) {
    for logn in [9u32, 10] {
        let n = 1 << logn;
        let mut words = vec![0; n];
        PORTABLE_NTT.set_residues(&mut words, &point(n));
        let other = words.clone();
        let id = |name: &str| format!("ntt/{name}/{n}");
        c.bench_function(&id("forward"), |b| {
            b.iter(|| PORTABLE_NTT.ntt(logn, black_box(&mut words)));
        });
        c.bench_function(&id("inverse"), |b| {
            b.iter(|| PORTABLE_NTT.intt(logn, black_box(&mut words)));
        });
        c.bench_function(&id("product"), |b| {
            b.iter(|| PORTABLE_NTT.mul_assign(black_box(&mut words), &other));
        });
    }
}

/// Times the FFT and the operations on transformed polynomials with the lanes of `fft`. A call
/// works on one polynomial for each lane.
fn polynomials<F: Fft>(c: &mut Criterion, name: &str, fft: F) {
    for logn in [9u32, 10] {
        let n = 1 << logn;
        let mut original = vec![F::Real::default(); n];
        for (i, &value) in point(n).iter().enumerate() {
            for lane in 0..F::LANES {
                fft.values_mut(&mut original[i])[lane] = f64::from(value);
            }
        }
        fft.fft(logn, &mut original);
        let mut f = original.clone();
        let (mut half0, mut half1) = (f[n / 2..].to_vec(), f[n / 2..].to_vec());
        let key = vec![0.5; n];
        let id = |what: &str| format!("{what}/{name}/{n}");
        // Transforms forward and back, so that the values stay in range.
        c.bench_function(&id("fft and ifft"), |b| {
            b.iter(|| {
                fft.ifft(logn, black_box(&mut f));
                fft.fft(logn, black_box(&mut f));
            });
        });
        c.bench_function(&id("split"), |b| {
            b.iter(|| fft.split(logn, &mut half0, &mut half1, black_box(&original)));
        });
        c.bench_function(&id("merge"), |b| {
            b.iter(|| fft.merge(logn, &mut f, black_box(&half0), black_box(&half1)));
        });
        c.bench_function(&id("nearest plane step"), |b| {
            let mut t1 = original.clone();
            b.iter(|| {
                let u = [&mut half0[..], &mut half1[..]];
                fft.nearest_plane_step(logn, black_box(&original), &mut t1, u, &key);
            });
        });
        c.bench_function(&id("times basis"), |b| {
            let basis = BasisRef {
                b00: &key,
                b01: &key,
                b10: &key,
                b11: &key,
            };
            b.iter(|| {
                let (mut z0, mut z1) = (original.clone(), original.clone());
                fft.times_basis(logn, black_box(&mut z0), &mut z1, basis);
                black_box((z0, z1));
            });
        });
    }
}

/// Measures an engine: operations on one polynomial and on one polynomial for each lane, the
/// sampler, and the walk over a tree.
struct Tokens<'c>(&'c mut Criterion, Engine);

impl TokenVisitor for Tokens<'_> {
    type Output = ();

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) {
        let Self(c, engine) = self;
        let LaneEngine { arith, fft } = tokens;
        polynomials(c, engine.name(), arith);
        samplerz(c, engine.name(), arith);
        walk::<Falcon512, B, B>(c, engine.name(), arith, arith);
        walk::<Falcon1024, B, B>(c, engine.name(), arith, arith);
        if engine.lanes() > 1 {
            let name = format!("{engine}, lanes");
            polynomials(c, &name, fft);
            walk::<Falcon512, B, F>(c, &name, arith, fft);
        }
    }
}

fn engines(c: &mut Criterion) {
    for engine in distinct() {
        falcon_core::seams::visit(engine, Tokens(c, engine));
    }
}

/// A typical leaf of Falcon-512.
const LEAF: Leaf = Leaf {
    dss: 0.222,
    ccs: 0.85,
};

/// Calls `S::gave_up` for the type of the first argument.
fn gave_up<S: Sampling>(_: &S, feed: &S::Feed) -> bool {
    S::gave_up(feed)
}

fn samplerz<B: SigningIsa>(c: &mut Criterion, name: &str, arith: B) {
    let sampling = arith.sampling();
    let mut seeds = seeds();
    let mut feed = sampling.feed(&[2; 56]);
    let mut centers = [0.3, -0.7];
    let mut calls = 0u64;
    // Each seed is used for the number of sampler calls in one attempt of degree 512.
    c.bench_function(&format!("samplerz, two calls/{name}"), |b| {
        b.iter(|| {
            if calls.is_multiple_of(512) {
                assert!(!gave_up(&sampling, &feed));
                sampling.start(&mut feed, &seeds());
            }
            calls += 1;
            centers = [0.37 - centers[1], centers[0] - 0.21];
            let feeds = std::slice::from_mut(&mut feed);
            let mut sampler = LaneSampler::new(arith, sampling, feeds);
            black_box(sampler.sample_pair(black_box(centers), &LEAF));
        });
    });
    assert!(!gave_up(&sampling, &feed));
}

/// Returns new seeds in turn, since a sampler gives up after many calls with one seed.
fn seeds() -> impl FnMut() -> [u8; 56] {
    let mut number = 0u64;
    move || {
        number += 1;
        let mut seed = [2; 56];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        seed
    }
}

/// Times ffSampling over the tree of a real key. A call samples one vector for each lane.
fn walk<P: Parameters, B: SigningIsa, F: Fft>(c: &mut Criterion, name: &str, arith: B, fft: F) {
    let n = P::N;
    let expanded = key::<P>().expand();
    let (_, tree) = falcon_core::hazmat::expanded_reals(&expanded).split_at(4 * n);
    let mut target = vec![F::Real::default(); n];
    for (i, &value) in point(n).iter().enumerate() {
        for lane in 0..F::LANES {
            fft.values_mut(&mut target[i])[lane] = f64::from(value) / 12289.0;
        }
    }
    fft.fft(P::LOGN, &mut target);
    let sampling = arith.sampling();
    let mut seeds = seeds();
    let mut feeds: Vec<_> = (0..F::LANES).map(|_| sampling.feed(&seeds())).collect();
    let mut scratch = vec![F::Real::default(); scratch_len(P::LOGN)];
    c.bench_function(&format!("ffsampling/{name}/{n}"), |b| {
        b.iter(|| {
            let (mut t0, mut t1) = (target.clone(), target.clone());
            for feed in &mut feeds {
                assert!(!gave_up(&sampling, feed));
                sampling.start(feed, &seeds());
            }
            let mut sampler = LaneSampler::new(fft, sampling, &mut feeds);
            let mut root = Stored::root(P::LOGN, tree);
            let scratch = &mut scratch;
            ffsampling(
                fft,
                &mut sampler,
                P::LOGN,
                &mut root,
                &mut t0,
                &mut t1,
                scratch,
            );
            black_box((t0, t1));
        });
    });
    assert!(feeds.iter().all(|feed| !gave_up(&sampling, feed)));
}

fn expansion(c: &mut Criterion) {
    c.bench_function("expand key/scalar/512", |b| {
        let key = key::<Falcon512>();
        b.iter(|| -> ExpandedKey<Falcon512> { black_box(&key).expand() });
    });
}

criterion_group!(primitives, hash, prng, ntt, engines, expansion);
criterion_main!(primitives);
