//! Records: the data of each attempt of a PRNG buffer that can be computed before the centre is
//! known.
//!
//! BerExp accepts iff a string of random bytes is below the bytes of `Y = 256 ccs exp(-x)`, so its
//! first byte `w` decides unless `w = floor(Y)`: with
//! `y = log2(exp(x) / ccs) - 8 + z0^2 log2(e) / (2 sigma_max^2)`, which is
//! `(z - r)^2 dss log2(e) - log2(256 ccs)` and depends on the attempt only through `z`,
//!
//! * it accepts if `y <= q - log2(w + 1)`, since then `Y >= w + 1`,
//! * it rejects if `y > q - log2(w)`, since then `Y < w`,
//!
//! where `q = z0^2 log2(e) / (2 sigma_max^2)`. The right-hand sides, moved apart, are the records
//! `accept` and `reject`. They need no exponential. If `y` is between them, the exact computation
//! decides.
//!
//! # Sixteen bits
//!
//! Records are computed with 16-bit integers, so that a register holds many. The base sample is
//! found from the 16 high bits of 72: `z0` is the number of entries of its table above them. If
//! they equal those of an entry, the attempt is open whatever the centre is. It is also open if
//! they are below those of the seventh entry, so `z0 <= 6` in all other attempts. Together, this
//! has a chance of `23 / 2^16`. Records have 12 bits of fraction, and [`BIAS`] on both sides of the
//! comparison keeps them from overflowing: they lie between `-2^15 + 63` and
//! `6^2 * 892 + 66 < 2^15`.
//!
//! # The margin
//!
//! In units of `2^-12`, [`ONE`]:
//!
//! * `q - log2(w + 1)` is computed with an error from `-0.97` to `1.38`, and so is `q - log2(w)`. A
//!   test checks all 7 times 256 values of each.
//! * `y <= record` is decided as `(z - r)^2 <= (record + log2(256 ccs)) / (dss log2(e))`, whose
//!   right-hand side is known before the centre. Both sides are binary32. `u = 2^-24` bounds the
//!   relative rounding error of an operation. The Gram-Schmidt norms of a key were checked when it
//!   was made or read, so `sigma'` is between `sigma_min` and `1.17^2 sigma_min < sigma_max`, hence
//!   `x >= 0` and `dss log2(e) <= 0.58`. With `z0 <= 6`, and so `|z - r| <= 7`: `r` is off by
//!   `u/2`, `t = z - r` by `u/2 + 4 u` (it is below 8), its square by `2 * 7 * 4.5 u + 32 u = 95
//!   u`, which is `0.58 * 95 u < 56 u` of `y`. On the right, the sum is below 16 in absolute value
//!   and off by `8 u`. Its product with [`spread`] is off by `4.25 u` of itself (four roundings,
//!   and `0.22 u` of the constant): `16 * 4.25 u = 68 u` of `y`. `56 u + 8 u + 68 u < 152 u` are
//!   less than `0.04` units. `log2(ccs)` is off by `0.09` (polynomial and its roundings, see
//!   [`level`]). An attempt that is open whatever the centre is has `accept = -2^15`. That is below
//!   every `-log2(256 ccs)`, so the right-hand side is negative, and no square is below it.
//!
//! So `accept` is lowered by 1 and `reject` raised by 2, and `y` is raised by `0.7`: `1.38 - 1 +
//! 0.13 <= 0.7 <= 2 - 0.97 - 0.13`. The exact computation is off by less than `2^-34` of a byte,
//! and its first byte is the predicted one. The records lie 3 units further apart than the byte's
//! own edges: 0.13 of a byte if `Y = 256`, less below, so that an attempt is open with a chance of
//! `1.07 / 256` on average.
//!
//! # Look-ups
//!
//! If an instruction set permutes words in registers, [`record_groups`] makes the records of 32
//! attempts at a time. Tables in registers hold the entries that are compared with the base. They
//! also hold all values that depend on `z0` or on the trial's byte. Once `z0` is known, one
//! comparison tells whether the attempt is open: no entry from the `z0`-th on is above the base, so
//! the base can equal only the `z0`-th entry. On other processors [`record`] makes the records.

use super::base::RCDT;
use crate::lanes::{ByteTable, Isa, LookUps, Register, Table, tail, wipe};
use crate::prng::{BUFFER_LEN, Place};
use core::array::from_fn;
use core::f32::consts::LOG2_E;

