//! Keys and signatures whose parameter set is known only when the program runs.

/// Evaluates `$body` with `$value` bound to the key or signature in `$any`.
macro_rules! either {
    ($any:expr, $value:ident => $body:expr) => {
        match $any {
            Self::Falcon512($value) => $body,
            Self::Falcon1024($value) => $body,
        }
    };
}
#[cfg(any(feature = "pkcs8", feature = "fndsa-provisional"))]
pub(crate) use either;

/// Returns the parameter set of `$any`, given by its variant.
macro_rules! set_of {
    ($any:expr) => {
        match $any {
            Self::Falcon512(_) => $crate::any::ParameterSet::Falcon512,
            Self::Falcon1024(_) => $crate::any::ParameterSet::Falcon1024,
        }
    };
}

/// Defines methods and conversions that the keys of any parameter set have in both schemes.
macro_rules! any_key {
    ($any:ident of $typed:ident, $moves:literal) => {
        impl $any {
            /// Returns the parameter set.
            pub fn set(&self) -> ParameterSet {
                set_of!(self)
            }

            /// Returns the key if its parameter set is `P`.
            pub fn typed<P: Parameters>(&self) -> Option<&$typed<P>> {
                either!(self, key => (&**key as &dyn Any).downcast_ref())
            }
        }

        any_key!($any, $typed, Falcon512, $moves);
        any_key!($any, $typed, Falcon1024, $moves);
    };
    ($any:ident, $typed:ident, $set:ident, $moves:literal) => {
        impl From<Box<$typed<$set>>> for $any {
            fn from(key: Box<$typed<$set>>) -> Self {
                Self::$set(key)
            }
        }

        #[doc = $moves]
        impl From<$typed<$set>> for $any {
            fn from(key: $typed<$set>) -> Self {
                Self::$set(Box::new(key))
            }
        }
    };
}
#[cfg(feature = "fndsa-provisional")]
pub(crate) use {any_key, set_of};

mod set;
mod signature;
mod stream;

pub(crate) use set::with_type;
pub use set::{ParameterSet, UnknownParameterSet};
pub use signature::AnySignature;
pub use stream::AnySignStream;

use crate::error::{DecodeError, FaultError, SignatureError};
use crate::hash_to_point::Cshake256HashToPoint;
use crate::hazmat;
use crate::hedge::SEED_LEN;
use crate::keys::SigningKey;
use crate::params::{Falcon512, Falcon1024, NONCE_LEN, Parameters};
use crate::scratch::{Scratch, WorkingMemory};
use crate::sign::Unsigned;
use crate::signatures::Signature;
use crate::verify::{MessageHasher, VerifyingKey};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use rand_core::CryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// A signing key of any parameter set. Wiped when dropped.
///
/// Generate it, or decode it from round-3 bytes or from a key document (features `pkcs8`, `pem` and
/// `encryption`). For everything else, such as an expanded key or a batch, match on the variant or
/// call [`typed`](Self::typed).
///
/// ```
/// use falcon_core::{AnySigningKey, Falcon1024, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let stored = SigningKey::<Falcon1024>::generate(&mut rng)?.to_bytes();
/// let key = AnySigningKey::try_from(&stored[..])?;
/// assert_eq!(key.name(), "Falcon-1024");
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// key.verifying_key().verify(b"order #42", &signature)?;
/// match &key {
///     AnySigningKey::Falcon512(_) => println!("NIST security level I"),
///     AnySigningKey::Falcon1024(_) => println!("NIST security level V"),
///     _ => println!("a parameter set of a later version"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// From a PEM document:
///
/// ```
/// # #[cfg(all(feature = "pem", feature = "encryption"))]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::AnySigningKey;
/// use falcon_core::pkcs8::{EncodePublicKey, LineEnding};
/// # use falcon_core::{Falcon512, SigningKey, pkcs8::EncodePrivateKey};
/// # let text = SigningKey::<Falcon512>::from_seed(&[1; 32])?.to_pkcs8_pem(LineEnding::LF)?;
///
/// let key = AnySigningKey::from_pem(&text, None)?; // or Some(passphrase)
/// let public = key.verifying_key().to_public_key_pem(LineEnding::LF)?;
/// # assert_eq!(key.name(), "Falcon-512");
/// # assert!(public.starts_with("-----BEGIN PUBLIC KEY-----"));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "pem", feature = "encryption")))]
/// # fn main() {}
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum AnySigningKey {
    /// A key of degree 512.
    Falcon512(Box<SigningKey<Falcon512>>),
    /// A key of degree 1024.
    Falcon1024(Box<SigningKey<Falcon1024>>),
}

