//! Working memory of key generation.

use crate::error::MemoryError;
use crate::keygen::{Memory, Task, scratch_halves, scratch_words};
use crate::layout::SEED_LEN;
use crate::operations;
use crate::params::Parameters;
use core::fmt;
use core::marker::PhantomData;
use rand_core::CryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Working memory of key generation, owned by the caller and wiped after every use.
///
/// With the feature `alloc`, [`KeyPair`](crate::KeyPair) allocates it.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), mceliece_core::MemoryError> {
/// use mceliece_core::{KeygenScratch, Mceliece348864f, Parameters};
///
/// type P = Mceliece348864f;
/// let mut words = vec![0; KeygenScratch::<P>::WORDS];
/// let mut halves = vec![0; KeygenScratch::<P>::HALVES];
/// let mut scratch = KeygenScratch::<P>::new(&mut words, &mut halves)?;
/// let mut secret_key = vec![0; P::SECRET_KEY_LEN];
/// let mut public_key = vec![0; P::PUBLIC_KEY_LEN];
/// scratch.generate_from_seed(&[7; 32], &mut secret_key, &mut public_key)?;
/// # let pair = mceliece_core::KeyPair::<P>::from_seed(&[7; 32]);
/// # assert_eq!(pair.public_key.as_bytes(), public_key);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct KeygenScratch<'a, P: Parameters> {
    words: &'a mut [u64],
    halves: &'a mut [u32],
    parameters: PhantomData<P>,
}

impl<'a, P: Parameters> KeygenScratch<'a, P> {
    /// Number of 64-bit words.
    pub const WORDS: usize = scratch_words(&P::CODE);
    /// Number of 32-bit words.
    pub const HALVES: usize = scratch_halves(&P::CODE);

    /// Borrows `words` and `halves` as scratch.
    ///
    /// # Errors
    /// [`MemoryError`] if there are fewer than [`WORDS`](Self::WORDS) or [`HALVES`](Self::HALVES).
    pub fn new(words: &'a mut [u64], halves: &'a mut [u32]) -> Result<Self, MemoryError> {
        let words = words.get_mut(..Self::WORDS);
        let words = words.ok_or(MemoryError {
            needed: Self::WORDS,
        })?;
        let halves = halves.get_mut(..Self::HALVES);
        let halves = halves.ok_or(MemoryError {
            needed: Self::HALVES,
        })?;
        Ok(Self {
            words,
            halves,
            parameters: PhantomData,
        })
    }

    /// Generates a pair from 32 bytes of `rng`, and writes both encodings.
    ///
    /// # Errors
    /// [`MemoryError`] if a buffer has not the length of the encoding.
    pub fn generate<R: CryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        secret_key: &mut [u8],
        public_key: &mut [u8],
    ) -> Result<(), MemoryError> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        self.generate_from_seed(&seed, secret_key, public_key)
    }

    /// Generates a pair from `seed`, as [`KeyPair::from_seed`](crate::KeyPair::from_seed) does, and
    /// writes both encodings.
    ///
    /// # Errors
    /// [`MemoryError`] if a buffer has not the length of the encoding.
    pub fn generate_from_seed(
        &mut self,
        seed: &[u8; SEED_LEN],
        secret_key: &mut [u8],
        public_key: &mut [u8],
    ) -> Result<(), MemoryError> {
        for (len, needed) in [
            (secret_key.len(), P::SECRET_KEY_LEN),
            (public_key.len(), P::PUBLIC_KEY_LEN),
        ] {
            if len != needed {
                return Err(MemoryError { needed });
            }
        }
        let mut memory = Memory {
            words: self.words,
            halves: self.halves,
        };
        let task = Task::Generate { public_key };
        operations::run(&P::CODE, seed, task, &mut memory, secret_key);
        Ok(())
    }
}

impl<P: Parameters> ZeroizeOnDrop for KeygenScratch<'_, P> {}

impl<P: Parameters> fmt::Debug for KeygenScratch<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeygenScratch")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// Allocates memory for key generation, which is wiped.
#[cfg(feature = "alloc")]
pub(crate) fn with_boxed_memory<T>(
    code: &crate::code::Code,
    work: impl FnOnce(&mut Memory<'_>) -> T,
) -> T {
    work(&mut Memory {
        words: &mut alloc::vec![0; scratch_words(code)],
        halves: &mut alloc::vec![0; scratch_halves(code)],
    })
}
