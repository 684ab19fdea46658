//! Signing keys.

use crate::codec;
use crate::engine::Best;
use crate::error::{DecodeError, FaultError, ScratchTooSmall};
use crate::hash::{self, Shake256Reader};
use crate::hedge::SECRET_HASH_LEN;
use crate::lanes::{HAS_VECTORS, wipe, wipe_below};
use crate::ntru;
use crate::operations::Operations;
use crate::params::{Array, Parameters};
use crate::reveal::reveal;
use crate::secret::Secret;
use crate::signing::{KeySource, SecretBasis};
use crate::verify::VerifyingKey;
use core::fmt;
use core::marker::PhantomData;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};
#[cfg(feature = "alloc")]
use {
    alloc::{boxed::Box, vec::Vec},
    rand_core::CryptoRng,
};

/// A signing (secret) key: the short basis `(f, g, F, G)` and its verifying key.
/// Wiped when dropped.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{Falcon512, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?;
/// let stored = key.to_bytes(); // 1281 bytes, wiped when dropped
///
/// let key = SigningKey::<Falcon512>::try_from(&stored[..])?;
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// key.verifying_key().verify(b"order #42", &signature)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// Moving a key can leave unwiped copies on the stack. To avoid them, create the key in a box, with
/// [`from_seed_boxed`](Self::from_seed_boxed) or [`decode_boxed`](Self::decode_boxed).
///
/// A key cannot be cloned. Share it in an `Arc`.
pub struct SigningKey<P: Parameters> {
    f: P::Small,
    g: P::Small,
    capital_f: P::Small,
    capital_g: P::Small,
    secret_hash: [u8; SECRET_HASH_LEN],
    verifying_key: VerifyingKey<P>,
}

impl<P: Parameters> SigningKey<P> {
    /// Generates a key with a random seed from `rng`.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Result<Self, FaultError> {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// Generates a key with a random seed of the system. Requires the feature `getrandom`.
    ///
    /// # Errors
    /// [`SystemError`](crate::SystemError).
    #[cfg(feature = "getrandom")]
    pub fn generate_from_system() -> Result<Self, crate::SystemError> {
        let mut seed = Zeroizing::new([0; 32]);
        crate::system::fill(&mut *seed)?;
        Ok(Self::from_seed(&seed)?)
    }

