//! The ChaCha20 generator that feeds the sampler.
//!
//! A buffer has eight blocks, interleaved word by word, exactly as in the reference. At the end of
//! a buffer, the generator drops the same bytes as the reference, since signatures depend on this.
//!
//! Source: Falcon reference implementation (round 3), `rng.c` behaviour; ChaCha20
//! is RFC 8439's with a 64-bit counter mixed into words 14 and 15.

use crate::lanes::{Baseline, Isa, Register, U32s, wipe};
use crate::reveal::expect_secret;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of a sampler seed in bytes. A sampler seed starts the sampler's generator for one
/// attempt.
pub const SAMPLER_SEED_LEN: usize = 56;
/// Length of a buffer in bytes.
pub(crate) const BUFFER_LEN: usize = 64 * BLOCKS;
/// First position at which the generator no longer reads 8 bytes. The rest of the buffer is
/// dropped.
pub(crate) const END: usize = BUFFER_LEN - 9;
/// Number of blocks of a buffer, which are computed side by side.
const BLOCKS: usize = 8;
/// Number of double rounds of ChaCha20.
const DOUBLE_ROUNDS: usize = 10;
/// One if the target has instruction sets with [`Isa::FILLS_GAPS`], which compute the next buffers
/// in steps. Otherwise zero, so that `begun` needs no memory.
const BEGUN: usize = cfg!(target_arch = "x86_64") as usize;

const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// A byte source of the sampler. It computes `SETS` sets of `AHEAD` buffers at a time, the buffers
/// of a set side by side. Both numbers affect speed only.
pub struct Prng<const AHEAD: usize = 1, const SETS: usize = 1> {
    buffers: [[[u8; BUFFER_LEN]; AHEAD]; SETS],
    place: Place,
    key: [u32; 12],
    counter: u64,
    /// Words of the next buffers after some double rounds; see [`work_ahead`](Self::work_ahead).
    begun: [[Words<AHEAD>; SETS]; BEGUN],
    /// Number of double rounds that were done for the next buffers: first all those of a set, then
    /// those of the next set.
    double_rounds: usize,
}

/// A place in the computed bytes.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of the buffer, counted over all sets.
    pub(crate) buffer: usize,
    /// Number of the byte in the buffer.
    pub(crate) position: usize,
}

impl<const AHEAD: usize, const SETS: usize> Prng<AHEAD, SETS> {
    /// Number of buffers.
    const BUFFERS: usize = AHEAD * SETS;

    /// A generator without a seed.
    pub(crate) const EMPTY: Self = Self {
        buffers: [[[0; BUFFER_LEN]; AHEAD]; SETS],
        place: Place {
            buffer: 0,
            position: 0,
        },
        key: [0; 12],
        counter: 0,
        begun: [[[[[0; BLOCKS]; AHEAD]; 16]; SETS]; BEGUN],
        double_rounds: 0,
    };

    /// Makes the generator of `seed` and computes the first bytes in the frame of
    /// `isa`.
    pub fn new(isa: impl Isa, seed: &[u8; SAMPLER_SEED_LEN]) -> Self {
        let mut prng = Self::EMPTY;
        prng.start(isa, seed);
        prng
    }

    /// Restarts the generator in place from `seed` and computes the first bytes in
    /// the frame of `isa`. Signing uses this instead of [`new`](Self::new): moving a
    /// generator would leave an unwiped copy behind.
    pub(crate) fn start(&mut self, isa: impl Isa, seed: &[u8; SAMPLER_SEED_LEN]) {
        let (words, _) = seed.as_chunks();
        for (key, word) in self.key.iter_mut().zip(words) {
            *key = u32::from_le_bytes(*word);
        }
        // The time of sampling reveals how many attempts were needed. That number depends on the
        // bytes and on the secret leaves. If the bytes were public, the time would reveal the
        // leaves.
        expect_secret(&self.key);
        self.counter = seed
            .last_chunk()
            .map_or(0, |last| u64::from_le_bytes(*last));
        self.skip_buffers();
        self.discard_begun();
        self.refill(isa);
    }

    /// Returns the buffers that were computed last.
    pub(crate) fn buffers(&self) -> &[[u8; BUFFER_LEN]] {
        self.buffers.as_flattened()
    }

