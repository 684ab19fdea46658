//! Times keys, signatures and encodings as a user calls them:
//! `cargo bench -p falcon-benches --bench scheme`. The binary `compare` compares with other
//! implementations.

use criterion::{Criterion, criterion_group, criterion_main};
use falcon_benches::entry::MESSAGE;
use falcon_benches::ours::{distinct, key};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::hash_to_point::Shake256HashToPoint;
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::{LaneEngine, TokenVisitor};
use falcon_core::{
    Engine, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature, SigningKey,
    VerifyingKey, hazmat,
};
use std::hint::black_box;
use std::marker::PhantomData;

fn signature<P: Parameters, B: SigningIsa>(
    arith: B,
    key: &impl hazmat::SecretKey<P>,
    seed: &[u8; 32],
    reals: &mut [f64],
) -> Signature<P> {
    let mut scratch = Scratch::new(reals).expect("made with this length");
    let hash = &Shake256HashToPoint;
    hazmat::sign_with_hash_on(arith, key, seed, hash, black_box(MESSAGE), &mut scratch)
        .expect("a point")
}

/// Returns different seeds.
fn seeds() -> impl FnMut() -> [u8; 32] {
    let mut number = 0u64;
    move || {
        number += 1;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        seed
    }
}

/// Measures signing on an engine.
struct Sign<'c, P>(&'c mut Criterion, Engine, PhantomData<P>);

impl<P: Parameters> TokenVisitor for Sign<'_, P> {
    type Output = ();

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) {
        sign::<P, B>(self.0, self.1.name(), tokens.arith);
    }
}

fn sign<P: Parameters, B: SigningIsa>(c: &mut Criterion, name: &str, arith: B) {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let key = key::<P>();
    let expanded = key.expand();
    let mut next = seeds();
    c.bench_function(&format!("sign/decoded/{name}/{}", P::N), |b| {
        b.iter(|| signature(arith, &key, &next(), &mut reals));
    });
    c.bench_function(&format!("sign/prepared/{name}/{}", P::N), |b| {
        b.iter(|| signature(arith, &expanded, &next(), &mut reals));
    });
}

fn verify<P: Parameters>(c: &mut Criterion) {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let key = key::<P>();
    let signature = signature(Baseline, &key, &[9; 32], &mut reals);
    let vk = key.verifying_key();
    c.bench_function(&format!("verify/prepared/{}", P::N), |b| {
        b.iter(|| vk.verify(black_box(MESSAGE), black_box(&signature)));
    });
    let mut bytes = vec![0; 2 * P::PADDED_LEN];
    for (name, format) in [
        ("compressed", Format::Compressed),
        ("padded", Format::Padded),
        ("constant time", Format::ConstantTime),
    ] {
        let len = signature.encode(format, &mut bytes).expect("it fits");
        let id = |what: &str| format!("{what} signature/{name}/{}", P::N);
        c.bench_function(&id("encode"), |b| {
            b.iter(|| black_box(&signature).encode(format, black_box(&mut bytes)));
        });
        c.bench_function(&id("decode"), |b| {
            b.iter(|| Signature::<P>::from_bytes(format, black_box(&bytes[..len])));
        });
    }
}

fn keys<P: Parameters>(c: &mut Criterion) {
    let key = key::<P>();
    let (sk, vk) = (key.to_bytes(), key.verifying_key().to_bytes());
    c.bench_function(&format!("decode signing key/{}", P::N), |b| {
        b.iter(|| SigningKey::<P>::try_from(black_box(sk.as_ref())));
    });
    c.bench_function(&format!("decode verifying key/{}", P::N), |b| {
        b.iter(|| VerifyingKey::<P>::try_from(black_box(vk.as_ref())));
    });
    let mut next = seeds();
    let mut group = c.benchmark_group("keygen");
    group.sample_size(20);
    group.bench_function(P::N.to_string(), |b| {
        b.iter(|| SigningKey::<P>::from_seed(&next()).expect("no fault"));
    });
}

fn signing(c: &mut Criterion) {
    for engine in distinct() {
        falcon_core::seams::visit(engine, Sign::<Falcon512>(c, engine, PhantomData));
        falcon_core::seams::visit(engine, Sign::<Falcon1024>(c, engine, PhantomData));
    }
}

fn verifying(c: &mut Criterion) {
    verify::<Falcon512>(c);
    verify::<Falcon1024>(c);
}

fn key_material(c: &mut Criterion) {
    keys::<Falcon512>(c);
    keys::<Falcon1024>(c);
}

criterion_group!(scheme, signing, verifying, key_material);
criterion_main!(scheme);
