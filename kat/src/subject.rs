//! The implementation under test.
//!
//! The randomness consists of the seeds that the reference implementation draws, in its order: 48
//! bytes for key generation, then for each signature 40 bytes of nonce and 48 bytes for the signing
//! stream. This stream is SHAKE256 of the 48 bytes. Every attempt takes its next 56 bytes, with the
//! same nonce.

use crate::Algorithm;

/// A public key and a secret key, encoded as in round 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPair {
    /// Encoded public key, 897 or 1793 bytes.
    pub public: Vec<u8>,
    /// Encoded secret key, 1281 or 2305 bytes.
    pub secret: Vec<u8>,
}

/// Error of an implementation.
pub type SubjectError = Box<dyn std::error::Error + Send + Sync>;

/// An implementation of the four algorithms, driven by the seeds of a known-answer file.
///
/// It is `Sync`, so that records can be replayed on all cores.
pub trait Subject: Sync {
    /// Generates a key pair from the stream SHAKE256(`seed`).
    ///
    /// # Errors
    /// If the implementation fails.
    fn keygen(&self, algorithm: Algorithm, seed: &[u8; 48]) -> Result<KeyPair, SubjectError>;

    /// Signs. Returns signature and message in the algorithm's attached form.
    ///
    /// # Errors
    /// The secret key does not decode, or the implementation fails.
    fn sign_attached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError>;

    /// Signs. Returns the detached signature: header `0x30 + logn`, nonce, and compressed `s2`,
    /// with zeros appended for the padded algorithms.
    ///
    /// # Errors
    /// The secret key does not decode, or the implementation fails.
    fn sign_detached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError>;

    /// Verifies an attached signature. Returns the message.
    ///
    /// # Errors
    /// The key or the signature does not decode, or the signature is invalid.
    fn open(
        &self,
        algorithm: Algorithm,
        public_key: &[u8],
        signed_message: &[u8],
    ) -> Result<Vec<u8>, SubjectError>;
}