/// Length in bytes of an attempt that the first byte of its trial decides.
pub(super) const ATTEMPT_LEN: usize = 11;
/// Largest number of attempts in a buffer.
pub(super) const BUFFER_ATTEMPTS: usize = BUFFER_LEN / ATTEMPT_LEN;
/// Number of attempts whose records are made together: the bytes of [`Isa::map_bytes`].
const LANES: usize = 16;
/// Number of attempts whose records are made together by look-ups.
const GROUP: usize = 32;
/// [`BUFFER_ATTEMPTS`], rounded up to whole vectors.
const CAPACITY: usize = BUFFER_ATTEMPTS.next_multiple_of(LANES);
/// Number of attempts in a window, which are decided together.
pub(super) const WINDOW: usize = 8;
/// Number of buffers that are computed side by side.
pub(super) const AHEAD: usize = 2;
/// Number of sets of such buffers, which are computed one after the other. With a second set, a
/// signature meets the end of all buffers half as often, but leaves more of the last buffers
/// unused. That pays on x86-64.
pub(super) const SETS: usize = if cfg!(target_arch = "x86_64") { 2 } else { 1 };
/// Number of buffers that have records.
pub(super) const BUFFERS: usize = AHEAD * SETS;
/// Place of the first record, if a buffer has all its attempts.
const BEGIN: usize = CAPACITY - BUFFER_ATTEMPTS;
/// The place after the last attempt.
pub(super) const END: usize = BEGIN + BUFFERS * BUFFER_ATTEMPTS;
/// Number of records: those of the attempts, then open ones for the last window. Rounded up to
/// whole registers, so that the arrays of [`Records`] begin at multiples of a register.
const LEN: usize = (END + WINDOW).next_multiple_of(4);

/// The number 1 in the units of the records.
pub(super) const ONE: f32 = 4096.0;
/// Offset of both sides of the comparisons.
const BIAS: i16 = 64;
/// Offset of `accept`. To cover the rounding errors (see *The margin*), it is 1.7 units below
/// [`RAISE`].
pub(super) const ACCEPT: i16 = BIAS - 1;
/// Offset of `reject`. It is 1.3 units above [`RAISE`], for the same reason.
pub(super) const REJECT: i16 = BIAS + 2;
/// Offset of `y`.
pub(super) const RAISE: f32 = BIAS as f32 + 0.7;
/// The value of `reject` without `q`, if the trial's byte is zero: no threshold is below zero.
const NEVER: i16 = i16::MAX;

/// The records of [`BUFFERS`] buffers, one after the other. An attempt with the
/// least `accept` and `reject = inf` is open whatever the centre is.
///
/// The records of a buffer are at the end of its [`BUFFER_ATTEMPTS`] places. So the first record of
/// the next buffer follows the last one.
#[repr(align(16))]
pub struct Records {
    z: [f32; LEN],
    accept: [f32; LEN],
    reject: [f32; LEN],
    /// Position in each buffer at which the attempt of the first record begins.
    start: [usize; BUFFERS],
    /// Place of the first record of each buffer.
    first: [usize; BUFFERS],
}

impl Records {
    /// Records before any attempt was read.
    pub(super) const EMPTY: Self = Self {
        z: [0.0; LEN],
        accept: [f32::NEG_INFINITY; LEN],
        reject: [f32::INFINITY; LEN],
        start: [0; BUFFERS],
        first: [BEGIN; BUFFERS],
    };

    /// Returns `z`, `accept` and `reject` of [`WINDOW`] attempts from `place` on. `place` is at
    /// most the place after the last attempt.
    #[inline(always)]
    pub(super) fn window<I: Isa>(&self, isa: I, place: usize) -> Option<[I::F32x8; 3]> {
        let window = |x: &[f32; LEN]| {
            let x = I::F32x8::chunks(x.get(place..)?).first()?;
            Some(I::F32x8::load(isa, x))
        };
        Some([
            window(&self.z)?,
            window(&self.accept)?,
            window(&self.reject)?,
        ])
    }

    /// Returns the candidate `z` of the attempt at `place`.
    #[inline(always)]
    pub(super) fn z(&self, place: usize) -> f32 {
        self.z[place % LEN]
    }

