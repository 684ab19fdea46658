//! The traits of the crate `kem` for every parameter set.
//!
//! The type of a parameter set, such as [`Mceliece6688128f`], implements [`Kem`].
//!
//! **These traits pass keys by value.** [`KeyExport::to_bytes`] and [`TryKeyInit::new`] put a
//! public key on the stack, up to 1.3 MiB, and copies of it. Code that calls them for a large set
//! needs a stack of 4 MiB. New threads have 2 MiB. All other functions keep keys on the heap. Where
//! the stack is small, use [`PublicKey`] and [`SecretKey`].
//!
//! ```
//! use mceliece_core::Mceliece348864f;
//! use mceliece_core::kem::{Decapsulate, Encapsulate, Kem};
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let (secret_key, public_key) = Mceliece348864f::generate_keypair_from_rng(&mut rng);
//! let (ciphertext, sent) = public_key.encapsulate_with_rng(&mut rng);
//! assert_eq!(secret_key.decapsulate(&ciphertext), sent);
//! ```
//!
//! This module also exports the crate `kem` itself:
//!
//! ```
//! use mceliece_core::Mceliece348864f;
//! use mceliece_core::kem::kem::{Ciphertext, EncapsulationKey, SharedKey};
//! use mceliece_core::kem::{Decapsulate, Encapsulate, Kem};
//!
//! fn send<K: Kem>(key: &EncapsulationKey<K>) -> (Ciphertext<K>, SharedKey<K>) {
//!     key.encapsulate_with_rng(&mut rand_core::UnwrapErr(getrandom::SysRng))
//! }
//!
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//! let (secret_key, public_key) = Mceliece348864f::generate_keypair_from_rng(&mut rng);
//! let (ciphertext, sent) = send::<Mceliece348864f>(&public_key);
//! assert_eq!(secret_key.decapsulate(&ciphertext), sent);
//! ```

use crate::ciphertexts::Ciphertext;
use crate::keys::{KeyPair, PublicKey, SecretKey};
use crate::params::*;
/// The crate `kem`, for names that this module does not re-export.
pub use ::kem;
pub use ::kem::{
    Decapsulate, Decapsulator, Encapsulate, Generate, InvalidKey, Kem, Key, KeyExport, KeySizeUser,
    TryKeyInit,
};
use core::fmt;
use hybrid_array::{Array, ArraySize, sizes};
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::Zeroizing;

/// A parameter set with its lengths as types, for arrays of the crate `hybrid-array`.
///
/// ```
/// use mceliece_core::Mceliece348864f;
/// use mceliece_core::kem::KemParameters;
///
/// fn ciphertext_len<P: KemParameters>() -> usize {
///     use mceliece_core::kem::kem::common::typenum::Unsigned;
///     P::CiphertextSize::USIZE
/// }
/// assert_eq!(ciphertext_len::<Mceliece348864f>(), 96);
/// ```
pub trait KemParameters: Parameters {
    /// Length of a public key in bytes.
    type PublicKeySize: ArraySize;
    /// Length of a secret key in bytes.
    type SecretKeySize: ArraySize;
    /// Length of a ciphertext in bytes.
    type CiphertextSize: ArraySize;
}

/// A public key for the traits of this module.
///
/// ```
/// use mceliece_core::kem::{EncapsulationKey, Kem};
/// use mceliece_core::{Mceliece348864f, PublicKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let (_, public_key) = Mceliece348864f::generate_keypair_from_rng(&mut rng);
/// let public_key: &PublicKey<Mceliece348864f> = public_key.as_key();
/// # _ = EncapsulationKey::from(public_key.clone());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EncapsulationKey<P: Parameters>(PublicKey<P>);

impl<P: Parameters> EncapsulationKey<P> {
    /// The public key with the functions of this crate, such as [`PublicKey::as_bytes`].
    pub fn as_key(&self) -> &PublicKey<P> {
        &self.0
    }
}

impl<P: Parameters> From<PublicKey<P>> for EncapsulationKey<P> {
    fn from(key: PublicKey<P>) -> Self {
        Self(key)
    }
}

impl<P: Parameters> fmt::Debug for EncapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A secret key with its public key, for the traits of this module.
///
/// ```
/// use mceliece_core::kem::{DecapsulationKey, Decapsulator};
/// use mceliece_core::{KeyPair, Mceliece348864f};
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// let key = DecapsulationKey::from(pair.clone());
/// assert_eq!(*key.encapsulation_key().as_key(), pair.public_key);
/// ```
pub struct DecapsulationKey<P: Parameters> {
    secret_key: SecretKey<P>,
    encapsulation_key: EncapsulationKey<P>,
}

impl<P: Parameters> DecapsulationKey<P> {
    /// The secret key with the functions of this crate, such as [`SecretKey::seed`].
    pub fn as_key(&self) -> &SecretKey<P> {
        &self.secret_key
    }
}

impl<P: Parameters> From<KeyPair<P>> for DecapsulationKey<P> {
    fn from(pair: KeyPair<P>) -> Self {
        Self {
            secret_key: pair.secret_key,
            encapsulation_key: EncapsulationKey(pair.public_key),
        }
    }
}

impl<P: Parameters> fmt::Debug for DecapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.secret_key.fmt(f)
    }
}

fn array<N: ArraySize>(bytes: &[u8]) -> Array<u8, N> {
    let mut array = Array::default();
    for (to, from) in array.iter_mut().zip(bytes) {
        *to = *from;
    }
    array
}

