//! SHAKE256 and cSHAKE256, with types for absorbing and for squeezing, and Keccak-256.
//!
//! The sponge permutes only when the next byte is needed. [`Blocks`] returns whole blocks as words.

use crate::single::{Permutation, permute_state, portable};
use falcon_lanes::{Isa, wipe};

/// Number of words of the rate: 1088 bits.
pub const RATE_WORDS: usize = 17;

/// Number of bytes of the rate.
pub const RATE: usize = 8 * RATE_WORDS;

/// First byte of the padding of SHAKE: its domain separation, and the first bit of the padding.
const SHAKE: u8 = 0x1f;

/// First byte of the padding of cSHAKE: its domain separation, and the first bit of the padding.
const CSHAKE: u8 = 0x04;

/// First byte of the padding of Keccak before FIPS 202, which has no domain separation.
const KECCAK: u8 = 0x01;

/// A customization of cSHAKE256 (NIST SP 800-185) with an empty function name. It holds the block
/// that is absorbed before the message.
///
/// The padding of cSHAKE256 differs from that of SHAKE256. So the two hashes never absorb the same
/// bits, whatever the messages, and their outputs are unrelated. The same is true of two different
/// customizations.
///
/// ```
/// use falcon_keccak::Customization;
///
/// assert!(Customization::new(b"invoices").is_some());
/// assert!(Customization::new(b"").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Customization([u8; RATE]);

impl Customization {
    /// Length of the longest customization in bytes. SP 800-185 has no limit; here, the
    /// customization must fit one block.
    pub const MAX_LEN: usize = 128;

    /// Makes the block of `text`. Returns `None` if `text` is empty or longer than
    /// [`MAX_LEN`](Self::MAX_LEN). SHAKE256 is cSHAKE256 with an empty customization.
    pub const fn new(text: &[u8]) -> Option<Self> {
        if text.is_empty() || text.len() > Self::MAX_LEN {
            return None;
        }
        // bytepad(encode_string("") || encode_string(text), RATE), with lengths in bits.
        let bits = (8 * text.len() as u16).to_be_bytes();
        let mut block = [0; RATE];
        let mut pos = 4;
        (block[0], block[1], block[2]) = (1, RATE as u8, 1);
        if bits[0] != 0 {
            (block[pos], block[pos + 1]) = (2, bits[0]);
            pos += 2;
        } else {
            block[pos] = 1;
            pos += 1;
        }
        block[pos] = bits[1];
        pos += 1;
        let mut i = 0;
        while i < text.len() {
            block[pos + i] = text[i];
            i += 1;
        }
        Some(Self(block))
    }

    /// Absorbs and permutes the block, so that many hashes can start from the result.
    pub fn start(&self, permutation: Permutation) -> Start {
        let mut hash = Shake256::with_customization(permutation, self);
        hash.sponge.permute();
        Start {
            state: hash.sponge.state,
            padding: hash.padding,
        }
    }
}

/// The hash function of a message: its initial state and its padding.
///
/// ```
/// use falcon_keccak::{Customization, Shake256, Start, permute_state};
/// use falcon_lanes::Baseline; // or a token of an instruction set
///
/// let permutation = |state: &mut [u64; 25]| permute_state(Baseline, state);
/// let invoices = Customization::new(b"invoices").unwrap().start(permutation);
/// let hash = |start| -> [u8; 32] {
///     let mut hash = Shake256::from_start(permutation, start);
///     hash.update(b"order #42");
///     hash.finalize().read_array()
/// };
/// assert_eq!(hash(&Start::SHAKE256), Shake256::reader(b"order #42").read_array());
/// assert_ne!(hash(&invoices), hash(&Start::SHAKE256));
/// ```
#[derive(Clone)]
pub struct Start {
    /// The state before the message.
    pub(crate) state: [u64; 25],
    /// First byte of the padding.
    pub(crate) padding: u8,
}

impl Start {
    /// SHAKE256.
    pub const SHAKE256: Self = Self {
        state: [0; 25],
        padding: SHAKE,
    };
}

#[derive(Clone)]
struct Sponge {
    state: [u64; 25],
    permutation: Permutation,
    /// Position of the next byte in the block, at most `RATE`.
    pos: usize,
}

impl Sponge {
    const fn new(permutation: Permutation) -> Self {
        Self {
            state: [0; 25],
            permutation,
            pos: 0,
        }
    }

    /// Empties the sponge and wipes its state.
    fn clear(&mut self) {
        wipe(&mut self.state);
        self.pos = 0;
    }

