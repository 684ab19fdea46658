//! Compares the stream with a known answer, and the different ways to compute blocks and to read
//! them with each other.

use super::*;
use crate::hash::Shake256;
use crate::lanes::{Pack, PackF32};
use std::string::String;
use std::vec::Vec;

#[test]
fn a_wiped_generator_holds_nothing() {
    let mut prng = Prng::<2>::new(Baseline, &[7; SAMPLER_SEED_LEN]);
    prng.work_ahead(Baseline);
    prng.zeroize();
    assert!(prng.buffers().as_flattened().iter().all(|&byte| byte == 0));
    assert_eq!((prng.key, prng.counter), ([0; 12], 0));
    assert_eq!(prng.begun, Prng::<2>::EMPTY.begun);
}

#[test]
fn reads_equal_the_reference_vector() {
    reads_equal_the_vector::<1, 1>();
    reads_equal_the_vector::<2, 1>();
    reads_equal_the_vector::<2, 2>();
}

/// Compares reads with the vector of the reference's own test of its generator.
fn reads_equal_the_vector<const AHEAD: usize, const SETS: usize>() {
    let file = include_str!("../../../../kat/prng/chacha20_prng_kat.json");
    let json: serde_json::Value = serde_json::from_str(file).expect("vector file");
    let list = |key: &str| -> Vec<String> {
        let values = json[key].as_array().expect(key).iter();
        values
            .map(|v| String::from(v.as_str().expect("hex")))
            .collect()
    };
    let mut prng = Prng::<AHEAD, SETS>::new(Baseline, &Shake256::reader(b"rng").read_array());
    for (i, expected) in list("u64_reads").iter().enumerate() {
        assert_eq!(
            &std::format!("{:016x}", prng.next_u64()),
            expected,
            "u64 read {i}"
        );
    }
    let bytes = json["then_u8_reads_hex"].as_str().expect("hex");
    let bytes = base16ct::lower::decode_vec(bytes).expect("hex");
    assert_eq!(bytes.len(), 1024);
    for (i, byte) in bytes.into_iter().enumerate() {
        assert_eq!(prng.next_u8(), byte, "u8 read {i}");
    }
}

/// Tests registers of one lane, since this machine may have no others.
#[test]
fn registers_and_rows_have_the_same_bytes() {
    let key = core::array::from_fn(|word| 0x0765_4321 * (word as u32 + 1));
    for counter in [0, u64::from(u32::MAX) - 9, u64::MAX - 9] {
        let [mut registers, mut rows] = [[[0; BUFFER_LEN]; 2]; 2];
        blocks_in_registers(Baseline, &key, counter, &mut registers);
        blocks_in_rows(&key, counter, &mut rows);
        assert_eq!(registers, rows, "{counter}");
    }
}

/// The instruction set [`Baseline`], with `FILLS_GAPS` set.
#[derive(Clone, Copy, Debug)]
struct Gaps;

impl Isa for Gaps {
    type F64 = f64;
    type F64x2 = Pack<2>;
    type F64x4 = Pack<4>;
    type F64x8 = Pack<8>;
    const LONGEST_F64S: usize = 1;
    const FILLS_GAPS: bool = true;
    type F32x8 = PackF32;
    type U64s = u64;
    type OneU64 = u64;
    type U32s = u32;
    type I16s = i16;
    type LookUps = Baseline;

    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

/// Checks that a generator that works ahead gives the same bytes, whatever part of its work is
/// done. This also holds after another seed, and if another instruction set computes the
/// buffers that it began.
#[test]
fn work_done_ahead_changes_no_byte() {
    compare_work_done_ahead::<1>();
    compare_work_done_ahead::<2>();
}

fn compare_work_done_ahead<const SETS: usize>() {
    for steps in 0..=SETS * DOUBLE_ROUNDS + 1 {
        let mut ahead = Prng::<2, SETS>::new(Gaps, &[3; SAMPLER_SEED_LEN]);
        for seed in 0..2 {
            ahead.start(Gaps, &[seed; SAMPLER_SEED_LEN]);
            let mut plain = Prng::<2, SETS>::new(Baseline, &[seed; SAMPLER_SEED_LEN]);
            for round in 0..5 {
                assert_eq!(ahead.buffers(), plain.buffers(), "{steps} {round}");
                // In one round no work is done ahead, so one refill begins without it.
                let steps = if round == 2 { 0 } else { steps };
                (0..steps).for_each(|_| ahead.work_ahead(Gaps));
                let most = SETS * DOUBLE_ROUNDS;
                assert_eq!(ahead.double_rounds, BEGUN * steps.min(most));
                ahead.skip_buffers();
                plain.skip_buffers();
                plain.refill(Baseline);
                if round == 3 {
                    ahead.refill(Baseline);
                } else {
                    ahead.refill(Gaps);
                }
            }
            (0..steps).for_each(|_| ahead.work_ahead(Gaps));
        }
    }
}

/// Reads from every place of a buffer. Single bytes follow one another. Eight bytes are read in
/// place if the place is below 503, else at the start of the next buffer. An attempt is a read
/// of eight bytes and three of single bytes.
fn reads_follow_the_buffer_rule<const AHEAD: usize, const SETS: usize>() {
    let new = || Prng::<AHEAD, SETS>::new(Baseline, &[9; SAMPLER_SEED_LEN]);
    let mut all = new();
    let bytes: Vec<u8> = (0..3 * BUFFER_LEN).map(|_| all.next_u8()).collect();
    for start in 0..2 * BUFFER_LEN {
        let at = |skipped: usize| {
            let mut prng = new();
            (0..skipped).for_each(|_| _ = prng.next_u8());
            prng
        };
        let (buffer, position) = (start / BUFFER_LEN, start % BUFFER_LEN);
        let from = if position < 503 {
            start
        } else {
            (buffer + 1) * BUFFER_LEN
        };
        let expected: [u8; 11] = bytes[from..from + 11].try_into().expect("11 bytes");
        let mut prng = at(start);
        assert_eq!(prng.next_u64().to_le_bytes(), expected[..8], "{start}");
        assert_eq!([(); 3].map(|()| prng.next_u8()), expected[8..], "{start}");
        let mut prng = at(start);
        assert_eq!(prng.next_attempt(), expected, "{start}");
        assert_eq!(prng.next_u8(), bytes[from + 11], "{start}");
    }
}

#[test]
fn reads_follow_the_buffer_rule_from_every_place() {
    reads_follow_the_buffer_rule::<1, 1>();
    reads_follow_the_buffer_rule::<2, 1>();
    reads_follow_the_buffer_rule::<1, 3>();
}
