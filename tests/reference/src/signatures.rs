//! Makes many signatures with a batch engine. If a signature has a centre near an integer, the C
//! code signs it again, and both are compared.

use crate::Degree;
use crate::c::{Form, Reference};
use crate::numbering::{Keys, Randomness, key, key_seed};
use crate::progress::share;
use crate::watch::{Near, Observer, Watch};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, secret_basis};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::{LaneEngine, TokenVisitor, visit};
use falcon_core::{Engine, ExpandedKey, Parameters, Signature, SigningKey};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{AddAssign, Range};
use std::time::Instant;

/// Number of signatures of a batch, a multiple of the lanes of every engine.
const BATCH: u64 = 1024;

/// Extent of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Degree of the keys.
    pub degree: Degree,
    /// Engine that signs.
    pub engine: Engine,
    /// Form of the C code.
    pub form: Form,
    /// Keys that sign.
    pub keys: Keys,
    /// The first number.
    pub first: u64,
    /// Number of signatures.
    pub count: u64,
    /// Number of threads.
    pub threads: usize,
    /// A signature is passed to the C code if a centre is nearer to an integer than `2^-bits`.
    pub bits: i32,
    /// Signatures whose number is a multiple of `also_every` are also passed to the C code. 0 for
    /// none.
    pub also_every: u64,
}

/// Position of a sampler call in the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// One of the first two calls, whose centres are multiples of `1/q`.
    First,
    /// One of the next two calls, whose centres are multiples of `1/(q ||(g, -f)||^2)`, up to a
    /// common divisor.
    Next,
    /// One of the last two calls, whose centres are multiples of `1/||(g, -f)||^2`.
    Last,
    /// Another call.
    Other,
}

/// A signature that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of the signature.
    pub number: u64,
    /// Number of the key.
    pub key: u8,
    /// Compressed `s2` of this project.
    pub ours: Vec<u8>,
    /// Compressed `s2` of the C code.
    pub theirs: Vec<u8>,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of signatures whose centres were observed.
    pub signed: u64,
    /// Number of signatures that were passed to the C code.
    pub handed_over: u64,
    /// Number of attempts that were refused.
    pub refused: u64,
    /// Number of signatures with a centre near an integer, by the position of the nearest centre
    /// and the floor of the base-2 logarithm of its distance. `None` for a distance of zero.
    pub nearest: BTreeMap<(Place, Option<i32>), u64>,
    /// Signatures that differ.
    pub differences: Vec<Difference>,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.signed += other.signed;
        self.handed_over += other.handed_over;
        self.refused += other.refused;
        for (place, count) in other.nearest {
            *self.nearest.entry(place).or_default() += count;
        }
        self.differences.extend(other.differences);
    }
}

/// Compares signatures.
pub fn compare(plan: Plan) -> Outcome {
    with_degree!(plan.degree, P => visit(plan.engine, Compare::<P>(plan, PhantomData)))
}

struct Compare<P>(Plan, PhantomData<P>);

impl<P: Parameters> TokenVisitor for Compare<P> {
    type Output = Outcome;

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) -> Outcome {
        let plan = self.0;
        let numbers = plan.keys.first..=plan.keys.first + (plan.keys.count - 1);
        let keys: Vec<_> = numbers.clone().map(key::<P>).collect();
        let expanded: Vec<_> = keys.iter().map(SigningKey::expand).collect();
        let numbers: Vec<_> = numbers.collect();
        let start = || Thread::<P, B, F> {
            plan,
            tokens,
            reference: Reference::new(plan.degree, plan.form),
            numbers: &numbers,
            keys: &keys,
            expanded: &expanded,
            observer: Observer::of_near(f64::from(-plan.bits).exp2()),
            signatures: vec![Signature::EMPTY; BATCH as usize],
            outcome: Outcome::default(),
        };
        let range = plan.first..plan.first + plan.count;
        let threads = share(range, BATCH, plan.threads, start, Thread::work);
        let mut all = Outcome::default();
        for thread in threads {
            all += thread.outcome;
        }
        all.differences.sort_by_key(|difference| difference.number);
        all
    }
}

struct Thread<'a, P: Parameters, B, F> {
    plan: Plan,
    tokens: LaneEngine<B, F>,
    reference: Reference,
    numbers: &'a [u8],
    keys: &'a [SigningKey<P>],
    expanded: &'a [ExpandedKey<P>],
    observer: Observer,
    signatures: Vec<Signature<P>>,
    outcome: Outcome,
}

