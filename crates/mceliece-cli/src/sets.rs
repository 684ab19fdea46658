//! Parameter sets that are selected at run time.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use falcon_terminal::{
    error::{Error, Result},
    seed::SEED_LEN,
};
use mceliece_core::{
    Ciphertext, DecodeError, KeyPair, Parameters, PublicKey, SecretKey, SharedSecret,
    rand_core::CryptoRng,
};
use serde::{Serialize, Serializer};
use std::fmt;
use zeroize::Zeroizing;

/// Length of the compressed form of a secret key in bytes: seed and pivot columns.
pub(crate) const COMPRESSED_LEN: usize = 40;

/// Encoding of a secret key, in its full form.
pub(crate) type SecretBytes = Zeroizing<Box<[u8]>>;

/// Encoding of a public key.
pub(crate) type PublicBytes = Box<[u8]>;

/// Encoding of a ciphertext, and its secret.
pub(crate) type Encapsulated = (Vec<u8>, SharedSecret);

/// Result of decoding a key or a ciphertext.
pub(crate) type Decoded<T> = Result<T, DecodeError>;

/// A parameter set: its name, its lengths in bytes, and its operations on encodings.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) public_key_len: usize,
    pub(crate) secret_key_len: usize,
    pub(crate) ciphertext_len: usize,
    /// Generates the secret key and the public key from a seed.
    pub(crate) keygen: fn(&[u8; SEED_LEN]) -> (SecretBytes, PublicBytes),
    /// Computes a secret key from its compressed form.
    pub(crate) expand: fn(&[u8; COMPRESSED_LEN]) -> Decoded<SecretBytes>,
    /// Computes the public key of a secret key. Fails if the seed does not give the secret key.
    pub(crate) public_key: fn(&[u8]) -> Decoded<PublicBytes>,
    pub(crate) check_public_key: fn(&[u8]) -> Decoded<()>,
    pub(crate) check_secret_key: fn(&[u8]) -> Decoded<()>,
    pub(crate) check_ciphertext: fn(&[u8]) -> Decoded<()>,
    /// Encapsulates for a public key with randomness from the generator.
    pub(crate) encapsulate: fn(&[u8], &mut dyn CryptoRng) -> Decoded<Encapsulated>,
    /// Recovers the secret of a ciphertext with a secret key.
    pub(crate) decapsulate: fn(&[u8], &[u8]) -> Decoded<SharedSecret>,
}

impl Set {
    const fn of<P: Parameters>() -> Self {
        Self {
            name: P::NAME,
            public_key_len: P::PUBLIC_KEY_LEN,
            secret_key_len: P::SECRET_KEY_LEN,
            ciphertext_len: P::CIPHERTEXT_LEN,
            keygen: |seed| {
                let pair = KeyPair::<P>::from_seed(seed);
                let secret = Zeroizing::new(pair.secret_key.as_bytes().into());
                (secret, pair.public_key.as_bytes().into())
            },
            expand: |bytes| {
                let key = SecretKey::<P>::from_compressed(bytes)?;
                Ok(Zeroizing::new(key.as_bytes().into()))
            },
            public_key: |secret| {
                let key = SecretKey::<P, _>::from_bytes(secret)?.public_key()?;
                Ok(key.as_bytes().into())
            },
            check_public_key: |bytes| PublicKey::<P, _>::from_bytes(bytes).map(|_| ()),
            check_secret_key: |bytes| SecretKey::<P, _>::from_bytes(bytes).map(|_| ()),
            check_ciphertext: |bytes| Ciphertext::<P>::try_from(bytes).map(|_| ()),
            encapsulate: |key, rng| {
                let key = PublicKey::<P, _>::from_bytes(key)?;
                let (ciphertext, secret) = key.encapsulate(rng);
                Ok((ciphertext.as_bytes().to_vec(), secret))
            },
            decapsulate: |key, ciphertext| {
                let key = SecretKey::<P, _>::from_bytes(key)?;
                Ok(key.decapsulate(&Ciphertext::try_from(ciphertext)?))
            },
        }
    }

    /// Returns the name without `mceliece`. The options accept this short name, too.
    fn short_name(&self) -> &'static str {
        self.name.trim_start_matches("mceliece")
    }

    /// Returns the name in capitals, as in PEM labels.
    pub(crate) fn label(&self) -> String {
        self.name.to_ascii_uppercase()
    }
}

/// Work that needs the type of a parameter set.
pub(crate) trait Work {
    type Output;

    fn of<P: Parameters>(self) -> Self::Output;
}

macro_rules! sets {
    ($($set:ident)*) => {
        /// Every parameter set.
        pub(crate) static SETS: &[Set] = &[$(Set::of::<mceliece_core::$set>()),*];

        /// Runs `work` with the type of a set. Returns `None` if there is no such set.
        pub(crate) fn with_type<W: Work>(set: &Set, work: W) -> Option<W::Output> {
            $(
                if set.name == <mceliece_core::$set as Parameters>::NAME {
                    return Some(work.of::<mceliece_core::$set>());
                }
            )*
            None
        }
    };
}

sets! {
    Mceliece348864 Mceliece348864f
    Mceliece460896 Mceliece460896f Mceliece460896pc Mceliece460896pcf
    Mceliece6688128 Mceliece6688128f Mceliece6688128pc Mceliece6688128pcf
    Mceliece6960119 Mceliece6960119f Mceliece6960119pc Mceliece6960119pcf
    Mceliece8192128 Mceliece8192128f Mceliece8192128pc Mceliece8192128pcf
}

/// Finds the set with this name, ignoring letter case.
pub(crate) fn find(name: &str) -> Option<&'static Set> {
    SETS.iter().find(|set| set.name.eq_ignore_ascii_case(name))
}

/// Returns the parser of the values of `--parameters`.
pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Set> {
    parser_of(SETS.iter())
}

/// Returns the parser of the names of these sets, with or without `mceliece`.
pub(crate) fn parser_of(
    sets: impl Iterator<Item = &'static Set>,
) -> impl TypedValueParser<Value = &'static Set> {
    let possible = |set: &'static Set| PossibleValue::new(set.name).alias(set.short_name());
    PossibleValuesParser::new(sets.map(possible)).try_map(|name| {
        let has_short = |set: &&Set| set.short_name().eq_ignore_ascii_case(&name);
        let with_short = || SETS.iter().find(has_short);
        find(&name).or_else(with_short).ok_or("no such set")
    })
}

/// Lists the names of sets, for messages.
pub(crate) fn names(sets: impl Iterator<Item = &'static Set>) -> String {
    sets.map(|set| set.name).collect::<Vec<_>>().join(" or ")
}

/// Fails early if the system has no random bytes, since encapsulation would panic.
pub(crate) fn check_random() -> Result<()> {
    getrandom::fill(&mut [0; 1])
        .map_err(|error| Error::new("the system has no random bytes").because(error))
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Set {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