    /// Returns the position at which the attempt at `place` begins, or `None` after the last
    /// attempt.
    pub(super) fn begin(&self, place: usize) -> Option<Place> {
        let buffer = (place - BEGIN) / BUFFER_ATTEMPTS;
        let start = self.start.get(buffer)?;
        let index = place - self.first[buffer];
        Some(Place {
            buffer,
            position: start + ATTEMPT_LEN * index,
        })
    }

    /// Makes the records of the attempts in buffer number `number` from position `start` on.
    /// Returns the place of the first attempt. The records before that place are lost, including
    /// the last records of the buffer before.
    #[inline(always)]
    pub(super) fn read<I: Isa>(
        &mut self,
        isa: I,
        number: usize,
        buffer: &[u8; BUFFER_LEN],
        start: usize,
    ) -> usize {
        // The modulo shows compilers that the number is below the lengths.
        let number = number % BUFFERS;
        let from = number * BUFFER_ATTEMPTS;
        let places = from..from + CAPACITY;
        let first = places.end - attempts_from(start).iter().sum::<usize>();
        self.start[number] = start;
        self.first[number] = first;
        let (Some(z), Some(accept), Some(reject)) = (
            self.z[places.clone()].first_chunk_mut(),
            self.accept[places.clone()].first_chunk_mut(),
            self.reject[places].first_chunk_mut(),
        ) else {
            return first; // unreachable: there are `CAPACITY` places
        };
        let records = [z, accept, reject];
        match isa.look_ups() {
            Some(look_ups) => look_ups.vectorize(
                #[inline(always)]
                || read_groups(look_ups, buffer, start, records),
            ),
            None => read_one_by_one(isa, buffer, start, records),
        }
        first
    }
}

/// Counts the attempts that begin in a buffer from `start` on: first those that end in this buffer,
/// then those that end in the next one.
#[inline(always)]
fn attempts_from(start: usize) -> [usize; 2] {
    let left = BUFFER_LEN - start.min(BUFFER_LEN);
    let astride = left % ATTEMPT_LEN > BUFFER_LEN - crate::prng::END;
    [left / ATTEMPT_LEN, usize::from(astride)]
}

/// Writes the records of the attempts of `buffer` from `start` on to the end of `z`, `accept` and
/// `reject`. The records before them are lost.
///
/// Not inlined, since its variables would take registers from callers that use look-ups.
#[inline(never)]
fn read_one_by_one<I: Isa>(
    isa: I,
    buffer: &[u8; BUFFER_LEN],
    start: usize,
    records: [&mut [f32; CAPACITY]; 3],
) {
    isa.vectorize(
        #[inline(always)]
        || read_in_frame(isa, buffer, start, records),
    );
}

/// Reads as [`read_one_by_one`] does, in the frame of `isa`.
#[inline(always)]
fn read_in_frame<I: Isa>(
    isa: I,
    buffer: &[u8; BUFFER_LEN],
    start: usize,
    [z, accept, reject]: [&mut [f32; CAPACITY]; 3],
) {
    let mut words = [0; CAPACITY];
    let count = gather(isa, buffer, start, &mut words);
    let mut w = [[0; LANES]; CAPACITY / LANES];
    for (w, word) in w.as_flattened_mut().iter_mut().zip(&words) {
        *w = (word >> 24) as u8;
    }
    let [first_words, second_words] = isa.map_bytes(trial, &TRIALS, &w);
    let trials = [first_words.as_flattened(), second_words.as_flattened()];
    // Makes at least the last `count` records, in whole vectors.
    for group in (0..CAPACITY).step_by(LANES) {
        if group + LANES > CAPACITY - count {
            for k in group..group + LANES {
                [z[k], accept[k], reject[k]] = record(words[k], [trials[0][k], trials[1][k]]);
            }
        }
    }
}