    /// Returns the counter of the block after the buffers. The counter identifies the buffers.
    pub(crate) fn counter(&self) -> u64 {
        self.counter
    }

    /// Returns the place of the next byte.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Moves to another place.
    pub(crate) fn seek(&mut self, place: Place) {
        debug_assert!(place.buffer < Self::BUFFERS && place.position < BUFFER_LEN);
        self.place = place;
    }

    /// Moves to the last buffer, so that new buffers come after it.
    pub(crate) fn skip_buffers(&mut self) {
        self.place.buffer = Self::BUFFERS - 1;
    }

    /// Returns the next 8 bytes as a little-endian number. Bytes too near the end of the buffer are
    /// dropped, as in the reference.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        if self.place.position >= END {
            self.refill(Baseline);
        }
        match self.ahead().first_chunk() {
            Some(&bytes) => {
                self.place.position += 8;
                u64::from_le_bytes(bytes)
            }
            None => 0, // unreachable: position < END
        }
    }

    /// Returns the next byte.
    #[inline(always)]
    pub fn next_u8(&mut self) -> u8 {
        let Place { buffer, position } = self.place;
        let byte = self.buffers()[buffer % Self::BUFFERS][position % BUFFER_LEN];
        self.place.position += 1;
        if self.place.position == BUFFER_LEN {
            self.refill(Baseline);
        }
        byte
    }

    /// Returns the bytes of [`next_u64`](Self::next_u64), then of three calls of
    /// [`next_u8`](Self::next_u8).
    #[inline(always)]
    pub fn next_attempt(&mut self) -> [u8; 11] {
        // In the middle of the buffer, these 11 bytes are neighbours, and none of them is the last
        // byte of the buffer.
        if self.place.position < BUFFER_LEN - 11
            && let Some(&bytes) = self.ahead().first_chunk()
        {
            self.place.position += 11;
            return bytes;
        }
        self.next_attempt_at_end()
    }

    /// Returns the bytes of this buffer from the next byte on.
    #[inline(always)]
    fn ahead(&self) -> &[u8] {
        let Place { buffer, position } = self.place;
        &self.buffers()[buffer % Self::BUFFERS][position % BUFFER_LEN..]
    }

    #[inline(never)]
    fn next_attempt_at_end(&mut self) -> [u8; 11] {
        let mut out = [0; 11];
        let (low, bytes) = out.split_at_mut(8);
        low.copy_from_slice(&self.next_u64().to_le_bytes());
        for byte in bytes {
            *byte = self.next_u8();
        }
        out
    }

    /// Moves to the start of the next buffer. Computes the buffer, if necessary, in the frame of
    /// `isa`.
    #[inline(never)]
    pub(crate) fn refill<I: Isa>(&mut self, isa: I) {
        // The key is also secret if the generator was never started, as for a lane without a job.
        expect_secret(&self.key);
        self.place.position = 0;
        self.place.buffer += 1;
        if self.place.buffer < Self::BUFFERS {
            return;
        }
        self.place.buffer = 0;
        isa.vectorize(
            #[inline(always)]
            || {
                for (set, out) in self.buffers.iter_mut().enumerate() {
                    let done = self.double_rounds.saturating_sub(set * DOUBLE_ROUNDS);
                    match &mut self.begun[..] {
                        [begun] if I::FILLS_GAPS && done > 0 => {
                            let left = DOUBLE_ROUNDS - done.min(DOUBLE_ROUNDS);
                            finish(&mut begun[set], left, &self.key, self.counter, out);
                        }
                        _ => blocks(isa, &self.key, self.counter, out),
                    }
                    self.counter = self.counter.wrapping_add((BLOCKS * AHEAD) as u64);
                }
            },
        );
        self.discard_begun();
    }

    /// Computes a part of the next buffers, if there is something to do, in the frame of the
    /// caller.
    ///
    /// After ten calls for each set, little work is left for [`refill`](Self::refill). A caller
    /// that waits for a chain of dependent operations calls this function in between, and the
    /// processor does both at once. The function is inlined: with a call, the caller's registers
    /// would go through memory, and no time would be saved.
    #[inline(always)]
    pub(crate) fn work_ahead(&mut self, isa: impl Isa) {
        let set = self.double_rounds / DOUBLE_ROUNDS;
        if set == SETS {
            return;
        }
        if self.double_rounds.is_multiple_of(DOUBLE_ROUNDS) {
            self.begin_ahead(isa, set);
        }
        if let [sets] = &mut self.begun[..]
            && let Some(words) = sets.get_mut(set)
        {
            double_round(words);
            self.double_rounds += 1;
        }
    }

    /// Discards the work of [`work_ahead`](Self::work_ahead).
    #[inline(always)]
    fn discard_begun(&mut self) {
        if BEGUN != 0 {
            self.double_rounds = 0;
        }
    }

    /// Writes the words of `set` from which [`work_ahead`](Self::work_ahead) starts. Not inlined,
    /// since in the caller's frame it would use stack at every leaf.
    #[inline(never)]
    fn begin_ahead(&mut self, isa: impl Isa, set: usize) {
        isa.vectorize(
            #[inline(always)]
            || {
                if let [sets] = &mut self.begun[..]
                    && let Some(words) = sets.get_mut(set)
                {
                    let before = (set * AHEAD * BLOCKS) as u64;
                    begin(words, &self.key, self.counter.wrapping_add(before));
                }
            },
        );
    }
}