impl<P: KemParameters> KeySizeUser for EncapsulationKey<P> {
    type KeySize = P::PublicKeySize;
}

impl<P: KemParameters> TryKeyInit for EncapsulationKey<P> {
    fn new(key: &Key<Self>) -> Result<Self, InvalidKey> {
        let key = PublicKey::try_from(&key[..]).map_err(|_| InvalidKey)?;
        Ok(Self(key))
    }
}

impl<P: KemParameters> KeyExport for EncapsulationKey<P> {
    fn to_bytes(&self) -> Key<Self> {
        array(self.0.as_bytes())
    }
}

impl<P: KemParameters + Kem<EncapsulationKey = Self>> Encapsulate for EncapsulationKey<P>
where
    P: Kem<SharedKeySize = sizes::U32, CiphertextSize = <P as KemParameters>::CiphertextSize>,
{
    type Kem = P;

    fn encapsulate_with_rng<R>(&self, rng: &mut R) -> (::kem::Ciphertext<P>, ::kem::SharedKey<P>)
    where
        R: CryptoRng + ?Sized,
    {
        let (ciphertext, secret) = self.0.encapsulate(rng);
        (array(ciphertext.as_bytes()), array(secret.as_bytes()))
    }
}

impl<P: KemParameters> KeySizeUser for DecapsulationKey<P> {
    type KeySize = P::SecretKeySize;
}

impl<P: KemParameters> TryKeyInit for DecapsulationKey<P> {
    /// Decodes a secret key, and computes its public key from the seed.
    ///
    /// # Errors
    /// [`InvalidKey`] if the bytes are not a secret key, or if the seed does not give this key.
    fn new(key: &Key<Self>) -> Result<Self, InvalidKey> {
        let secret_key = SecretKey::try_from(&key[..]).map_err(|_| InvalidKey)?;
        let public_key = secret_key.public_key().map_err(|_| InvalidKey)?;
        Ok(Self {
            secret_key,
            encapsulation_key: EncapsulationKey(public_key),
        })
    }
}

impl<P: KemParameters> KeyExport for DecapsulationKey<P> {
    fn to_bytes(&self) -> Key<Self> {
        array(self.secret_key.as_bytes())
    }
}

impl<P: KemParameters> Generate for DecapsulationKey<P> {
    fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut seed = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(&mut *seed)?;
        Ok(KeyPair::from_seed(&seed).into())
    }
}

impl<P> Decapsulator for DecapsulationKey<P>
where
    P: KemParameters + Kem<EncapsulationKey = EncapsulationKey<P>>,
{
    type Kem = P;

    fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.encapsulation_key
    }
}

impl<P> Decapsulate for DecapsulationKey<P>
where
    P: KemParameters
        + Kem<
            EncapsulationKey = EncapsulationKey<P>,
            SharedKeySize = sizes::U32,
            CiphertextSize = <P as KemParameters>::CiphertextSize,
        >,
{
    /// Recovers the shared secret.
    ///
    /// This trait has no errors. A ciphertext whose padding bits are not zero gives an unrelated
    /// secret, like every ciphertext that was not made for this key.
    fn decapsulate(&self, ciphertext: &::kem::Ciphertext<P>) -> ::kem::SharedKey<P> {
        let mut secret = Zeroizing::new([0; 32]);
        match Ciphertext::<P>::try_from(&ciphertext[..]) {
            Ok(ciphertext) => {
                *secret = *self.secret_key.decapsulate(&ciphertext).as_bytes();
            }
            Err(_) => self.secret_key.reject(ciphertext, &mut secret),
        }
        array(&*secret)
    }
}

macro_rules! kems {
    ($($name:ident, $public:ident, $secret:ident, $ciphertext:ident;)*) => {$(
        impl KemParameters for $name {
            type PublicKeySize = sizes::$public;
            type SecretKeySize = sizes::$secret;
            type CiphertextSize = sizes::$ciphertext;
        }

        impl Kem for $name {
            type DecapsulationKey = DecapsulationKey<Self>;
            type EncapsulationKey = EncapsulationKey<Self>;
            type SharedKeySize = sizes::U32;
            type CiphertextSize = sizes::$ciphertext;
        }
    )*};
}

kems! {
    Mceliece348864, U261120, U6492, U96;
    Mceliece348864f, U261120, U6492, U96;
    Mceliece460896, U524160, U13608, U156;
    Mceliece460896f, U524160, U13608, U156;
    Mceliece460896pc, U524160, U13608, U188;
    Mceliece460896pcf, U524160, U13608, U188;
    Mceliece6688128, U1044992, U13932, U208;
    Mceliece6688128f, U1044992, U13932, U208;
    Mceliece6688128pc, U1044992, U13932, U240;
    Mceliece6688128pcf, U1044992, U13932, U240;
    Mceliece6960119, U1047319, U13948, U194;
    Mceliece6960119f, U1047319, U13948, U194;
    Mceliece6960119pc, U1047319, U13948, U226;
    Mceliece6960119pcf, U1047319, U13948, U226;
    Mceliece8192128, U1357824, U14120, U208;
    Mceliece8192128f, U1357824, U14120, U208;
    Mceliece8192128pc, U1357824, U14120, U240;
    Mceliece8192128pcf, U1357824, U14120, U240;
}
