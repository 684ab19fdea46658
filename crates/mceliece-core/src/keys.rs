//! Public keys, secret keys, and pairs of them.

use crate::ciphertexts::{Ciphertext, SharedSecret};
use crate::code::MAX_T;
use crate::encapsulate::finish;
use crate::encode::Encoding;
use crate::error::DecodeError;
use crate::layout::{COMPRESSED_LEN, FIRST_COLUMNS, SEED_LEN, is_padded, parts};
use crate::operations;
use crate::params::Parameters;
use crate::reveal::reveal;
use crate::stack::wipe_below;
use crate::weight::fixed_weight;
use core::fmt;
use core::marker::PhantomData;
use rand_core::CryptoRng;
use zeroize::Zeroizing;
#[cfg(feature = "alloc")]
use {
    crate::keygen::{Output, Task},
    crate::scratch::with_boxed_memory,
    alloc::boxed::Box,
    alloc::vec,
    alloc::vec::Vec,
    zeroize::ZeroizeOnDrop,
};

/// Bytes of a public key that this crate allocates.
///
/// ```
/// use mceliece_core::{KeyPair, Mceliece348864f, PublicBytes, PublicKey};
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// // `PublicKey<Mceliece348864f>` is short for this type.
/// let public_key: PublicKey<Mceliece348864f, PublicBytes> = pair.public_key;
/// ```
#[cfg(feature = "alloc")]
pub type PublicBytes = Box<[u8]>;
/// Bytes of a public key without the feature `alloc`: a slice that lives as long as the program.
/// For a slice that lives shorter, write `PublicKey<P, &[u8]>`.
#[cfg(not(feature = "alloc"))]
pub type PublicBytes = &'static [u8];

/// Bytes of a secret key that this crate allocates. They are wiped when dropped.
///
/// ```
/// use mceliece_core::{KeyPair, Mceliece348864f, SecretBytes, SecretKey};
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// // `SecretKey<Mceliece348864f>` is short for this type.
/// let secret_key: SecretKey<Mceliece348864f, SecretBytes> = pair.secret_key;
/// ```
#[cfg(feature = "alloc")]
pub type SecretBytes = Zeroizing<Box<[u8]>>;
/// Bytes of a secret key without the feature `alloc`: a slice that lives as long as the program.
/// For a slice that lives shorter, write `SecretKey<P, &[u8]>`.
#[cfg(not(feature = "alloc"))]
pub type SecretBytes = &'static [u8];

/// A public key: the matrix `T`, a quarter of a megabyte or more.
///
/// `B` is the type of its bytes: a box by default, or a slice `&[u8]`, which is not copied.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), mceliece_core::DecodeError> {
/// use mceliece_core::{KeyPair, Mceliece348864f, PublicKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// let stored: Vec<u8> = pair.public_key.as_bytes().to_vec();
///
/// let public_key = PublicKey::<Mceliece348864f, _>::from_bytes(&stored[..])?; // no copy
/// let (ciphertext, secret) = public_key.encapsulate(&mut rng);
/// assert_eq!(pair.secret_key.decapsulate(&ciphertext), secret);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct PublicKey<P: Parameters, B = PublicBytes> {
    bytes: B,
    parameters: PhantomData<P>,
}

impl<P: Parameters, B: AsRef<[u8]>> PublicKey<P, B> {
    /// Uses `bytes` as a public key, without a copy, and checks their length and padding bits.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if there are not [`PUBLIC_KEY_LEN`](Parameters::PUBLIC_KEY_LEN)
    /// bytes. [`DecodeError::Padding`] if a padding bit is not zero.
    pub fn from_bytes(bytes: B) -> Result<Self, DecodeError> {
        let code = P::CODE;
        if bytes.as_ref().len() != P::PUBLIC_KEY_LEN {
            return Err(DecodeError::Length {
                expected: P::PUBLIC_KEY_LEN,
                actual: bytes.as_ref().len(),
            });
        }
        if !is_padded(bytes.as_ref(), code.k()) {
            return Err(DecodeError::Padding);
        }
        Ok(Self {
            bytes,
            parameters: PhantomData,
        })
    }