impl<const AHEAD: usize, const SETS: usize> Zeroize for Prng<AHEAD, SETS> {
    fn zeroize(&mut self) {
        wipe(self.buffers.as_flattened_mut().as_flattened_mut());
        if let [sets] = &mut self.begun[..] {
            wipe(
                sets.as_flattened_mut()
                    .as_flattened_mut()
                    .as_flattened_mut(),
            );
        }
        self.key.zeroize();
        self.counter.zeroize();
    }
}

impl<const AHEAD: usize, const SETS: usize> Drop for Prng<AHEAD, SETS> {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl<const AHEAD: usize, const SETS: usize> ZeroizeOnDrop for Prng<AHEAD, SETS> {}

/// Words of blocks: word `v` of block `u` of every buffer.
type Words<const AHEAD: usize> = [[[u32; BLOCKS]; AHEAD]; 16];

/// Writes the blocks from `counter` on. A buffer is [`BLOCKS`] blocks, interleaved word by word.
#[inline(always)]
fn blocks<I: Isa, const AHEAD: usize>(
    isa: I,
    key: &[u32; 12],
    counter: u64,
    out: &mut [[u8; BUFFER_LEN]; AHEAD],
) {
    if I::U32s::LEN > 1 {
        blocks_in_registers(isa, key, counter, out);
    } else {
        blocks_in_rows(key, counter, out);
    }
}

/// Writes blocks as [`blocks`] does, but without registers: every word is an array with one entry
/// for each block.
#[inline(always)]
fn blocks_in_rows<const AHEAD: usize>(
    key: &[u32; 12],
    counter: u64,
    out: &mut [[u8; BUFFER_LEN]; AHEAD],
) {
    let mut x = [[[0; BLOCKS]; AHEAD]; 16];
    begin(&mut x, key, counter);
    finish(&mut x, DOUBLE_ROUNDS, key, counter, out);
}

/// Writes the words from which the blocks from `counter` on start.
// Not inlined except on x86-64, so that programs have one copy.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
fn begin<const AHEAD: usize>(x: &mut Words<AHEAD>, key: &[u32; 12], counter: u64) {
    let (constants, keys) = x.split_at_mut(CONSTANTS.len());
    for (row, word) in constants.iter_mut().zip(CONSTANTS) {
        *row = [[word; BLOCKS]; AHEAD];
    }
    for (row, &word) in keys.iter_mut().zip(key) {
        *row = [[word; BLOCKS]; AHEAD];
    }
    let [.., low, high] = x;
    let words = low.as_flattened_mut().iter_mut();
    for ((low, high), block) in words.zip(high.as_flattened_mut()).zip(0..) {
        let counter = counter.wrapping_add(block);
        *low ^= counter as u32;
        *high ^= (counter >> 32) as u32;
    }
}

/// Computes two rounds of all blocks.
#[inline(always)]
fn double_round<const AHEAD: usize>(x: &mut Words<AHEAD>) {
    // The loop over blocks is the innermost loop, and its body is long. So the compiler vectorises
    // it, and does not unroll it, which would give scalar code.
    for u in 0..BLOCKS * AHEAD {
        let mut y: [[u32; 1]; 16] = core::array::from_fn(|v| [x[v].as_flattened()[u]]);
        // The rounds are not in a loop, which a compiler that optimises for size would not unroll.
        let [c0, c1, c2, c3] = COLUMNS;
        quarter_round(&mut y, c0);
        quarter_round(&mut y, c1);
        quarter_round(&mut y, c2);
        quarter_round(&mut y, c3);
        let [d0, d1, d2, d3] = DIAGONALS;
        quarter_round(&mut y, d0);
        quarter_round(&mut y, d1);
        quarter_round(&mut y, d2);
        quarter_round(&mut y, d3);
        for (x, y) in x.iter_mut().zip(y) {
            [x.as_flattened_mut()[u]] = y;
        }
    }
}

/// Computes the remaining double rounds and writes the blocks from `counter` on. Overwrites `x`.
#[inline(always)]
fn finish<const AHEAD: usize>(
    x: &mut Words<AHEAD>,
    double_rounds: usize,
    key: &[u32; 12],
    counter: u64,
    out: &mut [[u8; BUFFER_LEN]; AHEAD],
) {
    for _ in 0..double_rounds {
        double_round(x);
    }
    // These words are computed again. If they were kept beside `x`, they would use its registers.
    let mut initial = [[[0; BLOCKS]; AHEAD]; 16];
    begin(&mut initial, key, counter);
    let words = x.as_flattened_mut().as_flattened_mut();
    let added = initial.as_flattened().as_flattened();
    for (x, initial) in words.iter_mut().zip(added) {
        *x = x.wrapping_add(*initial);
    }
    // Writes the last buffer first. Its records are made first, and a load right after a store
    // would wait.
    for (buffer, out) in out.iter_mut().enumerate().rev() {
        for (x, out) in x.iter().zip(out.as_chunks_mut().0) {
            *out = le_bytes(&x[buffer]);
        }
    }
}

/// Returns the bytes of a row. They are moved together, since the compiler would turn a loop over
/// all words into scatter instructions.
#[inline(always)]
fn le_bytes(words: &[u32; BLOCKS]) -> [u8; 4 * BLOCKS] {
    let mut out = [0; 4 * BLOCKS];
    for (out, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
        *out = word.to_le_bytes();
    }
    out
}

/// Writes blocks as [`blocks`] does. The words stay in registers until they are written as bytes.
/// If a register has a lane for each block of a buffer, all buffers are computed side by side.
#[inline(always)]
fn blocks_in_registers<I: Isa, const AHEAD: usize>(
    isa: I,
    key: &[u32; 12],
    counter: u64,
    out: &mut [[u8; BUFFER_LEN]; AHEAD],
) {
    let mut initial = [I::U32s::splat(isa, 0); 16];
    let (constants, keys) = initial.split_at_mut(CONSTANTS.len());
    for (initial, word) in constants.iter_mut().zip(CONSTANTS) {
        *initial = I::U32s::splat(isa, word);
    }
    for (initial, &word) in keys.iter_mut().zip(key) {
        *initial = I::U32s::splat(isa, word);
    }
    // Blocks differ only in the words 14 and 15, so half of the first round is the same for all
    // blocks.
    let mut begun = initial.map(|initial| [initial]);
    quarter_rounds(&mut begun, [[0, 4, 8, 12], [1, 5, 9, 13]]);
    let words = [initial, begun.map(|[begun]| begun)];
    if I::U32s::LEN == BLOCKS {
        rows_side_by_side(isa, &words, counter, out, 0);
        return;
    }
    const { assert!(BLOCKS.is_multiple_of(I::U32s::LEN)) };
    for (buffer, out) in (0..).zip(out) {
        let first = counter.wrapping_add(buffer * BLOCKS as u64);
        for index in 0..BLOCKS / I::U32s::LEN {
            rows_side_by_side(isa, &words, first, core::array::from_mut(out), index);
        }
    }
}

/// Writes part `index` of every row of `K` buffers, whose blocks begin at `counter`. The given
/// words belong to blocks without a counter: before the first round, and after the half of the
/// first round that does not depend on the counter.
#[inline(always)]
fn rows_side_by_side<I: Isa, const K: usize>(
    isa: I,
    [initial, begun]: &[[I::U32s; 16]; 2],
    counter: u64,
    out: &mut [[u8; BUFFER_LEN]; K],
    index: usize,
) {
    let mut counters = [[I::U32s::splat(isa, 0); K]; 2];
    for k in 0..K {
        let first = counter.wrapping_add((k * BLOCKS) as u64);
        let (low, high) = (first as u32, (first >> 32) as u32);
        let mut words = [[0; BLOCKS]; 2];
        for u in 0..BLOCKS {
            words[0][u] = low.wrapping_add(u as u32);
            // Adds one to the high word if the low word has wrapped.
            words[1][u] = high.wrapping_add(u32::from(words[0][u] < low));
        }
        for ((counters, words), initial) in counters.iter_mut().zip(&words).zip(&initial[14..]) {
            counters[k] = initial.xor(I::U32s::load(isa, &I::U32s::chunks(words)[index]));
        }
    }
    let mut x = begun.map(|begun| [begun; K]);
    [x[14], x[15]] = counters;
    quarter_rounds(&mut x, [[2, 6, 10, 14], [3, 7, 11, 15]]);
    for _ in 0..9 {
        quarter_rounds(&mut x, DIAGONALS);
        quarter_rounds(&mut x, COLUMNS);
    }
    quarter_rounds(&mut x, DIAGONALS);
    for v in 0..16 {
        for k in 0..K {
            let initial = if v < 14 {
                initial[v]
            } else {
                counters[v - 14][k]
            };
            let mut words = [0; BLOCKS];
            x[v][k]
                .wrapping_add(initial)
                .store(&mut I::U32s::chunks_mut(&mut words)[0]);
            let at = 4 * BLOCKS * v + 4 * I::U32s::LEN * index;
            let bytes = out[k][at..].as_chunks_mut().0.iter_mut();
            for (bytes, word) in bytes.zip(&words[..I::U32s::LEN]) {
                *bytes = word.to_le_bytes();
            }
        }
    }
}

/// Words of the quarter rounds of a round on columns.
const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];

