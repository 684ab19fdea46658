//! Working memory of key generation.

use crate::error::MemoryError;
use crate::keygen::{Memory, Output, Task, min_words, scratch_bytes, scratch_words};
use crate::layout::SEED_LEN;
use crate::operations;
use crate::params::Parameters;
use core::fmt;
use core::marker::PhantomData;
use rand_core::CryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Working memory of key generation, owned by the caller and wiped after every use.
///
/// [`KeyPair`](crate::KeyPair) needs none: it allocates its own memory (feature `alloc`).
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), mceliece_core::MemoryError> {
/// use mceliece_core::{KeygenScratch, Mceliece348864f, Parameters};
///
/// type P = Mceliece348864f;
/// let mut words = vec![0; KeygenScratch::<P>::WORDS];
/// let mut bytes = vec![0; KeygenScratch::<P>::BYTES];
/// let mut scratch = KeygenScratch::<P>::new(&mut words, &mut bytes)?;
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
    bytes: &'a mut [u8],
    parameters: PhantomData<P>,
}

impl<'a, P: Parameters> KeygenScratch<'a, P> {
    /// Number of 64-bit words that [`new`](Self::new) needs.
    pub const WORDS: usize = scratch_words(&P::CODE);
    /// Number of bytes that [`new`](Self::new) needs.
    pub const BYTES: usize = scratch_bytes(&P::CODE);
    /// Smallest number of 64-bit words that [`small`](Self::small) accepts.
    pub const MIN_WORDS: usize = min_words(&P::CODE);

    /// Borrows `words` and `bytes` as scratch.
    ///
    /// # Errors
    /// [`MemoryError`] if there are fewer than [`WORDS`](Self::WORDS) or [`BYTES`](Self::BYTES).
    pub fn new(words: &'a mut [u64], bytes: &'a mut [u8]) -> Result<Self, MemoryError> {
        check_at_least(words.len(), Self::WORDS)?;
        check_at_least(bytes.len(), Self::BYTES)?;
        Ok(Self {
            words: &mut words[..Self::WORDS],
            bytes: &mut bytes[..Self::BYTES],
            parameters: PhantomData,
        })
    }

    /// Borrows only `words`, for devices with little memory.
    ///
    /// The keys are those of [`new`](Self::new), but take longer. More words than
    /// [`MIN_WORDS`](Self::MIN_WORDS) make key generation faster, up to [`WORDS`](Self::WORDS).
    ///
    /// # Errors
    /// [`MemoryError`] if there are fewer than [`MIN_WORDS`](Self::MIN_WORDS).
    pub fn small(words: &'a mut [u64]) -> Result<Self, MemoryError> {
        check_at_least(words.len(), Self::MIN_WORDS)?;
        let len = words.len().min(Self::WORDS);
        Ok(Self {
            words: &mut words[..len],
            bytes: &mut [],
            parameters: PhantomData,
        })
    }

    /// Generates a pair from 32 bytes of `rng`, and writes both encodings.
    ///
    /// # Errors
    /// [`MemoryError`] if `secret_key` does not have
    /// [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN) bytes, or `public_key` not
    /// [`PUBLIC_KEY_LEN`](Parameters::PUBLIC_KEY_LEN).
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
    /// [`MemoryError`] if `secret_key` does not have
    /// [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN) bytes, or `public_key` not
    /// [`PUBLIC_KEY_LEN`](Parameters::PUBLIC_KEY_LEN).
    pub fn generate_from_seed(
        &mut self,
        seed: &[u8; SEED_LEN],
        secret_key: &mut [u8],
        public_key: &mut [u8],
    ) -> Result<(), MemoryError> {
        check_len(public_key, P::PUBLIC_KEY_LEN)?;
        self.run(seed, secret_key, Output::Rows(public_key))
    }

    /// Generates a pair from 32 bytes of `rng`, writes the secret key, and passes the public key to
    /// `visit`, as [`columns_from_seed`](Self::columns_from_seed) does.
    ///
    /// # Errors
    /// [`MemoryError`] if `secret_key` does not have
    /// [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN) bytes.
    pub fn generate_columns<R: CryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        secret_key: &mut [u8],
        visit: impl FnMut(usize, &[u8]),
    ) -> Result<(), MemoryError> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        self.columns_from_seed(&seed, secret_key, visit)
    }

    /// Generates a pair from `seed`, writes the secret key, and passes the public key to `visit` in
    /// byte columns. The whole public key is never in memory.
    ///
    /// A public key has `m t` rows of `k / 8` bytes, rounded up, where `k = n - m t`. Byte column
    /// `c` is byte `c` of every row, the first row first. `visit` gets the number `c` and these
    /// bytes, for every `c` in ascending order. The public key is complete when this function
    /// returns. After a computing fault of the device, `visit` may be called again from column 0
    /// on, with the columns of another key.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), mceliece_core::MemoryError> {
    /// use mceliece_core::{KeygenScratch, Mceliece348864f, Parameters};
    ///
    /// type P = Mceliece348864f;
    /// const ROW: usize = P::PUBLIC_KEY_LEN / 768;
    /// let mut words = vec![0; KeygenScratch::<P>::MIN_WORDS];
    /// let mut scratch = KeygenScratch::<P>::small(&mut words)?;
    /// let mut secret_key = vec![0; P::SECRET_KEY_LEN];
    /// let mut public_key = vec![0; P::PUBLIC_KEY_LEN]; // or another machine's memory
    /// scratch.columns_from_seed(&[7; 32], &mut secret_key, |c, column| {
    ///     for (row, byte) in column.iter().enumerate() {
    ///         public_key[ROW * row + c] = *byte;
    ///     }
    /// })?;
    /// # let pair = mceliece_core::KeyPair::<P>::from_seed(&[7; 32]);
    /// # assert_eq!(pair.public_key.as_bytes(), public_key);
    /// # assert_eq!(pair.secret_key.as_bytes(), secret_key);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`MemoryError`] if `secret_key` does not have
    /// [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN) bytes.
    pub fn columns_from_seed(
        &mut self,
        seed: &[u8; SEED_LEN],
        secret_key: &mut [u8],
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<(), MemoryError> {
        self.run(seed, secret_key, Output::Columns(&mut visit))
    }

    fn run(
        &mut self,
        seed: &[u8; SEED_LEN],
        secret_key: &mut [u8],
        public_key: Output<'_>,
    ) -> Result<(), MemoryError> {
        check_len(secret_key, P::SECRET_KEY_LEN)?;
        let mut memory = Memory {
            words: self.words,
            bytes: self.bytes,
        };
        let task = Task::Generate { public_key };
        operations::run(&P::CODE, seed, task, &mut memory, secret_key);
        Ok(())
    }
}

fn check_at_least(given: usize, needed: usize) -> Result<(), MemoryError> {
    if given >= needed {
        Ok(())
    } else {
        Err(MemoryError { needed, given })
    }
}

fn check_len(buffer: &[u8], needed: usize) -> Result<(), MemoryError> {
    let given = buffer.len();
    if given == needed {
        Ok(())
    } else {
        Err(MemoryError { needed, given })
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

/// Allocates memory for key generation. The memory is wiped when `work` returns.
#[cfg(feature = "alloc")]
pub(crate) fn with_boxed_memory<T>(
    code: &crate::code::Code,
    work: impl FnOnce(&mut Memory<'_>) -> T,
) -> T {
    work(&mut Memory {
        words: &mut alloc::vec![0; scratch_words(code)],
        bytes: &mut alloc::vec![0; scratch_bytes(code)],
    })
}
