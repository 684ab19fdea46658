//! Expanded keys: the basis in the FFT domain and its stored LDL tree.

use crate::engine::Best;
use crate::error::ScratchTooSmall;
use crate::hedge::SECRET_HASH_LEN;
use crate::keys::SigningKey;
use crate::operations::Operations;
use crate::params::Parameters;
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::signing::{self, ExpandedRef, KeySource};
use crate::verify::VerifyingKey;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Memory for an expanded key: `Box<[f64]>`, or `&mut [f64]` without an allocator.
pub trait Storage: AsRef<[f64]> + AsMut<[f64]> {}
impl<T: AsRef<[f64]> + AsMut<[f64]>> Storage for T {}

/// The storage that [`SigningKey::expand`] allocates.
#[cfg(feature = "alloc")]
pub type DefaultStorage = alloc::boxed::Box<[f64]>;
/// Placeholder for the default storage if there is no allocator. It is too small for any key, so
/// name another storage, such as `&mut [f64]`.
#[cfg(not(feature = "alloc"))]
pub type DefaultStorage = [f64; 0];

/// A signing key with its basis in the FFT domain and its tree. Wiped when
/// dropped.
///
/// An expanded key makes the same signatures as its [`SigningKey`] in 0.83 of the time (AVX-512).
/// It occupies 60 KiB for Falcon-512 and 128 KiB for Falcon-1024.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// use falcon_core::{Falcon512, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
/// for message in [&b"order #42"[..], b"order #43"] {
///     let signature = key.sign_with_rng(&mut rng, message)?;
///     assert!(key.verifying_key().verify(message, &signature).is_ok());
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// Without an allocator the caller owns the storage:
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{ExpandedKey, Falcon512, Scratch, SigningKey};
/// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
///
/// let mut storage = [0.0; ExpandedKey::<Falcon512>::LEN];
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let expanded = key.expand_in(&mut storage[..], &mut scratch)?;
/// # assert_eq!(expanded.verifying_key(), key.verifying_key());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct ExpandedKey<P: Parameters, B: Storage = DefaultStorage> {
    reals: B,
    secret_hash: [u8; SECRET_HASH_LEN],
    verifying_key: VerifyingKey<P>,
}

impl<P: Parameters, B: Storage> ExpandedKey<P, B> {
    /// Length of the storage, in reals.
    pub const LEN: usize = signing::expanded_len(P::LOGN);

    /// Expands `key` into `storage` with the engine `on`.
    pub(crate) fn expand_on(
        on: impl Operations,
        key: &SigningKey<P>,
        mut storage: B,
        scratch: &mut Scratch<'_, P>,
    ) -> Result<Self, ScratchTooSmall> {
        let reals = storage.as_mut().get_mut(..Self::LEN);
        let reals = reals.ok_or(ScratchTooSmall { needed: Self::LEN })?;
        on.expand(P::LOGN, key.basis(), reals, scratch.reals());
        Ok(Self::new(key, storage))
    }

    /// Makes the expanded form of `key`. `storage` has the basis and the tree.
    fn new(key: &SigningKey<P>, storage: B) -> Self {
        Self {
            reals: storage,
            secret_hash: *key.secret_hash(),
            verifying_key: key.verifying_key().clone(),
        }
    }

    /// Returns the verifying key of this signing key.
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.verifying_key
    }

    /// Returns the basis and the tree; see [`hazmat`](crate::hazmat).
    pub(crate) fn reals(&self) -> &[f64] {
        &self.reals.as_ref()[..Self::LEN]
    }

    /// Returns the basis and the tree, for tests that damage them.
    #[cfg(all(test, feature = "alloc"))]
    pub(crate) fn reals_mut(&mut self) -> &mut [f64] {
        &mut self.reals.as_mut()[..Self::LEN]
    }

    pub(crate) fn expanded_ref(&self) -> ExpandedRef<'_> {
        ExpandedRef::new(P::LOGN, self.reals())
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> ExpandedKey<P> {
    /// Expands `key` with the engine `on` into newly allocated storage.
    pub(crate) fn expand_boxed_on(on: impl Operations, key: &SigningKey<P>) -> Self {
        let mut storage = alloc::vec![0.0; Self::LEN].into_boxed_slice();
        crate::scratch::with_scratch::<P, _>(signing::expand_scratch_len(P::LOGN), |scratch| {
            on.expand(P::LOGN, key.basis(), &mut storage, scratch.reals());
        });
        Self::new(key, storage)
    }
}

impl<P: Parameters> SigningKey<P> {
    /// Expands the key. This pays off for a key that signs more than once.
    ///
    /// Source: Falcon specification v1.2, algorithm 4 (Keygen): basis and tree.
    #[cfg(feature = "alloc")]
    pub fn expand(&self) -> ExpandedKey<P> {
        ExpandedKey::expand_boxed_on(Best::find(), self)
    }

    /// Expands the key into the caller's storage of [`ExpandedKey::LEN`] reals.
    ///
    /// # Errors
    /// [`ScratchTooSmall`] if `storage` has fewer than [`ExpandedKey::LEN`] reals.
    pub fn expand_in<B: Storage>(
        &self,
        storage: B,
        scratch: &mut Scratch<'_, P>,
    ) -> Result<ExpandedKey<P, B>, ScratchTooSmall> {
        ExpandedKey::expand_on(Best::find(), self, storage, scratch)
    }
}

impl<P: Parameters, B: Storage> Secret<P> for ExpandedKey<P, B> {
    fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN] {
        &self.secret_hash
    }
    fn source(&self) -> KeySource<'_> {
        KeySource::Stored(self.expanded_ref())
    }
}

impl<P: Parameters, B: Storage> AsRef<VerifyingKey<P>> for ExpandedKey<P, B> {
    fn as_ref(&self) -> &VerifyingKey<P> {
        &self.verifying_key
    }
}

impl<P: Parameters, B: Storage> fmt::Debug for ExpandedKey<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters, B: Storage> Drop for ExpandedKey<P, B> {
    fn drop(&mut self) {
        self.reals.as_mut().zeroize();
        self.secret_hash.zeroize();
    }
}

impl<P: Parameters, B: Storage> ZeroizeOnDrop for ExpandedKey<P, B> {}