    /// Encoding of the key: [`PUBLIC_KEY_LEN`](Parameters::PUBLIC_KEY_LEN) bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Draws a shared secret, and makes the ciphertext from which the secret key recovers it.
    ///
    /// Send the ciphertext, and keep the secret.
    ///
    /// Source: Classic McEliece submission of 2022-10-23, algorithm Encap.
    pub fn encapsulate<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (Ciphertext<P>, SharedSecret) {
        let code = &P::CODE;
        let mut positions = Zeroizing::new([0; MAX_T]);
        fixed_weight(code, rng, &mut positions);
        let mut encoding = Encoding::new(code, &positions);
        operations::add_rows(&mut encoding, code, self.as_bytes());
        let (mut ciphertext, mut secret) = (Ciphertext::EMPTY, Zeroizing::new([0; 32]));
        finish(&mut encoding, code, ciphertext.bytes_mut(), &mut secret);
        wipe_below();
        (ciphertext, SharedSecret::copy(&secret))
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> TryFrom<&[u8]> for PublicKey<P> {
    type Error = DecodeError;

    /// Decodes a copy of `bytes`, as [`from_bytes`](Self::from_bytes) does.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        PublicKey::<P, &[u8]>::from_bytes(bytes)?;
        Self::from_bytes(bytes.into())
    }
}

impl<P: Parameters, B: AsRef<[u8]>> AsRef<[u8]> for PublicKey<P, B> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: Parameters, A: AsRef<[u8]>, B: AsRef<[u8]>> PartialEq<PublicKey<P, B>> for PublicKey<P, A> {
    fn eq(&self, other: &PublicKey<P, B>) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<P: Parameters, B: AsRef<[u8]>> Eq for PublicKey<P, B> {}

impl<P: Parameters, B> fmt::Debug for PublicKey<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// A secret key. `Debug` does not show its bytes.
///
/// `B` is the type of its bytes: a box by default, which is wiped when dropped, or a slice `&[u8]`,
/// which the caller wipes.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), mceliece_core::DecodeError> {
/// use mceliece_core::{KeyPair, Mceliece348864f, SecretKey};
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// let stored = pair.secret_key.as_bytes(); // 6492 bytes
/// let secret_key = SecretKey::<Mceliece348864f>::try_from(stored)?;
///
/// // The first 40 bytes are enough to compute the rest.
/// let again = SecretKey::<Mceliece348864f>::from_compressed(secret_key.compressed())?;
/// assert_eq!(again.as_bytes(), stored);
/// assert_eq!(again.public_key()?, pair.public_key);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct SecretKey<P: Parameters, B = SecretBytes> {
    bytes: B,
    parameters: PhantomData<P>,
}

impl<P: Parameters, B: AsRef<[u8]>> SecretKey<P, B> {
    /// Uses `bytes` as a secret key, without a copy, and checks each field.
    ///
    /// The seed is not expanded, so a key that does not come from its seed is accepted.
    /// [`public_key`](SecretKey::public_key) refuses such a key.
    ///
    /// If `B` is not [`SecretBytes`], the caller wipes the bytes: a `Vec<u8>` is freed without a
    /// wipe. `SecretKey::try_from` copies a slice into bytes that are wiped.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if there are not [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN)
    /// bytes. [`DecodeError::Pivots`] or [`DecodeError::Range`] if a field has an impossible value.
    /// [`DecodeError::InvalidKey`] if the Goppa polynomial has a zero in the field.
    pub fn from_bytes(bytes: B) -> Result<Self, DecodeError> {
        check_secret_key::<P>(bytes.as_ref())?;
        Ok(Self {
            bytes,
            parameters: PhantomData,
        })
    }

    /// Encoding of the key: [`SECRET_KEY_LEN`](Parameters::SECRET_KEY_LEN) secret bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Secret seed, from which [`KeyPair::from_seed`] generates this key and its public key.
    pub fn seed(&self) -> &[u8; SEED_LEN] {
        self.as_bytes().first_chunk().unwrap_or(&[0; SEED_LEN])
    }

    /// First 40 bytes of the key: seed and pivot columns. Secret.
    ///
    /// [`from_compressed`](SecretKey::from_compressed) computes the key from them, faster than
    /// [`KeyPair::from_seed`] does from the seed.
    pub fn compressed(&self) -> &[u8; COMPRESSED_LEN] {
        self.as_bytes()
            .first_chunk()
            .unwrap_or(&[0; COMPRESSED_LEN])
    }