/// Words of the quarter rounds of a round on diagonals.
const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/// Computes quarter rounds that do not depend on each other. Each step of a quarter round waits for
/// the previous step. So if several sets of words are computed side by side, the quarter rounds
/// take turns. With a single set there are too few registers for this.
#[inline(always)]
fn quarter_rounds<W: U32s, const K: usize, const QUARTERS: usize>(
    x: &mut [[W; K]; 16],
    quarters: [[usize; 4]; QUARTERS],
) {
    if K == 1 {
        for quarter in quarters {
            quarter_round(x, quarter);
        }
        return;
    }
    for [a, b, _, d] in quarters {
        step::<W, K, 16, 16>(x, [a, b, d]);
    }
    for [_, b, c, d] in quarters {
        step::<W, K, 12, 20>(x, [c, d, b]);
    }
    for [a, b, _, d] in quarters {
        step::<W, K, 8, 24>(x, [a, b, d]);
    }
    for [_, b, c, d] in quarters {
        step::<W, K, 7, 25>(x, [c, d, b]);
    }
}

#[inline(always)]
fn quarter_round<W: U32s, const K: usize>(x: &mut [[W; K]; 16], [a, b, c, d]: [usize; 4]) {
    step::<W, K, 16, 16>(x, [a, b, d]);
    step::<W, K, 12, 20>(x, [c, d, b]);
    step::<W, K, 8, 24>(x, [a, b, d]);
    step::<W, K, 7, 25>(x, [c, d, b]);
}

/// Computes a quarter of a quarter round: `a += b`, then `c` is `c ^ a` rotated to the left by `L`.
#[inline(always)]
fn step<W: U32s, const K: usize, const L: i32, const R: i32>(
    x: &mut [[W; K]; 16],
    [a, b, c]: [usize; 3],
) {
    for k in 0..K {
        x[a][k] = x[a][k].wrapping_add(x[b][k]);
        x[c][k] = x[c][k].xor(x[a][k]).rotate_left::<L, R>();
    }
}

#[cfg(test)]
mod tests;