/// Reads as [`read_one_by_one`] does, by look-ups.
#[inline(always)]
fn read_groups<T: LookUps>(
    t: T,
    buffer: &[u8; BUFFER_LEN],
    start: usize,
    [z, accept, reject]: [&mut [f32; CAPACITY]; 3],
) {
    let [whole, astride] = attempts_from(start);
    if whole + astride == 0 {
        return;
    }
    // `end` is the place after the attempts that end in this buffer.
    let end = CAPACITY - astride;
    // If there are fewer than 32 attempts, the group also has records of bytes before `start`. They
    // lie before the record of the first attempt.
    let bytes = &buffer[..(start + ATTEMPT_LEN * whole).min(BUFFER_LEN)];
    let Some(last) = bytes.as_rchunks().1.last_chunk() else {
        return; // unreachable: `bytes` is always longer than 32 attempts
    };
    let first = buffer[start.min(BUFFER_LEN)..].as_chunks().0.first_chunk();
    match first {
        Some(first) if whole > GROUP => {
            let groups = record_groups(t, [first, last]);
            for (group, at) in groups.iter().zip([end - whole, end - GROUP]) {
                group.store(t, at, [&mut *z, &mut *accept, &mut *reject]);
            }
        }
        _ => {
            let [group] = record_groups(t, [last]);
            group.store(t, end - GROUP, [&mut *z, &mut *accept, &mut *reject]);
        }
    }
    if astride != 0 {
        let last = CAPACITY - 1;
        [z[last], accept[last], reject[last]] = record(0, trial(0));
    }
}

/// Returns the [`GROUP`] records from `first` on.
#[inline(always)]
fn group_at(
    first: usize,
    [z, accept, reject]: [&mut [f32; CAPACITY]; 3],
) -> Option<[&mut [f32; GROUP]; 3]> {
    // `min` shows compilers that the index is below the length.
    let first = first.min(CAPACITY - GROUP);
    Some([
        z[first..].first_chunk_mut()?,
        accept[first..].first_chunk_mut()?,
        reject[first..].first_chunk_mut()?,
    ])
}

/// Writes the last four bytes of every attempt that begins in `buffer` from `start` on to the end
/// of `words`. Does not change the words of an attempt that ends in the next buffer. Returns the
/// number of attempts.
///
/// Not inlined: in a caller, vector code would put these words together one by one, which is slower
/// than loading them.
#[inline(never)]
fn gather<I: Isa>(
    isa: I,
    buffer: &[u8; BUFFER_LEN],
    start: usize,
    words: &mut [u32; CAPACITY],
) -> usize {
    let (attempts, _) = buffer[start.min(BUFFER_LEN)..].as_chunks::<ATTEMPT_LEN>();
    let [whole, astride] = attempts_from(start);
    let count = whole + astride;
    let words = &mut words[CAPACITY - count..CAPACITY - astride];
    let (first, fours) = attempts.as_rchunks::<4>();
    let (first_words, words) = words.as_rchunks_mut::<4>();
    for (word, attempt) in first_words.iter_mut().zip(first) {
        *word = tail(attempt);
    }
    for (words, attempts) in words.iter_mut().zip(fours) {
        *words = isa.tails(attempts);
    }
    count
}

impl zeroize::Zeroize for Records {
    fn zeroize(&mut self) {
        wipe(&mut self.z);
        wipe(&mut self.accept);
        wipe(&mut self.reject);
    }
}

/// Returns the 16 high bits of an entry of the table of the base sampler, in a form for signed
/// comparisons.
const fn high(entry: usize) -> i16 {
    sortable((RCDT[entry] >> 56) as u32)
}

/// Returns the same 16 bits as [`high`] in a form for unsigned comparisons.
const fn unsigned_high(entry: usize) -> i16 {
    (RCDT[entry] >> 56) as i16
}

/// Returns the low half of a word, converted so that signed comparisons give its unsigned order.
const fn sortable(word: u32) -> i16 {
    (word as u16 ^ 1 << 15) as i16
}

/// Returns `z`, `accept` and `reject` of the attempt that ends in `word`: two bytes of the base
/// sample, then sign and trial. `[accept, reject]` are the [`trial`] of the last byte. The code has
/// no branch and no table, so the loop over attempts becomes vector code.
#[inline(always)]
pub(super) fn record(word: u32, [accept, reject]: [i16; 2]) -> [f32; 3] {
    let base = sortable(word);
    // Binary search finds how many of seven entries are above the base. If an entry equals the
    // base, the search compares them; then the low bits decide.
    let entry = high(3);
    let (four, mut open) = (base < entry, base == entry);
    let entry = if four { high(5) } else { high(1) };
    let two = base < entry;
    open |= base == entry;
    let entries = if four {
        [high(4), high(6)]
    } else {
        [high(0), high(2)]
    };
    let entry = if two { entries[1] } else { entries[0] };
    let one = base < entry;
    open |= base == entry;
    // More than six entries are above the base.
    open |= base < high(6);
    let z0 = (i16::from(four) << 2) + (i16::from(two) << 1) + i16::from(one);
    // `z` is 1 + z0 or -z0.
    let sign = (word >> 16 & 1) as i16;
    let z = (z0 ^ (sign - 1)) + 1;
    let q = proposal(z0);
    let never = open | (reject == NEVER);
    let accept = if open {
        i16::MIN
    } else {
        q.wrapping_add(accept)
    };
    let reject = q.wrapping_add(reject);
    let reject = if never {
        f32::INFINITY
    } else {
        f32::from(reject)
    };
    [f32::from(z), f32::from(accept), reject]
}

