//! SHAKE256 (FIPS 202) behind the two types that the scheme needs.

use sha3::digest::{ExtendableOutput, Update, XofReader};

/// SHAKE256 that absorbs. Cloning it forks the state.
#[derive(Clone, Default)]
pub struct Shake256(sha3::Shake256);

impl Shake256 {
    /// The empty sponge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) -> &mut Self {
        self.0.update(data);
        self
    }

    /// Ends absorption.
    pub fn finalize(self) -> Shake256Reader {
        Shake256Reader(self.0.finalize_xof())
    }

    /// `SHAKE256(data)`, ready to be read.
    pub fn reader(data: &[u8]) -> Shake256Reader {
        let mut h = Self::new();
        h.update(data);
        h.finalize()
    }
}

/// SHAKE256 that squeezes: an endless byte stream.
pub struct Shake256Reader(sha3::Shake256Reader);

impl Shake256Reader {
    /// Fills `out` with the next bytes of the stream.
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.read(out);
    }

    /// The next `N` bytes of the stream.
    pub fn read_array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.read(&mut out);
        out
    }
}
