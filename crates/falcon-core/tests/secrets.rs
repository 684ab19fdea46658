//! Secrets do not leak: formatting shows none, and caller-owned memory is wiped when it is given
//! back.

use falcon_core::hazmat::sign_deterministic;
use falcon_core::seams::expand_on;
use falcon_core::seams::fft::BasisRef;
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::tree::{Leaf, Stored};
use falcon_core::{ExpandedKey, Falcon512, Falcon1024, KeygenScratch, Parameters, Scratch};
use falcon_core::{SignStream, SigningKey};

fn key<P: Parameters>() -> SigningKey<P> {
    SigningKey::from_seed(&[3; 32]).expect("no fault")
}

#[test]
fn formatting_shows_names_and_sizes_alone() {
    type P = Falcon512;
    let key = key::<P>();
    let expanded = expand_on(Baseline, &key);
    let mut reals = vec![0.125; Scratch::<P>::LEN];
    let scratch = Scratch::<P>::new(&mut reals).expect("enough");
    let named = |name| format!("{name} {{ parameters: \"Falcon-512\", .. }}");
    assert_eq!(format!("{key:?}"), named("SigningKey"));
    assert_eq!(format!("{expanded:?}"), named("ExpandedKey"));
    assert_eq!(format!("{scratch:?}"), named("Scratch"));
    let leaf = Leaf {
        dss: 0.125,
        ccs: 0.75,
    };
    assert_eq!(format!("{leaf:?}"), "Leaf { .. }");
    let tree = Stored::root(1, &[0.125; 6]);
    assert_eq!(format!("{tree:?}"), "Stored { logn: 1, .. }");
    let [b00, b01, b10, b11] = [&[0.125; 2][..]; 4];
    let basis = BasisRef { b00, b01, b10, b11 };
    assert_eq!(format!("{basis:?}"), "BasisRef { .. }");
}

fn signing_wipes_its_scratch<P: Parameters>() {
    let key = key::<P>();
    let mut reals = vec![0.5; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
    sign_deterministic(&key, b"m", &mut scratch).expect("no fault");
    drop(scratch);
    assert!(reals.iter().all(|x| x.to_bits() == 0));
}

#[test]
fn scratch_is_zero_after_signing() {
    signing_wipes_its_scratch::<Falcon512>();
    signing_wipes_its_scratch::<Falcon1024>();
}

#[test]
fn the_storage_of_an_expanded_key_is_zero_after_its_end() {
    type P = Falcon512;
    let key = key::<P>();
    let mut storage = vec![0.5; ExpandedKey::<P>::LEN];
    let mut reals = vec![0.5; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
    let expanded = key.expand_in(&mut storage[..], &mut scratch);
    let expanded = expanded.expect("enough");
    let mut stream: SignStream<'_, P, _> = expanded.sign_stream_from_seed(&[1; 32]);
    stream.update(b"m");
    let signature = stream.finish_in(&mut scratch).expect("no fault");
    assert_eq!(key.verifying_key().verify(b"m", &signature), Ok(()));
    drop(expanded);
    assert!(storage.iter().all(|x| x.to_bits() == 0));
}

fn generation_wipes_its_scratch<P: Parameters>() {
    let mut words = vec![1; KeygenScratch::<P>::WORDS];
    let mut wide = vec![1; KeygenScratch::<P>::WIDE];
    let mut residues = vec![1; KeygenScratch::<P>::RESIDUES];
    let mut scratch = KeygenScratch::<P>::new(&mut words, &mut wide, &mut residues);
    let scratch = scratch.as_mut().expect("enough");
    let generated = SigningKey::from_seed_in(&[3; 32], scratch).expect("no fault");
    assert_eq!(*generated.to_bytes(), *key::<P>().to_bytes());
    let boxed = SigningKey::<P>::from_seed_boxed(&[3; 32]).expect("no fault");
    assert_eq!(*boxed.to_bytes(), *key::<P>().to_bytes());
    assert!(words.iter().all(|&x| x == 0));
    assert!(wide.iter().all(|&x| x == 0));
    assert!(residues.iter().all(|&x| x == 0));
}

#[test]
fn scratch_is_zero_after_key_generation() {
    generation_wipes_its_scratch::<Falcon512>();
    generation_wipes_its_scratch::<Falcon1024>();
}