impl AnySigningKey {
    /// Name of the parameter set: `"Falcon-512"` or `"Falcon-1024"`.
    pub fn name(&self) -> &'static str {
        self.set().name()
    }

    /// Generates a key with a random seed from `rng`, as [`SigningKey::generate`] does.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn generate<R: CryptoRng + ?Sized>(
        set: ParameterSet,
        rng: &mut R,
    ) -> Result<Self, FaultError> {
        let mut seed = Zeroizing::<[u8; 32]>::default();
        rng.fill_bytes(&mut *seed);
        Self::from_seed(set, &seed)
    }

    /// Generates a key with a random seed of the system. Requires the feature `getrandom`.
    ///
    /// # Errors
    /// [`SystemError`](crate::SystemError).
    #[cfg(feature = "getrandom")]
    pub fn generate_from_system(set: ParameterSet) -> Result<Self, crate::SystemError> {
        let mut seed = Zeroizing::new([0; 32]);
        crate::system::fill(&mut *seed)?;
        Ok(Self::from_seed(set, &seed)?)
    }

    /// Generates a key from `seed`, as [`SigningKey::from_seed_boxed`] does.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_seed(set: ParameterSet, seed: &[u8; 32]) -> Result<Self, FaultError> {
        with_type!(set, P => SigningKey::<P>::from_seed_boxed(seed).map(Self::from))
    }

    /// Generates the key that the round-3 reference generates from `seed`. See
    /// [`SigningKey::from_reference_seed_boxed`].
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_reference_seed(set: ParameterSet, seed: &[u8; 48]) -> Result<Self, FaultError> {
        with_type!(set, P => SigningKey::<P>::from_reference_seed_boxed(seed).map(Self::from))
    }

    /// Signs `message` with fresh randomness. Returns the canonical bytes of the signature, as
    /// [`Signature::to_bytes`] does.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn sign_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Vec<u8>, FaultError> {
        either!(self, key => Ok(key.sign_with_rng(rng, message)?.to_bytes().to_vec()))
    }

    /// Signs `message` as [`sign_with_rng`](Self::sign_with_rng) does, with randomness of the
    /// system. Requires the feature `getrandom`.
    ///
    /// # Errors
    /// [`SystemError`](crate::SystemError).
    #[cfg(feature = "getrandom")]
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, crate::SystemError> {
        either!(self, key => Ok(key.sign(message)?.to_bytes().to_vec()))
    }

    /// Signs `message` as [`sign_with_rng`](Self::sign_with_rng) does, but maps the message to a
    /// point with `hash`.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn sign_with_hash<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: &Cshake256HashToPoint,
        message: &[u8],
    ) -> Result<Vec<u8>, FaultError> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        either!(self, key => sign_bytes(key, &seed, hash, message))
    }

    /// Returns the verifying key of this signing key.
    pub fn verifying_key(&self) -> AnyVerifyingKey {
        either!(self, key => key.verifying_key().clone().into())
    }

    /// Encodes the key, as [`SigningKey::to_bytes`] does.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        either!(self, key => Zeroizing::new(key.to_bytes().to_vec()))
    }

    /// Returns the key without its variant.
    #[cfg(all(feature = "pem", feature = "encryption"))]
    pub(crate) fn into_boxed(self) -> Box<dyn Any> {
        either!(self, key => key)
    }

    /// Starts to sign a message that comes in pieces.
    fn start(&self, seed: &[u8; SEED_LEN]) -> Box<Unsigned> {
        either!(self, key => Unsigned::boxed(&**key, seed))
    }

    /// Signs the message that `unsigned` has absorbed.
    fn sign_unsigned(&self, unsigned: &Unsigned) -> Result<AnySignature, FaultError> {
        either!(self, key => Ok(unsigned.sign(&**key)?.into()))
    }
}