/// Tables for [`record_groups`].
struct Tables {
    /// For the second step of the search: at `z0`, which is 0 or 4 so far, entry number `z0 + 1`.
    odd_entries: Table<32>,
    /// For the last step of the search: at `z0`, which is even so far, entry number `z0`.
    entries: Table<32>,
    /// For each `z0`, the value below which the base makes the attempt open. Seven entries above
    /// mean `z0 > 6`.
    open: Table<32>,
    /// For each `z0`, its [`proposal`].
    proposals: Table<32>,
    /// At `z0`, the candidate `-z0`; at `z0 + 8`, the candidate `1 + z0`.
    candidates: Table<32>,
    /// For each byte of the trial, its part of `accept` and of `reject`.
    trials: [Table<256>; 2],
}

static TABLES: Tables = {
    let mut tables = Tables {
        odd_entries: Table([0; 32]),
        entries: Table([0; 32]),
        open: Table([0; 32]),
        proposals: Table([0; 32]),
        candidates: Table([0; 32]),
        trials: [Table([0; 256]); 2],
    };
    let mut i = 0;
    while i < 8 {
        if i < 7 {
            tables.entries.0[i] = unsigned_high(i);
            tables.open.0[i] = unsigned_high(i) + 1;
        } else {
            tables.open.0[i] = u16::MAX as i16;
        }
        if i < 6 {
            tables.odd_entries.0[i] = unsigned_high(i + 1);
        }
        tables.proposals.0[i] = proposal(i as i16);
        tables.candidates.0[i] = -(i as i16);
        tables.candidates.0[i + 8] = 1 + i as i16;
        i += 1;
    }
    let mut w = 0;
    while w < 256 {
        [tables.trials[0].0[w], tables.trials[1].0[w]] = trial(w as u8);
        w += 1;
    }
    tables
};

/// The records of 32 attempts, as words.
struct Group<T: LookUps> {
    z: T::Words,
    accept: T::Words,
    reject: T::Words,
    /// Mask of the attempts that are open whatever the centre is.
    open: u32,
    /// Mask of the attempts that no centre rejects, including open attempts.
    never: u32,
}

impl<T: LookUps> Group<T> {
    /// Writes the records from place `at` on.
    #[inline(always)]
    fn store(&self, t: T, at: usize, [z, accept, reject]: [&mut [f32; CAPACITY]; 3]) {
        if let Some([z, accept, reject]) = group_at(at, [z, accept, reject]) {
            t.store_floats(self.z, 0, 0.0, z);
            t.store_floats(self.accept, self.open, f32::from(i16::MIN), accept);
            t.store_floats(self.reject, self.never, f32::INFINITY, reject);
        }
    }
}

/// Makes [`record`] for `N` groups of attempts. Each step of a group waits for the step before, so
/// the steps of all groups are done side by side.
#[inline(always)]
fn record_groups<T: LookUps, const N: usize>(
    t: T,
    attempts: [&[[u8; ATTEMPT_LEN]; GROUP]; N],
) -> [Group<T>; N] {
    // A tail is two bytes of the base sample, then sign and trial.
    let mut tails = [[t.splat(0); 2]; N];
    let mut z0 = [t.splat(0); N];
    for (tails, attempts) in tails.iter_mut().zip(attempts) {
        *tails = t.tails(attempts);
    }
    // Binary search finds how many of seven entries are above the base.
    for ([base, _], z0) in tails.iter().zip(&mut z0) {
        *z0 = t.add_where(t.below(*base, t.splat(unsigned_high(3))), *z0, t.splat(4));
    }
    for (entries, step) in [(&TABLES.odd_entries, 2), (&TABLES.entries, 1)] {
        for ([base, _], z0) in tails.iter().zip(&mut z0) {
            let below = t.below(*base, t.look_up(entries, *z0));
            *z0 = t.add_where(below, *z0, t.splat(step));
        }
    }
    from_fn(
        #[inline(always)]
        |i| {
            let (z0, [base, rest]) = (z0[i], tails[i]);
            let open = t.below(base, t.look_up(&TABLES.open, z0));
            let candidate = t.add_where(t.odd(rest), z0, t.splat(8));
            let q = t.look_up(&TABLES.proposals, z0);
            let w = t.high_bytes(rest);
            Group {
                z: t.look_up(&TABLES.candidates, candidate),
                accept: t.add(q, t.look_up_byte(&TABLES.trials[0], w)),
                reject: t.add(q, t.look_up_byte(&TABLES.trials[1], w)),
                open,
                never: open | t.below(w, t.splat(1)),
            }
        },
    )
}