    /// Generates a key from `seed`. The same seed gives the same key on every platform, engine and
    /// version of this library.
    ///
    /// Keep the seed as secret as the key. The round-3 reference generates the same key from the
    /// stream `SHAKE256(seed)`.
    ///
    /// Source: Falcon specification v1.2, algorithm 4 (Keygen), without the tree.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, FaultError> {
        Self::from_any_seed(seed)
    }

    /// Generates the key that the round-3 reference generates from a seed of 48 bytes, as wallets
    /// do. Bouncy Castle 1.87 and noble-post-quantum 0.7.1 generate the same key from the same
    /// seed. So does Algorand's C code (`algorand-falcon` 0.1.0), for Falcon-1024.
    ///
    /// The seed is the key: whoever has the seed can sign. Draw all 48 bytes from a
    /// cryptographic generator, and keep them as secret as the key. For a seed of 32 bytes use
    /// [`from_seed`](Self::from_seed). For other lengths there is
    /// [`hazmat::signing_key_from_seed`](crate::hazmat::signing_key_from_seed).
    ///
    /// ```
    /// use falcon_core::{Falcon512, SigningKey};
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    ///
    /// let seed = [0x0b; 48]; // of the wallet
    /// let key = SigningKey::<Falcon512>::from_reference_seed(&seed)?;
    /// assert_eq!(key.verifying_key().to_bytes()[..4], [0x09, 0x71, 0x41, 0x1c]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Source: Falcon specification v1.2, algorithm 4 (Keygen), without the tree; the stream is
    /// `SHAKE256(seed)`.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn from_reference_seed(seed: &[u8; 48]) -> Result<Self, FaultError> {
        Self::from_any_seed(seed)
    }

    /// Generates a key from a seed of any length.
    // The key is made in place, as in `try_from`.
    #[cfg(feature = "alloc")]
    pub(crate) fn from_any_seed(seed: &[u8]) -> Result<Self, FaultError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = hash::with_stream(&[seed], |stream| key.find(stream))
        {
            result = Err(error);
        }
        result
    }

    /// Generates a key from `seed` in a box, as [`from_seed`](Self::from_seed) does. No copy is
    /// left on the stack.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn from_seed_boxed(seed: &[u8; 32]) -> Result<Box<Self>, FaultError> {
        Self::from_any_seed_boxed(seed)
    }

    /// Generates a key from `seed` in a box, as [`from_reference_seed`](Self::from_reference_seed)
    /// does. No copy is left on the stack.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn from_reference_seed_boxed(seed: &[u8; 48]) -> Result<Box<Self>, FaultError> {
        Self::from_any_seed_boxed(seed)
    }

    #[cfg(feature = "alloc")]
    fn from_any_seed_boxed(seed: &[u8]) -> Result<Box<Self>, FaultError> {
        let mut key = Box::new(Self::EMPTY);
        hash::with_stream(&[seed], |stream| key.find(stream))?;
        Ok(key)
    }

    /// Decodes the round-3 encoding into a box, as `TryFrom<&[u8]>` does. No copy is left on the
    /// stack.
    ///
    /// # Errors
    /// As for `TryFrom<&[u8]>`.
    #[cfg(feature = "alloc")]
    pub fn decode_boxed(bytes: &[u8]) -> Result<Box<Self>, DecodeError> {
        Self::decode_boxed_on(Best::find(), bytes)
    }

    /// Decodes as [`decode_boxed`](Self::decode_boxed) does, on the engine `on`.
    #[cfg(feature = "alloc")]
    pub(crate) fn decode_boxed_on(
        on: impl Operations,
        bytes: &[u8],
    ) -> Result<Box<Self>, DecodeError> {
        let mut key = Box::new(Self::EMPTY);
        key.decode(on, bytes)?;
        Ok(key)
    }

    /// Generates a key from `seed`, as [`from_seed`](Self::from_seed) does, with caller-owned
    /// scratch.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_seed_in(
        seed: &[u8; 32],
        scratch: &mut KeygenScratch<'_, P>,
    ) -> Result<Self, FaultError> {
        Self::from_any_seed_in(seed, scratch)
    }

    /// Generates a key from `seed`, as `from_reference_seed` does, with caller-owned scratch.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_reference_seed_in(
        seed: &[u8; 48],
        scratch: &mut KeygenScratch<'_, P>,
    ) -> Result<Self, FaultError> {
        Self::from_any_seed_in(seed, scratch)
    }

    fn from_any_seed_in(
        seed: &[u8],
        scratch: &mut KeygenScratch<'_, P>,
    ) -> Result<Self, FaultError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = hash::with_stream(&[seed], |stream| {
                key.find_in(stream, ntru::generate, scratch)
            })
        {
            result = Err(error);
        }
        result
    }

    /// Sets this key to the key that key generation finds in `stream`.
    #[cfg(feature = "alloc")]
    pub(crate) fn find(&mut self, stream: &mut Shake256Reader) -> Result<(), FaultError> {
        self.find_with(stream, ntru::generate)
    }

    /// Sets this key to the key that `generate` finds in `stream`.
    #[cfg(feature = "alloc")]
    pub(crate) fn find_with(
        &mut self,
        stream: &mut Shake256Reader,
        generate: Generate,
    ) -> Result<(), FaultError> {
        let mut words = alloc::vec![0; KeygenScratch::<P>::WORDS];
        let mut wide = alloc::vec![0; KeygenScratch::<P>::WIDE];
        let mut residues = alloc::vec![0; KeygenScratch::<P>::RESIDUES];
        let scratch = ntru::Scratch {
            words: &mut words,
            wide: &mut wide,
            residues: &mut residues,
        };
        self.find_in(
            stream,
            generate,
            &mut KeygenScratch {
                scratch,
                parameters: PhantomData,
            },
        )
    }

    fn find_in(
        &mut self,
        stream: &mut Shake256Reader,
        generate: Generate,
        scratch: &mut KeygenScratch<'_, P>,
    ) -> Result<(), FaultError> {
        let mut h = P::Residues::ZERO;
        let out = ntru::KeyPolys {
            f: self.f.as_mut(),
            g: self.g.as_mut(),
            capital_f: self.capital_f.as_mut(),
            capital_g: self.capital_g.as_mut(),
            h: h.as_mut(),
        };
        generate(P::LOGN, stream, out, &mut scratch.scratch)?;
        self.verifying_key.set(Best::find(), &h);
        self.complete();
        Ok(())
    }

    /// A key of zeros, to be overwritten.
    pub(crate) const EMPTY: Self = Self {
        f: P::Small::ZERO,
        g: P::Small::ZERO,
        capital_f: P::Small::ZERO,
        capital_g: P::Small::ZERO,
        secret_hash: [0; SECRET_HASH_LEN],
        verifying_key: VerifyingKey::EMPTY,
    };

    /// Computes the secret hash from the polynomials.
    fn complete(&mut self) {
        // Encodes into memory that is wiped. Returning the bytes from a function could leave a
        // copy.
        let mut bytes = Zeroizing::new(P::SigningKeyBytes::ZERO);
        self.encode(bytes.as_mut());
        self.complete_encoded((*bytes).as_ref());
    }

    /// Computes the secret hash. `bytes` is the encoding of the polynomials.
    fn complete_encoded(&mut self, bytes: &[u8]) {
        // Reads the hash into its final place, since returning an array would leave a copy.
        hash::with_stream(&[b"falcon secret", bytes], |stream| {
            stream.read(&mut self.secret_hash);
        });
    }

    /// Reads the round-3 encoding into this key and checks that the result is a key.
    pub(crate) fn decode(&mut self, on: impl Operations, bytes: &[u8]) -> Result<(), DecodeError> {
        self.read(on, |[f, g, capital_f]| {
            codec::secret_key::decode(P::LOGN, bytes, f, g, capital_f)
        })?;
        // The encoding is unique, so the polynomials would be encoded as `bytes` again.
        self.complete_encoded(bytes);
        Ok(())
    }

    /// Reads the FN-DSA encoding of `f`, `g` and `F` into this key and checks that the result is a
    /// key. Does not compute the secret hash of round 3, which FN-DSA does not use.
    #[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
    pub(crate) fn decode_lsb_first(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.read(Best::find(), |polynomials| {
            codec::lsb_first::decode_secret_key(P::LOGN, bytes, polynomials)
        })
    }

    /// Sets this key to the polynomials `f`, `g` and `F` that `read` writes, and checks that the
    /// result is a key.
    fn read(
        &mut self,
        on: impl Operations,
        read: impl FnOnce([&mut [i8]; 3]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let [f, g, capital_f] = [&mut self.f, &mut self.g, &mut self.capital_f];
        read([f.as_mut(), g.as_mut(), capital_f.as_mut()])?;
        // The equation is checked first, so that a damaged key gives `InvalidKey`, whatever its
        // norm.
        self.complete_basis(on)?;
        self.check_norms(on)
    }

    /// Copies the basis into a key and checks that the result is a key.
    // The key is made in place, as in `try_from`.
    pub(crate) fn from_basis(basis: [&[i8]; 4]) -> Result<Self, DecodeError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = key.set_basis(basis)
        {
            result = Err(error);
        }
        result
    }

    fn set_basis(&mut self, basis: [&[i8]; 4]) -> Result<(), DecodeError> {
        if basis.iter().any(|polynomial| polynomial.len() != P::N) {
            return Err(DecodeError::Length);
        }
        let [f, g, capital_f, capital_g] = basis;
        if !codec::secret_key::is_encodable(P::LOGN, f, g, capital_f) {
            return Err(DecodeError::Range);
        }
        self.f.as_mut().copy_from_slice(f);
        self.g.as_mut().copy_from_slice(g);
        self.capital_f.as_mut().copy_from_slice(capital_f);
        let on = Best::find();
        self.complete_basis(on)?;
        let ours = self.capital_g.as_ref().iter().zip(capital_g);
        if reveal(ours.fold(0, |difference, (a, b)| difference | (a ^ b)) != 0) {
            return Err(DecodeError::InvalidKey);
        }
        self.check_norms(on)?;
        self.complete();
        Ok(())
    }

    /// Checks that key generation would accept `(f, g)`. Not inlined, so that its working memory is
    /// free before the next step needs memory.
    #[inline(never)]
    fn check_norms(&self, on: impl Operations) -> Result<(), DecodeError> {
        let (f, g) = (self.f.as_ref(), self.g.as_ref());
        ntru::check_norms::<P::NormWords>(P::LOGN, f, g, || on.compare_norm(P::LOGN, f, g))
    }

    /// Finds `G` and the verifying key. Not inlined, for the reason in
    /// [`check_norms`](Self::check_norms).
    #[inline(never)]
    fn complete_basis(&mut self, on: impl Operations) -> Result<(), DecodeError> {
        let mut words = P::KeyWords::ZERO;
        let mut h = P::Residues::ZERO;
        let result = on.complete_private(
            P::LOGN,
            [self.f.as_ref(), self.g.as_ref(), self.capital_f.as_ref()],
            self.capital_g.as_mut(),
            h.as_mut(),
            words.as_mut(),
        );
        self.verifying_key.set(on, &h);
        wipe(words.as_mut());
        // The transforms have spilled words from vector registers to the stack.
        if HAS_VECTORS {
            wipe_below::<1024>();
        }
        result
    }

    /// Replaces `h` in tests.
    #[cfg(all(test, feature = "fndsa-provisional"))]
    pub(crate) fn set_verifying_key(&mut self, key: VerifyingKey<P>) {
        self.verifying_key = key;
    }

    pub(crate) fn basis(&self) -> SecretBasis<'_> {
        SecretBasis {
            f: self.f.as_ref(),
            g: self.g.as_ref(),
            capital_f: self.capital_f.as_ref(),
            capital_g: self.capital_g.as_ref(),
            h: self.verifying_key.prepared(),
        }
    }

    /// Returns the verifying key, the public half of this signing key. A signing key always has it:
    /// decoding computes it again, so a stored signing key is enough.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let stored = key.to_bytes();
    /// let restored = SigningKey::<Falcon512>::try_from(&stored[..])?;
    /// let public_key: [u8; 897] = restored.verifying_key().to_bytes();
    /// assert_eq!(public_key, key.verifying_key().to_bytes());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.verifying_key
    }

    /// Encodes the key as in round 3: header, `f`, `g`, `F`, in 1281 or 2305 bytes. Decoding
    /// recomputes `G` and the verifying key.
    pub fn to_bytes(&self) -> Zeroizing<P::SigningKeyBytes> {
        let mut out = Zeroizing::new(P::SigningKeyBytes::ZERO);
        self.encode(out.as_mut());
        // Moving `out` would leave an unwiped copy behind.
        out.clone()
    }

    /// Writes the encoding to `out`, which has the right length.
    pub(crate) fn encode(&self, out: &mut [u8]) {
        let [f, g, capital_f] = [&self.f, &self.g, &self.capital_f];
        codec::secret_key::encode(P::LOGN, f.as_ref(), g.as_ref(), capital_f.as_ref(), out);
    }
}

