//! Inputs and outputs of hashes are left neither on the stack nor in memory that is freed.
#![cfg(target_os = "linux")]

#[path = "../../../tests/stacks/freed.rs"]
mod freed;
#[allow(dead_code, reason = "the tests of Falcon use all of it")]
#[path = "../../../tests/stacks/search.rs"]
mod search;

use falcon_keccak::{
    Message, RATE, RATE_WORDS, Shake256, hash_side_by_side, permute_state, read_side_by_side,
};
use falcon_lanes::{Baseline, Isa};
use freed::{freed_by, look_for};
use search::{Search, Secret};
use std::array::from_fn;
use std::sync::{Mutex, PoisonError};

const LANES: usize = 8;

const SECRET: [u8; 48] = *b"a seed that hashes absorb, and that nobody knows";

/// Makes the tests run one at a time: all of them free blocks, and one of them searches freed
/// blocks.
static TURN: Mutex<()> = Mutex::new(());

/// The state of a hash begins with what it has absorbed.
#[test]
fn a_hash_that_is_dropped_leaves_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    look_for(&[&SECRET]);
    let absorbing = || {
        let mut hash = Box::new(Shake256::new());
        hash.update(&SECRET);
        drop(hash);
    };
    assert_eq!(freed_by(absorbing), 0);
    let squeezing = || {
        let mut reader = Box::new(Shake256::new().finalize());
        reader.start(|hash| _ = hash.update(&SECRET));
        drop(reader);
    };
    assert_eq!(freed_by(squeezing), 0);
}

/// States of `SHAKE256(SECRET || lane)` when two blocks have been squeezed.
fn states() -> [[u64; 25]; LANES] {
    from_fn(|lane| {
        let mut state = [0; 25];
        let message = [&SECRET[..], &[lane as u8, 0x1f]].concat();
        for (i, byte) in message.into_iter().enumerate() {
            state[i / 8] ^= u64::from(byte) << (8 * (i % 8));
        }
        state[RATE_WORDS - 1] ^= 1 << 63;
        permute_state(Baseline, &mut state);
        permute_state(Baseline, &mut state);
        state
    })
}

/// Bytes that only the arrays of eight states hold. Registers and their copies hold words of one
/// lane, or one word of several lanes. In the array ordered by words, word 7 of the last lane
/// precedes word 8 of the first lane. In the array ordered by lanes, seven zeros separate two
/// states.
fn arrays(states: &[[u64; 25]; LANES]) -> Vec<Secret> {
    let secret = |name, words: &[u64]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let len = bytes.len();
        Secret::new(name, bytes, len, 1)
    };
    let [first, second, .., last] = states;
    vec![
        secret("the states word by word", &[last[7], first[8]]),
        secret(
            "the states lane by lane",
            &[first[24], 0, 0, 0, 0, 0, 0, 0, second[0]],
        ),
    ]
}

fn hashes_leave_nothing(isa: impl Isa) {
    let states = states();
    let mut secrets = arrays(&states);
    secrets.push(Secret::new("the message", SECRET.to_vec(), 16, 1));
    let mut search = Search::new(secrets);
    let ends: [_; LANES] = from_fn(|lane| [lane as u8]);
    let mut seen = [0; LANES];
    search.after(format_args!("hashed with {isa:?}"), || {
        let messages = ends.iter().zip(&mut seen).map(|(end, seen)| Message {
            pieces: [&SECRET[..], end],
            output: (0, seen),
        });
        hash_side_by_side(isa, messages, |(blocks, seen), state| {
            *blocks += 1;
            **seen = state[0];
            *blocks < 2
        });
    });
    search.end();
    assert_eq!(seen, states.map(|state| state[0]), "what is searched for");
}

fn streams_leave_nothing(isa: impl Isa) {
    let states = states();
    let mut search = Search::new(arrays(&states));
    let mut streams: [_; LANES] =
        from_fn(|lane| Shake256::reader(&[&SECRET[..], &[lane as u8]].concat()));
    let mut blocks = vec![[[0; RATE]; 2]; LANES];
    search.after(format_args!("read with {isa:?}"), || {
        read_side_by_side(isa, streams.iter_mut().zip(&mut blocks));
    });
    search.end();
    for (blocks, state) in blocks.iter().zip(states) {
        assert_eq!(
            blocks[1][..8],
            state[0].to_le_bytes(),
            "what is searched for"
        );
    }
}

#[test]
fn hashes_and_streams_side_by_side_leave_nothing_on_the_stack() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    hashes_leave_nothing(Baseline);
    streams_leave_nothing(Baseline);
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = falcon_x86::Avx2::detect() {
        hashes_leave_nothing(isa);
        streams_leave_nothing(isa);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = falcon_x86::Avx512::detect() {
        hashes_leave_nothing(isa);
        streams_leave_nothing(isa);
    }
}
