//! Compares every operation of an instruction set with the same operation of [`Baseline`].
//!
//! The crates of instruction sets include this file in their own tests. Each set computes in its
//! own frame. Results are compared bit for bit; the inputs stay in the documented ranges.

use falcon_lanes::{
    Baseline, ByteTable, F32x8, F64s, I16s, Isa, Lanes, LookUps, Many, Ordered, Pack, Register,
    Table, Two, U32s, U64s,
};
use std::io::Write as _;

/// Makes a module `$set` of tests, one for each kind of operations, of the instruction set `$isa`.
/// `$isa` is an option: `None` if the processor lacks the set. Without a list of kinds, takes all.
macro_rules! compare_with_baseline {
    ($set:ident, $isa:expr) => {
        compare_with_baseline!($set, $isa;
            doubles polynomials floats words_of_64 words_of_32 words_of_16 rows look_ups methods);
    };
    ($set:ident, $isa:expr; $($kind:ident)*) => {
        mod $set {
            use super::*;
            $(#[test]
            fn $kind() {
                match $isa {
                    Some(isa) => operations::$kind(isa),
                    None => operations::not_run(stringify!($set), stringify!($kind)),
                }
            })*
        }
    };
}

/// Reports that this processor lacks the instruction set.
#[allow(dead_code, reason = "some sets are everywhere")]
pub fn not_run(set: &str, kind: &str) {
    // Does not use `eprintln`, whose output the test harness captures.
    writeln!(
        std::io::stderr(),
        "not run: {kind} of {set}, which this processor lacks"
    )
    .expect("standard error");
}

/// Compares all registers of doubles, and a pair of the longest ones.
pub fn doubles<I: Isa>(isa: I) {
    compare_doubles::<I, I::F64, f64>(isa);
    compare_doubles::<I, I::F64x2, Pack<2>>(isa);
    compare_doubles::<I, I::F64x4, Pack<4>>(isa);
    compare_doubles::<I, I::F64x8, Pack<8>>(isa);
    compare_doubles::<I, Two<I::F64x8>, Pack<16>>(isa);
}

/// Compares polynomials side by side.
pub fn polynomials<I: Isa>(isa: I) {
    compare_many(Many::<I, 1>(isa), Many::<_, 1>(Baseline));
    compare_many(Many::<I, 2>(isa), Many::<_, 2>(Baseline));
    compare_many(Many::<I, 4>(isa), Many::<_, 4>(Baseline));
    compare_many(Many::<I, 8>(isa), Many::<_, 8>(Baseline));
    compare_many(Many::<I, 16>(isa), Many::<_, 16>(Baseline));
}

/// The generator SplitMix64 of pseudo-random words.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Converts a value to bits, so that results can be compared.
trait Bits: Copy + Default {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($t:ty: |$x:ident| $bits:expr),* $(,)?) => {$(
        impl Bits for $t {
            fn bits(self) -> u64 {
                let $x = self;
                $bits
            }
        }
    )*};
}

// All NaNs count as the same, since processors choose the sign and the payload.
bits! {
    f64: |x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() },
    f32: |x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }.into(),
    u64: |x| x,
    u32: |x| x.into(),
    i16: |x| (x as u16).into(),
}