impl<P: Parameters> TryFrom<&[u8]> for SigningKey<P> {
    type Error = DecodeError;

    /// Decodes the round-3 encoding and checks the key: `f` is invertible, `fG - gF = q`, and the
    /// basis is short enough to sign with.
    // The key is decoded in place, since a moved copy would not be wiped.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = key.decode(Best::find(), bytes)
        {
            result = Err(error);
        }
        result
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> TryFrom<Vec<u8>> for SigningKey<P> {
    type Error = DecodeError;

    /// Decodes the round-3 encoding and wipes `bytes`, even if decoding fails.
    ///
    /// ```
    /// use falcon_core::{Falcon512, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let stored = SigningKey::<Falcon512>::from_seed(&[7; 32])?.to_bytes().to_vec();
    /// let key = SigningKey::<Falcon512>::try_from(stored)?;
    /// # assert_eq!(key.to_bytes(), SigningKey::<Falcon512>::from_seed(&[7; 32])?.to_bytes());
    /// # Ok(())
    /// # }
    /// ```
    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&Zeroizing::new(bytes)[..])
    }
}

impl<P: Parameters> Secret<P> for SigningKey<P> {
    fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN] {
        &self.secret_hash
    }

    fn source(&self) -> KeySource<'_> {
        KeySource::Computed(self.basis())
    }
}