    /// Recovers the shared secret of `ciphertext`.
    ///
    /// A ciphertext that was not made for this key gives a pseudorandom secret, which depends only
    /// on the key and the ciphertext. The caller cannot tell it from a shared secret.
    ///
    /// Source: Classic McEliece submission of 2022-10-23, algorithm Decap.
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        let mut secret = Zeroizing::new([0; 32]);
        let job = (ciphertext.as_bytes(), &mut *secret);
        operations::decapsulate(&P::CODE, self.as_bytes(), job);
        SharedSecret::copy(&secret)
    }

    /// Recovers the shared secrets of `ciphertexts`, in their order, as
    /// [`decapsulate`](Self::decapsulate) does.
    ///
    /// A batch takes less time than single calls. Values that depend only on the key are computed
    /// once, and eight ciphertexts are worked on together.
    ///
    /// ```
    /// use mceliece_core::{KeyPair, Mceliece348864f};
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    ///
    /// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
    /// let (first, secret) = pair.public_key.encapsulate(&mut rng);
    /// let (second, _) = pair.public_key.encapsulate(&mut rng);
    /// let secrets = pair.secret_key.decapsulate_batch(&[first, second]);
    /// assert_eq!(secrets[0], secret);
    /// ```
    #[cfg(feature = "alloc")]
    pub fn decapsulate_batch(&self, ciphertexts: &[Ciphertext<P>]) -> Vec<SharedSecret> {
        let mut secrets = vec![SharedSecret::EMPTY; ciphertexts.len()];
        let places = secrets.iter_mut().map(SharedSecret::bytes_mut);
        let mut jobs = ciphertexts.iter().map(Ciphertext::as_bytes).zip(places);
        operations::decapsulate_batch(&P::CODE, self.as_bytes(), &mut jobs);
        secrets
    }

    /// Writes the secret for a ciphertext that no public key makes.
    #[cfg(feature = "kem")]
    pub(crate) fn reject(&self, ciphertext: &[u8], secret: &mut [u8; 32]) {
        let s = parts(&P::CODE, self.as_bytes()).s;
        crate::hash::hash(crate::hash::REJECTION, &[s, ciphertext], secret);
    }

