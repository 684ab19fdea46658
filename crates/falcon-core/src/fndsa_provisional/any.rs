//! Keys whose parameter set is known only when the program runs. Provisional, as the whole module.

use super::{
    Context, KEY_HASH_LEN, KEY_SEED_LEN, MU_LEN, MuHasher, Signature, SigningKey, VerifyingKey,
};
use crate::any::{ParameterSet, any_key, either, set_of, with_type};
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::params::{Falcon512, Falcon1024, Parameters};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use rand_core::CryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// A signing key of FN-DSA, of any parameter set. Wiped when dropped.
///
/// [`ParameterSet`] gives the degree, under Falcon's name. For everything else, such as a batch,
/// match on the variant or call [`typed`](Self::typed).
///
/// ```
/// use falcon_core::ParameterSet;
/// use falcon_core::fndsa_provisional::{AnySigningKey, Context};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let set: ParameterSet = "Falcon-1024".parse()?;
/// let key = AnySigningKey::generate(set, &mut rng)?;
/// let key = AnySigningKey::from_bytes(set, &key.to_bytes())?;
/// let signature = key.sign_with_rng(&mut rng, Context::EMPTY, b"order #42")?;
/// key.verifying_key().verify(Context::EMPTY, b"order #42", &signature)?;
/// # Ok(())
/// # }
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
    /// Generates a key from a random seed of `rng`, as [`SigningKey::generate`] does.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn generate<R: CryptoRng + ?Sized>(
        set: ParameterSet,
        rng: &mut R,
    ) -> Result<Self, FaultError> {
        let mut seed = Zeroizing::<[u8; KEY_SEED_LEN]>::default();
        rng.fill_bytes(&mut *seed);
        Self::from_seed(set, &seed)
    }

    /// Generates a key from `seed`, as [`SigningKey::from_seed_boxed`] does.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_seed(set: ParameterSet, seed: &[u8; KEY_SEED_LEN]) -> Result<Self, FaultError> {
        with_type!(set, P => SigningKey::<P>::from_seed_boxed(seed).map(Self::from))
    }

    /// Decodes a key of `set`, as [`SigningKey::decode_boxed`] does. The caller names the set, as
    /// in [`AnyVerifyingKey::from_bytes`].
    ///
    /// # Errors
    /// As for [`SigningKey::decode_boxed`].
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, DecodeError> {
        with_type!(set, P => SigningKey::<P>::decode_boxed(bytes).map(Self::from))
    }

    /// Signs `message` for `context`, as [`SigningKey::sign_with_rng`] does. Returns the bytes of
    /// the signature.
    ///
    /// # Errors
    /// As for [`SigningKey::sign_with_rng`].
    pub fn sign_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        context: Context<'_>,
        message: &[u8],
    ) -> Result<Vec<u8>, FaultError> {
        either!(self, key => Ok(key.sign_with_rng(rng, context, message)?.to_bytes().to_vec()))
    }

    /// Signs the message whose hash with key and context is `mu`; see
    /// [`mu_hasher`](AnyVerifyingKey::mu_hasher).
    ///
    /// # Errors
    /// As for [`SigningKey::sign_with_rng`].
    pub fn sign_mu_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        mu: &[u8; MU_LEN],
    ) -> Result<Vec<u8>, FaultError> {
        either!(self, key => Ok(key.sign_mu_with_rng(rng, mu)?.to_bytes().to_vec()))
    }

    /// Returns the verifying key of this signing key.
    pub fn verifying_key(&self) -> AnyVerifyingKey {
        either!(self, key => key.verifying_key().clone().into())
    }

    /// Encodes the key, as [`SigningKey::to_bytes`] does.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        either!(self, key => key.to_bytes())
    }
}

impl ZeroizeOnDrop for AnySigningKey {}

/// A verifying key of FN-DSA, of any parameter set.
///
/// ```
/// use falcon_core::fndsa_provisional::{AnyVerifyingKey, Context};
/// use falcon_core::{DecodeError, ParameterSet};
///
/// /// Returns true if `signature` is valid for the message that comes in `pieces`.
/// fn verify(key: &[u8], pieces: &[&[u8]], signature: &[u8]) -> Result<bool, DecodeError> {
///     let key = AnyVerifyingKey::from_bytes(ParameterSet::Falcon512, key)?;
///     let mut hasher = key.mu_hasher(Context::EMPTY);
///     pieces.iter().for_each(|piece| hasher.update(piece));
///     Ok(key.verify_mu(&hasher.finalize(), signature).is_ok())
/// }
/// # assert_eq!(verify(&[9; 896], &[], &[]), Err(DecodeError::Length));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyVerifyingKey {
    /// A key of degree 512.
    Falcon512(Box<VerifyingKey<Falcon512>>),
    /// A key of degree 1024.
    Falcon1024(Box<VerifyingKey<Falcon1024>>),
}

impl AnyVerifyingKey {
    /// Decodes a key of `set`.
    ///
    /// The caller names the set, and so says that these bytes are a key of FN-DSA. The bytes do not
    /// tell: header and length are those of a Falcon key.
    ///
    /// # Errors
    /// [`DecodeError::Length`], [`DecodeError::Header`] or [`DecodeError::Range`].
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, DecodeError> {
        with_type!(set, P => VerifyingKey::<P>::try_from(bytes).map(Self::from))
    }

    /// Decodes `signature` and verifies it for `message` and `context`.
    ///
    /// # Errors
    /// [`SignatureError`] if `signature` is malformed, belongs to another parameter set, or was not
    /// made by this key for this message and this context.
    pub fn verify(
        &self,
        context: Context<'_>,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), SignatureError> {
        either!(self, key => key.verify(context, message, &decoded(signature)?))
    }

    /// Starts to hash a message that comes in pieces, as [`VerifyingKey::mu_hasher`] does.
    pub fn mu_hasher(&self, context: Context<'_>) -> MuHasher {
        either!(self, key => key.mu_hasher(context))
    }

    /// Verifies `signature` for the message whose hash with key and context is `mu`.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_mu(&self, mu: &[u8; MU_LEN], signature: &[u8]) -> Result<(), SignatureError> {
        either!(self, key => key.verify_mu(mu, &decoded(signature)?))
    }

    /// Encodes the key, as [`VerifyingKey::to_bytes`] does.
    pub fn to_bytes(&self) -> Vec<u8> {
        either!(self, key => key.to_bytes().to_vec())
    }

    /// Returns the hash of the encoded key, as [`VerifyingKey::hash`] does.
    pub fn hash(&self) -> &[u8; KEY_HASH_LEN] {
        either!(self, key => key.hash())
    }
}

fn decoded<P: Parameters>(signature: &[u8]) -> Result<Signature<P>, SignatureError> {
    Signature::try_from(signature).map_err(|_| SignatureError)
}

any_key!(
    AnySigningKey of SigningKey,
    "Moves the key into a box. A copy may be left on the stack. To leave none, convert a `Box`; see
[`SigningKey::from_seed_boxed`]."
);
any_key!(AnyVerifyingKey of VerifyingKey, "Moves the key into a box.");