/// Returns `z0^2 log2(e) / (2 sigma_max^2)`, which is `891.507 z0^2` units, for `z0 <= 6`. The
/// result is at most 0.7 units too small.
#[inline(always)]
const fn proposal(z0: i16) -> i16 {
    let square = z0.wrapping_mul(z0);
    square.wrapping_mul(891).wrapping_add(square >> 1)
}

/// Returns the parts of `accept` and `reject` that depend only on the byte `w` of the trial.
#[inline(always)]
pub(super) const fn trial(w: u8) -> [i16; 2] {
    let below = log2(w as u16) as i16;
    [
        ACCEPT.wrapping_sub(log2(w as u16 + 1) as i16),
        if w == 0 {
            NEVER
        } else {
            REJECT.wrapping_sub(below)
        },
    ]
}

/// Values of [`trial`] for every byte.
static TRIALS: ByteTable = {
    let mut values = [[0; 2]; 256];
    let mut w = 0;
    while w < 256 {
        values[w] = trial(w as u8);
        w += 1;
    }
    ByteTable::new(&values)
};

/// Polynomial for `(log2(1 + m) / m - 1) / (1 - m)` on `[0, 1]`, in units of `2^-17`, lowest
/// degree first, signs alternating. It has the least absolute error of the logarithm, 0.46 units.
/// `tests/minimax.rs` computes it again.
pub(super) const LOG2: [u16; 3] = [57504, 31334, 10765];

/// Returns `log2(v)` for `1 <= v <= 256`, with an error from `-1.38` to `0.38` units.
#[inline(always)]
const fn log2(v: u16) -> u16 {
    const C: [u16; 3] = LOG2;
    // v = 2^e (1 + m / 2^8). The bits of e are above those of m.
    let v = ((v as f32).to_bits() >> 15) as u16;
    let v = v.wrapping_sub(127 << 8);
    let m = v & 0xff;
    let p = C[1] - mul_high(m << 8, C[2]);
    let p = C[0] - mul_high(m << 8, p);
    (v << 4).wrapping_add(mul_high(2 * m * (256 - m), p) >> 6)
}

/// Returns the high half of a product.
#[inline(always)]
const fn mul_high(a: u16, b: u16) -> u16 {
    ((a as u32 * b as u32) >> 16) as u16
}

/// Returns `1 / (dss log2(e))`. This factor turns a difference of `y`, in the units of the records,
/// into a difference of squares `(z - r)^2`.
#[inline(always)]
pub(super) fn spread(dss: f64) -> f32 {
    1.0 / (dss as f32 * (LOG2_E * ONE))
}

/// Polynomial for `log2(256 x)` on `[0.6, 1]` in the units of the records, lowest degree first. It
/// has the least absolute error, 0.08. `tests/minimax.rs` computes it again.
pub(super) const LEVEL: [f32; 5] = [18_931.611, 30_473.35, -29_224.945, 16_474.943, -3_887.037_6];

/// Returns `log2(256 ccs)` in the units of the records, minus [`RAISE`]. The error is below 0.09
/// for `ccs` from 0.6 to 1.
#[inline(always)]
pub(super) fn level(ccs: f64) -> f32 {
    const C: [f32; 5] = LEVEL;
    let x = ccs as f32;
    let p = C[3] + x * C[4];
    let p = C[2] + x * p;
    let p = C[1] + x * p;
    (C[0] - RAISE) + x * p
}

#[cfg(test)]
mod tests;
