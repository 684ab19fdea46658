//! Compares the sampler's generator with ChaCha20's block function, which is written here from RFC
//! 8439 alone. The generator runs in the registers of every engine, and in portable code.
//!
//! A seed has 48 bytes for words 4 to 15, and a counter of 64 bits, which is XORed into words 14
//! and 15. A buffer has eight blocks, interleaved word by word. The registers compute two buffers
//! at a time.

use falcon_core::seams::LaneEngine;
use falcon_core::seams::TokenVisitor;
use falcon_core::seams::fft::Fft;
use falcon_core::seams::lanes::{Baseline, Isa};
use falcon_core::seams::prng::{Prng, SAMPLER_SEED_LEN};
use falcon_core::seams::sampler::SigningIsa;
use falcon_tests::{Repeatable, engines, extent};

/// Number of blocks of a buffer.
const BLOCKS: u64 = 8;
/// Number of bytes of a block.
const BLOCK_LEN: usize = 64;

/// Quarter round of RFC 8439, section 2.1.
fn quarter_round(state: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(7);
}

/// Block function of RFC 8439, section 2.3.
fn block(initial: [u32; 16]) -> [u32; 16] {
    let mut state = initial;
    for _ in 0..10 {
        for column in 0..4 {
            quarter_round(&mut state, [column, column + 4, column + 8, column + 12]);
        }
        for column in 0..4 {
            let diagonal = [0, 5, 10, 15].map(|from| from / 4 * 4 + (column + from % 4) % 4);
            quarter_round(&mut state, diagonal);
        }
    }
    std::array::from_fn(|i| state[i].wrapping_add(initial[i]))
}

/// Returns the first `buffers` buffers of the generator for a key and a counter.
fn expected(key: &[u8; 48], counter: u64, buffers: u64) -> Vec<u8> {
    let mut shared = [0; 16];
    let constants = b"expand 32-byte k".as_chunks().0.iter();
    let words = constants.chain(key.as_chunks().0);
    for (shared, &word) in shared.iter_mut().zip(words) {
        *shared = u32::from_le_bytes(word);
    }
    let of_buffer = |buffer: u64| -> Vec<u8> {
        let blocks = (0..BLOCKS).map(|number| {
            let counter = counter.wrapping_add(buffer * BLOCKS + number);
            let mut initial = shared;
            initial[14] ^= counter as u32;
            initial[15] ^= (counter >> 32) as u32;
            block(initial)
        });
        let blocks: Vec<_> = blocks.collect();
        let rows = (0..16).flat_map(|word| blocks.iter().map(move |block| block[word]));
        rows.flat_map(u32::to_le_bytes).collect()
    };
    (0..buffers).flat_map(of_buffer).collect()
}

/// Computes the example of the block function in RFC 8439, section 2.3.2.
#[test]
fn the_block_function_is_that_of_the_standard() {
    let mut initial = [0; 16];
    let constants = b"expand 32-byte k".as_chunks().0.iter();
    for (word, &bytes) in initial.iter_mut().zip(constants) {
        *word = u32::from_le_bytes(bytes);
    }
    for i in 0..8 {
        initial[4 + i] = u32::from_le_bytes([0, 1, 2, 3].map(|j| (4 * i + j) as u8));
    }
    initial[12..].copy_from_slice(&[1, 0x0900_0000, 0x4a00_0000, 0]);
    let expected = [
        0xe4e7_f110,
        0x1559_3bd1,
        0x1fdd_0f50,
        0xc471_20a3,
        0xc7f4_d1c7,
        0x0368_c033,
        0x9aaa_2204,
        0x4e6c_d4c3,
        0x4664_82d2,
        0x09aa_9f07,
        0x05d7_c214,
        0xa202_8bd9,
        0xd19c_12b5,
        0xb94e_16de,
        0xe883_d0cb,
        0x4e3c_50a2,
    ];
    assert_eq!(block(initial), expected);
}

/// Returns counters of the first block: fixed and random ones, and ones for which the lower word or
/// both words wrap at one of the first 41 blocks. At most 32 blocks are computed together.
fn counters(random: &mut Repeatable) -> Vec<u64> {
    let mut counters = vec![0, 1, u64::MAX / 2];
    for before in 0..=5 * BLOCKS {
        counters.push(0u64.wrapping_sub(before));
        let high = u64::from_le_bytes(random.bytes()) << 32;
        counters.push(high.wrapping_sub(before));
    }
    counters.extend((0..8).map(|_| u64::from_le_bytes(random.bytes())));
    counters
}

/// Compares the first two refills of the generator. A refill computes `SETS` times `AHEAD` buffers
/// together.
fn check<const AHEAD: usize, const SETS: usize>(
    name: &str,
    isa: impl Isa,
    key: &[u8; 48],
    counter: u64,
) {
    let mut seed = [0; SAMPLER_SEED_LEN];
    seed[..48].copy_from_slice(key);
    seed[48..].copy_from_slice(&counter.to_le_bytes());
    let mut prng = Prng::<AHEAD, SETS>::new(isa, &seed);
    let buffers = 2 * AHEAD * SETS;
    let expected = expected(key, counter, buffers as u64);
    assert_eq!(expected.len(), buffers * BLOCKS as usize * BLOCK_LEN);
    let found: Vec<u8> = expected.iter().map(|_| prng.next_u8()).collect();
    let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(
        differs, None,
        "{name}, {SETS} times {AHEAD}, counter {counter:#x}"
    );
}

/// Name of an engine, and number of keys to compare.
struct Compare(&'static str, usize);

impl TokenVisitor for Compare {
    type Output = ();

    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) {
        let Self(name, keys) = self;
        let mut random = Repeatable::new(&format!("chacha20 {name}"));
        for _ in 0..keys {
            let key = random.bytes();
            for counter in counters(&mut random) {
                check::<1, 1>(name, tokens.arith, &key, counter);
                check::<2, 1>(name, tokens.arith, &key, counter);
                check::<2, 2>(name, tokens.arith, &key, counter);
            }
        }
    }
}

#[test]
fn every_engine_has_the_bytes_of_the_block_function() {
    let keys = extent("keys of the generator", 3, 100);
    for engine in engines() {
        falcon_core::seams::visit(engine, Compare(engine.name(), keys));
    }
    // With `Baseline`, the blocks are computed without registers, on every processor.
    check::<2, 1>("baseline", Baseline, &[0xff; 48], u64::MAX);
    check::<2, 2>("scalar", Baseline, &[0; 48], u64::MAX - 15);
}