impl TryFrom<&[u8]> for AnySigningKey {
    type Error = DecodeError;

    /// Reads the round-3 encoding, whose header names the parameter set.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let set = ParameterSet::of_encoding(bytes);
        with_type!(set, P => SigningKey::<P>::decode_boxed(bytes).map(Self::from))
    }
}

impl TryFrom<Vec<u8>> for AnySigningKey {
    type Error = DecodeError;

    /// Reads the round-3 encoding and wipes `bytes`.
    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&Zeroizing::new(bytes)[..])
    }
}

impl ZeroizeOnDrop for AnySigningKey {}

/// A verifying key of any parameter set.
///
/// ```
/// use falcon_core::{AnyVerifyingKey, DecodeError, SignatureError};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use falcon_core::{Falcon512, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let signer = SigningKey::<Falcon512>::generate(&mut rng)?;
/// # let public_key = signer.verifying_key().to_bytes();
/// # let signature = signer.sign_with_rng(&mut rng, b"order #42")?.to_bytes();
/// let key = AnyVerifyingKey::try_from(&public_key[..])?;
/// assert_eq!(key.verify(b"order #42", &signature), Ok(()));
/// assert_eq!(key.verify(b"order #43", &signature), Err(SignatureError));
/// assert_eq!(key.verify(b"order #42", &signature[1..]), Err(SignatureError));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnyVerifyingKey {
    /// A key of degree 512.
    Falcon512(Box<VerifyingKey<Falcon512>>),
    /// A key of degree 1024.
    Falcon1024(Box<VerifyingKey<Falcon1024>>),
}