impl<P: Parameters, B: SigningIsa, F: Fft> Thread<'_, P, B, F> {
    fn work(&mut self, range: Range<u64>) {
        // Divides the range where the key changes.
        let mut from = range.start;
        while from < range.end {
            let index = self.plan.keys.index(from);
            let mut to = from + 1;
            while to < range.end && self.plan.keys.index(to) == index {
                to += 1;
            }
            self.work_with_key(from..to, index);
            from = to;
        }
    }

    fn work_with_key(&mut self, range: Range<u64>, index: usize) {
        let lanes = F::LANES as u64;
        let whole = range.start..range.end - (range.end - range.start) % lanes;
        let numbers: Vec<_> = whole.clone().collect();
        let (attempts, near) = self.sign(index, &numbers);
        if attempts as usize * F::LANES == numbers.len() {
            let mut nearest = vec![None; numbers.len()];
            for near in near {
                let job = near.attempt as usize * F::LANES + near.lane;
                keep_nearest(&mut nearest[job], near);
            }
            for (at, near) in nearest.into_iter().enumerate() {
                self.judge(numbers[at], index, at, near);
            }
        } else if numbers.len() > F::LANES {
            // After a refused attempt, the remaining jobs have moved to other lanes.
            for first in whole.clone().step_by(F::LANES) {
                self.work_with_key(first..first + lanes, index);
            }
        } else {
            whole.clone().for_each(|number| self.alone(number, index));
        }
        (whole.end..range.end).for_each(|number| self.alone(number, index));
    }

    /// Signs the job `number` on all lanes, which then refuse and accept together.
    fn alone(&mut self, number: u64, index: usize) {
        let (attempts, near) = self.sign(index, &vec![number; F::LANES]);
        self.outcome.refused += u64::from(attempts - 1);
        let mut nearest = None;
        for near in near {
            keep_nearest(&mut nearest, near);
        }
        self.judge(number, index, 0, nearest);
    }

    /// Signs `numbers` as a batch. Returns the number of attempts on all lanes and the near
    /// centres.
    fn sign(&mut self, index: usize, numbers: &[u64]) -> (u32, Vec<Near>) {
        let randomness: Vec<_> = numbers.iter().copied().map(Randomness::new).collect();
        let key = &self.expanded[index];
        let jobs: Vec<_> = randomness
            .iter()
            .map(|randomness| RawJob::new(key, b"", randomness.raw()))
            .collect();
        let LaneEngine { arith, fft } = self.tokens;
        let fft = Watch::new(fft, &self.observer);
        LaneEngine { arith, fft }
            .sign_batch_raw(&jobs, Fit::Any, &mut self.signatures[..jobs.len()])
            .expect("as many results as jobs");
        self.observer.take_near()
    }

    /// Passes a signature to the C code if one of its centres is near an integer, or if its number
    /// is a multiple of `also_every`. `at` is the signature's index in the batch.
    fn judge(&mut self, number: u64, index: usize, at: usize, near: Option<Near>) {
        self.outcome.signed += 1;
        if let Some(near) = near {
            let place = (place::<P>(near.call), logarithm(near.distance));
            *self.outcome.nearest.entry(place).or_default() += 1;
        }
        let also = self.plan.also_every;
        if near.is_some() || also > 0 && number.is_multiple_of(also) {
            self.hand_over(number, index, at);
        }
    }

    fn hand_over(&mut self, number: u64, index: usize, at: usize) {
        self.outcome.handed_over += 1;
        let (reference, Randomness { nonce, seed }) = (self.reference, Randomness::new(number));
        let point = reference.hash_to_point(&nonce, b"");
        let theirs = reference.sign(&secret_basis(&self.keys[index]), &point, &seed);
        let ours = self.signatures[at].s2();
        if theirs != ours {
            let difference = Difference {
                number,
                key: self.numbers[index],
                ours: reference.compress(ours),
                theirs: reference.compress(&theirs),
            };
            eprintln!("number {number}, key {}: different", difference.key);
            self.outcome.differences.push(difference);
        }
    }
}

fn keep_nearest(kept: &mut Option<Near>, near: Near) {
    if kept.is_none_or(|kept| near.distance < kept.distance) {
        *kept = Some(near);
    }
}

fn place<P: Parameters>(call: u32) -> Place {
    match call {
        0 | 1 => Place::First,
        2 | 3 => Place::Next,
        _ if call as usize + 2 >= 2 * P::N => Place::Last,
        _ => Place::Other,
    }
}

fn logarithm(distance: f64) -> Option<i32> {
    // This is exact: the exponent field of a number that is not subnormal.
    (distance > 0.0).then(|| (distance.to_bits() >> 52) as i32 - 1023)
}

/// Prints the result.
pub fn print(plan: &Plan, outcome: &Outcome, begin: Instant) {
    for difference in &outcome.differences {
        let Difference { number, key, .. } = difference;
        let seed = base16ct::lower::encode_string(&key_seed(*key));
        println!(
            "Falcon-{} number {number} differs. Seed of the key: {seed}",
            plan.degree.n()
        );
        println!(
            "ours   {}",
            base16ct::lower::encode_string(&difference.ours)
        );
        println!(
            "theirs {}",
            base16ct::lower::encode_string(&difference.theirs)
        );
    }
    println!("Nearest centres, by the place and by the power of two below their distance:");
    for ((place, logarithm), count) in &outcome.nearest {
        let place = match place {
            Place::First => "first two calls",
            Place::Next => "calls 3 and 4",
            Place::Last => "last two calls",
            Place::Other => "other calls",
        };
        let distance = logarithm.map_or("0".to_owned(), |logarithm| format!("2^{logarithm}"));
        println!("  {place:15} {distance:>6} {count:>9}");
    }
    println!(
        "Falcon-{}: numbers {} to {} compared, {} handed to the C code ({:?}), {} refused attempts, {} \
         differences, {:.0} s",
        plan.degree.n(),
        plan.first,
        plan.first + outcome.signed - 1,
        outcome.handed_over,
        plan.form,
        outcome.refused,
        outcome.differences.len(),
        begin.elapsed().as_secs_f64(),
    );
}