/// Name of each operation, and the bits of its results.
type Results = Vec<(&'static str, Vec<u64>)>;

/// Applies `operation` to the registers of `inputs`. Returns all first results, then all second
/// results, and so on.
#[inline(never)]
fn apply<I: Isa, R, const K: usize, const M: usize>(
    isa: I,
    inputs: [&[R::Value]; K],
    operation: impl Fn([R; K]) -> [R; M],
) -> Vec<u64>
where
    R: Register<I, Value: Bits>,
{
    let inputs = inputs.map(|x| R::chunks(x));
    let runs = inputs[0].len();
    let mut out = vec![R::Value::default(); M * runs * R::LEN];
    let stored = R::chunks_mut(&mut out);
    // Each operation has its own frame. Functions stay small, so they compile quickly.
    isa.vectorize_words(
        #[inline(always)]
        || {
            for run in 0..runs {
                let results = operation(core::array::from_fn(
                    #[inline(always)]
                    |k| R::load(isa, &inputs[k][run]),
                ));
                for m in 0..M {
                    results[m].store(&mut stored[m * runs + run]);
                }
            }
        },
    );
    out.into_iter().map(Bits::bits).collect()
}

/// Calls [`apply`] for a list of operations, each with its name.
macro_rules! results {
    ($isa:expr, $r:ty, $inputs:expr; $($name:literal: |$args:pat_param| $results:expr;)*) => {
        vec![$((
            $name,
            apply::<I, $r, _, _>($isa, $inputs, #[inline(always)] |$args| $results),
        )),*]
    };
}

fn compare<I: Isa>(isa: I, registers: &str, found: Results, expected: Results) {
    assert_eq!(found.len(), expected.len());
    for ((name, found), (_, expected)) in found.into_iter().zip(expected) {
        assert_eq!(found.len(), expected.len(), "{isa:?}, {registers}: {name}");
        for (i, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            assert_eq!(
                found, expected,
                "{isa:?}, {registers}: {name}, value {i}: {found:#x}, not {expected:#x}"
            );
        }
    }
}

/// Values whose sums, products or quotients are ties, or at the edges of the format.
const EDGES: [f64; 34] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    3.0,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    // A tie when it is added to 1, and its neighbour above.
    f64::EPSILON / 2.0,
    f64::EPSILON / 2.0 * (1.0 + f64::EPSILON),
    3.0 * f64::EPSILON / 2.0,
    // Products of these values are ties.
    1.0 + 1.0 / 134_217_728.0,
    1.0 + 1.0 / 67_108_864.0,
    4_503_599_627_370_495.5,
    4_503_599_627_370_497.0,
    9_007_199_254_740_991.0,
    -9_007_199_254_740_992.0,
    12289.0,
    1.0 / 12289.0,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 2.0,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e154,
    -1e-154,
];

/// Values at the edges of the range of [`F64s::floor`].
const FLOORS: [f64; 24] = [
    0.0,
    -0.0,
    0.25,
    -0.25,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    -2.5,
    1.0 - f64::EPSILON / 2.0,
    -1.0 + f64::EPSILON / 2.0,
    1.0 + f64::EPSILON,
    -1.0 - f64::EPSILON,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    1_125_899_906_842_624.5,
    -1_125_899_906_842_624.5,
    2_251_799_813_685_248.0 - 0.25,
    -2_251_799_813_685_248.0 + 0.25,
];

/// Returns four columns. The first two have every pair of edges, then pseudo-random values. The
/// others have only pseudo-random values. The number of rows is a multiple of 16.
fn columns_of_doubles() -> [Vec<f64>; 4] {
    let mut random = SplitMix(1);
    // The value is between 2^-32 and 2^32 in absolute value.
    let mut value = || {
        let word = random.next();
        f64::from_bits(word & !(0x7ff << 52) | (1023 - 32 + (word >> 52) % 64) << 52)
    };
    let mut columns = [const { Vec::new() }; 4];
    for first in EDGES {
        for second in EDGES {
            let row = [first, second, value(), value()];
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
    }
    while columns[0].len() < 2048 {
        for column in &mut columns {
            column.push(value());
        }
    }
    columns
}

/// Returns 2048 values below `2^51` in absolute value.
fn floors() -> Vec<f64> {
    let mut random = SplitMix(2);
    let mut values = FLOORS.to_vec();
    while values.len() < 2048 {
        let word = random.next();
        // The value has at most 51 bits, some of them after the binary point.
        let integer = (word >> 13) as i64 - (1 << 50);
        values.push(integer as f64 / (1u64 << (word % 52)) as f64);
    }
    values
}

fn doubles_results<I: Isa, R: F64s<I>>(
    isa: I,
    [x, y, z, w]: [&[f64]; 4],
    floors: &[f64],
) -> Results {
    let mut all = results! { isa, R, [x, y, z, w];
        "load and store" : |[a, b, c, d]| [a, b, c, d];
        "add": |[a, b, _, _]| [a + b];
        "sub": |[a, b, _, _]| [a - b];
        "mul": |[a, b, _, _]| [a * b];
        "neg": |[a, b, _, _]| [-a, -b];
        "half": |[a, b, _, _]| [a.half(), b.half()];
        "inverse": |[a, _, c, _]| [a.inverse(), c.inverse()];
        "zip": |[a, b, _, _]| a.zip(b);
        "unzip": |[a, b, _, _]| a.unzip(b);
        "add_sub": |[a, b, c, d]| {
            let ([p, q], [r, s]) = (a.add_sub(b), c.add_sub(d));
            [p, q, r, s]
        };
        "complex_mul": |[a, b, c, d]| R::complex_mul([a, c], [b, d]);
        "complex_mul_conj": |[a, b, c, d]| R::complex_mul_conj([a, c], [b, d]);
    };
    all.extend(results! { isa, R, [floors];
        // The sum makes a zero positive, since the sign of a zero is not specified.
        "floor": |[a]| [a.floor() + R::splat(isa, 0.0)];
    });
    let constructed = isa.vectorize(
        #[inline(always)]
        || constructors::<I, R>(isa, y),
    );
    all.extend(constructed);
    all
}

/// Makes registers from each run of `values`, or from its first values.
#[inline(always)]
fn constructors<I: Isa, R: F64s<I>>(isa: I, values: &[f64]) -> Results {
    let mut results = [
        "load_halves",
        "splat",
        "cycle",
        "load_unzipped",
        "store_zipped",
    ]
    .map(|name| (name, Vec::new()));
    let [halves, splats, cycles, unzipped, zipped] = &mut results;
    let mut out = vec![0.0; R::LEN];
    for (run, x) in R::chunks(values).iter().zip(values.chunks_exact(R::LEN)) {
        R::load_halves(isa, run).store(&mut R::chunks_mut(&mut out)[0]);
        halves.1.extend(out.iter().map(|x| x.bits()));
        R::splat(isa, x[0]).store(&mut R::chunks_mut(&mut out)[0]);
        splats.1.extend(out.iter().map(|x| x.bits()));
        let mut len = 1;
        while len <= R::LEN {
            R::cycle(isa, &x[..len]).store(&mut R::chunks_mut(&mut out)[0]);
            cycles.1.extend(out.iter().map(|x| x.bits()));
            len *= 2;
        }
    }
    for pair in R::chunks(values).as_chunks::<2>().0 {
        let [a, b] = R::load_unzipped(isa, pair);
        unzipped.1.extend(pair_bits::<I, R>([a, b]));
        let mut out = vec![0.0; 2 * R::LEN];
        a.store_zipped(b, &mut R::chunks_mut(&mut out).as_chunks_mut().0[0]);
        zipped.1.extend(out.iter().map(|x| x.bits()));
    }
    results.into()
}

#[inline(always)]
fn pair_bits<I: Isa, R: F64s<I>>(pair: [R; 2]) -> Vec<u64> {
    let mut out = vec![0.0; 2 * R::LEN];
    for (register, out) in pair.into_iter().zip(R::chunks_mut(&mut out)) {
        register.store(out);
    }
    out.iter().map(|x| x.bits()).collect()
}

/// Cuts the places of two registers as a transform does. After each cut, checks two properties: a
/// value of the second register comes half a block after the value at the same place of the first
/// register; and `per_block` has the number of the block at that place.
#[inline(always)]
fn blocks_are_cut<I: Isa, R: F64s<I>>(isa: I) {
    let order: Vec<f64> = (0..2 * R::LEN).map(|i| i as f64).collect();
    let pair = &R::chunks(&order).as_chunks::<2>().0[0];
    let [mut x, mut y] = [R::load(isa, &pair[0]), R::load(isa, &pair[1])];
    let mut blocks = 1;
    let mut cuts = vec![];
    loop {
        let length = 2 * R::LEN / blocks;
        let mut numbers = vec![0.0; R::LEN];
        R::per_block(isa, &order[..blocks]).store(&mut R::chunks_mut(&mut numbers)[0]);
        let places = pair_bits::<I, R>([x, y]);
        let (first, second) = places.split_at(R::LEN);
        for (number, (&first, &second)) in numbers.iter().zip(first.iter().zip(second)) {
            let [first, second] = [first, second].map(|x| f64::from_bits(x) as usize);
            assert_eq!(first / length, *number as usize, "{blocks} blocks");
            assert!(first % length < length / 2, "{blocks} blocks");
            assert_eq!(second, first + length / 2, "{blocks} blocks");
        }
        if blocks == R::LEN {
            break;
        }
        cuts.push(places);
        [x, y] = x.cut_blocks(y, blocks);
        blocks *= 2;
    }
    let unzipped = R::load_unzipped(isa, pair);
    assert_eq!(
        pair_bits::<I, R>([x, y]),
        pair_bits::<I, R>(unzipped),
        "the last cut"
    );
    while let Some(places) = cuts.pop() {
        blocks /= 2;
        [x, y] = x.join_blocks(y, blocks);
        assert_eq!(pair_bits::<I, R>([x, y]), places, "joined to {blocks}");
    }
    assert_eq!(
        pair_bits::<I, R>([x, y]),
        order.iter().map(|x| x.bits()).collect::<Vec<_>>()
    );
}

fn compare_doubles<I: Isa, R: F64s<I>, B: F64s<Baseline>>(isa: I) {
    assert_eq!(R::LEN, B::LEN);
    isa.vectorize(
        #[inline(always)]
        || blocks_are_cut::<I, R>(isa),
    );
    let (columns, floors) = (columns_of_doubles(), floors());
    let columns = columns.each_ref().map(|column| &column[..]);
    let found = doubles_results::<I, R>(isa, columns, &floors);
    let expected = doubles_results::<Baseline, B>(Baseline, columns, &floors);
    compare(isa, &format!("{} doubles", R::LEN), found, expected);
}

/// Loads, shares and repeats the coefficients of several polynomials.
#[inline(always)]
fn many<L: Lanes>(lanes: L, values: &[f64]) -> Results {
    let mut run = [L::Real::default()];
    let mut names = ["load", "load_halves", "shared", "cycle"].map(|name| (name, Vec::new()));
    for values in values.chunks_exact(L::LANES) {
        for (lane, &value) in values.iter().enumerate() {
            L::values_mut(&mut run[0])[lane] = value;
        }
        let x = &L::runs::<L::X8, _>(&run)[0];
        let value = &L::runs::<L::X8, _>(values)[0];
        let registers: [L::X8; 4] = [
            lanes.load(x),
            lanes.load_halves(x),
            lanes.shared(value),
            lanes.cycle(&values[..1]),
        ];
        for (register, (_, results)) in registers.into_iter().zip(&mut names) {
            let mut out = [L::Real::default()];
            L::store(register, &mut L::runs_mut::<L::X8, _>(&mut out)[0]);
            results.extend(L::values(&out[0]).iter().map(|x| x.bits()));
        }
    }
    names.into()
}

fn compare_many<L: Lanes, B: Lanes>(lanes: L, baseline: B) {
    let [_, values, ..] = columns_of_doubles();
    let found = lanes.isa().vectorize(
        #[inline(always)]
        || many(lanes, &values),
    );
    let expected = many(baseline, &values);
    let registers = format!("{} polynomials", L::LANES);
    compare(lanes.isa(), &registers, found, expected);
}

/// Returns comparisons of `x` and `y`, and differences and products of `z` and `w`.
fn floats_results<I: Isa>(isa: I, [x, y, z, w]: [&[f32]; 4]) -> Results {
    let mut all = results! { isa, I::F32x8, [x, y, z, w];
        "load and store": |[a, b, c, d]| [a, b, c, d];
        "sub": |[_, _, c, d]| [c - d];
        "mul": |[_, _, c, d]| [c * d];
    };
    let masks = isa.vectorize(
        #[inline(always)]
        || masks(isa, x, y),
    );
    all.extend(masks);
    all
}

/// Returns one bit for each lane of a mask. Checks that the bits are equal within a lane and zero
/// above the last lane.
fn lanes_of<I: Isa>(mask: u64) -> u64 {
    let bits = 1 << I::F32x8::LOG_BITS;
    let lane = u64::MAX >> (64 - bits);
    let lanes = (0..8).map(|k| mask >> (k * bits) & lane);
    let ones = lanes.enumerate().fold(0, |ones, (k, x)| {
        assert!(x == 0 || x == lane, "{mask:x}");
        ones | (x & 1) << k
    });
    assert_eq!(mask.checked_shr(8 * bits).unwrap_or(0), 0, "{mask:x}");
    ones
}

#[inline(always)]
fn masks<I: Isa>(isa: I, x: &[f32], y: &[f32]) -> Results {
    let names = ["le", "both_le", "splat"];
    let mut results = names.map(|name| (name, Vec::new()));
    let [less_or_equal, both_less_or_equal, splats] = &mut results;
    let runs = I::F32x8::chunks(x).iter().zip(I::F32x8::chunks(y));
    for ((a, b), x) in runs.zip(x.chunks_exact(8)) {
        let (a, b) = (I::F32x8::load(isa, a), I::F32x8::load(isa, b));
        less_or_equal.1.push(lanes_of::<I>(a.le(b)));
        let both = I::F32x8::both_le([a, b], a).into_iter();
        let others = I::F32x8::both_le([a, b], b);
        both_less_or_equal
            .1
            .extend(both.chain(others).map(lanes_of::<I>));
        let mut out = [0.0; 8];
        I::F32x8::splat(isa, x[0]).store(&mut I::F32x8::chunks_mut(&mut out)[0]);
        splats.1.extend(out.map(Bits::bits));
    }
    results.into()
}

/// Compares comparisons of binary32 values, and arithmetic that is exact.
pub fn floats<I: Isa>(isa: I) {
    const EDGES: [f32; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON / 2.0,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        12289.0,
    ];
    let mut random = SplitMix(3);
    let mut columns = [const { Vec::new() }; 4];
    for i in 0..1024 {
        let word = random.next();
        let compared = if i < 196 {
            [EDGES[i / 14], EDGES[i % 14]]
        } else {
            [word as i32 as f32, (word >> 32) as i32 as f32]
        };
        // Integers of 12 bits have exact differences and products, so every set has the same
        // results.
        let small = |word: u64| (word % 8192) as f32 - 4096.0;
        let row = [compared[0], compared[1], small(word), small(word >> 32)];
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let columns = columns.each_ref().map(|column| &column[..]);
    let found = floats_results(isa, columns);
    compare(isa, "8 floats", found, floats_results(Baseline, columns));
}

/// Returns `N` columns of 1024 words: every pair of edges in the first two, then pseudo-random
/// words.
fn columns_of_words<const N: usize>() -> [Vec<u64>; N] {
    const EDGES: [u64; 8] = [
        0,
        u64::MAX,
        1,
        1 << 63,
        0xffff_ffff,
        0xffff_ffff << 32,
        0x5555_5555_5555_5555,
        0x0123_4567_89ab_cdef,
    ];
    let mut random = SplitMix(4);
    core::array::from_fn(|column| {
        let edge = |i: usize| match column {
            0 => EDGES[i / 8],
            1 => EDGES[i % 8],
            _ => EDGES[(3 * i + column) % 8],
        };
        let mut word = |i| if i < 64 { edge(i) } else { random.next() };
        (0..1024).map(&mut word).collect()
    })
}

fn words_of_64_results<I: Isa, W>(isa: I, columns: [&[u64]; 5]) -> Results
where
    W: U64s + Register<I, Value = u64>,
{
    const X: u64 = 0x0123_4567_89ab_cdef;
    macro_rules! rotations {
        ($($l:literal)*) => { results! { isa, W, columns;
            $(
                "rotate_left": |[a, ..]| [a.rotate_left::<$l, { 64 - $l }>()];
                "xor_then_rotate": |[a, b, ..]| [a.xor_then_rotate::<$l, { 64 - $l }>(b)];
            )*
        } };
    }
    let mut all = results! { isa, W, columns;
        "load and store": |[a, b, c, d, e]| [a, b, c, d, e];
        "splat": |[_, ..]| [W::splat(isa, X)];
        "xor_u64": |[a, ..]| [a.xor_u64(X)];
        "xor": |[a, b, ..]| [a.xor(b)];
        "and": |[a, b, ..]| [a.and(b)];
        "or": |[a, b, ..]| [a.or(b)];
        "not": |[a, ..]| [a.not()];
        "xor3": |[a, b, c, ..]| [a.xor3(b, c)];
        "xor5": |[a, b, c, d, e]| [a.xor5([b, c, d, e])];
        "xor_rotated": |[a, b, ..]| [a.xor_rotated(b)];
        "xor_and_not": |[a, b, c, ..]| [a.xor_and_not(b, c)];
        "xor_and": |[a, b, c, ..]| [a.xor_and(b, c)];
        "or_where_equal": |[a, b, c, ..]| [a.or_where_equal(b, c, c.xor(a.and(b)))];
        "or_where_equal": |[a, b, c, ..]| [a.or_where_equal(b, a, c)];
        "mask_of_bit": |[a, b, c, ..]| [a.mask_of_bit(0), b.mask_of_bit(12), c.mask_of_bit(63)];
        "xor_and_not_owing_last": |[a, b, c, ..]| [a.xor_and_not_owing_last(b, c)];
    };
    // Rotations of Keccak-f, and the edges.
    all.extend(rotations!(
        1 2 8 14 27 31 32 36 44 56 62 63
    ));
    all
}

/// Compares registers of 64-bit words.
pub fn words_of_64<I: Isa>(isa: I) {
    let columns = columns_of_words();
    let columns = columns.each_ref().map(|column| &column[..]);
    let found = words_of_64_results::<I, I::U64s>(isa, columns);
    let expected = words_of_64_results::<_, u64>(Baseline, columns);
    compare(isa, "64-bit words", found, expected.clone());
    let found = words_of_64_results::<I, I::OneU64>(isa, columns);
    compare(isa, "one 64-bit word", found, expected);
}

fn words_of_32_results<I: Isa>(isa: I, columns: [&[u32]; 2]) -> Results {
    macro_rules! rotations {
        ($($l:literal)*) => { results! { isa, I::U32s, columns;
            $("rotate_left": |[a, _]| [a.rotate_left::<$l, { 32 - $l }>()];)*
        } };
    }
    let mut all = results! { isa, I::U32s, columns;
        "load and store": |[a, b]| [a, b];
        "splat": |[_, _]| [I::U32s::splat(isa, 0x0123_4567)];
        "wrapping_add": |[a, b]| [a.wrapping_add(b)];
        "xor": |[a, b]| [a.xor(b)];
    };
    all.extend(rotations!(1 7 8 12 15 16 17 24 31));
    all
}

/// Compares registers of 32-bit words.
pub fn words_of_32<I: Isa>(isa: I) {
    let columns = columns_of_words::<2>()
        .map(|column| column.iter().map(|x| (x >> 16) as u32).collect::<Vec<_>>());
    let columns = columns.each_ref().map(|column| &column[..]);
    let found = words_of_32_results(isa, columns);
    compare(
        isa,
        "32-bit words",
        found,
        words_of_32_results(Baseline, columns),
    );
}

/// Returns the results for 16-bit words. `p_inv` is the inverse of the prime `p` modulo `2^16`.
/// Values of `small` are at most `2^14` in absolute value, and no value of `b` is `-2^15`.
fn words_of_16_results<I: Isa>(
    isa: I,
    [a, b, small_a, small_b]: [&[i16]; 4],
    [p, p_inv, v]: [i16; 3],
) -> Results {
    results! { isa, I::I16s, [a, b, small_a, small_b];
        "load and store": |[a, b, c, d]| [a, b, c, d];
        "splat": |[..]| [I::I16s::splat(isa, p)];
        "add": |[_, _, a, b]| [a + b];
        "sub": |[_, _, a, b]| [a - b];
        "mul_low": |[a, b, _, _]| [a.mul_low(b)];
        "mul_low_by": |[a, b, _, _]| [a.mul_low_by(p_inv), b.mul_low_by(-p)];
        "montgomery": |[a, b, _, _]| [a.montgomery(b, a.mul_low(b).mul_low_by(p_inv), p)];
        "barrett": |[a, _, _, _]| [a.barrett(v), a.barrett(1), a.barrett(i16::MAX)];
        "sub_mul": |[a, b, _, _]| [a.sub_mul(b, p)];
    }
}

/// Compares registers of 16-bit words.
pub fn words_of_16<I: Isa>(isa: I) {
    const EDGES: [i16; 10] = [
        0,
        1,
        -1,
        12289,
        -12289,
        6144,
        -6145,
        i16::MAX,
        i16::MIN,
        256,
    ];
    // The first two columns have every pair of edges. Then the first column has every word.
    let mut columns = [const { Vec::new() }; 4];
    let mut random = SplitMix(5);
    let mut push = |a: i16, b: i16| {
        let b = b.max(-i16::MAX);
        // The third value is at most 2^14 - 1, so that the sum of two values does not overflow.
        let row = [a, b, (a / 2).min((1 << 14) - 1), b / 2];
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    };
    for a in EDGES {
        for b in EDGES {
            push(a, b);
        }
    }
    for a in i16::MIN..=i16::MAX {
        push(a, random.next() as i16);
    }
    for _ in 0..28 {
        push(random.next() as i16, random.next() as i16);
    }
    assert_eq!(columns[0].len() % 64, 0);
    let columns = columns.each_ref().map(|column| &column[..]);
    for p in [12289i16, 18433] {
        let p_inv = (0..8).fold(1i16, |y, _| {
            y.wrapping_mul(2i16.wrapping_sub(p.wrapping_mul(y)))
        });
        assert_eq!(p.wrapping_mul(p_inv), 1);
        let constants = [p, p_inv, (((1 << 28) / i32::from(p) + 1) / 2) as i16];
        let found = words_of_16_results(isa, columns, constants);
        let expected = words_of_16_results(Baseline, columns, constants);
        compare(isa, "16-bit words", found, expected);
    }
}

/// Returns the results of [`LookUps`] for pseudo-random words and masks. Words are stored as
/// floats, which is exact.
#[inline(always)]
fn look_ups_results<T: LookUps>(t: T, tables: &(Table<32>, Table<256>), seed: u64) -> Results {
    let mut random = SplitMix(seed);
    let mut results = [
        "splat",
        "tails, low",
        "tails, high",
        "high_bytes",
        "add",
        "add_where",
        "look_up",
        "look_up_byte",
        "store_floats",
        "below",
        "odd",
    ]
    .map(|name| (name, Vec::new()));
    for _ in 0..64 {
        let mut records = [[0; 11]; 32];
        for byte in records.as_flattened_mut() {
            *byte = random.next() as u8;
        }
        // About half of the words of `low` and `other` are equal, so that comparisons meet equal
        // words.
        let mask = random.next() as u32;
        let [low, high] = t.tails(&records);
        let other = t.add_where(mask, t.splat(0), low);
        let words = [
            t.splat(random.next() as i16),
            low,
            high,
            t.high_bytes(low),
            t.add(low, high),
            t.add_where(mask, low, high),
            t.look_up(&tables.0, five_bits(t, low)),
            t.look_up_byte(&tables.1, t.high_bytes(high)),
        ];
        let mut floats = [0.0; 32];
        for (words, (_, result)) in words.into_iter().zip(&mut results) {
            t.store_floats(words, 0, 0.0, &mut floats);
            result.extend(floats.map(Bits::bits));
        }
        t.store_floats(low, mask, f32::INFINITY, &mut floats);
        results[8].1.extend(floats.map(Bits::bits));
        let masks = [t.below(low, high), t.below(low, other), t.below(other, low)];
        results[9].1.extend(masks.map(u64::from));
        results[10].1.push(t.odd(high).into());
    }
    results.into()
}

/// Returns the five high bits of every word. Counts the positive multiples of eight that are not
/// above its high byte.
#[inline(always)]
fn five_bits<T: LookUps>(t: T, words: T::Words) -> T::Words {
    let byte = t.high_bytes(words);
    let mut place = t.splat(0);
    for bound in 1..32 {
        place = t.add_where(t.below(t.splat(8 * bound - 1), byte), place, t.splat(1));
    }
    place
}

/// Compares look-ups in registers, if the processor has them.
pub fn look_ups<I: Isa>(isa: I) {
    let Some(t) = isa.look_ups() else {
        return;
    };
    let mut random = SplitMix(7);
    let tables = (
        Table(core::array::from_fn(|_| random.next() as i16)),
        Table(core::array::from_fn(|_| random.next() as i16)),
    );
    let found = t.vectorize(
        #[inline(always)]
        || look_ups_results(t, &tables, 8),
    );
    let expected = look_ups_results(Baseline, &tables, 8);
    compare(isa, "look-ups", found, expected);
}

/// Loads rows of 16-bit words, exchanges blocks, and stores the rows.
pub fn rows<I: Isa>(isa: I) {
    exchange::<I, 1>(isa);
    exchange::<I, 2>(isa);
    exchange::<I, 4>(isa);
    exchange::<I, 8>(isa);
    exchange::<I, 16>(isa);
}

fn exchange<I: Isa, const BLOCK: usize>(isa: I) {
    let before: [[i16; 32]; 2] =
        [1, -1].map(|sign| core::array::from_fn(|i| sign * (1000 * i as i16 + 7)));
    let exchanged: [[i16; 32]; 2] = core::array::from_fn(|row| {
        core::array::from_fn(|i| match (row, i / BLOCK % 2) {
            (0, 1) => before[1][i - BLOCK],
            (1, 0) => before[0][i + BLOCK],
            _ => before[row][i],
        })
    });
    // Exchanges there and back.
    for (from, to) in [(before, exchanged), (exchanged, before)] {
        let mut rows = from;
        isa.vectorize(
            #[inline(always)]
            || {
                let [mut x, mut y] = from.each_ref().map(|row| I::I16s::load_row(isa, row));
                I::I16s::exchange::<BLOCK>(&mut x, &mut y);
                for (row, registers) in rows.iter_mut().zip([x, y]) {
                    let words = I::I16s::chunks_mut(row).iter_mut();
                    for (words, register) in words.zip(registers.as_ref()) {
                        register.store(words);
                    }
                }
            },
        );
        assert_eq!(rows, to, "{isa:?}: exchange of {BLOCK}");
    }
}

/// Returns the words of a byte. Different bytes have different words.
fn words_of_byte(x: u8) -> [i16; 2] {
    [i16::from(x).wrapping_mul(257), !i16::from(x) * 113]
}

#[inline(always)]
fn methods_results<I: Isa>(isa: I, table: &ByteTable, words: &[u64]) -> Results {
    let mut results = [
        "transpose_words",
        "load_le_bytes",
        "parities",
        "set_bits",
        "keep_below",
        "tails",
        "map_bytes",
    ]
    .map(|name| (name, Vec::new()));
    let [transposed, loaded, parities, bits, kept, tails, mapped] = &mut results;
    for words in words.as_chunks::<64>().0 {
        let matrix = core::array::from_fn(|i| core::array::from_fn(|j| words[8 * i + j]));
        transposed
            .1
            .extend(isa.transpose_words(&matrix).as_flattened());
        let bytes = words.map(u64::to_le_bytes);
        for place in (0..words.len()).step_by(I::U64s::LEN) {
            let mut out = [0; 8];
            let register = isa.load_le_bytes(&bytes[place..]);
            register.store(&mut I::U64s::chunks_mut(&mut out)[0]);
            loaded.1.extend(&out[..I::U64s::LEN]);
        }

        parities.1.push(isa.parities(&matrix).into());
        // The positions are distinct, one in every 150. Some are beyond the end.
        let positions: [u16; 64] =
            core::array::from_fn(|i| 150 * i as u16 + (words[i] % 150) as u16);
        for (count, offset, len) in [
            (0, 0, 9),
            (1, 3, 77),
            (17, 0, 256),
            (63, 7, 1000),
            (64, 5, 1031),
            (64, 5, 4096),
        ] {
            let mut out = [0xa5; 4096];
            isa.set_bits(&positions[..count], offset, &mut out[..len]);
            bits.1.extend(out.map(u64::from));
        }

        let x = core::array::from_fn(|i| words[16 + i] as u16);
        // First, keys from 0 to 3, so that keys often equal the limit. Then arbitrary 16-bit keys.
        for mask in [3, 0xffff] {
            let keys = core::array::from_fn(|i| words[i] as u16 & mask);
            let any = words[63] as u16;
            for limit in [
                0, 1, 2, 3, 4, keys[0], keys[15], any, 0x7fff, 0x8000, 0xffff,
            ] {
                let mut out = [0; 16];
                let count = isa.keep_below(limit, &keys, &x, &mut out);
                kept.1.push(count as u64);
                kept.1.extend(out[..count].iter().map(|&x| u64::from(x)));
            }
        }

        let byte = |i: usize| words[i / 8].to_le_bytes()[i % 8];
        let records = core::array::from_fn(|i| core::array::from_fn(|j| byte(11 * i + j)));
        tails.1.extend(isa.tails(&records).map(u64::from));

        let one = [core::array::from_fn(byte)];
        let three: [[u8; 16]; 3] =
            core::array::from_fn(|i| core::array::from_fn(|j| byte(16 * i + j)));
        let [first, second] = isa.map_bytes(words_of_byte, table, &one);
        mapped
            .1
            .extend(first.as_flattened().iter().map(|x| x.bits()));
        mapped
            .1
            .extend(second.as_flattened().iter().map(|x| x.bits()));
        let [first, second] = isa.map_bytes(words_of_byte, table, &three);
        mapped
            .1
            .extend(first.as_flattened().iter().map(|x| x.bits()));
        mapped
            .1
            .extend(second.as_flattened().iter().map(|x| x.bits()));
    }
    results.into()
}

/// Compares the methods of [`Isa`] that work on arrays.
pub fn methods<I: Isa>(isa: I) {
    let mut random = SplitMix(6);
    let mut words: Vec<u64> = (0..64 * 64).map(|_| random.next()).collect();
    // The last 32 matrices hold every byte in turn.
    for (i, word) in words[2048..].iter_mut().enumerate() {
        *word = u64::from_le_bytes(core::array::from_fn(|j| (8 * i + 37 * (i / 64) + j) as u8));
    }
    let table = ByteTable::new(&core::array::from_fn(|x| words_of_byte(x as u8)));
    let found = isa.vectorize(
        #[inline(always)]
        || methods_results(isa, &table, &words),
    );
    compare(
        isa,
        "methods",
        found,
        methods_results(Baseline, &table, &words),
    );
    look_up_bytes(isa);
    isa.vectorize(
        #[inline(always)]
        || ordered(isa),
    );
}

/// Compares words below `2^63`: equal words, words that differ in one bit, and random words.
#[inline(always)]
fn ordered<I: Isa>(isa: I) {
    let mut random = SplitMix(8);
    for bit in 0..128 {
        let x: [u64; 8] = core::array::from_fn(|_| random.next() >> 1);
        let y = x.map(|x| match bit {
            0..63 => x ^ 1 << bit,
            63 => x,
            _ => random.next() >> 1,
        });
        let (mut smaller, mut larger) = ([0; 8], [0; 8]);
        let places = I::U64s::chunks_mut(&mut smaller).iter_mut();
        let places = places.zip(I::U64s::chunks_mut(&mut larger));
        let words = I::U64s::chunks(&x).iter().zip(I::U64s::chunks(&y));
        for ((x, y), (smaller, larger)) in words.zip(places) {
            let [a, b] = I::U64s::load(isa, x).min_max(I::U64s::load(isa, y));
            a.store(smaller);
            b.store(larger);
        }
        for i in 0..8 {
            let expected = [x[i].min(y[i]), x[i].max(y[i])];
            assert_eq!([smaller[i], larger[i]], expected, "{isa:?}: bit {bit}");
        }
    }
}

/// Looks up every number in one, two and four tables of every length.
fn look_up_bytes<I: Isa>(isa: I) {
    let mut random = SplitMix(7);
    for log in 8..=13 {
        let len = 1 << log;
        let tables: [Vec<u8>; 4] =
            core::array::from_fn(|_| (0..len).map(|_| random.next() as u8).collect());
        let tables = tables.each_ref().map(Vec::as_slice);
        // Every number, in an order that mixes high and low numbers.
        let numbers: Vec<_> = (0..len).map(|i| (i * 0x9e5 + 77) % len).collect();
        let low: Vec<_> = numbers.iter().map(|&number| number as u8).collect();
        let high: Vec<_> = numbers.iter().map(|&number| (number >> 8) as u8).collect();
        let mut out: [Vec<u8>; 7] = core::array::from_fn(|_| vec![0; len]);
        let [a, b, c, d, e, f, g] = out.each_mut().map(Vec::as_mut_slice);
        isa.look_up_bytes([tables[0]], [&low, &high], [a]);
        isa.look_up_bytes([tables[0], tables[1]], [&low, &high], [b, c]);
        isa.look_up_bytes(tables, [&low, &high], [d, e, f, g]);
        for (out, table) in out.iter().zip([0, 0, 1, 0, 1, 2, 3]) {
            let expected: Vec<_> = numbers
                .iter()
                .map(|&number| tables[table][number])
                .collect();
            assert_eq!(out, &expected, "{isa:?}: {len} bytes, table {table}");
        }
    }
}