impl<P: Parameters> AsRef<VerifyingKey<P>> for SigningKey<P> {
    fn as_ref(&self) -> &VerifyingKey<P> {
        &self.verifying_key
    }
}

impl<P: Parameters> fmt::Debug for SigningKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> Drop for SigningKey<P> {
    fn drop(&mut self) {
        wipe(self.f.as_mut());
        wipe(self.g.as_mut());
        wipe(self.capital_f.as_mut());
        wipe(self.capital_g.as_mut());
        self.secret_hash.zeroize();
    }
}

impl<P: Parameters> ZeroizeOnDrop for SigningKey<P> {}

/// A function that generates the polynomials of a key, of degree `2^logn`, from a stream.
pub(crate) type Generate = fn(
    u32,
    &mut Shake256Reader,
    ntru::KeyPolys<'_>,
    &mut ntru::Scratch<'_>,
) -> Result<(), FaultError>;

/// Working memory of key generation, for programs without an allocator. The caller owns it. It is
/// wiped after each key.
///
/// ```
/// use falcon_core::{Falcon512, KeygenScratch, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// type Memory = KeygenScratch<'static, Falcon512>;
///
/// let mut words = [0u32; Memory::WORDS];
/// let mut wide = [0i64; Memory::WIDE];
/// let mut residues = [0i16; Memory::RESIDUES];
/// let mut scratch = KeygenScratch::new(&mut words, &mut wide, &mut residues)?;
/// let key = SigningKey::<Falcon512>::from_seed_in(&[7; 32], &mut scratch)?;
/// # _ = key;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeygenScratch<'a, P: Parameters> {
    scratch: ntru::Scratch<'a>,
    parameters: PhantomData<P>,
}