    fn permute(&mut self) {
        (self.permutation)(&mut self.state);
        self.pos = 0;
    }

    /// XORs at most eight bytes into the word that holds `pos`. The bytes do not extend beyond this
    /// word.
    fn xor_bytes(&mut self, bytes: &[u8]) {
        let mut placed = [0; 8];
        let start = self.pos % 8;
        for (p, &b) in placed.iter_mut().skip(start).zip(bytes) {
            *p = b;
        }
        if let Some(word) = self.state.get_mut(self.pos / 8) {
            *word ^= u64::from_le_bytes(placed);
        }
        self.pos += bytes.len();
    }

    fn absorb(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            if self.pos == RATE {
                self.permute();
            }
            let (now, later) = data.split_at(data.len().min(RATE - self.pos));
            let (head, rest) = now.split_at(now.len().min(self.pos.wrapping_neg() % 8));
            self.xor_bytes(head);
            let (words, tail) = rest.as_chunks::<8>();
            let first = self.pos / 8;
            for (word, bytes) in self.state.iter_mut().skip(first).zip(words) {
                *word ^= u64::from_le_bytes(*bytes);
            }
            self.pos += 8 * words.len();
            self.xor_bytes(tail);
            data = later;
        }
    }

    /// Writes the padding, whose first byte is `first`. Then counts the block as used up.
    fn pad(&mut self, first: u8) {
        if self.pos == RATE {
            self.permute();
        }
        self.xor_bytes(&[first]);
        self.state[RATE_WORDS - 1] ^= 1 << 63;
        self.pos = RATE;
    }

    /// Copies at most eight bytes from the word that holds `pos`. The bytes do not extend beyond
    /// this word.
    fn copy_bytes(&mut self, out: &mut [u8]) {
        if let Some(word) = self.state.get(self.pos / 8) {
            let bytes = word.to_le_bytes();
            for (o, &b) in out.iter_mut().zip(bytes.iter().skip(self.pos % 8)) {
                *o = b;
            }
        }
        self.pos += out.len();
    }

    fn squeeze(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.pos == RATE {
                self.permute();
            }
            let (now, later) = out.split_at_mut(out.len().min(RATE - self.pos));
            let (head, rest) = now.split_at_mut(now.len().min(self.pos.wrapping_neg() % 8));
            self.copy_bytes(head);
            let (words, tail) = rest.as_chunks_mut::<8>();
            let first = self.pos / 8;
            for (bytes, word) in words.iter_mut().zip(self.state.iter().skip(first)) {
                *bytes = word.to_le_bytes();
            }
            self.pos += 8 * words.len();
            self.copy_bytes(tail);
            out = later;
        }
    }
}

impl Drop for Sponge {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

/// SHAKE256 in its absorbing phase. A clone forks the state.
#[derive(Clone)]
pub struct Shake256 {
    sponge: Sponge,
    /// First byte of the padding of SHAKE or of cSHAKE.
    padding: u8,
}

impl Default for Shake256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Shake256 {
    /// Creates an empty sponge that permutes with portable code.
    pub fn new() -> Self {
        Self::with_permutation(portable)
    }

    /// Creates an empty sponge that permutes with `permutation`.
    pub const fn with_permutation(permutation: Permutation) -> Self {
        Self {
            sponge: Sponge::new(permutation),
            padding: SHAKE,
        }
    }

    /// Starts cSHAKE256 with a customization.
    ///
    /// ```
    /// use falcon_keccak::{Customization, Shake256, permute_state};
    /// use falcon_lanes::Baseline; // or a token of an instruction set
    ///
    /// const INVOICES: Customization = Customization::new(b"invoices").unwrap();
    /// const RECEIPTS: Customization = Customization::new(b"receipts").unwrap();
    /// let permutation = |state: &mut [u64; 25]| permute_state(Baseline, state);
    /// let hash = |customization| -> [u8; 32] {
    ///     let mut hash = Shake256::with_customization(permutation, customization);
    ///     hash.update(b"order #42");
    ///     hash.finalize().read_array()
    /// };
    /// assert_ne!(hash(&INVOICES), hash(&RECEIPTS));
    /// assert_ne!(hash(&INVOICES), Shake256::reader(b"order #42").read_array());
    /// ```
    pub fn with_customization(permutation: Permutation, customization: &Customization) -> Self {
        let mut hash = Self::with_permutation(permutation);
        hash.sponge.absorb(&customization.0);
        hash.padding = CSHAKE;
        hash
    }

