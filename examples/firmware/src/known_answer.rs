//! Record 0 of the NIST Falcon-512 known answers; see `build.rs`.

macro_rules! embedded {
    ($(#[$doc:meta] $name:ident: $file:literal;)*) => {
        $(#[$doc] pub static $name: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", $file));)*
    };
}

embedded! {
    /// Encoded verifying key, 897 bytes.
    VERIFYING_KEY: "verifying_key";
    /// Encoded signing key, 1281 bytes.
    SIGNING_KEY: "signing_key";
    /// Message, 33 bytes.
    MESSAGE: "message";
    /// Detached, compressed signature: header, nonce, `s2`.
    SIGNATURE: "signature";
}

/// The nonce that the reference draws.
pub static NONCE: &[u8; 40] = include_bytes!(concat!(env!("OUT_DIR"), "/nonce"));

/// The seed of the reference's signing stream.
pub static SAMPLER_SEED: &[u8; 48] = include_bytes!(concat!(env!("OUT_DIR"), "/sampler_seed"));
