//! Compares the bits of every centre and of every leaf with those of the reference.

use crate::Degree;
use crate::c::{Form, Reference};
use crate::numbering::{Keys, Randomness, key};
use crate::walk::{self, Walk};
use crate::watch::{Observer, Watch};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, expanded_reals, secret_basis};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::{LaneEngine, TokenVisitor, visit};
use falcon_core::{Engine, Parameters, Signature};
use std::marker::PhantomData;
use std::ops::AddAssign;

/// Extent of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Degree of the keys.
    pub degree: Degree,
    /// Engine that signs.
    pub engine: Engine,
    /// Keys that sign.
    pub keys: Keys,
    /// The first signature's number, for each key.
    pub first: u64,
    /// Number of signatures for each key.
    pub count: u64,
}

/// Numbers of leaves, centres and signatures that were compared, and of those that differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Number of leaves that were compared. Each leaf has two numbers.
    pub leaves: u64,
    /// Number of leaves that differ.
    pub different_leaves: u64,
    /// Number of signatures that were compared.
    pub signatures: u64,
    /// Number of signatures whose `s2` differs.
    pub different_signatures: u64,
    /// Number of centres that were compared. After an integer differs, later centres are not
    /// compared.
    pub centres: u64,
    /// Number of centres that differ.
    pub different_centres: u64,
    /// Number of differing centres among the first four and the last two calls of the sampler. The
    /// denominators of these centres are small, so in exact arithmetic they may be integers.
    pub different_rational: u64,
    /// Sum of the differences of all centres. The difference of a centre is the probability that an
    /// integer lies between our value and the reference's.
    pub sum: f64,
    /// The largest difference of a centre.
    pub largest: f64,
}

impl Outcome {
    /// True if nothing differs.
    pub fn is_equal(&self) -> bool {
        self.different_leaves + self.different_signatures + self.different_centres == 0
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.different_leaves += other.different_leaves;
        self.signatures += other.signatures;
        self.different_signatures += other.different_signatures;
        self.centres += other.centres;
        self.different_centres += other.different_centres;
        self.different_rational += other.different_rational;
        self.sum += other.sum;
        self.largest = self.largest.max(other.largest);
    }
}

/// Compares leaves and centres.
pub fn compare(plan: Plan) -> Outcome {
    with_degree!(plan.degree, P => visit(plan.engine, Compare::<P>(plan, PhantomData)))
}

struct Compare<P>(Plan, PhantomData<P>);

impl<P: Parameters> TokenVisitor for Compare<P> {
    type Output = Outcome;

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) -> Outcome {
        let plan = self.0;
        let mut all = Outcome::default();
        for k in 0..plan.keys.count {
            all += with_key::<P, B, F>(tokens, plan, plan.keys.first + k);
        }
        all
    }
}

fn with_key<P: Parameters, B: SigningIsa, F: Fft>(
    LaneEngine { arith, fft }: LaneEngine<B, F>,
    plan: Plan,
    k: u8,
) -> Outcome {
    let (key, on) = (key::<P>(k), Reference::new(plan.degree, Form::Clean));
    let expanded = key.expand();
    let mut outcome = Outcome::default();
    let observer = Observer::of_all();
    let engine = LaneEngine {
        arith,
        fft: Watch::new(fft, &observer),
    };
    for group in 0..plan.count.div_ceil(F::LANES as u64) {
        let first = plan.first + group * F::LANES as u64;
        let randomness: Vec<_> = (first..).take(F::LANES).map(Randomness::new).collect();
        let jobs: Vec<_> = randomness
            .iter()
            .map(|randomness| RawJob::new(&expanded, b"", randomness.raw()))
            .collect();
        let mut out = vec![Signature::EMPTY; F::LANES];
        engine
            .sign_batch_raw(&jobs, Fit::Any, &mut out)
            .expect("as many results as jobs");
        let centres = observer.take_all(F::LANES);
        for ((ours, signature), Randomness { nonce, seed }) in
            centres.iter().zip(&out).zip(&randomness)
        {
            let point = on.hash_to_point(nonce, b"");
            let theirs = walk::sign(on, &secret_basis(&key), &point, seed);
            if outcome.signatures == 0 {
                outcome += leaves::<P>(expanded_reals(&expanded), &theirs);
            }
            outcome += centres_of(&ours[..2 * P::N], &theirs);
            outcome.different_signatures += u64::from(theirs.s2 != signature.s2());
        }
    }
    outcome
}

/// Compares the leaves of an expanded key.
fn leaves<P: Parameters>(expanded: &[f64], theirs: &Walk) -> Outcome {
    let mut ours = Vec::new();
    leaves_of(P::LOGN, &expanded[4 << P::LOGN..], &mut ours);
    let sigma_min = walk::sigma_min(P::LOGN);
    let theirs = theirs.inv_sigmas[..P::N]
        .iter()
        .map(|&inv_sigma| [inv_sigma * inv_sigma * 0.5, inv_sigma * sigma_min]);
    assert_eq!(ours.len(), theirs.len());
    Outcome {
        leaves: ours.len() as u64,
        different_leaves: ours.iter().zip(theirs).filter(|(a, b)| *a != b).count() as u64,
        ..Outcome::default()
    }
}

/// Collects the leaves of a stored tree of degree `2^logn`, in the order in which signing uses
/// them.
fn leaves_of(logn: u32, tree: &[f64], out: &mut Vec<[f64; 2]>) {
    let below = &tree[1 << logn..];
    if logn == 1 {
        out.extend([[below[0], below[1]], [below[2], below[3]]]);
        return;
    }
    let (right, left) = below.split_at(below.len() / 2);
    leaves_of(logn - 1, right, out);
    leaves_of(logn - 1, left, out);
}

/// Compares the centres of one signature's first attempt.
fn centres_of(ours: &[f64], theirs: &Walk) -> Outcome {
    let mut outcome = Outcome {
        signatures: 1,
        ..Outcome::default()
    };
    for (call, (centre, theirs)) in ours.iter().zip(&theirs.centres).enumerate() {
        // A change of the last bit moves a centre by at most 2^-40. If a sampled integer differs,
        // later centres move further.
        if (centre - theirs).abs() > 1e-6 {
            break;
        }
        outcome.centres += 1;
        if centre != theirs {
            let is_rational = call < 4 || call + 2 >= ours.len();
            outcome.different_centres += 1;
            outcome.different_rational += u64::from(is_rational);
            outcome.sum += (centre - theirs).abs();
            outcome.largest = outcome.largest.max((centre - theirs).abs());
        }
    }
    outcome
}

/// Prints the result.
pub fn print(plan: &Plan, outcome: &Outcome) {
    let Outcome {
        leaves,
        different_leaves,
        signatures,
        different_signatures,
        centres,
        different_centres,
        different_rational,
        sum,
        largest,
    } = outcome;
    println!(
        "Falcon-{}: {leaves} leaves compared, {different_leaves} differ; {centres} centres, \
         {different_centres} differ, {different_rational} of them in the first four or last two calls, by \
         {largest:.1e} at most and {:.1e} in a signature; {signatures} signatures, {different_signatures} differ",
        plan.degree.n(),
        sum / *signatures as f64,
    );
}