    /// Creates a hash with the initial state and the padding of `start`.
    pub fn from_start(permutation: Permutation, start: &Start) -> Self {
        let mut hash = Self::with_permutation(permutation);
        hash.sponge.state = start.state;
        hash.padding = start.padding;
        hash
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) -> &mut Self {
        self.sponge.absorb(data);
        self
    }

    /// Ends absorption.
    pub fn finalize(mut self) -> Shake256Reader {
        self.sponge.pad(self.padding);
        Shake256Reader(self)
    }

    /// Ends absorption, and reads in place. Unlike [`finalize`](Self::finalize), this moves no
    /// state, which keeps the stack of verification small. When the reader is dropped, the hash is
    /// empty again.
    pub fn finalize_blocks(&mut self) -> Blocks<'_> {
        self.sponge.pad(self.padding);
        self.padding = SHAKE;
        Blocks(&mut self.sponge)
    }

    /// Returns the stream of `SHAKE256(data)`.
    pub fn reader(data: &[u8]) -> Shake256Reader {
        let mut h = Self::new();
        h.update(data);
        h.finalize()
    }
}

/// Keccak-256 in its absorbing phase. A clone forks the state.
///
/// This is the hash of Ethereum: SHA3-256 with the padding that Keccak had before FIPS 202. The
/// digests of the two differ.
///
/// ```
/// use falcon_keccak::Keccak256;
///
/// let mut hash = Keccak256::new();
/// hash.update(b"order ").update(b"#42");
/// let digest: [u8; 32] = hash.finalize();
/// let mut again = Keccak256::new();
/// again.update(b"order #42");
/// assert_eq!(digest, again.finalize());
/// ```
#[derive(Clone)]
pub struct Keccak256(Sponge);

impl Default for Keccak256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Keccak256 {
    /// Creates an empty sponge that permutes with portable code.
    pub fn new() -> Self {
        Self::with_permutation(portable)
    }

    /// Creates an empty sponge that permutes with `permutation`.
    pub const fn with_permutation(permutation: Permutation) -> Self {
        Self(Sponge::new(permutation))
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) -> &mut Self {
        self.0.absorb(data);
        self
    }

    /// Ends absorption and returns the digest.
    pub fn finalize(mut self) -> [u8; 32] {
        self.0.pad(KECCAK);
        let mut digest = [0; 32];
        self.0.squeeze(&mut digest);
        digest
    }
}

/// SHAKE256 in its squeezing phase: an endless stream of bytes.
pub struct Shake256Reader(Shake256);

impl Shake256Reader {
    /// Creates an empty stream for a secret. It permutes with `permutation`. [`start`](Self::start)
    /// then gives the input to the stream in its final place, since a sponge that is moved is not
    /// wiped at its old place.
    pub const fn with_permutation(permutation: Permutation) -> Self {
        Self(Shake256::with_permutation(permutation))
    }

    /// Restarts as the stream of the bytes that `absorb` absorbs.
    pub fn start(&mut self, absorb: impl FnOnce(&mut Shake256)) {
        self.0.sponge.clear();
        self.0.padding = SHAKE;
        absorb(&mut self.0);
        self.0.sponge.pad(SHAKE);
    }

    /// Restarts as the stream of a state whose last squeezed block has not been read.
    pub fn resume(&mut self, state: &[u64; 25]) {
        self.0.sponge.state = *state;
        self.0.sponge.pos = 0;
    }

    /// Fills `out` with the next bytes of the stream.
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.sponge.squeeze(out);
    }

    /// Returns the state at the end of a block, or `None` if bytes of a block are still unread.
    pub(crate) fn state_mut(&mut self) -> Option<&mut [u64; 25]> {
        (self.0.sponge.pos == RATE).then_some(&mut self.0.sponge.state)
    }

    /// Returns the next `N` bytes of the stream.
    pub fn read_array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.read(&mut out);
        out
    }
}

/// A finalized [`Shake256`], still in its place, that is read block by block.
pub struct Blocks<'a>(&'a mut Sponge);

impl Blocks<'_> {
    /// Returns the next block, as little-endian words.
    pub fn next_block(&mut self, isa: impl Isa) -> &[u64; RATE_WORDS] {
        permute_state(isa, &mut self.0.state);
        self.0.pos = RATE;
        let (block, _) = self
            .0
            .state
            .split_first_chunk()
            .unwrap_or((&[0; RATE_WORDS], &[]));
        block
    }
}

impl Drop for Blocks<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests;