impl AnyVerifyingKey {
    /// Name of the parameter set: `"Falcon-512"` or `"Falcon-1024"`.
    pub fn name(&self) -> &'static str {
        self.set().name()
    }

    /// Decodes a key without its header byte, as [`VerifyingKey::from_headerless_bytes`] does. The
    /// length tells the parameter set.
    ///
    /// # Errors
    /// As for [`VerifyingKey::from_headerless_bytes`].
    pub fn from_headerless_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut sets = ParameterSet::ALL.iter();
        let set = sets.find(|set| set.verifying_key_len() == 1 + bytes.len());
        let set = *set.ok_or(DecodeError::Length)?;
        with_type!(set, P => VerifyingKey::<P>::from_headerless_bytes(bytes).map(Self::from))
    }

    /// Decodes `signature` from its canonical bytes, as [`Signature::try_from`] does, and verifies
    /// it for `message`.
    ///
    /// # Errors
    /// [`SignatureError`] if `signature` is malformed, belongs to another parameter set, or was not
    /// made by this key for this message. To learn why bytes are malformed, decode them as an
    /// [`AnySignature`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), SignatureError> {
        either!(self, key => verify_bytes(key, signature, |signature| key.verify(message, signature)))
    }

    /// Verifies a decoded signature for `message`.
    ///
    /// # Errors
    /// [`SignatureError`] if `signature` belongs to another parameter set, or was not made by this
    /// key for this message.
    pub fn verify_decoded(
        &self,
        message: &[u8],
        signature: &AnySignature,
    ) -> Result<(), SignatureError> {
        either!(self, key => key.verify(message, signature.typed().ok_or(SignatureError)?))
    }

    /// Starts to hash a message that comes in pieces, as [`VerifyingKey::hasher`] does.
    pub fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> MessageHasher {
        either!(self, key => key.hasher(nonce))
    }

    /// Verifies `signature` for the message that `hasher` has absorbed, as
    /// [`VerifyingKey::verify_hashed`] does.
    ///
    /// # Errors
    /// As for [`verify_decoded`](Self::verify_decoded). Also if the hasher started with the nonce
    /// of another signature.
    pub fn verify_hashed(
        &self,
        hasher: MessageHasher,
        signature: &AnySignature,
    ) -> Result<(), SignatureError> {
        either!(self, key => key.verify_hashed(hasher, signature.typed().ok_or(SignatureError)?))
    }

    /// Verifies `signature` as [`verify`](Self::verify) does, but maps the message to a point with
    /// `hash`.
    ///
    /// ```
    /// use falcon_core::hazmat::Cshake256HashToPoint;
    /// use falcon_core::{AnySigningKey, Falcon512, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// const INVOICE: Cshake256HashToPoint =
    ///     Cshake256HashToPoint::new(b"example.org/invoice v1").unwrap();
    ///
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// # let key = SigningKey::<Falcon512>::generate(&mut rng)?;
    /// let key = AnySigningKey::from(key);
    /// let signature = key.sign_with_hash(&mut rng, &INVOICE, b"42.00 EUR")?;
    /// let public = key.verifying_key();
    /// public.verify_with_hash(&INVOICE, b"42.00 EUR", &signature)?;
    /// assert!(public.verify(b"42.00 EUR", &signature).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_with_hash(
        &self,
        hash: &Cshake256HashToPoint,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), SignatureError> {
        either!(self, key => verify_bytes(key, signature, |signature| {
            hazmat::verify_with_hash(key, hash, message, signature)
        }))
    }

    /// Encodes the key, as [`VerifyingKey::to_bytes`] does.
    pub fn to_bytes(&self) -> Vec<u8> {
        either!(self, key => key.to_bytes().to_vec())
    }

    /// Returns the fingerprint, as [`VerifyingKey::fingerprint`] does.
    pub fn fingerprint(&self) -> [u8; 32] {
        either!(self, key => key.fingerprint())
    }
}

impl TryFrom<&[u8]> for AnyVerifyingKey {
    type Error = DecodeError;

    /// Reads the encoding, whose header names the parameter set.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let set = ParameterSet::of_encoding(bytes);
        with_type!(set, P => VerifyingKey::<P>::try_from(bytes).map(Self::from))
    }
}

impl TryFrom<Vec<u8>> for AnyVerifyingKey {
    type Error = DecodeError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&bytes[..])
    }
}

fn sign_bytes<P: Parameters>(
    key: &SigningKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &Cshake256HashToPoint,
    message: &[u8],
) -> Result<Vec<u8>, FaultError> {
    let mut reals = Zeroizing::new(WorkingMemory::new(Scratch::<P>::LEN));
    let mut scratch = Scratch::new(&mut reals).map_err(|_| FaultError)?;
    let signed = hazmat::sign_with_hash(key, seed, hash, message, &mut scratch);
    // `hash` only gives coefficients below q, so every error is a fault.
    Ok(signed.map_err(|_| FaultError)?.to_bytes().to_vec())
}

fn verify_bytes<P: Parameters>(
    _: &VerifyingKey<P>,
    signature: &[u8],
    verify: impl Fn(&Signature<P>) -> Result<(), SignatureError>,
) -> Result<(), SignatureError> {
    verify(&Signature::try_from(signature).map_err(|_| SignatureError)?)
}

any_key!(
    AnySigningKey of SigningKey,
    "Moves the key into a box. A copy may be left on the stack. To leave none, convert a `Box`; see
[`SigningKey::from_seed_boxed`]."
);
any_key!(AnyVerifyingKey of VerifyingKey, "Moves the key into a box.");
