//! Code that cases share: marked keys, their encodings, checks of results.

use crate::valgrind::{classify, declassify};
use falcon_core::seams::decode_boxed_on;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::{Parameters, Scratch, Signature, SigningKey};
use falcon_kat::rsp::Reader;
use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;

/// A function that works on marked secrets.
pub(crate) struct Case {
    pub(crate) name: String,
    /// True if the check must report the case.
    pub(crate) leaks: bool,
    pub(crate) run: Rc<dyn Fn()>,
}

/// Adds a case that must not be reported.
pub(super) fn silent(cases: &mut Vec<Case>, name: impl Into<String>, run: impl Fn() + 'static) {
    cases.push(Case {
        name: name.into(),
        leaks: false,
        run: Rc::new(run),
    });
}

pub(super) const MESSAGE: &[u8] = b"order #42";

/// Makes a key from marked bytes. Its secret parts are marked, too.
pub(super) fn secret_key<P: Parameters, B: SigningIsa>(b: B) -> Box<SigningKey<P>> {
    let bytes = stored_key::<P>();
    classify(&bytes[1..]);
    decode_boxed_on::<P>(b, &bytes).expect("a stored key decodes")
}

/// Finds the place of `secret` in `document`. Neither may be marked yet.
pub(super) fn place(document: &[u8], secret: &[u8]) -> Range<usize> {
    let place = document.windows(secret.len()).position(|w| w == secret);
    let place = place.expect("the document contains the secret");
    place..place + secret.len()
}

/// Returns the encoded secret key of a known answer.
pub(super) fn stored_key<P: Parameters>() -> Vec<u8> {
    let [first, _] = stored_keys::<P>();
    first
}

/// Returns the encoded secret keys of two known answers.
pub(crate) fn stored_keys<P: Parameters>() -> [Vec<u8>; 2] {
    let file: &[u8] = match P::LOGN {
        9 => include_bytes!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        10 => include_bytes!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        logn => panic!("no vectors of degree 2^{logn}"),
    };
    let mut records = Reader::new(file);
    [(), ()].map(|()| {
        let record = records.next().expect("a record");
        record.expect("well formed").secret_key
    })
}

/// Compares a key with the stored key from which it was made.
pub(super) fn check_key<P: Parameters>(key: &SigningKey<P>) {
    let bytes = key.to_bytes();
    declassify(&*bytes);
    assert_eq!(bytes.as_ref(), stored_key::<P>());
}

pub(super) fn with_scratch<P: Parameters>(work: impl FnOnce(&mut Scratch<'_, P>)) {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let scratch = Scratch::new(&mut reals);
    work(&mut scratch.expect("it has the length that is asked"));
}

/// Encodes a signature, which is public.
pub(super) fn check<P: Parameters>(signature: &Signature<P>) {
    declassify(signature);
    black_box(signature.to_bytes());
}
