//! Working memory.

use crate::error::ScratchTooSmall;
use crate::lanes::wipe;
use crate::params::Parameters;
use crate::signing;
#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};
use core::fmt;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::ops::{Deref, DerefMut};
use zeroize::ZeroizeOnDrop;
#[cfg(feature = "alloc")]
use zeroize::{DefaultIsZeroes, Zeroize};

/// Words that begin at a cache line, on x86-64. A load of 64 bytes that spans two lines takes twice
/// as long.
#[cfg_attr(target_arch = "x86_64", repr(align(64)))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Working memory on the heap. It is wiped in whole registers. A `Vec` would be wiped with a
/// volatile store for each element.
#[cfg(feature = "alloc")]
pub(crate) struct WorkingMemory<T>(Vec<T>);

#[cfg(feature = "alloc")]
impl<T: DefaultIsZeroes> WorkingMemory<T> {
    /// Allocates `len` zeros.
    pub(crate) fn new(len: usize) -> Self {
        Self(vec![T::default(); len])
    }
}

#[cfg(feature = "alloc")]
impl<T: DefaultIsZeroes> Zeroize for WorkingMemory<T> {
    fn zeroize(&mut self) {
        wipe(&mut self.0);
    }
}

#[cfg(feature = "alloc")]
impl<T> Deref for WorkingMemory<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

#[cfg(feature = "alloc")]
impl<T> DerefMut for WorkingMemory<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// Working memory of a signer, owned by the caller and wiped when dropped.
///
/// Borrows [`Scratch::LEN`] reals: 32 KiB for Falcon-512, 64 KiB for Falcon-1024. With the feature
/// `alloc`, methods without a scratch argument allocate it.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{Falcon512, Scratch, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
///
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let signature = key.sign_in(&mut rng, b"order #42", &mut scratch)?;
/// # assert!(key.verifying_key().verify(b"order #42", &signature).is_ok());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct Scratch<'a, P: Parameters> {
    reals: &'a mut [f64],
    parameters: PhantomData<P>,
}

impl<'a, P: Parameters> Scratch<'a, P> {
    /// Length in reals: `8n`.
    pub const LEN: usize = signing::computed_scratch_len(P::LOGN);

    /// Borrows `reals` as scratch.
    ///
    /// # Errors
    /// [`ScratchTooSmall`] if there are fewer reals than [`LEN`](Self::LEN).
    pub fn new(reals: &'a mut [f64]) -> Result<Self, ScratchTooSmall> {
        match reals.get_mut(..Self::LEN) {
            Some(reals) => Ok(Self {
                reals,
                parameters: PhantomData,
            }),
            None => Err(ScratchTooSmall { needed: Self::LEN }),
        }
    }

    pub(crate) fn reals(&mut self) -> &mut [f64] {
        self.reals
    }
}

/// Prints no reals, since they hold the key.
impl<P: Parameters> fmt::Debug for Scratch<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> Drop for Scratch<'_, P> {
    fn drop(&mut self) {
        wipe(self.reals);
    }
}

impl<P: Parameters> ZeroizeOnDrop for Scratch<'_, P> {}

/// Calls `f` with scratch of `len` reals from the heap.
#[cfg(feature = "alloc")]
pub(crate) fn with_scratch<P: Parameters, R>(
    len: usize,
    f: impl FnOnce(&mut Scratch<'_, P>) -> R,
) -> R {
    let mut reals = alloc::vec![0.0; len];
    f(&mut Scratch {
        reals: &mut reals,
        parameters: PhantomData,
    })
}
