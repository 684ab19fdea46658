//! Verifying keys and verification: integers only.

use crate::codec;
use crate::error::{DecodeError, SignatureError};
use crate::hash::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
use crate::ntt::{Ntt, PortableNtt};
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::ring;
use crate::signature::Signature;
use core::fmt;

/// A verifying (public) key, prepared: its polynomial `h` is held in the NTT
/// domain beside its coefficients.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey<P: Parameters> {
    h: P::Residues,
    prepared: P::Short,
}

impl<P: Parameters> VerifyingKey<P> {
    /// The key of `h`, whose coefficients are below `q`.
    pub(crate) fn from_h(h: P::Residues) -> Self {
        let mut prepared = P::Short::ZERO;
        let mut tmp = P::Short::ZERO;
        PortableNtt.set_residues(prepared.as_mut(), h.as_ref());
        PortableNtt.ntt(P::LOGN, prepared.as_mut(), tmp.as_mut());
        Self { h, prepared }
    }

    /// The coefficients of `h = g / f mod q`.
    pub fn h(&self) -> &[u16] {
        self.h.as_ref()
    }

    /// The encoding: 897 or 1793 bytes.
    pub fn to_bytes(&self) -> P::VerifyingKeyBytes {
        let mut out = P::VerifyingKeyBytes::ZERO;
        codec::public_key::encode(P::LOGN, self.h.as_ref(), out.as_mut());
        out
    }

    /// Verifies `signature` of `message`.
    ///
    /// # Errors
    /// Opaque if the signature is not one of this key for this message.
    pub fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), SignatureError> {
        self.verify_parts(&[message], signature)
    }

    /// Verifies `signature` of the concatenation of `parts`.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_parts(
        &self,
        parts: &[&[u8]],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let mut hasher = self.hasher(&signature.nonce);
        for part in parts {
            hasher.update(part);
        }
        self.verify_hashed(hasher, signature)
    }

    /// Begins to hash a message under the nonce of a signature: constant
    /// memory whatever the length of the message.
    pub fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> MessageHasher {
        MessageHasher {
            nonce: *nonce,
            inner: Shake256HashToPoint.hasher(nonce),
        }
    }

    /// Verifies `signature` of the message that `hasher` has absorbed.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify); also if the hasher was begun with the
    /// nonce of another signature.
    pub fn verify_hashed(
        &self,
        hasher: MessageHasher,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let mut c = P::Residues::ZERO;
        let same_nonce = hasher.nonce == signature.nonce;
        hasher.inner.finish(c.as_mut());
        if same_nonce && self.is_preimage(&mut c, signature) {
            Ok(())
        } else {
            Err(SignatureError)
        }
    }

    /// True if `signature` is a short preimage of the point `c`, which is
    /// overwritten.
    pub(crate) fn is_preimage(&self, c: &mut P::Residues, signature: &Signature<P>) -> bool {
        let (mut words, mut tmp) = (P::Short::ZERO, P::Short::ZERO);
        ring::verify_vartime(
            &PortableNtt,
            P::LOGN,
            c.as_mut(),
            signature.s2.as_ref(),
            self.prepared.as_ref(),
            words.as_mut(),
            tmp.as_mut(),
        )
    }

    /// Verifies under another way to hash messages.
    pub(crate) fn verify_with<H: HashToPoint>(
        &self,
        hash: &H,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let mut c = P::Residues::ZERO;
        hash.hash_to_point(&signature.nonce, message, c.as_mut());
        if self.is_preimage(&mut c, signature) {
            Ok(())
        } else {
            Err(SignatureError)
        }
    }
}

impl<P: Parameters> TryFrom<&[u8]> for VerifyingKey<P> {
    type Error = DecodeError;

    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut h = P::Residues::ZERO;
        codec::public_key::decode(P::LOGN, bytes, h.as_mut())?;
        Ok(Self::from_h(h))
    }
}

impl<P: Parameters> fmt::Debug for VerifyingKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// A message on its way to a point; see [`VerifyingKey::hasher`].
#[derive(Clone)]
pub struct MessageHasher {
    nonce: [u8; NONCE_LEN],
    inner: Shake256PointHasher,
}

impl MessageHasher {
    /// Absorbs the next part of the message.
    pub fn update(&mut self, part: &[u8]) {
        self.inner.update(part);
    }
}

impl<P: Parameters> signature::Verifier<Signature<P>> for VerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), signature::Error> {
        Ok(self.verify_parts(&[message], signature)?)
    }
}

impl<P: Parameters> signature::MultipartVerifier<Signature<P>> for VerifyingKey<P> {
    fn multipart_verify(
        &self,
        message: &[&[u8]],
        signature: &Signature<P>,
    ) -> Result<(), signature::Error> {
        Ok(self.verify_parts(message, signature)?)
    }
}