    /// Computes the public key from the seed, and checks that the seed gives this secret key.
    ///
    /// This takes about as long as one attempt of key generation.
    ///
    /// # Errors
    /// [`DecodeError::InvalidKey`] if the seed does not give this secret key.
    #[cfg(feature = "alloc")]
    pub fn public_key(&self) -> Result<PublicKey<P>, DecodeError> {
        let mut bytes = vec![0; P::PUBLIC_KEY_LEN].into_boxed_slice();
        let task = Task::PublicKey {
            public_key: Output::Rows(&mut bytes),
        };
        let (again, done) = run::<P>(self.seed(), task);
        let pairs = again.as_bytes().iter().zip(self.as_bytes());
        let different = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        if !done || reveal(different != 0) {
            return Err(DecodeError::InvalidKey);
        }
        // The padding bits are zero, like those of a generated key.
        Ok(PublicKey {
            bytes,
            parameters: PhantomData,
        })
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> SecretKey<P> {
    /// Computes a secret key from its first 40 bytes: seed and pivot columns.
    ///
    /// The matrix is not computed. So a seed whose matrix has no systematic form is accepted,
    /// though it gives no key. [`public_key`](Self::public_key) refuses the result. If you have the
    /// seed alone, 32 bytes, use [`KeyPair::from_seed`].
    ///
    /// # Errors
    /// [`DecodeError::Pivots`] if the pivot columns do not belong to the parameter set.
    /// [`DecodeError::InvalidKey`] if another step of key generation refuses the seed.
    pub fn from_compressed(bytes: &[u8; COMPRESSED_LEN]) -> Result<Self, DecodeError> {
        let (seed, pivots) = bytes.split_first_chunk().unwrap_or((&[0; SEED_LEN], &[]));
        let pivots = pivots
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        check_pivots::<P>(pivots)?;
        match run(seed, Task::SecretKey { pivots }) {
            (key, true) => Ok(key),
            _ => Err(DecodeError::InvalidKey),
        }
    }
}

/// Runs a task of key generation in boxed memory. Returns the secret key, and true if it is valid.
#[cfg(feature = "alloc")]
fn run<P: Parameters>(seed: &[u8; SEED_LEN], task: Task<'_>) -> (SecretKey<P>, bool) {
    let mut bytes = Zeroizing::new(vec![0; P::SECRET_KEY_LEN].into_boxed_slice());
    let done = with_boxed_memory(&P::CODE, |memory| {
        operations::run(&P::CODE, seed, task, memory, &mut bytes)
    });
    let key = SecretKey {
        bytes,
        parameters: PhantomData,
    };
    (key, done)
}

/// Refuses pivot columns that are impossible in the parameter set.
fn check_pivots<P: Parameters>(pivots: u64) -> Result<(), DecodeError> {
    let fits = if P::CODE.semi_systematic {
        pivots.count_ones() == 32
    } else {
        pivots == FIRST_COLUMNS
    };
    // The verdict on a key is public.
    if reveal(fits) {
        Ok(())
    } else {
        Err(DecodeError::Pivots)
    }
}

fn check_secret_key<P: Parameters>(bytes: &[u8]) -> Result<(), DecodeError> {
    let code = P::CODE;
    if bytes.len() != P::SECRET_KEY_LEN {
        return Err(DecodeError::Length {
            expected: P::SECRET_KEY_LEN,
            actual: bytes.len(),
        });
    }
    let parts = parts(&code, bytes);
    check_pivots::<P>(parts.pivots())?;
    let coefficients = parts.goppa.as_chunks().0.iter();
    let all = coefficients.fold(0, |all, &bytes| all | u16::from_le_bytes(bytes));
    if reveal(usize::from(all) >= code.q()) {
        return Err(DecodeError::Range);
    }
    if operations::has_root(&code, parts.goppa) {
        return Err(DecodeError::InvalidKey);
    }
    Ok(())
}

#[cfg(feature = "alloc")]
impl<P: Parameters> Clone for SecretKey<P> {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            parameters: PhantomData,
        }
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> TryFrom<&[u8]> for SecretKey<P> {
    type Error = DecodeError;

    /// Decodes a copy of `bytes`, as [`from_bytes`](Self::from_bytes) does.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        check_secret_key::<P>(bytes)?;
        Ok(Self {
            bytes: Zeroizing::new(bytes.into()),
            parameters: PhantomData,
        })
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> ZeroizeOnDrop for SecretKey<P> {}

impl<P: Parameters, B> fmt::Debug for SecretKey<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// A secret key and its public key.
///
/// ```
/// use mceliece_core::{KeyPair, Mceliece460896f};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let pair = KeyPair::<Mceliece460896f>::generate(&mut rng);
/// let (ciphertext, sent) = pair.public_key.encapsulate(&mut rng);
/// assert_eq!(pair.secret_key.decapsulate(&ciphertext), sent);
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone)]
pub struct KeyPair<P: Parameters> {
    /// The secret key.
    pub secret_key: SecretKey<P>,
    /// The public key.
    pub public_key: PublicKey<P>,
}

#[cfg(feature = "alloc")]
impl<P: Parameters> KeyPair<P> {
    /// Generates a pair from 32 bytes of `rng`.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// Generates a pair from `seed`. The same seed gives the same pair on every platform.
    ///
    /// Some seeds give no key: about five of seven in the sets without `f`. Then the next seed, a
    /// part of the hash of the failed seed, is tried, and so on. [`SecretKey::seed`] is the seed
    /// that gave the key, so it may differ from `seed`.
    ///
    /// Source: Classic McEliece submission of 2022-10-23, algorithm SeededKeyGen.
    pub fn from_seed(seed: &[u8; SEED_LEN]) -> Self {
        let mut bytes = vec![0; P::PUBLIC_KEY_LEN].into_boxed_slice();
        let task = Task::Generate {
            public_key: Output::Rows(&mut bytes),
        };
        // This task tries seeds until one gives a key, so the second value is always true.
        let (secret_key, _) = run(seed, task);
        Self {
            secret_key,
            public_key: PublicKey {
                bytes,
                parameters: PhantomData,
            },
        }
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> fmt::Debug for KeyPair<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}