impl<'a, P: Parameters> KeygenScratch<'a, P> {
    /// Required number of 32-bit words.
    pub const WORDS: usize = ntru::words_len(P::LOGN);
    /// Required number of 64-bit words.
    pub const WIDE: usize = ntru::wide_len(P::LOGN);
    /// Required number of 16-bit words.
    pub const RESIDUES: usize = ntru::residues_len(P::LOGN);

    /// Borrows the three arrays as scratch.
    ///
    /// # Errors
    /// [`ScratchTooSmall`] if an array is shorter than [`WORDS`](Self::WORDS), [`WIDE`](Self::WIDE)
    /// or [`RESIDUES`](Self::RESIDUES).
    pub fn new(
        words: &'a mut [u32],
        wide: &'a mut [i64],
        residues: &'a mut [i16],
    ) -> Result<Self, ScratchTooSmall> {
        let too_small = |needed| ScratchTooSmall { needed };
        let scratch = ntru::Scratch {
            words: words.get_mut(..Self::WORDS).ok_or(too_small(Self::WORDS))?,
            wide: wide.get_mut(..Self::WIDE).ok_or(too_small(Self::WIDE))?,
            residues: residues
                .get_mut(..Self::RESIDUES)
                .ok_or(too_small(Self::RESIDUES))?,
        };
        Ok(Self {
            scratch,
            parameters: PhantomData,
        })
    }
}
