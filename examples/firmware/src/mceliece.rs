//! Record 0 of the known answers of Classic McEliece, see `build/mceliece.rs`, and the generator
//! that replays its randomness.

use core::convert::Infallible;
use mceliece_core::rand_core::{TryCryptoRng, TryRng};

/// An encapsulation of a known answer.
pub struct Encapsulation {
    /// Public key.
    pub public_key: &'static [u8],
    /// Bytes that encapsulation draws from the generator.
    pub randomness: &'static [u8],
    /// Ciphertext.
    pub ciphertext: &'static [u8],
    /// Shared secret.
    pub secret: &'static [u8],
}

/// A decapsulation of a known answer.
pub struct Decapsulation {
    /// Secret key.
    pub secret_key: &'static [u8],
    /// Ciphertext.
    pub ciphertext: &'static [u8],
    /// Shared secret.
    pub secret: &'static [u8],
}

/// A key generation of a known answer.
pub struct KeyGeneration {
    /// Seed.
    pub seed: &'static [u8; 32],
    /// Public key.
    pub public_key: &'static [u8],
    /// Secret key.
    pub secret_key: &'static [u8],
}

impl KeyGeneration {
    /// Number of bytes of all parts.
    pub fn size(&self) -> usize {
        self.seed.len() + self.public_key.len() + self.secret_key.len()
    }
}

impl Encapsulation {
    /// Number of bytes of all parts.
    pub fn size(&self) -> usize {
        let Self {
            public_key,
            randomness,
            ciphertext,
            secret,
        } = self;
        public_key.len() + randomness.len() + ciphertext.len() + secret.len()
    }
}

impl Decapsulation {
    /// Number of bytes of all parts.
    pub fn size(&self) -> usize {
        self.secret_key.len() + self.ciphertext.len() + self.secret.len()
    }
}

macro_rules! embedded {
    ($set:literal, $file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/mceliece", $set, "_", $file))
    };
}

macro_rules! encapsulations {
    ($($(#[$doc:meta])* $name:ident: $set:literal;)*) => {$(
        $(#[$doc])*
        pub const $name: Encapsulation = Encapsulation {
            public_key: embedded!($set, "public_key"),
            randomness: embedded!($set, "randomness"),
            ciphertext: embedded!($set, "ciphertext"),
            secret: embedded!($set, "shared_secret"),
        };
    )*};
}

macro_rules! decapsulations {
    ($($(#[$doc:meta])* $name:ident: $set:literal;)*) => {$(
        $(#[$doc])*
        pub const $name: Decapsulation = Decapsulation {
            secret_key: embedded!($set, "secret_key"),
            ciphertext: embedded!($set, "ciphertext"),
            secret: embedded!($set, "shared_secret"),
        };
    )*};
}

encapsulations! {
    /// Encapsulation with the smallest set.
    ENCAPSULATION_348864: "348864";
    /// Encapsulation with the largest set.
    ENCAPSULATION_8192128: "8192128";
}

decapsulations! {
    /// Decapsulation with the smallest set.
    DECAPSULATION_348864: "348864";
    /// Decapsulation with the smallest set over `GF(2^13)`.
    DECAPSULATION_460896: "460896";
    /// Decapsulation with a set of 128 errors.
    DECAPSULATION_6688128: "6688128";
}

/// Key generation with the smallest set with `f`.
pub const KEY_GENERATION_348864F: KeyGeneration = KeyGeneration {
    seed: embedded!("348864f", "seed"),
    public_key: embedded!("348864f", "public_key"),
    secret_key: embedded!("348864f", "secret_key"),
};

/// A generator that gives the bytes of a known answer, then zeros.
pub struct Replay(pub &'static [u8]);

impl TryRng for Replay {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for place in out {
            let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
            (*place, self.0) = (first, rest);
        }
        Ok(())
    }
}

impl TryCryptoRng for Replay {}
